import ObjectModel
import ObjectStore
import RecordFormats

/// Steps that choose between values, and conditions, which are true or false and never null.
extension TransformMachine {
  @inline(__always)
  private func take(_ record: Int, from register: Int, _ kind: ValueKind, _ output: inout Register) {
    output.tags[record] = registers[register].tags[record]
    output.payloads[record] = registers[register].payloads[record]
    if kind == .decimal { output.digits[record] = registers[register].digits[record] }
  }

  /// The first that is there and, for texts, not empty.
  func coalesce(_ parts: [Int], _ kind: ValueKind, _ output: inout Register) {
    for i in 0..<count {
      var chosen = parts[0]
      for part in parts {
        let tag = registers[part].tags[i]
        let isEmpty = kind == .text && ByteRange(payload: registers[part].payloads[i]).length == 0
        if tag == Register.failed || (tag == Register.value && !isEmpty) {
          chosen = part
          break
        }
      }
      take(i, from: chosen, kind, &output)
    }
  }

  /// Null for the texts of a table.
  func nullIf(_ from: Int, _ table: ValueTable, _ output: inout Register, _ records: RecordBatch) {
    records.bytes.withUnsafeBufferPointer { bytes in
      each(from, &output) { payload in
        let range = ByteRange(payload: payload)
        let text = FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length])
        return table.contains(text) ? .null : .value(payload)
      }
    }
  }

  /// One of two values by a condition.
  func select(_ condition: Int, _ first: Int, _ second: Int, _ kind: ValueKind, _ output: inout Register) {
    for i in 0..<count {
      if registers[condition].tags[i] == Register.failed {
        output.tags[i] = Register.failed
        output.payloads[i] = registers[condition].payloads[i]
      } else {
        take(i, from: registers[condition].payloads[i] != 0 ? first : second, kind, &output)
      }
    }
  }

  // MARK: Conditions

  /// Sets a condition from two registers; failures pass through.
  @inline(__always)
  private func test(
    _ comparison: ComparisonPredicate.Operator, _ left: Int, _ right: Int, _ output: inout Register,
    _ body: (Int) -> Bool
  ) {
    let first = registers[left].tags
    let second = registers[right].tags
    for i in 0..<count {
      output.tags[i] = Register.value
      if first[i] == Register.value, second[i] == Register.value {
        output.payloads[i] = body(i) ? 1 : 0
      } else if first[i] == Register.failed || second[i] == Register.failed {
        let failed = first[i] == Register.failed ? left : right
        output.tags[i] = Register.failed
        output.payloads[i] = registers[failed].payloads[i]
      } else {
        output.payloads[i] =
          comparison.holds(isNull: first[i] != Register.value, second[i] != Register.value) ? 1 : 0
      }
    }
  }

  /// Compares numbers, truth values as 1 and 0, or dates.
  func compare(_ comparison: ComparisonPredicate.Operator, _ left: Int, _ right: Int, _ output: inout Register) {
    let a = registers[left].payloads
    let b = registers[right].payloads
    func isWhole(_ kind: ValueKind) -> Bool { kind == .integer || kind == .boolean }
    switch (plan.instructions[left].kind, plan.instructions[right].kind) {
    case (.decimal, .decimal):
      let (first, second) = (registers[left].digits, registers[right].digits)
      test(comparison, left, right, &output) { i in
        comparison.holds(
          ExactDecimal.compare(
            ExactDecimal(first[i], Int(Int64(bitPattern: a[i]))),
            ExactDecimal(second[i], Int(Int64(bitPattern: b[i])))))
      }
    case (.double, .double), (.date, .date):
      test(comparison, left, right, &output) { i in
        let (first, second) = (Double(bitPattern: a[i]), Double(bitPattern: b[i]))
        return comparison.holds(first == second ? 0 : first < second ? -1 : 1)
      }
    case (let first, let second) where isWhole(first) && isWhole(second):
      test(comparison, left, right, &output) { i in
        let (first, second) = (Int64(bitPattern: a[i]), Int64(bitPattern: b[i]))
        return comparison.holds(first == second ? 0 : first < second ? -1 : 1)
      }
    default:
      test(comparison, left, right, &output) { i in
        guard let first = number(left, i), let second = number(right, i) else { return false }
        return comparison.holds(NumericValue.compare(first, second))
      }
    }
  }

  /// The number that a register has for a record.
  private func number(_ register: Int, _ record: Int) -> NumericValue? {
    let payload = registers[register].payloads[record]
    switch plan.instructions[register].kind {
    case .integer, .boolean: return .integer(Int64(bitPattern: payload))
    case .double: return .double(Double(bitPattern: payload))
    case .decimal: return .decimal(ExactDecimal(registers[register].digits[record], Int(Int64(bitPattern: payload))))
    case .text, .date: return nil
    }
  }

  /// Compares texts, as predicates do.
  func compareText(
    _ comparison: ComparisonPredicate.Operator, _ left: Int, _ right: Int, _ options: ComparisonPredicate.Options,
    _ output: inout Register, _ records: RecordBatch
  ) {
    let first = registers[left].payloads
    let second = registers[right].payloads
    records.bytes.withUnsafeBufferPointer { bytes in
      @inline(__always) func text(_ payload: UInt64) -> FieldBytes {
        let range = ByteRange(payload: payload)
        return FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length])
      }
      switch comparison {
      case .equalTo where options.isEmpty:
        test(comparison, left, right, &output) { i in
          ByteRange(payload: first[i]).length == ByteRange(payload: second[i]).length
            && TextBytes.compare(text(first[i]), text(second[i])) == 0
        }
      case .beginsWith:
        test(comparison, left, right, &output) {
          TextComparison.hasPrefix(text(first[$0]), text(second[$0]), options)
        }
      case .endsWith:
        test(comparison, left, right, &output) {
          TextComparison.hasSuffix(text(first[$0]), text(second[$0]), options)
        }
      case .contains:
        test(comparison, left, right, &output) {
          TextComparison.contains(text(first[$0]), text(second[$0]), options)
        }
      default:
        test(comparison, left, right, &output) {
          comparison.holds(TextComparison.compare(text(first[$0]), text(second[$0]), options))
        }
      }
    }
  }

  @inline(__always)
  private func judge(_ from: Int, _ output: inout Register, whenNull: Bool, _ body: (UInt64) -> Bool) {
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

  func isNull(_ from: Int, _ output: inout Register) { judge(from, &output, whenNull: true) { _ in false } }

  func isIn(_ from: Int, _ numbers: [Int64], _ hasNull: Bool, _ output: inout Register) {
    judge(from, &output, whenNull: hasNull) { numbers.contains(Int64(bitPattern: $0)) }
  }

  func isIn(
    _ from: Int, _ table: ValueTable, _ hasNull: Bool, _ output: inout Register, _ records: RecordBatch
  ) {
    records.bytes.withUnsafeBufferPointer { bytes in
      judge(from, &output, whenNull: hasNull) { payload in
        let range = ByteRange(payload: payload)
        return table.contains(FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length]))
      }
    }
  }

  func not(_ from: Int, _ output: inout Register) { judge(from, &output, whenNull: false) { $0 == 0 } }

  /// All or any of conditions; what an earlier one decides, the failure of a later one does not change.
  func combine(_ parts: [Int], all: Bool, _ output: inout Register) {
    for i in 0..<count {
      output.tags[i] = Register.value
      output.payloads[i] = all ? 1 : 0
      for part in parts {
        let register = registers[part]
        if register.tags[i] == Register.failed || (register.payloads[i] != 0) != all {
          output.tags[i] = register.tags[i]
          output.payloads[i] = register.payloads[i]
          break
        }
      }
    }
  }
}
