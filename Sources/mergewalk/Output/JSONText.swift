import MergewalkBytes

/// A JSON value whose objects keep the order of their members.
indirect enum JSONText {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A number written with at most this many digits behind the point.
  case decimal(Double, digits: Int)
  case string(String)
  case array([JSONText])
  case object([(name: String, value: JSONText)])

  /// A text or null.
  static func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }
  /// A whole number or null.
  static func count(_ number: Int?) -> JSONText { number.map { .integer($0) } ?? .null }
  static func strings(_ texts: [String]) -> JSONText { .array(texts.map { .string($0) }) }

  /// An object with a member for each value, sorted by their names.
  static func named<Value>(_ values: [String: Value], _ json: (Value) -> JSONText) -> JSONText {
    .object(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
  }

  /// The object with the members of another one behind its own.
  func with(_ more: JSONText) -> JSONText {
    guard case .object(let members) = self, case .object(let further) = more else {
      preconditionFailure("only objects have members")
    }
    return .object(members + further)
  }

  /// The value on one line.
  var text: String {
    var output = ""
    write(to: &output)
    return output
  }

  private func write(to output: inout String) {
    switch self {
    case .null: output += "null"
    case .boolean(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    case .decimal(let value, let digits): output += value.isFinite ? Figures.fixed(value, digits: digits) : "null"
    // Quoting could hide a secret from the search for it.
    case .string(let value): output += Console.redacted(value).json(.lines)
    case .array(let items):
      output += "["
      for (index, item) in items.enumerated() {
        if index > 0 { output += ", " }
        item.write(to: &output)
      }
      output += "]"
    case .object(let members):
      output += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { output += ", " }
        output += member.name.json(.lines)
        output += ": "
        member.value.write(to: &output)
      }
      output += "}"
    }
  }
}

extension JSONText: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral members: (String, JSONText)...) {
    self = .object(members.map { (name: $0.0, value: $0.1) })
  }
}
