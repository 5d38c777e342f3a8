/// A guess at a text's encoding.
package struct EncodingGuess: Sendable, Hashable {
  package var encoding: TextEncoding
  /// The evidence for it, as it follows “because of”.
  package var evidence: String
  /// From 0 to 1: 1 where the bytes leave no choice.
  package var confidence: Double
  /// Whether another encoding, which is rare, would make other letters of the same language of it.
  package var hasRival = false
}

/// Tells the encoding of a text by its first bytes, for those who ask for it.
///
/// The first of these that fits decides:
///
/// 1. a byte order mark of UTF-8, UTF-16 or UTF-32;
/// 2. NUL bytes: UTF-32 or UTF-16, in the order of bytes that makes more common characters;
/// 3. nothing but ASCII: the escape sequences of ISO-2022-JP, -KR or -CN, or else UTF-8;
/// 4. UTF-8, valid but for a few bytes, fewer than a quarter of its characters beyond ASCII;
/// 5. the better one of an encoding of Chinese, Japanese or Korean in which every byte is text, most of it common
///    (``EncodingModel/eastAsian``), and an encoding of one byte a character in which every byte is text and whose
///    letters are those of one language, as often as that language has them, without symbols inside words
///    (``EncodingModel/languages``);
/// 6. Windows-1252 if its letters are those of several languages of Western Europe, which is never certain.
///
/// A text of few letters beyond ASCII may fit several encodings that differ; the first of the list in
/// ``EncodingModel`` is taken. One or two different bytes, a currency or a unit in each line, are few however often they
/// come.
package enum EncodingDetector {
  /// The encoding of a file's first bytes; nil when nothing fits.
  ///
  /// - Parameter isWhole: these are all bytes of the file, so that no character is cut at their end.
  /// - Complexity: O(bytes) for each encoding that is tried, some forty.
  package static func detect(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> EncodingGuess? {
    if let mark = TextEncoding.marked(bytes) {
      return EncodingGuess(encoding: mark.encoding, evidence: "a byte order mark", confidence: 1)
    }
    if bytes.contains(0) {
      return hasStrayNULs(bytes, isWhole: isWhole)
        ? EncodingGuess(encoding: .utf8, evidence: "UTF-8 but for a few NUL bytes", confidence: 0.9) : units(bytes)
    }
    if bytes.allSatisfy({ $0 < 0x80 }) {
      if let guess = escapes(bytes) { return guess }
      return EncodingGuess(encoding: .utf8, evidence: "nothing but ASCII", confidence: 1)
    }
    if isUTF8(bytes, isWhole: isWhole) {
      return EncodingGuess(encoding: .utf8, evidence: "valid UTF-8 beyond ASCII", confidence: 1)
    }
    let (characters, faults) = sequences(bytes)
    if characters > 4 * faults {
      // Whoever takes it for another encoding alters all of the text, not the bytes that are wrong.
      return EncodingGuess(
        encoding: .utf8, evidence: "utf-8, but \(faults) byte\(faults == 1 ? " is" : "s are") no part of a character",
        confidence: 0.5)
    }
    guard let (found, rival) = eastAsian(bytes, isWhole: isWhole) else { return singleByte(bytes) }
    var wide = found
    if let narrow = singleByte(bytes), narrow.confidence > wide.confidence { return narrow }
    if let rival {
      wide.evidence += ", but there is so little of it that it may be \(rival.name)"
      wide.confidence = min(wide.confidence, 0.5)
    }
    return wide
  }

  // MARK: Steps

  /// The number of characters beyond ASCII in UTF-8, and of bytes that are part of none.
  static func sequences(_ bytes: UnsafeRawBufferPointer) -> (characters: Int, faults: Int) {
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

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
    var check = TextCheck()
    bytes.withMemoryRebound(to: UInt8.self) { bytes in
      if let base = bytes.baseAddress { check.advance(base, origin: 0, end: bytes.count, isLast: isWhole) }
    }
    return check.fault == .max
  }

  /// Whether a text is UTF-8 with a few NUL bytes in it, which belong to no text; wide characters have many, or other
  /// control characters, or bytes that are not UTF-8.
  private static func hasStrayNULs(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
    let rest = bytes.filter { $0 != 0 }
    if 16 * (bytes.count - rest.count) >= bytes.count { return false }
    if rest.contains(where: { $0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 13 }) { return false }
    return rest.withUnsafeBytes { isUTF8($0, isWhole: isWhole) }
  }

  /// UTF-32 or UTF-16 without a mark.
  private static func units(_ bytes: UnsafeRawBufferPointer) -> EncodingGuess? {
    var best: (encoding: TextEncoding, score: Double)?
    let candidates: [(TextEncoding, UnitDecoder)] = [
      (.utf32LittleEndian, UnitDecoder(unitSize: 4, lowFirst: true)),
      (.utf32BigEndian, UnitDecoder(unitSize: 4, lowFirst: false)),
      (.utf16LittleEndian, UnitDecoder(unitSize: 2, lowFirst: true)),
      (.utf16BigEndian, UnitDecoder(unitSize: 2, lowFirst: false)),
    ]
    for (encoding, decoder) in candidates {
      var text = [UInt8](repeating: 0, count: 2 * bytes.count + 64)
      let count = text.withUnsafeMutableBytes { decoder.decode(bytes, into: $0, isLast: false).written }
      // A lone surrogate or a value that is no code point is no text.
      guard let string = String(validating: text[..<count], as: UTF8.self) else { continue }
      var sum = 0.0
      var scalars = 0
      for scalar in string.unicodeScalars {
        sum += unitWeight(scalar.value)
        scalars += 1
      }
      let score = scalars == 0 ? 0 : sum / Double(scalars)
      if score > 0.3, score > best?.score ?? 0 { best = (encoding, score) }
    }
    return best.map {
      EncodingGuess(encoding: $0.encoding, evidence: "NUL bytes, as it has them", confidence: $0.score)
    }
  }

  private static func unitWeight(_ scalar: UInt32) -> Double {
    switch scalar {
    case 9, 10, 13, 0x20...0x7E: 1
    case 0..<0x20, 0x7F..<0xA0: -3
    case 0xA0..<0x600, 0x3000..<0x3100, 0x4E00..<0x9FA6, 0xAC00..<0xD7A4: 0.6
    case 0xE000..<0xF900, 0xFFF0...: -1
    default: 0
    }
  }

  /// ISO-2022 in seven bits.
  private static func escapes(_ bytes: UnsafeRawBufferPointer) -> EncodingGuess? {
    func has(_ sequence: [UInt8]) -> Bool {
      guard bytes.count >= sequence.count else { return false }
      return (0...(bytes.count - sequence.count)).contains { start in
        bytes[start] == sequence[0] && bytes[start..<(start + sequence.count)].elementsEqual(sequence)
      }
    }
    let known: [(name: String, sequences: [[UInt8]])] = [
      ("iso-2022-kr", [[0x1B, 0x24, 0x29, 0x43]]),
      ("iso-2022-cn", [[0x1B, 0x24, 0x29, 0x41], [0x1B, 0x24, 0x29, 0x47]]),
      ("iso-2022-jp", [[0x1B, 0x24, 0x42], [0x1B, 0x24, 0x40], [0x1B, 0x28, 0x4A]]),
    ]
    for (name, sequences) in known where sequences.contains(where: has) {
      guard let encoding = TextEncoding(named: name), decode(bytes, encoding, isWhole: false) != nil else { continue }
      return EncodingGuess(encoding: encoding, evidence: "its escape sequences", confidence: 0.95)
    }
    return nil
  }

  /// The best encoding of Chinese, Japanese or Korean, and that of another script which a few characters do not rule out.
  private static func eastAsian(
    _ bytes: UnsafeRawBufferPointer, isWhole: Bool
  ) -> (guess: EncodingGuess, rival: TextEncoding?)? {
    var found: [(encoding: TextEncoding, score: Double, script: EncodingModel.EastAsian.Script)] = []
    let high = bytes.count { $0 >= 0x80 }
    for model in EncodingModel.eastAsian {
      guard let encoding = TextEncoding(named: model.name), let text = decode(bytes, encoding, isWhole: isWhole),
        !isLatin(bytes, high, text, model)
      else { continue }
      found.append((encoding, model.score(text), model.script))
    }
    // The first of equals.
    var best: Int?
    for index in found.indices where found[index].score > max(0.3, best.map { found[$0].score } ?? 0) { best = index }
    guard let best else { return nil }
    let (encoding, score, script) = found[best]
    let rival = found.first { $0.script != script && $0.score > score - 0.3 && $0.score > 0.1 }
    return (
      EncodingGuess(
        encoding: encoding, evidence: "its bytes, which are all text, most of it common", confidence: min(1, score)),
      high < fewWideBytes ? rival?.encoding : nil
    )
  }

  /// Fewer bytes beyond ASCII do not tell Chinese from Korean for certain.
  private static let fewWideBytes = 120

  /// Whether a text looks wide only because a sign beyond ASCII stands before letters: `°C`, `µm`.
  ///
  /// In nearly all characters then the second byte is ASCII, which the encodings of Korea and mainland China have for
  /// rare characters only, and the others not for all of them.
  private static func isLatin(
    _ bytes: UnsafeRawBufferPointer, _ high: Int, _ text: String, _ model: EncodingModel.EastAsian
  ) -> Bool {
    if model.name == "cp949", bytes.count(where: { 0x81..<0xA1 ~= $0 }) * 10 > high { return true }
    let wide = text.unicodeScalars.filter { $0.value >= 0x80 }
    return high * 10 <= wide.count * 12 && (model.hasRarePairs || Set(wide).count <= 4)
  }

  private static func singleByte(_ bytes: UnsafeRawBufferPointer) -> EncodingGuess? {
    var best: (encoding: TextEncoding, score: Double, language: String, strays: Int, faults: Int, rank: Double)?
    var fitting: [(encoding: TextEncoding, score: Double, language: String, text: String)] = []
    // Every fourth letter of a Vietnamese text or so is beyond ASCII, and there are many of them; the few of other
    // languages, and their signs for currencies, are Vietnamese letters in VISCII, too.
    let high = bytes.count { $0 >= 0x80 }
    let letters = high + bytes.count { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    let distinct = Set(bytes.filter { $0 >= 0x80 }).count
    // Most letters of other languages are behind 0xBF, in Latin-1 and its relatives; the vowels of Vietnamese are not.
    let low = bytes.count { 0x80..<0xC0 ~= $0 }
    for name in EncodingModel.singleByteNames {
      if name == "viscii", 8 * high < letters || distinct < 16 || 8 * low < high { continue }
      guard let encoding = TextEncoding(named: name), let decoded = decodedBytes(bytes, encoding) else { continue }
      // A few bytes may be damaged; each of them is a reject, and tells nothing of all the others.
      let faults = decoded.count { $0 == 0xFF }
      guard faults == 0 || (faults < high && faults <= max(1, high / 50)),
        let text = String(validating: faults == 0 ? decoded : decoded.filter { $0 != 0xFF }, as: UTF8.self),
        let (score, language, strays) = EncodingModel.score(text)
      else { continue }
      if faults == 0 { fitting.append((encoding, score, language, text)) }
      // What is better by a hair is not better: the list has the common encodings first.
      var hair = 0.01
      if let best, best.language == language {
        // A byte is not damaged where another encoding of the language has a character for it.
        if best.faults == 0, faults > 0 { continue }
        // Symbols beside letters are wrong where another encoding of the language has letters for them.
        if best.strays > 0, strays == 0, faults == 0 { hair = 0 }
      }
      let rank =
        score - EncodingModel.handicap(name, isShort: high < fewBytes, isMonotonous: distinct <= 2)
        - 0.2 * Double(faults) / Double(max(1, high))
      if score > 0.2, rank > (best?.rank ?? 0) + hair { best = (encoding, score, language, strays, faults, rank) }
    }
    guard let best else { return mixed(bytes) }
    var guess = EncodingGuess(
      encoding: best.encoding, evidence: "its letters beyond ASCII, which are those of \(best.language)",
      confidence: min(1, best.score))
    // A rare encoding may fit the language better, and is not taken: the bytes of “ș” are those of another letter.
    if let text = fitting.first(where: { $0.encoding == best.encoding })?.text,
      let rival = fitting.first(where: {
        $0.language == best.language && $0.score > best.score + 0.01 && $0.text != text
      })
    {
      guess.evidence += ", but \(rival.encoding.name) has other letters of that language for them"
      guess.hasRival = true
    }
    return guess
  }

  /// Windows-1252 for words of several languages that have more letters beyond ASCII than any one of these: a guess that
  /// is never certain, where the text is not UTF-8, and without it would be refused.
  private static func mixed(_ bytes: UnsafeRawBufferPointer) -> EncodingGuess? {
    guard let decoded = decodedBytes(bytes, .windows1252), let text = String(validating: decoded, as: UTF8.self),
      let (score, language, strays) = EncodingModel.score(text, dense: true), score > 0.2, strays == 0
    else { return nil }
    return EncodingGuess(
      encoding: .windows1252, evidence: "its letters beyond ASCII, which are those of \(language)",
      confidence: min(0.5, score))
  }

  /// Fewer bytes beyond ASCII do not tell a rare encoding from a common one.
  private static let fewBytes = 8

  /// Decodes a sample; nil when it is no text in this encoding.
  private static func decode(_ bytes: UnsafeRawBufferPointer, _ encoding: TextEncoding, isWhole: Bool) -> String? {
    guard var result = decodedBytes(bytes, encoding) else { return nil }
    if !isWhole {
      // At most one character is cut, of four bytes at most.
      for _ in 0..<3 where result.last == 0xFF { result.removeLast() }
    }
    return String(validating: result, as: UTF8.self)
  }

  /// A sample as UTF-8, with 0xFF where it is no text in this encoding.
  private static func decodedBytes(_ bytes: UnsafeRawBufferPointer, _ encoding: TextEncoding) -> [UInt8]? {
    let source = ByteSource(bytes: bytes)
    guard let stream = try? source.openFile() else { return nil }
    var text = TextStream(stream, encoding: encoding)
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try? buffer.withUnsafeMutableBytes { (all) throws(ReadError) in try text.read(into: all) }
      guard let count else { return nil }
      if count == 0 { return result }
      result += buffer[..<count]
    }
  }
}
