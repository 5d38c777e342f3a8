import MergewalkDiagnostics
package import MergewalkObjectModel

/// Checks of an entity's import against the model, beyond names and types.
extension ImportPlanBuilder {
  /// Checks that the attributes of a key can be keys, and that finding by them is quick.
  ///
  /// - Parameter needsIndex: whether every search is by an index; not when only the members of an owner are looked at.
  mutating func checkKeys(_ part: EntityImport, of entity: EntityDescription, needsIndex: Bool) {
    let names = part.findBy.map(\.attributeName)
    var isSound = !names.isEmpty && Set(names).count == names.count
    for field in part.findBy {
      // Unknown names and attributes that no record can fill have their findings from the field.
      guard let attribute = entity.attribute(named: field.attributeName), attribute.importObstacle == nil else {
        isSound = false
        continue
      }
      guard !attribute.type.canBeKey else { continue }
      findings.report(
        .unsuitableKey, at: part.places["find_by", field.attributeName]?.key ?? field.position,
        "objects cannot be found by “\(field.attributeName)”: values of type \(attribute.type.xmlName) are not keys",
        hint: "use an attribute of type String, Integer, UUID, URI or Date")
      isSound = false
    }
    guard isSound, needsIndex, !isIndexed(Set(names), of: entity) else { return }
    findings.report(
      .unindexedKey, at: part.places["find_by", names[0]]?.key ?? part.findBy[0].position,
      "no index and no uniqueness constraint of “\(entity.name)” covers \(names.joined(separator: ", "))",
      hint: "declare one in the model, or every search reads the whole table")
  }

  /// Whether the names are all of a uniqueness constraint or the first elements of an index, in any order; those of the
  /// entities that this one inherits from are its own too.
  private func isIndexed(_ names: Set<String>, of entity: EntityDescription) -> Bool {
    if entity.uniquenessConstraints.contains(where: { names == Set($0.prefix(names.count)) }) { return true }
    if names.count == 1, let name = names.first, entity.attribute(named: name)?.isIndexed == true { return true }
    var declaring: EntityDescription? = entity
    while let current = declaring {
      let declaration = current.declaration
      let isCovered =
        declaration.fetchIndexes.contains { index in
          let elements = index.elements.prefix(names.count)
          return index.partialIndexPredicateText == nil && elements.allSatisfy { $0.kind == .binary }
            && names == Set(elements.compactMap(\.propertyName))
        } || declaration.compoundIndexes.contains { names == Set($0.prefix(names.count)) }
      if isCovered { return true }
      declaring = current.superentityIndex.map { model.entities[$0] }
    }
    return false
  }

  /// Finds relationships that a record would not fill: what is looked for after its owner's object leads no further.
  mutating func checkChain(_ relationship: RelationshipImport, _ late: ImportRelationship) {
    for next in nodes[late.target].relationships where next.isLate {
      let place = relationship.target.relationships.first { $0.name == next.name }?.position
      findings.report(
        .unsuitableRelationship, at: place ?? relationship.position,
        "“\(relationship.name)” is set when the objects of its hierarchy are there, and “\(next.name)” leads on from there",
        hint: "fill “\(next.name)” by an import of “\(relationship.target.entityName)” of its own, from the same file")
    }
  }

  /// Finds what is mandatory, has no default and is filled by nothing in an entity of which objects are made.
  mutating func checkRequired(_ part: EntityImport, of entity: EntityDescription, _ use: Use) {
    // What is broken may well be the field that is missed here: one mistake, one finding.
    guard use.creates, part.mode != .update, part.places.broken.isEmpty, !part.findBy.isEmpty || part.mode == .insert
    else { return }
    let filled = part.filledAttributes
    let related = Set(part.relationships.map(\.name))
    let strangers = related.union(filled)
    for attribute in entity.attributes where part.misses(attribute) {
      // A misspelt name is one mistake, not two.
      guard !isMeant(attribute.name, by: filled.filter { entity.attribute(named: $0) == nil }) else { continue }
      findings.report(
        .unmappedRequired, at: part.position,
        "the attribute “\(attribute.name)” of “\(entity.name)” is mandatory, has no default and is filled by nothing",
        hint: "give it a column under “attributes”" + (use.owner == nil ? "" : "; or set “missing: reject”"))
    }
    for relationship in entity.relationships
    where part.misses(relationship) && relationship.name != use.filled && !filled.contains(relationship.name) {
      let unknown = strangers.filter { entity.relationship(named: $0) == nil && entity.attribute(named: $0) == nil }
      guard !isMeant(relationship.name, by: unknown) else { continue }
      // Apps ship models with mandatory to-many relationships that may be empty, and cannot be given another model.
      let mayBeEmpty = relationship.isToMany && relationship.minCount == 0
      findings.report(
        .unmappedRequired, as: mayBeEmpty ? .warning : nil, at: part.position,
        "the relationship “\(relationship.name)” of “\(entity.name)” is mandatory and is filled by nothing"
          + (mayBeEmpty ? "; it is left empty" : ""),
        hint: relationship.isToMany
          ? "fill it from the other end, or make it optional in the model" : "fill it under “relationships”")
    }
  }

  /// Whether one of the names that do not exist is a misspelling of this one.
  private func isMeant(_ name: String, by strangers: Set<String>) -> Bool {
    strangers.contains { NearestName.find($0, in: [name]) != nil }
  }
}

extension EntityImport {
  var filledAttributes: Set<String> { Set((findBy + attributes).map(\.attributeName)) }

  /// Whether a mandatory attribute has neither a column nor a default.
  func misses(_ attribute: AttributeDescription) -> Bool {
    !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient && !attribute.isDerived
      && !(findBy + attributes).contains { $0.attributeName == attribute.name }
  }

  /// Whether a mandatory relationship is not filled.
  func misses(_ relationship: RelationshipDescription) -> Bool {
    !relationship.isOptional && !relationship.isTransient
      && !relationships.contains { $0.name == relationship.name }
  }

  /// Whether an object can be made of what is mapped alone: no mandatory attribute or to-one relationship is left out.
  ///
  /// - Parameter filled: the relationship that is filled from its other side, or `nil`.
  func isComplete(_ entity: EntityDescription, filled: String?) -> Bool {
    !entity.attributes.contains(where: misses)
      && !entity.relationships.contains { !$0.isToMany && $0.name != filled && misses($0) }
  }
}

extension AttributeType {
  /// Whether objects can be found by values of the type: equal values have equal cells.
  package var canBeKey: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .string, .uuid, .uri, .date: true
    case .decimal, .double, .float, .binary, .undefined, .transformable, .objectID, .composite: false
    }
  }
}
