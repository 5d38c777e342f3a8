/// A byte stream decoded to UTF-8.
///
/// Undecodable bytes become bytes that are not UTF-8, so that the check for valid text finds them and refuses their
/// record. UTF-8 itself passes unchanged.
struct TextStream {
  /// How the bytes are decoded.
  private enum Decoder {
    case none
    case table(ByteTable)
    case units(UnitDecoder)
    case converter(Converter)
  }

  private let stream: any ByteStream
  /// The encoding in force; the one asked for until the first bytes were seen.
  private(set) var encoding: TextEncoding
  /// Where the decoded text stands in the file; nil for UTF-8, where offsets are the file's.
  var map: OffsetMap?
  private var decoder = Decoder.none
  /// Bytes of the file that are not decoded: `raw[rawStart..<rawEnd]`.
  private var raw: ContiguousArray<UInt8> = []
  private var rawStart = 0
  private var rawEnd = 0
  private var atEnd = false
  private var isStarted = false
  /// The offset in the file of `raw[rawStart]`, and of the end of the decoded text in it.
  private var rawOffset = 0
  private var decodedOffset = 0
  /// Bytes at `rawStart` that are known to be a cut character.
  private var cut = 0
  private var isFinished = false

  /// The size of the buffer of undecoded bytes, which is what detection looks at.
  static let rawSize = 1 << 16
  /// iconv gets a line at a time, or so many bytes.
  private static let pieceSize = 1 << 12

  init(_ stream: any ByteStream, encoding: TextEncoding) {
    self.stream = stream
    self.encoding = encoding
  }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }
  /// Whether the bytes pass as they are; known once something was read.
  var isUTF8: Bool { isStarted && encoding == .utf8 }
  /// The part of the text that the stream says is valid, see `ByteStream`.
  var verifiedText: Range<Int> { isUTF8 ? stream.verifiedText : 0..<0 }

  /// Writes decoded bytes into `buffer`, which has room for 64 at least.
  ///
  /// - Returns: the number of bytes; 0 at the end of the input. A UTF-8 byte order mark is not removed.
  /// - Throws: What reading throws; `undetectedEncoding`, `unknownEncoding`.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if !isStarted { try start() }
    while true {
      if case .none = decoder {
        if rawStart < rawEnd { return takeRaw(into: buffer) }
        return try stream.read(into: buffer)
      }
      if rawEnd - rawStart <= cut, !atEnd { try refill() }
      let written = decode(into: buffer)
      if written > 0 { return written }
      if atEnd, rawStart == rawEnd, isFinished { return 0 }
      if !atEnd { try refill() }
    }
  }

  // MARK: Starting

  /// Decides the encoding and prepares its decoder.
  private mutating func start() throws(ReadError) {
    isStarted = true
    var skipped = 0
    switch encoding.kind {
    case .utf8: return
    case .automatic, .utf16, .utf32:
      raw = ContiguousArray(zeros: Self.rawSize)
      while rawEnd < 4, !atEnd { try refill() }
      let mark = raw.withUnsafeBytes { TextEncoding.marked(UnsafeRawBufferPointer(rebasing: $0[..<rawEnd])) }
      (encoding, skipped) = resolved(mark)
    case .detect:
      raw = ContiguousArray(zeros: Self.rawSize)
      while rawEnd < raw.count, !atEnd { try refill() }
      let guess = raw.withUnsafeBytes {
        EncodingDetector.detect(UnsafeRawBufferPointer(rebasing: $0[..<rawEnd]), isWhole: atEnd)
      }
      guard let guess else {
        throw ReadError(
          .undetectedEncoding, path: path,
          message: "the first \(rawEnd) bytes do not show the encoding; set “encoding”")
      }
      encoding = guess.encoding
      let mark = raw.withUnsafeBytes { TextEncoding.marked(UnsafeRawBufferPointer(rebasing: $0[..<rawEnd])) }
      if let mark, mark.encoding == encoding, encoding != .utf8 { skipped = mark.length }
    default: raw = ContiguousArray(zeros: Self.rawSize)
    }
    rawStart = skipped
    rawOffset = skipped
    try prepareDecoder()
  }

  /// The encoding in force and the length of its byte order mark, which is skipped.
  private func resolved(_ mark: (encoding: TextEncoding, length: Int)?) -> (TextEncoding, Int) {
    // The mark of UTF-8 is the reader's to pass over.
    let marked = mark.flatMap { $0.encoding == .utf8 ? nil : $0 }
    switch encoding.kind {
    case .utf16(nil):
      // FF FE 00 00 is a mark and a NUL here.
      if let marked, marked.encoding == .utf16BigEndian { return (.utf16BigEndian, 2) }
      let isMarked = raw[..<rawEnd].starts(with: [0xFF, 0xFE])
      return (.utf16LittleEndian, isMarked ? 2 : 0)
    case .utf32(nil):
      if let marked, case .utf32 = marked.encoding.kind { return marked }
      return (.utf32LittleEndian, 0)
    case .utf16(true): return (encoding, raw[..<rawEnd].starts(with: [0xFF, 0xFE]) ? 2 : 0)
    case .automatic: return marked ?? (.utf8, 0)
    default: return marked?.encoding == encoding ? (encoding, marked?.length ?? 0) : (encoding, 0)
    }
  }

  private mutating func prepareDecoder() throws(ReadError) {
    switch encoding.kind {
    case .automatic, .detect, .utf8: return
    case .utf16(let lowFirst): decoder = .units(UnitDecoder(unitSize: 2, lowFirst: lowFirst ?? true))
    case .utf32(let lowFirst): decoder = .units(UnitDecoder(unitSize: 4, lowFirst: lowFirst ?? true))
    case .latin1: decoder = .table(.latin1)
    case .windows1252: decoder = .table(.windows1252)
    case .other:
      guard let converter = Converter(from: encoding.name, to: "UTF-8") else {
        throw ReadError(
          .unknownEncoding, path: path, message: "the C library on this machine does not know “\(encoding.name)”")
      }
      if let table = ByteTable(asking: converter) {
        decoder = .table(table)
        map = OffsetMap(.bytes, start: rawOffset)
        return
      }
      converter.readASCII()
      decoder = .converter(converter)
    }
    map = EncodedWidth(encoding).map { OffsetMap($0, start: rawOffset) }
  }

  // MARK: Bytes

  /// Hands out what was read to decide the encoding.
  private mutating func takeRaw(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, rawEnd - rawStart)
    raw.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[rawStart..<rawStart + count]))
    }
    rawStart += count
    if rawStart == rawEnd { raw = [] }
    return count
  }

  /// Moves what is left to the front and reads behind it.
  private mutating func refill() throws(ReadError) {
    let left = rawEnd - rawStart
    precondition(left < raw.count, "a decoder left the whole buffer unused")
    let (start, end) = (rawStart, rawEnd)
    let got = try raw.withUnsafeMutableBufferPointer { (items) throws(ReadError) in
      let all = UnsafeMutableRawBufferPointer(items)
      if start > 0 { all.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<end])) }
      return try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: all[left...]))
    }
    rawStart = 0
    rawEnd = left + got
    atEnd = got == 0
  }

  // MARK: Decoding

  private mutating func decode(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let written: Int
    switch decoder {
    case .none: return 0
    case .table(let table):
      written = raw.withUnsafeBytes { all in
        let step = table.decode(UnsafeRawBufferPointer(rebasing: all[rawStart..<rawEnd]), into: buffer)
        take(step.used)
        return step.written
      }
      isFinished = true
    case .units(let units):
      written = raw.withUnsafeBytes { all in
        let input = UnsafeRawBufferPointer(rebasing: all[rawStart..<rawEnd])
        let step = units.decode(input, into: buffer, isLast: atEnd)
        take(step.used)
        return step.written
      }
      cut = rawEnd - rawStart < 4 ? rawEnd - rawStart : 0
      isFinished = true
    case .converter(let converter):
      return convert(converter, into: buffer)
    }
    decodedOffset += written
    map?.mark(decodedOffset, at: rawOffset)
    return written
  }

  private mutating func take(_ count: Int) {
    rawStart += count
    rawOffset += count
  }

  /// Decodes by iconv, one line at a time, so that the start of each line has its mark.
  private mutating func convert(_ converter: Converter, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    // The longest run that iconv writes for one character is shorter.
    while written + 32 <= buffer.count {
      if rawStart == rawEnd || (rawEnd - rawStart <= cut && !atEnd) { break }
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[written...])
      guard let end = pieceEnd() else { break }
      let step = raw.withUnsafeBytes { all in
        converter.step(UnsafeRawBufferPointer(rebasing: all[rawStart..<end]), into: room)
      }
      take(step.used)
      cut = 0
      written += step.written
      decodedOffset += step.written
      // Elsewhere iconv may hold a character back; in a text without lines the marks are far between.
      let isLineEnd = step.written > 0 && (buffer[written - 1] == 10 || buffer[written - 1] == 13)
      if isLineEnd || decodedOffset - (map?.end ?? 0) > Self.pieceSize { map?.mark(decodedOffset, at: rawOffset) }
      switch step.end {
      case .input: break
      case .output:
        // There was room, so iconv cannot go on here.
        if step.used == 0, step.written == 0 { refuseByte(buffer, &written) } else { return written }
      case .incomplete:
        cut = end - rawStart
        if end == rawEnd, atEnd { refuseByte(buffer, &written) }
      case .invalid: refuseByte(buffer, &written)
      }
    }
    if atEnd, rawStart == rawEnd, !isFinished, written + 32 <= buffer.count {
      isFinished = true
      let rest = converter.finish(into: UnsafeMutableRawBufferPointer(rebasing: buffer[written...]))
      written += rest
      decodedOffset += rest
      // No offset is behind the file's end, whatever iconv would write for the last characters.
      map?.mark(decodedOffset, at: rawOffset)
    }
    return written
  }

  /// Writes the mark of a byte that is no character, or no begin of one.
  private mutating func refuseByte(_ buffer: UnsafeMutableRawBufferPointer, _ written: inout Int) {
    // Every step leaves room for it: it was given 32 bytes, and iconv uses them up only to end with `output`.
    guard written < buffer.count, rawStart < rawEnd else { return }
    map?.mark(decodedOffset, at: rawOffset, isFault: true)
    buffer[written] = 0xFF
    written += 1
    decodedOffset += 1
    take(1)
    cut = 0
    map?.mark(decodedOffset, at: rawOffset)
    // What glibc makes of UTF-7 behind a fault depends on how the bytes arrived; from the initial state it does not.
    if case .converter(let converter) = decoder, encoding.isUTF7 { converter.reset() }
  }

  /// Where the next piece for iconv ends: behind a line's end, if there is one near; nil when there may be one in what
  /// was not read yet.
  ///
  /// Pieces must not depend on how the bytes arrive: what glibc makes of UTF-7 and ISO 2022 behind a fault does.
  private func pieceEnd() -> Int? {
    let full = rawStart + cut + Self.pieceSize
    let limit = min(rawEnd, full)
    var i = rawStart + cut
    while i < limit {
      let byte = raw[i]
      i += 1
      // A CR ends a line where no LF follows; that cannot be told at the buffer's end and does not matter there.
      if byte == 10 || (byte == 13 && i < rawEnd && raw[i] != 10) { return i }
    }
    return limit == full || atEnd ? limit : nil
  }
}

extension TextStream {
  /// Reads up to `count` bytes of decoded text.
  mutating func sample(_ count: Int) throws(ReadError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled + 64 <= count {
      let got = try result.withUnsafeMutableBufferPointer { (all) throws(ReadError) in
        try read(into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[filled...])))
      }
      if got == 0 { break }
      filled += got
    }
    result.removeLast(count - filled)
    return result
  }
}
