import MergewalkObjectModel
import MergewalkObjectStore

/// Walks the pairs of a many-to-many relationship in the order of its owners, beside a walk over the owners.
///
/// Pairs that do not have two keys are left out; ``DanglingReferences`` counts them.
final class LinkCursor {
  /// The identities that the present owner refers to, in its order.
  private(set) var targets = ContiguousArray<Int64>()
  /// The positions of these in the owner's relationship.
  private(set) var orders = ContiguousArray<Int64>()
  /// The owner's positions in the inverse relationships of these.
  private(set) var inverseOrders = ContiguousArray<Int64>()
  /// What the present owner has in the place of a position, where that is no number.
  private(set) var damage: StorageClass?
  /// Whether the positions are not those that appended objects have.
  var hasOwnOrders: Bool {
    isOrdered && orders.indices.contains { orders[$0] != OrderKey.usual($0) }
  }

  /// The relationship's name.
  let name: String

  private let rows: DatabaseRows
  private let isOrdered: Bool
  private var isAtRow = false

  /// Prepares the walk.
  init(
    _ join: JoinTable, _ relationship: RelationshipDescription, _ store: PersistentStore
  ) throws(StoreError) {
    let isMaster = join.master.entity == relationship.declaringEntity && join.master.slot == relationship.slot
    let side = isMaster ? join.master : join.inverse
    let other = isMaster ? join.inverse : join.master
    name = relationship.name
    isOrdered = side.orderColumn != nil
    let inverse = join.isReflexive ? nil : other.orderColumn
    let order = [side.ownerColumn, side.orderColumn, side.targetColumn].compactMap { $0 }.joined(separator: ", ")
    rows = try store.rows(
      "SELECT \(side.ownerColumn), \(side.targetColumn), \(side.orderColumn ?? "0"), \(inverse ?? "0")"
        + " FROM \(join.name) WHERE typeof(\(side.ownerColumn)) = 'integer' AND typeof(\(side.targetColumn)) = 'integer'"
        + " ORDER BY \(order)")
    isAtRow = try rows.step()
  }

  /// Goes to an owner, whose identity is greater than that of the one before.
  func move(to owner: Int64) throws(StoreError) {
    targets.removeAll(keepingCapacity: true)
    orders.removeAll(keepingCapacity: true)
    inverseOrders.removeAll(keepingCapacity: true)
    damage = nil
    while isAtRow {
      let present = rows.integer(0)
      if present > owner { return }
      if present == owner {
        for position in Int32(2)...3 where rows.storage(position) != .integer && rows.storage(position) != .null {
          damage = rows.storage(position)
        }
        targets.append(rows.integer(1))
        orders.append(rows.integer(2))
        inverseOrders.append(rows.integer(3))
      }
      isAtRow = try rows.step()
    }
  }
}
