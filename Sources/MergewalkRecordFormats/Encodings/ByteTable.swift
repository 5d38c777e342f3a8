/// The UTF-8 of each byte of an encoding in which every character is one byte.
struct ByteTable {
  /// For each byte: its UTF-8 from the low byte on and in the high byte its length, so at most three bytes; 0 is no
  /// character.
  private let entries: [UInt32]
  /// Bytes below 80 are ASCII.
  let extendsASCII: Bool

  /// Takes the code point of each byte; nil for no character.
  init(_ scalar: (UInt8) -> UInt32?) {
    self.init(
      (0...255).map { byte in
        guard let code = scalar(UInt8(byte)), let scalar = Unicode.Scalar(code) else { return [] }
        return Array(String(Character(scalar)).utf8)
      })
  }

  private init(_ bytes: [[UInt8]]) {
    entries = bytes.map { bytes in
      var entry = UInt32(bytes.count) << 24
      for (i, byte) in bytes.enumerated() { entry |= UInt32(byte) << UInt32(8 * i) }
      return bytes.isEmpty ? 0 : entry
    }
    extendsASCII = bytes[..<0x80].enumerated().allSatisfy { $1 == [UInt8($0)] }
  }

  /// Asks iconv for each byte; nil when a character may take several, or depends on what is before it.
  ///
  /// In EBCDIC lines end with NL, 15, which iconv makes a U+0085: a line end here, or a file would be one line.
  init?(asking converter: Converter) {
    defer { converter.reset() }
    var bytes: [[UInt8]] = []
    var output = [UInt8](repeating: 0, count: 16)
    for byte in UInt8.min...UInt8.max {
      converter.reset()
      let step = withUnsafeBytes(of: byte) { input in output.withUnsafeMutableBytes { converter.step(input, into: $0) }
      }
      switch step.end {
      case .invalid where step.written == 0: bytes.append([])
      case .input where (1...3).contains(step.written): bytes.append(Array(output[..<step.written]))
      default: return nil
      }
    }
    let isEBCDIC = bytes[0xC1] == [UInt8(ascii: "A")] && bytes[0xF1] == [UInt8(ascii: "1")]
    if isEBCDIC, bytes[0x15] == [0xC2, 0x85] { bytes[0x15] = [UInt8(ascii: "\n")] }
    self.init(bytes)
  }

  /// Decodes what fits; a byte that is no character becomes FF, which no UTF-8 has.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, written: Int) {
    var read = 0
    var written = 0
    entries.withUnsafeBufferPointer { entries in
      while read < input.count, written + 4 <= output.count {
        if extendsASCII, read + 32 <= input.count, written + 32 <= output.count {
          let block = input.loadUnaligned(fromByteOffset: read, as: SIMD4<UInt64>.self)
          if block & SIMD4(repeating: 0x8080_8080_8080_8080) == SIMD4(repeating: 0) {
            output.storeBytes(of: block, toByteOffset: written, as: SIMD4<UInt64>.self)
            read += 32
            written += 32
            continue
          }
        }
        let entry = entries[Int(input[read])]
        read += 1
        if entry == 0 {
          output[written] = 0xFF
          written += 1
        } else {
          // The byte above the character's is room that is there, and is written over.
          output.storeBytes(of: entry.littleEndian, toByteOffset: written, as: UInt32.self)
          written += Int(entry >> 24)
        }
      }
    }
    return (read, written)
  }

  /// ISO 8859-1.
  static let latin1 = ByteTable { UInt32($0) }

  /// Windows code page 1252.
  static let windows1252 = ByteTable { byte in
    guard (0x80..<0xA0).contains(byte) else { return UInt32(byte) }
    let code = upper1252[Int(byte) - 0x80]
    return code == 0 ? nil : UInt32(code)
  }

  /// The code points of bytes 80 to 9F; 0 is unassigned.
  ///
  /// Source: https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT
  private static let upper1252: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
  ]
}
