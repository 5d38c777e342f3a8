import Diagnostics
import ObjectModel

/// Checks the attributes by which objects are found.
struct KeyCheck {
  let findings: Findings
  /// Whether every search is by an index; not when only the members of an owner are looked at.
  var needsIndex = true

  /// Checks that the attributes can be keys and that finding by them is quick.
  func run(_ keys: [(name: String, position: SourcePosition)], of entity: EntityDescription) {
    var isSound = !keys.isEmpty
    for (index, key) in keys.enumerated() {
      if keys[..<index].contains(where: { $0.name == key.name }) {
        findings.add(.mappedTwice, at: key.position, "“find_by” names “\(key.name)” twice")
        isSound = false
        continue
      }
      // Unknown names and attributes that no record can fill have their findings from the field.
      guard let attribute = entity.attribute(named: key.name), FieldBuilder.obstacle(attribute) == nil else {
        isSound = false
        continue
      }
      guard Self.canBeKey(attribute.type) else {
        findings.add(
          .unsuitableKey, at: key.position,
          "objects cannot be found by “\(key.name)”: values of type \(attribute.type.xmlName) are no keys",
          hint: "use an attribute of type String, Integer, UUID, URI or Date")
        isSound = false
        continue
      }
    }
    guard isSound, needsIndex, !isIndexed(Set(keys.map(\.name)), of: entity) else { return }
    findings.add(
      .unindexedKey, at: keys[0].position,
      "no index and no uniqueness constraint of “\(entity.name)” covers \(keys.map(\.name).joined(separator: ", "))",
      hint: "declare one in the model, or every search reads the whole table")
  }

  private static func canBeKey(_ type: AttributeType) -> Bool {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .string, .uuid, .uri, .date: true
    case .decimal, .double, .float, .binary, .undefined, .transformable, .objectID, .composite: false
    }
  }

  /// Whether the names are all of a uniqueness constraint or the first elements of an index, in any order.
  private func isIndexed(_ names: Set<String>, of entity: EntityDescription) -> Bool {
    if entity.uniquenessConstraints.contains(where: { names == Set($0.prefix(names.count)) }) { return true }
    if names.count == 1, let name = names.first, entity.attribute(named: name)?.isIndexed == true { return true }
    return entity.declaration.fetchIndexes.contains { index in
      let elements = index.elements.prefix(names.count)
      return index.partialIndexPredicateText == nil && elements.allSatisfy { $0.kind == .binary }
        && names == Set(elements.compactMap(\.propertyName))
    } || entity.declaration.compoundIndexes.contains { names == Set($0.prefix(names.count)) }
  }
}
