/// Bytes of a page or a record.
typealias Bytes = UnsafeMutablePointer<UInt8>

/// SQLite's variable-length integers: big-endian, seven bits a byte, the ninth byte has eight.
///
/// Source: [Database File Format, 1.6 B-tree Pages](https://sqlite.org/fileformat2.html#varint).
enum Varint {
  /// The bytes that a number takes, 1 to 9.
  @inline(__always) static func size(_ value: UInt64) -> Int {
    if value < 0x80 { return 1 }
    if value >> 56 != 0 { return 9 }
    return (70 - value.leadingZeroBitCount) / 7
  }

  /// Writes a number and returns the place behind it.
  @inline(__always) static func put(_ value: UInt64, _ place: Bytes) -> Bytes {
    if value < 0x80 {
      place.pointee = UInt8(truncatingIfNeeded: value)
      return place + 1
    }
    return putLong(value, place)
  }

  private static func putLong(_ value: UInt64, _ place: Bytes) -> Bytes {
    var rest = value
    let count = size(value)
    if count == 9 {
      place[8] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
      for i in stride(from: 7, through: 0, by: -1) {
        place[i] = UInt8(truncatingIfNeeded: rest) | 0x80
        rest >>= 7
      }
      return place + 9
    }
    for i in stride(from: count - 1, through: 0, by: -1) {
      place[i] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    place[count - 1] &= 0x7F
    return place + count
  }

  /// Reads a number and moves `place` behind it.
  @inline(__always) static func take(_ place: inout UnsafePointer<UInt8>) -> UInt64 {
    let first = place.pointee
    if first < 0x80 {
      place += 1
      return UInt64(first)
    }
    var value: UInt64 = 0
    for _ in 0..<8 {
      let byte = place.pointee
      place += 1
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    value = value << 8 | UInt64(place.pointee)
    place += 1
    return value
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// Writes a big-endian number of two bytes.
  @inline(__always) func put16(_ value: Int) {
    UnsafeMutableRawPointer(self).storeBytes(of: UInt16(truncatingIfNeeded: value).bigEndian, as: UInt16.self)
  }

  /// Writes a big-endian number of four bytes.
  @inline(__always) func put32(_ value: UInt32) {
    UnsafeMutableRawPointer(self).storeBytes(of: value.bigEndian, as: UInt32.self)
  }

  /// Reads a big-endian number of two bytes.
  @inline(__always) var get16: Int { Int(UInt16(bigEndian: UnsafeRawPointer(self).loadUnaligned(as: UInt16.self))) }

  /// Reads a big-endian number of four bytes.
  @inline(__always) var get32: UInt32 { UInt32(bigEndian: UnsafeRawPointer(self).loadUnaligned(as: UInt32.self)) }
}
