/// All factors of the covering array.
///
/// A new feature of pipelines gets an entry here: what each of its values changes in a scenario, and with which values of
/// other factors it cannot go, with the reason.
enum Factors {
  static let all: [Factor] =
    source + [keyType, keyNames, repeats, duplicates, mode, find, batch, owner, policies, store, faults] + relations
    + attributes
    + runs

  static let space = FactorSpace(KnownIssues.applied(to: all))
}
