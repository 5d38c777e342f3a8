import MergewalkObjectModel
import MergewalkRecordFormats

/// `+ - * /` and the modulus of two columns of the instruction's type: exact, or refused; null with anything is null.
///
/// A quotient of whole numbers is cut toward zero.
struct Arithmetic: ColumnOperation {
  var function: ExpressionFunction
  var left: Int
  var right: Int
  /// The decimal places of a quotient; nil for as many as there are when nothing is said.
  var places: Int?
  var inputs: [Int] { [left, right] }

  func sentence(_ failure: TransformFailure, _ values: [String]) -> String? {
    failure == .division ? "\(values.first ?? "nothing") cannot be divided by zero" : nil
  }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let kind = machine.plan.instructions[index].kind
    let first = machine.registers[left]
    let second = machine.registers[right]
    for i in 0..<machine.count {
      guard first.tags[i] == Register.value, second.tags[i] == Register.value else {
        let failed = machine.failure(in: left, i) ?? machine.failure(in: right, i)
        // Nothing beside a value is null, whatever kind of nothing it is.
        let nothing = first.tags[i] == Register.absent ? Register.absent : Register.null
        output.tags[i] = failed?.tag ?? nothing
        output.payloads[i] = failed?.payload ?? 0
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
}

extension TransformFailure {
  fileprivate init(_ failure: ArithmeticFailure) {
    switch failure {
    case .overflow: self = .overflow
    case .divisionByZero: self = .division
    case .undefined: self = .expression
    }
  }
}
