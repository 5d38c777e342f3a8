import MergewalkRecordFormats

/// `concat`: the value and those of other columns.
struct ConcatStep: StepAction {
  var columns: [String]
  var separator: [UInt8]

  static let spec = StepSpec(
    "concat", "The value followed by those of other columns; missing values are left out.",
    example: "{ columns: [city], with: \", \" }", types: "any → text", remark: "what is missing is left out",
    shorthand: "columns",
    fields: [
      FieldSpec("columns", .texts, required: true, "The columns.", example: "[city]"),
      FieldSpec("with", .content, default: "\"\"", "The text between the parts.", example: "\", \""),
    ]
  ) { value, _ in
    value.texts("columns").map {
      ConcatStep(columns: $0.map(\.value), separator: Array(value.text(orDefault: "with").utf8))
    }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let first = compiler.convert(input, to: .text) else { return nil }
    var parts = [first.register]
    for name in columns {
      guard let text = compiler.column(name).flatMap({ compiler.convert($0, to: .text) }) else { return nil }
      parts.append(text.register)
    }
    return compiler.emit(JoinTexts(inputs: parts, separator: separator), .text, of: input)
  }
}

private struct JoinTexts: ColumnOperation {
  var inputs: [Int]
  var separator: [UInt8]

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.buffer.start(base: records.byteCount)
    records.bytes.withUnsafeBufferPointer { bytes in
      for i in 0..<machine.count {
        let cell = machine.failure(in: inputs, i) ?? join(i, bytes, machine, index)
        output.tags[i] = cell.tag
        output.payloads[i] = cell.payload
      }
    }
    machine.appendBuffer(to: &records)
  }

  @inline(__always)
  private func join(_ record: Int, _ bytes: FieldBytes, _ machine: RegisterMachine, _ index: Int)
    -> RegisterMachine.Cell
  {
    let start = machine.buffer.position
    var isFirst = true
    var fits = true
    for part in inputs where machine.registers[part].tags[record] == Register.value {
      if !isFirst { fits = fits && separator.withUnsafeBufferPointer { machine.buffer.append($0) } }
      fits =
        fits && machine.buffer.append(bytes.text(machine.registers[part].payloads[record]))
        && machine.buffer.position - start <= TextBuffer.greatestValue
      isFirst = false
    }
    // Nothing of nothing: absent where the value itself is.
    if isFirst { return RegisterMachine.Cell(tag: machine.registers[inputs[0]].tags[record], payload: 0) }
    if fits { return .range(start, machine.buffer.position - start) }
    machine.buffer.cut(to: start)
    return .failed(.tooLong, index)
  }
}

extension TransformStep.Action {
  /// Joins the value with those of other columns, without missing ones.
  public static func concat(_ columns: [String], with separator: String) -> Self {
    Self("concat", ConcatStep(columns: columns, separator: Array(separator.utf8)))
  }
}
