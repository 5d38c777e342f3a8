import MergewalkBytes
import MergewalkObjectModel

/// Calls of the migration manager in value expressions, which are no functions of the expression language.
enum ManagerCall {
  /// Reads `FUNCTION($manager, "name", "argument", expression)`.
  static func mapping(_ text: String) throws(PredicateError) -> RelationshipMapping {
    let parts = try arguments(text)
    guard parts.count == 4, parts[0] == "$manager", let function = quoted(parts[1]), let name = quoted(parts[2]) else {
      throw PredicateError(
        .syntax, "expected FUNCTION($manager, \"function\", \"name\", source objects), found \(text.prefix(80))")
    }
    switch function {
    case "destinationInstancesForEntityMappingNamed:sourceInstances:":
      return .mapping(name, of: try ObjectExpression(format: parts[3]))
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      _ = try ObjectExpression(format: parts[3])
      return .relationship(name)
    default:
      throw PredicateError(
        .unknownFunction,
        "expected destinationInstancesForEntityMappingNamed:sourceInstances: or"
          + " destinationInstancesForSourceRelationshipNamed:sourceInstances:, found \(function.prefix(80))")
    }
  }

  /// The parts between the parentheses, split at commas that are in no further parentheses and no text.
  private static func arguments(_ text: String) throws(PredicateError) -> [String] {
    let bytes = Array(text.utf8)
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close,
      trimmed(bytes[..<open]) == "FUNCTION"
    else { throw PredicateError(.syntax, "expected FUNCTION(…), found \(text.prefix(80))") }
    var parts: [String] = []
    var depth = 0
    var start = open + 1
    for index in bytes.placesOutsideQuotes where index > open && index < close {
      switch bytes[index] {
      case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        parts.append(trimmed(bytes[start..<index]))
        start = index + 1
      default: break
      }
    }
    parts.append(trimmed(bytes[start..<close]))
    return parts
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let rest = bytes.drop(while: \.isSpace)
    let end = rest.lastIndex { !$0.isSpace }.map { $0 + 1 } ?? rest.startIndex
    return String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
  }

  private static func quoted(_ text: String) -> String? {
    guard text.utf8.count >= 2, let mark = text.first, mark == "\"" || mark == "'", text.last == mark else {
      return nil
    }
    return String(text.dropFirst().dropLast())
  }
}
