import MergewalkRecordFormats

/// `format`: writes a date by a pattern.
struct FormatDateStep: StepAction {
  var pattern: String
  var zone: Int

  static let spec = StepSpec(
    "format", "Writes a date in a pattern.", example: "yyyy-MM", types: "date → text",
    remark: "letters as for [dates](conversions.md#types); parts may be missing",
    shorthand: "pattern",
    fields: [
      FieldSpec("pattern", .text, required: true, "A UTS 35 pattern.", example: "dd.MM.yyyy"),
      ZonedTime.zoneField,
    ]
  ) { value, _ in
    value.text("pattern").map { FormatDateStep(pattern: $0.value, zone: value.count(orDefault: "zone")) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let date = compiler.date(input) else { return nil }
    var problems: [DatePattern.Finding] = []
    let compiled = DatePattern.compile(pattern, isForWriting: true, findings: &problems)
    for problem in problems where problem.isError {
      _ = compiler.fail("datePattern", problem.message, hint: problem.hint)
    }
    return compiled.map { compiler.emit(WriteDates(pattern: $0, zone: zone), on: date, .text) }
  }
}

private struct WriteDates: ColumnStep {
  var pattern: DatePattern
  var zone: Int

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    machine.buffer.start(base: records.byteCount)
    machine.each(from, &output) { payload in
      guard let moment = ZonedTime(payload, zone: zone) else { return .failed(.overflow, index) }
      let start = machine.buffer.position
      guard pattern.write(moment.time, fraction: moment.fraction, offset: zone, to: &machine.buffer) else {
        machine.buffer.cut(to: start)
        return .failed(.tooLong, index)
      }
      return .range(start, machine.buffer.position - start)
    }
    machine.appendBuffer(to: &records)
  }
}

extension TransformStep.Action {
  /// Formats a date with a UTS 35 pattern.
  public static func formatDate(_ pattern: String, zone: Int) -> Self {
    Self("format", FormatDateStep(pattern: pattern, zone: zone))
  }
}
