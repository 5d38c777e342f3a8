import ObjectModel
import ObjectStore
import RecordFormats

/// Predicates and expressions that have no instructions of their own: the evaluator's, record by record.
extension TransformMachine {
  func evaluate(
    _ predicate: Predicate, _ columns: [RowColumn], _ index: Int, _ output: inout Register, _ records: RecordBatch
  ) {
    for i in 0..<count {
      if let failure = failure(in: columns, i) {
        output.tags[i] = Register.failed
        output.payloads[i] = failure
        continue
      }
      fillRow(columns, i, records)
      if let holds = try? evaluator.evaluate(predicate, with: .object(row)) {
        output.tags[i] = Register.value
        output.payloads[i] = holds ? 1 : 0
      } else {
        let cell = Cell.failed(.expression, index)
        output.tags[i] = cell.tag
        output.payloads[i] = cell.payload
      }
    }
  }

  func evaluate(
    _ expression: Expression, _ columns: [RowColumn], _ kind: ValueKind, _ index: Int, _ output: inout Register,
    _ records: inout RecordBatch
  ) {
    sink.start(base: records.byteCount)
    for i in 0..<count {
      if let failure = failure(in: columns, i) {
        output.tags[i] = Register.failed
        output.payloads[i] = failure
        continue
      }
      fillRow(columns, i, records)
      var cell = Cell.failed(.expression, index)
      if let value = try? evaluator.evaluate(expression, with: .object(row)), case .attribute(let value) = value {
        cell = self.cell(value, kind, i, index, &output)
      }
      output.tags[i] = cell.tag
      output.payloads[i] = cell.payload
    }
    if sink.count > 0 { sink.withBytes { _ = records.appendBytes($0) } }
  }

  private func failure(in columns: [RowColumn], _ record: Int) -> UInt64? {
    for column in columns where registers[column.register].tags[record] == Register.failed {
      return registers[column.register].payloads[record]
    }
    return nil
  }

  /// A value of the evaluator as one of a register.
  private func cell(
    _ value: AttributeValue, _ kind: ValueKind, _ record: Int, _ index: Int, _ output: inout Register
  ) -> Cell {
    if value.isNull { return .null }
    switch kind {
    case .text:
      guard let text = value.text else { break }
      let start = sink.position
      return TextSteps.append(text, &sink) ? .range(start, sink.position - start) : .failed(.tooLong, index)
    case .integer:
      guard case .integer(let number) = value.number else {
        return value.number == nil ? .failed(.expression, index) : .failed(.overflow, index)
      }
      return .value(UInt64(bitPattern: number))
    case .double:
      guard let number = value.number?.asDouble else { break }
      return number.isFinite ? .value((number + 0).bitPattern) : .failed(.overflow, index)
    case .decimal:
      let number: DecimalNumber?
      switch value {
      case .decimal(let decimal): number = decimal
      case .integer(let integer): number = DecimalNumber(significand: Int128(integer), exponent: 0)
      default: number = value.number.flatMap { DecimalNumber("\($0.asDouble)") }
      }
      guard let number else { break }
      output.digits[record] = number.significand
      return .value(UInt64(bitPattern: Int64(number.exponent)))
    case .date: if case .date(let seconds) = value { return .value(seconds.bitPattern) }
    case .boolean: if case .integer(let flag) = value.number { return .value(flag == 0 ? 0 : 1) }
    }
    return .failed(.expression, index)
  }

  private func fillRow(_ columns: [RowColumn], _ record: Int, _ records: RecordBatch) {
    row.clear()
    for column in columns {
      let register = registers[column.register]
      var value = AttributeValue.null
      if register.tags[record] == Register.value {
        let payload = register.payloads[record]
        switch column.kind {
        case .text:
          let range = ByteRange(payload: payload)
          value = .string(
            String(decoding: records.bytes[range.offset..<range.offset + range.length], as: UTF8.self))
        case .integer: value = .integer(Int64(bitPattern: payload))
        case .double: value = .double(Double(bitPattern: payload))
        case .date: value = .date(Double(bitPattern: payload))
        case .boolean: value = .boolean(payload != 0)
        case .decimal:
          value = .decimal(
            DecimalNumber(significand: register.digits[record], exponent: Int(Int64(bitPattern: payload))))
        }
      }
      row.set(column.path, value)
    }
  }
}

/// The columns of one record as an object that predicates look into.
final class RowValues: KeyedValues {
  private var values: [(path: [String], value: AttributeValue)] = []
  /// How many steps of a dotted path lead here.
  private let prefix: [String]

  init(prefix: [String] = []) { self.prefix = prefix }

  func clear() { values.removeAll(keepingCapacity: true) }

  func set(_ path: [String], _ value: AttributeValue) { values.append((path, value)) }

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    let depth = prefix.count
    var deeper: RowValues?
    for (path, value) in values where path.count > depth && path[depth] == key && path.starts(with: prefix) {
      if path.count == depth + 1 { return .attribute(value) }
      if deeper == nil { deeper = RowValues(prefix: prefix + [key]) }
      deeper?.set(path, value)
    }
    if let deeper { return .object(deeper) }
    throw PredicateError(.unknownKey, "there is no column “\(key)”")
  }

  var evaluatedObjectID: ManagedObjectID? { nil }
}
