import MergewalkBytes

/// How well a candidate explains a sample.
///
/// The product of four numbers: the share of records with the common number of fields, the number of fields, the types
/// of the cells, and how common the delimiter is. Rows and types together reveal a delimiter, as in van den Burg,
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
    guard let shape = TableShape(bytes, table) else { return nil }
    self.candidate = candidate
    self.shape = shape
    let records = max(1, shape.records.count)
    let faults = Double(table.textAfterQuotes) + (table.isUnterminated ? 3 : 0) + 0.5 * Double(table.strayQuotes)
    let clean = 1 / (1 + 2 * faults / Double(records))
    if shape.width == 1 {
      value = Self.single(bytes, table, shape) * clean
      return
    }
    let firstWidth = shape.above > 0 ? nil : shape.records.first.map { table.rows[$0].width }
    // Delimiters behind the last field are all that is amiss.
    let trailing = firstWidth.map { Self.trailing(table, shape, $0) } ?? 0
    let share = Double(shape.matching + trailing) / Double(records)
    let outside = Double(shape.above + shape.below.count) / Double(records + shape.above + shape.below.count)
    // Several tables in one file are steady one after the other.
    let runs = Self.runs(table, shape)
    let structure =
      max(
        share * share.squareRoot(), 0.85 * runs * runs.squareRoot(),
        Self.isNamed(bytes, table, shape, candidate) ? 0.45 : 0)
      * (1 - 0.5 * outside) * (shape.above > 0 ? 0.9 : 1)
    let columns = 1 - 0.4 / Double(shape.width)
    // Where even the first record is cut in another way than the others, they are perhaps cut too often.
    let firstFits = firstWidth == shape.width || trailing > 0
    let isSteady =
      share > 0.98 && records >= 4
      && (firstFits || !DialectCandidate.standsInText(candidate.delimiter) || Self.hasValue(bytes, table, shape))
      && (shape.width >= 3 || records >= 10 || DialectCandidate.weakness(candidate.delimiter, isSteady: false) > 0.6)
    let weakness = DialectCandidate.weakness(candidate.delimiter, isSteady: isSteady)
    let core = LongDelimiters.core(candidate.delimiter)
    let cells = Self.cells(
      bytes, table, shape, text: weakness, empty: weakness < 1 ? 0.3 : CellKind.empty.credit,
      escape: candidate.escape, hasBlank: core.map { !Self.holdsDecimals(bytes, table, $0.first) } ?? false)
    var prior = DialectCandidate.prior(candidate.delimiter) ?? 0.9
    if isSteady, prior < 0.7 { prior = prior.squareRoot() }
    if Self.cutsNumbers(bytes, candidate.delimiter) { prior *= 0.6 }
    if shape.width == 2, LongDelimiters.mayBeEmptyColumn(candidate.delimiter),
      !Self.isNamed(bytes, table, shape, candidate, least: 2)
    {
      prior *= 0.7
    }
    value = structure * columns * cells * cells * clean * prior
    if !firstFits, firstWidth != nil, !DialectCandidate.standsInText(candidate.delimiter) { value *= 0.93 }
    // A column of words under its name is no table under a title.
    if shape.above == 1, DialectCandidate.standsInText(candidate.delimiter), Self.isUnderOneWord(bytes, table, shape) {
      value *= 0.25
    }
    if candidate.quote == nil { value *= 1 - 0.4 * Self.enclosed(bytes, candidate) }
  }

  /// Whether nothing stands above the table but one word, right above it.
  private static func isUnderOneWord(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape
  ) -> Bool {
    guard let first = shape.records.first, first == 1, table.rows[0].kind == .record, table.rows[0].width == 1,
      let cell = table.cells(of: table.rows[0]).first
    else { return false }
    return CellKind(bytes, cell.start, cell.end) == .word
  }

  /// Whether a delimiter that needs no other evidence makes names of the first record, and no record is longer.
  private static func isNamed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, _ candidate: DialectCandidate,
    least: Int = 3
  ) -> Bool {
    guard shape.width >= least, shape.long == 0, shape.above == 0, let first = shape.records.first,
      least < 3 || DialectCandidate.prior(candidate.delimiter) ?? 0 > 0.9, table.rows[first].width == shape.width
    else { return false }
    return RecordOutline(bytes, table, table.rows[first]).isNames
  }

  /// How many records are as narrow as the first, if all that the others have beyond it is empty.
  private static func trailing(_ table: SampleTable, _ shape: TableShape, _ first: Int) -> Int {
    if first >= shape.width || first < 2 { return 0 }
    let isEmpty = shape.records.allSatisfy { row in
      table.cells(of: table.rows[row]).dropFirst(first).allSatisfy { $0.start == $0.end }
    }
    return isEmpty ? shape.records.count { table.rows[$0].width == first } : 0
  }

  /// Whether the last record of the common width has a number, a date or the like.
  private static func hasValue(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape
  ) -> Bool {
    guard let last = shape.records.last(where: { table.rows[$0].width == shape.width }) else { return false }
    return table.cells(of: table.rows[last]).contains { CellKind(bytes, $0.start, $0.end).isTyped }
  }

  /// The share of records that stand in runs of at least three of one width.
  private static func runs(_ table: SampleTable, _ shape: TableShape) -> Double {
    var widths: Set<Int> = []
    var steady = 0
    var start = 0
    for i in 0...shape.records.count {
      let isEnd = i == shape.records.count
      if !isEnd, table.rows[shape.records[i]].width == table.rows[shape.records[start]].width { continue }
      let width = shape.records.isEmpty ? 0 : table.rows[shape.records[start]].width
      if i - start >= 3, width > 1 {
        steady += i - start
        widths.insert(width)
      }
      start = i
    }
    return widths.count > 3 ? 0 : Double(steady) / Double(max(1, shape.records.count))
  }

  /// Whether a character stands between digits mostly, as in times, dates and decimals.
  private static func cutsNumbers(_ bytes: UnsafeBufferPointer<UInt8>, _ delimiter: CSVDelimiter) -> Bool {
    guard ([":", "/", "-", "."] as [CSVDelimiter]).contains(delimiter), let delimiter = delimiter.single else {
      return false
    }
    var between = 0
    var all = 0
    for i in bytes.indices where bytes[i] == delimiter {
      all += 1
      if i > 0, i + 1 < bytes.count, bytes[i - 1].isDigit, bytes[i + 1].isDigit { between += 1 }
    }
    return between * 2 > all
  }

  /// Of the cells that begin with a quote, the share that ends with it, when quotes are taken for text.
  private static func enclosed(_ bytes: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate) -> Double {
    var quoting = candidate
    quoting.quote = UInt8(ascii: "\"")
    if candidate.delimiter.contains(UInt8(ascii: "\"")) || quoting.quote == candidate.escape { return 0 }
    let table = SampleTable(bytes, quoting, comment: [])
    let open = table.quotedCells + table.textAfterQuotes + (table.isUnterminated ? 1 : 0)
    return open == 0 ? 0 : Double(table.quotedCells) / Double(open)
  }

  /// Whether an escape stands in a cell before anything but a letter or a digit, as it would in a path.
  private static func hasEscape(
    _ bytes: UnsafeBufferPointer<UInt8>, _ cell: SampleTable.Cell, _ escape: UInt8
  ) -> Bool {
    (cell.start..<max(cell.start, cell.end - 1)).contains {
      bytes[$0] == escape && !CellKind.isWordByte(bytes[$0 + 1])
    }
  }

  /// Whether a mark stands in cells without quotes that are numbers, and hardly in others: `1,5, 2,5`.
  private static func holdsDecimals(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ mark: UInt8
  ) -> Bool {
    var all = 0
    var numbers = 0
    for cell in table.cells.prefix(mostCells) where !cell.isQuoted && bytes[cell.start..<cell.end].contains(mark) {
      all += 1
      if CellKind(bytes, cell.start, cell.end) == .number { numbers += 1 }
    }
    return all >= 2 && numbers * 10 >= all * 9
  }

  /// The mean credit of the table's cells.
  private static func cells(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, text: Double, empty: Double,
    escape: UInt8?, hasBlank: Bool
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
        } else if let escape, Self.hasEscape(bytes, cell, escape) {
          // What it makes of the text is not looked at.
          sum += CellKind.text.credit * text
        } else if kind.isTyped || kind == .missing {
          sum += 1
        } else {
          // A blank behind a delimiter is prose, unless it is padding.
          let isBehindBlank = hasBlank || bytes[cell.start].isBlank
          sum += kind.credit * text * (column > 0 && isBehindBlank ? 0.8 : 1)
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
