/// Meetings of which it is known that they go wrong: the only place where they are left out.
///
/// Each is a pair of values that the covering array excludes, or a value that it leaves out; `MERGEWALK_CASE` still runs
/// them. When one is mended, its entry goes.
enum KnownIssues {
  /// How many cases may differ.
  ///
  /// They came with the merge of eight branches on 2026-11-22 and are not sorted yet; most of them are replays into stores
  /// of the modes that delete. The number only ever goes down; 0 is the aim.
  static let unsorted = 40

  /// Values that are left out, by their factors.
  static let values: [String: [String]] = ["transforms": ["evaluated"]]

  /// Pairs that are left out: a factor, and the exclusion that it gets.
  static let pairs: [(factor: String, exclusion: Exclusion)] = [
    (
      "parent",
      Exclusion(
        ["reject"], with: "list", ["split", "scalars", "objects", "ordered", "lines", "notes"],
        because: "known issue: a record that the second pass rejects has filled its lists in the first one")
    ),
    (
      "parent",
      Exclusion(
        ["reject"], with: "list-options", ["add", "reject-empty", "keep-empty", "missing-reject", "missing-null"],
        because: "known issue: a record that the second pass rejects has filled its lists in the first one")
    ),
    (
      "parent",
      Exclusion(
        ["create", "reject", "null", "two-pass-null"], with: "list-options", ["missing-reject"],
        because: "known issue: a record that waits and is then rejected by its list leaves what it did to its targets")
    ),
    (
      "parent",
      Exclusion(
        ["create"], with: "mode", ["update"],
        because: "known issue: whether a record updates what another one has made as its parent depends on the batch")
    ),
    (
      "after",
      Exclusion(
        ["replay"], with: "format", ["plist"],
        because: "known issue: rejects of XML property lists have XML as their raw text, and a replay wants JSON")
    ),
    (
      "since",
      Exclusion(
        ["integer", "lag", "ties", "date", "text", "hold"], with: "duplicates", ["reject"],
        because: "known issue: the value of a record that is put off counts before the record is rejected")
    ),
  ]

  /// The factors without what is left out.
  static func applied(to factors: [Factor]) -> [Factor] {
    factors.map { factor in
      Factor(
        factor.name, factor.values.filter { !(values[factor.name] ?? []).contains($0.name) },
        except: factor.exclusions.map { known($0, factor.name) }
          + pairs.filter { $0.factor == factor.name }.map(\.exclusion))
    }
  }

  /// An exclusion without values that are left out.
  private static func known(_ exclusion: Exclusion, _ factor: String) -> Exclusion {
    let own = exclusion.values.filter { !(values[factor] ?? []).contains($0) }
    let others = exclusion.others.filter { !(values[exclusion.other] ?? []).contains($0) }
    return Exclusion(own, with: exclusion.other, others, because: exclusion.reason)
  }
}
