/// A UUID: the value of UUID attributes in typed access.
public struct UniqueID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first eight bytes as a big-endian number.
  public let high: UInt64
  /// The last eight bytes as a big-endian number.
  public let low: UInt64

  /// Creates a UUID from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a random UUID (version 4 of RFC 9562).
  public init() {
    high = UInt64.random(in: 0...UInt64.max) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    low = UInt64.random(in: 0...UInt64.max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// Reads 36 characters such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`; `nil` for anything else.
  public init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(37))
    guard bytes.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (i, byte) in bytes.enumerated() {
      if i == 8 || i == 13 || i == 18 || i == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Self.digit(byte) else { return nil }
      if digits < 16 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
      digits += 1
    }
    (high, low) = halves
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// Whether one UUID's bytes come before another's.
  public static func < (left: UniqueID, right: UniqueID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// 36 characters, capital letters.
  public var description: String {
    let digits = Array("0123456789ABCDEF")
    var text = ""
    for i in 0..<32 {
      if i == 8 || i == 12 || i == 16 || i == 20 { text.append("-") }
      let half = i < 16 ? high : low
      text.append(digits[Int(half >> UInt64(60 - 4 * (i & 15)) & 15)])
    }
    return text
  }
}
