/// Identities of stores.
enum StoreUUID {
  /// A random UUID (version 4) as 36 characters in upper case.
  ///
  /// The bytes come from the system's `SystemRandomNumberGenerator`, which is `getrandom` on Linux.
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }, version: 4)
  }

  /// The UUID (version 8) that belongs to a digest: equal stores get equal ones.
  ///
  /// Source: [RFC 9562, section 5.8](https://www.rfc-editor.org/rfc/rfc9562#section-5.8).
  static func make(fromDigest digest: [UInt8]) -> String {
    precondition(digest.count >= 16, "a UUID has 16 bytes")
    return text(Array(digest.prefix(16)), version: 8)
  }

  /// Whether a UUID was made from a digest: two files with the same bytes may have the same.
  static func isMadeOfDigest(_ text: String) -> Bool { text.utf8.dropFirst(14).first == UInt8(ascii: "8") }

  /// Writes 16 bytes with the version and the variant of RFC 9562 in their places.
  private static func text(_ bytes: [UInt8], version: UInt8) -> String {
    var bytes = bytes
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    return text(bytes)
  }

  /// 16 bytes, given as two big-endian numbers, as 36 characters in upper case.
  static func text(_ high: UInt64, _ low: UInt64) -> String {
    text((0..<16).map { i in UInt8(truncatingIfNeeded: (i < 8 ? high : low) >> UInt64(56 - 8 * (i & 7))) })
  }

  private static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (i, byte) in bytes.enumerated() {
      if i == 4 || i == 6 || i == 8 || i == 10 { text.append(UInt8(ascii: "-")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text is 36 characters of upper-case hexadecimal digits and dashes in the right places.
  static func isValid(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.indices.allSatisfy { i in
      if i == 8 || i == 13 || i == 18 || i == 23 { return bytes[i] == UInt8(ascii: "-") }
      return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[i])
        || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(bytes[i])
    }
  }
}
