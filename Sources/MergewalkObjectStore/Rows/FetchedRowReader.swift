package import MergewalkObjectModel
import MergewalkSQLite

/// Reads the rows of a SELECT over one entity table into a buffer: primary key, entity number, version, then the
/// columns of the slots as `TableAccess.selectList(_:)` names them.
///
/// Everything that depends on the schema is looked up once, so that the loop over rows touches plain memory only. All
/// rows come into buffers through here.
package struct FetchedRowReader {
  /// The handling of rows that are read.
  package struct Options {
    /// Whether rows that were not known say that they are faults, although their values are there.
    package var asFaults = false
    /// Whether rows without changes that the buffer holds take the new values.
    package var refreshes = false

    /// Creates options: rows that were not known are ordinary ones, and rows that are known stay.
    package init() {}
  }

  /// How one slot's columns are read.
  private struct Step {
    var slot: Int
    var kind: CellKind
    var hasEntity: Bool
    var hasOrder: Bool
  }

  private let steps: ContiguousArray<Step>
  /// The slots that are not read.
  private let unread: [Int]
  private let entities: EntityNumbers
  /// The bits of the slots that are read; `nil` when these are all that the store has.
  private let mask: [UInt64]?
  private let options: Options

  /// - Parameter slots: The slots in the order of the columns; fewer than all make rows that are faults with some
  ///   values.
  init(_ access: TableAccess, slots: [Int], options: Options = Options()) {
    steps = ContiguousArray(
      slots.map { slot in
        Step(
          slot: slot, kind: access.kinds[slot], hasEntity: access.table.destinationEntityColumn(slot: slot) != nil,
          hasOrder: access.table.orderKeyColumn(slot: slot) != nil)
      })
    unread = access.kinds.count == slots.count ? [] : Array(Set(access.kinds.indices).subtracting(slots))
    entities = access.entityIndexes
    self.options = options
    if slots.count < access.storedSlots.count {
      var mask = [UInt64](repeating: 0, count: (access.kinds.count + 64) / 64)
      for slot in slots { mask[slot >> 6] |= 1 << (UInt64(slot) & 63) }
      self.mask = mask
    } else {
      mask = nil
    }
  }

  /// The entity of the row that a statement is at: where there is but one, nothing is read.
  @inline(__always)
  private func entity(_ statement: Statement) -> Int32 {
    entities.isSingle ? entities.root : entities[statement.integer(1)]
  }

  /// Whether the values that are read are all that the store has.
  private var isComplete: Bool { mask == nil }

  /// Reads all rows that a cursor has left and appends their places in the buffer to `rows`.
  ///
  /// - Parameter sortKeys: Takes the values of the columns it is for, row by row.
  package func read(
    _ cursor: FetchCursor, into buffer: RowBuffer, rows: inout ContiguousArray<Int32>, sortKeys: FetchedCells?
  ) throws(FetchError) {
    // Rows of a SELECT without joins that multiply are distinct.
    try read(cursor.statement, into: buffer, isDistinct: true, rows: &rows) { () throws(FetchError) in
      guard try cursor.step() else { return false }
      if buffer.isFull { throw Self.noRoom }
      return true
    } took: { () throws(FetchError) in
      try sortKeys?.readRow(cursor)
    }
  }

  /// Reads all rows that a statement has left, and returns their places in the buffer.
  ///
  /// - Parameter isDistinct: Whether no record comes twice.
  @discardableResult
  func read(
    _ statement: Statement, into buffer: RowBuffer, isDistinct: Bool = false
  ) throws(StoreError) -> [Int32] {
    defer { statement.reset() }
    var rows: [Int32] = []
    try read(statement, into: buffer, isDistinct: isDistinct, rows: &rows) { () throws(StoreError) in
      guard try statement.step() else { return false }
      try Self.checkRoom(in: buffer, statement)
      return true
    } took: { () throws(StoreError) in
    }
    return rows
  }

  /// Reads all rows that `step` goes to, and calls `took` after each of them.
  @inline(__always)
  private func read<Failure>(
    _ statement: Statement, into buffer: RowBuffer, isDistinct: Bool,
    rows: inout some RangeReplaceableCollection<Int32>,
    step: () throws(Failure) -> Bool, took: () throws(Failure) -> Void
  ) throws(Failure) {
    if buffer.holdsNothing, buffer.touchedRows.isEmpty { buffer.removeAll() }
    guard isDistinct, buffer.count == 0 else {
      while try step() {
        rows.append(Int32(truncatingIfNeeded: readRow(statement, into: buffer)))
        try took()
      }
      return
    }
    // A buffer without rows knows none of them, and places can be made ready many at a time.
    var next = 0
    defer {
      buffer.dropLastRows(buffer.count - next)
      rows.append(contentsOf: 0..<Int32(next))
    }
    let state = isComplete && !options.asFaults ? RowState.clean : RowState.fault
    while try step() {
      if next == buffer.count {
        buffer.appendUnfilledRows(
          max(64, min(next, 4096)), state: state, allKnown: state == RowState.fault && isComplete, unread: unread)
      }
      buffer.primaryKeys[next] = statement.integer(0)
      buffer.entities[next] = entity(statement)
      fill(next, statement, in: buffer)
      if let mask { buffer.setKnown(row: next, mask) }
      next += 1
      try took()
    }
  }

  /// Ensures that a buffer has room for the row that a statement is at.
  ///
  /// - Throws: ``StoreError`` with `unsupported`.
  @inline(__always)
  static func checkRoom(in buffer: RowBuffer, _ statement: Statement) throws(StoreError) {
    guard buffer.isFull else { return }
    throw StoreError(.unsupported, path: statement.connection.name, message: "\(RowBuffer.fullMessage); \(fullHint)")
  }

  private static var noRoom: FetchError { .predicate(PredicateError(.tooLarge, RowBuffer.fullMessage, hint: fullHint)) }

  private static let fullHint = "fetch in portions, and let go of objects or reset the context between them"

  /// Reads the row that the statement is at into a new row of the buffer, whether or not the buffer has the record.
  @inline(__always)
  func append(_ statement: Statement, to buffer: RowBuffer) {
    let row = buffer.appendRows(1, entity: entity(statement), state: RowState.clean)
    buffer.primaryKeys[row] = statement.integer(0)
    fill(row, statement, in: buffer)
  }

  /// Reads the row that the statement is at and returns its place in the buffer.
  @inline(__always)
  func readRow(_ statement: Statement, into buffer: RowBuffer) -> Int {
    let key = statement.integer(0)
    if let row = buffer.row(primaryKey: key) {
      let state = buffer.states[row]
      guard state == RowState.fault || options.refreshes && state == RowState.clean && isComplete else { return row }
      // A fault that knows more than what comes now keeps it.
      if state == RowState.fault, !isComplete, buffer.knowsEverything(row: row), !options.refreshes { return row }
      buffer.countGarbage(row: row)
      fill(row, statement, in: buffer)
      buffer.entities[row] = entity(statement)
      if state == RowState.fault { settle(row, in: buffer) }
      return row
    }
    let row = buffer.takeRow(
      entity: entity(statement), state: RowState.clean, primaryKey: key)
    fill(row, statement, in: buffer)
    settle(row, in: buffer)
    return row
  }

  /// Decides what the state of a row that was not known.
  @inline(__always)
  private func settle(_ row: Int, in buffer: RowBuffer) {
    if isComplete, !options.asFaults {
      buffer.markClean(row: row)
    } else {
      buffer.states[row] = RowState.fault
      buffer.setKnown(row: row, mask)
    }
  }

  @inline(__always)
  private func fill(_ row: Int, _ statement: Statement, in buffer: RowBuffer) {
    buffer.versions[row] = statement.integer(2)
    var column: Int32 = 3
    let handle = statement.handle
    steps.withUnsafeBufferPointer { steps in
      for step in steps {
        switch CellReader.read(handle, column, step.kind) {
        case .cell(let tag, let payload):
          buffer.tags[step.slot][row] = tag
          buffer.payloads[step.slot][row] = payload
        case .bytes(let tag, let start, let count):
          buffer.tags[step.slot][row] = tag
          buffer.payloads[step.slot][row] =
            buffer.arena.append(UnsafeRawBufferPointer(start: start, count: count)).payload
        }
        column += 1
        if step.hasEntity {
          buffer.destinationEntities[step.slot]?[row] =
            statement.isNull(column) ? -1 : entities.destination(statement.integer(column))
          column += 1
        }
        if step.hasOrder {
          buffer.orderKeys[step.slot]?[row] = statement.integer(column)
          column += 1
        }
      }
    }
  }
}

extension RowBuffer {
  /// Whether another row of a store might be too much for the arena.
  @inline(__always)
  fileprivate var isFull: Bool { arena.count >= byteLimit }
}

/// The entities of a model by the numbers that a store gives them (`Z_ENT`).
package struct EntityNumbers: Sendable {
  private let indexes: ContiguousArray<Int32>
  private let hierarchy: ClosedRange<Int32>

  /// The index of the root entity.
  @inline(__always)
  var root: Int32 { hierarchy.lowerBound }

  /// Whether the rows can be of one entity only.
  let isSingle: Bool

  /// - Parameter root: The root entity of the rows.
  package init(_ schema: StoreSchema, root: RootIndex) {
    var indexes = ContiguousArray<Int32>(repeating: -1, count: (schema.entityNumbers.max() ?? 0) + 1)
    for (index, number) in schema.entityNumbers.enumerated() where number > 0 { indexes[number] = Int32(index) }
    self.indexes = indexes
    hierarchy = Int32(root.index)...Int32(schema.model.entities[root.index].lastDescendantIndex)
    isSingle = hierarchy.count == 1
  }

  /// The index of a row's entity; the root's for a number that no entity of the hierarchy has.
  @inline(__always)
  package subscript(number: Int64) -> Int32 {
    let index = destination(number)
    return hierarchy.contains(index) ? index : hierarchy.lowerBound
  }

  /// The index of any entity; -1 for a number that none has.
  @inline(__always)
  package func destination(_ number: Int64) -> Int32 {
    number >= 0 && number < Int64(indexes.count) ? indexes[Int(number)] : -1
  }
}
