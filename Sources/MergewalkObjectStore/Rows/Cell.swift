/// The kind of value in a cell of a column; the raw values are stored one byte a cell.
///
/// A cell is a tag and a 64-bit payload, in two parallel arrays:
///
/// | tag | payload |
/// |---|---|
/// | `null`, `absent`, `failed` | not used, 0 |
/// | `integer` | the `Int64` bit pattern (integers, Boolean, primary keys, whole decimals) |
/// | `real` | the `Double` bit pattern (Double, Float, Date in seconds since 2001-01-01 UTC, other decimals) |
/// | `text` | ``ByteRange`` of UTF-8 bytes in the arena that belongs to the column (String, URI) |
/// | `blob` | ``ByteRange`` of bytes in the arena that belongs to the column (Binary, UUID, Transformable) |
@usableFromInline package enum CellTag {
  /// No value (SQL NULL).
  @inlinable package static var null: UInt8 { 0 }
  /// A 64-bit integer.
  @inlinable package static var integer: UInt8 { 1 }
  /// A binary64 number.
  @inlinable package static var real: UInt8 { 2 }
  /// UTF-8 text in the arena.
  @inlinable package static var text: UInt8 { 3 }
  /// Bytes in the arena.
  @inlinable package static var blob: UInt8 { 4 }
  /// Incoming data says nothing about this cell: an update keeps what is there, an insert takes the model's default.
  @inlinable package static var absent: UInt8 { 5 }
  /// The value did not convert; its record is rejected.
  @inlinable package static var failed: UInt8 { 6 }
}

/// A range of bytes in an arena of at most 4 GiB, packed into a cell's payload: offset in the high half, length in the
/// low half.
@usableFromInline package struct ByteRange: Hashable, Sendable {
  /// The packed form.
  @usableFromInline package let payload: UInt64

  /// Packs an offset and a length, both in bytes and below 2^32.
  @inlinable @inline(__always) package init(offset: Int, length: Int) {
    payload = UInt64(truncatingIfNeeded: offset) << 32 | UInt64(truncatingIfNeeded: length)
  }

  /// Takes a cell's payload.
  @inlinable @inline(__always) package init(payload: UInt64) { self.payload = payload }

  /// The first byte's offset.
  @inlinable @inline(__always) package var offset: Int { Int(payload >> 32) }
  /// The length in bytes.
  @inlinable @inline(__always) package var length: Int { Int(payload & 0xFFFF_FFFF) }
}

/// A column of cells that grows at its end: what conversion fills and the context takes over.
package struct CellColumn: Sendable {
  /// One ``CellTag`` value a cell.
  package var tags = ContiguousArray<UInt8>()
  package var payloads = ContiguousArray<UInt64>()

  package init() {}

  /// Makes the column hold `count` null cells; keeps its memory.
  package mutating func reset(count: Int) {
    tags.removeAll(keepingCapacity: true)
    payloads.removeAll(keepingCapacity: true)
    tags.append(contentsOf: repeatElement(CellTag.null, count: count))
    payloads.append(contentsOf: repeatElement(0, count: count))
  }
}
