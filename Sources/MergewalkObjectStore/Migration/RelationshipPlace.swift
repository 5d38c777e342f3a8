import MergewalkObjectModel

/// Where a store keeps a relationship, seen from the side that has it.
enum RelationshipPlace {
  /// Nowhere: it is transient.
  case nowhere
  /// To one object: in the owner's row.
  case column
  /// To many objects, each of which refers back to one: in the other objects' rows, as their relationship.
  case inverseColumn
  /// To many objects, each of which refers back to many: in a join table.
  case join
  /// To many objects without a way back: in the other objects' rows, in a column of its own.
  case reverse
}

extension ManagedObjectModel {
  /// Where a store keeps a relationship.
  func place(of relationship: RelationshipDescription) -> RelationshipPlace {
    if relationship.isTransient { return .nowhere }
    if !relationship.isToMany { return .column }
    if relationship.inverseSlot < 0 { return .reverse }
    return relationship.isInverseToMany ? .join : .inverseColumn
  }
}

extension RelationshipDescription {
  /// Whether both are the same relationship of one model, perhaps seen from different entities.
  func isSame(as other: RelationshipDescription) -> Bool {
    slot == other.slot && declaringEntity == other.declaringEntity
  }
}
