import MergewalkObjectModel
import MergewalkRecordFormats

/// A function of one or two columns: what the evaluator calls too.
struct FunctionCall: ColumnOperation {
  var function: ExpressionFunction
  var inputs: [Int]
  /// The second argument where it is no column: the type of a cast.
  var constant: AttributeValue?

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.eachCell(&output, &records) { i, records, output in
      if let failed = machine.failure(in: inputs, i) { return failed }
      do throws(PredicateError) {
        let first = machine.value(inputs[0], i, records)
        var result = first
        if let second = constant ?? (inputs.count > 1 ? machine.value(inputs[1], i, records) : nil) {
          result = try function.call(first, second, .exact)
        } else {
          result = try function.call(first, .exact)
        }
        return machine.cell(result, i, index, &output)
      } catch {
        return .failed(TransformFailure(error), index)
      }
    }
  }
}

/// A predicate or an expression that the evaluator computes, record by record: what has no instructions.
struct Evaluation: ColumnOperation {
  enum Subject: Sendable {
    case predicate(ObjectPredicate)
    case expression(ObjectExpression)
  }

  var subject: Subject
  var columns: [RowColumn]
  var inputs: [Int] { columns.map(\.register) }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let row = RowValues()
    machine.eachCell(&output, &records) { i, records, output in
      row.clear()
      for column in columns {
        if let failed = machine.failure(in: column.register, i) {
          row.set(column.path, failed: failed.payload)
        } else {
          row.set(column.path, machine.value(column.register, i, records))
        }
      }
      do throws(PredicateError) {
        var value = AttributeValue.null
        switch subject {
        case .predicate(let predicate):
          value = .boolean(try machine.evaluator.evaluate(predicate, with: .object(row)))
        case .expression(let expression):
          guard case .attribute(let single) = try machine.evaluator.evaluate(expression, with: .object(row)) else {
            return .failed(.expression, index)
          }
          value = single
        }
        return machine.cell(value, i, index, &output)
      } catch {
        // A column that has failed fails what looks at it, and nothing else.
        if let payload = row.failure { return RegisterMachine.Cell(tag: Register.failed, payload: payload) }
        return .failed(TransformFailure(error), index)
      }
    }
  }
}

/// The end of an expression: what has no value is absent where a column that it names is, else null.
struct ExpressionEnd: ColumnOperation {
  var from: Int
  var columns: [Int]
  /// Whether decimals lose the zeros at their end, which depend on the way they were computed.
  var normalises: Bool
  var inputs: [Int] { [from] + columns }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    if columns.contains(from) {
      output = machine.registers[from]
    } else {
      // Nothing else looks at the values from here on.
      swap(&output, &machine.registers[from])
    }
    for i in 0..<machine.count where output.tags[i] == Register.null || output.tags[i] == Register.absent {
      let isAbsent = columns.contains { machine.registers[$0].tags[i] == Register.absent }
      output.tags[i] = isAbsent ? Register.absent : Register.null
    }
    guard normalises else { return }
    for i in 0..<machine.count where output.tags[i] == Register.value {
      let number = ExactDecimal(output.digits[i], Int(Int64(bitPattern: output.payloads[i]))).normalised
      output.digits[i] = number.digits
      output.payloads[i] = UInt64(bitPattern: Int64(number.exponent))
    }
  }
}

/// The columns of one record as an object that predicates look into.
final class RowValues: KeyedValues {
  private enum Value {
    case value(AttributeValue)
    case failed(UInt64)
  }

  private var values: [(path: [String], value: Value)] = []
  /// The failure of a column that was looked at.
  private(set) var failure: UInt64?

  func clear() {
    values.removeAll(keepingCapacity: true)
    failure = nil
  }

  func set(_ path: [String], _ value: AttributeValue) { values.append((path, .value(value))) }

  /// Sets a column that could not be made.
  func set(_ path: [String], failed payload: UInt64) { values.append((path, .failed(payload))) }

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue { try value(forKey: key, []) }

  /// The value of a column, or what has the columns whose names go on.
  fileprivate func value(forKey key: String, _ prefix: [String]) throws(PredicateError) -> EvaluatedValue {
    let depth = prefix.count
    var goesOn = false
    for (path, value) in values where path.count > depth && path[depth] == key && path.starts(with: prefix) {
      guard path.count == depth + 1 else {
        goesOn = true
        continue
      }
      switch value {
      case .value(let value): return .attribute(value)
      case .failed(let payload):
        failure = payload
        throw PredicateError(.unavailable, "the column “\(key)” could not be made")
      }
    }
    if goesOn { return .object(DeeperValues(row: self, prefix: prefix + [key])) }
    throw PredicateError(.unknownKey, "there is no column “\(key)”")
  }

  var evaluatedObjectID: ManagedObjectID? { nil }
}

/// The columns of a record whose dotted names begin alike.
private final class DeeperValues: KeyedValues {
  private let row: RowValues
  private let prefix: [String]

  init(row: RowValues, prefix: [String]) {
    self.row = row
    self.prefix = prefix
  }

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    try row.value(forKey: key, prefix)
  }

  var evaluatedObjectID: ManagedObjectID? { nil }
}
