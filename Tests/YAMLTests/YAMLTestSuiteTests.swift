import MergewalkDiagnostics
import Foundation
import MergewalkTestSupport
import Testing
import MergewalkYAML

/// The cases of yaml-test-suite, with libyaml's own verdict as the judge.
@Suite struct YAMLTestSuiteTests {
  static let cases: [String] = {
    guard Locations.shared != nil else { return [] }
    let root = Locations.shared("suites/yaml/yaml-test-suite")
    return (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix("in.yaml") }.sorted()
  }()

  /// Where libyaml reads otherwise than the suite: `?` before a flow scalar, blanks at the end of block scalars.
  static let exceptions: Set<String> = ["652Z", "HM87-01", "JEF9-02", "L24T-01"]

  @Test(.enabled(if: Locations.shared != nil))
  func `documents have the values of the suite`() throws {
    var compared = 0
    var refused = 0
    for name in Self.cases {
      let root = Locations.shared("suites/yaml/yaml-test-suite/")
      let bytes = Array(try #require(FileManager.default.contents(atPath: root + name)))
      let json = FileManager.default.contents(atPath: root + name.dropLast("in.yaml".count) + "in.json")
      do {
        let node = try YAMLDocument.parse(bytes, path: name)
        guard let json, !Self.exceptions.contains(String(name.dropLast("/in.yaml".count))),
          let expected = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
        else { continue }
        #expect(try text(plain(node)) == text(expected), "\(name)")
        compared += 1
      } catch let error as DiagnosticList {
        #expect(error.diagnostics.allSatisfy { $0.position.line > 0 }, "\(name)")
        refused += 1
      }
    }
    #expect(Self.cases.count > 200)
    #expect(compared > 100, "compared \(compared), refused \(refused)")
  }

  private func text(_ value: Any) throws -> String {
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
    return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
  }

  private func plain(_ node: YAMLNode) -> Any {
    if let items = node.items { return items.map(plain) }
    if let entries = node.entries {
      return Dictionary(
        entries.map { ($0.key.text ?? "", plain($0.value)) }, uniquingKeysWith: { first, _ in first })
    }
    switch node.scalar {
    case .boolean(let value): return value
    case .integer(let value): return value
    case .double(let value): return value
    case .string(let value): return value
    case .null, nil: return NSNull()
    }
  }
}
