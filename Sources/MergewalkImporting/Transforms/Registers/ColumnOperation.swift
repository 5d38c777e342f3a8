import MergewalkObjectStore
import MergewalkRecordFormats

/// The work of an instruction on whole columns.
protocol ColumnOperation: Sendable {
  /// The registers that it reads.
  var inputs: [Int] { get }
  /// Those of them whose values messages show.
  var shown: [Int] { get }
  /// The register whose values these are, as far as the step leaves them as they are; nil where they are new.
  var carried: Int? { get }

  /// Fills the register of instruction `index`.
  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch)

  /// Why there is no result for values, where the general words do not fit.
  func sentence(_ failure: TransformFailure, _ values: [String]) -> String?
}

extension ColumnOperation {
  var shown: [Int] { inputs }
  var carried: Int? { nil }

  func sentence(_ failure: TransformFailure, _ values: [String]) -> String? { nil }
}

extension RegisterMachine {
  /// The result of an operation for one record.
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

  // MARK: Ways over registers

  /// Makes each value from one; what is no value stays as it is.
  @inline(__always)
  func each(
    _ from: Int, _ output: inout Register, _ body: (_ record: Int, UInt64, _ output: inout Register) -> Cell
  ) {
    let input = registers[from]
    for i in 0..<count {
      var cell = Cell(tag: input.tags[i], payload: input.payloads[i])
      if cell.tag == Register.value { cell = body(i, cell.payload, &output) }
      output.tags[i] = cell.tag
      output.payloads[i] = cell.payload
    }
  }

  /// Makes each value from one payload; what is no value stays as it is.
  @inline(__always)
  func each(_ from: Int, _ output: inout Register, _ body: (UInt64) -> Cell) {
    each(from, &output) { _, payload, _ in body(payload) }
  }

  /// Makes each value from one text, which stands at `offset` of the batch's bytes; texts that are written to the buffer
  /// are appended to the batch at the end.
  @inline(__always)
  func eachText(
    _ from: Int, _ output: inout Register, _ records: inout RecordBatch,
    _ body: (FieldBytes, _ offset: Int, _ buffer: inout TextBuffer) -> Cell
  ) {
    eachRecord(from, &output, &records) { _, text, offset, buffer, _ in body(text, offset, &buffer) }
  }

  /// The same for a body that is told the record, and may say why it replaced the value.
  @inline(__always)
  func eachRecord(
    _ from: Int, _ output: inout Register, _ records: inout RecordBatch,
    _ body: (_ record: Int, FieldBytes, _ offset: Int, _ buffer: inout TextBuffer, _ output: inout Register) -> Cell
  ) {
    buffer.start(base: records.byteCount)
    records.bytes.withUnsafeBufferPointer { bytes in
      each(from, &output) { record, payload, output in
        body(record, bytes.text(payload), ByteRange(payload: payload).offset, &buffer, &output)
      }
    }
    appendBuffer(to: &records)
  }

  /// Reads texts without making others.
  @inline(__always)
  func eachText(
    _ from: Int, _ output: inout Register, reading records: RecordBatch, _ body: (FieldBytes) -> Cell
  ) {
    records.bytes.withUnsafeBufferPointer { bytes in
      each(from, &output) { body(bytes.text($0)) }
    }
  }

  /// Fills a register record by record; texts that are written to the buffer are appended to the batch at the end.
  @inline(__always)
  func eachCell(
    _ output: inout Register, _ records: inout RecordBatch,
    _ body: (_ record: Int, _ records: RecordBatch, _ output: inout Register) -> Cell
  ) {
    buffer.start(base: records.byteCount)
    for i in 0..<count {
      let cell = body(i, records, &output)
      output.tags[i] = cell.tag
      output.payloads[i] = cell.payload
    }
    appendBuffer(to: &records)
  }

  /// Moves what was written to the buffer behind the batch's bytes.
  func appendBuffer(to records: inout RecordBatch) {
    if buffer.count > 0 { buffer.withBytes { _ = records.appendBytes($0) } }
  }

  /// Takes one record's value from another register.
  @inline(__always)
  func take(_ record: Int, from register: Int, _ kind: ValueKind, _ output: inout Register) {
    output.tags[record] = registers[register].tags[record]
    output.payloads[record] = registers[register].payloads[record]
    if kind == .decimal { output.digits[record] = registers[register].digits[record] }
  }

  /// The failure of a register that has failed for a record.
  @inline(__always)
  func failure(in register: Int, _ record: Int) -> Cell? {
    guard registers[register].tags[record] == Register.failed else { return nil }
    return Cell(tag: Register.failed, payload: registers[register].payloads[record])
  }

  /// The failure of the first register that has failed for a record.
  @inline(__always)
  func failure(in registers: [Int], _ record: Int) -> Cell? {
    for register in registers { if let failed = failure(in: register, record) { return failed } }
    return nil
  }
}

extension FieldBytes {
  /// The text that a register's payload says, in a batch's bytes.
  @inline(__always)
  func text(_ payload: UInt64) -> FieldBytes {
    let range = ByteRange(payload: payload)
    return FieldBytes(rebasing: self[range.offset..<range.offset + range.length])
  }
}
