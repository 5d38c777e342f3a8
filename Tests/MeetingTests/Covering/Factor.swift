/// One thing in which pipelines differ, with all that it may be.
///
/// A new feature joins the covering array by an entry in ``Factors/all``: what each value changes in a ``Scenario``, and
/// what it cannot be together with.
struct Factor: Sendable {
  /// What the factor may be.
  struct Value: Sendable {
    /// The value's name, without blanks.
    let name: String
    /// What it changes in a scenario.
    let change: @Sendable (inout Scenario) -> Void

    /// Names a value, and what it changes.
    init(_ name: String, _ change: @escaping @Sendable (inout Scenario) -> Void = { _ in }) {
      self.name = name
      self.change = change
    }
  }

  /// The factor's name, without blanks.
  let name: String
  /// Its values; the first is the plainest.
  let values: [Value]
  /// The pairs of values that no pipeline can have.
  let exclusions: [Exclusion]

  /// Names a factor.
  init(_ name: String, _ values: [Value], except exclusions: [Exclusion] = []) {
    self.name = name
    self.values = values
    self.exclusions = exclusions
  }
}

extension Factor {
  /// The factor without values that are left out, by factors; its exclusions forget them, too.
  func leavingOut(_ left: [String: [String]]) -> Factor {
    func isLeft(_ value: String, of factor: String) -> Bool { !(left[factor] ?? []).contains(value) }
    return Factor(
      name, values.filter { isLeft($0.name, of: name) },
      except: exclusions.map { exclusion in
        Exclusion(
          (exclusion.values.isEmpty ? values.map(\.name) : exclusion.values).filter { isLeft($0, of: name) },
          with: exclusion.other, exclusion.others.filter { isLeft($0, of: exclusion.other) },
          because: exclusion.reason)
      }
      .filter { !$0.values.isEmpty })
  }

  /// Factors of which some have only certain values.
  static func narrowed(_ factors: [Factor], to chosen: [String: [String]]) -> [Factor] {
    var left: [String: [String]] = [:]
    for factor in factors {
      guard let kept = chosen[factor.name] else { continue }
      left[factor.name] = factor.values.map(\.name).filter { !kept.contains($0) }
    }
    return factors.map { $0.leavingOut(left) }
  }
}

/// Pairs of values that no pipeline can have, and why.
struct Exclusion: Sendable {
  /// The values of the factor that has the exclusion; empty for all of them.
  let values: [String]
  /// The other factor.
  let other: String
  /// Its values.
  let others: [String]
  /// Why there is no such pipeline, in words.
  let reason: String

  /// Excludes values from going with values of another factor.
  init(_ values: [String], with other: String, _ others: [String], because reason: String) {
    self.values = values
    self.other = other
    self.others = others
    self.reason = reason
  }
}
