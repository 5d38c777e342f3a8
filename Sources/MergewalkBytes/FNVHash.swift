/// A hash of 64 bits, byte by byte, that is the same in every process.
///
/// It does not guard against made collisions.
///
/// Source: FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>.
@usableFromInline package struct FNVHash: Sendable {
  @usableFromInline package var value: UInt64 = 0xCBF2_9CE4_8422_2325

  @inlinable package init() {}

  @inlinable @inline(__always) package mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  /// One of `count` places.
  @inlinable @inline(__always) package func place(among count: Int) -> Int {
    Int(truncatingIfNeeded: (value ^ value >> 32) % UInt64(count))
  }
}
