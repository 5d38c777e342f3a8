import MergewalkRecordFormats

/// `when`: the first case that holds says what the value becomes.
struct WhenStep: StepAction {
  var cases: [TransformStep.Case] = []
  /// The value when no case holds; nil when it stays.
  var otherwise: TransformStep.Result?

  static let spec = StepSpec(
    FieldSpec(
      "when", .components("case"), "The value of the first case whose condition holds.",
      example: "[{ if: \"quantity > 10\", give: bulk }, { give: single }]"),
    ComponentSpec(
      "case", "One case of `when`; a case without `if` must be last and applies to all other values.",
      fields: [
        FieldSpec("if", .expression, "A condition.", example: "\"quantity > 10\""),
        FieldSpec(
          "give", .content, "The text that the value becomes; null without `give` and `take`.", example: "bulk"),
        FieldSpec("take", .text, "The column whose value it becomes.", example: "price"),
      ]), types: "any → any",
    remark: "the first case that holds: `give` a text or `take` a column; a last one without `if` holds for the rest,"
      + " else the value stays; a case without `give` and `take` is null"
  ) { value, reader in
    var step = WhenStep()
    let values = value.components("when")
    for (index, value) in values.enumerated() {
      let result: TransformStep.Result
      switch (value.text("give"), value.text("take")) {
      case (let text?, nil): result = .text(text.value)
      case (nil, let column?): result = .column(column.value)
      case (nil, nil): result = .null
      case (_?, let column?):
        return reader.refuse(
          .invalidOption, at: column.position, "“take” has no effect together with “give”", hint: "keep one of the two")
      }
      if let condition = value.expression("if") {
        step.cases.append(TransformStep.Case(condition, result))
      } else if index == values.count - 1, index > 0 {
        step.otherwise = result
      } else {
        return reader.refuse(
          .missingField, at: value.position, "this case of “when” needs the field “if”",
          hint: "only the last of several may do without")
      }
    }
    return step
  }

  // MARK: Compiling

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    let results = cases.map(\.result) + (otherwise.map { [$0] } ?? [])
    // Values of columns, and the value itself when it may stay, say which type the result has; texts follow.
    var known: [TransformCompiler.Value] = otherwise == nil ? [input] : []
    var columns: [TransformCompiler.Value?] = []
    for result in results {
      guard case .column(let name) = result else {
        columns.append(nil)
        continue
      }
      guard let column = compiler.column(name) else { return nil }
      columns.append(column)
      known.append(column)
    }
    var kind = known.first?.kind ?? .text
    for value in known { kind = ValueKind.common(kind, value.kind) ?? .text }
    var registers: [Int] = []
    for (result, column) in zip(results, columns) {
      guard let made = value(result, column, kind, &compiler) else { return nil }
      registers.append(made.register)
    }
    if otherwise == nil {
      guard let own = compiler.convert(input, to: kind) else { return nil }
      registers.append(own.register)
    }
    var result = registers[registers.count - 1]
    for (number, item) in cases.enumerated().reversed() {
      guard let condition = compiler.predicate(item.condition) else { return nil }
      let choice = Choose(condition: condition, first: registers[number], second: result)
      result = compiler.emit(choice, kind, of: input).register
    }
    return Value(register: result, kind: kind, reading: input.reading, origin: input.origin)
  }

  private func value(
    _ result: TransformStep.Result, _ column: Value?, _ kind: ValueKind, _ compiler: inout TransformCompiler
  ) -> Value? {
    switch result {
    case .column: return column.flatMap { compiler.convert($0, to: kind) }
    case .null: return compiler.emit(Constant(value: .null), kind, compiler.place.name, origin: -1)
    case .text(let text):
      return compiler.constant(text, kind, name: compiler.place.name)
        ?? compiler.fail("transformType", "“\(text)” is not \(kind.described), as the other results are")
    }
  }
}

/// One of two values by a condition.
struct Choose: ColumnOperation {
  var condition: Int
  var first: Int
  var second: Int
  var inputs: [Int] { [first, second, condition] }
  var shown: [Int] { [first, second] }

  func run(_ machine: RegisterMachine, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let kind = machine.plan.instructions[index].kind
    for i in 0..<machine.count {
      if let failed = machine.failure(in: condition, i) {
        output.tags[i] = failed.tag
        output.payloads[i] = failed.payload
      } else {
        machine.take(i, from: machine.registers[condition].payloads[i] != 0 ? first : second, kind, &output)
      }
    }
  }
}

extension TransformStep {
  /// One case of `when`.
  public struct Case: Sendable, Hashable {
    /// The condition of the case.
    public var condition: SourceText
    /// The resulting value.
    public var result: Result

    /// Creates a case.
    public init(_ condition: SourceText, _ result: Result) {
      self.condition = condition
      self.result = result
    }
  }

  /// The result of a case.
  public enum Result: Sendable, Hashable {
    /// This text.
    case text(String)
    /// The value of a column.
    case column(String)
    /// Null.
    case null
  }
}

extension TransformStep.Action {
  /// The result of the first case whose condition is true; otherwise `otherwise`, or the value itself if that is nil.
  public static func when(_ cases: [TransformStep.Case], otherwise: TransformStep.Result?) -> Self {
    Self("when", WhenStep(cases: cases, otherwise: otherwise))
  }
}
