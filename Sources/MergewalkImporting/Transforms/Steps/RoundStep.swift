import MergewalkObjectModel
import MergewalkRecordFormats

struct RoundStep: StepAction, ColumnStep {
  var places: Int
  var rounding: TransformStep.Rounding

  static let spec = StepSpec(
    "round", "Rounds to decimal places.", example: "2", types: "numbers → same",
    remark: "`mode`: `half_up`, `half_even`, `floor`, `ceiling`, `truncate`",
    shorthand: "places",
    fields: [
      FieldSpec(
        "places", .integer, default: "0", "How many; negative numbers round to tens, hundreds and so on.", example: "2"),
      FieldSpec(
        "mode", .choice(of: TransformStep.Rounding.self), default: "half_up",
        "How to round: `half_up` rounds halves away from zero, `half_even` to the even digit, `floor`"
          + " down, `ceiling` up, `truncate` toward zero.", example: "half_even"),
    ]
  ) { value, _ in
    RoundStep(
      places: value.count(orDefault: "places"),
      rounding: value.choice(orDefault: "mode", as: TransformStep.Rounding.self))
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let number = compiler.number(input) else { return nil }
    guard compiler.takesPlaces(places) else { return nil }
    return compiler.emit(self, on: number, number.kind)
  }

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let rule = rounding.rule
    let kind = machine.plan.instructions[index].kind
    let digits = machine.registers[from].digits
    machine.each(from, &output) { i, payload, output in
      switch kind {
      case .decimal:
        let number = ExactDecimal(digits[i], Int(Int64(bitPattern: payload))).rounded(places, rule)
        output.digits[i] = number.digits
        return .value(UInt64(bitPattern: Int64(number.exponent)))
      case .integer where places < 0:
        let number = ExactDecimal(Int128(Int64(bitPattern: payload)), 0).rounded(places, rule)
        return number.integer.map { .value(UInt64(bitPattern: $0)) } ?? .failed(.overflow, index)
      case .double:
        // By its shortest digits, so that 2.675 is rounded as it is written.
        guard let digits = DecimalNumber(Double(bitPattern: payload).description) else { return .value(payload) }
        let number = NumericValue.decimal(ExactDecimal(digits).rounded(places, rule))
        return .value((number.asDouble + 0).bitPattern)
      default: return .value(payload)
      }
    }
  }
}

extension TransformStep {
  /// The rounding direction.
  public enum Rounding: String, Sendable, Hashable, CaseIterable {
    /// To the nearest; halves away from zero.
    case halfUp = "half_up"
    /// To the nearest; halves to the even neighbour.
    case halfEven = "half_even"
    /// Toward negative infinity.
    case floor
    /// Toward positive infinity.
    case ceiling
    /// Toward zero.
    case truncate

    fileprivate var rule: FloatingPointRoundingRule {
      switch self {
      case .halfUp: .toNearestOrAwayFromZero
      case .halfEven: .toNearestOrEven
      case .floor: .down
      case .ceiling: .up
      case .truncate: .towardZero
      }
    }
  }
}

extension TransformStep.Action {
  /// Rounds to a number of decimal places.
  public static func round(places: Int, _ rounding: TransformStep.Rounding) -> Self {
    Self("round", RoundStep(places: places, rounding: rounding))
  }
}
