package import MergewalkObjectModel

/// Finds what two versions of a model leave open.
struct MappingCheck {
  private(set) var findings: [MigrationFinding] = []

  mutating func run(_ mapping: InferredMapping) {
    checkHierarchies(mapping)
    for conflict in mapping.entityConflicts {
      add(Self.finding(conflict, "entity", entity: conflict.new[0], property: nil))
    }
    for entity in mapping.destination.entities where mapping.sourceEntities[entity.index] != nil {
      checkNames(entity, mapping)
      checkShapes(entity, mapping)
      for attribute in entity.attributes where !attribute.isTransient && !attribute.isDerived {
        check(attribute, entity, mapping)
      }
      for relationship in entity.relationships where !relationship.isTransient {
        check(relationship, entity, mapping)
      }
    }
  }

  /// Adds a finding unless it is there: what is inherited is met several times.
  private mutating func add(_ finding: MigrationFinding) {
    if !findings.contains(finding) { findings.append(finding) }
  }

  /// Finds properties of which several continue one old property.
  private mutating func checkNames(_ entity: EntityDescription, _ mapping: InferredMapping) {
    let attributes = mapping.attributeMatchings[entity.index].conflicts.map { ($0, "attribute") }
    let relationships = mapping.relationshipMatchings[entity.index].conflicts.map { ($0, "relationship") }
    for (conflict, kind) in attributes + relationships {
      // The lowest entity of those that declare them: the ones below inherit all of them.
      let owners = conflict.new.map { declaringIndex(of: $0, entity) }
      let owner = mapping.destination.entities[owners.max() ?? entity.index].name
      add(Self.finding(conflict, kind, entity: owner, property: conflict.new[0]))
    }
  }

  private static func finding(
    _ conflict: NameMatching.Conflict, _ kind: String, entity: String, property: String?
  ) -> MigrationFinding {
    let names = conflict.new.map { "“\($0)”" }.joined(separator: " and ")
    return MigrationFinding(
      .renamingConflict, entity: entity, property: property,
      message: "by name or renaming identifier, \(names) continue the \(kind) “\(conflict.old)”, and only one can",
      hint: "give all but one of them a renaming identifier of its own")
  }

  /// Finds composite attributes whose values were in one column, and attributes whose values were those of elements.
  private mutating func checkShapes(_ entity: EntityDescription, _ mapping: InferredMapping) {
    for change in mapping.attributeMatchings[entity.index].reshaped {
      let isComposite = !entity.attributes.contains { $0.name == change.new }
      let was = isComposite ? "a single value" : "composite"
      add(
        MigrationFinding(
          .typeChange, entity: mapping.destination.entities[declaringIndex(of: change.new, entity)].name,
          property: change.new,
          message: "it was \(was), “\(change.old)”, and is \(isComposite ? "composite" : "a single value")",
          hint: "give the new attribute another name, or use a mapping model that converts the values"))
    }
  }

  /// The index of the entity that declares an attribute, which may be a composite one, or a relationship.
  private func declaringIndex(of name: String, _ entity: EntityDescription) -> Int {
    let attribute = entity.attributes.first { $0.name == name || $0.name.hasPrefix(name + ".") }
    return attribute?.declaringEntity ?? entity.relationship(named: name)?.declaringEntity ?? entity.index
  }

  private mutating func checkHierarchies(_ mapping: InferredMapping) {
    for root in mapping.destination.rootEntities {
      var roots: [RootIndex] = []
      for entity in mapping.destination.family(of: root.index) {
        guard let old = mapping.sourceEntities[entity.index] else { continue }
        let oldRoot = mapping.source.entities[old].root
        if !roots.contains(oldRoot) { roots.append(oldRoot) }
      }
      guard roots.count > 1 else { continue }
      let names = roots.map { mapping.source.entities[$0.index].name }.joined(separator: ", ")
      add(
        MigrationFinding(
          .mergedHierarchies, entity: root.name,
          message: "it brings together entities of the separate hierarchies \(names), whose objects have the same keys",
          hint: "use a mapping model, which makes new objects"))
    }
  }

  private mutating func check(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ mapping: InferredMapping
  ) {
    let owner = mapping.destination.entities[attribute.declaringEntity].name
    guard let old = mapping.sourceAttribute(of: attribute, in: entity) else {
      guard !attribute.isOptional, !attribute.hasStorableDefault else { return }
      return add(
        MigrationFinding(
          .missingDefault, entity: owner, property: attribute.name,
          message:
            "the new attribute is required and \(attribute.lackOfDefault), so existing objects have no value for it",
          hint: "make it optional, give it a default that fits, or name its old self as renaming identifier"))
    }
    guard old.type != attribute.type, !attribute.type.isWider(than: old.type) else { return }
    add(
      MigrationFinding(
        .typeChange, entity: owner, property: attribute.name,
        message: "its type was \(old.type.xmlName) and is \(attribute.type.xmlName)",
        hint: "give the new attribute another name, or use a mapping model that converts the values"))
  }

  private mutating func check(
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ mapping: InferredMapping
  ) {
    let owner = mapping.destination.entities[relationship.declaringEntity].name
    let inverse = mapping.destination.inverse(of: relationship)
    let inverseSources = inverse.map { mapping.sources(of: $0) } ?? []
    guard let old = mapping.sourceRelationship(of: relationship, in: entity) else {
      guard !relationship.isToMany else { return }
      if inverseSources.contains(where: { mapping.source.place(of: $0) == .join }) {
        add(toManyToOne(owner, relationship.name))
      } else if !relationship.isOptional, inverseSources.isEmpty {
        add(
          MigrationFinding(
            .missingReference, entity: owner, property: relationship.name,
            message: "the new relationship is required, and existing objects refer to nothing",
            hint: "make it optional, or use a mapping model"))
      }
      return
    }
    if old.isToMany, !relationship.isToMany { add(toManyToOne(owner, relationship.name)) }
    for target in mapping.source.family(of: old.destinationEntity) {
      guard let new = mapping.destinationEntities[target.index] else { continue }
      let declared = mapping.destination.entities[relationship.destinationEntity]
      guard !mapping.destination.entities[new].isKind(of: declared) else { continue }
      add(
        MigrationFinding(
          .relationshipDestination, entity: owner, property: relationship.name,
          message: "it may refer to objects of \(target.name), but it leads to \(declared.name) now",
          hint: "give the new relationship another name, or use a mapping model"))
    }
    guard let oldInverse = mapping.source.inverse(of: old), !inverseSources.isEmpty,
      !inverseSources.contains(where: { $0.isSame(as: oldInverse) })
    else { return }
    add(
      MigrationFinding(
        .inverseChanged, entity: owner, property: relationship.name,
        message:
          "its inverse was \(oldInverse.name), and its inverse now, \(relationship.inverseName ?? ""), belonged to"
          + " another relationship",
        hint: "give the new relationships other names, or use a mapping model"))
  }

  private func toManyToOne(_ entity: String, _ property: String) -> MigrationFinding {
    MigrationFinding(
      .toManyToOne, entity: entity, property: property,
      message: "it led to many objects and leads to one now, so which of them is left is open",
      hint: "give the new relationship another name, or use a mapping model")
  }
}

extension AttributeType {
  /// Whether all values of the other type are stored as values of this one would be.
  package func isWider(than old: AttributeType) -> Bool {
    switch (old, self) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double): true
    default: false
    }
  }
}
