import MergewalkObjectModel

/// `extract`: the first match of a regular expression, or a group of it.
struct ExtractStep: StepAction {
  var pattern: String
  var group: Int

  static let spec = StepSpec(
    "extract", "The first match of a regular expression, or one of its groups; null if nothing matches.",
    example: "\"[0-9]+\"", types: "text → text",
    remark: "or one of its groups: `{ pattern: \"([0-9]+)-\", group: 1 }`; null without a match",
    shorthand: "pattern",
    fields: [
      FieldSpec("pattern", .text, required: true, "A regular expression (ICU).", example: "\"([0-9]+)-\""),
      FieldSpec("group", .count(least: 0), default: "0", "The group; 0 is the whole match.", example: "1"),
    ]
  ) { value, _ in
    value.text("pattern").map { ExtractStep(pattern: $0.value, group: value.count(orDefault: "group")) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let search = compiler.search(pattern, replacement: "") else { return nil }
    guard group >= 0, group <= search.groupCount else {
      return compiler.refuse("there is no group \(group): the expression has \(search.groupCount)")
    }
    return compiler.text(input).map { compiler.emit(FirstMatch(search: search, group: group), onText: $0) }
  }
}

private struct FirstMatch: TextPartStep {
  var search: TextSearch
  var group: Int

  func part(of text: FieldBytes) -> TextPart {
    switch search.first(in: text, group: group) {
    case .found(let range): .range(range)
    case .nothing: .nothing
    case .tooSlow: .tooSlow
    }
  }
}

extension TransformStep.Action {
  /// Extracts the first match of a regular expression, or of one of its groups; null if there is none.
  public static func extract(_ pattern: String, group: Int) -> Self {
    Self("extract", ExtractStep(pattern: pattern, group: group))
  }
}
