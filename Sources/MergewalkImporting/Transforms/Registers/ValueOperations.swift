import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The texts of a column of the batch.
struct LoadColumn: ColumnOperation {
  /// The column; while columns are still being counted, -1 and less for those that are made.
  var column: Int
  var inputs: [Int] { [] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let isRead = column < records.columnCount
    let made = isRead ? DerivedColumn() : records.derived[column - records.columnCount]
    let starts = isRead ? records.starts : made.starts
    let lengths = isRead ? records.lengths : made.lengths
    let states = isRead ? records.states : made.states
    var slot = isRead ? column : 0
    let stride = isRead ? records.columnCount : 1
    for i in 0..<machine.count {
      switch states[slot] {
      case FieldState.absent.rawValue: output.tags[i] = Register.absent
      case FieldState.null.rawValue: output.tags[i] = Register.null
      default:
        output.tags[i] = Register.value
        output.payloads[i] = ByteRange(offset: Int(starts[slot]), length: Int(lengths[slot])).payload
      }
      slot += stride
    }
  }
}

/// The same value for every record.
struct Constant: ColumnOperation {
  enum Value: Sendable {
    case null
    case text([UInt8])
    case number(payload: UInt64, digits: Int128)
  }

  var value: Value
  var inputs: [Int] { [] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    switch value {
    case .null: output.tags.fill(Register.null, count: machine.count)
    case .text(let bytes):
      let range = bytes.withUnsafeBytes { records.appendBytes($0) }
      output.tags.fill(Register.value, count: machine.count)
      output.payloads.fill(
        ByteRange(offset: range.lowerBound, length: range.count).payload, count: machine.count)
    case .number(let payload, let digits):
      output.tags.fill(Register.value, count: machine.count)
      output.payloads.fill(payload, count: machine.count)
      if !output.digits.isEmpty { output.digits.fill(digits, count: machine.count) }
    }
  }
}

/// Reads texts as values of the instruction's type.
struct ReadTexts: ColumnOperation {
  var from: Int
  var reading: FieldReading
  var inputs: [Int] { [from] }
  var carried: Int? { from }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let kind = machine.plan.instructions[index].kind
    records.bytes.withUnsafeBufferPointer { bytes in
      machine.each(from, &output) { i, payload, output in
        do throws(ConversionFailureCode) {
          let value = try reading.read(bytes.text(payload), as: kind)
          if kind == .decimal { output.digits[i] = value.digits }
          if value.tag != Register.value { output.replace(i, reading.reason(bytes.text(payload))) }
          return RegisterMachine.Cell(tag: value.tag, payload: value.payload)
        } catch {
          return .failed(.value, index)
        }
      }
    }
  }
}

/// Writes values as texts: numbers in digits, dates in ISO 8601, `true` and `false`.
struct PrintValues: ColumnOperation {
  var from: Int
  var inputs: [Int] { [from] }
  var carried: Int? { from }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.buffer.start(base: records.byteCount)
    let kind = machine.plan.instructions[from].kind
    let digits = machine.registers[from].digits
    machine.each(from, &output) { i, payload, _ in
      let start = machine.buffer.position
      if ValueText.append(payload, kind == .decimal ? digits[i] : 0, kind, to: &machine.buffer) {
        return .range(start, machine.buffer.position - start)
      }
      machine.buffer.cut(to: start)
      return .failed(.tooLong, from)
    }
    machine.appendBuffer(to: &records)
  }
}

/// Makes numbers and truth values those of another type.
struct CastNumbers: ColumnOperation {
  var from: Int
  var inputs: [Int] { [from] }
  var carried: Int? { from }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let (old, new) = (machine.plan.instructions[from].kind, machine.plan.instructions[index].kind)
    let digits = machine.registers[from].digits
    func decimal(_ i: Int, _ payload: UInt64) -> ExactDecimal {
      ExactDecimal(digits[i], Int(Int64(bitPattern: payload)))
    }
    let overflow = RegisterMachine.Cell.failed(.overflow, index)
    let notWhole = RegisterMachine.Cell.failed(.value, index)
    machine.each(from, &output) { i, payload, output in
      switch (old, new) {
      case (.boolean, .integer): return .value(payload)
      case (.integer, .decimal), (.boolean, .decimal):
        output.digits[i] = Int128(Int64(bitPattern: payload))
        return .value(0)
      case (.integer, .double), (.boolean, .double): return .value(Double(Int64(bitPattern: payload)).bitPattern)
      case (.decimal, .double): return .value(NumericValue.decimal(decimal(i, payload)).asDouble.bitPattern)
      case (.decimal, .integer):
        let number = decimal(i, payload)
        return number.integer.map { .value(UInt64(bitPattern: $0)) } ?? (number.isWhole ? overflow : notWhole)
      case (.double, .integer):
        let number = Double(bitPattern: payload)
        return Int64(exactly: number).map { .value(UInt64(bitPattern: $0)) }
          ?? (number == number.rounded() ? overflow : notWhole)
      case (.double, .decimal):
        guard let number = DecimalNumber(Double(bitPattern: payload).description), number.exponent.magnitude <= 128
        else { return overflow }
        output.digits[i] = number.significand
        return .value(UInt64(bitPattern: Int64(number.exponent)))
      case (.integer, .boolean): return .value(payload == 0 ? 0 : 1)
      default: return notWhole
      }
    }
  }
}
