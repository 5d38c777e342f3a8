import MergewalkSystem
import MergewalkObjectStore

/// The key of a record as bytes: what key tables keep and compare.
///
/// A key of one text or blob is its bytes; a key of one number is its payload's eight bytes; a composite key is, part
/// by part, the tag, and the payload or the length and the bytes. Equal keys have equal bytes and different keys
/// different ones, within one entity.
struct KeyBytes {
  private var scratch: UnsafeMutableRawPointer
  private var capacity = 256

  init() { scratch = .allocate(byteCount: 256, alignment: 8) }

  /// Frees the memory; the value must not be used afterwards.
  func deallocate() { scratch.deallocate() }

  /// The key whose parts are the cells of `columns` at `row`; valid until the next call.
  @inline(__always)
  mutating func key(_ columns: [CellColumnView], row: Int, arena: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    if columns.count == 1 {
      let tag = columns[0].tags[row]
      if tag == CellTag.text || tag == CellTag.blob {
        let range = ByteRange(payload: columns[0].payloads[row])
        return UnsafeRawBufferPointer(start: arena + range.offset, count: range.length)
      }
      return UnsafeRawBufferPointer(start: UnsafeRawPointer(columns[0].payloads + row), count: 8)
    }
    return composite(columns, row: row, arena: arena)
  }

  private mutating func composite(
    _ columns: [CellColumnView], row: Int, arena: UnsafeRawPointer
  ) -> UnsafeRawBufferPointer {
    var count = 0
    for column in columns {
      let tag = column.tags[row]
      let hasBytes = tag == CellTag.text || tag == CellTag.blob
      let range = ByteRange(payload: column.payloads[row])
      reserve(count + 9 + (hasBytes ? range.length : 0), keeping: count)
      scratch.storeBytes(of: tag, toByteOffset: count, as: UInt8.self)
      scratch.storeBytes(
        of: hasBytes ? UInt64(range.length) : column.payloads[row], toByteOffset: count + 1, as: UInt64.self)
      count += 9
      if hasBytes {
        memcpy(scratch + count, arena + range.offset, range.length)
        count += range.length
      }
    }
    return UnsafeRawBufferPointer(start: scratch, count: count)
  }

  private mutating func reserve(_ needed: Int, keeping count: Int) {
    guard needed > capacity else { return }
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    memcpy(larger, scratch, count)
    scratch.deallocate()
    scratch = larger
  }
}
