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

  /// How a value is laid out.
  package enum Layout: Sendable {
    /// Without spaces.
    case dense
    /// On one line, with spaces behind commas and colons.
    case line
    /// Over several lines, indented by two spaces; what holds no other lists stays on one line.
    case tree
  }

  package static func nullable(_ value: JSONText?) -> JSONText { value ?? .null }
  package static func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }
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

  /// The value as text.
  ///
  /// - Parameter shown: What is written of a string.
  package func written(as layout: Layout, _ shown: (String) -> String = { $0 }) -> String {
    var output: [UInt8] = []
    write(to: &output, as: layout, indent: 0, shown)
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends the value without spaces.
  package func write(to output: inout [UInt8]) { write(to: &output, as: .dense, indent: 0) { $0 } }

  private func write(to output: inout [UInt8], as layout: Layout, indent: Int, _ shown: (String) -> String) {
    switch self {
    case .null: output += "null".utf8
    case .boolean(let value): output += (value ? "true" : "false").utf8
    case .integer(let value): output += String(value).utf8
    case .number(let text): output += text.utf8
    case .string(let value): output.append(json: shown(value), .lines)
    case .array(let items):
      output.append(UInt8(ascii: "["))
      Self.write(items.map { (nil, $0) }, to: &output, as: layout, indent: indent, shown)
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      Self.write(members.map { ($0.name, $0.value) }, to: &output, as: layout, indent: indent, shown)
      output.append(UInt8(ascii: "}"))
    }
  }

  private static func write(
    _ items: [(name: String?, value: JSONText)], to output: inout [UInt8], as layout: Layout, indent: Int,
    _ shown: (String) -> String
  ) {
    let isFlat = layout != .tree || items.count <= 12 && items.allSatisfy { $0.value.isScalar }
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      if !isFlat {
        output += ("\n" + String(repeating: " ", count: indent + 2)).utf8
      } else if index > 0, layout != .dense {
        output.append(UInt8(ascii: " "))
      }
      if let name = item.name {
        output.append(json: name, .lines)
        output += (layout == .dense ? ":" : ": ").utf8
      }
      item.value.write(to: &output, as: layout, indent: indent + 2, shown)
    }
    if !isFlat { output += ("\n" + String(repeating: " ", count: indent)).utf8 }
  }

  private var isScalar: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }
}

extension JSONText: ExpressibleByDictionaryLiteral {
  /// Makes an object; members whose value is `nil` are left out.
  package init(dictionaryLiteral members: (String, JSONText?)...) {
    self = .object(members.compactMap { name, value in value.map { (name: name, value: $0) } })
  }
}
