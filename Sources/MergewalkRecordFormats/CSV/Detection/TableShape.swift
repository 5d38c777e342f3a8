/// Which rows of a split sample are the table: its width, and what stands above and below it.
struct TableShape {
  /// The number of cells of most records.
  var width = 0
  /// The indices in `SampleTable.rows` of the table's records, short and long ones included.
  var records: [Int] = []
  /// Of those, how many have the width.
  var matching = 0
  /// Of those, how many have fewer and more cells.
  var short = 0
  var long = 0
  /// Records above the table.
  var above = 0
  /// Indices of records below the table.
  var below: [Int] = []
  /// The line the table starts on, from 1.
  var firstLine = 1

  /// More lines than this above a table are none of a title.
  private static let mostAbove = 60

  /// Finds the table; nil when there is no record.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, width wanted: Int? = nil) {
    let all = table.rows.indices.filter { table.rows[$0].kind == .record }
    if all.isEmpty { return nil }
    width = wanted ?? Self.commonWidth(table, all)
    var rest = all[...]
    if width > 1 {
      let top = Self.countAbove(bytes, table, all, width)
      above = top
      rest = rest.dropFirst(top)
      var end = rest.endIndex
      // What is at most half as wide at the end is no record.
      while end > rest.startIndex + 1, table.rows[rest[end - 1]].width <= max(1, width / 2),
        !isCutRecord(bytes, table, rest[end - 1], below: rest[rest.startIndex..<end - 1])
      {
        end -= 1
      }
      // A single record is not told from what stands behind it.
      let tail = rest[end...]
      if tail.count <= max(3, rest.count / 5) || Self.isApart(table, tail.first) {
        below = Array(tail)
        rest = rest[..<end]
      }
    }
    records = Array(rest)
    for index in records {
      let count = table.rows[index].width
      if count == width { matching += 1 } else if count < width { short += 1 } else { long += 1 }
    }
    firstLine = records.first.map { table.rows[$0].line } ?? 1
  }

  /// Whether a short row is a record whose last fields are missing: its fields are of the kinds of those above them, and
  /// some are numbers, dates or the like.
  private func isCutRecord(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ row: Int, below records: ArraySlice<Int>
  ) -> Bool {
    if Self.isApart(table, row) { return false }
    let above = records.suffix(20).filter { table.rows[$0].width == width }
    if above.count < 2 { return false }
    var typed = 0
    for (column, cell) in table.cells(of: table.rows[row]).enumerated() {
      let kind = CellKind(bytes, cell.start, cell.end)
      if kind == .empty { continue }
      // The first of them is perhaps a header.
      let kinds = above.dropFirst(above.first == records.first ? 1 : 0).map { record -> CellKind in
        let cell = table.cells[table.rows[record].firstCell + column]
        return CellKind(bytes, cell.start, cell.end)
      }.filter { $0 != .empty && $0 != .missing }
      let isTypedColumn = !kinds.isEmpty && kinds.allSatisfy(\.isTyped)
      if kind.isTyped != isTypedColumn || (isTypedColumn && !kinds.contains(kind)) { return false }
      if isTypedColumn { typed += 1 }
    }
    return typed > 0
  }

  /// The width that most records have; of several the largest.
  private static func commonWidth(_ table: SampleTable, _ all: [Int]) -> Int {
    var counts: [Int: Int] = [:]
    for index in all { counts[table.rows[index].width, default: 0] += 1 }
    // Titles and remarks are lines of one cell, so that two records that go together weigh more.
    let best = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 1
    if best > 1 { return best }
    let lines = counts[1] ?? 0
    let wider = counts.filter { $0.key > 1 }.max { ($0.value, $0.key) < ($1.value, $1.key) }
    guard let wider, wider.value >= 2, wider.value * 3 >= lines, lines <= mostAbove else { return best }
    // They must stand together, behind the lines of one cell.
    let first = all.firstIndex { table.rows[$0].width == wider.key } ?? 0
    let last = all.lastIndex { table.rows[$0].width == wider.key } ?? 0
    return (last - first + 1) <= wider.value + wider.value / 4 ? wider.key : best
  }

  /// The number of records above the table: those before the first that is as wide as the table, if they are narrow or
  /// stand apart.
  private static func countAbove(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ all: [Int], _ width: Int
  ) -> Int {
    let limit = min(all.count - 1, mostAbove)
    func isWide(_ i: Int) -> Bool { i < all.count && table.rows[all[i]].width == width }
    let hinted = hint(bytes) == nil ? 0 : 1
    guard hinted <= limit, var first = (hinted...limit).first(where: isWide) else { return 0 }
    // A title may have as many fields as the table by accident; what stands below it then has not.
    if !isWide(first + 1), let run = (first...limit).first(where: { isWide($0) && isWide($0 + 1) }),
      isWords(bytes, table, all[run]), !isWords(bytes, table, all[first])
    {
      first = run
    }
    // A title alone above a blank line, and below it records that stand together.
    if first == hinted, isWide(first + 1), isWide(first + 2), isApart(table, all[first + 1]),
      !isApart(table, all[first + 2]), isWords(bytes, table, all[first + 1]), !isWords(bytes, table, all[first])
    {
      first += 1
    }
    if first <= hinted { return hinted }
    // Names that stand above values are the table's first record, whatever narrower records stand above them.
    if isHeader(bytes, table, all[first...]) { return first }
    var top = first
    // A record that is a little short or long belongs to the table.
    while top > hinted {
      let row = table.rows[all[top - 1]]
      if row.width <= max(1, width / 2) || isApart(table, all[top]) { break }
      top -= 1
    }
    return top
  }

  /// Whether the first of some records are names, above at least one column of values.
  private static func isHeader(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ records: ArraySlice<Int>
  ) -> Bool {
    guard let first = records.first, RecordOutline(bytes, table, table.rows[first]).isNames else { return false }
    let width = table.rows[first].width
    let below = records.dropFirst().prefix(20).filter { table.rows[$0].width == width }
    return below.count > 1
      && (0..<width).contains { column in
        below.allSatisfy { row in
          let cell = table.cells[table.rows[row].firstCell + column]
          return CellKind(bytes, cell.start, cell.end).isTyped
        }
      }
  }

  /// The delimiter that the first line says, as Excel does: `sep=;`.
  static func hint(_ bytes: UnsafeBufferPointer<UInt8>) -> CSVDelimiter? {
    guard bytes.starts(with: "sep=".utf8),
      let end = bytes.prefix(5 + CSVDelimiter.mostBytes).firstIndex(where: { $0 == 10 || $0 == 13 }),
      let delimiter = CSVDelimiter(String(decoding: bytes[4..<end], as: UTF8.self))
    else { return nil }
    return DialectCandidate.prior(delimiter) == nil ? nil : delimiter
  }

  /// Whether all cells of a row are single words, as names are.
  private static func isWords(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ row: Int) -> Bool {
    table.cells(of: table.rows[row]).allSatisfy { CellKind(bytes, $0.start, $0.end) == .word }
  }

  /// Whether a blank line stands before a row.
  static func isApart(_ table: SampleTable, _ row: Int?) -> Bool {
    guard let row, row > 0 else { return false }
    return table.rows[row - 1].kind == .blank
  }
}
