import ObjectModel

/// Numbers: 64-bit integers and 38-digit decimals, exact or refused; binary64 numbers that stay finite.
extension TransformMachine {
  /// Makes numbers of one type those of another.
  func cast(_ from: Int, _ old: ValueKind, _ new: ValueKind, _ index: Int, _ output: inout Register) {
    let input = registers[from]
    let overflow = Cell.failed(.overflow, index)
    let notWhole = Cell.failed(.value, index)
    for i in 0..<count {
      output.tags[i] = input.tags[i]
      output.payloads[i] = input.payloads[i]
      guard input.tags[i] == Register.value else { continue }
      let payload = input.payloads[i]
      var cell: Cell?
      switch (old, new) {
      case (.boolean, .integer), (.integer, .integer): break
      case (.integer, .decimal), (.boolean, .decimal):
        output.digits[i] = Int128(Int64(bitPattern: payload))
        output.payloads[i] = 0
      case (.integer, .double), (.boolean, .double): output.payloads[i] = Double(Int64(bitPattern: payload)).bitPattern
      case (.decimal, .double):
        let number = DecimalNumber(significand: input.digits[i], exponent: Int(Int64(bitPattern: payload)))
        output.payloads[i] = number.number.asDouble.bitPattern
      case (.decimal, .integer):
        let number = DecimalNumber(significand: input.digits[i], exponent: Int(Int64(bitPattern: payload)))
        if number.exponent < 0 {
          cell = notWhole
        } else if let whole = DecimalMath.scaled(number.significand, number.exponent).flatMap({ Int64(exactly: $0) }) {
          output.payloads[i] = UInt64(bitPattern: whole)
        } else {
          cell = overflow
        }
      case (.double, .integer):
        let number = Double(bitPattern: payload)
        if let whole = Int64(exactly: number) {
          output.payloads[i] = UInt64(bitPattern: whole)
        } else {
          cell = number == number.rounded() ? overflow : notWhole
        }
      case (.double, .decimal):
        if let number = DecimalNumber(Double(bitPattern: payload).description), number.exponent.magnitude <= 128 {
          output.digits[i] = number.significand
          output.payloads[i] = UInt64(bitPattern: Int64(number.exponent))
        } else {
          cell = overflow
        }
      case (.integer, .boolean): output.payloads[i] = payload == 0 ? 0 : 1
      case (.date, .date), (.decimal, .decimal), (.double, .double), (.boolean, .boolean), (.text, .text): break
      default: cell = notWhole
      }
      if old == .decimal, new == .decimal { output.digits[i] = input.digits[i] }
      if let cell {
        output.tags[i] = cell.tag
        output.payloads[i] = cell.payload
      }
    }
  }

  /// Computes with two columns of one type; null with anything is null.
  func arithmetic(
    _ operation: TransformStep.Arithmetic, _ left: Int, _ right: Int, _ kind: ValueKind, _ places: Int?, _ index: Int,
    _ output: inout Register
  ) {
    let first = registers[left]
    let second = registers[right]
    for i in 0..<count {
      guard first.tags[i] == Register.value, second.tags[i] == Register.value else {
        let isFirst = first.tags[i] == Register.failed || second.tags[i] != Register.failed
        // Nothing beside a value is null, whatever kind of nothing it is.
        let tag = isFirst ? first.tags[i] : second.tags[i]
        output.tags[i] =
          tag == Register.failed ? tag : first.tags[i] == Register.absent ? Register.absent : Register.null
        output.payloads[i] = isFirst ? first.payloads[i] : second.payloads[i]
        continue
      }
      var failure: TransformFailure?
      switch kind {
      case .integer:
        let result = Self.integers(
          operation, Int64(bitPattern: first.payloads[i]), Int64(bitPattern: second.payloads[i]))
        output.payloads[i] = UInt64(bitPattern: result.value)
        failure = result.failure
      case .decimal:
        let a = DecimalMath.Number(first.digits[i], Int(Int64(bitPattern: first.payloads[i])))
        let b = DecimalMath.Number(second.digits[i], Int(Int64(bitPattern: second.payloads[i])))
        let result = DecimalMath.compute(operation, a, b, places: places)
        failure = result.failure
        output.digits[i] = result.value.digits
        output.payloads[i] = UInt64(bitPattern: Int64(result.value.exponent))
      default:
        let result = Self.doubles(
          operation, Double(bitPattern: first.payloads[i]), Double(bitPattern: second.payloads[i]))
        output.payloads[i] = result.value.bitPattern
        failure = result.failure
      }
      output.tags[i] = Register.value
      if let failure {
        output.tags[i] = Register.failed
        output.payloads[i] = TransformFailure.Cell(failure, instruction: index).payload
      }
    }
  }

  @inline(__always)
  private static func integers(
    _ operation: TransformStep.Arithmetic, _ a: Int64, _ b: Int64
  ) -> (value: Int64, failure: TransformFailure?) {
    let result: (partialValue: Int64, overflow: Bool)
    switch operation {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide, .quotient:
      if b == 0 { return (0, .division) }
      result = a.dividedReportingOverflow(by: b)
    case .modulo:
      if b == 0 { return (0, .division) }
      result = (b == -1 ? 0 : a % b, false)
    }
    return (result.partialValue, result.overflow ? .overflow : nil)
  }

  private static func doubles(
    _ operation: TransformStep.Arithmetic, _ a: Double, _ b: Double
  ) -> (value: Double, failure: TransformFailure?) {
    let value: Double
    switch operation {
    case .add: value = a + b
    case .subtract: value = a - b
    case .multiply: value = a * b
    case .divide, .quotient:
      if b == 0 { return (0, .division) }
      value = a / b
    case .modulo:
      if b == 0 { return (0, .division) }
      value = a.truncatingRemainder(dividingBy: b)
    }
    // Plus zero for zero, as columns keep it.
    return (value + 0, value.isFinite ? nil : .overflow)
  }

  /// Changes signs.
  func negate(_ from: Int, _ kind: ValueKind, onlyNegative: Bool, _ index: Int, _ output: inout Register) {
    if kind == .decimal {
      let input = registers[from].digits
      for i in 0..<count {
        output.digits[i] = onlyNegative && input[i] >= 0 ? input[i] : 0 - input[i]
      }
    }
    each(from, &output) { payload in
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

  /// Rounds numbers to decimal places.
  func round(
    _ from: Int, _ kind: ValueKind, _ places: Int, _ rounding: TransformStep.Rounding, _ index: Int,
    _ output: inout Register
  ) {
    let input = registers[from]
    for i in 0..<count {
      output.tags[i] = input.tags[i]
      output.payloads[i] = input.payloads[i]
      if kind == .decimal { output.digits[i] = input.digits[i] }
      guard input.tags[i] == Register.value else { continue }
      switch kind {
      case .decimal:
        let number = DecimalMath.round(
          DecimalMath.Number(input.digits[i], Int(Int64(bitPattern: input.payloads[i]))), places, rounding)
        output.digits[i] = number.digits
        output.payloads[i] = UInt64(bitPattern: Int64(number.exponent))
      case .integer where places < 0:
        let number = DecimalMath.round(
          DecimalMath.Number(Int128(Int64(bitPattern: input.payloads[i])), 0), places, rounding)
        if let whole = DecimalMath.scaled(number.digits, number.exponent).flatMap({ Int64(exactly: $0) }) {
          output.payloads[i] = UInt64(bitPattern: whole)
        } else {
          output.tags[i] = Register.failed
          output.payloads[i] = TransformFailure.Cell(.overflow, instruction: index).payload
        }
      case .double:
        // By its shortest digits, so that 2.675 is rounded as it is written.
        guard let digits = DecimalNumber(Double(bitPattern: input.payloads[i]).description) else { continue }
        let number = DecimalMath.round(DecimalMath.Number(digits.significand, digits.exponent), places, rounding)
        output.payloads[i] =
          (DecimalNumber(significand: number.digits, exponent: number.exponent).number.asDouble + 0).bitPattern
      default: break
      }
    }
  }
}
