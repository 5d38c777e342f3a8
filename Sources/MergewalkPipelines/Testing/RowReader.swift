import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkYAML

/// Reads rows of files with tests against the model; what does not fit is a finding.
struct RowReader {
  let model: ManagedObjectModel
  let findings: Findings

  /// Rows of entities, in the order of the file; `nil` when something does not fit.
  func groups(
    _ tree: YAMLNode
  ) -> [(entity: EntityDescription, rows: [ExpectedRow], position: SourcePosition)]? {
    guard let entries = tree.entries else {
      findings.add(.wrongType, at: tree.position, "list rows under the names of their entities")
      return nil
    }
    var groups: [(entity: EntityDescription, rows: [ExpectedRow], position: SourcePosition)] = []
    var isWhole = true
    for entry in entries {
      guard let name = entry.key.text,
        let entity = entity(Located(value: name, position: entry.key.position))
      else {
        isWhole = false
        continue
      }
      guard let items = entry.value.items else {
        findings.add(
          .wrongType, at: entry.value.position, "“\(name)” takes a list of rows, but here is \(entry.value.summary)",
          hint: "for no rows write []")
        isWhole = false
        continue
      }
      let rows = items.map { row($0, of: entity) }
      if rows.contains(where: { $0 == nil }) { isWhole = false }
      groups.append((entity, rows.compactMap { $0 }, entry.key.position))
    }
    return isWhole ? groups : nil
  }

  /// All rows, in the order of the file.
  func rows(_ tree: YAMLNode) -> [ExpectedRow]? { groups(tree)?.flatMap(\.rows) }

  func entity(_ name: Located<String>) -> EntityDescription? {
    if let entity = model.entity(named: name.value) { return entity }
    findings.addUnknown(
      .unknownEntity, at: name.position, "the model has no entity “\(name.value)”", name: name.value,
      candidates: model.entities.map(\.name))
    return nil
  }

  private func row(_ node: YAMLNode, of entity: EntityDescription) -> ExpectedRow? {
    guard let entries = node.entries else { return shortRow(node, of: entity) }
    var fields: [ExpectedRow.Field] = []
    for entry in entries {
      guard let name = entry.key.text, let value = value(name, entry, of: entity) else { return nil }
      fields.append(.init(name: name, value: value, position: entry.value.position))
    }
    return ExpectedRow(entity: entity, fields: fields, position: node.position)
  }

  /// A row that is only its key: the value of the one attribute that has to be unique.
  private func shortRow(_ node: YAMLNode, of entity: EntityDescription) -> ExpectedRow? {
    let keys = entity.uniquenessConstraints.filter { $0.count == 1 }.compactMap { entity.attribute(named: $0[0]) }
    guard node.items == nil, keys.count == 1 else {
      findings.add(
        .wrongType, at: node.position, "a row of “\(entity.name)” is a mapping of its attributes",
        hint: entity.attributes.first.map { "for example { \($0.name): … }" })
      return nil
    }
    guard let value = value(node, of: keys[0]) else { return nil }
    return ExpectedRow(
      entity: entity,
      fields: [.init(name: keys[0].name, value: .attribute(keys[0], value), position: node.position)],
      position: node.position)
  }

  private func value(
    _ name: String, _ entry: YAMLNode.Entry, of entity: EntityDescription
  ) -> ExpectedRow.Value? {
    if let attribute = entity.attribute(named: name) {
      return value(entry.value, of: attribute).map { .attribute(attribute, $0) }
    }
    guard let relationship = entity.relationship(named: name) else {
      findings.addUnknown(
        .unknownAttribute, at: entry.key.position, "“\(entity.name)” has no attribute and no relationship “\(name)”",
        name: name, candidates: entity.attributes.map(\.name) + entity.relationships.map(\.name))
      return nil
    }
    let destination = model.entities[relationship.destinationEntity]
    guard relationship.isToMany else {
      if entry.value.isNull { return .one(relationship, nil) }
      return row(entry.value, of: destination).map { .one(relationship, $0) }
    }
    guard let items = entry.value.items else {
      findings.add(
        .wrongType, at: entry.value.position, "“\(name)” takes a list of rows, but here is \(entry.value.summary)")
      return nil
    }
    let rows = items.map { row($0, of: destination) }
    return rows.contains { $0 == nil } ? nil : .many(relationship, rows.compactMap { $0 })
  }

  /// The value that a text is for an attribute.
  private func value(_ node: YAMLNode, of attribute: AttributeDescription) -> AttributeValue? {
    guard let text = node.text else {
      findings.add(.wrongType, at: node.position, "“\(attribute.name)” takes a value, but here is \(node.summary)")
      return nil
    }
    if node.isNull { return .null }
    if attribute.type == .binary || attribute.type == .transformable { return .binary(Array(text.utf8)) }
    if let value = AttributeValue(text: text, type: attribute.type) { return value }
    findings.add(
      .wrongType, at: node.position, "“\(attribute.name)” is \(attribute.type.xmlName) and cannot be \(node.summary)",
      hint: attribute.type == .date ? "write dates as 2024-05-01 or 2024-05-01T12:00:00Z" : nil)
    return nil
  }
}
