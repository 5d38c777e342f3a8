/// A regular expression as an automaton without empty moves: one state for each character place of the expression.
///
/// The states that are reached after a character are a bit set; a character costs one mask and one union for each
/// state in the set, and no text can make it cost more.
/// Source: Glushkov, "The abstract theory of automata" (Russian Mathematical Surveys 16, 1961).
struct PatternAutomaton: Sendable {
  /// Expressions with more places than this are left to ICU.
  static let greatestSize = 1_024
  /// Building takes no more steps than this, however repetitions nest.
  private static let greatestSteps = 200_000

  /// The number of 64-bit words of a set of places.
  private var width = 1
  private var matchesEmpty = false
  /// The places that a text can begin with.
  private var first: [UInt64] = []
  /// The places that a text can end with.
  private var last: [UInt64] = []
  /// For each place the places that can follow it.
  private var follow: [UInt64] = []
  /// For each ASCII character the places that it fits.
  private var ascii: [UInt64] = []
  /// The distinct character classes, each with the places that ask for it.
  private var classes: [(characters: CharacterClass, places: [UInt64])] = []

  init(_ node: PatternNode) throws(PatternSyntaxError) {
    var builder = Builder()
    let whole = try builder.add(node)
    width = max(1, (builder.places.count + 63) / 64)
    matchesEmpty = whole.isNullable
    first = Self.set(whole.first, width)
    last = Self.set(whole.last, width)
    for places in builder.follow { follow += Self.set(Array(places), width) }
    var byClass: [CharacterClass: [Int]] = [:]
    for (place, characters) in builder.places.enumerated() { byClass[characters, default: []].append(place) }
    classes = byClass.map { ($0.key, Self.set($0.value, width)) }
    ascii = [UInt64](repeating: 0, count: 128 * width)
    for code in 0..<128 {
      let scalar = Unicode.Scalar(UInt8(code))
      for (characters, places) in classes where characters.contains(scalar) {
        for word in 0..<width { ascii[code * width + word] |= places[word] }
      }
    }
  }

  private static func set(_ places: [Int], _ width: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: width)
    for place in places { words[place / 64] |= 1 << UInt64(place % 64) }
    return words
  }

  /// Whether all of the text matches; the bytes are valid UTF-8.
  ///
  /// - Complexity: O(bytes × states that are reached at once).
  func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count > 0 else { return matchesEmpty }
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * width) { sets in
      let candidates = UnsafeMutableBufferPointer(rebasing: sets[..<width])
      let mask = UnsafeMutableBufferPointer(rebasing: sets[width...])
      for word in 0..<width { candidates[word] = first[word] }
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte < 0x80 {
          for word in 0..<width { mask[word] = ascii[Int(byte) * width + word] }
          index += 1
        } else {
          let scalar = UTF8Scalars.decode(bytes, &index)
          for word in 0..<width { mask[word] = 0 }
          for (characters, places) in classes where characters.contains(scalar) {
            for word in 0..<width { mask[word] |= places[word] }
          }
        }
        guard step(candidates, mask) else { return false }
      }
      return (0..<width).contains { mask[$0] & last[$0] != 0 }
    }
  }

  /// Leaves in `mask` the places that the character reached, in `candidates` those that can follow them.
  ///
  /// - Returns: whether any place was reached.
  @inline(__always)
  private func step(
    _ candidates: UnsafeMutableBufferPointer<UInt64>, _ mask: UnsafeMutableBufferPointer<UInt64>
  ) -> Bool {
    var any: UInt64 = 0
    for word in 0..<width {
      mask[word] &= candidates[word]
      any |= mask[word]
      candidates[word] = 0
    }
    guard any != 0 else { return false }
    for word in 0..<width {
      var rest = mask[word]
      while rest != 0 {
        let row = (word * 64 + rest.trailingZeroBitCount) * width
        for other in 0..<width { candidates[other] |= follow[row + other] }
        rest &= rest - 1
      }
    }
    return true
  }

  /// Numbers the places of an expression and finds which follow which.
  private struct Builder {
    struct Part {
      var isNullable: Bool
      var first: [Int] = []
      var last: [Int] = []
    }

    var places: [CharacterClass] = []
    var follow: [Set<Int>] = []
    private var steps = 0

    mutating func add(_ node: PatternNode) throws(PatternSyntaxError) -> Part {
      steps += 1
      guard steps <= greatestSteps, places.count <= greatestSize else {
        throw PatternSyntaxError(
          isUnsupported: true, message: "it has more than \(greatestSize) places for characters")
      }
      switch node {
      case .empty, .start, .end: return Part(isNullable: true)
      case .characters(let characters):
        places.append(characters)
        follow.append([])
        return Part(isNullable: false, first: [places.count - 1], last: [places.count - 1])
      case .sequence(let nodes):
        var whole = Part(isNullable: true)
        for node in nodes { join(&whole, try add(node)) }
        return whole
      case .choice(let branches):
        var whole = Part(isNullable: false)
        for branch in branches {
          let part = try add(branch)
          whole.isNullable = whole.isNullable || part.isNullable
          whole.first += part.first
          whole.last += part.last
        }
        return whole
      case .repeated(let child, let least, let most): return try addRepeated(child, least, most)
      }
    }

    /// Unrolls a repetition: required copies, then optional ones, or a loop on the last one.
    private mutating func addRepeated(
      _ child: PatternNode, _ least: Int, _ most: Int?
    ) throws(PatternSyntaxError) -> Part {
      var whole = Part(isNullable: true)
      let required = most == nil ? max(0, least - 1) : least
      for _ in 0..<required { join(&whole, try add(child)) }
      guard let most else {
        var loop = try add(child)
        for place in loop.last { follow[place].formUnion(loop.first) }
        if least == 0 { loop.isNullable = true }
        join(&whole, loop)
        return whole
      }
      for _ in required..<most {
        var part = try add(child)
        part.isNullable = true
        join(&whole, part)
      }
      return whole
    }

    /// Appends a part to what comes before it.
    private mutating func join(_ whole: inout Part, _ part: Part) {
      for place in whole.last { follow[place].formUnion(part.first) }
      if whole.isNullable { whole.first += part.first }
      whole.last = part.isNullable ? whole.last + part.last : part.last
      whole.isNullable = whole.isNullable && part.isNullable
    }
  }
}
