import MergewalkSystem

/// The order of the records of an index whose columns ascend and are compared byte by byte (`BINARY`).
///
/// Source: [2.3 Record Sort Order](https://sqlite.org/fileformat2.html#record_sort_order).
struct KeyOrder {
  /// How many columns are compared; what follows them is the row ID.
  let columns: Int

  /// A number that is not above another's when the key is not above the other's, made of the first column.
  struct Prefix {
    var value: UInt64
    /// Whether equal numbers mean equal first columns.
    var isExact: Bool
  }

  /// The first column of a record: its serial type and its bytes.
  @inline(__always) static func first(_ record: UnsafePointer<UInt8>) -> (
    serial: UInt64, bytes: UnsafePointer<UInt8>
  ) {
    var header = record
    let size = Varint.take(&header)
    return (Varint.take(&header), record + Int(size))
  }

  /// The prefix of a record: two bits for NULL, numbers, texts and binary data, then the value's beginning.
  @inline(__always) static func prefix(_ record: UnsafePointer<UInt8>) -> Prefix {
    let (serial, bytes) = first(record)
    if serial == 0 { return Prefix(value: 0, isExact: true) }
    if serial >= 12 {
      let start = beginning(bytes, StoredValue.size(serial))
      return Prefix(value: (serial & 1 == 1 ? 2 : 3) << 62 | start >> 2, isExact: false)
    }
    let number: Double
    var isExact = true
    if serial == 7 {
      number = Double(bitPattern: word(bytes))
    } else {
      let integer = integer(serial, bytes)
      number = Double(integer)
      isExact = integer.magnitude < 1 << 50
    }
    // Bit patterns of positive numbers ascend as the numbers do, those of negative ones descend. -0 is 0.
    let pattern = number == 0 ? 0 : number.bitPattern
    let ordered = pattern >> 63 == 1 ? ~pattern : pattern | 1 << 63
    return Prefix(value: 1 << 62 | ordered >> 2, isExact: isExact && pattern & 3 == 0)
  }

  /// The first eight bytes as a number; missing ones are 0.
  @inline(__always) static func beginning(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    if count >= 8 { return word(bytes) }
    var result: UInt64 = 0
    for i in 0..<max(count, 0) { result |= UInt64(bytes[i]) << UInt64(56 - 8 * i) }
    return result
  }

  @inline(__always) private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }

  @inline(__always) private static func integer(_ serial: UInt64, _ bytes: UnsafePointer<UInt8>) -> Int64 {
    if serial >= 8 { return Int64(serial) - 8 }
    let size = StoredValue.size(serial)
    var result = Int64(Int8(bitPattern: bytes[0]))
    for i in 1..<max(size, 1) { result = result << 8 | Int64(bytes[i]) }
    return result
  }

  /// Whether a column of a key is NULL: such keys are never equal.
  func hasNull(_ record: UnsafePointer<UInt8>) -> Bool {
    var header = record
    _ = Varint.take(&header)
    for _ in 0..<columns where Varint.take(&header) == 0 { return true }
    return false
  }

  /// Compares the columns of two keys: negative, 0 or positive.
  func compare(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>) -> Int {
    var (leftHeader, rightHeader) = (left, right)
    var leftBody = left + Int(Varint.take(&leftHeader))
    var rightBody = right + Int(Varint.take(&rightHeader))
    for _ in 0..<columns {
      let (leftSerial, rightSerial) = (Varint.take(&leftHeader), Varint.take(&rightHeader))
      let order = Self.compare(leftSerial, leftBody, rightSerial, rightBody)
      if order != 0 { return order }
      leftBody += StoredValue.size(leftSerial)
      rightBody += StoredValue.size(rightSerial)
    }
    return 0
  }

  /// NULL, numbers, texts, binary data.
  @inline(__always) private static func rank(_ serial: UInt64) -> Int {
    serial == 0 ? 0 : serial < 12 ? 1 : serial & 1 == 1 ? 2 : 3
  }

  private static func compare(
    _ leftSerial: UInt64, _ left: UnsafePointer<UInt8>, _ rightSerial: UInt64, _ right: UnsafePointer<UInt8>
  ) -> Int {
    let rank = rank(leftSerial)
    let difference = rank - Self.rank(rightSerial)
    if difference != 0 { return difference }
    switch rank {
    case 0: return 0
    case 1:
      switch (leftSerial == 7, rightSerial == 7) {
      case (false, false):
        let (left, right) = (integer(leftSerial, left), integer(rightSerial, right))
        return left < right ? -1 : left > right ? 1 : 0
      case (true, true):
        let (left, right) = (Double(bitPattern: word(left)), Double(bitPattern: word(right)))
        return left < right ? -1 : left > right ? 1 : 0
      case (false, true): return compare(integer(leftSerial, left), Double(bitPattern: word(right)))
      case (true, false): return -compare(integer(rightSerial, right), Double(bitPattern: word(left)))
      }
    default:
      let (leftCount, rightCount) = (StoredValue.size(leftSerial), StoredValue.size(rightSerial))
      let order = Int(memcmp(left, right, min(leftCount, rightCount)))
      return order != 0 ? order : leftCount - rightCount
    }
  }

  /// Compares an integer with a real number without rounding either.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real < -0x1p63 { return 1 }
    if real >= 0x1p63 { return -1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? -1 : 1 }
    let rest = real - Double(whole)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }
}
