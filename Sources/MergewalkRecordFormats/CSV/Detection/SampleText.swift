import MergewalkDiagnostics

/// A sample decoded to UTF-8, and how its encoding was told.
struct SampleText {
  /// The text without a byte order mark, cut behind its last whole line where more follows.
  var bytes: [UInt8]
  /// The encoding to read the file with.
  var encoding: TextEncoding
  /// The finding about it; nil when there is none.
  var evidence: String?
  /// Whether the encoding could be another one.
  var isCertain = true
  /// Whether the bytes told it, by themselves, so that those of another file may tell another.
  var isToldByBytes = false
  /// Whether the text is the whole file.
  var isWhole: Bool

  /// At most so many bytes of text are looked at.
  static let mostBytes = 1 << 18
  /// At most so many where the lines are so long that there are hardly any: a header of half a megabyte.
  static let longest = 1 << 20
  private static let fewLines = 4

  /// Decodes a sample; nil when it is no text.
  init?(_ sample: [UInt8], isWhole: Bool, encoding asked: TextEncoding) {
    encoding = asked
    self.isWhole = isWhole
    if asked == .automatic || asked == .detect {
      (encoding, evidence, isCertain, isToldByBytes) = Self.encoding(sample, isWhole, asked)
    }
    let isLong = sample.count > Self.mostBytes && Self.hasFewLines(sample.prefix(Self.mostBytes))
    let limit = isLong ? Self.longest : Self.mostBytes
    guard let stream = try? ByteSource(bytes: sample).openFile() else { return nil }
    var text = TextStream(stream, encoding: encoding)
    guard let decoded = try? text.sample(limit) else { return nil }
    bytes = decoded
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    if decoded.count + 64 > limit { self.isWhole = false }
    if !self.isWhole, let end = bytes.lastIndex(where: { $0 == 10 || $0 == 13 }) {
      bytes.removeSubrange((end + 1)...)
    }
    if Self.isBinary(bytes) { return nil }
  }

  /// Whether so many bytes hold so few lines that more of them have to be looked at.
  static func hasFewLines(_ bytes: some Collection<UInt8>) -> Bool {
    var lines = 0
    for byte in bytes where byte == 10 || byte == 13 {
      lines += 1
      if lines >= fewLines { return false }
    }
    return true
  }

  /// Whether bytes are a program's or a picture's: text has no NUL, and of other control characters one or two kinds,
  /// which then separate something.
  private static func isBinary(_ bytes: [UInt8]) -> Bool {
    var counts = [Int](repeating: 0, count: 32)
    for byte in bytes where byte < 32 { counts[Int(byte)] += 1 }
    for usual in [9, 10, 12, 13] { counts[usual] = 0 }
    if counts[0] * 100 > bytes.count { return true }
    return counts.count { $0 > 0 } > 3 && counts.reduce(0, +) * 50 > bytes.count
  }

  private static func encoding(
    _ sample: [UInt8], _ isWhole: Bool, _ asked: TextEncoding
  ) -> (TextEncoding, String?, Bool, Bool) {
    let part = sample.prefix(TextStream.rawSize)
    return part.withUnsafeBytes { bytes in
      if let mark = TextEncoding.marked(bytes) {
        return (asked, "encoding: a byte order mark of \(mark.encoding.name)", true, false)
      }
      let guess = EncodingDetector.detect(bytes, isWhole: isWhole && part.count == sample.count)
      guard let guess else { return (asked, "encoding: the bytes tell none; utf-8 is assumed", false, false) }
      if guess.encoding == .utf8 {
        return guess.confidence > 0.5 ? (asked, nil, true, false) : (asked, "encoding: \(guess.evidence)", false, false)
      }
      let doubt = EncodingDoubt(guess, bytes)
      if let sign = doubt.sign {
        return (.windows1252, "encoding: windows-1252, where \(sign)", false, false)
      }
      return (guess.encoding, "encoding: \(doubt.words)", doubt.isCertain, true)
    }
  }
}

/// What speaks against the encoding that the bytes of a text tell.
private struct EncodingDoubt {
  let guess: EncodingGuess
  /// How many characters beyond ASCII the text has in UTF-8.
  private let characters: Int
  /// The sign of Windows-1252 that separates something, if it is the rest of a letter in the encoding.
  let sign: String?
  /// Whether there are so few different bytes that they tell nothing.
  private let isThin: Bool

  /// Encodings of Latin letters in which an “Ã” or the like stands before no sign.
  private static let westernNames: Set<String> = [
    "windows-1252", "windows-1254", "windows-1257", "iso-8859-1", "iso-8859-3", "iso-8859-4", "iso-8859-9",
    "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15",
  ]

  /// Fewer different bytes beyond ASCII tell no encoding for certain, but for those that nearly all such files have.
  private static let fewCharacters = 6

  /// - Parameter bytes: The text, whose encoding is not UTF-8, and has no mark.
  init(_ guess: EncodingGuess, _ bytes: UnsafeRawBufferPointer) {
    self.guess = guess
    characters = EncodingDetector.sequences(bytes).characters
    let name = guess.encoding.name
    let isOneByte = name.hasPrefix("windows-125") || name.hasPrefix("iso-8859")
    sign = (isOneByte ? nil : Self.separator(bytes)).map {
      "0x\(String($0, radix: 16, uppercase: true)), which is equally frequent in all lines, is a sign"
    }
    isThin =
      !["windows-1252", "iso-8859-1", "iso-8859-15"].contains(name)
      && Set(bytes.filter { $0 >= 0x80 }).count < Self.fewCharacters
  }

  /// Characters of UTF-8 are words of no language in some encodings.
  private var isMixed: Bool { characters > 0 && Self.westernNames.contains(guess.encoding.name) }

  var isCertain: Bool { guess.confidence > 0.5 && !guess.hasRival && !isMixed && !isThin && sign == nil }

  /// The encoding, why it is this one, and why it may be another one.
  var words: String {
    "\(guess.encoding.name), because of \(guess.evidence)"
      + (isThin ? ", but there are so few of them that it may be another one" : "")
      + (isMixed ? "; but \(PrintableText.count(characters, "character")) of it would be right in utf-8" : "")
      + (sign.map { "; but in windows-1252 \($0)" } ?? "")
  }

  /// A byte that separates something if the text is in Latin-1: one of a few signs there, equally often in all of the
  /// first lines, never beside another byte that would be a sign.
  private static func separator(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
    let signs: [UInt8] = [0xA4, 0xA6, 0xA7, 0xAC, 0xAF, 0xB6]
    return signs.first { sign in
      var counts: [Int: Int] = [:]
      var (count, length, lines) = (0, 0, 0)
      for (i, byte) in bytes.enumerated() {
        if byte == 10 || byte == 13 {
          if length > 0 {
            counts[count, default: 0] += 1
            lines += 1
          }
          (count, length) = (0, 0)
          if lines == 100 { break }
          continue
        }
        length += 1
        if byte != sign { continue }
        count += 1
        let neighbours = [i > 0 ? bytes[i - 1] : 0, i + 1 < bytes.count ? bytes[i + 1] : 0]
        if neighbours.contains(where: { 0x80..<0xC0 ~= $0 && $0 != sign }) { return false }
      }
      let best = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
      return lines >= 3 && best.map { $0.key > 0 && $0.value * 10 >= lines * 8 } == true
    }
  }
}

extension ByteSource {
  /// The encoding that a reader takes by the first bytes, and why it may be another one; nil where it is certain, where they
  /// tell none, which the reader refuses, and for inputs that can be read only once.
  ///
  /// - Throws: `ReadError` when the source cannot be opened or read.
  package func encodingDoubt() throws(ReadError) -> String? {
    if isReadOnce { return nil }
    let (sample, isWhole) = try CSVDialectDetector.sample(of: try SourceContents(self).first())
    // As the reader decides.
    let start = sample.prefix(TextStream.rawSize)
    return start.withUnsafeBytes { bytes in
      guard TextEncoding.marked(bytes) == nil,
        let guess = EncodingDetector.detect(bytes, isWhole: isWhole && start.count == sample.count),
        guess.encoding != .utf8 || guess.confidence <= 0.5
      else { return nil }
      if guess.encoding == .utf8 { return guess.evidence }
      let doubt = EncodingDoubt(guess, bytes)
      return doubt.isCertain ? nil : doubt.words
    }
  }
}
