import MergewalkBytes

/// Tells whether records stand where they stood: 64 bits of their places, in the order of the records.
///
/// What is stored does not depend on places, but rejects name them. It guards against what has moved, and not against
/// an attacker.
package struct PlacesHash: Hashable, Sendable {
  package private(set) var bits: UInt64 = 0xCBF2_9CE4_8422_2325
  private var run: (source: Int, member: String?)?

  package static func == (left: PlacesHash, right: PlacesHash) -> Bool { left.bits == right.bits }

  package func hash(into hasher: inout Hasher) { hasher.combine(bits) }

  /// Starts without places.
  package init() {}

  /// The next records are from this source, and from this member of it.
  package mutating func begin(source: Int, member: String?) {
    if let run, run == (source, member) { return }
    run = (source, member)
    mix(UInt64(truncatingIfNeeded: source))
    for byte in (member ?? "").utf8 { mix(UInt64(byte)) }
  }

  @inline(__always)
  package mutating func add(_ place: RecordPlace) {
    mix(UInt64(truncatingIfNeeded: place.index))
    mix(UInt64(truncatingIfNeeded: place.line))
    mix(UInt64(truncatingIfNeeded: place.column))
    mix(UInt64(truncatingIfNeeded: place.byteOffset))
  }

  @inline(__always)
  private mutating func mix(_ value: UInt64) {
    bits = (bits ^ value) &* 0x9E37_79B9_7F4A_7C15
    bits ^= bits >> 29
  }

  /// The hash as 16 hexadecimal digits.
  package var text: String { Hexadecimal.text(bits, width: 16) }
}
