/// Decodes UTF-16 and UTF-32.
///
/// A lone surrogate becomes its three-byte form, and anything else that is not a character becomes FF: neither is
/// UTF-8.
struct UnitDecoder {
  /// 2 or 4.
  let unitSize: Int
  let lowFirst: Bool

  /// Decodes what fits.
  ///
  /// - Parameter isLast: nothing follows `input`, so what is cut at its end is no character.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
  ) -> (used: Int, written: Int) {
    unitSize == 2 ? utf16(input, output, isLast) : utf32(input, output, isLast)
  }

  private func utf16(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ isLast: Bool
  ) -> (used: Int, written: Int) {
    func unit(_ i: Int) -> UInt32 {
      let value = input.loadUnaligned(fromByteOffset: i, as: UInt16.self)
      return UInt32(lowFirst ? value.littleEndian : value.bigEndian)
    }
    var (read, written) = (0, 0)
    while read + 2 <= input.count, written + 4 <= output.count {
      var scalar = unit(read)
      var size = 2
      if scalar & 0xFC00 == 0xD800 {
        if read + 4 <= input.count {
          let low = unit(read + 2)
          if low & 0xFC00 == 0xDC00 {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
            size = 4
          }
        } else if !isLast {
          break
        }
      }
      written += Self.put(scalar, output, written)
      read += size
    }
    finish(input, output, isLast, &read, &written)
    return (read, written)
  }

  private func utf32(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ isLast: Bool
  ) -> (used: Int, written: Int) {
    var (read, written) = (0, 0)
    while read + 4 <= input.count, written + 4 <= output.count {
      let unit = input.loadUnaligned(fromByteOffset: read, as: UInt32.self)
      let scalar = lowFirst ? unit.littleEndian : unit.bigEndian
      read += 4
      if Unicode.Scalar(scalar) == nil {
        output[written] = 0xFF
        written += 1
      } else {
        written += Self.put(scalar, output, written)
      }
    }
    finish(input, output, isLast, &read, &written)
    return (read, written)
  }

  /// Marks a unit that the input's end cuts.
  private func finish(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ isLast: Bool, _ read: inout Int,
    _ written: inout Int
  ) {
    if isLast, read < input.count, input.count - read < unitSize, written + 4 <= output.count {
      output[written] = 0xFF
      written += 1
      read = input.count
    }
  }

  /// Writes a code point (a lone surrogate as if it were one) as UTF-8 and returns the number of bytes.
  @inline(__always)
  private static func put(_ scalar: UInt32, _ output: UnsafeMutableRawBufferPointer, _ at: Int) -> Int {
    switch scalar {
    case 0..<0x80:
      output[at] = UInt8(truncatingIfNeeded: scalar)
      return 1
    case 0x80..<0x800:
      output[at] = UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6)
      output[at + 1] = UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F)
      return 2
    case 0x800..<0x10000:
      output[at] = UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12)
      output[at + 1] = UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F)
      output[at + 2] = UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F)
      return 3
    default:
      output[at] = UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18)
      output[at + 1] = UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F)
      output[at + 2] = UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F)
      output[at + 3] = UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F)
      return 4
    }
  }
}
