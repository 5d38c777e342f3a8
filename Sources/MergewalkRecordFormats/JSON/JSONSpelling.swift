import MergewalkSystem

/// A member's name in quotes, to be compared with a text by whole words.
struct JSONSpelling {
  /// The number of bytes with the quotes; 0 for a name that is always escaped.
  let count: Int
  /// The first bytes, at most 8, and a mask of those that count.
  private let head: UInt64
  private let headMask: UInt64
  /// The last 8 bytes of a longer one.
  private let tail: UInt64

  init(_ name: [UInt8]) {
    let isPlain = name.allSatisfy { $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    let text = [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")]
    count = isPlain ? text.count : 0
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    head = word(text.prefix(8))
    headMask = text.count >= 8 ? ~0 : ~(~0 << UInt64(8 * text.count))
    tail = word(text.suffix(8))
  }

  /// Whether `base[start...]` begins with it; 8 bytes can be read there, and all of it.
  ///
  /// - Parameter names: where the names are; `offset` is that of this one.
  @inline(__always)
  func matches(_ base: UnsafePointer<UInt8>, _ start: Int, _ names: UnsafePointer<UInt8>, _ offset: Int) -> Bool {
    let text = UnsafeRawPointer(base + start)
    if (UInt64(littleEndian: text.loadUnaligned(as: UInt64.self)) ^ head) & headMask != 0 { return false }
    if count <= 8 { return true }
    let last = UInt64(littleEndian: (text + (count &- 8)).loadUnaligned(as: UInt64.self))
    if last != tail { return false }
    return count <= 16 || memcmp(base + start + 1, names + offset, count &- 2) == 0
  }
}
