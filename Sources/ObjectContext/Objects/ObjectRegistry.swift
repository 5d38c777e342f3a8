import ObjectModel
import ObjectStore

/// What objects know of their context: kept by both, so that either can go first.
final class ContextLink {
  /// The context while it lives; it clears this in its `deinit`.
  unowned(unsafe) var context: ManagedObjectContext?
  let model: ManagedObjectModel
  let storeUUID: String

  init(model: ManagedObjectModel, storeUUID: String) {
    self.model = model
    self.storeUUID = storeUUID
  }
}

/// The objects of a context that are alive: at most one a row.
///
/// References are not counted: an object takes itself out when it goes away.
struct ObjectRegistry {
  let link: ContextLink
  /// Moves at every reset; objects of older generations are not valid.
  private(set) var generation: UInt32 = 0
  /// Whether the context was ever asked for an object.
  private(set) var isInUse = false
  /// Rows that were fetched on the way and that may have no object, by root entity.
  var looseRows: [[Int32]]
  private var objects: [ContiguousArray<Unmanaged<ManagedObject>?>]
  /// How many objects are alive, by root entity.
  private(set) var counts: [Int]

  init(rootCount: Int, model: ManagedObjectModel, storeUUID: String) {
    link = ContextLink(model: model, storeUUID: storeUUID)
    looseRows = Array(repeating: [], count: rootCount)
    objects = Array(repeating: [], count: rootCount)
    counts = Array(repeating: 0, count: rootCount)
  }

  /// Takes note that rows belong to objects, or to collections that will make some.
  mutating func use() { isInUse = true }

  func object(root: Int, row: Int) -> Unmanaged<ManagedObject>? {
    row < objects[root].count ? objects[root][row] : nil
  }

  mutating func register(_ object: ManagedObject, root: Int, row: Int) {
    isInUse = true
    let missing = row + 1 - objects[root].count
    if missing > 0 { objects[root].append(contentsOf: repeatElement(nil, count: missing)) }
    objects[root][row] = Unmanaged.passUnretained(object)
    counts[root] += 1
  }

  mutating func unregister(root: Int, row: Int) {
    guard row < objects[root].count, objects[root][row] != nil else { return }
    objects[root][row] = nil
    counts[root] -= 1
  }

  mutating func removeAll() {
    guard isInUse else { return }
    generation &+= 1
    for root in objects.indices where !objects[root].isEmpty { objects[root].removeAll(keepingCapacity: true) }
    for root in counts.indices { counts[root] = 0 }
    for root in looseRows.indices where !looseRows[root].isEmpty { looseRows[root].removeAll(keepingCapacity: true) }
  }
}
