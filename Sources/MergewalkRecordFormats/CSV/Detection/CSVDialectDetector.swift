/// Detects the dialect of a delimited text from its first bytes.
///
/// Every candidate (delimiter, quote, escape) splits the first lines of the sample; ``DialectScore`` rates how well
/// each explains them, and the best ones split the whole sample. The winner's result then shows lines above and below
/// the table, the header, null tokens, padding and ragged records. The standard dialect wins a tie.
///
/// The sample is at most 256 KiB of text, or 1 MiB if the lines are very long. The work is linear in its size for each
/// of some 40 candidates.
public enum CSVDialectDetector {
  /// The dialect of a file's first bytes; nil if they are not text.
  ///
  /// - Parameters:
  ///   - sample: The first bytes of the file, unpacked and not decoded; only the first 256 KiB of text are examined, or
  ///     1 MiB if the lines are so long that 256 KiB contain fewer than four.
  ///   - isWhole: Whether these are all bytes of the file.
  ///   - base: The options to use if nothing is detected; its encoding is kept unless it is automatic, and its
  ///     delimiter wins between two that fit equally well.
  public static func detect(sample: [UInt8], isWhole: Bool, base: CSVOptions = CSVOptions()) -> CSVDialect? {
    detect(sample: sample, isWhole: isWhole, base: base, known: [])
  }

  /// The dialect of a file's first bytes if some options are known; nil if they are not text.
  ///
  /// - Parameters:
  ///   - sample: The first bytes of the file, unpacked and not decoded.
  ///   - isWhole: Whether these are all bytes of the file.
  ///   - base: The options to use if nothing is detected.
  ///   - known: The options of `base` that are fixed, and help to detect the others.
  public static func detect(
    sample: [UInt8], isWhole: Bool, base: CSVOptions, known: CSVKnownOptions
  ) -> CSVDialect? {
    guard let text = SampleText(sample, isWhole: isWhole, encoding: base.encoding) else { return nil }
    return text.bytes.withUnsafeBufferPointer { bytes in
      var dialect = DialectFinder(bytes: bytes, text: text, base: base, known: known).find()
      if !known.contains(.header) { dialect.checkHeader(text.bytes) }
      return dialect
    }
  }

  /// The dialect of a source, from its first bytes or those of an archive's first selected member; nil for inputs that
  /// can be read only once, and for data that is not text.
  ///
  /// - Throws: `ReadError` when the source cannot be opened or read.
  public static func detect(_ source: ByteSource, base: CSVOptions = CSVOptions()) throws(ReadError) -> CSVDialect? {
    try detect(source, base: base, known: [])
  }

  /// The dialect of a source if some options are known.
  ///
  /// - Throws: `ReadError` when the source cannot be opened or read.
  public static func detect(
    _ source: ByteSource, base: CSVOptions, known: CSVKnownOptions
  ) throws(ReadError) -> CSVDialect? {
    if source.isReadOnce { return nil }
    let (sample, isWhole) = try sample(of: try SourceContents(source).first())
    return detect(sample: sample, isWhole: isWhole, base: base, known: known)
  }

  /// The first bytes of a file, as many as are looked at.
  static func sample(of stream: any ByteStream) throws(ReadError) -> (bytes: [UInt8], isWhole: Bool) {
    // Text of four bytes a character becomes shorter.
    var sample = [UInt8](repeating: 0, count: SampleText.mostBytes)
    var filled = 0
    while true {
      if filled == sample.count {
        if filled >= SampleText.longest || !SampleText.hasFewLines(sample) { break }
        sample += [UInt8](repeating: 0, count: SampleText.longest - filled)
      }
      let count = try sample.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
        try stream.read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[filled...])))
      }
      if count == 0 { return (Array(sample[..<filled]), true) }
      filled += count
    }
    return (sample, false)
  }
}

/// One search for the dialect of a sample.
struct DialectFinder {
  /// All candidates are compared by so many bytes.
  private static let firstLook = 1 << 15
  /// So many of them are compared by the whole sample.
  private static let finalists = 4

  let bytes: UnsafeBufferPointer<UInt8>
  let text: SampleText
  var base: CSVOptions
  var known: CSVKnownOptions

  func find() -> CSVDialect {
    if let delimiter = TableShape.hint(bytes), !known.contains(.delimiter) {
      var hinted = self
      hinted.base.delimiter = delimiter
      hinted.known.insert(.delimiter)
      return hinted.find()
    }
    var options = base
    options.encoding = text.encoding
    var comment = known.contains(.comment) ? base.comment : nil
    var ranking = rank(comment: Array((comment ?? "").utf8))
    if !known.contains(.comment), let prefix = CommentEvidence.prefix(bytes) {
      // Remarks disturb the table if they are some; a column of text they do not disturb, but one would be its header.
      let other = rank(comment: Array(prefix.utf8))
      let plain = ranking.first.map { (value: $0.value, isText: $0.isSingle && $0.value < 0.5) }
      let factor = plain?.isText == true && beginsWithRemark(prefix) ? 0.99 : 1.01
      if let new = other.first, new.value > factor * (plain?.value ?? 0) {
        comment = prefix
        ranking = other
      }
    }
    guard let best = ranking.first else {
      if !known.contains(.header) { options.header = .none }
      let evidence = [bytes.isEmpty ? "the file is empty" : "there is no record"] + (text.evidence.map { [$0] } ?? [])
      var dialect = CSVDialect(options: options, evidence: evidence, isCertain: false)
      dialect.isTableCertain = false
      return dialect
    }
    var build = DialectBuilder(finder: self, best: best, comment: comment)
    build.options = options
    return build.build(others: Array(ranking.dropFirst()))
  }

  /// Whether the text begins with a mark of remarks and words behind a blank.
  private func beginsWithRemark(_ mark: String) -> Bool {
    guard let start = bytes.firstIndex(where: { $0 != 10 && $0 != 13 }) else { return false }
    let line = bytes[start...].prefix { $0 != 10 && $0 != 13 }
    guard line.starts(with: mark.utf8), let next = line.dropFirst(mark.utf8.count).first else { return false }
    return next == 32 || next == 9
  }

  /// The candidates by their scores on the whole sample, the best first; at most one for each delimiter.
  private func rank(comment: [UInt8]) -> [DialectScore] {
    let start = firstLines()
    var scores: [DialectScore] = []
    // Of what leaves one column, that with a delimiter that does not occur comes first: others may occur in a rule.
    for candidate in [oneColumn()] + DialectCandidate.all(for: bytes, start: start, base, known: known) {
      let table = split(start, candidate, comment, isCut: start.count < bytes.count || !text.isWhole)
      if let score = DialectScore(start, candidate, table) { scores.append(adjusted(score)) }
    }
    scores = Self.sorted(scores)
    if start.count < bytes.count {
      scores = Self.sorted(
        scores.prefix(Self.finalists).compactMap { first in
          DialectScore(bytes, first.candidate, split(bytes, first.candidate, comment, isCut: !text.isWhole))
            .map(adjusted)
        })
    }
    if let first = scores.first, let plain = withoutBlanks(first, comment) { scores.insert(plain, at: 0) }
    var seen: Set<CSVDelimiter> = []
    return scores.filter { seen.insert($0.candidate.delimiter).inserted }
  }

  /// The score without the blanks of a delimiter, if every field has them, so that trimming gives the same.
  private func withoutBlanks(_ score: DialectScore, _ comment: [UInt8]) -> DialectScore? {
    guard let core = LongDelimiters.core(score.candidate.delimiter), !known.contains(.trim) || base.trim else {
      return nil
    }
    var candidate = score.candidate
    candidate.delimiter = core
    let padded = split(bytes, score.candidate, comment, isCut: !text.isWhole)
    let plain = split(bytes, candidate, comment, isCut: !text.isWhole)
    guard padded.rows.count == plain.rows.count, padded.cells.count == plain.cells.count,
      zip(padded.rows, plain.rows).allSatisfy({ $0.start == $1.start && $0.width == $1.width })
    else { return nil }
    for row in plain.rows {
      let isPadded = plain.cells(of: row).dropFirst().allSatisfy {
        $0.isQuoted ? $0.isPadded : $0.start < $0.end && bytes[$0.start] == 32
      }
      if !isPadded { return nil }
    }
    return DialectScore(bytes, candidate, plain)
  }

  /// Splits the sample, or the start of it.
  func split(
    _ part: UnsafeBufferPointer<UInt8>, _ candidate: DialectCandidate, _ comment: [UInt8], isCut: Bool
  ) -> SampleTable {
    let marksRules = base.repeatedHeaders == .skip
    var table = SampleTable(part, candidate, comment: comment, isCut: isCut, marksRules: marksRules)
    guard isCut, table.isUnterminated else { return table }
    // A quote that is closed behind the sample, or one that is never closed: its lines tell.
    if table.cutRowHoldsRecords(part, candidate) {
      return SampleTable(part, candidate, comment: comment, marksRules: marksRules)
    }
    table.removeCutRow()
    return table
  }

  /// A stable order: of equal scores the first stays the first.
  private static func sorted(_ scores: [DialectScore]) -> [DialectScore] {
    scores.enumerated().sorted { left, right in
      let difference = left.element.value - right.element.value
      return abs(difference) > 1e-9 ? difference > 0 : left.offset < right.offset
    }.map(\.element)
  }

  /// Adds a little for options that the format itself implies.
  private func adjusted(_ score: DialectScore) -> DialectScore {
    var score = score
    if score.candidate.delimiter == base.delimiter, !score.isSingle { score.value *= 1.03 }
    return score
  }

  /// The candidate that takes the text as one column: with a delimiter that does not occur.
  private func oneColumn() -> DialectCandidate {
    let candidates: [CSVDelimiter] = [base.delimiter, ",", ";", "\t", "|", "\u{1F}"]
    let unused = candidates.first { !bytes.contains($0.first) } ?? "\u{1F}"
    let delimiter = known.contains(.delimiter) ? base.delimiter : unused
    let quote = known.contains(.quote) ? base.quote : UInt8(ascii: "\"")
    return DialectCandidate(
      delimiter: delimiter, quote: quote.flatMap { delimiter.contains($0) ? nil : $0 },
      escape: known.contains(.escape) ? base.escape : nil)
  }

  /// The lines at the start by which candidates are first compared.
  private func firstLines() -> UnsafeBufferPointer<UInt8> {
    if bytes.count <= Self.firstLook { return bytes }
    let end = bytes[..<Self.firstLook].lastIndex { $0 == 10 || $0 == 13 } ?? bytes.count - 1
    return UnsafeBufferPointer(rebasing: bytes[...end])
  }
}
