/// SplitMix64: a small deterministic random number generator for property tests.
///
/// A property test prints its seed in its failure message, so that the failure can be reproduced. Source: Steele, Lea,
/// Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of `seed`.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The number that `Int.random(in: 0..<bound, using:)` gives, whose generic code takes ten times as long where nothing is
  /// optimized: for data that are made byte by byte.
  ///
  /// Source: Lemire, "Fast Random Integer Generation in an Interval" (2018), as in the standard library.
  public mutating func below(_ bound: Int) -> Int {
    let bound = UInt64(bound)
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let least = (0 &- bound) % bound
      while product.low < least { product = next().multipliedFullWidth(by: bound) }
    }
    return Int(product.high)
  }
}
