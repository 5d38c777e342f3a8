import MergewalkRecordFormats

/// `length`: the number of characters.
struct LengthStep: StepAction, ColumnStep {
  static let spec = StepSpec(word: "length", "The number of characters.", types: "text → integer", LengthStep())

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.text(input).map { compiler.emit(self, on: $0, .integer) }
  }

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.eachText(from, &output, reading: records) { .value(UInt64(TextScalars.count($0))) }
  }
}

extension TransformStep.Action {
  /// The number of characters.
  public static var length: Self { Self("length", LengthStep()) }
}
