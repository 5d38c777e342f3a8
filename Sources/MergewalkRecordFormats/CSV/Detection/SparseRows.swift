/// Finds titles that are written as records: a text in the first field, and nothing in the others.
enum SparseRows {
  private static let mostRows = 20

  /// The number of records at the start of a table that are titles or empty.
  ///
  /// They are only if a record of names follows, which may leave fields at its end empty.
  static func countAbove(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText
  ) -> Int {
    if shape.width < 3 || shape.records.count < 3 { return 0 }
    var count = 0
    while count < min(mostRows, shape.records.count - 1), isTitle(bytes, table, table.rows[shape.records[count]]) {
      count += 1
    }
    if count == 0 { return 0 }
    let row = table.rows[shape.records[count]]
    let cells = table.cells(of: row)
    var names: [String] = []
    for cell in cells {
      let kind = CellKind(bytes, cell.start, cell.end)
      if kind == .empty { break }
      if kind.isTyped || kind == .missing { return 0 }
      names.append(texts.text(cell))
    }
    let isRest = cells.dropFirst(names.count).allSatisfy { CellKind(bytes, $0.start, $0.end) == .empty }
    guard names.count >= 3, isRest, HeaderJudge.fault(names) == nil else { return 0 }
    return count
  }

  /// Whether a record has nothing but, perhaps, a text in its first field.
  private static func isTitle(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ row: SampleTable.Row
  ) -> Bool {
    let cells = table.cells(of: row)
    guard let first = cells.first, !CellKind(bytes, first.start, first.end).isTyped else { return false }
    return cells.dropFirst().allSatisfy { CellKind(bytes, $0.start, $0.end) == .empty }
  }
}
