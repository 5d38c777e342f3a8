/// A JSON value whose objects keep the order of their members.
package indirect enum JSONText: Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A number as it is written.
  case number(String)
  case string(String)
  case array([JSONText])
  case object([(name: String, value: JSONText)])

  /// A text or null.
  package static func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }
  /// A whole number or null.
  package static func count(_ number: Int?) -> JSONText { number.map { .integer($0) } ?? .null }
  package static func strings(_ texts: [String]) -> JSONText { .array(texts.map { .string($0) }) }

  /// An object with a member for each value, sorted by their names.
  package static func named<Value>(_ values: [String: Value], _ json: (Value) -> JSONText) -> JSONText {
    .object(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
  }

  /// The object with the members of another one behind its own.
  package func with(_ more: JSONText) -> JSONText {
    guard case .object(let members) = self, case .object(let further) = more else {
      preconditionFailure("only objects have members")
    }
    return .object(members + further)
  }

  /// The value on one line.
  ///
  /// - Parameter shown: What is written of a text.
  package func line(_ shown: (String) -> String) -> String {
    var output = ""
    write(to: &output, indent: nil, shown)
    return output
  }

  /// The value over several lines, indented by two spaces.
  package var indented: String {
    var output = ""
    write(to: &output, indent: "") { $0 }
    return output
  }

  private func write(to output: inout String, indent: String?, _ shown: (String) -> String) {
    switch self {
    case .null: output += "null"
    case .boolean(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    case .number(let text): output += text
    case .string(let value): output += shown(value).json(.lines)
    case .array(let items): Self.write(items.map { ("", $0) }, "[", "]", to: &output, indent: indent, shown)
    case .object(let members):
      Self.write(members.map { ($0.name.json(.lines) + ": ", $0.value) }, "{", "}", to: &output, indent: indent, shown)
    }
  }

  private static func write(
    _ items: [(prefix: String, value: JSONText)], _ open: String, _ close: String, to output: inout String,
    indent: String?, _ shown: (String) -> String
  ) {
    output += open
    // What holds no other lists stays on one line.
    let isFlat = indent == nil || items.allSatisfy { $0.value.isScalar } && items.count <= 12
    let inner = indent.map { $0 + "  " }
    for (index, item) in items.enumerated() {
      if index > 0 { output += isFlat ? ", " : "," }
      if !isFlat, let inner { output += "\n" + inner }
      output += item.prefix
      item.value.write(to: &output, indent: inner, shown)
    }
    if !isFlat, !items.isEmpty, let indent { output += "\n" + indent }
    output += close
  }

  private var isScalar: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }
}

extension JSONText: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral members: (String, JSONText)...) {
    self = .object(members.map { (name: $0.0, value: $0.1) })
  }
}
