import MergewalkSystem
public import MergewalkObjectModel

/// The state of a row of a ``RowBuffer`` in relation to the store.
@usableFromInline package enum RowState {
  /// The place is not in use.
  @inlinable package static var free: UInt8 { 0 }
  /// The row is in the store and nothing here differs from what was fetched.
  @inlinable package static var clean: UInt8 { 1 }
  /// The row is not in the store yet.
  @inlinable package static var inserted: UInt8 { 2 }
  /// The row is in the store and some of its cells were set here.
  @inlinable package static var updated: UInt8 { 3 }
  /// The row is in the store and will be deleted by the next save.
  @inlinable package static var deleted: UInt8 { 4 }
  /// The row is known by its primary key only.
  @inlinable package static var fault: UInt8 { 5 }
}

/// The rows of one root entity and everything below it that a context holds: typed columns, not objects.
///
/// A row is an index. Its cells live in one column per slot (`AttributeDescription.slot`), its text and bytes in
/// ``arena``. A to-one relationship's cell is the destination's primary key as an integer. Column memory is plain
/// memory, so that batches move through it without reference counting; ``removeAll()`` forgets everything and keeps
/// the memory.
///
/// Invariant: every column has room for `capacity` rows; rows `0..<count` are initialised.
package final class RowBuffer {
  package let rootEntity: RootIndex
  /// The context's ID of the buffer's table.
  package let table: TableID
  /// The number of slots that have a column.
  package let columnCount: Int
  /// The slots whose cells may have bytes in ``arena``.
  let byteSlots: [Int]
  /// Text and bytes of the rows.
  package let arena: ByteArena

  // Unchecked exclusivity, here and for the columns: they are touched for each cell in the hot loops, the class is
  // confined to one thread, and no access to one of them runs code that could touch it again.
  @exclusivity(unchecked) @usableFromInline package private(set) var count = 0
  @exclusivity(unchecked) @usableFromInline package private(set) var capacity = 0

  // Columns; see the invariant above.
  @exclusivity(unchecked) package private(set) var primaryKeys: UnsafeMutablePointer<Int64>
  @exclusivity(unchecked) package private(set) var entities: UnsafeMutablePointer<Int32>
  @exclusivity(unchecked) package private(set) var versions: UnsafeMutablePointer<Int64>
  @exclusivity(unchecked) package private(set) var states: UnsafeMutablePointer<UInt8>
  /// One bit per slot and row: the cell was set since the row was fetched; in a fault: the cell holds what the store
  /// said, so that reading it asks no store.
  @exclusivity(unchecked) package private(set) var dirtyBits: UnsafeMutablePointer<UInt64>
  /// Words of ``dirtyBits`` a row.
  package let dirtyWords: Int
  @exclusivity(unchecked) package private(set) var tags: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>
  @exclusivity(unchecked) package private(set) var payloads: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>>
  /// Per slot: the entity index of a to-one's destination, where the relationship's destination has subentities.
  @exclusivity(unchecked)
  package private(set) var destinationEntities: UnsafeMutablePointer<UnsafeMutablePointer<Int32>?>
  /// Per slot: the order key of a to-one whose inverse is ordered.
  @exclusivity(unchecked) package private(set) var orderKeys: UnsafeMutablePointer<UnsafeMutablePointer<Int64>?>

  /// The fetched values of cells that were set, in the order in which they were first set.
  @exclusivity(unchecked) package var snapshots: [CellSnapshot] = []
  /// Receives changes for an undo manager, if there is one; `nil` in imports.
  @exclusivity(unchecked) package var recorder: (any RowRecorder)?
  /// Rows that were inserted or first set since the last save or reset; may name rows that have changed state since.
  @exclusivity(unchecked) package var touchedRows: [Int32] = []
  /// Hears of each row that has changes now and had none before, unless it was inserted.
  @exclusivity(unchecked) package var onFirstChange: ((Int) -> Void)?
  /// Moves whenever it may have changed which rows a to-one relationship leads from.
  @exclusivity(unchecked) package var referenceStamp: UInt64 = 0
  /// Rows whose place is free.
  @exclusivity(unchecked) package var freeRows: [Int32] = []
  /// About how many arena bytes nothing refers to: those of freed rows and of values that were replaced.
  ///
  /// An estimate that decides when ``compact()`` is worth its time; it is 0 after that.
  @exclusivity(unchecked) package var garbageBytes = 0
  /// How many bytes ``arena`` may hold before another row is read from a store, and with a value that is set: a row of
  /// SQLite's has less than 1 GiB, and an arena has room for 4 GiB.
  @exclusivity(unchecked) package var byteLimit = 3 << 30
  /// Whether ``compact()`` waits, because a ``ChangedRowsMoment`` says where bytes are.
  package var keepsBytes = false

  /// How many collections hold each row, as far as there are any; see ``RowBuffer/pin(_:)``.
  @exclusivity(unchecked) var pins = ContiguousArray<Int32>()
  /// How often rows are held by collections, all rows taken together.
  @exclusivity(unchecked) package internal(set) var pinCount = 0

  /// Rows of which only some columns were fetched, by fetch; and those of them that were completed since.
  @exclusivity(unchecked) var partialRows: [PartialRows] = []
  @exclusivity(unchecked) var completedRows: Set<Int> = []

  /// Finds rows by primary key.
  @exclusivity(unchecked) var identity = IdentityTable()
  /// Rows below this number are in ``identity``; later ones are added on demand.
  @exclusivity(unchecked) private(set) var indexedCount = 0

  /// Creates an empty buffer for the hierarchy below `root`.
  package convenience init(model: ManagedObjectModel, root: EntityDescription, arenaCapacity: Int = 4096) {
    self.init(model: model, root: root, table: TableID(root: root.root), arenaCapacity: arenaCapacity)
  }

  /// Creates an empty buffer for a table of a context.
  package init(model: ManagedObjectModel, root: EntityDescription, table: TableID, arenaCapacity: Int = 4096) {
    precondition(root.isRoot, "a row buffer belongs to a root entity")
    rootEntity = root.root
    self.table = table
    columnCount = model.columnSlotCounts[root.index]
    let kinds = CellKind.kinds(of: model, root: root)
    byteSlots = kinds.indices.filter { kinds[$0].mayHaveBytes }
    arena = ByteArena(capacity: arenaCapacity)
    dirtyWords = max(1, (columnCount + 63) / 64)
    primaryKeys = .allocate(capacity: 0)
    entities = .allocate(capacity: 0)
    versions = .allocate(capacity: 0)
    states = .allocate(capacity: 0)
    dirtyBits = .allocate(capacity: 0)
    let slots = max(columnCount, 1)
    tags = .allocate(capacity: slots)
    payloads = .allocate(capacity: slots)
    destinationEntities = .allocate(capacity: slots)
    orderKeys = .allocate(capacity: slots)
    for slot in 0..<slots {
      tags[slot] = .allocate(capacity: 0)
      payloads[slot] = .allocate(capacity: 0)
      destinationEntities[slot] = nil
      orderKeys[slot] = nil
    }
    for entity in model.family(of: root.index) {
      for relationship in entity.relationships where !relationship.isToMany {
        let slot = relationship.slot
        if model.entities[relationship.destinationEntity].hasSubentities, destinationEntities[slot] == nil {
          destinationEntities[slot] = .allocate(capacity: 0)
        }
        if relationship.isInverseOrdered(in: model), orderKeys[slot] == nil {
          orderKeys[slot] = .allocate(capacity: 0)
        }
      }
    }
  }

  deinit {
    primaryKeys.deallocate()
    entities.deallocate()
    versions.deallocate()
    states.deallocate()
    dirtyBits.deallocate()
    for slot in 0..<max(columnCount, 1) {
      tags[slot].deallocate()
      payloads[slot].deallocate()
      destinationEntities[slot]?.deallocate()
      orderKeys[slot]?.deallocate()
    }
    tags.deallocate()
    payloads.deallocate()
    destinationEntities.deallocate()
    orderKeys.deallocate()
  }

  // MARK: Rows

  /// Adds `rowCount` rows at the end, all cells null, and returns the first.
  ///
  /// - Complexity: O(`rowCount` × columns), amortised.
  @discardableResult
  package func appendRows(_ rowCount: Int, entity: Int32, state: UInt8) -> Int {
    let first = count
    reserve(first + rowCount)
    count = first + rowCount
    (primaryKeys + first).initialize(repeating: 0, count: rowCount)
    (entities + first).initialize(repeating: entity, count: rowCount)
    (versions + first).initialize(repeating: 1, count: rowCount)
    (states + first).initialize(repeating: state, count: rowCount)
    (dirtyBits + first * dirtyWords).initialize(repeating: 0, count: rowCount * dirtyWords)
    for slot in 0..<columnCount {
      clearCells(first..<count, slot: slot)
      clearReferences(first..<count, slot: slot)
    }
    return first
  }

  /// Adds `rowCount` rows at the end whose identities, versions and cells a reader of rows fills in.
  ///
  /// - Parameters:
  ///   - allKnown: Whether the rows are faults that know all their values.
  ///   - unread: The slots that the reader leaves out; their cells are null.
  func appendUnfilledRows(_ rowCount: Int, state: UInt8, allKnown: Bool, unread: [Int]) {
    let first = count
    reserve(first + rowCount)
    count = first + rowCount
    (states + first).initialize(repeating: state, count: rowCount)
    (dirtyBits + first * dirtyWords).initialize(repeating: allKnown ? ~0 : 0, count: rowCount * dirtyWords)
    for slot in unread { clearCells(first..<count, slot: slot) }
    for slot in 0..<columnCount { clearReferences(first..<count, slot: slot) }
  }

  private func clearCells(_ rows: Range<Int>, slot: Int) {
    (tags[slot] + rows.lowerBound).initialize(repeating: CellTag.null, count: rows.count)
    (payloads[slot] + rows.lowerBound).initialize(repeating: 0, count: rows.count)
  }

  /// Clears what columns of to-one relationships have beside their cells.
  private func clearReferences(_ rows: Range<Int>, slot: Int) {
    if let column = destinationEntities[slot] {
      (column + rows.lowerBound).initialize(repeating: -1, count: rows.count)
    }
    if let column = orderKeys[slot] { (column + rows.lowerBound).initialize(repeating: 0, count: rows.count) }
  }

  /// Adds one row at the end, all cells null, and returns it: as ``appendRows(_:entity:state:)``, without its calls to
  /// fill memory.
  package func appendRow(entity: Int32, state: UInt8, primaryKey: Int64) -> Int {
    let row = count
    if row == capacity { reserve(row + 1) }
    count = row + 1
    primaryKeys[row] = primaryKey
    entities[row] = entity
    versions[row] = 1
    states[row] = state
    for word in row * dirtyWords..<(row + 1) * dirtyWords { dirtyBits[word] = 0 }
    clearCells(row: row)
    return row
  }

  /// Takes the last rows away again, which were not used.
  func dropLastRows(_ rowCount: Int) {
    count -= rowCount
    // What was fetched in part is not there any more; the list would grow with each row that is completed.
    while let last = partialRows.last, last.rows.lowerBound >= count { partialRows.removeLast() }
  }

  /// Forgets every row and keeps the memory.
  ///
  /// - Complexity: O(1), or O(size of the identity table) when rows were looked up by primary key.
  package func removeAll() {
    count = 0
    arena.removeAll()
    snapshots.removeAll(keepingCapacity: true)
    touchedRows.removeAll(keepingCapacity: true)
    freeRows.removeAll(keepingCapacity: true)
    pins.removeAll(keepingCapacity: true)
    pinCount = 0
    garbageBytes = 0
    partialRows.removeAll(keepingCapacity: true)
    completedRows.removeAll(keepingCapacity: true)
    if indexedCount > 0 { identity.removeAll() }
    indexedCount = 0
  }

  /// The row with this primary key, or `nil` when the buffer holds none.
  package func row(primaryKey: Int64) -> Int? {
    indexRows()
    return identity.find(primaryKey, in: primaryKeys).map(Int.init)
  }

  /// Takes a row out of the identity table and marks its place as free.
  ///
  /// The place of a row that a collection holds is not given to another one before the collection lets it go.
  package func free(row: Int) {
    leave(row: row)
    if !isPinned(row: row) { freeRows.append(Int32(row)) }
  }

  /// Takes a row out of the identity table.
  @inline(__always)
  func leave(row: Int) {
    // A row whose key was not looked for since it came need not be put into the table to be taken out.
    if row < indexedCount { identity.remove(primaryKeys[row], in: primaryKeys) }
    states[row] = RowState.free
    referenceStamp &+= 1
  }

  /// Puts a row back into a place that was freed while it was pinned; its cells are the caller's business.
  func occupy(row: Int, primaryKey: Int64) {
    indexRows()
    primaryKeys[row] = primaryKey
    identity.insert(Int32(row), in: primaryKeys)
  }

  /// Gives a row another primary key, which no row has.
  package func setPrimaryKey(row: Int, _ key: Int64) {
    let isIndexed = row < indexedCount
    if isIndexed { identity.remove(primaryKeys[row], in: primaryKeys) }
    primaryKeys[row] = key
    if isIndexed { identity.insert(Int32(row), in: primaryKeys) }
  }

  /// Adds the rows that came since the last call to the identity table.
  private func indexRows() {
    while indexedCount < count {
      if states[indexedCount] != RowState.free { identity.insert(Int32(indexedCount), in: primaryKeys) }
      indexedCount += 1
    }
  }

  // MARK: Memory

  private func reserve(_ needed: Int) {
    guard needed > capacity else { return }
    let larger = max(needed, capacity < 1 << 16 ? capacity * 2 : capacity + capacity / 2, 64)
    func grow<T>(_ column: inout UnsafeMutablePointer<T>, stride: Int = 1) {
      // Large blocks grow by moving their pages, not their bytes; what `allocate` gives comes from malloc.
      guard let grown = realloc(column, larger * stride * MemoryLayout<T>.stride) else {
        preconditionFailure("there is no memory for \(larger) rows")
      }
      column = grown.assumingMemoryBound(to: T.self)
    }
    grow(&primaryKeys)
    grow(&entities)
    grow(&versions)
    grow(&states)
    grow(&dirtyBits, stride: dirtyWords)
    for slot in 0..<columnCount {
      grow(&tags[slot])
      grow(&payloads[slot])
      if var column = destinationEntities[slot] {
        grow(&column)
        destinationEntities[slot] = column
      }
      if var column = orderKeys[slot] {
        grow(&column)
        orderKeys[slot] = column
      }
    }
    capacity = larger
  }
}

/// The value a cell had when its row was fetched or last saved: 32 bytes in this order of its parts.
package struct CellSnapshot {
  package var row: Int32
  package var slot: Int32
  /// Its payload then; bytes stay in the arena.
  package var payload: UInt64
  /// The order key then, for to-one relationships whose inverse is ordered.
  package var orderKey: Int64
  /// The destination's entity index then, for to-one relationships that have one.
  package var destinationEntity: Int32
  /// Its ``CellTag`` then.
  package var tag: UInt8
}

extension RelationshipDescription {
  /// Whether the relationship's inverse is an ordered to-many, so that this side has order keys.
  public func isInverseOrdered(in model: ManagedObjectModel) -> Bool {
    guard inverseDeclaringEntity >= 0, isInverseToMany, let inverseName else { return false }
    return model.entities[inverseDeclaringEntity].relationship(named: inverseName)?.isOrdered ?? false
  }
}

@available(*, unavailable, message: "a row buffer belongs to one context")
extension RowBuffer: Sendable {}
