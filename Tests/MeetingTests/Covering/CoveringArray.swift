import MergewalkTestSupport

/// Rows of values, one for each factor, such that every allowed combination of values of any two (or three) factors is in
/// some row.
///
/// Greedy: a row begins with a combination that is in no row yet; each further factor takes the value that completes most
/// of those. Source: Cohen, Dalal, Fredman, Patton, "The AETG System" (IEEE Transactions on Software Engineering, 1997).
struct CoveringArray {
  /// The rows: the number of the value of each factor.
  private(set) var rows: [[Int]] = []
  /// How many combinations are in some row.
  private(set) var covered = 0
  /// How many combinations are excluded.
  private(set) var excluded = 0
  /// The combinations that no row can have although no exclusion says so.
  private(set) var impossible: [[Int]] = []

  private let space: FactorSpace
  private let strength: Int
  private var random: SeededGenerator
  /// Whether a combination still waits for a row, at `a * n * n + b * n + c` with a < b < c (a pair: `a * n + b`).
  private var waits: [Bool]

  /// Makes the rows.
  ///
  /// - Parameters:
  ///   - strength: 2 for pairs, 3 for triples.
  ///   - tries: how many rows are made for each that is taken.
  init(_ space: FactorSpace, strength: Int, seed: UInt64, tries: Int) {
    precondition(strength == 2 || strength == 3)
    self.space = space
    self.strength = strength
    random = SeededGenerator(seed: seed)
    let n = space.count
    waits = Array(repeating: false, count: strength == 2 ? n * n : n * n * n)
    var waiting: [Int] = []
    forEachCombination { place, isAllowed in
      if isAllowed { waiting.append(place) } else { excluded += 1 }
    }
    for place in waiting { waits[place] = true }
    waiting.shuffle(using: &random)
    for start in waiting where waits[start] {
      var best: (row: [Int], gain: Int)?
      for _ in 0..<tries {
        guard let row = row(from: values(start)) else { continue }
        let gain = gain(of: row)
        if gain > best?.gain ?? -1 { best = (row, gain) }
      }
      guard let best else {
        waits[start] = false
        impossible.append(values(start))
        continue
      }
      rows.append(best.row)
      cover(best.row)
    }
  }

  // MARK: Combinations

  private func forEachCombination(_ body: (Int, Bool) -> Void) {
    let n = space.count
    for a in 0..<n {
      for b in a + 1..<n where space.factorOf[a] != space.factorOf[b] {
        let pair = space.allows(a, b)
        guard strength == 3 else {
          body(a * n + b, pair)
          continue
        }
        for c in b + 1..<n where space.factorOf[c] != space.factorOf[b] {
          body((a * n + b) * n + c, pair && space.allows(a, c) && space.allows(b, c))
        }
      }
    }
  }

  private func values(_ place: Int) -> [Int] {
    let n = space.count
    return strength == 2 ? [place / n, place % n] : [place / n / n, place / n % n, place % n]
  }

  /// How many combinations that wait a value completes with values that are chosen; values ascend with their factors.
  private func gain(of value: Int, with chosen: [Int]) -> Int {
    let n = space.count
    var gain = 0
    waits.withUnsafeBufferPointer { waits in
      for (i, other) in chosen.enumerated() {
        let (a, b) = (min(value, other), max(value, other))
        if strength == 2 {
          if waits[a * n + b] { gain += 1 }
          continue
        }
        for j in 0..<i {
          let third = chosen[j]
          let (low, high) = (min(a, third), max(b, third))
          if waits[(low * n + (a + b + third - low - high)) * n + high] { gain += 1 }
        }
      }
    }
    return gain
  }

  private func gain(of row: [Int]) -> Int { row.indices.reduce(0) { $0 + gain(of: row[$1], with: Array(row[..<$1])) } }

  private mutating func cover(_ row: [Int]) {
    let n = space.count
    for a in row.indices {
      for b in row.indices.dropFirst(a + 1) {
        if strength == 2 {
          cover(row[a] * n + row[b])
          continue
        }
        for c in row.indices.dropFirst(b + 1) { cover((row[a] * n + row[b]) * n + row[c]) }
      }
    }
  }

  private mutating func cover(_ place: Int) {
    guard waits[place] else { return }
    waits[place] = false
    covered += 1
  }

  // MARK: Rows

  /// A row with these values; nil when there is none.
  private mutating func row(from start: [Int]) -> [Int]? {
    var open = Array(space.factors.indices.filter { factor in !start.contains { space.factorOf[$0] == factor } })
    open.shuffle(using: &random)
    var steps = 0
    guard let chosen = complete(start, open[...], &steps) else { return nil }
    return chosen.sorted { space.factorOf[$0] < space.factorOf[$1] }
  }

  /// Chooses values for further factors; goes back where none is left, a bounded number of times.
  private mutating func complete(_ chosen: [Int], _ open: ArraySlice<Int>, _ steps: inout Int) -> [Int]? {
    guard let factor = mostBound(chosen, open) else { return chosen }
    steps += 1
    guard steps < 20_000 else { return nil }
    var choices: [(value: Int, gain: Int, tie: UInt64)] = []
    for value in space.values(of: factor) where space.allows(value, with: chosen) {
      choices.append((value, gain(of: value, with: chosen), random.next()))
    }
    choices.sort { ($0.gain, $0.tie) > ($1.gain, $1.tie) }
    let rest = ArraySlice(open.filter { $0 != factor })
    for choice in choices {
      if let row = complete(chosen + [choice.value], rest, &steps) { return row }
    }
    return nil
  }

  /// The factor to choose next: one that has at most one value left, else the first.
  private func mostBound(_ chosen: [Int], _ open: ArraySlice<Int>) -> Int? {
    for factor in open {
      var left = 0
      for value in space.values(of: factor) where space.allows(value, with: chosen) {
        left += 1
        if left == 2 { break }
      }
      if left < 2 { return factor }
    }
    return open.first
  }
}
