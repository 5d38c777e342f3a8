package import MergewalkObjectModel
import MergewalkSQLite

/// Finds what of the old model nothing in the new one continues, and how to count the data that go with it.
struct RemovalSearch {
  private let mapping: InferredMapping
  private let old: StoreSchema
  /// The old relationships that new ones continue, perhaps in other entities.
  private let kept: Set<Place>
  /// Each removal without its count, and the statement that counts.
  private(set) var result: [(removal: MigrationRemoval, sql: String)] = []

  /// Where a property is declared.
  private struct Place: Hashable, Comparable {
    let entity: Int
    let slot: Int

    static func < (left: Place, right: Place) -> Bool { (left.entity, left.slot) < (right.entity, right.slot) }
  }

  init(_ mapping: InferredMapping, old: StoreSchema) {
    self.mapping = mapping
    self.old = old
    var kept: Set<Place> = []
    for entity in mapping.destination.entities {
      for relationship in entity.relationships where !relationship.isTransient {
        guard let source = mapping.sourceRelationship(of: relationship, in: entity) else { continue }
        kept.insert(Place(entity: source.declaringEntity, slot: source.slot))
      }
    }
    self.kept = kept
    for entity in mapping.source.entities where old.entityNumbers[entity.index] > 0 {
      if mapping.destinationEntities[entity.index] == nil, !entity.isAbstract { addObjects(of: entity) }
      addAttributes(declaredBy: entity)
      addRelationships(declaredBy: entity)
    }
  }

  private mutating func add(
    _ kind: MigrationRemoval.Kind, _ name: String, _ sql: String, isDerivedNow: Bool = false
  ) {
    result.append((MigrationRemoval(kind: kind, name: name, count: nil, isDerivedNow: isDerivedNow), sql))
  }

  private mutating func addObjects(of entity: EntityDescription) {
    let table = old.table(forRoot: entity.root).name
    add(.entity, entity.name, "SELECT count(*) FROM \(table) WHERE Z_ENT = \(old.entityNumbers[entity.index])")
  }

  /// Each entity that inherits an attribute may keep it or not: it may have moved down to one of them.
  private mutating func addAttributes(declaredBy owner: EntityDescription) {
    let table = old.table(forRoot: owner.root)
    for attribute in owner.attributes where attribute.declaringEntity == owner.index {
      guard !attribute.isTransient, !attribute.isDerived, let column = table.columnName(slot: attribute.slot) else {
        continue
      }
      // It may be derived in one entity and gone in another one.
      var (gone, derived): ([Int], [Int]) = ([], [])
      for (entity, new) in successors(below: owner) {
        let next = new.attributes.first { mapping.sourceAttribute(of: $0, in: new)?.slot == attribute.slot }
        let number = old.entityNumbers[entity.index]
        if let next { if next.isDerived { derived.append(number) } } else { gone.append(number) }
      }
      let name = "\(owner.name).\(attribute.name)"
      if !gone.isEmpty { add(.attribute, name, count(table.name, column, gone)) }
      if !derived.isEmpty { add(.attribute, name, count(table.name, column, derived), isDerivedNow: true) }
    }
  }

  /// A relationship and its inverse are one set of references, which stays if either does.
  private mutating func addRelationships(declaredBy owner: EntityDescription) {
    for relationship in owner.relationships where relationship.declaringEntity == owner.index {
      let place = Place(entity: owner.index, slot: relationship.slot)
      let inverse = mapping.source.inverse(of: relationship).map { Place(entity: $0.declaringEntity, slot: $0.slot) }
      guard inverse.map({ !kept.contains($0) }) ?? true else { continue }
      let isKept = kept.contains(place)
      switch mapping.source.place(of: relationship) {
      case .nowhere: continue
      case .column:
        // Both ends of a one-to-one relationship have the reference.
        let isTwice = mapping.source.inverse(of: relationship)?.isToMany == false
        if !isKept, isTwice, let inverse, inverse < place { continue }
      case .join:
        if !isKept, let inverse, inverse < place { continue }
      case .inverseColumn:
        // The other end counts unless this one is kept by some.
        if !isKept { continue }
      case .reverse: break
      }
      // The relationship may have moved down, or entities that had it have left the hierarchy.
      let numbers = successors(below: owner).filter { _, new in
        !new.relationships.contains { mapping.sourceRelationship(of: $0, in: new)?.slot == relationship.slot }
      }.map { old.entityNumbers[$0.old.index] }
      guard !numbers.isEmpty, let pairs = LinkPairs(relationship, old) else { continue }
      add(
        .relationship, "\(owner.name).\(relationship.name)",
        "SELECT count(p.\(pairs.target)) FROM \(pairs.table) p JOIN \(old.table(forRoot: owner.root).name) o"
          + " ON o.Z_PK = p.\(pairs.owner) WHERE o.Z_ENT IN (\(MigrationPlanner.list(numbers)))")
    }
  }

  /// The entities from one downwards that the new model continues, and what they are there.
  private func successors(below owner: EntityDescription) -> [(old: EntityDescription, new: EntityDescription)] {
    mapping.source.family(of: owner.index).compactMap { entity in
      guard old.entityNumbers[entity.index] > 0, let index = mapping.destinationEntities[entity.index] else {
        return nil
      }
      return (entity, mapping.destination.entities[index])
    }
  }

  /// Counts removals in the tables of the old model, without those of nothing.
  static func counted(
    _ removals: [(removal: MigrationRemoval, sql: String)], _ connection: Connection
  ) throws(StoreError) -> [MigrationRemoval] {
    var result: [MigrationRemoval] = []
    for (removal, sql) in removals {
      let count = try connection.integer(sql) ?? 0
      guard count > 0 else { continue }
      var counted = removal
      counted.count = Int(count)
      result.append(counted)
    }
    return result
  }

  private func count(_ table: String, _ column: String, _ numbers: [Int]) -> String {
    "SELECT count(\(column)) FROM \(table) WHERE Z_ENT IN (\(MigrationPlanner.list(numbers)))"
  }
}

extension PersistentStore {
  /// The data of the store that an inferred mapping to another version of the model does not continue.
  package func removals(to model: ManagedObjectModel) throws(StoreError) -> [MigrationRemoval] {
    let search = RemovalSearch(InferredMapping(from: schema.model, to: model), old: schema)
    return try RemovalSearch.counted(search.result, connection)
  }
}
