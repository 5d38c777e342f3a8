import ObjectModel
import ObjectStore
import RecordFormats

/// Carries out the instructions of a plan on one batch after the other; one thread at a time uses it.
///
/// `@unchecked Sendable`: whoever uses it has taken it out of its ``TransformRunner``.
final class TransformMachine: @unchecked Sendable {
  let plan: TransformPlan
  var registers: [Register]
  var sink = ByteSink()
  /// The tables of look-ups in the store, in the order of the plan.
  let tables: [ValueTable]
  var evaluator: PredicateEvaluator
  var count = 0

  init(_ plan: TransformPlan, tables: [ValueTable], now: Double) {
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
      output.resize(count, plan.instructions[index].kind)
      if count > 0 { execute(plan.instructions[index], index, &output, &records) }
      swap(&output, &registers[index])
    }
  }

  private func execute(_ instruction: Instruction, _ index: Int, _ output: inout Register, _ records: inout RecordBatch)
  {
    switch instruction.operation {
    case .load(let column, let nulls): load(column, nulls, &output, records)
    case .constant(let constant): fill(constant, &output, &records)
    case .read(let from, let reading): read(from, reading, instruction.kind, index, &output, records)
    case .print(let from): print(from, plan.instructions[from].kind, &output, &records)
    case .cast(let from): cast(from, plan.instructions[from].kind, instruction.kind, index, &output)
    case .text(let from, let operation): text(from, operation, index, &output, &records)
    case .concat(let parts, let separator): concat(parts, separator, index, &output, &records)
    case .length(let from): length(from, &output, records)
    case .map(let from, let table, let fallback): map(from, table, fallback, .unmapped, index, &output, &records)
    case .lookup(let from, let table, let fallback):
      map(from, tables[table], fallback, .lookup, index, &output, &records)
    case .arithmetic(let operation, let left, let right, let places):
      arithmetic(operation, left, right, instruction.kind, places, index, &output)
    case .negate(let from): negate(from, instruction.kind, onlyNegative: false, index, &output)
    case .absolute(let from): negate(from, instruction.kind, onlyNegative: true, index, &output)
    case .round(let from, let places, let rounding): round(from, instruction.kind, places, rounding, index, &output)
    case .addToDate(let from, let months, let seconds, let zone):
      addToDate(from, months, seconds, zone, index, &output)
    case .datePart(let from, let part, let zone): datePart(from, part, zone, index, &output)
    case .startOf(let from, let unit, let zone): startOf(from, unit, zone, index, &output)
    case .formatDate(let from, let pattern, let zone): formatDate(from, pattern, zone, index, &output, &records)
    case .hash(let from, let function): hash(from, function, index, &output, &records)
    case .coalesce(let parts): coalesce(parts, instruction.kind, &output)
    case .nullIf(let from, let table): nullIf(from, table, &output, records)
    case .select(let condition, let first, let second): select(condition, first, second, instruction.kind, &output)
    case .compare(let comparison, let left, let right): compare(comparison, left, right, &output)
    case .compareText(let comparison, let left, let right, let options):
      compareText(comparison, left, right, options, &output, records)
    case .isNull(let from): isNull(from, &output)
    case .isIn(let from, let table, let hasNull): isIn(from, table, hasNull, &output, records)
    case .isInNumbers(let from, let numbers, let hasNull): isIn(from, numbers, hasNull, &output)
    case .and(let parts): combine(parts, all: true, &output)
    case .or(let parts): combine(parts, all: false, &output)
    case .not(let from): not(from, &output)
    case .column(let operation): operation.run(self, index, &output, &records)
    }
  }

  // MARK: Ways over registers

  /// The result of a step for one record.
  struct Cell {
    var tag: UInt8
    var payload: UInt64

    @inline(__always) static func value(_ payload: UInt64) -> Cell { Cell(tag: Register.value, payload: payload) }
    @inline(__always) static func range(_ offset: Int, _ length: Int) -> Cell {
      Cell(tag: Register.value, payload: ByteRange(offset: offset, length: length).payload)
    }
    static var null: Cell { Cell(tag: Register.null, payload: 0) }
    @inline(__always) static func failed(_ failure: TransformFailure, _ instruction: Int) -> Cell {
      Cell(tag: Register.failed, payload: TransformFailure.Cell(failure, instruction: instruction).payload)
    }
  }

  /// Makes each value from one payload; what is no value stays as it is.
  @inline(__always)
  func each(_ from: Int, _ output: inout Register, _ body: (UInt64) -> Cell) {
    let input = registers[from]
    for i in 0..<count {
      let tag = input.tags[i]
      guard tag == Register.value else {
        output.tags[i] = tag
        output.payloads[i] = input.payloads[i]
        continue
      }
      let cell = body(input.payloads[i])
      output.tags[i] = cell.tag
      output.payloads[i] = cell.payload
    }
  }

  /// Makes each value from one text, which stands at `offset` of the batch's bytes; texts that are written to the sink
  /// are appended to the batch at the end.
  @inline(__always)
  func eachText(
    _ from: Int, _ output: inout Register, _ records: inout RecordBatch,
    _ body: (FieldBytes, _ offset: Int, _ sink: inout ByteSink) -> Cell
  ) {
    sink.start(base: records.byteCount)
    records.bytes.withUnsafeBufferPointer { bytes in
      each(from, &output) { payload in
        let range = ByteRange(payload: payload)
        return body(
          FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length]), range.offset, &sink)
      }
    }
    if sink.count > 0 { sink.withBytes { _ = records.appendBytes($0) } }
  }

  /// Reads texts without making others.
  @inline(__always)
  func eachText(
    _ from: Int, _ output: inout Register, reading records: RecordBatch, _ body: (FieldBytes) -> Cell
  ) {
    records.bytes.withUnsafeBufferPointer { bytes in
      each(from, &output) { payload in
        let range = ByteRange(payload: payload)
        return body(FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length]))
      }
    }
  }
}
