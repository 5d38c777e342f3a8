import MergewalkBytes
import MergewalkYAML

extension JSONText {
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
      case .double(let value): self = value.isFinite ? .number(String(value)) : .string(text)
      case .string, nil: self = .string(text)
      }
    case .sequence(let items):
      let values = items.compactMap { JSONText($0) }
      guard values.count == items.count else { return nil }
      self = .array(values)
    case .mapping(let entries):
      var members: [(name: String, value: JSONText)] = []
      for entry in entries {
        guard let name = entry.key.text, let value = JSONText(entry.value) else { return nil }
        members.append((name, value))
      }
      self = .object(members)
    }
  }
}
