/// `prepend` and `append`.
struct AffixStep: StepAction, NewTextStep {
  var text: [UInt8]
  var isBefore: Bool

  static let prepend = spec("prepend", "Adds a text before the value.", example: "\"CH-\"", isBefore: true)
  static let append = spec("append", "Adds a text after the value.", example: "\" kg\"", isBefore: false)

  private static func spec(_ name: String, _ summary: String, example: String, isBefore: Bool) -> StepSpec {
    StepSpec(FieldSpec(name, .text, summary, example: example), types: "text → text") { value, _ in
      value.text(name).map { AffixStep(text: Array($0.value.utf8), isBefore: isBefore) }
    }
  }

  func write(_ value: FieldBytes, to buffer: inout TextBuffer) -> Bool {
    text.withUnsafeBufferPointer { text in
      isBefore ? buffer.append(text) && buffer.append(value) : buffer.append(value) && buffer.append(text)
    }
  }
}

extension TransformStep.Action {
  /// Adds a text before the value.
  public static func prepend(_ text: String) -> Self {
    Self("prepend", AffixStep(text: Array(text.utf8), isBefore: true))
  }

  /// Adds a text after the value.
  public static func append(_ text: String) -> Self {
    Self("append", AffixStep(text: Array(text.utf8), isBefore: false))
  }
}
