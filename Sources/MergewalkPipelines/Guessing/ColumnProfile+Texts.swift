import MergewalkDiagnostics

/// The meaning of a column of texts, or of values of several types.
extension ColumnProfile {
  func textVerdict(_ count: Int) -> Verdict {
    var verdict = Verdict(type: .text)
    if structures == count { return Verdict(type: .json, evidence: ["objects or lists"]) }
    // Dates and UUIDs are strings there, as all others are.
    let hasStrings = strings > 0
    let kinds = [
      (numbers, "number", "numbers"), (hasStrings ? 0 : dates, "date", "dates"), (booleans, "Boolean", "Booleans"),
      (hasStrings ? 0 : uuids, "UUID", "UUIDs"), (structures, "object or list", "objects or lists"),
    ].filter { $0.0 > 0 }
    if kinds.isEmpty || kinds.reduce(0, { $0 + $1.0 }) * 2 < count {
      verdict.evidence = ["up to \(PrintableText.count(longest, "byte"))"]
      return verdict
    }
    let mixture = kinds.map { PrintableText.count($0.0, $0.1, $0.2) }
    let rest =
      hasStrings
      ? [PrintableText.count(strings, "string")]
      : others > 0 ? ["\(PrintableText.grouped(others)) other (\(otherExample))"] : []
    verdict.evidence = ["mixed: " + (mixture + rest).joined(separator: ", ")]
    if !hasStrings, let question = exceptionQuestion(count) { verdict.questions = [question] }
    return verdict
  }

  /// Asks whether the few values that are not of the kind of all others are mistakes; nil where they are many, or where the
  /// others have no certain type.
  private func exceptionQuestion(_ count: Int) -> Question? {
    let kinds: [(count: Int, name: String, verdict: Verdict)] = [
      (numbers, "numbers", plainVerdict()), (dates, "dates", dateVerdict(dates)),
      (booleans, "true or false", Verdict(type: .boolean)), (uuids, "UUIDs", Verdict(type: .uuid)),
    ]
    guard let kind = kinds.first(where: { count - $0.count <= max(1, count / 10) }) else { return nil }
    return Self.exceptionQuestion(
      kind.verdict, kind.name, exceptions: count - kind.count, of: count, example: others > 0 ? otherExample : nil)
  }

  /// The question about exceptions; nil where they are many, or where the type is not certain.
  static func exceptionQuestion(
    _ verdict: Verdict, _ name: String, exceptions: Int, of count: Int, example: String?
  ) -> Question? {
    guard count >= 3, exceptions <= max(1, count / 10), verdict.type != .text, verdict.type != .json else { return nil }
    let isOne = exceptions == 1
    let shown = example.map { isOne ? ", “\($0)”," : ", such as “\($0)”," } ?? ""
    var answer = verdict
    answer.evidence = ["and a run rejects \(isOne ? "it" : "them")"]
    return Question(
      text: "\(PrintableText.grouped(count - exceptions)) of \(PrintableText.count(count, "value")) are \(name);"
        + (isOne ? " is the other one\(shown) a mistake?" : " are the others\(shown) mistakes?"),
      answers: [answer])
  }
}
