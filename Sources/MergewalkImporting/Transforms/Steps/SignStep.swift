import MergewalkRecordFormats

/// `negate` and `abs`.
struct SignStep: StepAction, ColumnStep {
  /// Whether numbers that are not negative stay as they are.
  var onlyNegative: Bool

  static let negate = StepSpec(
    word: "negate", "Reverses the sign of a number.", types: "numbers → same", SignStep(onlyNegative: false))

  static let absolute = StepSpec(
    word: "abs", "The absolute value of a number.", types: "numbers → same", SignStep(onlyNegative: true))

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.number(input).map { compiler.emit(self, on: $0, $0.kind) }
  }

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let kind = machine.plan.instructions[index].kind
    if kind == .decimal {
      let input = machine.registers[from].digits
      for i in 0..<machine.count {
        output.digits[i] = onlyNegative && input[i] >= 0 ? input[i] : 0 - input[i]
      }
    }
    machine.each(from, &output) { payload in
      switch kind {
      case .integer:
        let number = Int64(bitPattern: payload)
        if onlyNegative, number >= 0 { return .value(payload) }
        return number == .min ? .failed(.overflow, index) : .value(UInt64(bitPattern: -number))
      case .double:
        let number = Double(bitPattern: payload)
        return .value((onlyNegative ? number.magnitude : 0 - number).bitPattern)
      default: return .value(payload)
      }
    }
  }
}

extension TransformStep.Action {
  /// Reverses the sign of a number.
  public static var negate: Self { Self("negate", SignStep(onlyNegative: false)) }
  /// The absolute value of a number.
  public static var absolute: Self { Self("abs", SignStep(onlyNegative: true)) }
}
