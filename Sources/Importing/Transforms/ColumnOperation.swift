import ObjectModel
import ObjectStore
import RecordFormats

/// What an instruction does with whole columns.
protocol ColumnOperation: Sendable {
  /// The registers that it reads; messages show their values.
  var inputs: [Int] { get }

  /// Fills the register of instruction `index`.
  func run(
    _ machine: TransformMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch)
}

extension TransformMachine {
  /// The value of a register for one record; null for nothing.
  func value(_ register: Int, _ record: Int, _ records: RecordBatch) -> AttributeValue {
    guard registers[register].tags[record] == Register.value else { return .null }
    let payload = registers[register].payloads[record]
    switch plan.instructions[register].kind {
    case .text:
      let range = ByteRange(payload: payload)
      return .string(String(decoding: records.bytes[range.offset..<range.offset + range.length], as: UTF8.self))
    case .integer: return .integer(Int64(bitPattern: payload))
    case .double: return .double(Double(bitPattern: payload))
    case .date: return .date(Double(bitPattern: payload))
    case .boolean: return .boolean(payload != 0)
    case .decimal:
      return .decimal(
        DecimalNumber(significand: registers[register].digits[record], exponent: Int(Int64(bitPattern: payload))))
    }
  }

  /// The failure of the first register that has failed for a record.
  @inline(__always)
  func failure(in registers: [Int], _ record: Int) -> Cell? {
    for register in registers where self.registers[register].tags[record] == Register.failed {
      return Cell(tag: Register.failed, payload: self.registers[register].payloads[record])
    }
    return nil
  }

  /// A value as one of a register; texts go to the sink.
  func cell(_ value: AttributeValue, _ record: Int, _ index: Int, _ output: inout Register) -> Cell {
    if value.isNull { return .null }
    switch plan.instructions[index].kind {
    case .text:
      guard let text = value.text else { break }
      let start = sink.position
      guard text.utf8.count <= ByteSink.greatestValue, TextSteps.append(text, &sink) else {
        return .failed(.tooLong, index)
      }
      return .range(start, sink.position - start)
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

  /// Fills a register record by record; texts that are written to the sink are appended to the batch at the end.
  @inline(__always)
  func eachCell(
    _ output: inout Register, _ records: inout RecordBatch,
    _ body: (_ record: Int, _ records: RecordBatch, _ output: inout Register) -> Cell
  ) {
    sink.start(base: records.byteCount)
    for i in 0..<count {
      let cell = body(i, records, &output)
      output.tags[i] = cell.tag
      output.payloads[i] = cell.payload
    }
    if sink.count > 0 { sink.withBytes { _ = records.appendBytes($0) } }
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
