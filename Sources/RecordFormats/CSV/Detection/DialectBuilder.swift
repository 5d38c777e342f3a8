/// Makes options and sentences of the best candidate.
struct DialectBuilder {
  let finder: DialectFinder
  let best: DialectScore
  var comment: String?
  var options = CSVOptions()
  var evidence: [String] = []
  var isCertain = true

  private var table: SampleTable
  private var shape: TableShape

  init(finder: DialectFinder, best: DialectScore, comment: String?) {
    self.finder = finder
    self.best = best
    self.comment = comment
    let prefix = Array((comment ?? "").utf8)
    table = SampleTable(finder.bytes, best.candidate, comment: prefix)
    shape = best.shape
  }

  private var bytes: UnsafeBufferPointer<UInt8> { finder.bytes }
  private var known: CSVKnownOptions { finder.known }
  private var isWhole: Bool { finder.text.isWhole }

  /// The dialect; `others` are the candidates with other delimiters, the best first.
  mutating func build(others: [DialectScore]) -> CSVDialect {
    options.delimiter = best.candidate.delimiter
    describeDelimiter(others)
    findComments()
    findTables()
    findQuotes()
    findPadding()
    findHeader()
    findNulls()
    findRaggedRecords()
    describeLineEnds()
    if let sentence = finder.text.evidence { evidence.append(sentence) }
    if !finder.text.isCertain { isCertain = false }
    if !isWhole { evidence.append("only the first \(bytes.count) bytes of text were looked at") }
    return CSVDialect(options: options, evidence: evidence, isCertain: isCertain)
  }

  // MARK: Delimiter and quotes

  private mutating func describeDelimiter(_ others: [DialectScore]) {
    let count = shape.records.count
    if known.contains(.delimiter) {
      evidence.append("delimiter \(Self.name(options.delimiter)): as given; \(fields(shape))")
    } else if shape.width == 1 {
      evidence.append(
        "delimiter \(Self.name(options.delimiter)), which does not matter:"
          + " \(count == 1 ? "the record is" : "the \(count) records are") one column")
      if best.value < 0.5 { isCertain = false }
    } else {
      evidence.append("delimiter \(Self.name(options.delimiter)): \(fields(shape))")
    }
    guard let second = others.first else { return }
    if second.value > 0.8 * best.value {
      isCertain = false
      evidence.append(
        "delimiter \(Self.name(second.candidate.delimiter)) fits about as well: "
          + (second.isSingle ? "one column" : fields(second.shape)))
    } else if !second.isSingle, second.value > 0.2 * best.value {
      evidence.append(
        "delimiter \(Self.name(second.candidate.delimiter)) fits less: \(fields(second.shape))")
    }
  }

  private func fields(_ shape: TableShape) -> String {
    "\(shape.matching) of \(Self.count(shape.records.count, "record", "records"))"
      + " \(shape.matching == 1 ? "has" : "have") \(Self.count(shape.width, "field", "fields"))"
  }

  private mutating func findQuotes() {
    options.escape = best.candidate.escape
    if options.escape != nil, !known.contains(.escape) {
      evidence.append("escape “\\”: it stands \(table.usedEscapes) times before what would mean something")
    }
    options.quote = best.candidate.quote
    if options.quote == nil, !known.contains(.quote), options.delimiter != UInt8(ascii: "\"") {
      // Where no field begins with a quote, reading leniently gives the same, and quoted fields may follow.
      var candidate = best.candidate
      candidate.quote = UInt8(ascii: "\"")
      let quoted = SampleTable(bytes, candidate, comment: Array((comment ?? "").utf8))
      if quoted.quotedCells == 0, quoted.textAfterQuotes == 0, !quoted.isUnterminated {
        options.quote = candidate.quote
        table = quoted
      } else {
        evidence.append(
          "quote none: of the fields that begin with “\"” \(quoted.textAfterQuotes + (quoted.isUnterminated ? 1 : 0))"
            + " do not end with it, \(quoted.quotedCells) do")
      }
    }
    guard let quote = options.quote else { return }
    if table.quotedCells > 0 {
      evidence.append(
        "quote \(Self.name(quote)): \(table.quotedCells) of \(Self.count(table.cells.count, "field", "fields")) stand in it"
      )
    }
    if table.textAfterQuotes + table.strayQuotes > 0, !known.contains(.lenientQuotes) {
      options.lenientQuotes = true
      evidence.append(
        "lenient quotes: \(Self.count(table.strayQuotes, "field has", "fields have")) a quote inside,"
          + " \(table.textAfterQuotes) text behind the closing one")
      if table.textAfterQuotes > 0 { isCertain = false }
    }
    if table.isUnterminated, isWhole {
      isCertain = false
      evidence.append("a quote is never closed")
    }
  }

  /// Sets `trim` when fields are padded.
  private mutating func findPadding() {
    if known.contains(.trim) { return }
    options.trim = false
    let delimiter = options.delimiter
    if delimiter == UInt8(ascii: " ") { return }
    var fields = 0
    var leading = 0
    var trailing = 0
    for index in shape.records {
      for (column, cell) in table.cells(of: table.rows[index]).enumerated() {
        if cell.isQuoted || cell.end == cell.start { continue }
        let isBlank = bytes[cell.start..<cell.end].allSatisfy(SampleTable.isBlank)
        if isBlank { continue }
        if column > 0 {
          fields += 1
          if SampleTable.isBlank(bytes[cell.start]) { leading += 1 }
        }
        if column + 1 < shape.width, SampleTable.isBlank(bytes[cell.end - 1]) { trailing += 1 }
      }
    }
    let isPadded = fields >= 2 && (leading * 10 >= fields * 9 || trailing * 10 >= fields * 8)
    let hasPaddedQuotes = table.paddedQuotes > 0 && table.paddedQuotes * 4 >= table.quotedCells
    if isPadded || hasPaddedQuotes {
      options.trim = true
      evidence.append(
        "trim: \(Self.count(leading + table.paddedQuotes, "field has", "fields have")) blanks before it, \(trailing) behind"
      )
      return
    }
    // Without trimming a quote behind a blank is no opening quote.
    if table.paddedQuotes > 0 || best.candidate.trims {
      var candidate = best.candidate
      candidate.trims = false
      candidate.quote = options.quote
      if table.paddedQuotes > 0 {
        options.lenientQuotes = true
        table = SampleTable(bytes, candidate, comment: Array((comment ?? "").utf8))
        if let found = TableShape(bytes, table) { shape = found }
      }
    }
  }

  // MARK: Rows

  /// Decides about lines that begin with the comment prefix.
  private mutating func findComments() {
    options.comment = known.contains(.comment) ? finder.base.comment : nil
    guard let comment, !known.contains(.comment), let mark = comment.utf8.first else { return }
    if [best.candidate.delimiter, best.candidate.quote, best.candidate.escape].contains(mark) { return }
    let remarks = table.rows.count { $0.kind == .comment }
    if remarks == 0 { return }
    // What splits like the table is a part of it.
    let plain = SampleTable(bytes, best.candidate, comment: [])
    let fitting = plain.rows.filter { row in
      row.kind == .record && row.width == shape.width
        && bytes[row.start..<row.end].starts(with: comment.utf8)
    }
    // The last of the remarks above the table may be its header.
    let header = fitting.first { row in
      fitting.count == 1 && row.line == remarks && RecordOutline(bytes, plain, row).isNames
    }
    if shape.width > 1, !fitting.isEmpty, fitting.count * 2 > remarks || header != nil {
      table = plain
      self.comment = nil
      if let first = header, remarks > 1 {
        // Remarks, and then the header as the last of them.
        options.skippedLines = first.line - 1
        evidence.append("skip_lines \(first.line - 1): remarks above a header that begins with “\(comment)”")
      }
      return
    }
    options.comment = comment
    evidence.append("comment “\(comment)”: \(Self.count(remarks, "line begins", "lines begin")) with it")
  }

  /// Keeps the first table of several.
  private mutating func findTables() {
    if known.contains(.table) || shape.width < 2 {
      options.table = finder.base.table
    } else {
      let tables = TableGroups(bytes, table).several(bytes, table)
      if let first = tables.first {
        options.table = 1
        isCertain = false
        let lines = tables.prefix(8).map { String($0.line) }.joined(separator: ", ")
        evidence.append(
          "table 1: \(tables.count) tables begin on the lines \(lines)\(tables.count > 8 ? " ..." : ""); only the first"
            + " is read")
        table.removeRows(from: first.rows.upperBound)
        if let found = TableShape(bytes, table) { shape = found }
        return
      }
    }
    if let found = TableShape(bytes, table, width: shape.width) { shape = found }
  }

  private mutating func findHeader() {
    let texts = CellText(bytes: bytes, quote: options.quote, escape: options.escape, trims: options.trim)
    if !known.contains(.skippedLines) {
      findLinesAbove(texts)
    }
    if known.contains(.header) {
      options.header = finder.base.header
      return
    }
    if case .names = options.header { return }
    if !table.rows.indices.contains(shape.records.first ?? -1) { return }
    let judge = HeaderJudge(bytes, table, shape, texts)
    options.header = judge.rows > 0 ? .firstRecord : .none
    options.headerRows = max(1, judge.rows)
    if judge.rows == 0, let first = shape.records.first, table.rows[first].width != shape.width {
      options.columnCount = shape.width
    }
    evidence.append(
      "header \(judge.rows == 0 ? "none" : judge.rows == 1 ? "yes" : "of \(judge.rows) records"): \(judge.reason)")
    if !judge.isCertain { isCertain = false }
    headerRows = judge.rows
  }

  private var headerRows = 0

  /// Sets the lines to skip, and the header if one of them is it.
  private mutating func findLinesAbove(_ texts: CellText) {
    let sparse = SparseRows.countAbove(bytes, table, shape, texts)
    if sparse > 0 {
      shape.above += sparse
      shape.records.removeFirst(sparse)
      shape.matching -= sparse
      shape.firstLine = shape.records.first.map { table.rows[$0].line } ?? shape.firstLine
    }
    if shape.above == 0 { return }
    findForeignHeader()
    options.skippedLines = shape.firstLine - 1
    if case .names = options.header, shape.above == 1 { return }
    evidence.append(
      "skip_lines \(shape.firstLine - 1): \(Self.count(shape.above, "record stands", "records stand")) above the table")
  }

  /// Takes the line above the table for its header if another delimiter makes as many names of it.
  private mutating func findForeignHeader() {
    guard !known.contains(.header), shape.above == 1, let first = shape.records.first, first > 0 else { return }
    let row = table.rows[first - 1]
    guard row.kind == .record, row.lines == 1 else { return }
    let line = UnsafeBufferPointer(rebasing: bytes[row.start..<row.end])
    for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";"), 9, UInt8(ascii: "|")]
    where delimiter != options.delimiter {
      let candidate = DialectCandidate(delimiter: delimiter, quote: options.quote, escape: options.escape)
      let split = SampleTable(line, candidate, comment: [])
      guard split.rows.first?.width == shape.width,
        RecordOutline(ArraySlice(line), candidate).isNames
      else { continue }
      let texts = CellText(bytes: line, quote: options.quote, escape: options.escape, trims: true)
      let names = texts.names(split, 0)
      let isPadded = split.cells.contains { $0.start < $0.end && SampleTable.isBlank(line[$0.start]) }
      if isPadded || HeaderJudge.fault(names) != nil { continue }
      options.header = .names(names)
      evidence.append(
        "header columns: line \(row.line) has \(names.count) names, but between them stands \(Self.name(delimiter))")
      return
    }
  }

  private mutating func findNulls() {
    if known.contains(.nullTokens) { return }
    let (tokens, sentences) = NullTokenEvidence.find(bytes, table, shape, headerRows: headerRows)
    options.nullTokens = tokens
    evidence += sentences
  }

  private mutating func findRaggedRecords() {
    if shape.width < 1 { return }
    if shape.short > 0 {
      if !known.contains(.shortRecords) { options.padShortRecords = true }
      evidence.append(
        "short_records pad: \(shape.short) of \(shape.records.count) records have fewer than \(shape.width) fields"
          + lines { $0.width < shape.width })
    }
    if shape.long > 0 {
      let isHarmless = shape.records.allSatisfy { index in
        table.cells(of: table.rows[index]).dropFirst(shape.width).allSatisfy { $0.start == $0.end }
      }
      if isHarmless || isWhole {
        if !known.contains(.longRecords) { options.truncateLongRecords = true }
        evidence.append(
          "long_records truncate: \(shape.long) of \(shape.records.count) records have more than \(shape.width) fields"
            + lines { $0.width > shape.width } + (isHarmless ? "; the surplus is empty" : "; the surplus is lost"))
      } else {
        evidence.append(
          "\(shape.long) of \(shape.records.count) records have more than \(shape.width) fields"
            + lines { $0.width > shape.width } + " and will be rejected")
      }
      if !isHarmless { isCertain = false }
    }
    if !shape.below.isEmpty {
      let first = shape.below.first.map { table.rows[$0].line } ?? 0
      evidence.append(
        "\(Self.count(shape.below.count, "record", "records")) below the table, from line \(first) on, will be "
          + (options.padShortRecords ? "taken for short ones" : "rejected"))
    }
  }

  /// The lines of the table's rows that meet a condition, as a part of a sentence.
  private func lines(_ condition: (SampleTable.Row) -> Bool) -> String {
    let found = shape.records.filter { condition(table.rows[$0]) }.map { table.rows[$0].line }
    return " (line\(found.count == 1 ? "" : "s") "
      + found.prefix(5).map(String.init).joined(separator: ", ") + (found.count > 5 ? " ..." : "") + ")"
  }

  private mutating func describeLineEnds() {
    var (feeds, returns, pairs) = (0, 0, 0)
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == 10 { if previous == 13 { pairs += 1 } else { feeds += 1 } }
      if previous == 13, byte != 10 { returns += 1 }
      previous = byte
    }
    if previous == 13 { returns += 1 }
    let found = [("LF", feeds), ("CRLF", pairs), ("CR", returns)].filter { $0.1 > 0 }
    if found.isEmpty { return }
    evidence.append("line ends: " + found.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
  }

  /// A number with what it counts.
  static func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }

  /// A character as sentences call it.
  static func name(_ byte: UInt8) -> String {
    switch byte {
    case 9: "tab"
    case 32: "space"
    case 0..<32, 127...: "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    default: "“\(Character(UnicodeScalar(byte)))”"
    }
  }
}
