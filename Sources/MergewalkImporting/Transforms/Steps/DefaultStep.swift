/// `default`: a text for a value that is not there or empty.
struct DefaultStep: StepAction {
  var text: String

  static let spec = StepSpec(
    FieldSpec("default", .text, "A text for values that are missing or empty.", example: "unknown"),
    types: "any → same", remark: "where the value is missing or empty"
  ) { value, _ in
    value.text("default").map { DefaultStep(text: $0.value) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let constant = compiler.constant(text, input.kind, name: compiler.place.name) else {
      return compiler.fail("transformType", "“\(text)” is not \(input.kind.described), unlike the value before it")
    }
    return compiler.emit(
      FirstOf(inputs: [input.register, constant.register], reason: .defaultText), input.kind, of: input,
      reading: input.reading)
  }
}

extension TransformStep.Action {
  /// Replaces a missing or empty value with a text.
  public static func defaultValue(_ text: String) -> Self { Self("default", DefaultStep(text: text)) }
}
