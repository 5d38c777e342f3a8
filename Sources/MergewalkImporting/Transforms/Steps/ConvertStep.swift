/// `to`: makes a value of another type.
struct ConvertStep: StepAction {
  var kind: ValueKind

  static let spec = StepSpec(
    FieldSpec("to", .choice(of: ValueKind.self), "Converts the value to another type.", example: "integer"),
    types: "any → that type", remark: "exactly, or `transform.value`"
  ) { value, _ in
    value.choice("to", as: ValueKind.self).map { ConvertStep(kind: $0) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? { compiler.convert(input, to: kind) }
}

extension TransformStep.Action {
  /// Converts a value to another type.
  public static func convert(_ kind: ValueKind) -> Self { Self("to", ConvertStep(kind: kind)) }
}
