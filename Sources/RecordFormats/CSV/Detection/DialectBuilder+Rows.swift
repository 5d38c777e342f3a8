extension DialectBuilder {
  /// Decides about lines that begin with the comment prefix.
  mutating func findComments() {
    options.comment = known.contains(.comment) ? finder.base.comment : nil
    guard let comment, !known.contains(.comment), let mark = comment.utf8.first else { return }
    if best.candidate.delimiter.first == mark { return }
    if [best.candidate.quote, best.candidate.escape].contains(mark) { return }
    let remarks = table.rows.count { $0.kind == .comment }
    if remarks == 0 { return }
    // What splits like the table is a part of it.
    let plain = split(best.candidate, nil)
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

  /// Keeps the first table of several, or the one that is asked for.
  mutating func findTables() {
    options.table = known.contains(.table) ? finder.base.table : nil
    let number = options.table ?? 1
    if shape.width > 1 || number > 1 {
      let tables = TableGroups(bytes, table).several(bytes, table)
      if !tables.isEmpty, !known.contains(.table) {
        options.table = 1
        isCertain = false
        let lines = tables.prefix(8).map { String($0.line) }.joined(separator: ", ")
        evidence.append(
          "table 1: \(tables.count) tables begin on the lines \(lines)\(tables.count > 8 ? " ..." : ""); only the first"
            + " is read")
      }
      if number > 1 { return keepTable(number, first: tables.first?.rows.lowerBound) }
      if let first = tables.first, options.table == 1 {
        keepRows(0..<first.rows.upperBound)
        if let found = TableShape(bytes, table) { shape = found }
        return
      }
    }
    if let found = TableShape(bytes, table, width: shape.width) { shape = found }
  }

  /// Keeps one of the tables from the first one on, whose row is known where there are several for certain.
  private mutating func keepTable(_ number: Int, first: Int?) {
    let start = first ?? TableShape(bytes, table)?.records.first ?? 0
    let groups = TableGroups(bytes, table, from: start).groups
    guard number <= groups.count else {
      evidence.append("table \(number): \(Self.count(groups.count, "table is", "tables are")) in what was looked at")
      return
    }
    let line = table.rows[start].line
    if line > 1, !known.contains(.skippedLines), table.rows[..<start].contains(where: { $0.kind == .record }) {
      options.skippedLines = line - 1
      evidence.append("skip_lines \(line - 1): the first table begins behind them")
    }
    keepRows(groups[number - 1].rows)
    if let found = TableShape(bytes, table) { shape = found }
    skipIsFound = true
  }

  /// Keeps some rows, also when the sample is split again.
  private mutating func keepRows(_ range: Range<Int>) {
    lines =
      table.rows[range.lowerBound]
      .line..<(range.upperBound < table.rows.count
      ? table.rows[range.upperBound].line : Int.max)
    table.keepRows(range)
  }

  mutating func findHeader() {
    let texts = CellText(bytes: bytes, quote: options.quote, escape: options.escape, trims: options.trim)
    if !known.contains(.skippedLines), !skipIsFound {
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
    for delimiter in [",", ";", "\t", "|"] as [CSVDelimiter]
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

  mutating func findNulls() {
    if known.contains(.nullTokens) { return }
    let (tokens, sentences) = NullTokenEvidence.find(bytes, table, shape, headerRows: headerRows)
    options.nullTokens = tokens
    evidence += sentences
  }

  mutating func findRaggedRecords() {
    if shape.width < 1 { return }
    if widenTable() { return }
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

  /// Gives a table without a header as many columns as its longest record has, if many records have more fields than
  /// most, so that nothing is lost.
  private mutating func widenTable() -> Bool {
    guard options.header == .none, !known.contains(.header), !known.contains(.longRecords),
      shape.long * 10 >= shape.records.count
    else { return false }
    let widest = shape.records.map { table.rows[$0].width }.max() ?? shape.width
    let filled = shape.records.count { index in
      table.cells(of: table.rows[index]).dropFirst(shape.width).contains { $0.start < $0.end }
    }
    guard filled * 10 >= shape.records.count, widest <= max(16, 2 * shape.width) else { return false }
    options.columnCount = widest
    if !known.contains(.shortRecords) { options.padShortRecords = true }
    isCertain = false
    evidence.append(
      "columns: records have up to \(widest) fields; those that have fewer are padded"
        + lines { $0.width < widest })
    return true
  }

  /// The lines of the table's rows that meet a condition, as a part of a sentence.
  private func lines(_ condition: (SampleTable.Row) -> Bool) -> String {
    let found = shape.records.filter { condition(table.rows[$0]) }.map { table.rows[$0].line }
    return " (line\(found.count == 1 ? "" : "s") "
      + found.prefix(5).map(String.init).joined(separator: ", ") + (found.count > 5 ? " ..." : "") + ")"
  }
}
