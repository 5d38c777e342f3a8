import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The vectors in `../shared/suites/predicate`: what they say about reading and printing.
@Suite struct PredicateSuiteTests {
  /// One vector: a format, its arguments and what is said of its text.
  struct Vector: Sendable, CustomTestStringConvertible {
    let format: String
    let arguments: [ConstantValue]
    let isError: Bool
    let text: String?
    var testDescription: String { format }
  }

  static let vectors: [Vector] = {
    guard Locations.shared != nil else { return [] }
    let path = Locations.shared("suites/predicate/gnustep_cappuccino_vectors.json")
    guard let data = FileManager.default.contents(atPath: path),
      let top = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let rows = top["vectors"] as? [[String: Any]]
    else { return [] }
    return rows.map { row in
      let items = row["args"] as? [[String: Any]] ?? []
      return Vector(
        format: row["format"] as? String ?? "", arguments: items.compactMap { $0.values.first.map(constant) },
        isError: row["expectParse"] as? String == "error", text: row["predicateFormat"] as? String)
    }
  }()

  private static func constant(_ value: Any) -> ConstantValue {
    switch value {
    case let text as String: return .attribute(.string(text))
    case let list as [Any]: return .collection(list.map(constant))
    case let values as [String: Any]: return .dictionary(values.mapValues(constant))
    case let number as NSNumber:
      return Int64(exactly: number.doubleValue).map { .attribute(.integer($0)) }
        ?? .attribute(.double(number.doubleValue))
    default: return .null
    }
  }

  @Test(.enabled(if: Locations.shared != nil)) func `there are vectors`() {
    #expect(Self.vectors.count >= 70)
  }

  @Test(.enabled(if: Locations.shared != nil), arguments: vectors)
  func `each vector is read and printed as it says, and its text is stable`(vector: Vector) throws {
    guard !vector.isError else {
      #expect(throws: MergewalkObjectModel.PredicateError.self) {
        try ObjectPredicate(format: vector.format, arguments: vector.arguments)
      }
      return
    }
    let predicate = try ObjectPredicate(format: vector.format, arguments: vector.arguments)
    if let text = vector.text { #expect(predicate.description == text) }
    #expect(try ObjectPredicate(format: predicate.description) == predicate)
  }

  @Test func `the seeds of the fuzz target are read, and their texts are stable`() throws {
    let folder = Locations.repository + "/Tests/Fuzz/Corpus/predicates/"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.count > 20)
    for name in names {
      let format = try String(contentsOfFile: folder + name, encoding: .utf8)
      let arguments: [any PredicateArgument] =
        format.contains("%K") ? ["a.b", 1, "c", [1, 2]] : format.contains("%d") ? [1, 2.5] : []
      if let expression = try? ObjectExpression(format: format) {
        #expect(try ObjectExpression(format: expression.description) == expression, "\(name)")
      } else {
        let predicate = try ObjectPredicate(format: format, arguments: arguments)
        #expect(try ObjectPredicate(format: predicate.description) == predicate, "\(name)")
      }
    }
  }
}
