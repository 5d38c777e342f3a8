import Foundation
import MergewalkYAML

/// A small validator of JSON Schema: the keywords that our schemas use, and no others.
struct SchemaJudge {
  private let root: [String: Any]

  init(_ text: String) throws {
    root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  /// The keywords that the schema uses and that this does not know.
  func unknownKeywords() -> Set<String> {
    let known: Set<String> = [
      "$schema", "$ref", "$defs", "title", "description", "default", "examples", "type", "enum", "properties",
      "additionalProperties", "required", "anyOf", "items", "minItems", "minProperties", "minLength", "minimum",
      "maximum", "pattern", "if", "then", "else",
    ]
    var unknown: Set<String> = []
    func visit(_ schema: Any) {
      guard let schema = schema as? [String: Any] else { return }
      unknown.formUnion(Set(schema.keys).subtracting(known))
      for keyword in ["properties", "$defs"] {
        for value in (schema[keyword] as? [String: Any] ?? [:]).values { visit(value) }
      }
      for keyword in ["items", "additionalProperties", "if", "then", "else"] {
        if let value = schema[keyword] { visit(value) }
      }
      for value in schema["anyOf"] as? [Any] ?? [] { visit(value) }
    }
    visit(root)
    return unknown
  }

  /// Whether an instance fits the schema.
  func accepts(_ instance: Any) -> Bool { accepts(instance, root) }

  private func accepts(_ value: Any, _ schema: Any) -> Bool {
    if let flag = schema as? Bool { return flag }
    guard let schema = schema as? [String: Any] else { return false }
    if let reference = schema["$ref"] as? String {
      guard let definition = (root["$defs"] as? [String: Any])?[String(reference.dropFirst("#/$defs/".count))] else {
        return false
      }
      if !accepts(value, definition) { return false }
    }
    if let condition = schema["if"] {
      let branch = accepts(value, condition) ? schema["then"] : schema["else"]
      if let branch, !accepts(value, branch) { return false }
    }
    if let choices = schema["anyOf"] as? [Any], !choices.contains(where: { accepts(value, $0) }) { return false }
    if let words = schema["enum"] as? [Any], !words.contains(where: { Self.isSame($0, value) }) { return false }
    if let type = schema["type"] {
      let types = type as? [String] ?? [type as? String ?? ""]
      if !types.contains(where: { Self.type(value, is: $0) }) { return false }
    }
    return fits(value, schema)
  }

  private func fits(_ value: Any, _ schema: [String: Any]) -> Bool {
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: Any] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil { return false }
      if object.count < schema["minProperties"] as? Int ?? 0 { return false }
      for (name, member) in object {
        if let rule = properties[name] ?? schema["additionalProperties"], !accepts(member, rule) { return false }
      }
    }
    if let list = value as? [Any] {
      if list.count < schema["minItems"] as? Int ?? 0 { return false }
      if let rule = schema["items"], !list.allSatisfy({ accepts($0, rule) }) { return false }
    }
    if let text = value as? String {
      if text.count < schema["minLength"] as? Int ?? 0 { return false }
      if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
        return false
      }
    }
    if let number = value as? NSNumber, !Self.isBoolean(value) {
      if let least = schema["minimum"] as? NSNumber, number.doubleValue < least.doubleValue { return false }
      if let most = schema["maximum"] as? NSNumber, number.doubleValue > most.doubleValue { return false }
    }
    return true
  }

  private static func isBoolean(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
  }

  private static func isSame(_ left: Any, _ right: Any) -> Bool {
    if left is NSNull || right is NSNull { return left is NSNull && right is NSNull }
    return (left as? String) == (right as? String) && left is String
  }

  private static func type(_ value: Any, is name: String) -> Bool {
    switch name {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isBoolean(value)
    case "null": value is NSNull
    case "number": value is NSNumber && !isBoolean(value)
    case "integer":
      (value as? NSNumber).map { !isBoolean(value) && $0.doubleValue == $0.doubleValue.rounded() } ?? false
    default: false
    }
  }

  /// What a YAML text is in JSON.
  static func json(yaml text: String) throws -> Any { value(try YAMLDocument.parse(text, path: "test.yaml")) }

  private static func value(_ node: YAMLNode) -> Any {
    switch node.kind {
    case .sequence(let items): return items.map(value)
    case .mapping(let entries):
      return Dictionary(entries.map { ($0.key.text ?? "", value($0.value)) }, uniquingKeysWith: { $1 })
    case .scalar(let text, _):
      switch node.scalar {
      case .null: return NSNull()
      case .boolean(let flag): return flag
      case .integer(let number): return number
      case .double(let number): return number.isFinite ? number : text
      case .string, nil: return text
      }
    }
  }
}
