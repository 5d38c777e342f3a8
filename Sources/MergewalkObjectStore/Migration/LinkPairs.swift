import MergewalkObjectModel

/// The pairs of objects of a relationship as the old tables have them: what SQL selects them with.
struct LinkPairs {
  var table: String
  /// The column with the key of the object that has the relationship.
  var owner: String
  /// The column with the key of the object that it refers to.
  var target: String
  /// The column with the position of the target in the owner's relationship, if there is one.
  var order: String?
  /// The column with the position of the owner in the target's relationship, if there is one.
  var inverseOrder: String?
  /// Indexes of the entities that owners and targets are declared to be of.
  var ownerEntity: Int
  var targetEntity: Int

  /// The same pairs from the other side.
  var swapped: LinkPairs {
    LinkPairs(
      table: table, owner: target, target: owner, order: inverseOrder, inverseOrder: order, ownerEntity: targetEntity,
      targetEntity: ownerEntity)
  }
}

extension LinkPairs {
  /// The pairs of a relationship of the old model; `nil` when the store has none.
  init?(_ relationship: RelationshipDescription, _ schema: StoreSchema) {
    let model = schema.model
    let owner = model.entities[relationship.declaringEntity]
    let target = model.entities[relationship.destinationEntity]
    guard schema.entityNumbers[owner.index] > 0, schema.entityNumbers[target.index] > 0 else { return nil }
    self.init(
      table: "", owner: "", target: "", order: nil, inverseOrder: nil, ownerEntity: owner.index,
      targetEntity: target.index)
    switch model.place(of: relationship) {
    case .nowhere: return nil
    case .column:
      let rows = schema.table(forRoot: owner.root)
      guard let column = rows.columnName(slot: relationship.slot) else { return nil }
      (table, self.owner, self.target) = (rows.name, "Z_PK", column)
      inverseOrder = rows.orderKeyColumn(slot: relationship.slot)
    case .inverseColumn:
      guard let inverse = model.inverse(of: relationship) else { return nil }
      let rows = schema.table(forRoot: model.entities[inverse.declaringEntity].root)
      guard let column = rows.columnName(slot: inverse.slot) else { return nil }
      (table, self.owner, self.target) = (rows.name, column, "Z_PK")
      order = rows.orderKeyColumn(slot: inverse.slot)
    case .join:
      guard let join = schema.joinTable(entity: relationship.declaringEntity, slot: relationship.slot),
        let side = join.side(entity: relationship.declaringEntity, slot: relationship.slot)
      else { return nil }
      (table, self.owner, self.target, order) = (join.name, side.ownerColumn, side.targetColumn, side.orderColumn)
      inverseOrder = join.isReflexive ? nil : (side == join.master ? join.inverse : join.master).orderColumn
    case .reverse:
      let rows = schema.table(forRoot: target.root)
      func name(_ role: ColumnDefinition.Role) -> String? { rows.columns.first { $0.role == role }?.name }
      let (slot, entity) = (relationship.slot, owner.index)
      guard let column = name(.reverse(ofSlot: slot, ownerEntity: entity)) else { return nil }
      (table, self.owner, self.target) = (rows.name, column, "Z_PK")
      order = name(.reverseOrderKey(ofSlot: slot, ownerEntity: entity))
    }
  }
}
