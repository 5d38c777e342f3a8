/// UUIDs as text: 8-4-4-4-12 hexadecimal digits with hyphens.
@usableFromInline package enum UUIDText {
  /// The number of characters.
  package static let length = 36

  /// The text in capital letters, as Apple writes it.
  ///
  /// - Parameters:
  ///   - high: the first eight bytes as a big-endian number.
  ///   - low: the last eight bytes as a big-endian number.
  package static func text(_ high: UInt64, _ low: UInt64) -> String {
    var text: [UInt8] = []
    text.append(uuid: high, low)
    return String(decoding: text, as: UTF8.self)
  }

  /// The halves of the UUID that 36 characters spell; nil for anything else.
  package static func halves(_ text: some StringProtocol) -> (high: UInt64, low: UInt64)? {
    var text = String(text)
    return text.withUTF8 { halves($0) }
  }

  /// The halves of the UUID that 36 bytes spell; nil for anything else.
  package static func halves(_ text: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard text.count == length, let first = text.baseAddress else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
      guard let base = room.baseAddress,
        decode(first, hasHyphens: true, into: base.assumingMemoryBound(to: UInt8.self))
      else { return nil }
      return halves(bytes: UnsafeRawBufferPointer(room))
    }
  }

  /// The halves of a UUID's 16 bytes, with which `bytes` begins.
  @inlinable
  package static func halves(bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
    (
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  /// The 16 bytes of a UUID.
  package static func bytes(_ high: UInt64, _ low: UInt64) -> [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
  }

  /// Writes the 16 bytes of a UUID as data have it: 36 characters, the same in braces, or 32 digits.
  ///
  /// - Returns: whether the text is one.
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let first = text.baseAddress else { return false }
    switch text.count {
    case 38:
      return first[0] == UInt8(ascii: "{") && first[37] == UInt8(ascii: "}")
        && decode(first + 1, hasHyphens: true, into: output)
    case length: return decode(first, hasHyphens: true, into: output)
    case 32: return decode(first, hasHyphens: false, into: output)
    default: return false
    }
  }

  /// Whether a hyphen stands before a byte, by its number.
  @inline(__always)
  fileprivate static func hasHyphen(before byte: Int) -> Bool { byte == 4 || byte == 6 || byte == 8 || byte == 10 }

  @inline(__always)
  private static func decode(
    _ text: UnsafePointer<UInt8>, hasHyphens: Bool, into output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    var cursor = text
    for index in 0..<16 {
      if hasHyphens, hasHyphen(before: index) {
        guard cursor[0] == UInt8(ascii: "-") else { return false }
        cursor += 1
      }
      let high = Hexadecimal.value(cursor[0])
      let low = Hexadecimal.value(cursor[1])
      guard high | low <= 15 else { return false }
      output[index] = high << 4 | low
      cursor += 2
    }
    return true
  }
}

extension [UInt8] {
  /// Appends a UUID as text in capital letters, given as its first and last eight bytes as big-endian numbers.
  package mutating func append(uuid high: UInt64, _ low: UInt64) {
    for index in 0..<16 {
      if UUIDText.hasHyphen(before: index) { append(UInt8(ascii: "-")) }
      let half = index < 8 ? high : low
      append(hexadecimal: UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7))), .capital)
    }
  }
}
