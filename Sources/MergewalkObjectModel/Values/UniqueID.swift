import MergewalkBytes

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

  /// Creates a random UUID (version 4 of RFC 9562).
  public init() {
    high = UInt64.random(in: 0...UInt64.max) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    low = UInt64.random(in: 0...UInt64.max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// Reads 36 characters such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`; `nil` for anything else.
  public init?(_ text: String) {
    guard let halves = UUIDText.halves(text) else { return nil }
    (high, low) = halves
  }

  /// Whether one UUID's bytes come before another's.
  public static func < (left: UniqueID, right: UniqueID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// 36 characters, capital letters.
  public var description: String { UUIDText.text(high, low) }
}
