import MergewalkObjectModel

/// The order in which Core Data goes through the properties of an entity when it names join tables.
///
/// An entity has a key for what its table holds: `_ent`, `_pk`, `_opt`, its attributes, its relationships, and behind
/// an underscore the column of a to-one relationship. They go into a ``GrowingNameTable``, and from there into a
/// ``FixedNameTable``, whose order it is. An entity that inherits begins with the keys of its parent. Going through an
/// entity adds keys to those that come after it: positions in ordered relationships, and columns of relationships
/// without an inverse.
struct PropertyOrder {
  let model: ManagedObjectModel
  let numbers: [Int]
  private let tables: [RootIndex: EntityTable]
  /// For each entity its keys.
  private var keys: [GrowingNameTable]
  /// The relationships without an inverse whose columns have keys, by declaring entity and slot.
  private var reversed: Set<[Int]> = []

  init(model: ManagedObjectModel, numbers: [Int], tables: [EntityTable]) {
    self.model = model
    self.numbers = numbers
    self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.rootEntity, $0) })
    keys = Array(repeating: GrowingNameTable(), count: model.entities.count)
    // What is inherited from has the lower index.
    for entity in model.entities where numbers[entity.index] > 0 { setKeys(entity) }
  }

  /// The many-to-many relationships of an entity, inherited ones too, in Core Data's order.
  mutating func manyToManyRelationships(of entity: EntityDescription) -> [RelationshipDescription] {
    let known = Dictionary(entity.relationships.map { ($0.name, $0) }) { first, _ in first }
    var result: [RelationshipDescription] = []
    for key in FixedNameTable.order(keys[entity.index].names) {
      guard let relationship = known[key] else { continue }
      switch model.place(of: relationship) {
      case .column: addOrderKey(relationship, entity)
      case .reverse: addReverseKeys(relationship)
      case .join: result.append(relationship)
      case .nowhere, .inverseColumn: break
      }
    }
    return result
  }

  private mutating func setKeys(_ entity: EntityDescription) {
    var table = GrowingNameTable()
    if let parent = entity.superentityIndex {
      for key in keys[parent].names { table.add(key) }
    } else {
      for key in ["_ent", "_pk", "_opt"] { table.add(key) }
    }
    let attributes = entity.attributes.sorted { isBefore((group($0), $0), (group($1), $1)) }
    let transient = Set(attributes.filter(\.isTransient).map(\.name))
    for name in GrowingNameTable.order(attributes.map(\.name)) where !transient.contains(name) { table.add(name) }
    let relationships = entity.relationships.sorted { isBefore((group($0), $0), (group($1), $1)) }
    let known = Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first }
    for name in GrowingNameTable.order(relationships.map(\.name)) {
      guard let relationship = known[name], !relationship.isTransient else { continue }
      if !relationship.isToMany, let columns = tables[entity.root] {
        if let column = columns.columnName(slot: relationship.slot) { table.add("_" + column) }
        if let column = columns.destinationEntityColumn(slot: relationship.slot) { table.add("_" + column) }
      }
      table.add(name)
    }
    keys[entity.index] = table
  }

  /// A group of properties: stored before transient, to-one before to-many before ordered ones.
  private func group(_ attribute: AttributeDescription) -> Int { attribute.isTransient ? 1 : 0 }
  private func group(_ relationship: RelationshipDescription) -> Int {
    (relationship.isTransient ? 4 : 0) + (relationship.isToMany ? relationship.isOrdered ? 2 : 1 : 0)
  }

  /// The order inside an entity: by group, what is inherited first, then by name.
  private func isBefore<P: DeclaredProperty>(_ left: (group: Int, property: P), _ right: (group: Int, property: P))
    -> Bool
  {
    if left.group != right.group { return left.group < right.group }
    let (mine, other) = (left.property.declaringEntity, right.property.declaringEntity)
    return mine == other ? CodePointOrder.precedes(left.property.name, right.property.name) : mine < other
  }

  /// The position in the ordered relationship that is the inverse of a to-one.
  private mutating func addOrderKey(_ relationship: RelationshipDescription, _ entity: EntityDescription) {
    guard let column = tables[entity.root]?.orderKeyColumn(slot: relationship.slot) else { return }
    add(["_" + column], to: entity)
  }

  /// The columns of a to-many relationship without an inverse, which are in the destination's table.
  private mutating func addReverseKeys(_ relationship: RelationshipDescription) {
    let (owner, slot) = (relationship.declaringEntity, relationship.slot)
    guard numbers[relationship.destinationEntity] > 0, reversed.insert([owner, slot]).inserted else { return }
    let destination = model.entities[relationship.destinationEntity]
    let column = tables[destination.root]?.columns.first { $0.role == .reverse(ofSlot: slot, ownerEntity: owner) }
    guard let column else { return }
    add(["_" + column.name, "\(numbers[owner])\(relationship.name)"], to: destination)
  }

  /// Adds keys to an entity and to what inherits from it.
  private mutating func add(_ added: [String], to entity: EntityDescription) {
    for index in entity.index...entity.lastDescendantIndex where numbers[index] > 0 {
      for key in added { keys[index].add(key) }
    }
  }
}

/// The features that determine the order of properties.
private protocol DeclaredProperty {
  var name: String { get }
  var declaringEntity: Int { get }
}

extension AttributeDescription: DeclaredProperty {}
extension RelationshipDescription: DeclaredProperty {}
