import MergewalkDiagnostics
import MergewalkBytes

/// Makes options and sentences of the best candidate.
struct DialectBuilder {
  let finder: DialectFinder
  let best: DialectScore
  var comment: String?
  var options = CSVOptions()
  var evidence: [String] = []
  var isCertain = true
  var proposals: [CSVProposal] = []
  var caution = CSVCaution()
  var nullDoubt: CSVProposal?

  var table: SampleTable
  var shape: TableShape
  /// The lines of the table that is read, of several.
  var lines: Range<Int>?
  /// Whether the lines to skip are decided.
  var skipIsFound = false
  /// The records that the header takes up.
  var headerRows = 0
  /// Lines with a remark above the table, which are among those to skip.
  var remarksAbove = 0

  init(finder: DialectFinder, best: DialectScore, comment: String?) {
    self.finder = finder
    self.best = best
    self.comment = comment
    table = finder.split(
      finder.bytes, best.candidate, Array((comment ?? "").utf8), isCut: !finder.text.isWhole)
    shape = best.shape
  }

  var bytes: UnsafeBufferPointer<UInt8> { finder.bytes }
  var known: CSVKnownOptions { finder.known }
  var isWhole: Bool { finder.text.isWhole }

  /// The dialect; `others` are the candidates with other delimiters, the best first.
  mutating func build(others: [DialectScore]) -> CSVDialect {
    options.delimiter = best.candidate.delimiter
    describeDelimiter(others)
    findComments()
    findTables()
    findQuotes()
    findPadding()
    findQuotedPadding()
    findHeader()
    findNulls()
    findRaggedRecords()
    findRepeatedHeaders()
    findCaution()
    describeLineEnds()
    if let sentence = finder.text.evidence { evidence.append(sentence) }
    let aligned = findAlignment()
    if !isWhole { evidence.append("only the first \(bytes.count) bytes of text were looked at") }
    var dialect = CSVDialect(
      options: options, evidence: evidence, isCertain: isCertain && finder.text.isCertain, proposals: proposals)
    dialect.isTableCertain = isCertain
    dialect.isEncodingToldByBytes = finder.text.isToldByBytes
    dialect.aligned = aligned
    dialect.nullDoubt = nullDoubt
    if !finder.text.isCertain { dialect.encodingDoubt = finder.text.evidence }
    return dialect
  }

  /// Looks for columns that blanks align, where only blanks or nothing separates fields.
  private mutating func findAlignment() -> AlignedColumns? {
    let delimiters: [CSVDelimiter] = [",", ";", "\t", "|"]
    guard !known.contains(.delimiter), shape.width == 1 || !delimiters.contains(options.delimiter),
      let aligned = AlignedColumns(bytes)
    else { return nil }
    isCertain = false
    let what =
      aligned.columns.isEmpty
      ? "all have \(aligned.length ?? 0) characters" : "have \(aligned.columns.count) columns that blanks align"
    evidence.append("fixed-width: \(aligned.lines) lines \(what)")
    return aligned
  }

  func split(_ candidate: DialectCandidate, _ comment: String?) -> SampleTable {
    var table = finder.split(bytes, candidate, Array((comment ?? "").utf8), isCut: !isWhole)
    if let lines {
      let first = table.rows.firstIndex { $0.line >= lines.lowerBound } ?? table.rows.count
      let end = table.rows.firstIndex { $0.line >= lines.upperBound } ?? table.rows.count
      table.keepRows(min(first, end)..<end)
    }
    return table
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
    // With blanks around it, a delimiter is the same one.
    let others = others.filter { !DialectCandidate.areAlike($0.candidate.delimiter, best.candidate.delimiter) }
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
      evidence.append("escape “\\”: it precedes a special character \(PrintableText.count(table.usedEscapes, "time"))")
      caution.doubtsEscapes = true
    }
    options.quote = best.candidate.quote
    var strayQuotes = table.strayQuotes
    if options.quote == nil, !known.contains(.quote), !options.delimiter.contains(UInt8(ascii: "\"")) {
      // Where no field begins with a quote, reading leniently gives the same, and quoted fields may follow.
      var candidate = best.candidate
      candidate.quote = UInt8(ascii: "\"")
      let quoted = SampleTable(bytes, candidate, comment: Array((comment ?? "").utf8))
      if quoted.quotedCells == 0, quoted.textAfterQuotes == 0, !quoted.isUnterminated {
        options.quote = candidate.quote
        strayQuotes = quoted.strayQuotes
      } else {
        evidence.append(
          "quote none: of the fields that begin with “\"” \(quoted.textAfterQuotes + (quoted.isUnterminated ? 1 : 0))"
            + " do not end with it, \(quoted.quotedCells) do")
      }
    }
    guard let quote = options.quote else { return }
    if table.quotedCells > 0 {
      evidence.append(
        "quote \(Self.name(quote)): \(table.quotedCells) of \(Self.count(table.cells.count, "field is", "fields are")) quoted"
      )
    }
    if table.textAfterQuotes + strayQuotes > 0, !known.contains(.lenientQuotes) {
      options.lenientQuotes = true
      evidence.append(
        "lenient quotes: \(Self.count(strayQuotes, "field has", "fields have")) a quote inside,"
          + " \(table.textAfterQuotes) text after the closing one")
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
    if delimiter == " " { return }
    var fields = 0
    var leading = 0
    var trailing = 0
    for index in shape.records {
      for (column, cell) in table.cells(of: table.rows[index]).enumerated() {
        if cell.isQuoted || cell.end == cell.start { continue }
        let isBlank = bytes[cell.start..<cell.end].allSatisfy(\.isBlank)
        if isBlank { continue }
        if column > 0 {
          fields += 1
          if bytes[cell.start].isBlank { leading += 1 }
        }
        if column + 1 < shape.width, bytes[cell.end - 1].isBlank { trailing += 1 }
      }
    }
    let isPadded = fields >= 2 && (leading * 10 >= fields * 9 || trailing * 10 >= fields * 8)
    let hasPaddedQuotes = table.paddedQuotes > 0 && table.paddedQuotes * 4 >= table.quotedCells
    if isPadded || hasPaddedQuotes {
      options.trim = true
      evidence.append(
        "trim: spaces before \(Self.count(leading + table.paddedQuotes, "field", "fields")) and after \(trailing)")
      return
    }
    // Without trimming a quote behind a blank is no opening quote.
    if table.paddedQuotes > 0 || best.candidate.trims {
      var candidate = best.candidate
      candidate.trims = false
      candidate.quote = options.quote
      if table.paddedQuotes > 0 {
        options.lenientQuotes = true
        table = split(candidate, comment)
        if let found = TableShape(bytes, table) { shape = found }
      }
    }
  }

  /// Sets `trimQuoted` when the text in quotes has a blank at both ends, all of it.
  private mutating func findQuotedPadding() {
    if known.contains(.trimQuoted) || options.quote == nil { return }
    options.trimQuoted = false
    var fields = 0
    for index in shape.records {
      for cell in table.cells(of: table.rows[index]) where cell.isQuoted && cell.end > cell.start {
        guard bytes[cell.start] == 32, bytes[cell.end - 1] == 32 else { return }
        if cell.end - cell.start > 2 { fields += 1 }
      }
    }
    if fields < 3 { return }
    options.trimQuoted = true
    evidence.append("trim_quoted: \(fields) fields have a space after the opening quote and before the closing one")
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

  static func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }

  /// A delimiter as sentences call it.
  static func name(_ delimiter: CSVDelimiter) -> String {
    if let byte = delimiter.single { return name(byte) }
    let text = delimiter.text
    let isPlain = text.unicodeScalars.allSatisfy { ($0.value >= 32 && $0.value < 127) || $0.value >= 0xA1 }
    if isPlain { return "“\(text)”" }
    return delimiter.count <= 4 && text.unicodeScalars.allSatisfy { $0.value < 128 }
      ? delimiter.bytes.map(name).joined(separator: " ")
      : text.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
  }

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
