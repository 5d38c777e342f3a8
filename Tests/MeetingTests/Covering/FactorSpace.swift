/// All factors with their values numbered through, and which of these exclude each other.
struct FactorSpace: Sendable {
  /// The factors, in order.
  let factors: [Factor]
  /// For each factor the number of its first value.
  let firsts: [Int]
  /// The number of values of all factors.
  let count: Int
  /// For each value the number of its factor.
  let factorOf: [Int]
  /// For each pair `a * count + b` of values whether they exclude each other.
  private let isExcluded: [Bool]
  /// The excluded pairs by their reasons.
  let reasons: [(pair: String, reason: String)]

  /// Numbers the values.
  ///
  /// - Precondition: exclusions name factors and values that are there.
  init(_ factors: [Factor]) {
    self.factors = factors
    var firsts: [Int] = []
    var factorOf: [Int] = []
    for (index, factor) in factors.enumerated() {
      firsts.append(factorOf.count)
      factorOf += factor.values.map { _ in index }
    }
    self.firsts = firsts
    self.factorOf = factorOf
    count = factorOf.count
    var excluded = Array(repeating: false, count: count * count)
    var reasons: [(String, String)] = []
    func value(_ name: String, of factor: Int) -> Int {
      guard let place = factors[factor].values.firstIndex(where: { $0.name == name }) else {
        preconditionFailure("\(factors[factor].name) has no value \(name)")
      }
      return firsts[factor] + place
    }
    for (index, factor) in factors.enumerated() {
      for exclusion in factor.exclusions {
        guard let other = factors.firstIndex(where: { $0.name == exclusion.other }) else {
          preconditionFailure("there is no factor \(exclusion.other)")
        }
        let own = exclusion.values.isEmpty ? factor.values.map(\.name) : exclusion.values
        for first in own {
          for second in exclusion.others {
            let (a, b) = (value(first, of: index), value(second, of: other))
            if !excluded[a * count + b] {
              reasons.append(("\(factor.name)=\(first) \(exclusion.other)=\(second)", exclusion.reason))
            }
            excluded[a * count + b] = true
            excluded[b * count + a] = true
          }
        }
      }
    }
    isExcluded = excluded
    self.reasons = reasons
  }

  /// The numbers of a factor's values.
  func values(of factor: Int) -> Range<Int> { firsts[factor]..<firsts[factor] + factors[factor].values.count }

  /// Whether two values of different factors may stand in one pipeline.
  func allows(_ a: Int, _ b: Int) -> Bool { !isExcluded[a * count + b] }

  /// Whether a value may stand in a pipeline with all of some values of other factors.
  func allows(_ value: Int, with others: [Int]) -> Bool {
    for other in others where isExcluded[value * count + other] { return false }
    return true
  }

  /// `factor=value`.
  func name(_ value: Int) -> String {
    let factor = factorOf[value]
    return "\(factors[factor].name)=\(factors[factor].values[value - firsts[factor]].name)"
  }

  /// The number of a factor by its name, or nil.
  func factor(named name: String) -> Int? { factors.firstIndex { $0.name == name } }
}
