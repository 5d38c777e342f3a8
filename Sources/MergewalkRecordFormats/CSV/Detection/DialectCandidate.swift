/// A way of writing that is tried on a sample.
struct DialectCandidate: Hashable {
  var delimiter: CSVDelimiter
  var quote: UInt8?
  var escape: UInt8?
  /// Whether blanks around fields and quotes are skipped.
  var trims = true

  /// How likely a delimiter is before anything was read, from 0 to 1; nil for bytes that are none.
  static func prior(_ delimiter: CSVDelimiter) -> Double? {
    guard let byte = delimiter.single else { return LongDelimiters.prior(delimiter) }
    return prior(byte)
  }

  private static func prior(_ delimiter: UInt8) -> Double? {
    switch delimiter {
    case UInt8(ascii: ","), 9: 1
    case UInt8(ascii: ";"): 0.99
    case UInt8(ascii: "|"): 0.97
    // Hive and others separate with control characters; NUL, LF and CR cannot.
    case 1...8, 11, 12, 14...31: 0.95
    case UInt8(ascii: "^"), UInt8(ascii: "~"): 0.85
    case UInt8(ascii: ":"): 0.75
    case UInt8(ascii: " "): 0.6
    case UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "="),
      UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "?"),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"):
      0.55
    case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "-"), UInt8(ascii: "_"): 0.4
    default: nil
    }
  }

  /// How much a cell of mere text speaks for a delimiter: less for one that stands in ordinary text.
  static func weakness(_ delimiter: CSVDelimiter, isSteady: Bool) -> Double {
    let prior = prior(delimiter) ?? 0
    if prior > 0.6 { return 1 }
    if standsInText(delimiter) { return isSteady ? 0.85 : 0.5 }
    return isSteady ? 0.9 : 0.7
  }

  /// Whether two delimiters are the same but for blanks around them.
  static func areAlike(_ left: CSVDelimiter, _ right: CSVDelimiter) -> Bool {
    left.bytes.filter { $0 != 32 } == right.bytes.filter { $0 != 32 }
  }

  /// Whether a delimiter stands between the words of ordinary text.
  static func standsInText(_ delimiter: CSVDelimiter) -> Bool {
    ([" ", "-", "_", "/"] as [CSVDelimiter]).contains(delimiter)
  }

  /// The candidates for a sample, the likelier ones first.
  ///
  /// - Parameters:
  ///   - start: the first lines of the sample.
  ///   - options: what is kept of the options that are `known`.
  static func all(
    for sample: UnsafeBufferPointer<UInt8>, start: UnsafeBufferPointer<UInt8>, _ options: CSVOptions,
    known: CSVKnownOptions
  ) -> [DialectCandidate] {
    var counts = [Int](repeating: 0, count: 256)
    var backslashPairs = 0
    var previous: UInt8 = 10
    for byte in sample {
      counts[Int(byte)] += 1
      // Before a letter or a digit a backslash is a path's, or stands for something that is no delimiter.
      if previous == UInt8(ascii: "\\"), !CellKind.isWordByte(byte), byte != UInt8(ascii: " ") { backslashPairs += 1 }
      previous = byte
    }
    let delimiters: [CSVDelimiter]
    if known.contains(.delimiter) {
      delimiters = [options.delimiter]
    } else {
      // What is missing in most lines separates nothing; in few lines it may be all the same.
      let lines = max(counts[10], counts[13])
      delimiters =
        (0..<128).map { UInt8($0) }
        .filter { counts[Int($0)] > 0 && prior($0) != nil && (lines < 40 || counts[Int($0)] * 4 >= lines) }
        .sorted { (prior($0) ?? 0, $1) > (prior($1) ?? 0, $0) }.map { CSVDelimiter($0) }
        + LongDelimiters(start).delimiters
    }
    let escapes: [UInt8?] =
      known.contains(.escape) ? [options.escape] : backslashPairs > 0 ? [nil, UInt8(ascii: "\\")] : [nil]
    return delimiters.flatMap { delimiter -> [DialectCandidate] in
      var quotes: [UInt8?] = [UInt8(ascii: "\"")]
      if known.contains(.quote) {
        quotes = [options.quote]
      } else {
        if counts[Int(UInt8(ascii: "'"))] >= 2, encloses(UInt8(ascii: "'"), delimiter, start) {
          quotes.append(UInt8(ascii: "'"))
        }
        if counts[Int(UInt8(ascii: "\""))] > 0 { quotes.append(nil) }
      }
      return quotes.filter { $0.map(delimiter.contains) != true }.flatMap { quote in
        escapes.filter { $0 == nil || ($0.map(delimiter.contains) == false && $0 != quote) }.map {
          DialectCandidate(delimiter: delimiter, quote: quote, escape: $0, trims: delimiter != " ")
        }
      }
    }
  }

  /// Whether some fields begin and some end with the byte.
  private static func encloses(
    _ quote: UInt8, _ delimiter: CSVDelimiter, _ sample: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let (first, last) = (delimiter.first, delimiter.byte(delimiter.count - 1))
    var opens = 0
    var closes = 0
    for i in sample.indices where sample[i] == quote {
      let before = i == 0 ? 10 : sample[i - 1]
      let after = i + 1 == sample.count ? 10 : sample[i + 1]
      if before == last || before == 10 || before == 13 || before == 32 { opens += 1 }
      if after == first || after == 10 || after == 13 || after == 32 { closes += 1 }
      if opens > 0, closes > 0 { return true }
    }
    return false
  }
}
