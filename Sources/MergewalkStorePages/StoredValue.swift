/// A value as it stands in a record: its serial type, and its number or where its bytes are.
///
/// A column's affinity is applied here exactly as in SQLite, or not at all: a value that SQLite would turn into a text
/// or read as a number is not a ``StoredValue``, and its row goes through SQLite. Sources: [2.1 Record
/// Format](https://sqlite.org/fileformat2.html#record_format), [Type
/// Affinity](https://sqlite.org/datatype3.html#type_affinity).
@usableFromInline @frozen package struct StoredValue: BitwiseCopyable {
  /// The serial type of the format.
  @usableFromInline package let serial: UInt64
  /// An integer, or the bits of a real number.
  @usableFromInline package let bits: UInt64
  /// The bytes of a text or of binary data; the caller keeps them.
  @usableFromInline package let bytes: UnsafePointer<UInt8>?

  @inlinable init(serial: UInt64, bits: UInt64 = 0, bytes: UnsafePointer<UInt8>? = nil) {
    self.serial = serial
    self.bits = bits
    self.bytes = bytes
  }

  /// NULL, and what stands for the row ID in its own column.
  @inlinable package static var null: StoredValue { StoredValue(serial: 0) }

  /// An integer, in as few bytes as it needs; 0 and 1 need none.
  @inlinable package static func integer(_ value: Int64) -> StoredValue {
    let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
    let bits = UInt64(bitPattern: value)
    if magnitude <= 0x7F { return StoredValue(serial: bits <= 1 ? 8 + bits : 1, bits: bits) }
    if magnitude <= 0x7FFF { return StoredValue(serial: 2, bits: bits) }
    if magnitude <= 0x7F_FFFF { return StoredValue(serial: 3, bits: bits) }
    if magnitude <= 0x7FFF_FFFF { return StoredValue(serial: 4, bits: bits) }
    return StoredValue(serial: magnitude <= 0x7FFF_FFFF_FFFF ? 5 : 6, bits: bits)
  }

  /// An integer in a column; `nil` where SQLite would make it a text.
  @inlinable package static func integer(_ value: Int64, _ affinity: ColumnAffinity) -> StoredValue? {
    switch affinity {
    case .text: return nil
    case .real:
      // A number that needs eight bytes may as well be a real one; a smaller one is kept as an integer.
      let small = integer(value)
      return small.serial == 6 ? StoredValue(serial: 7, bits: Double(value).bitPattern) : small
    case .blob, .numeric, .integer: return integer(value)
    }
  }

  /// A real number in a column; `nil` where SQLite would make it a text.
  ///
  /// A whole number in a column of a numeric affinity is stored as an integer, and NaN as NULL.
  @inlinable package static func real(_ value: Double, _ affinity: ColumnAffinity) -> StoredValue? {
    if value.isNaN { return null }
    let real = StoredValue(serial: 7, bits: value.bitPattern)
    switch affinity {
    case .blob: return real
    case .text: return nil
    case .numeric, .integer, .real:
      // The least and the greatest integer stay real numbers (SQLite's ticket 3922).
      guard let whole = Int64(exactly: value), whole != .min, whole != .max else { return real }
      let small = integer(whole)
      return affinity == .real && small.serial == 6 ? real : small
    }
  }

  /// A text in a column; `nil` where SQLite may read a number from it, or when it is too long.
  @inlinable package static func text(
    _ bytes: UnsafePointer<UInt8>?, count: Int, _ affinity: ColumnAffinity
  ) -> StoredValue? {
    if affinity != .text, affinity != .blob, count > 0, let bytes, mayBeNumber(bytes, count) { return nil }
    return count > longest ? nil : StoredValue(serial: 13 + 2 * UInt64(count), bytes: bytes)
  }

  /// Binary data in a column, which no affinity changes; `nil` when it is too long.
  @inlinable package static func blob(_ bytes: UnsafePointer<UInt8>?, count: Int) -> StoredValue? {
    count > longest ? nil : StoredValue(serial: 12 + 2 * UInt64(count), bytes: bytes)
  }

  /// The most bytes of a row that SQLite takes (`SQLITE_MAX_LENGTH`).
  @usableFromInline static let longest = 1_000_000_000

  /// Whether a text begins as a number does; what SQLite really makes of it is not asked.
  @usableFromInline static func mayBeNumber(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for i in 0..<count {
      switch bytes[i] {
      case 0x09...0x0D, 0x20: continue
      case 0x30...0x39, 0x2B, 0x2D, 0x2E: return true
      default: return false
      }
    }
    return false
  }

  /// The bytes that the value takes behind the record's header.
  @inline(__always) var size: Int { StoredValue.size(serial) }

  /// The bytes that a value of a serial type takes (2.1).
  @inline(__always) static func size(_ serial: UInt64) -> Int {
    if serial >= 12 { return Int((serial - 12) / 2) }
    return switch serial {
    case 0, 8, 9: 0
    case 5: 6
    case 6, 7: 8
    default: Int(serial)
    }
  }
}

@available(*, unavailable, message: "the bytes have another owner")
extension StoredValue: Sendable {}
