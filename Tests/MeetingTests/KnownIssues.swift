/// Meetings of which it is known that they go wrong, or that nobody has said what they mean: the only place where cases are
/// left out.
struct KnownIssue: Sendable {
  /// What is wrong, and where it is written down.
  let reason: String
  /// Whether a case is one of them.
  let matches: @Sendable (MeetingCase) -> Bool

  static let all: [KnownIssue] = [
    KnownIssue(
      reason:
        "a record that is rejected in the second pass has filled its lists in the first one: members of others move"
    ) { $0["parent"] == "reject" && $0["list"] != "none" },
    KnownIssue(
      reason: "of a record that waits for the second pass and is then rejected by its list, the targets stay"
    ) { $0["parent"] != "none" && $0["list-options"] == "missing-reject" },
    KnownIssue(reason: "expressions have two engines (issue 15, 1.3)") { $0["transforms"] == "evaluated" },
  ]

  /// The reason why a case is left out; nil for one that must be right.
  static func reason(_ meeting: MeetingCase) -> String? { all.first { $0.matches(meeting) }?.reason }
}
