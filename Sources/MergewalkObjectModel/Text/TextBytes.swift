import CMergewalkICU
import MergewalkSystem

extension String {
  /// Calls `body` with the text's UTF-8 bytes, without copying them.
  @inline(__always)
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try utf8.span.withUnsafeBufferPointer(body)
  }

  /// Whether two texts have the same UTF-8 bytes; `==` of strings would find composed and decomposed accents equal.
  package func hasSameBytes(as other: String) -> Bool {
    withBytes { left in other.withBytes { right in TextBytes.compare(left, right) == 0 } }
  }
}

/// Questions about runs of bytes.
package enum TextBytes {
  /// Below 0, 0, or above 0: the order of the bytes as unsigned numbers; of two texts one of which begins with the
  /// other, the shorter is first.
  package static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let first = left.baseAddress, let second = right.baseAddress {
      let order = memcmp(first, second, shared)
      if order != 0 { return order < 0 ? -1 : 1 }
    }
    return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
  }

  package static func areASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    asciiPrefix(bytes, from: 0) == bytes.count
  }

  /// The place of the first byte at or after `start` that is not ASCII, or the count.
  static func asciiPrefix(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    let raw = UnsafeRawBufferPointer(bytes)
    while index + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080
      if word != 0 { return index + word.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, bytes[index] < 0x80 { index += 1 }
    return index
  }

  package static func hasPrefix(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard part.count <= text.count else { return false }
    return compare(UnsafeBufferPointer(rebasing: text[..<part.count]), part) == 0
  }

  package static func hasSuffix(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard part.count <= text.count else { return false }
    return compare(UnsafeBufferPointer(rebasing: text[(text.count - part.count)...]), part) == 0
  }

  /// The place of the part's first occurrence at or after `start`, or `nil`.
  ///
  /// - Complexity: O(bytes of both): glibc's `memmem` is the two-way algorithm.
  package static func find(
    _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int = 0
  ) -> Int? {
    guard start <= text.count else { return nil }
    guard part.count > 0, let partBase = part.baseAddress else { return start }
    guard part.count <= text.count - start, let base = text.baseAddress else { return nil }
    guard let found = mergewalk_find(base + start, text.count - start, partBase, part.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// The number of UTF-16 code units of valid UTF-8: one for each byte that begins a character, one more for each
  /// that begins a character beyond U+FFFF.
  package static func utf16Length(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var length = 0
    for byte in bytes {
      length &+= byte & 0xC0 != 0x80 ? 1 : 0
      length &+= byte >= 0xF0 ? 1 : 0
    }
    return length
  }
}
