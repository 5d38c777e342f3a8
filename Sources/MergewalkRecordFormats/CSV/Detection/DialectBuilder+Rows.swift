import MergewalkDiagnostics
import MergewalkBytes

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
    if shape.width > 1, !fitting.isEmpty,
      header != nil || (fitting.count * 2 > remarks && !areRemarks(fitting, of: remarks, plain, comment))
    {
      table = plain
      self.comment = nil
      if let first = header, remarks > 1 {
        // Remarks, and then the header as the last of them.
        options.skippedLines = first.line - 1
        evidence.append("skip_lines \(first.line - 1): remarks above a header that begins with “\(comment)”")
      }
      return
    }
    findHeaderRemark(comment, plain)
    let first = shape.records.first.map { table.rows[$0].line } ?? Int.max
    let inside = table.rows.count { $0.kind == .comment && $0.line > first }
    let lines = Self.count(remarks, "line begins", "lines begin")
    if inside == 0, !known.contains(.skippedLines) {
      // They are skipped for where they stand, and not for what they begin with.
      remarksAbove = remarks
    } else if remarks == 1 {
      table = plain
      self.comment = nil
      isCertain = false
      propose(
        "comment", "\"\(comment)\"", "\(lines) with “\(comment)”, which is too little to take it for a comment")
    } else {
      options.comment = comment
      caution.doubtsComments = true
      propose(
        "comment", "\"\(comment)\"",
        "\(lines) with “\(comment)”; such a line is a comment unless it has as many fields as a record")
    }
  }

  /// Whether lines that split like the table are remarks nevertheless, as records are that were taken out: the text begins
  /// with remarks that do not split so, and in all of these a blank follows the mark.
  private func areRemarks(
    _ fitting: [SampleTable.Row], of remarks: Int, _ plain: SampleTable, _ comment: String
  ) -> Bool {
    guard remarks - fitting.count > 2, let top = plain.rows.first(where: { $0.kind != .blank }),
      bytes[top.start..<top.end].starts(with: comment.utf8), top.line != fitting.first?.line
    else { return false }
    return fitting.allSatisfy { row in
      bytes[row.start..<row.end].dropFirst(comment.utf8.count).first?.isBlank == true
    }
  }

  /// Takes the remark right above the first record for the header, if it has a name for each field of every record.
  ///
  /// Where tabs align the names, several may stand between two of them.
  private mutating func findHeaderRemark(_ comment: String, _ plain: SampleTable) {
    guard !known.contains(.header), !known.contains(.skippedLines), shape.above == 0, let first = shape.records.first,
      first > 0, table.rows[first - 1].kind == .comment,
      let row = plain.rows.firstIndex(where: { $0.line == table.rows[first - 1].line && $0.kind == .record }),
      !plain.cells(of: plain.rows[row]).contains(where: { CellKind(bytes, $0.start, $0.end).isTyped })
    else { return }
    let texts = CellText(bytes: bytes, quote: best.candidate.quote, escape: best.candidate.escape, trims: true)
    var names = texts.names(plain, row)
    names[0] = String(names[0].dropFirst(comment.count).drop { $0 == " " })
    if options.delimiter == "\t" { names.removeAll { $0.isEmpty } }
    guard names.count >= max(2, shape.width), HeaderJudge.fault(names) == nil,
      shape.records.allSatisfy({ table.rows[$0].width <= names.count })
    else { return }
    // A sentence may have as many commas as there are columns.
    guard options.delimiter == "\t" || !names.contains(where: { $0.contains(" ") }) else { return }
    options.header = .names(names)
    options.skippedLines = plain.rows[row].line
    evidence.append(
      "header columns: line \(plain.rows[row].line), the last remark, has \(PrintableText.count(names.count, "name"))")
    widen(to: names.count)
  }

  /// Makes a table as wide as the names of its columns, where records end in front of fields that they do not have.
  private mutating func widen(to width: Int) {
    if width > shape.width, let found = TableShape(bytes, table, width: width) { shape = found }
  }

  /// Takes the first record for the header although most others are narrower, if it has a name for each of their fields.
  private mutating func findWideHeader() {
    guard shape.width > 1, let first = shape.records.first, table.rows[first].width > shape.width,
      shape.records.allSatisfy({ table.rows[$0].width <= table.rows[first].width }),
      RecordOutline(bytes, table, table.rows[first]).isNames, isAboveValues(shape.width)
    else { return }
    evidence.append(
      "\(table.rows[first].width) names stand above records of which most have \(shape.width) fields")
    widen(to: table.rows[first].width)
    isCertain = false
  }

  /// Takes the first record for the header although most others are wider, if nothing stands behind what it names.
  private mutating func findNarrowHeader() {
    guard !known.contains(.longRecords), let first = shape.records.first else { return }
    let width = table.rows[first].width
    guard width > 1, width < shape.width, RecordOutline(bytes, table, table.rows[first]).isNames,
      shape.records.allSatisfy({ table.hasNothing(table.rows[$0], behind: width) }), isAboveValues(width)
    else { return }
    evidence.append("\(width) names stand above records of \(shape.width) fields, of which the last are empty")
    if let found = TableShape(bytes, table, width: width) { shape = found }
  }

  /// Whether one of the first columns holds numbers, dates or the like below the first record.
  private func isAboveValues(_ width: Int) -> Bool {
    let below = shape.records.dropFirst().prefix(20)
    return below.count > 1
      && (0..<width).contains { column in
        below.allSatisfy { row in
          let cell = table.cells(of: table.rows[row]).dropFirst(column).first
          return cell.map { CellKind(bytes, $0.start, $0.end).isTyped } ?? false
        }
      }
  }

  /// Leaves an option to a person; what it would read is refused.
  private mutating func propose(_ option: String, _ value: String, _ reason: String, unsaid: String? = nil) {
    evidence.append("\(option): \(reason)")
    proposals.append(CSVProposal(option: option, value: value, reason: reason, reasonUnsaid: unsaid))
  }

  /// Keeps the first table of several, or the requested one.
  mutating func findTables() {
    options.table = known.contains(.table) ? finder.base.table : nil
    let number = options.table ?? 1
    if shape.width > 1 || number > 1 {
      let tables = TableGroups(bytes, table).several(bytes, table)
      if !tables.isEmpty, !known.contains(.table) {
        options.table = 1
        caution.refusesOtherTables = true
        isCertain = false
        let lines = tables.prefix(8).map { String($0.line) }.joined(separator: ", ")
        let what = "\(tables.count) tables begin on the lines \(lines)\(tables.count > 8 ? " ..." : "")"
        propose(
          "table", "1", what + "; only the first is read, and the records of the others are rejected",
          unsaid: what + "; a run takes the records of the others for records of the first, and rejects only what does"
            + " not fit; table: 1 skips them")
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
      evidence.append("table \(number): \(Self.count(groups.count, "table is", "tables are")) in the sample")
      return
    }
    let line = table.rows[start].line
    if line > 1, !known.contains(.skippedLines), table.rows[..<start].contains(where: { $0.kind != .blank }) {
      options.skippedLines = line - 1
      evidence.append("skip_lines \(line - 1): the first table begins after them")
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
    findWideHeader()
    findNarrowHeader()
    guard let first = shape.records.first, table.rows.indices.contains(first) else { return }
    var judge = HeaderJudge(bytes, table, shape, texts)
    let row = table.rows[first]
    if judge.names != nil, known.contains(.skippedLines) || options.table ?? 1 > 1 || row.lines > 1 {
      // Its lines cannot be skipped.
      judge.names = nil
      judge.rows = 0
      judge.isCertain = false
    }
    let isBelowRemarks = remarksAbove > 0 || (options.comment != nil && !known.contains(.comment))
    if shape.width == 1, judge.rows > 0, !judge.isCertain, isBelowRemarks {
      // The remarks say what it is; a name that was a record would be lost.
      judge.rows = 0
      judge.names = nil
      judge.reason = "one column of text below remarks needs no name"
    }
    if let names = judge.names {
      options.header = .names(names)
      options.skippedLines = row.line
      if row.width > shape.width { shape.long -= 1 }
    } else {
      options.header = judge.rows > 0 ? .firstRecord : .none
    }
    options.headerRows = max(1, judge.rows)
    if judge.rows == 0, row.width != shape.width {
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
    if shape.above == 0 {
      if remarksAbove == 0 { return }
      options.skippedLines = shape.firstLine - 1
      evidence.append(
        "skip_lines \(shape.firstLine - 1): \(Self.count(remarksAbove, "remark is", "remarks are")) above the table"
      )
      return
    }
    findForeignHeader()
    options.skippedLines = shape.firstLine - 1
    if case .names = options.header, shape.above == 1 { return }
    evidence.append(
      "skip_lines \(shape.firstLine - 1): \(Self.count(shape.above, "record is", "records are")) above the table")
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
      let isPadded = split.cells.contains { $0.start < $0.end && line[$0.start].isBlank }
      if isPadded || HeaderJudge.fault(names) != nil { continue }
      options.header = .names(names)
      evidence.append(
        "header columns: line \(row.line) has \(names.count) names, but they are separated by \(Self.name(delimiter))")
      return
    }
  }

  mutating func findNulls() {
    if known.contains(.nullTokens) { return }
    let found = NullTokenEvidence.find(bytes, table, shape, headerRows: headerRows)
    options.nullTokens = found.tokens
    options.nullWords = found.words
    nullDoubt = found.doubt
    evidence += found.evidence
  }

  /// Decides about records of other widths: they are refused, unless their extra cells are empty.
  mutating func findRaggedRecords() {
    if shape.width < 1 { return }
    let all = shape.records.count
    if let mark = remarkMark() {
      propose(
        "comment", "\"\(mark)\"",
        "\(Self.count(shape.short, "line begins", "lines begin")) with “\(mark)” and"
          + " \(shape.short == 1 ? "has" : "have") fewer than \(shape.width) fields" + lines { $0.width < shape.width }
          + "; \(shape.short == 1 ? "it would be rejected as a record" : "they would be rejected as records")")
    } else if shape.short > 0, !options.padShortRecords {
      propose(
        "short_records", "pad",
        "\(shape.short) of \(all) records \(shape.short == 1 ? "has" : "have") fewer than \(shape.width) fields"
          + lines { $0.width < shape.width } + " and will be rejected; pad gives them empty ones")
    }
    if shape.long > 0, options.longRecords != .truncate {
      func isHarmless(_ row: SampleTable.Row) -> Bool { table.hasNothing(row, behind: shape.width) }
      let harmless = shape.records.dropFirst(headerRows).count {
        table.rows[$0].width > shape.width && isHarmless(table.rows[$0])
      }
      if harmless > 0, !known.contains(.longRecords) {
        options.longRecords = .dropEmpty
        evidence.append(
          "long_records drop_empty: \(harmless) of \(all) records \(harmless == 1 ? "has" : "have") more than"
            + " \(Self.count(shape.width, "field", "fields"))" + lines { $0.width > shape.width && isHarmless($0) }
            + "; the surplus is empty")
      }
      if harmless < shape.long {
        isCertain = false
        propose(
          "long_records", "truncate",
          "\(shape.long - harmless) of \(all) records \(shape.long - harmless == 1 ? "has" : "have") more than"
            + " \(Self.count(shape.width, "field", "fields"))" + lines { $0.width > shape.width && !isHarmless($0) }
            + " and will be rejected; truncate loses their extra cells")
      }
    }
    if !shape.below.isEmpty {
      let first = shape.below.first.map { table.rows[$0].line } ?? 0
      evidence.append(
        "\(Self.count(shape.below.count, "record", "records")) below the table, from line \(first) on, will be "
          + (options.padShortRecords ? "taken for short ones" : "rejected"))
    }
  }

  /// Says where a rule is drawn below the header, and where the header stands again.
  mutating func findRepeatedHeaders() {
    let rules = options.header == .none || shape.width < 2 ? [] : table.rows.filter { $0.kind == .rule }
    if let first = rules.first {
      evidence.append(
        "\(Self.count(rules.count, "line draws", "lines draw")) a rule, such as line \(first.line), and"
          + " \(rules.count == 1 ? "is" : "are") no record")
    }
    guard options.header == .firstRecord, options.repeatedHeaders == .skip, shape.width > 1,
      let first = shape.records.first
    else { return }
    let header = table.rows[first]
    let again = shape.records.dropFirst(max(1, headerRows)).filter { table.areSame(bytes, table.rows[$0], header) }
    if again.isEmpty { return }
    let lines = again.prefix(5).map { String(table.rows[$0].line) }.joined(separator: ", ")
    evidence.append(
      "the header is repeated on the line\(again.count == 1 ? "" : "s") \(lines)\(again.count > 5 ? " ..." : ""), and is"
        + " skipped there")
  }

  private func raw(_ row: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
    bytes[table.rows[row].start..<table.rows[row].end]
  }

  /// Remembers what keeps text from being lost by what was detected.
  mutating func findCaution() {
    let records = shape.records.dropFirst(headerRows).prefix(Self.mostTyped).filter {
      table.rows[$0].width >= shape.width
    }
    var typed = [Int](repeating: 0, count: shape.width)
    var filled = typed
    for index in records {
      for (column, cell) in table.cells(of: table.rows[index]).prefix(shape.width).enumerated() {
        let kind = CellKind(bytes, cell.start, cell.end)
        if kind == .empty || kind == .missing { continue }
        filled[column] += 1
        if kind.isTyped { typed[column] += 1 }
      }
    }
    caution.typedColumns = zip(typed, filled).map { $1 > 0 && $0 * 10 >= $1 * 8 }
    if options.skippedLines > 0, !known.contains(.skippedLines) {
      let header = headerRows > 0 ? shape.records.first : nil
      let isRead = options.header == .firstRecord
      if isRead || !isLikePreamble(shape.width, header: header.map { table.rows[$0].line }) {
        caution.header = header.map { Array(raw($0)) } ?? []
        caution.width = isRead ? 0 : shape.width
      }
    }
    caution.allowsEscapedNull = options.nullTokens.contains("\\N")
    options.caution = caution
  }

  private static let mostTyped = 400

  /// Whether a line among those to skip, besides the header, has so many fields.
  private func isLikePreamble(_ width: Int, header: Int?) -> Bool {
    let plain = SampleTable(bytes, best.candidate, comment: [])
    return width < 2
      || plain.rows.contains { $0.line <= options.skippedLines && $0.line != header && $0.width == width }
  }

  /// The mark of a remark that every record with too few fields begins with; nil where one begins otherwise.
  private func remarkMark() -> String? {
    if known.contains(.comment) || options.padShortRecords || options.comment != nil { return nil }
    let short = shape.records.map { table.rows[$0] }.filter { $0.width < shape.width }
    return CommentEvidence.prefixes.first { mark in
      !short.isEmpty && best.candidate.delimiter.first != mark.utf8.first
        && short.allSatisfy { bytes[$0.start..<$0.end].starts(with: mark.utf8) }
    }
  }

  /// The lines of the table's rows that meet a condition, as a part of a sentence.
  private func lines(_ condition: (SampleTable.Row) -> Bool) -> String {
    let found = shape.records.dropFirst(headerRows).filter { condition(table.rows[$0]) }.map { table.rows[$0].line }
    return " (line\(found.count == 1 ? "" : "s") "
      + found.prefix(5).map(String.init).joined(separator: ", ") + (found.count > 5 ? " ..." : "") + ")"
  }
}
