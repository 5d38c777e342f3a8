/// Finds titles that are written as records: a text in the first field, and nothing in the others, or anything above a
/// record with nothing in it.
enum SparseRows {
  private static let mostRows = 20

  /// The number of records at the start of a table that are titles or empty.
  ///
  /// They are only if a record of names follows, which may leave fields at its end empty.
  static func countAbove(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText
  ) -> Int {
    if shape.width < 3 || shape.records.count < 3 { return 0 }
    let apart = countApart(bytes, table, shape)
    if apart > 0 { return apart }
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

  /// The number of records above names that stand above values and below a record with nothing in it, if none of these
  /// records is like those below the names, and they are no table of their own.
  private static func countApart(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape
  ) -> Int {
    func kinds(_ place: Int) -> [CellKind] {
      table.cells(of: table.rows[shape.records[place]]).map { CellKind(bytes, $0.start, $0.end) }
    }
    let last = min(mostRows, shape.records.count - 3)
    guard last > 1, let blank = (1..<last).first(where: { kinds($0).allSatisfy { $0 == .empty } }) else { return 0 }
    let names = (blank + 1..<shape.records.count - 2).first { !kinds($0).allSatisfy { $0 == .empty } }
    guard let names, RecordOutline(bytes, table, table.rows[shape.records[names]]).isNames,
      table.rows[shape.records[names]].width == shape.width
    else { return 0 }
    let below = (names + 1..<min(names + 20, shape.records.count)).map(kinds)
    let typed = (0..<shape.width).filter { column in below.allSatisfy { column < $0.count && $0[column].isTyped } }
    let isTable = blank > 1 && RecordOutline(bytes, table, table.rows[shape.records[0]]).isNames
    let isApart = (0..<blank).allSatisfy { place in
      let kinds = kinds(place)
      return typed.contains { $0 >= kinds.count || !kinds[$0].isTyped }
    }
    return !typed.isEmpty && !isTable && isApart ? names : 0
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
