import ObjectModel
import ObjectStore
import RecordFormats

/// Where values come from and where they go: texts of the batch.
extension TransformMachine {
  /// Takes the texts of a column.
  func load(_ column: Int, _ nulls: [[UInt8]], _ output: inout Register, _ records: RecordBatch) {
    let isRead = column < records.columnCount
    let made = isRead ? DerivedColumn() : records.derived[column - records.columnCount]
    let starts = isRead ? records.starts : made.starts
    let lengths = isRead ? records.lengths : made.lengths
    let states = isRead ? records.states : made.states
    var slot = isRead ? column : 0
    let stride = isRead ? records.columnCount : 1
    for i in 0..<count {
      switch states[slot] {
      case FieldState.absent.rawValue: output.tags[i] = Register.absent
      case FieldState.null.rawValue: output.tags[i] = Register.null
      default:
        output.tags[i] = Register.value
        output.payloads[i] = ByteRange(offset: Int(starts[slot]), length: Int(lengths[slot])).payload
      }
      slot += stride
    }
    guard !nulls.isEmpty else { return }
    records.bytes.withUnsafeBufferPointer { bytes in
      for i in 0..<count where output.tags[i] == Register.value {
        let range = ByteRange(payload: output.payloads[i])
        let text = bytes[range.offset..<range.offset + range.length]
        if nulls.contains(where: { $0.count == text.count && $0.elementsEqual(text) }) {
          output.tags[i] = Register.null
        }
      }
    }
  }

  /// Gives every record the same value.
  func fill(_ constant: Instruction.Constant, _ output: inout Register, _ records: inout RecordBatch) {
    switch constant {
    case .null: output.tags.fill(Register.null, count: count)
    case .text(let bytes):
      let range = bytes.withUnsafeBytes { records.appendBytes($0) }
      output.tags.fill(Register.value, count: count)
      output.payloads.fill(ByteRange(offset: range.lowerBound, length: range.count).payload, count: count)
    case .number(let payload, let digits):
      output.tags.fill(Register.value, count: count)
      output.payloads.fill(payload, count: count)
      if !output.digits.isEmpty { output.digits.fill(digits, count: count) }
    }
  }

  /// Reads texts as values of a type.
  func read(
    _ from: Int, _ reading: FieldReading, _ kind: ValueKind, _ index: Int, _ output: inout Register,
    _ records: RecordBatch
  ) {
    let input = registers[from]
    records.bytes.withUnsafeBufferPointer { bytes in
      for i in 0..<count {
        output.tags[i] = input.tags[i]
        output.payloads[i] = input.payloads[i]
        guard input.tags[i] == Register.value else { continue }
        let range = ByteRange(payload: input.payloads[i])
        do throws(ConversionFailureCode) {
          let value = try reading.read(
            FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length]), as: kind)
          output.tags[i] = value.tag
          output.payloads[i] = value.payload
          if kind == .decimal { output.digits[i] = value.digits }
        } catch {
          let cell = Cell.failed(.value, index)
          output.tags[i] = cell.tag
          output.payloads[i] = cell.payload
        }
      }
    }
  }

  /// Writes values as texts: numbers in digits, dates in ISO 8601, `true` and `false`.
  func print(_ from: Int, _ kind: ValueKind, _ output: inout Register, _ records: inout RecordBatch) {
    sink.start(base: records.byteCount)
    let input = registers[from]
    for i in 0..<count {
      output.tags[i] = input.tags[i]
      output.payloads[i] = input.payloads[i]
      guard input.tags[i] == Register.value else { continue }
      let start = sink.position
      let digits = kind == .decimal ? input.digits[i] : 0
      if ValueText.append(input.payloads[i], digits, kind, to: &sink) {
        output.payloads[i] = ByteRange(offset: start, length: sink.position - start).payload
      } else {
        sink.cut(to: start)
        let cell = Cell.failed(.tooLong, from)
        output.tags[i] = cell.tag
        output.payloads[i] = cell.payload
      }
    }
    if sink.count > 0 { sink.withBytes { _ = records.appendBytes($0) } }
  }

  /// Makes a register the values of a derived column.
  func store(_ output: TransformPlan.Output, _ records: inout RecordBatch) {
    let kind = plan.instructions[output.register].kind
    let origin = plan.instructions[output.register].origin
    var texts = registers[output.register]
    if kind != .text {
      var printed = Register()
      printed.resize(count, .text)
      print(output.register, kind, &printed, &records)
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

  /// The text of a register's value for messages; nil when it has none.
  func shown(_ register: Int, _ record: Int, _ records: RecordBatch) -> String? {
    guard registers[register].tags[record] == Register.value else { return nil }
    let kind = plan.instructions[register].kind
    let payload = registers[register].payloads[record]
    if kind == .text {
      let range = ByteRange(payload: payload)
      return records.bytes.withUnsafeBytes {
        RejectMessage.shown(UnsafeRawBufferPointer(rebasing: $0[range.offset..<range.offset + range.length]))
      }
    }
    var text = ByteSink()
    guard ValueText.append(payload, kind == .decimal ? registers[register].digits[record] : 0, kind, to: &text) else {
      return nil
    }
    return text.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
