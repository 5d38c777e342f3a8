/// A sum that does not depend on the order of its terms.
///
/// Integers add up exactly, binary64 numbers are added without error and rounded once. Only when a sum on the way is
/// beyond the greatest binary64 number, it is infinite, whatever comes after it.
///
/// The sum of the binary64 numbers is kept as a list of numbers that do not overlap, of growing magnitude.
/// Source: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997).
struct ExactSum: Sendable {
  /// How many terms there are.
  private(set) var count: Int64 = 0
  /// The sum of those terms that were integers.
  private(set) var integers: Int128 = 0
  private var parts: [Double] = []
  /// The sum of infinite values, and of values beyond the greatest binary64 number.
  private var infinities = 0.0
  private(set) var isInteger = true

  /// Adds a term; a decimal as it is stored.
  mutating func add(_ number: NumericValue) {
    count += 1
    switch number {
    case .integer(let value):
      // 2^64 terms do not overflow 128 bits.
      integers += Int128(value)
    case .decimal, .double:
      isInteger = false
      add(number.asDouble)
    }
  }

  private mutating func add(_ term: Double) {
    guard term.isFinite else {
      infinities += term
      return
    }
    var rest = term
    var kept = 0
    for index in parts.indices {
      var part = parts[index]
      if rest.magnitude < part.magnitude { swap(&rest, &part) }
      let sum = rest + part
      // Beyond the greatest number there is no error to keep, and nothing brings the sum back.
      guard sum.isFinite else {
        infinities += sum
        parts.removeAll()
        return
      }
      let error = part - (sum - rest)
      if error != 0 {
        parts[kept] = error
        kept += 1
      }
      rest = sum
    }
    parts.removeLast(parts.count - kept)
    if rest.isFinite { parts.append(rest) } else { infinities += rest }
  }

  /// The sum of integers; `nil` when it is beyond 64 bits.
  var integer: Int64? { Int64(exactly: integers) }

  /// The sum, rounded to the nearest binary64 number; NaN for infinities of both signs.
  var double: Double {
    guard !isInteger else { return Double(integers) }
    guard infinities == 0 else { return infinities }
    var whole = self
    // 128 bits are three numbers of 53.
    var rest = integers
    while rest != 0 {
      let term = Double(rest)
      whole.add(term)
      rest -= Int128(term)
    }
    if whole.infinities != 0 { return whole.infinities }
    return whole.rounded
  }

  private var rounded: Double {
    var index = parts.count
    guard index > 0 else { return 0 }
    index -= 1
    var high = parts[index]
    var low = 0.0
    while index > 0, low == 0 {
      index -= 1
      let next = parts[index]
      let sum = high + next
      low = next - (sum - high)
      high = sum
    }
    // Half way between two numbers, what follows decides.
    if index > 0, (low < 0 && parts[index - 1] < 0) || (low > 0 && parts[index - 1] > 0) {
      let twice = low * 2
      let other = high + twice
      if twice == other - high { high = other }
    }
    return high
  }
}
