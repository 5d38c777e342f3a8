import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// A case of the files in `../shared/suites/predicate`.
struct PredicateVector: Decodable, Sendable, CustomTestStringConvertible {
  var format: String
  var args: [[String: JSONValue]]?
  var object: JSONValue?
  var expect: Bool?
  var collection: [JSONValue]?
  var expectIndexes: [Int]?
  var expectEval: String?
  var expectParse: String?
  var predicateFormat: String?
  var vars: [String: JSONValue]?
  var src: String?

  var testDescription: String { format }

  /// All cases of all files of the folder.
  static let all: [PredicateVector] = {
    struct File: Decodable { var vectors: [PredicateVector] }
    guard let shared = Locations.shared else { return [] }
    let folder = shared + "/suites/predicate"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    return names.filter { $0.hasSuffix(".json") }.flatMap { name -> [PredicateVector] in
      guard let data = FileManager.default.contents(atPath: folder + "/" + name),
        let file = try? JSONDecoder().decode(File.self, from: data)
      else { preconditionFailure("\(name) holds no vectors") }
      return file.vectors
    }
  }()

  /// The arguments in order: `%K` is text, `%d` and `%f` are numbers, `%@` is any value.
  var arguments: [any PredicateArgument] {
    (args ?? []).flatMap { argument in
      argument.map { conversion, value -> any PredicateArgument in
        if conversion == "%f", case .integer(let number) = value { return Double(number) }
        return value.constant
      }
    }
  }

  /// What the variables stand for.
  var substitutions: [String: ObjectExpression] {
    (vars ?? [:]).mapValues { value in
      if case .object(let members) = value, case .text(let path) = members["$keypath"], let path = PropertyPath(path) {
        return .keyPath(path)
      }
      return .constant(value.constant)
    }
  }
}

enum JSONValue: Decodable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  var constant: ConstantValue {
    switch self {
    case .null: .null
    case .boolean(let value): .attribute(.boolean(value))
    case .integer(let value): .attribute(.integer(value))
    case .double(let value): .attribute(.double(value))
    case .text(let value): .attribute(.string(value))
    case .array(let elements): .collection(elements.map(\.constant))
    case .object(let members): .dictionary(members.mapValues(\.constant))
    }
  }
}
