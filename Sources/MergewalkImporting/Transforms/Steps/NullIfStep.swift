/// `null_if`: null for some texts.
struct NullIfStep: StepAction {
  var texts: [String]

  static let spec = StepSpec(
    FieldSpec("null_if", .texts, "Texts that become nothing.", example: "[n/a, \"-\"]"), types: "text → text"
  ) { value, _ in
    value.texts("null_if").map { NullIfStep(texts: $0.map(\.value)) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.text(input).map { compiler.emit(NullTexts(table: LookupTable(texts.map { ($0, "") })), onText: $0) }
  }
}

/// Null for the texts of a table.
struct NullTexts: TextPartStep {
  var table: LookupTable

  func part(of text: FieldBytes) -> TextPart { table.contains(text) ? .nothing : .range(text.indices) }
}

extension TransformStep.Action {
  /// Null for these texts.
  public static func nullIf(_ texts: [String]) -> Self { Self("null_if", NullIfStep(texts: texts)) }
}
