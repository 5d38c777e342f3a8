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
        } else if let whole = ExactDecimal(number).integer {
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
    _ function: ExpressionFunction, _ left: Int, _ right: Int, _ kind: ValueKind, _ places: Int?, _ index: Int,
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
      output.tags[i] = Register.value
      do throws(ArithmeticFailure) {
        switch kind {
        case .integer:
          let result = try function.integers(
            Int64(bitPattern: first.payloads[i]), Int64(bitPattern: second.payloads[i]))
          output.payloads[i] = UInt64(bitPattern: result)
        case .decimal:
          let result = try ExactDecimal.compute(
            function, ExactDecimal(first.digits[i], Int(Int64(bitPattern: first.payloads[i]))),
            ExactDecimal(second.digits[i], Int(Int64(bitPattern: second.payloads[i]))), places: places)
          output.digits[i] = result.digits
          output.payloads[i] = UInt64(bitPattern: Int64(result.exponent))
        default:
          let result = try function.doubles(
            Double(bitPattern: first.payloads[i]), Double(bitPattern: second.payloads[i]))
          guard result.isFinite else { throw .overflow }
          // Plus zero for zero, as columns keep it.
          output.payloads[i] = (result + 0).bitPattern
        }
      } catch {
        output.tags[i] = Register.failed
        output.payloads[i] = TransformFailure.Cell(TransformFailure(error), instruction: index).payload
      }
    }
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
    let rule = rounding.rule
    for i in 0..<count {
      output.tags[i] = input.tags[i]
      output.payloads[i] = input.payloads[i]
      if kind == .decimal { output.digits[i] = input.digits[i] }
      guard input.tags[i] == Register.value else { continue }
      switch kind {
      case .decimal:
        let number = ExactDecimal(input.digits[i], Int(Int64(bitPattern: input.payloads[i]))).rounded(places, rule)
        output.digits[i] = number.digits
        output.payloads[i] = UInt64(bitPattern: Int64(number.exponent))
      case .integer where places < 0:
        let number = ExactDecimal(Int128(Int64(bitPattern: input.payloads[i])), 0).rounded(places, rule)
        if let whole = number.integer {
          output.payloads[i] = UInt64(bitPattern: whole)
        } else {
          output.tags[i] = Register.failed
          output.payloads[i] = TransformFailure.Cell(.overflow, instruction: index).payload
        }
      case .double:
        // By its shortest digits, so that 2.675 is rounded as it is written.
        guard let digits = DecimalNumber(Double(bitPattern: input.payloads[i]).description) else { continue }
        let number = ExactDecimal(digits).rounded(places, rule)
        output.payloads[i] = (NumericValue.decimal(number).asDouble + 0).bitPattern
      default: break
      }
    }
  }
}

extension TransformStep.Rounding {
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

extension TransformStep.Arithmetic {
  /// The function of expressions that does the same.
  var function: ExpressionFunction {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .modulo: .modulus
    }
  }
}

extension TransformFailure {
  init(_ failure: ArithmeticFailure) {
    switch failure {
    case .overflow: self = .overflow
    case .divisionByZero: self = .division
    case .undefined: self = .expression
    }
  }
}
