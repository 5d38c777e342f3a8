import MergewalkSystem

/// Values as a record: a header with their serial types, then their bytes.
///
/// Source: [2.1 Record Format](https://sqlite.org/fileformat2.html#record_format).
enum RecordEncoding {
  /// The bytes of a record's header and of the whole record.
  @inline(__always) static func size(_ values: UnsafeBufferPointer<StoredValue>) -> (header: Int, record: Int) {
    var (header, body) = (0, 0)
    for value in values {
      header += value.serial < 0x80 ? 1 : Varint.size(value.serial)
      body += value.size
    }
    header = headerSize(types: header)
    return (header, header + body)
  }

  /// The bytes of a header whose serial types take so many: its own length is part of it.
  @inline(__always) static func headerSize(types: Int) -> Int {
    let own = Varint.size(UInt64(types + 1))
    return types + (types + own > 0x7F && own == 1 ? 2 : own)
  }

  /// Writes a record of the size that was found.
  @inline(__always) static func write(
    _ values: UnsafeBufferPointer<StoredValue>, header: Int, to place: Bytes
  ) {
    var place = Varint.put(UInt64(header), place)
    for value in values { place = Varint.put(value.serial, place) }
    for value in values {
      let size = value.size
      if value.serial >= 12 {
        if size > 0, let bytes = value.bytes { memcpy(place, bytes, size) }
      } else {
        put(value.bits, size, place)
      }
      place += size
    }
  }

  /// Writes the last bytes of a number.
  @inline(__always) static func put(_ bits: UInt64, _ size: Int, _ place: Bytes) {
    switch size {
    case 0: break
    case 1: place[0] = UInt8(truncatingIfNeeded: bits)
    case 2: place.put16(Int(truncatingIfNeeded: bits))
    case 3:
      place[0] = UInt8(truncatingIfNeeded: bits >> 16)
      (place + 1).put16(Int(truncatingIfNeeded: bits & 0xFFFF))
    case 4: place.put32(UInt32(truncatingIfNeeded: bits))
    case 6:
      place.put16(Int(truncatingIfNeeded: bits >> 32 & 0xFFFF))
      (place + 2).put32(UInt32(truncatingIfNeeded: bits))
    default: UnsafeMutableRawPointer(place).storeBytes(of: bits.bigEndian, as: UInt64.self)
    }
  }
}
