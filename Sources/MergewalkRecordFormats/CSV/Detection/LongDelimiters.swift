/// Possible delimiters of a sample that have several characters, or characters beyond ASCII.
///
/// They are taken from the text: up to four characters between words in most of the first lines, except blanks, signs,
/// brackets and full stops. ``DialectScore`` rates how well they split the sample.
struct LongDelimiters {
  /// So many lines are looked at.
  private static let mostLines = 200
  /// So many bytes of a line.
  private static let mostBytes = 4096
  /// So many different pieces of text are counted.
  private static let mostPieces = 2000
  /// So many candidates are tried.
  private static let mostCandidates = 10
  private static let mostScalars = 4

  /// The counts in a piece of text.
  private struct Count {
    var all = 0
    var lines = 0
    var lastLine = 0
  }

  /// One character of a run of those that can separate.
  private struct Mark {
    var bytes: UInt64
    var length: Int
  }

  /// The candidates, those that stand in the most places first.
  private(set) var delimiters: [CSVDelimiter] = []

  private var counts: [CSVDelimiter: Count] = [:]

  /// Looks at the first lines of a sample.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var at = 0
    var lines = 0
    while at < bytes.count, lines < Self.mostLines {
      var end = at
      while end < bytes.count, bytes[end] != 10, bytes[end] != 13 { end += 1 }
      if end > at {
        lines += 1
        count(bytes, at, min(end, at + Self.mostBytes), line: lines)
      }
      at = end + 1
    }
    let found = counts.filter { $0.value.lines * 2 >= lines && DialectCandidate.prior($0.key) != nil }
    delimiters = Array(
      found.sorted { ($0.value.all, $1.key.word) > ($1.value.all, $0.key.word) }.prefix(Self.mostCandidates).map(\.key))
  }

  private mutating func count(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, line: Int) {
    var run: [Mark] = []
    var at = start
    while at < end {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\\"), at + 1 < end, bytes[at + 1] == UInt8(ascii: "t") {
        // A spelling by which a tab was meant.
        note("\\t", line)
        run = []
        at += 2
        continue
      }
      guard let mark = Self.mark(bytes, at, end) else {
        run = []
        at += byte < 0x80 ? 1 : Self.length(byte)
        continue
      }
      if run.count == Self.mostScalars { run.removeFirst() }
      run.append(mark)
      at += mark.length
      var word: UInt64 = 0
      var length = 0
      for mark in run.reversed() {
        length += mark.length
        if length > CSVDelimiter.mostBytes { break }
        word = word << UInt64(8 * mark.length % 64) | mark.bytes
        if length > 1 { note(CSVDelimiter(word: word, count: length), line) }
      }
    }
  }

  private mutating func note(_ piece: CSVDelimiter, _ line: Int) {
    if counts[piece] == nil, counts.count >= Self.mostPieces { return }
    counts[piece, default: Count()].all += 1
    if counts[piece]?.lastLine == line { return }
    counts[piece]?.lastLine = line
    counts[piece]?.lines += 1
  }

  /// The character at a place, if it can be a part of a delimiter.
  private static func mark(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ end: Int) -> Mark? {
    let byte = bytes[at]
    if byte < 0x80 {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: "~"),
        UInt8(ascii: "^"), UInt8(ascii: "#"), UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "*"), UInt8(ascii: "&"), UInt8(ascii: "@"), UInt8(ascii: "-"), UInt8(ascii: "/"),
        UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: " "), 1...9, 11, 12,
        14...31:
        return Mark(bytes: UInt64(byte), length: 1)
      default: return nil
      }
    }
    let length = length(byte)
    guard length > 1, at + length <= end else { return nil }
    let text = String(decoding: bytes[at..<at + length], as: UTF8.self).unicodeScalars
    guard let scalar = text.first, text.count == 1, LongDelimiters.prior(scalar) != nil else { return nil }
    var word: UInt64 = 0
    for i in 0..<length { word |= UInt64(bytes[at + i]) << UInt64(8 * i) }
    return Mark(bytes: word, length: length)
  }

  /// The length of a character by its first byte.
  private static func length(_ byte: UInt8) -> Int { byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4 }

  // MARK: Priors

  /// Whether it is a comma, semicolon or tab twice, and perhaps an empty column between two.
  static func mayBeEmptyColumn(_ delimiter: CSVDelimiter) -> Bool {
    ([",,", ";;", "\t\t"] as [CSVDelimiter]).contains(delimiter)
  }

  /// The delimiter without blanks around it; nil if it has none, or is nothing else.
  static func core(_ delimiter: CSVDelimiter) -> CSVDelimiter? {
    guard delimiter.count > 1, delimiter.contains(32) else { return nil }
    return CSVDelimiter(delimiter.text.split(separator: " ").joined())
  }

  /// How likely a character beyond ASCII is as a delimiter; nil for those of words and numbers.
  private static func prior(_ scalar: Unicode.Scalar) -> Double? {
    switch scalar.properties.generalCategory {
    case .control, .privateUse, .mathSymbol, .otherSymbol, .modifierSymbol, .otherPunctuation: break
    case .currencySymbol, .dashPunctuation, .spaceSeparator: return 0.4
    default: return nil
    }
    // Units, and what stands in ordinary text.
    let weak: [Unicode.Scalar] = ["°", "·", "•", "…", "©", "®", "×", "±", "´", "¨", "¿", "¡", "\u{FFFD}"]
    return weak.contains(scalar) ? 0.4 : 0.92
  }

  /// How likely a delimiter of several bytes is before anything was read, from 0 to 1; nil for what is none.
  static func prior(_ delimiter: CSVDelimiter) -> Double? {
    if delimiter == "\\t" { return 0.9 }
    var scalars = Array(delimiter.text.unicodeScalars)
    let all = scalars.count
    while scalars.first == " " { scalars.removeFirst() }
    while scalars.last == " " { scalars.removeLast() }
    let (padding, leading) = (all - scalars.count, delimiter.first == 32)
    guard let first = scalars.first, !scalars.contains(" ") else { return nil }
    if padding > 0 {
      // A blank behind it, or one on each side; the same without blanks is tried, too, and preferred.
      guard padding == (leading ? 2 : 1), let core = CSVDelimiter(String(String.UnicodeScalarView(scalars))),
        !DialectCandidate.standsInText(core), let prior = DialectCandidate.prior(core), prior > 0.7
      else { return nil }
      return 0.9 * prior
    }
    if scalars.allSatisfy({ $0 == first }) {
      guard first.isASCII else { return prior(first) }
      switch first {
      case "-", "/", "!", "+", "%", "$", "<", ">": return all == 2 ? 0.35 : nil
      case ",": return 0.85
      case "|", ";": return 0.95
      case "=", "*", "#", "&", "@": return 0.6
      default: return first.value < 32 ? 0.95 : 0.88
      }
    }
    // Signs, and what begins addresses, belong to values.
    let foreign: [Unicode.Scalar] = ["-", "/", "+", "%", "!", "<", ">"]
    if delimiter == "=>" || delimiter == "->" { return 0.8 }
    let isMirrored = scalars == scalars.reversed()
    if !isMirrored, scalars.contains(where: { foreign.contains($0) || $0 == "$" || $0 == "#" }) { return nil }
    if isMirrored, scalars.contains(where: { foreign.contains($0) && $0 != "!" }) { return 0.6 }
    return isMirrored ? 0.99 : 0.8
  }
}
