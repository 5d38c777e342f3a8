/// Meetings of which it is known that they go wrong: the only place where they are left out.
///
/// Each is a pair of values that the covering array excludes, or a value that it leaves out; `MERGEWALK_CASE` still runs
/// them. When one is mended, its entry goes.
enum KnownIssues {
  /// Values that are left out, by their factors.
  static let values: [String: [String]] = [:]

  /// Pairs that are left out: a factor, and the exclusion that it gets.
  static let pairs: [(factor: String, exclusion: Exclusion)] = []

  /// The factors without what is left out.
  static func applied(to factors: [Factor]) -> [Factor] {
    factors.map { factor in
      let own = pairs.filter { $0.factor == factor.name }.map(\.exclusion)
      return Factor(factor.name, factor.values, except: factor.exclusions + own).leavingOut(values)
    }
  }
}
