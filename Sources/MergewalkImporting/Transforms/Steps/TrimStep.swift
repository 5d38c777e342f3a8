struct TrimStep: StepAction, TextPartStep {
  static let spec = StepSpec(
    word: "trim", "Removes white space at both ends.", types: "text → text", TrimStep())

  func part(of text: FieldBytes) -> TextPart { .range(WhiteSpace.trimmed(text)) }
}

extension TransformStep.Action {
  /// Removes white space at both ends.
  public static var trim: Self { Self("trim", TrimStep()) }
}
