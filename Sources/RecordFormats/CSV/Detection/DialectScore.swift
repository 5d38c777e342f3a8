/// How well a candidate explains a sample.
///
/// The product of four numbers: the share of records with the common number of fields, the number of fields, what the
/// cells look like, and how common the delimiter is. Rows and types together tell a delimiter, as in van den Burg,
/// Nazábal, Sutton, "Wrangling messy CSV files by detecting row and type patterns" (2019); the weights are our own.
struct DialectScore {
  var candidate: DialectCandidate
  var shape: TableShape
  var value: Double
  /// Whether the text is taken as one column.
  var isSingle: Bool { shape.width == 1 }

  /// At most so many cells are looked at.
  private static let mostCells = 6000

  /// Scores a candidate; nil when it leaves no record.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate, _ table: SampleTable) {
    guard let shape = TableShape(table) else { return nil }
    self.candidate = candidate
    self.shape = shape
    let records = max(1, shape.records.count)
    let faults = Double(table.textAfterQuotes) + (table.isUnterminated ? 3 : 0) + 0.5 * Double(table.strayQuotes)
    let clean = 1 / (1 + 2 * faults / Double(records))
    if shape.width == 1 {
      value = Self.single(bytes, table, shape) * clean
      return
    }
    let share = Double(shape.matching) / Double(records)
    let outside = Double(shape.above + shape.below.count) / Double(records + shape.above + shape.below.count)
    let structure = share * share.squareRoot() * (1 - 0.5 * outside)
    let columns = 1 - 0.4 / Double(shape.width)
    let isWeak = DialectCandidate.isWeak(candidate.delimiter)
    let isSteady = share > 0.98 && records >= 4 && shape.width >= 3
    let cells = Self.cells(
      bytes, table, shape, text: isWeak ? (isSteady ? 0.75 : 0.5) : 1, empty: isWeak ? 0.3 : CellKind.empty.credit)
    value = structure * columns * cells * cells * clean * (DialectCandidate.prior(candidate.delimiter) ?? 0.9)
  }

  /// The mean credit of the table's cells.
  private static func cells(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, text: Double, empty: Double
  ) -> Double {
    var sum = 0.0
    var count = 0
    var filled = [Bool](repeating: false, count: shape.width)
    for index in shape.records {
      let row = table.rows[index]
      if row.width != shape.width { continue }
      for (column, cell) in table.cells(of: row).enumerated() {
        let kind = CellKind(bytes, cell.start, cell.end)
        count += 1
        if kind == .empty {
          sum += empty
          continue
        }
        filled[column] = true
        if cell.isQuoted {
          sum += 1
        } else if kind.isTyped || kind == .missing {
          sum += 1
        } else {
          sum += kind.credit * text
        }
      }
      if count > mostCells { break }
    }
    if count == 0 { return 0 }
    // A column without a single value is what a delimiter at the end of each line leaves, or a wrong one.
    let columns = Double(filled.count { $0 }) / Double(shape.width)
    return sum / Double(count) * (0.6 + 0.4 * columns)
  }

  /// The score of a text as one column: high for values such as times and URLs, which other delimiters would cut.
  private static func single(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape
  ) -> Double {
    var typed = 0
    var quoted = 0
    var count = 0
    for index in shape.records.dropFirst() where table.rows[index].width == 1 {
      let cell = table.cells[table.rows[index].firstCell]
      count += 1
      if cell.isQuoted { quoted += 1 }
      let kind = CellKind(bytes, cell.start, cell.end)
      // `1,5` in each line is two columns as well as one.
      if kind.isTyped, kind != .number || !bytes[cell.start..<cell.end].contains(UInt8(ascii: ",")) { typed += 1 }
      if count > mostCells { break }
    }
    let share = count == 0 ? 0 : Double(typed) / Double(count)
    let wide = Double(shape.records.count - shape.matching) / Double(shape.records.count)
    return (0.25 + (share > 0.8 ? 0.6 * share : 0) + (count > 0 && quoted * 10 > count * 9 ? 0.3 : 0))
      * (1 - wide) * (1 - wide)
  }
}
