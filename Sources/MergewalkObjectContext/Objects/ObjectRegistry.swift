import MergewalkObjectModel
import MergewalkObjectStore

/// The link of objects to their context: kept by both, so that either can go first.
final class ContextLink {
  /// The context while it lives; in its `deinit` it calls ``end()`` or puts its successor here.
  var context: ManagedObjectContext? {
    get { reference?.takeUnretainedValue() }
    set { reference = newValue.map(Unmanaged.passUnretained) }
  }
  /// Not counted, as a count for each value that is read would take longer than the reading.
  @exclusivity(unchecked) private var reference: Unmanaged<ManagedObjectContext>?
  /// Moves at every reset and at the end; objects of older generations are not valid.
  @exclusivity(unchecked) private(set) var generation: UInt32 = 0
  /// The rows of the context's tables, by ``TableID/index``: not counted, either.
  @exclusivity(unchecked) private var buffers: ContiguousArray<Unmanaged<RowBuffer>?> = []
  /// The context's thread.
  @exclusivity(unchecked) var queue: StoreQueue?
  let model: ManagedObjectModel
  /// The model's serial number: counting references to the model takes longer than reading a value.
  let modelSerial: UInt64
  let stores: StoreList
  let classes: ObjectClasses

  init(model: ManagedObjectModel, stores: StoreList) {
    self.model = model
    modelSerial = model.serial
    self.stores = stores
    classes = ObjectClasses.shared(stores, model: model)
  }

  /// Calls `body` with the context, if it lives; nothing counts a reference to it meanwhile.
  @inline(__always)
  func withContext<Result>(_ body: (ManagedObjectContext) -> Result) -> Result? {
    reference?._withUnsafeGuaranteedRef(body)
  }

  /// Stops the program when a context of a container is used on another thread: it was smuggled past the compiler, and
  /// going on would be a race for memory.
  @inline(__always)
  func checkThread() {
    if let queue { precondition(queue.isCurrent, "a context was used outside of its container's thread; use perform") }
  }

  /// Calls `body` with the rows of a table of which there is an object; nothing counts a reference to them meanwhile.
  ///
  /// - Returns: `nil` when the context is gone.
  @inline(__always)
  func withBuffer<Result>(_ table: TableID, _ body: (RowBuffer) -> Result) -> Result? {
    guard table.index < buffers.count, let buffer = buffers[table.index] else { return nil }
    return buffer._withUnsafeGuaranteedRef(body)
  }

  /// What `body` finds in the rows of a table of which there is an object, as ``withBuffer(_:_:)`` does.
  @inline(__always)
  func valueInBuffer<Value>(_ table: TableID, _ body: (RowBuffer) -> Value?) -> Value? {
    guard table.index < buffers.count, let buffer = buffers[table.index] else { return nil }
    return buffer._withUnsafeGuaranteedRef(body)
  }

  /// Learns where the rows of a table are.
  func learn(_ buffer: RowBuffer) {
    let missing = buffer.table.index + 1 - buffers.count
    if missing > 0 { buffers.append(contentsOf: repeatElement(nil, count: missing)) }
    buffers[buffer.table.index] = Unmanaged.passUnretained(buffer)
  }

  /// Makes all objects so far invalid.
  func beginGeneration() { generation &+= 1 }

  /// Makes all objects invalid for good.
  func end() {
    context = nil
    beginGeneration()
    buffers.removeAll()
  }

  func objectID(table: TableID, entity: EntityDescription, primaryKey: Int64) -> ManagedObjectID {
    ManagedObjectID(
      storeUUID: stores.identifiers[table.store], entity: entity, primaryKey: primaryKey)
  }
}

/// The objects of a context that are alive: at most one a row.
///
/// References are not counted: an object takes itself out when it goes away.
///
/// Unchecked exclusivity and plain memory: touched whenever an object comes or goes; ``held``, ``merged`` and
/// ``retained`` are emptied by a swap, as the objects that go then change the rest.
final class ObjectRegistry {
  let link: ContextLink
  /// Objects of older generations are not valid.
  var generation: UInt32 { link.generation }
  /// Whether the context was ever asked for an object.
  @exclusivity(unchecked) private(set) var isInUse = false
  /// Rows that were fetched on the way and that may have no object, by table.
  @exclusivity(unchecked) var looseRows: [[Int32]]
  /// By ``TableID/index``: the objects of the table's rows.
  @exclusivity(unchecked) private var tables: UnsafeMutablePointer<RowObjects> = .allocate(capacity: 0)
  @exclusivity(unchecked) private var tableCount = 0
  /// The objects that the context keeps alive because they have changes; see ``ManagedObject/heldIndex``.
  @exclusivity(unchecked) var held = ContiguousArray<ManagedObject>()
  /// The objects that the last merge brought.
  @exclusivity(unchecked) var merged: [ManagedObject] = []
  /// All objects, when the context keeps all of them alive.
  @exclusivity(unchecked) var retained = Set<ManagedObject>()

  init(tableCount: Int, model: ManagedObjectModel, stores: StoreList) {
    link = ContextLink(model: model, stores: stores)
    looseRows = []
    makeRoom(tableCount: tableCount)
  }

  deinit {
    for table in 0..<tableCount { tables[table].objects.deallocate() }
    tables.deallocate()
  }

  /// Takes more tables in.
  func makeRoom(tableCount: Int) {
    let missing = tableCount - self.tableCount
    guard missing > 0 else { return }
    looseRows.append(contentsOf: repeatElement([], count: missing))
    let larger = UnsafeMutablePointer<RowObjects>.allocate(capacity: tableCount)
    larger.moveInitialize(from: tables, count: self.tableCount)
    tables.deallocate()
    for table in self.tableCount..<tableCount { (larger + table).initialize(to: RowObjects()) }
    tables = larger
    self.tableCount = tableCount
  }

  /// Takes note that rows belong to objects, or to collections that will make some.
  func use() { isInUse = true }

  @inline(__always)
  func object(table: TableID, row: Int) -> Unmanaged<ManagedObject>? {
    row < tables[table.index].rowCount ? tables[table.index].objects[row] : nil
  }

  /// How many objects of a table are alive.
  func count(table: TableID) -> Int { tables[table.index].count }

  /// Notes the object of a row.
  ///
  /// - Parameter rowCount: How many rows the table has here: room is made for all of them at once.
  @inline(__always)
  func register(_ object: ManagedObject, table: TableID, row: Int, of rowCount: Int = 0) {
    isInUse = true
    tables[table.index].insert(object, row: row, of: rowCount)
  }

  @inline(__always)
  func unregister(table: TableID, row: Int) {
    tables[table.index].remove(row: row)
  }

  /// Calls `body` with every object that is alive.
  func forEachObject(_ body: (ManagedObject) -> Void) {
    for table in 0..<tableCount {
      // `body` may make objects: the list is looked up for each of them.
      var row = 0
      while row < tables[table].rowCount {
        if let object = tables[table].objects[row] { body(object.takeUnretainedValue()) }
        row += 1
      }
    }
  }

  func removeAll() {
    guard isInUse else { return }
    link.beginGeneration()
    for table in 0..<tableCount { tables[table].removeAll() }
    for table in looseRows.indices where !looseRows[table].isEmpty { looseRows[table].removeAll(keepingCapacity: true) }
  }
}

/// The objects of one table's rows, by row.
///
/// Its memory is the registry's to free.
private struct RowObjects {
  private(set) var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?> = .allocate(capacity: 0)
  private var room = 0
  /// How many rows have a place: those behind have no object.
  private(set) var rowCount = 0
  /// How many objects are alive.
  private(set) var count = 0

  @inline(__always)
  mutating func insert(_ object: ManagedObject, row: Int, of rowCount: Int) {
    if row >= self.rowCount { makePlace(row, of: rowCount) }
    objects[row] = Unmanaged.passUnretained(object)
    count += 1
  }

  @inline(__always)
  mutating func remove(row: Int) {
    guard row < rowCount, objects[row] != nil else { return }
    objects[row] = nil
    count -= 1
  }

  @inline(never)
  private mutating func makePlace(_ row: Int, of rowCount: Int) {
    let needed = max(rowCount, row + 1)
    if needed > room {
      let new = max(needed, room + room / 2)
      let larger = UnsafeMutablePointer<Unmanaged<ManagedObject>?>.allocate(capacity: new)
      larger.moveInitialize(from: objects, count: self.rowCount)
      objects.deallocate()
      (objects, room) = (larger, new)
    }
    (objects + self.rowCount).initialize(repeating: nil, count: needed - self.rowCount)
    self.rowCount = needed
  }

  mutating func removeAll() { (rowCount, count) = (0, 0) }
}
