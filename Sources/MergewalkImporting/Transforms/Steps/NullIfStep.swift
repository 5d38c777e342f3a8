import MergewalkRecordFormats

/// `null_if`: null for some texts.
struct NullIfStep: StepAction {
  var texts: [String]

  static let spec = StepSpec(
    FieldSpec("null_if", .texts, "Texts that become null.", example: "[n/a, \"-\"]"), types: "text → text"
  ) { value, _ in
    value.texts("null_if").map { NullIfStep(texts: $0.map(\.value)) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    let nulls = NullTexts(table: LookupTable(texts.map { ($0, "") }), reason: .nullIf)
    return compiler.text(input).map { compiler.emit(nulls, onText: $0) }
  }
}

/// Null for the texts of a table.
struct NullTexts: ColumnStep {
  var table: LookupTable
  var reason: FieldTally.Replacement

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    records.bytes.withUnsafeBufferPointer { bytes in
      machine.each(from, &output) { record, payload, output in
        guard table.contains(bytes.text(payload)) else { return .value(payload) }
        output.replace(record, reason)
        return .null
      }
    }
  }
}

extension TransformStep.Action {
  /// Turns these texts into null.
  public static func nullIf(_ texts: [String]) -> Self { Self("null_if", NullIfStep(texts: texts)) }
}
