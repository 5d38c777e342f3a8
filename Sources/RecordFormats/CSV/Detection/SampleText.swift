/// A sample decoded to UTF-8, and how its encoding was told.
struct SampleText {
  /// The text without a byte order mark, cut behind its last whole line where more follows.
  var bytes: [UInt8]
  /// The encoding to read the file with.
  var encoding: TextEncoding
  /// What was found about it; nil where there is nothing to say.
  var evidence: String?
  /// Whether the encoding could be another one.
  var isCertain = true
  /// Whether the text is the whole file.
  var isWhole: Bool

  /// At most so many bytes of text are looked at.
  static let mostBytes = 1 << 18

  /// Decodes a sample; nil when it is no text.
  init?(_ sample: [UInt8], isWhole: Bool, encoding asked: TextEncoding) {
    encoding = asked
    self.isWhole = isWhole
    if asked == .automatic || asked == .detect {
      (encoding, evidence, isCertain) = Self.encoding(sample, isWhole, asked)
    }
    guard let stream = try? ByteSource(bytes: sample).openFile() else { return nil }
    var text = TextStream(stream, encoding: encoding)
    guard let decoded = try? text.sample(Self.mostBytes) else { return nil }
    bytes = decoded
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    if decoded.count + 64 > Self.mostBytes { self.isWhole = false }
    if !self.isWhole, let end = bytes.lastIndex(where: { $0 == 10 || $0 == 13 }) {
      bytes.removeSubrange((end + 1)...)
    }
    if Self.isBinary(bytes) { return nil }
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
  ) -> (TextEncoding, String?, Bool) {
    let part = sample.prefix(TextStream.rawSize)
    return part.withUnsafeBytes { bytes in
      if let mark = TextEncoding.marked(bytes) {
        return (asked, "encoding: a byte order mark of \(mark.encoding.name)", true)
      }
      let guess = EncodingDetector.detect(bytes, isWhole: isWhole && part.count == sample.count)
      guard let guess else { return (asked, "encoding: the bytes tell none; utf-8 is assumed", false) }
      if guess.encoding == .utf8 { return (asked, nil, true) }
      let (characters, faults) = sequences(bytes)
      if characters > 4 * faults {
        return (
          asked, "encoding: utf-8, but \(faults) byte\(faults == 1 ? " is" : "s are") no part of a character", false
        )
      }
      return (guess.encoding, "encoding: \(guess.encoding.name), because of \(guess.evidence)", guess.confidence > 0.5)
    }
  }

  /// The number of characters beyond ASCII in UTF-8, and of bytes that are part of none.
  private static func sequences(_ bytes: UnsafeRawBufferPointer) -> (characters: Int, faults: Int) {
    var characters = 0
    var faults = 0
    var i = 0
    while i < bytes.count {
      let byte = bytes[i]
      i += 1
      if byte < 0x80 { continue }
      let length = byte >= 0xF0 && byte < 0xF5 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC2 ? 1 : 0
      let isWhole = length > 0 && byte < 0xF5 && i + length <= bytes.count
      if isWhole, (i..<i + length).allSatisfy({ bytes[$0] & 0xC0 == 0x80 }) {
        characters += 1
        i += length
      } else {
        faults += 1
      }
    }
    return (characters, faults)
  }
}
