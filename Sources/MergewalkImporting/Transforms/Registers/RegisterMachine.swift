import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Carries out the instructions of a plan on one batch after the other; one thread at a time uses it.
///
/// `@unchecked Sendable`: whoever uses it has taken it out of its ``TransformRunner``.
final class RegisterMachine: @unchecked Sendable {
  let plan: TransformPlan
  var registers: [Register]
  /// The memory of registers at which nothing looks any more, for the next ones.
  private var spares: [Register] = []
  /// The texts that the current instruction makes.
  var buffer = TextBuffer()
  /// The tables of look-ups in the store, in the order of the plan.
  let tables: [LookupTable]
  var evaluator: PredicateEvaluator
  /// The number of records of the current batch.
  private(set) var count = 0

  init(_ plan: TransformPlan, tables: [LookupTable], now: Double) {
    self.plan = plan
    self.tables = tables
    registers = Array(repeating: Register(), count: plan.instructions.count)
    evaluator = PredicateEvaluator(now: now, .exact)
  }

  /// Runs some of the instructions.
  ///
  /// - Complexity: O(instructions × bytes of their columns).
  func run(_ range: Range<Int>, _ records: inout RecordBatch) {
    count = records.recordCount
    for index in range where plan.instructions[index].isNeeded {
      var output = Register()
      swap(&output, &registers[index])
      if output.tags.isEmpty, let spare = spares.popLast() { output = spare }
      output.resize(count, plan.instructions[index].kind)
      if count > 0 { plan.instructions[index].operation.run(self, index, &output, &records) }
      swap(&output, &registers[index])
      for released in plan.instructions[index].released where !registers[released].tags.isEmpty {
        spares.append(registers[released])
        registers[released] = Register()
      }
    }
  }

  /// Makes a register the values of a derived column.
  func store(_ output: TransformPlan.Output, _ records: inout RecordBatch) {
    let kind = plan.instructions[output.register].kind
    let origin = plan.instructions[output.register].origin
    var texts = registers[output.register]
    if kind != .text {
      var printed = Register()
      printed.resize(count, .text)
      PrintValues(from: output.register).run(self, output.register, &printed, &records)
      texts = printed
    }
    let state = kind.isNumber ? FieldState.number : FieldState.text
    records.fillDerived(output.derived, origin: origin) { column, _ in
      for i in 0..<count {
        switch texts.tags[i] {
        case Register.value:
          let range = ByteRange(payload: texts.payloads[i])
          column.set(i, state, start: range.offset, length: range.length)
        case Register.absent: continue
        default: column.set(i, .null, start: 0, length: 0)
        }
      }
    }
  }

  // MARK: Messages

  /// The text of a register's value for messages; nil when it has none.
  private func shown(_ register: Int, _ record: Int, _ records: RecordBatch) -> String? {
    guard registers[register].tags[record] == Register.value else { return nil }
    let kind = plan.instructions[register].kind
    let payload = registers[register].payloads[record]
    if kind == .text {
      let range = ByteRange(payload: payload)
      return records.bytes.withUnsafeBytes {
        RejectMessage.shown(UnsafeRawBufferPointer(rebasing: $0[range.offset..<range.offset + range.length]))
      }
    }
    var text = TextBuffer()
    guard ValueText.append(payload, kind == .decimal ? registers[register].digits[record] : 0, kind, to: &text) else {
      return nil
    }
    return text.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The reject of a record for which an instruction has no result.
  func refusal(
    _ payload: UInt64, _ record: Int, field: Int?, step: String?, _ records: RecordBatch
  ) -> RecordReject {
    let cell = TransformFailure.Cell(payload: payload)
    let instruction = plan.instructions[cell.instruction]
    let values = instruction.operation.shown.compactMap { shown($0, record, records) }
    let sentence =
      instruction.operation.sentence(cell.failure, values) ?? cell.failure.sentence(values, instruction.kind)
    var reject = RecordReject(
      record: Int32(record), field: field.map(Int32.init), code: cell.failure.code,
      detail: "\(step.map { $0 + ", " } ?? "")\(instruction.name): \(sentence)")
    if step != nil, cell.failure == .value, instruction.origin >= 0 { reject.column = Int32(instruction.origin) }
    return reject
  }
}

extension TransformFailure {
  /// Why there is no result for values.
  fileprivate func sentence(_ values: [String], _ kind: ValueKind) -> String {
    let list = values.isEmpty ? "nothing" : values.joined(separator: ", ")
    switch self {
    case .value: return "\(list) is not \(kind.described)"
    case .overflow: return "the result for \(list) is beyond what \(kind.described) can hold"
    case .division: return "there is a division by zero with \(list)"
    case .unmapped: return "the table has nothing for \(list)"
    case .lookup: return "the store has no object for \(list)"
    case .doubtfulLookup: return "the store has several objects for \(list), which differ"
    case .pattern: return "the regular expression takes too many steps with \(list)"
    case .tooLong: return "the result for \(list) is too long"
    case .expression: return "the expression has no value for \(list)"
    }
  }
}
