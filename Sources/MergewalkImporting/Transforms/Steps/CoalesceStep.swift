import MergewalkObjectStore
import MergewalkRecordFormats

/// `coalesce`: the first of the value and other columns that is there and not empty.
struct CoalesceStep: StepAction {
  var columns: [String]

  static let spec = StepSpec(
    FieldSpec(
      "coalesce", .texts, "If the value is missing or empty, the first of these columns that has a value.",
      example: "[email, login]"), types: "any → same", remark: "where the value is missing or empty"
  ) { value, _ in
    value.texts("coalesce").map { CoalesceStep(columns: $0.map(\.value)) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    var values = [input]
    for name in columns {
      guard let column = compiler.column(name) else { return nil }
      values.append(column)
    }
    guard let same = compiler.unified(values) else { return nil }
    return compiler.emit(FirstOf(inputs: same.map(\.register)), same[0].kind, of: input, reading: input.reading)
  }
}

/// The first value that is there and, for texts, not empty.
struct FirstOf: ColumnOperation {
  var inputs: [Int]
  /// Why another value than the first is taken, when that is a policy of the field.
  var reason: FieldTally.Replacement?
  var carried: Int? { reason == nil ? nil : inputs[0] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let kind = machine.plan.instructions[index].kind
    for i in 0..<machine.count {
      var chosen = inputs[0]
      for part in inputs {
        let tag = machine.registers[part].tags[i]
        let isEmpty = kind == .text && ByteRange(payload: machine.registers[part].payloads[i]).length == 0
        if tag == Register.failed || (tag == Register.value && !isEmpty) {
          chosen = part
          break
        }
      }
      machine.take(i, from: chosen, kind, &output)
      if let reason, chosen != inputs[0] { output.replace(i, reason) }
    }
  }
}

extension TransformStep.Action {
  /// The first of the value and other columns that is present and not empty.
  public static func coalesce(_ columns: [String]) -> Self { Self("coalesce", CoalesceStep(columns: columns)) }
}
