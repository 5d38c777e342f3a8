import MergewalkObjectModel
import MergewalkObjectStore

/// A to-many relationship that is kept as pairs: how its two sides map to ``LinkRow``.
struct LinkRelation {
  /// Where the pairs are, within their store.
  let storage: LinkStorage
  let store: Int
  /// Whether objects that have the relationship are the owners of pairs, not the targets.
  let isOwner: Bool
  /// Whether the relationship is its own inverse: each pair is then kept in both directions.
  let isReflexive: Bool
  /// Whether this side keeps an order.
  let isOrdered: Bool
  /// Whether the other side keeps an order.
  let isInverseOrdered: Bool
  let ownerTable: TableID
  let targetTable: TableID

  /// Resolves a to-many relationship; `nil` for the inverse of a to-one and for transient relationships.
  ///
  /// - Parameter store: The store's number.
  init?(_ relationship: RelationshipDescription, schema: StoreSchema, store: Int) {
    let model = schema.model
    let own = TableID(root: model.entities[relationship.declaringEntity].root, store: store, of: model)
    let other = own.sibling(model.entities[relationship.destinationEntity])
    self.store = store
    isOrdered = relationship.isOrdered
    isInverseOrdered = relationship.isInverseOrdered(in: model)
    if relationship.inverseSlot < 0 {
      guard !relationship.isTransient else { return nil }
      storage = .reverse(
        ownerEntity: relationship.declaringEntity, slot: relationship.slot, destinationRoot: other.root)
      isOwner = true
      isReflexive = false
    } else {
      guard relationship.isInverseToMany,
        let position = schema.joinTables.firstIndex(where: {
          $0.side(entity: relationship.declaringEntity, slot: relationship.slot) != nil
        })
      else { return nil }
      let table = schema.joinTables[position]
      storage = .join(position)
      isReflexive = table.isReflexive
      isOwner = table.master.entity == relationship.declaringEntity && table.master.slot == relationship.slot
    }
    ownerTable = isOwner ? own : other
    targetTable = isOwner ? other : own
  }

  /// The key of the pairs' changes.
  var place: LinkPlace { LinkPlace(store: store, storage: storage) }

  /// Whether each target belongs to one owner at most.
  var isExclusive: Bool {
    if case .reverse = storage { true } else { false }
  }

  /// Whether two states of a linked pair differ in what a save would write: the positions on ordered sides.
  func differ(_ one: LinkRow, _ other: LinkRow) -> Bool {
    let (hasOrder, hasInverseOrder) = isOwner ? (isOrdered, isInverseOrdered) : (isInverseOrdered, isOrdered)
    return hasOrder && one.order != other.order || hasInverseOrder && one.inverseOrder != other.inverseOrder
  }

  /// The pair of an object that has the relationship and an object it refers to.
  func pair(_ own: Int64, _ other: Int64) -> LinkChanges.Pair {
    isOwner ? LinkChanges.Pair(owner: own, target: other) : LinkChanges.Pair(owner: other, target: own)
  }
}

/// Where the pairs of a relationship are: in which store, and where there.
struct LinkPlace: Hashable {
  var store: Int
  var storage: LinkStorage
}
