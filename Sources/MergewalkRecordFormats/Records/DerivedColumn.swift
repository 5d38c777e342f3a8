/// A column of a batch that no reader filled: its values were made from other columns, or by other code.
///
/// The arrays have one entry per record; ranges refer to the batch's bytes.
package struct DerivedColumn: Sendable {
  /// The index in the batch's bytes at which each value starts.
  package var starts: ContiguousArray<UInt32> = []
  /// The length of each value in bytes.
  package var lengths: ContiguousArray<UInt32> = []
  /// The ``FieldState`` of each value, as its raw value.
  package var states: ContiguousArray<UInt8> = []
  /// The read column whose place in the file is that of the values; -1 for the place of the record.
  package var origin = -1

  package init() {}

  /// Makes the column hold `count` absent values; keeps its memory.
  package mutating func reset(count: Int) {
    removeAll()
    starts.append(contentsOf: repeatElement(0, count: count))
    lengths.append(contentsOf: repeatElement(0, count: count))
    states.append(contentsOf: repeatElement(FieldState.absent.rawValue, count: count))
  }

  @inline(__always)
  package mutating func set(_ record: Int, _ state: FieldState, start: Int, length: Int) {
    starts[record] = UInt32(truncatingIfNeeded: start)
    lengths[record] = UInt32(truncatingIfNeeded: length)
    states[record] = state.rawValue
  }

  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    origin = -1
  }
}

extension RecordBatch {
  /// The number of columns, both read and derived.
  public var allColumnCount: Int { columnCount + derived.count }

  /// Makes room for this many derived columns, accessible as columns `columnCount...`.
  ///
  /// Columns that are not filled have no records.
  public mutating func reserveDerived(_ count: Int) {
    while derived.count < count { derived.append(DerivedColumn()) }
    if derived.count > count { derived.removeLast(derived.count - count) }
  }

  /// Fills one derived column: `body` gets it with one absent value for each record.
  ///
  /// `body` may append bytes to the batch.
  package mutating func fillDerived<E: Error>(
    _ index: Int, origin: Int, _ body: (inout DerivedColumn, inout RecordBatch) throws(E) -> Void
  ) throws(E) {
    var column = DerivedColumn()
    swap(&column, &derived[index])
    column.reset(count: recordCount)
    column.origin = origin
    defer { swap(&column, &derived[index]) }
    try body(&column, &self)
  }

  /// Changes values of a derived column that is filled; `body` may append bytes to the batch.
  package mutating func updateDerived<E: Error>(
    _ index: Int, _ body: (inout DerivedColumn, inout RecordBatch) throws(E) -> Void
  ) throws(E) {
    var column = DerivedColumn()
    swap(&column, &derived[index])
    defer { swap(&column, &derived[index]) }
    try body(&column, &self)
  }

  /// Makes a derived column a copy of another column.
  public mutating func copyColumn(_ column: Int, toDerived index: Int) {
    let isRead = column < columnCount
    fillDerived(index, origin: isRead ? column : derived[column - columnCount].origin) { target, records in
      for record in 0..<records.recordCount {
        let slot = records.slot(record, column)
        target.starts[record] =
          isRead ? records.starts[slot] : records.derived[column - records.columnCount].starts[slot]
        target.lengths[record] =
          isRead ? records.lengths[slot] : records.derived[column - records.columnCount].lengths[slot]
        target.states[record] =
          isRead ? records.states[slot] : records.derived[column - records.columnCount].states[slot]
      }
    }
  }

  /// Marks a column as absent in all records, for example if its file lacks it.
  public mutating func setAbsent(column: Int) {
    for record in 0..<recordCount { states[record * columnCount + column] = FieldState.absent.rawValue }
  }

  /// The position of a field in ``bytes``.
  public func range(_ record: Int, _ column: Int) -> Range<Int> {
    let slot = slot(record, column)
    if column < columnCount { return Int(starts[slot])..<Int(starts[slot]) + Int(lengths[slot]) }
    let made = derived[column - columnCount]
    return Int(made.starts[slot])..<Int(made.starts[slot]) + Int(made.lengths[slot])
  }
}
