import MergewalkObjectModel
import MergewalkRecordFormats

/// Conditions are true or false, and never null; what fails passes through, and they themselves never fail.
protocol Condition: ColumnOperation {}

extension Condition {
  var shown: [Int] { [] }
}

/// Compares numbers, truth values as 1 and 0, or dates.
struct CompareValues: Condition {
  var comparison: ComparisonPredicate.Operator
  var left: Int
  var right: Int
  var inputs: [Int] { [left, right] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let a = machine.registers[left].payloads
    let b = machine.registers[right].payloads
    func isWhole(_ kind: ValueKind) -> Bool { kind == .integer || kind == .boolean }
    switch (machine.plan.instructions[left].kind, machine.plan.instructions[right].kind) {
    case (.decimal, .decimal):
      let (first, second) = (machine.registers[left].digits, machine.registers[right].digits)
      machine.compare(comparison, left, right, &output) { i in
        ExactDecimal.compare(
          ExactDecimal(first[i], Int(Int64(bitPattern: a[i]))),
          ExactDecimal(second[i], Int(Int64(bitPattern: b[i]))))
      }
    case (.double, .double), (.date, .date):
      machine.compare(comparison, left, right, &output) { i in
        let (first, second) = (Double(bitPattern: a[i]), Double(bitPattern: b[i]))
        return first == second ? 0 : first < second ? -1 : 1
      }
    case (let first, let second) where isWhole(first) && isWhole(second):
      machine.compare(comparison, left, right, &output) { i in
        let (first, second) = (Int64(bitPattern: a[i]), Int64(bitPattern: b[i]))
        return first == second ? 0 : first < second ? -1 : 1
      }
    default:
      machine.compare(comparison, left, right, &output) { i in
        NumericValue.compare(machine.number(left, i), machine.number(right, i))
      }
    }
  }
}

struct CompareTexts: Condition {
  var comparison: ComparisonPredicate.Operator
  var left: Int
  var right: Int
  var options: ComparisonPredicate.Options
  var inputs: [Int] { [left, right] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let first = machine.registers[left].payloads
    let second = machine.registers[right].payloads
    records.bytes.withUnsafeBufferPointer { bytes in
      @inline(__always) func test(_ body: (FieldBytes, FieldBytes) -> Bool) {
        machine.test(comparison, left, right, &output) { body(bytes.text(first[$0]), bytes.text(second[$0])) }
      }
      switch comparison {
      case .equalTo where options.isEmpty: test { $0.count == $1.count && TextBytes.compare($0, $1) == 0 }
      case .beginsWith: test { TextComparison.hasPrefix($0, $1, options) }
      case .endsWith: test { TextComparison.hasSuffix($0, $1, options) }
      case .contains: test { TextComparison.contains($0, $1, options) }
      default:
        machine.compare(comparison, left, right, &output) { i in
          TextComparison.compare(bytes.text(first[i]), bytes.text(second[i]), options)
        }
      }
    }
  }
}

/// Whether there is nothing.
struct IsNull: Condition {
  var from: Int
  var inputs: [Int] { [from] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.judge(from, &output, whenNull: true) { _ in false }
  }
}

/// Whether a whole number is one of a few.
struct NumberAmong: Condition {
  var from: Int
  var numbers: [Int64]
  var hasNull: Bool
  var inputs: [Int] { [from] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.judge(from, &output, whenNull: hasNull) { numbers.contains(Int64(bitPattern: $0)) }
  }
}

/// Whether a text is one of those of a table, which are folded as it is.
struct TextAmong: Condition {
  var from: Int
  var table: LookupTable
  var hasNull: Bool
  var options: ComparisonPredicate.Options
  var inputs: [Int] { [from] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    records.bytes.withUnsafeBufferPointer { bytes in
      machine.judge(from, &output, whenNull: hasNull) {
        TextFolding.withFolded(bytes.text($0), options) { table.contains($0) }
      }
    }
  }
}

/// Whether a condition does not hold.
struct Not: Condition {
  var from: Int
  var inputs: [Int] { [from] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.judge(from, &output, whenNull: false) { $0 == 0 }
  }
}

/// Whether all or any of conditions hold; what an earlier one decides, the failure of a later one does not change.
struct Combine: Condition {
  var inputs: [Int]
  var all: Bool

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    for i in 0..<machine.count {
      output.tags[i] = Register.value
      output.payloads[i] = all ? 1 : 0
      for part in inputs {
        let register = machine.registers[part]
        if register.tags[i] == Register.failed || (register.payloads[i] != 0) != all {
          output.tags[i] = register.tags[i]
          output.payloads[i] = register.payloads[i]
          break
        }
      }
    }
  }
}

/// Whether both conditions hold; a failure of either is one of both, also where the other decides.
struct Both: Condition {
  var first: Int
  var second: Int
  var inputs: [Int] { [first, second] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    for i in 0..<machine.count {
      let failed = machine.failure(in: first, i) ?? machine.failure(in: second, i)
      let holds = machine.registers[first].payloads[i] != 0 && machine.registers[second].payloads[i] != 0
      output.tags[i] = failed?.tag ?? Register.value
      output.payloads[i] = failed?.payload ?? (holds ? 1 : 0)
    }
  }
}

extension RegisterMachine {
  /// Sets a condition by how the values of two registers lie to each other: -1, 0 or 1.
  @inline(__always)
  fileprivate func compare(
    _ comparison: ComparisonPredicate.Operator, _ left: Int, _ right: Int, _ output: inout Register,
    _ order: (Int) -> Int
  ) {
    switch comparison {
    case .equalTo: test(comparison, left, right, &output) { order($0) == 0 }
    case .notEqualTo: test(comparison, left, right, &output) { order($0) != 0 }
    case .lessThan: test(comparison, left, right, &output) { order($0) < 0 }
    case .lessThanOrEqualTo: test(comparison, left, right, &output) { order($0) <= 0 }
    case .greaterThan: test(comparison, left, right, &output) { order($0) > 0 }
    case .greaterThanOrEqualTo: test(comparison, left, right, &output) { order($0) >= 0 }
    default: preconditionFailure("\(comparison.rawValue) is no order")
    }
  }

  /// Sets a condition from two registers; null is equal to null only, and has no order.
  @inline(__always)
  fileprivate func test(
    _ comparison: ComparisonPredicate.Operator, _ left: Int, _ right: Int, _ output: inout Register,
    _ body: (Int) -> Bool
  ) {
    let first = registers[left].tags
    let second = registers[right].tags
    for i in 0..<count {
      output.tags[i] = Register.value
      if first[i] == Register.value, second[i] == Register.value {
        output.payloads[i] = body(i) ? 1 : 0
      } else if let failed = failure(in: left, i) ?? failure(in: right, i) {
        output.tags[i] = failed.tag
        output.payloads[i] = failed.payload
      } else {
        let areNull = first[i] != Register.value && second[i] != Register.value
        let holds = comparison == .equalTo && areNull || comparison == .notEqualTo && !areNull
        output.payloads[i] = holds ? 1 : 0
      }
    }
  }

  /// Sets a condition from one register.
  @inline(__always)
  fileprivate func judge(_ from: Int, _ output: inout Register, whenNull: Bool, _ body: (UInt64) -> Bool) {
    let input = registers[from]
    for i in 0..<count {
      output.tags[i] = Register.value
      switch input.tags[i] {
      case Register.value: output.payloads[i] = body(input.payloads[i]) ? 1 : 0
      case Register.failed:
        output.tags[i] = Register.failed
        output.payloads[i] = input.payloads[i]
      default: output.payloads[i] = whenNull ? 1 : 0
      }
    }
  }

  fileprivate func number(_ register: Int, _ record: Int) -> NumericValue {
    let payload = registers[register].payloads[record]
    switch plan.instructions[register].kind {
    case .integer, .boolean: return .integer(Int64(bitPattern: payload))
    case .double: return .double(Double(bitPattern: payload))
    case .decimal: return .decimal(ExactDecimal(registers[register].digits[record], Int(Int64(bitPattern: payload))))
    case .text, .date: preconditionFailure("only numbers are compared as such")
    }
  }
}

extension ComparisonPredicate.Operator {
  /// Whether it says how two values lie to each other.
  var isOrder: Bool {
    switch self {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: true
    default: false
    }
  }
}
