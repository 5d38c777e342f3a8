/// Finds titles that are written as records: a text in the first field, and nothing in the others.
enum SparseRows {
  private static let mostRows = 20

  /// The number of records at the start of a table that are titles or empty.
  ///
  /// They are only if a record with a text in each field follows, which then is the header, and most records of the
  /// table are filled.
  static func countAbove(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText
  ) -> Int {
    if shape.width < 3 || shape.records.count < 3 { return 0 }
    var count = 0
    while count < min(mostRows, shape.records.count - 1) {
      let row = table.rows[shape.records[count]]
      let filled = table.cells(of: row).count { CellKind(bytes, $0.start, $0.end) != .empty }
      if filled > 1 || (filled == 1 && shape.width == 3 && count > 2) { break }
      count += 1
    }
    if count == 0 { return 0 }
    let header = shape.records[count]
    let row = table.rows[header]
    guard row.width == shape.width, HeaderJudge.fault(texts.names(table, header)) == nil,
      table.cells(of: row).allSatisfy({ !CellKind(bytes, $0.start, $0.end).isTyped })
    else { return 0 }
    let rest = shape.records.dropFirst(count + 1).prefix(200)
    let full = rest.count { index in
      let cells = table.cells(of: table.rows[index])
      return cells.count { CellKind(bytes, $0.start, $0.end) != .empty } * 2 > shape.width
    }
    return full * 2 >= rest.count ? count : 0
  }
}
