import MergewalkDiagnostics
import MergewalkYAML

/// The fields of a mapping, taken out one by one; unexpected ones are reported with the nearest name.
struct YAMLFields {
  /// The thing that the mapping describes, for messages: "the entity “Order”".
  let owner: String
  let position: SourcePosition
  private let entries: [YAMLNode.Entry]
  private var asked: [String] = []

  /// Takes a node that must be a mapping; anything else is reported and has no fields.
  ///
  /// Nothing has no fields either, without a report.
  init(_ node: YAMLNode, _ owner: String, _ findings: inout FindingList) {
    self.owner = owner
    position = node.position
    if let entries = node.entries {
      self.entries = entries
      for entry in entries where entry.key.text == nil {
        findings.error("wrongType", entry.key.position, "a field name of \(owner) is \(entry.key.summary), not text")
      }
    } else {
      entries = []
      if !node.isNull {
        findings.error(
          "wrongType", node.position, "\(owner) needs a mapping, not \(node.summary)",
          hint: "write each of its fields as “name: value”")
      }
    }
  }

  /// The node of a field; `nil` when the field is not there.
  mutating func node(_ name: String) -> YAMLNode? {
    asked.append(name)
    return entries.first { $0.key.text == name }?.value
  }

  /// Whether a field is there, even if it holds nothing.
  func has(_ name: String) -> Bool { entries.contains { $0.key.text == name } }

  mutating func string(_ name: String, _ findings: inout FindingList) -> String? {
    value(name, "text", &findings) { $0.text }
  }

  mutating func flag(_ name: String, _ findings: inout FindingList) -> Bool? {
    value(name, "true or false", &findings) { $0.boolean }
  }

  mutating func count(_ name: String, _ findings: inout FindingList) -> Int? {
    value(name, "a whole number", &findings) { $0.integer }.map { Int($0) }
  }

  /// The value of a field; one of another kind than the words say is a finding.
  private mutating func value<Value>(
    _ name: String, _ kind: String, _ findings: inout FindingList, _ read: (YAMLNode) -> Value?
  ) -> Value? {
    guard let node = node(name), !node.isNull else { return nil }
    if let value = read(node) { return value }
    findings.error("wrongType", node.position, "“\(name)” of \(owner) needs \(kind), not \(node.summary)")
    return nil
  }

  /// A list of names; a single name counts as a list of one.
  mutating func names(_ name: String, _ findings: inout FindingList) -> [String] {
    guard let node = node(name), !node.isNull else { return [] }
    return Self.names(node, "“\(name)” of \(owner)", &findings)
  }

  /// A list of lists of names; a single name counts as a list of one, at both levels.
  mutating func nameLists(_ name: String, _ findings: inout FindingList) -> [[String]] {
    guard let node = node(name), !node.isNull else { return [] }
    guard let items = node.items else { return [Self.names(node, "“\(name)” of \(owner)", &findings)] }
    return items.map { Self.names($0, "“\(name)” of \(owner)", &findings) }
  }

  /// Free pairs of text.
  mutating func pairs(_ name: String, _ findings: inout FindingList) -> [String: String] {
    var pairs: [String: String] = [:]
    for entry in value(name, "a mapping", &findings, { $0.entries }) ?? [] {
      guard let key = entry.key.text, let value = entry.value.text else {
        findings.error("wrongType", entry.value.position, "“\(name)” of \(owner) holds pairs of text only")
        continue
      }
      pairs[key] = entry.value.isNull ? "" : value
    }
    return pairs
  }

  /// The entries of a field that maps names to descriptions.
  mutating func named(_ name: String, _ findings: inout FindingList) -> [YAMLNode.Entry] {
    (value(name, "a mapping", &findings) { $0.entries } ?? []).filter { entry in
      if entry.key.text != nil { return true }
      findings.error("wrongType", entry.key.position, "a name in “\(name)” of \(owner) is \(entry.key.summary)")
      return false
    }
  }

  /// Reports the fields that were not asked for.
  ///
  /// - Parameter elsewhere: What to do about fields that another mapping has.
  func finish(_ findings: inout FindingList, elsewhere: [String: String] = [:]) {
    for entry in entries {
      guard let name = entry.key.text, !asked.contains(name) else { continue }
      findings.error(
        "unknownField", entry.key.position, "\(owner) has no field “\(name)”",
        hint: elsewhere[name] ?? NearestName.colonHint(for: name, among: asked)
          ?? FindingList.didYouMean(name, asked)
          ?? "its fields are " + Set(asked).sorted().joined(separator: ", "))
    }
  }

  static func names(_ node: YAMLNode, _ owner: String, _ findings: inout FindingList) -> [String] {
    let items = node.items ?? [node]
    return items.compactMap { item in
      if let name = item.string { return name }
      findings.error("wrongType", item.position, "\(owner) needs names, not \(item.summary)")
      return nil
    }
  }
}
