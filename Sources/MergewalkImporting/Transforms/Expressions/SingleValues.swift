import MergewalkObjectModel
import MergewalkRecordFormats

/// Single values of registers, as the evaluator and its functions take and give them.
extension RegisterMachine {
  /// The value of a register for one record; null for nothing.
  func value(_ register: Int, _ record: Int, _ records: RecordBatch) -> AttributeValue {
    guard registers[register].tags[record] == Register.value else { return .null }
    let payload = registers[register].payloads[record]
    switch plan.instructions[register].kind {
    case .text:
      return .string(records.bytes.withUnsafeBufferPointer { String(decoding: $0.text(payload), as: UTF8.self) })
    case .integer: return .integer(Int64(bitPattern: payload))
    case .double: return .double(Double(bitPattern: payload))
    case .date: return .date(Double(bitPattern: payload))
    case .boolean: return .boolean(payload != 0)
    case .decimal:
      return .decimal(
        DecimalNumber(significand: registers[register].digits[record], exponent: Int(Int64(bitPattern: payload))))
    }
  }

  /// A value as one of a register; texts go to the buffer.
  func cell(_ value: AttributeValue, _ record: Int, _ index: Int, _ output: inout Register) -> Cell {
    if value.isNull { return .null }
    switch plan.instructions[index].kind {
    case .text:
      guard let text = value.text else { break }
      let start = buffer.position
      guard text.utf8.count <= TextBuffer.greatestValue, buffer.append(text) else {
        return .failed(.tooLong, index)
      }
      return .range(start, buffer.position - start)
    case .integer: if case .integer(let number) = value.number(.exact) { return .value(UInt64(bitPattern: number)) }
    case .double: if let number = value.number(.exact)?.asDouble { return .value((number + 0).bitPattern) }
    case .decimal:
      guard let number = value.number(.exact)?.exactDecimal else { break }
      output.digits[record] = number.digits
      return .value(UInt64(bitPattern: Int64(number.exponent)))
    case .date: if case .date(let seconds) = value { return .value(seconds.bitPattern) }
    case .boolean: if case .integer(let flag) = value.number { return .value(flag == 0 ? 0 : 1) }
    }
    return .failed(.expression, index)
  }
}

extension TransformFailure {
  /// Why an expression has no value.
  init(_ error: PredicateError) {
    switch error.code {
    case .divisionByZero: self = .division
    case .overflow: self = .overflow
    case .patternTimeLimit: self = .pattern
    default: self = .expression
    }
  }
}
