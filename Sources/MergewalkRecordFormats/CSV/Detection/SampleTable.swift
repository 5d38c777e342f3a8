import MergewalkBytes

/// A sample as one candidate splits it: rows of cells, as ranges of the sample's bytes.
///
/// Reads as `CSVReader` does with lenient quotes, and counts what a strict reader would refuse. If a lenient reader
/// refuses a line because of an unclosed quote, that line is a record with a faulty cell.
struct SampleTable {
  struct Cell {
    /// Its text, inside the quotes if it has some.
    var start: Int
    var end: Int
    var isQuoted = false
    /// Whether there are blanks between a delimiter and the opening quote.
    var isPadded = false
    /// Whether a strict reader refuses it.
    var isFaulty = false
  }

  /// The kind of a line, or of several that a quoted cell joins.
  enum Kind {
    case record
    case blank
    case comment
    /// It draws a rule below or above the names.
    case rule
  }

  /// One record, blank line or comment.
  struct Row {
    var kind: Kind
    /// The line it starts on, from 1.
    var line: Int
    var lines = 1
    /// Its bytes, without the line end.
    var start: Int
    var end: Int
    /// Its cells are `cells[firstCell ..< firstCell + width]`.
    var firstCell: Int
    var width = 0
  }

  private(set) var cells: [Cell] = []
  private(set) var rows: [Row] = []
  /// Cells in proper quotes.
  private(set) var quotedCells = 0
  /// Of those, the ones with blanks before the quote.
  private(set) var paddedQuotes = 0
  /// Unquoted cells with a quote inside.
  private(set) var strayQuotes = 0
  /// Quoted cells with text behind the closing quote.
  private(set) var textAfterQuotes = 0
  /// Whether the sample ends inside quotes.
  private(set) var isUnterminated = false
  /// Escapes that made a delimiter, a quote, a line end or an escape ordinary.
  private(set) var usedEscapes = 0

  /// Whether more text follows, so that a quote that is not closed may be.
  private let isCut: Bool

  /// Splits the bytes.
  ///
  /// - Parameters:
  ///   - comment: the prefix of lines that are no records; empty for none.
  ///   - isCut: whether more text follows.
  ///   - marksRules: whether lines that draw a rule are no records.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate, comment: [UInt8], isCut: Bool = false,
    marksRules: Bool = false
  ) {
    self.isCut = isCut
    cells.reserveCapacity(bytes.count / 8)
    rows.reserveCapacity(bytes.count / 32)
    var at = 0
    var line = 1
    while at < bytes.count {
      var row = Row(kind: .record, line: line, start: at, end: at, firstCell: cells.count)
      if bytes[at] == 10 || bytes[at] == 13 {
        row.kind = .blank
      } else if !comment.isEmpty, at + comment.count <= bytes.count,
        bytes[at..<at + comment.count].elementsEqual(comment)
      {
        row.kind = .comment
        while at < bytes.count, bytes[at] != 10, bytes[at] != 13 { at += 1 }
      } else {
        at = record(bytes, candidate, from: at)
        row.width = cells.count - row.firstCell
      }
      row.end = at
      if at < bytes.count {
        at += bytes[at] == 13 && at + 1 < bytes.count && bytes[at + 1] == 10 ? 2 : 1
      }
      let isRule =
        row.kind == .record && marksRules
        && RuleLine.isRule(
          bytes[row.start..<row.end], delimiter: candidate.delimiter.first,
          mayBeOne: row.width == 1 && isFirstOfWidth(rows.last))
      if isRule { row.kind = .rule }
      if row.kind == .record { row.lines = 1 + Self.lineEnds(bytes, row.start, row.end) }
      line += row.lines
      rows.append(row)
    }
  }

  /// Whether a row is the first record of its width, which is no title's.
  private func isFirstOfWidth(_ row: Row?) -> Bool {
    guard let row, row.kind == .record, row.width > 1 else { return false }
    return rows.dropLast().allSatisfy { $0.kind != .record || $0.width != row.width }
  }

  func cells(of row: Row) -> ArraySlice<Cell> { cells[row.firstCell..<row.firstCell + row.width] }

  /// Whether all cells behind the first ones are empty and unquoted, if there are any.
  func hasNothing(_ row: Row, behind width: Int) -> Bool {
    cells(of: row).dropFirst(width).allSatisfy { $0.start == $0.end && !$0.isQuoted }
  }

  /// Whether two records have the same texts, whatever quotes these are in.
  func areSame(_ bytes: UnsafeBufferPointer<UInt8>, _ left: Row, _ right: Row) -> Bool {
    left.width == right.width
      && zip(cells(of: left), cells(of: right)).allSatisfy {
        bytes[$0.start..<$0.end].elementsEqual(bytes[$1.start..<$1.end])
      }
  }

  /// Whether the last record, which the sample's end cuts inside quotes, takes in lines that are records: most of them
  /// have as many cells as those before, or nearly all have the same number where there are none.
  func cutRowHoldsRecords(_ bytes: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate) -> Bool {
    guard let last = rows.last, let lineEnd = bytes[last.start...].firstIndex(where: { $0 == 10 || $0 == 13 }) else {
      return false
    }
    var plain = candidate
    plain.quote = nil
    let inside = SampleTable(UnsafeBufferPointer(rebasing: bytes[lineEnd...]), plain, comment: [])
    let lines = inside.rows.filter { $0.kind == .record }
    func common(_ rows: some Sequence<Row>) -> Int {
      var counts: [Int: Int] = [:]
      for row in rows where row.kind == .record { counts[row.width, default: 0] += 1 }
      return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }
    let before = common(rows.dropLast())
    let width = before > 0 ? before : common(lines)
    let fitting = lines.count { $0.width == width }
    return width > 1 && lines.count >= 3 && fitting * (before > 0 ? 2 : 10) > lines.count * (before > 0 ? 1 : 9)
  }

  /// Forgets the last record, which the sample's end cut inside quotes.
  mutating func removeCutRow() {
    removeRows(from: rows.count - 1)
    isUnterminated = false
  }

  /// Forgets all rows but some.
  mutating func keepRows(_ range: Range<Int>) { rows = Array(rows[range]) }

  mutating func removeRows(from index: Int) {
    guard index < rows.count else { return }
    cells.removeSubrange(rows[index].firstCell...)
    rows.removeSubrange(index...)
  }

  /// Reads the cells of a record and returns the index of its line end.
  private mutating func record(
    _ bytes: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate, from start: Int
  ) -> Int {
    let (delimiter, end) = (candidate.delimiter, bytes.count)
    // No byte is 10 here, so it stands for "none".
    let quote = candidate.quote ?? 10
    let escape = candidate.escape ?? 10
    var at = start
    while true {
      let from = at
      if candidate.trims { while at < end, bytes[at].isBlank, !delimiter.stands(in: bytes, at: at) { at += 1 } }
      if at < end, bytes[at] == quote, quote != 10 {
        at = quoted(bytes, candidate, from: from, open: at)
      } else {
        at = from
        var isStray = false
        while at < end {
          let byte = bytes[at]
          if byte == 10 || byte == 13 || delimiter.stands(in: bytes, at: at) { break }
          if byte == escape {
            usedEscapes += 1
            at += 1
          } else if byte == quote {
            isStray = true
          }
          at += 1
        }
        at = min(at, end)
        if isStray { strayQuotes += 1 }
        cells.append(Cell(start: from, end: at, isFaulty: isStray))
      }
      if at >= end || !delimiter.stands(in: bytes, at: at) { return at }
      at += delimiter.count
    }
  }

  /// Reads a cell in quotes and returns the index of what ends it.
  private mutating func quoted(
    _ bytes: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate, from: Int, open: Int
  ) -> Int {
    let (delimiter, end) = (candidate.delimiter, bytes.count)
    let escape = candidate.escape ?? 0
    let quote = candidate.quote ?? 0
    var at = open + 1
    while at < end {
      if bytes[at] == escape, escape != 0 {
        usedEscapes += 1
        at += 2
      } else if bytes[at] == quote {
        if at + 1 < end, bytes[at + 1] == quote { at += 2 } else { break }
      } else {
        at += 1
      }
    }
    if at >= end {
      isUnterminated = true
      return refuse(bytes, from: from, open: open, to: isCut ? end : nil)
    }
    let close = at
    at += 1
    while at < end, bytes[at].isBlank, !delimiter.stands(in: bytes, at: at) { at += 1 }
    if at >= end || bytes[at] == 10 || bytes[at] == 13 || delimiter.stands(in: bytes, at: at) {
      quotedCells += 1
      if open > from { paddedQuotes += 1 }
      cells.append(Cell(start: open + 1, end: close, isQuoted: true, isPadded: open > from))
      return at
    }
    textAfterQuotes += 1
    if Self.lineEnds(bytes, open, close) > 0 { return refuse(bytes, from: from, open: open, to: nil) }
    while at < end, bytes[at] != 10, bytes[at] != 13, !delimiter.stands(in: bytes, at: at) {
      at += bytes[at] == escape && escape != 0 ? 2 : 1
    }
    at = min(at, end)
    cells.append(Cell(start: open, end: at, isPadded: open > from, isFaulty: true))
    return at
  }

  /// Adds what a reader refuses: the rest of the line, if nothing else is said.
  private mutating func refuse(
    _ bytes: UnsafeBufferPointer<UInt8>, from: Int, open: Int, to end: Int?
  ) -> Int {
    let stop = end ?? bytes[open...].firstIndex { $0 == 10 || $0 == 13 } ?? bytes.count
    cells.append(Cell(start: open + 1, end: stop, isQuoted: true, isPadded: open > from, isFaulty: true))
    return stop
  }

  private static func lineEnds(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    bytes.baseAddress.map { CSVParser.lineEnds($0, start, end) } ?? 0
  }
}
