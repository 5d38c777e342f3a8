import MergewalkObjectModel
import MergewalkObjectStore

/// What objects know of their context: kept by both, so that either can go first.
final class ContextLink {
  /// The context while it lives; in its `deinit` it clears this or puts its successor here.
  @exclusivity(unchecked) unowned(unsafe) var context: ManagedObjectContext?
  let model: ManagedObjectModel
  let stores: StoreList
  let classes: ObjectClasses

  init(model: ManagedObjectModel, stores: StoreList) {
    self.model = model
    self.stores = stores
    classes = ObjectClasses.shared(stores, model: model)
  }

  /// The ID of a record in a table.
  func objectID(table: TableID, entity: EntityDescription, primaryKey: Int64) -> ManagedObjectID {
    ManagedObjectID(
      storeUUID: stores.identifiers[table.store], entity: entity, primaryKey: primaryKey)
  }
}

/// The objects of a context that are alive: at most one a row.
///
/// References are not counted: an object takes itself out when it goes away.
///
/// Unchecked exclusivity: touched whenever an object comes or goes; ``held``, ``merged`` and ``retained`` are emptied by a
/// swap, as the objects that go then change the rest.
final class ObjectRegistry {
  let link: ContextLink
  /// Moves at every reset; objects of older generations are not valid.
  @exclusivity(unchecked) private(set) var generation: UInt32 = 0
  /// Whether the context was ever asked for an object.
  @exclusivity(unchecked) private(set) var isInUse = false
  /// Rows that were fetched on the way and that may have no object, by table.
  @exclusivity(unchecked) var looseRows: [[Int32]]
  @exclusivity(unchecked) private var objects: [ContiguousArray<Unmanaged<ManagedObject>?>]
  /// The objects that the context keeps alive because they have changes; see ``ManagedObject/heldIndex``.
  @exclusivity(unchecked) var held = ContiguousArray<ManagedObject>()
  /// The objects that the last merge brought.
  @exclusivity(unchecked) var merged: [ManagedObject] = []
  /// All objects, when the context keeps all of them alive.
  @exclusivity(unchecked) var retained = Set<ManagedObject>()
  /// How many objects are alive, by table.
  @exclusivity(unchecked) private(set) var counts: [Int]

  init(tableCount: Int, model: ManagedObjectModel, stores: StoreList) {
    link = ContextLink(model: model, stores: stores)
    looseRows = []
    objects = []
    counts = []
    makeRoom(tableCount: tableCount)
  }

  /// Takes more tables in.
  func makeRoom(tableCount: Int) {
    let missing = tableCount - objects.count
    guard missing > 0 else { return }
    looseRows.append(contentsOf: repeatElement([], count: missing))
    objects.append(contentsOf: repeatElement([], count: missing))
    counts.append(contentsOf: repeatElement(0, count: missing))
  }

  /// Takes note that rows belong to objects, or to collections that will make some.
  func use() { isInUse = true }

  func object(table: TableID, row: Int) -> Unmanaged<ManagedObject>? {
    row < objects[table.index].count ? objects[table.index][row] : nil
  }

  func register(_ object: ManagedObject, table: TableID, row: Int) {
    isInUse = true
    let missing = row + 1 - objects[table.index].count
    if missing > 0 { objects[table.index].append(contentsOf: repeatElement(nil, count: missing)) }
    objects[table.index][row] = Unmanaged.passUnretained(object)
    counts[table.index] += 1
  }

  func unregister(table: TableID, row: Int) {
    guard row < objects[table.index].count, objects[table.index][row] != nil else { return }
    objects[table.index][row] = nil
    counts[table.index] -= 1
  }

  /// Calls `body` with every object that is alive.
  func forEachObject(_ body: (ManagedObject) -> Void) {
    for list in objects { for object in list { if let object { body(object.takeUnretainedValue()) } } }
  }

  func removeAll() {
    guard isInUse else { return }
    generation &+= 1
    for table in objects.indices where !objects[table].isEmpty { objects[table].removeAll(keepingCapacity: true) }
    for table in counts.indices { counts[table] = 0 }
    for table in looseRows.indices where !looseRows[table].isEmpty { looseRows[table].removeAll(keepingCapacity: true) }
  }
}
