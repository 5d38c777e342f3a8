import MergewalkObjectModel

/// Where the tables of a store keep a to-many relationship, in the words that SQL needs.
struct RelationshipTable {
  /// The three ways in which a to-many relationship is kept.
  enum Kind {
    /// As pairs in a table of their own.
    case join
    /// In the destination's rows, as it has no inverse.
    case reverse
    /// As the to-one relationship that is its inverse.
    case inverse
  }

  let kind: Kind
  /// The table with the pairs, or that of the destination.
  let table: String
  /// The column with the primary key of the object that has the relationship.
  let owner: String
  /// The column with the primary key of the object that it refers to.
  let target: String
  /// The column with the position, when the relationship is ordered.
  let order: String?
  /// The column with the entity number of the owner.
  let ownerEntity: String?
  /// Whether both ends are one relationship.
  let isReflexive: Bool
  /// The table of the objects that the relationship refers to.
  let destination: String
  /// The table of the objects that have it.
  let source: String

  /// Looks a relationship up; `nil` for to-one relationships and those that are not stored.
  init?(_ relationship: RelationshipDescription, in schema: StoreSchema) {
    let model = schema.model
    guard relationship.isToMany, !relationship.isTransient, schema.entityNumbers[relationship.destinationEntity] > 0,
      schema.entityNumbers[relationship.declaringEntity] > 0
    else { return nil }
    let destination = schema.table(forRoot: model.entities[relationship.destinationEntity].root)
    self.destination = destination.name
    source = schema.table(forRoot: model.entities[relationship.declaringEntity].root).name
    let (owner, slot) = (relationship.declaringEntity, relationship.slot)
    if let join = schema.joinTable(entity: owner, slot: slot), let side = join.side(entity: owner, slot: slot) {
      kind = .join
      table = join.name
      self.owner = side.ownerColumn
      target = side.targetColumn
      order = side.orderColumn
      ownerEntity = nil
      isReflexive = join.isReflexive
      return
    }
    isReflexive = false
    table = destination.name
    target = "Z_PK"
    func column(_ role: ColumnDefinition.Role) -> String? { destination.columns.first { $0.role == role }?.name }
    if relationship.inverseSlot < 0 {
      guard let name = column(.reverse(ofSlot: slot, ownerEntity: owner)) else { return nil }
      kind = .reverse
      self.owner = name
      order = column(.reverseOrderKey(ofSlot: slot, ownerEntity: owner))
      ownerEntity = column(.reverseEntity(ofSlot: slot, ownerEntity: owner))
    } else {
      guard let name = destination.columnName(slot: relationship.inverseSlot) else { return nil }
      kind = .inverse
      self.owner = name
      order = destination.orderKeyColumn(slot: relationship.inverseSlot)
      ownerEntity = destination.destinationEntityColumn(slot: relationship.inverseSlot)
    }
  }

  /// Selects primary keys and entity numbers of the objects that the owner with key `?` is related to, in order.
  var selectMembers: String {
    let order = [self.order.map { "m.\($0)" }, "m.\(target)"].compactMap { $0 }.joined(separator: ", ")
    let rows =
      kind == .join
      ? "\(table) AS m LEFT JOIN \(destination) AS t ON t.Z_PK = m.\(target)" : "\(table) AS m"
    return "SELECT m.\(target), \(kind == .join ? "t" : "m").Z_ENT FROM \(rows) WHERE m.\(owner) = ? ORDER BY \(order)"
  }
}
