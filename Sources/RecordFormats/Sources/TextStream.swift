/// A byte stream decoded to UTF-8.
///
/// What cannot be decoded becomes bytes that are not UTF-8 (a lone UTF-16 surrogate its three-byte form, an unassigned
/// Windows-1252 byte itself, half a UTF-16 unit at the end FF), so that the one check for valid text finds it and
/// refuses the record it stands in.
struct TextStream {
  private let stream: any ByteStream
  /// The encoding in force; `automatic` until the first bytes were seen.
  private(set) var encoding: TextEncoding
  /// Undecoded bytes, of encodings other than UTF-8 only.
  private var raw: ContiguousArray<UInt8> = []
  private var rawStart = 0
  private var rawEnd = 0
  private var atEnd = false
  private var started = false

  /// The most UTF-8 bytes that one step of any decoder writes.
  private static let longestStep = 4

  init(_ stream: any ByteStream, encoding: TextEncoding) {
    self.stream = stream
    self.encoding = encoding
  }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }

  /// Writes decoded bytes into `buffer`, which has room for 64 at least.
  ///
  /// - Returns: the number of bytes; 0 at the end of the input. A UTF-8 byte order mark is not removed.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if !started { return try start(into: buffer) }
    if encoding == .utf8 { return try stream.read(into: buffer) }
    return try decode(into: buffer)
  }

  /// Reads the first bytes and decides the encoding.
  private mutating func start(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    started = true
    if encoding == .utf8 { return try stream.read(into: buffer) }
    var count = 0
    while count < 2 {
      let got = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if got == 0 { break }
      count += got
    }
    let mark = count >= 2 ? (buffer[0], buffer[1]) : (0, 0)
    let marked: TextEncoding? =
      switch mark {
      case (0xFF, 0xFE): .utf16LittleEndian
      case (0xFE, 0xFF): .utf16BigEndian
      default: nil
      }
    if encoding == .automatic { encoding = marked ?? .utf8 }
    if encoding == .utf8 { return count }
    raw = ContiguousArray(repeating: 0, count: max(1 << 16, count))
    raw.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    rawStart = marked == encoding ? 2 : 0
    rawEnd = count
    return try decode(into: buffer)
  }

  private mutating func decode(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    var written = 0
    while written == 0 {
      if rawEnd - rawStart < 4, !atEnd { try refill() }
      if rawStart == rawEnd { return 0 }
      written = raw.withUnsafeBytes { all in
        let input = UnsafeRawBufferPointer(rebasing: all[rawStart..<rawEnd])
        var used = 0
        let count =
          switch encoding {
          case .utf16LittleEndian: decodeUTF16(input, &used, into: buffer, lowFirst: true)
          case .utf16BigEndian: decodeUTF16(input, &used, into: buffer, lowFirst: false)
          default: decodeBytes(input, &used, into: buffer)
          }
        rawStart += used
        return count
      }
    }
    return written
  }

  /// Moves what is left to the front and reads behind it.
  private mutating func refill() throws(ReadError) {
    let left = rawEnd - rawStart
    let (start, end) = (rawStart, rawEnd)
    let got = try raw.withUnsafeMutableBufferPointer { (items) throws(ReadError) in
      let all = UnsafeMutableRawBufferPointer(items)
      all.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<end]))
      return try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: all[left...]))
    }
    rawStart = 0
    rawEnd = left + got
    atEnd = got == 0
  }

  private func decodeBytes(
    _ input: UnsafeRawBufferPointer, _ used: inout Int, into output: UnsafeMutableRawBufferPointer
  ) -> Int {
    var written = 0
    var read = 0
    while read < input.count, written + Self.longestStep <= output.count {
      let byte = input[read]
      read += 1
      if byte < 0x80 {
        output[written] = byte
        written += 1
      } else if encoding == .windows1252, byte < 0xA0 {
        let scalar = Self.windows1252[Int(byte & 0x1F)]
        if scalar == 0 {
          output[written] = byte
          written += 1
        } else {
          written += Self.put(UInt32(scalar), output, written)
        }
      } else {
        written += Self.put(UInt32(byte), output, written)
      }
    }
    used = read
    return written
  }

  private func decodeUTF16(
    _ input: UnsafeRawBufferPointer, _ used: inout Int, into output: UnsafeMutableRawBufferPointer, lowFirst: Bool
  ) -> Int {
    func unit(_ i: Int) -> UInt32 {
      lowFirst ? UInt32(input[i]) | UInt32(input[i + 1]) << 8 : UInt32(input[i]) << 8 | UInt32(input[i + 1])
    }
    var written = 0
    var read = 0
    while read + 2 <= input.count, written + Self.longestStep <= output.count {
      var scalar = unit(read)
      var size = 2
      if scalar & 0xFC00 == 0xD800 {
        if read + 4 <= input.count {
          let low = unit(read + 2)
          if low & 0xFC00 == 0xDC00 {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
            size = 4
          }
        } else if !atEnd {
          break
        }
      }
      written += Self.put(scalar, output, written)
      read += size
    }
    if atEnd, read + 1 == input.count, written + Self.longestStep <= output.count {
      output[written] = 0xFF
      written += 1
      read += 1
    }
    used = read
    return written
  }

  /// Writes a code point (a lone surrogate as if it were one) as UTF-8 and returns the number of bytes.
  @inline(__always)
  private static func put(_ scalar: UInt32, _ output: UnsafeMutableRawBufferPointer, _ at: Int) -> Int {
    switch scalar {
    case 0..<0x80:
      output[at] = UInt8(scalar)
      return 1
    case 0x80..<0x800:
      output[at] = UInt8(0xC0 | scalar >> 6)
      output[at + 1] = UInt8(0x80 | scalar & 0x3F)
      return 2
    case 0x800..<0x10000:
      output[at] = UInt8(0xE0 | scalar >> 12)
      output[at + 1] = UInt8(0x80 | scalar >> 6 & 0x3F)
      output[at + 2] = UInt8(0x80 | scalar & 0x3F)
      return 3
    default:
      output[at] = UInt8(0xF0 | scalar >> 18)
      output[at + 1] = UInt8(0x80 | scalar >> 12 & 0x3F)
      output[at + 2] = UInt8(0x80 | scalar >> 6 & 0x3F)
      output[at + 3] = UInt8(0x80 | scalar & 0x3F)
      return 4
    }
  }

  /// The code points of bytes 80 to 9F; 0 is unassigned.
  ///
  /// Source: https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT
  private static let windows1252: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
  ]
}
