/// Finds titles that are written as records: a text in the first field, and nothing in the others, or anything above a
/// record with nothing in it.
enum SparseRows {
  private static let mostRows = 20
  private static let mostBelow = 400

  /// The number of records at the start of a table that are titles or empty.
  ///
  /// They are only if a record of names follows, which may leave fields at its end empty.
  static func countAbove(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText
  ) -> Int {
    if shape.width < 3 || shape.records.count < 3 { return 0 }
    let apart = countApart(bytes, table, shape, texts)
    if apart > 0 { return apart }
    var count = 0
    while count < min(mostRows, shape.records.count - 1), isTitle(bytes, table, table.rows[shape.records[count]]) {
      count += 1
    }
    if count == 0 { return 0 }
    return countNames(bytes, table, shape, texts, at: count) >= 3 ? count : 0
  }

  /// The number of names that a record begins with, if they differ and nothing stands behind them; else 0.
  private static func countNames(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText, at place: Int
  ) -> Int {
    let record = shape.records[place]
    let cells = table.cells(of: table.rows[record])
    let kinds = cells.map { CellKind(bytes, $0.start, $0.end) }
    let names = texts.names(table, record).prefix(kinds.prefix { $0 != .empty }.count)
    guard kinds.dropFirst(names.count).allSatisfy({ $0 == .empty }), HeaderJudge.fault(Array(names)) == nil else {
      return 0
    }
    let typed = names.indices.filter { kinds[$0].isTyped }
    if !typed.isEmpty {
      let rest = shape.records.dropFirst(place + 1).prefix(mostBelow)
      let series = NameSeries(
        Array(names), above: texts.below(table, rest),
        rest.lazy.map { Array(texts.names(table, $0).prefix(names.count)) })
      guard series.isCertain, typed.allSatisfy(series.columns.contains) else { return 0 }
    }
    return kinds.contains(.missing) ? 0 : names.count
  }

  /// The number of records above names that stand above values and below a record with nothing in it, if none of these
  /// records is like those below the names, and they are no table of their own.
  private static func countApart(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ texts: CellText
  ) -> Int {
    func kinds(_ place: Int) -> [CellKind] {
      table.cells(of: table.rows[shape.records[place]]).map { CellKind(bytes, $0.start, $0.end) }
    }
    let last = min(mostRows, shape.records.count - 3)
    guard last > 1, let blank = (1..<last).first(where: { kinds($0).allSatisfy { $0 == .empty } }) else { return 0 }
    let names = (blank + 1..<shape.records.count - 2).first { !kinds($0).allSatisfy { $0 == .empty } }
    guard let names, countNames(bytes, table, shape, texts, at: names) == shape.width else { return 0 }
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
