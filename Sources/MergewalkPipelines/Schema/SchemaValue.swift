import MergewalkBytes
import MergewalkYAML

/// A JSON value whose objects keep the order of their members: what a schema is made of.
indirect enum SchemaValue {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([SchemaValue])
  case object([(name: String, value: SchemaValue)])

  static func strings(_ texts: [String]) -> SchemaValue { .array(texts.map { .string($0) }) }

  /// The value that a text is in YAML; `nil` when it is none, or has keys that are no text.
  init?(yaml text: String) {
    guard let node = try? YAMLDocument.parse(text, path: "example") else { return nil }
    self.init(node)
  }

  private init?(_ node: YAMLNode) {
    switch node.kind {
    case .scalar(let text, _):
      switch node.scalar {
      case .null: self = .null
      case .boolean(let value): self = .boolean(value)
      case .integer(let value): self = .integer(Int(value))
      case .double(let value): self = value.isFinite ? .number(value) : .string(text)
      case .string, nil: self = .string(text)
      }
    case .sequence(let items):
      let values = items.compactMap { SchemaValue($0) }
      guard values.count == items.count else { return nil }
      self = .array(values)
    case .mapping(let entries):
      var members: [(name: String, value: SchemaValue)] = []
      for entry in entries {
        guard let name = entry.key.text, let value = SchemaValue(entry.value) else { return nil }
        members.append((name, value))
      }
      self = .object(members)
    }
  }

  /// The value over several lines, indented by two spaces.
  var text: String {
    var output = ""
    write(to: &output, indent: "")
    return output
  }

  private func write(to output: inout String, indent: String) {
    switch self {
    case .null: output += "null"
    case .boolean(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    case .number(let value): output += String(value)
    case .string(let value): output += value.json(.lines)
    case .array(let items): Self.write(items.map { ("", $0) }, "[", "]", to: &output, indent: indent)
    case .object(let members):
      Self.write(members.map { ($0.name.json(.lines) + ": ", $0.value) }, "{", "}", to: &output, indent: indent)
    }
  }

  private static func write(
    _ items: [(prefix: String, value: SchemaValue)], _ open: String, _ close: String, to output: inout String,
    indent: String
  ) {
    output += open
    // What holds no other lists stays on one line.
    let isFlat = items.allSatisfy { $0.value.isScalar } && items.count <= 12
    let inner = indent + "  "
    for (index, item) in items.enumerated() {
      if index > 0 { output += isFlat ? ", " : "," }
      if !isFlat { output += "\n" + inner }
      output += item.prefix
      item.value.write(to: &output, indent: inner)
    }
    if !isFlat, !items.isEmpty { output += "\n" + indent }
    output += close
  }

  private var isScalar: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }
}
