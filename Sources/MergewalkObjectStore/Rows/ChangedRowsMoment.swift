/// The changed rows of a buffer at a moment, to restore when a save fails.
///
/// Until the moment is not needed any more the rows have to be pinned, so that nothing else takes their places, and the
/// buffer has to keep its bytes where they are (``RowBuffer/keepsBytes``).
package struct ChangedRowsMoment {
  /// The rows that have changes, each once.
  package let rows: ContiguousArray<Int32>
  package let primaryKeys: [Int64]
  let entities: [Int32]
  let versions: [Int64]
  let states: [UInt8]
  let dirtyBits: [UInt64]
  // By slot, then by row.
  let tags: [[UInt8]]
  let payloads: [[UInt64]]
  let destinationEntities: [[Int32]?]
  let orderKeys: [[Int64]?]
  let snapshots: [CellSnapshot]
  let completedRows: Set<Int>

  /// Takes down what the changed rows of a buffer are.
  ///
  /// - Complexity: O(changed rows × columns), in the memory that the rows themselves have.
  package init(_ buffer: RowBuffer) {
    buffer.deduplicateTouchedRows()
    let changed = ContiguousArray(
      buffer.touchedRows.filter { row in
        switch buffer.states[Int(row)] {
        case RowState.inserted, RowState.updated, RowState.deleted: true
        default: false
        }
      })
    func column<Value>(_ values: UnsafeMutablePointer<Value>) -> [Value] { changed.map { values[Int($0)] } }
    let words = buffer.dirtyWords
    rows = changed
    primaryKeys = column(buffer.primaryKeys)
    entities = column(buffer.entities)
    versions = column(buffer.versions)
    states = column(buffer.states)
    dirtyBits = changed.flatMap { row in (0..<words).map { buffer.dirtyBits[Int(row) * words + $0] } }
    let slots = 0..<buffer.columnCount
    tags = slots.map { slot in column(buffer.tags[slot]) }
    payloads = slots.map { slot in column(buffer.payloads[slot]) }
    destinationEntities = slots.map { slot in buffer.destinationEntities[slot].map { values in column(values) } }
    orderKeys = slots.map { slot in buffer.orderKeys[slot].map { values in column(values) } }
    snapshots = buffer.snapshots
    completedRows = buffer.completedRows
  }
}

extension RowBuffer {
  /// Makes the rows that had changes at a moment what they were, also those that were freed since.
  ///
  /// Rows that have changes only since then must have been rolled back.
  package func goBack(to moment: ChangedRowsMoment) {
    for (index, number) in moment.rows.enumerated() {
      let row = Int(number)
      if states[row] == RowState.free {
        occupy(row: row, primaryKey: moment.primaryKeys[index])
      } else if primaryKeys[row] != moment.primaryKeys[index] {
        setPrimaryKey(row: row, moment.primaryKeys[index])
      }
      entities[row] = moment.entities[index]
      versions[row] = moment.versions[index]
      states[row] = moment.states[index]
      for word in 0..<dirtyWords { dirtyBits[row * dirtyWords + word] = moment.dirtyBits[index * dirtyWords + word] }
      for slot in 0..<columnCount {
        tags[slot][row] = moment.tags[slot][index]
        payloads[slot][row] = moment.payloads[slot][index]
        if let values = moment.destinationEntities[slot] { destinationEntities[slot]?[row] = values[index] }
        if let values = moment.orderKeys[slot] { orderKeys[slot]?[row] = values[index] }
      }
      // Columns that were fetched since are not there again.
      if !moment.completedRows.contains(row) { completedRows.remove(row) }
    }
    snapshots = moment.snapshots
    touchedRows = Array(moment.rows)
    referenceStamp &+= 1
  }
}
