import MergewalkSystem
import MergewalkObjectStore

/// Orders keys as the store does: text by its UTF-8 bytes, numbers by value; part by part for composite keys.
///
/// Swift's `<` on strings is another order (it compares by canonical equivalence), and a merge walk over two lists in
/// two orders makes duplicates. Source: [SQLite, datatypes, "Collating sequences"](https://sqlite.org/datatype3.html).
struct KeyOrder {
  private struct Item {
    /// The first eight bytes of the first part in big-endian order, or a number mapped to an ordered integer.
    var prefix: UInt64
    var record: Int32
  }

  private var items = ContiguousArray<Item>()

  /// Sorts records by key, ascending; records with equal keys keep their order.
  ///
  /// - Complexity: O(n log n) comparisons, nearly all of them of one machine word.
  mutating func sort(
    _ records: ContiguousArray<Int32>, _ columns: [CellColumnView], arena: UnsafeRawPointer,
    into sorted: inout ContiguousArray<Int32>
  ) {
    items.removeAll(keepingCapacity: true)
    items.reserveCapacity(records.count)
    for record in records { items.append(Item(prefix: Self.prefix(columns[0], Int(record), arena), record: record)) }
    items.withUnsafeMutableBufferPointer { items in
      items.sort { left, right in
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let order = Self.compare(columns, Int(left.record), Int(right.record), arena)
        return order == 0 ? left.record < right.record : order < 0
      }
    }
    sorted.removeAll(keepingCapacity: true)
    for item in items { sorted.append(item.record) }
  }

  /// Negative, zero or positive as the key of `left` comes before, equals or comes after that of `right`.
  static func compare(_ columns: [CellColumnView], _ left: Int, _ right: Int, _ arena: UnsafeRawPointer) -> Int {
    for column in columns {
      let order = compare(
        column.tags[left], column.payloads[left], arena, column.tags[right], column.payloads[right], arena)
      if order != 0 { return order }
    }
    return 0
  }

  /// Compares two cells as SQLite does: null, numbers, text, blobs; each by value or bytes.
  static func compare(
    _ leftTag: UInt8, _ left: UInt64, _ leftArena: UnsafeRawPointer, _ rightTag: UInt8, _ right: UInt64,
    _ rightArena: UnsafeRawPointer
  ) -> Int {
    switch (leftTag, rightTag) {
    case (CellTag.text, CellTag.text), (CellTag.blob, CellTag.blob):
      let a = ByteRange(payload: left)
      let b = ByteRange(payload: right)
      let order = Int(memcmp(leftArena + a.offset, rightArena + b.offset, min(a.length, b.length)))
      return order != 0 ? order : a.length - b.length
    case (CellTag.integer, CellTag.integer):
      let (a, b) = (Int64(bitPattern: left), Int64(bitPattern: right))
      return a < b ? -1 : a == b ? 0 : 1
    case (CellTag.integer, CellTag.real), (CellTag.real, CellTag.integer), (CellTag.real, CellTag.real):
      let a = leftTag == CellTag.real ? Double(bitPattern: left) : Double(Int64(bitPattern: left))
      let b = rightTag == CellTag.real ? Double(bitPattern: right) : Double(Int64(bitPattern: right))
      return a < b ? -1 : a == b ? 0 : 1
    default: return rank(leftTag) - rank(rightTag)
    }
  }

  private static func rank(_ tag: UInt8) -> Int {
    switch tag {
    case CellTag.integer, CellTag.real: 1
    case CellTag.text: 2
    case CellTag.blob: 3
    default: 0
    }
  }

  private static func prefix(_ column: CellColumnView, _ row: Int, _ arena: UnsafeRawPointer) -> UInt64 {
    let payload = column.payloads[row]
    switch column.tags[row] {
    case CellTag.integer:
      // Numbers may be compared with reals, so only the order of doubles is used, coarsely.
      return ordered(Double(Int64(bitPattern: payload)))
    case CellTag.real: return ordered(Double(bitPattern: payload))
    case CellTag.text, CellTag.blob:
      let range = ByteRange(payload: payload)
      if range.length >= 8 { return (arena + range.offset).loadUnaligned(as: UInt64.self).bigEndian }
      var prefix: UInt64 = 0
      for i in 0..<range.length {
        prefix |= UInt64((arena + range.offset).load(fromByteOffset: i, as: UInt8.self)) << UInt64(56 - 8 * i)
      }
      return prefix
    default: return 0
    }
  }

  /// Maps a number to an integer of the same order.
  private static func ordered(_ value: Double) -> UInt64 {
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }
}
