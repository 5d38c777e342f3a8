public import MergewalkObjectModel

/// The mapping of one version of a model to another, as far as the two versions determine it.
///
/// A pure value: it reads no store. These changes can be inferred: added, removed and renamed entities and properties
/// (by renaming identifiers); attributes that become required, with a default, or optional; wider integers and floats;
/// relationships that become to-many, ordered or not; entities that get another parent within their hierarchy or a new
/// one above it, or leave the hierarchy. Everything else is a finding, and all findings are reported at once.
///
/// Source: Apple, Core Data Model Versioning and Data Migration, "Lightweight Migration".
public struct InferredMapping: Sendable {
  /// The change to the objects of an entity.
  public enum Change: String, Sendable, Hashable {
    /// The entity is new.
    case add
    /// The entity was removed, with its objects.
    case remove
    /// Only the entity's number may change.
    case copy
    /// Names, properties or the position in the hierarchy change.
    case transform
  }

  /// One entity in both versions.
  public struct EntityMatch: Sendable, Hashable {
    /// The index in the source; `nil` for a new entity.
    public var source: Int?
    /// The index in the destination; `nil` for a removed entity.
    public var destination: Int?
    /// The change to its objects.
    public var change: Change
  }

  /// The model of the data.
  public let source: ManagedObjectModel
  /// The model to migrate to.
  public let destination: ManagedObjectModel
  /// The entities: those of the destination in number order, then removed ones.
  public let entities: [EntityMatch]
  /// The reasons why the mapping cannot be used; empty if it can.
  public private(set) var findings: [MigrationFinding] = []

  /// For each entity index of the destination, the one it was in the source.
  let sourceEntities: [Int?]
  /// For each entity index of the source, the one it is in the destination.
  let destinationEntities: [Int?]
  /// For each entity of the destination, what its stored attributes were, inherited ones included.
  let attributeMatchings: [AttributeMatching]
  /// The same of relationships.
  let relationshipMatchings: [NameMatching]
  /// The entities that continue one entity of the source.
  let entityConflicts: [NameMatching.Conflict]

  /// Compares two versions of a model.
  ///
  /// - Complexity: O(properties²) for each entity.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    self.source = source
    self.destination = destination
    let matching = NameMatching(
      old: source.entities.map { .init(name: $0.name, identifier: $0.declaration.renamingIdentifier) },
      new: destination.entities.map { .init(name: $0.name, identifier: $0.declaration.renamingIdentifier) })
    let matched = destination.entities.map { entity in
      matching.oldNames[entity.name].flatMap { source.entity(named: $0)?.index }
    }
    entityConflicts = matching.conflicts
    var back = [Int?](repeating: nil, count: source.entities.count)
    for (new, old) in matched.enumerated() { if let old { back[old] = new } }
    sourceEntities = matched
    destinationEntities = back

    var attributes: [AttributeMatching] = []
    var relationships: [NameMatching] = []
    for entity in destination.entities {
      let old = matched[entity.index].map { source.entities[$0] }
      attributes.append(
        AttributeMatching(
          old: old.map { Self.paths($0, in: source) } ?? [], new: Self.paths(entity, in: destination)))
      relationships.append(
        NameMatching(
          old: (old?.relationships ?? []).filter { !$0.isTransient }.map {
            .init(name: $0.name, identifier: $0.renamingIdentifier)
          },
          new: entity.relationships.filter { !$0.isTransient }.map {
            .init(name: $0.name, identifier: $0.renamingIdentifier)
          }))
    }
    attributeMatchings = attributes
    relationshipMatchings = relationships

    let oldHashes = Dictionary(source.versionHashes.map { ($0.name, $0.hash) }) { first, _ in first }
    let newHashes = Dictionary(destination.versionHashes.map { ($0.name, $0.hash) }) { first, _ in first }
    var matches = destination.entities.map { entity in
      guard let old = matched[entity.index] else {
        return EntityMatch(source: nil, destination: entity.index, change: .add)
      }
      let isSame = newHashes[entity.name] == oldHashes[source.entities[old].name]
      return EntityMatch(source: old, destination: entity.index, change: isSame ? .copy : .transform)
    }
    for (old, new) in back.enumerated() where new == nil {
      matches.append(EntityMatch(source: old, destination: nil, change: .remove))
    }
    entities = matches
    var check = MappingCheck()
    check.run(self)
    // Whoever names another app's model by mistake must not lose everything.
    let isUnrelated = !source.entities.isEmpty && !destination.entities.isEmpty && back.allSatisfy { $0 == nil }
    findings =
      !isUnrelated
      ? check.findings
      : [
        MigrationFinding(
          .unrelatedModels, entity: source.entities.map(\.name).sorted().joined(separator: ", "),
          message: "the models have no entity in common, so all objects would be deleted",
          hint: "name another version of the store's own model, or give entities renaming identifiers")
      ]
  }

  /// The names of an entity's stored attributes, each with those of the composite attribute that it is an element of.
  private static func paths(_ entity: EntityDescription, in model: ManagedObjectModel) -> [AttributeMatching.Path] {
    let elements = model.elementPaths(of: entity)
    return entity.attributes.filter { !$0.isTransient }.map {
      elements[$0.name] ?? [RenamedName(name: $0.name, identifier: $0.renamingIdentifier)]
    }
  }

  /// The source entity of an entity of the destination; `nil` for a new one.
  public func sourceEntity(of entity: EntityDescription) -> EntityDescription? {
    sourceEntities[entity.index].map { source.entities[$0] }
  }

  /// The source attribute of an attribute of an entity of the destination; `nil` for a new one.
  public func sourceAttribute(of attribute: AttributeDescription, in entity: EntityDescription) -> AttributeDescription?
  {
    guard let old = sourceEntities[entity.index], let name = attributeMatchings[entity.index].oldNames[attribute.name]
    else { return nil }
    return source.entities[old].attribute(named: name)
  }

  /// The source relationship of a relationship of an entity of the destination; `nil` for a new one.
  public func sourceRelationship(
    of relationship: RelationshipDescription, in entity: EntityDescription
  ) -> RelationshipDescription? {
    guard let old = sourceEntities[entity.index],
      let name = relationshipMatchings[entity.index].oldNames[relationship.name]
    else { return nil }
    return source.entities[old].relationship(named: name)
  }

  /// All relationships that a relationship of the destination was in the entities that have it.
  ///
  /// There are several when entities with a relationship each now inherit one.
  func sources(of relationship: RelationshipDescription) -> [RelationshipDescription] {
    let owner = destination.entities[relationship.declaringEntity]
    var result: [RelationshipDescription] = []
    for entity in destination.family(of: owner.index) {
      guard let old = sourceRelationship(of: relationship, in: entity) else { continue }
      let isKnown = result.contains { $0.slot == old.slot && $0.declaringEntity == old.declaringEntity }
      if !isKnown { result.append(old) }
    }
    return result
  }
}
