import MergewalkObjectStore

/// Which changed rows refer to an object by a to-one relationship, so that the other side is known before the save.
///
/// Entries are hints: a row may have been set to something else since, so whoever asks looks at the cell. Rows come in
/// two ways: the context's setter notes every row it sets, and rows that were filled column by column are looked
/// through once, when the first question after they were touched is asked.
final class PendingReferences {
  private struct Key: Hashable {
    var table: TableID
    var slot: Int
    var target: Int64
  }
  private var rows: [Key: [Int32]] = [:]
  /// How many of a table's touched rows were looked through.
  private var lookedThrough: [TableID: Int] = [:]

  /// Notes that a row of `table` refers to `target` now.
  func note(table: TableID, slot: Int, target: Int64, row: Int) {
    rows[Key(table: table, slot: slot, target: target), default: []].append(Int32(row))
  }

  /// Rows of a buffer that may refer to `target`; the same row may come twice.
  func candidates(_ buffer: RowBuffer, slot: Int, target: Int64, slots: [Int]) -> [Int32] {
    let table = buffer.table
    let start = lookedThrough[table] ?? 0
    if start < buffer.touchedRows.count {
      for touched in buffer.touchedRows[start...] where RowState.isChange(buffer.states[Int(touched)]) {
        let row = Int(touched)
        for slot in slots where buffer.tags[slot][row] == CellTag.integer {
          note(table: table, slot: slot, target: Int64(bitPattern: buffer.payloads[slot][row]), row: row)
        }
      }
    }
    lookedThrough[table] = buffer.touchedRows.count
    return rows[Key(table: table, slot: slot, target: target)] ?? []
  }
}
