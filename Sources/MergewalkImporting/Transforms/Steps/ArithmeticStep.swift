import MergewalkObjectModel

/// `add`, `subtract`, `multiply`, `divide` and `modulo`.
struct ArithmeticStep: StepAction {
  var operation: TransformStep.Arithmetic
  var operand: TransformStep.Operand
  var places: Int?

  private static let number = ComponentSpec(
    "operand", "The second number of an operation.", shorthand: "number",
    fields: [
      FieldSpec("number", .text, "The number.", example: "1.5"),
      FieldSpec("column", .text, "A column of numbers, in place of `number`.", example: "rate"),
    ])

  private static let divisor = ComponentSpec(
    "divisor", "The divisor.", shorthand: "by",
    fields: [
      FieldSpec("by", .text, "The number.", example: "3"),
      FieldSpec("column", .text, "A column of numbers, in place of `by`.", example: "rate"),
      FieldSpec(
        "places", .count(least: 0), default: "10",
        "How many decimal places a decimal quotient is rounded to; halves go away from zero.", example: "2"),
    ])

  static let specs = [
    spec(
      .add, "The sum.", example: "1", remark: "a number, or `{ column: rate }`; whole numbers and decimals are exact"),
    spec(.subtract, "The difference.", example: "1"), spec(.multiply, "The product.", example: "100"),
    spec(
      .divide, "The quotient.", example: "{ by: 3, places: 2 }", types: "numbers → decimal or double",
      remark: "rounded to `places`, halves away from zero; without them to 10, or to as many as 15 digits leave",
      divisor), spec(.modulo, "The remainder of a division.", example: "7", remark: "with the sign of the dividend"),
  ]

  private static func spec(
    _ operation: TransformStep.Arithmetic, _ summary: String, example: String, types: String = "numbers → numbers",
    remark: String = "", _ component: ComponentSpec = number
  ) -> StepSpec {
    let field = FieldSpec(operation.rawValue, .component(component.name), summary, example: example)
    return StepSpec(field, component, types: types, remark: remark) { value, reader in
      let name = component.fields[0].name
      let operand: TransformStep.Operand
      switch (value.text(name), value.text("column")) {
      case (let number?, nil): operand = .number(number.value)
      case (nil, let column?): operand = .column(column.value)
      default:
        return reader.refuse(value, needs: "this takes either “\(name)” or “column”")
      }
      return ArithmeticStep(operation: operation, operand: operand, places: value.count("places"))
    }
  }

  // MARK: Compiling

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    let place = compiler.place
    guard places.map({ compiler.takesPlaces($0) }) ?? true,
      let number = compiler.number(input), let other = other(than: number, &compiler),
      var (left, right) = compiler.common(number, other, step: place.name, at: place.position)
    else { return nil }
    // A quotient of whole numbers is no whole number.
    if operation == .divide, left.kind == .integer {
      guard let first = compiler.convert(left, to: .decimal), let second = compiler.convert(right, to: .decimal) else {
        return nil
      }
      (left, right) = (first, second)
    }
    return compiler.emit(
      Arithmetic(function: operation.function, left: left.register, right: right.register, places: places), left.kind,
      of: input)
  }

  private func other(than number: Value, _ compiler: inout TransformCompiler) -> Value? {
    let place = compiler.place
    switch operand {
    case .column(let column):
      return compiler.expressionColumn(column, at: place.position).flatMap { compiler.number($0) }
    case .number(let text):
      let isInteger = number.kind == .integer && FieldReading.constant(text, as: .integer) != nil
      guard let constant = compiler.constant(text, isInteger ? .integer : .decimal, name: place.name) else {
        return compiler.fail(
          "transformOption", "“\(place.name)”: “\(text)” is not a number",
          hint: "write “\(place.name): { column: \(text) }” for a column")
      }
      if operation == .divide || operation == .modulo, FieldReading.constant(text, as: .decimal)?.digits == 0 {
        return compiler.refuse("nothing can be divided by zero")
      }
      return constant
    }
  }
}

extension TransformStep {
  /// An operation on two numbers.
  public enum Arithmetic: String, Sendable, Hashable, CaseIterable {
    /// The sum.
    case add
    /// The difference.
    case subtract
    /// The product.
    case multiply
    /// The quotient; decimals are rounded half away from zero.
    case divide
    /// The remainder of a division of whole numbers or decimals, with the sign of the dividend.
    case modulo

    /// The function of expressions that does the same.
    fileprivate var function: ExpressionFunction {
      switch self {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      case .divide: .divide
      case .modulo: .modulus
      }
    }
  }

  /// The second number of an operation.
  public enum Operand: Sendable, Hashable {
    /// A number as text.
    case number(String)
    /// The values of a column.
    case column(String)
  }
}

extension TransformStep.Action {
  /// Computes with a number or another column.
  public static func arithmetic(
    _ operation: TransformStep.Arithmetic, _ operand: TransformStep.Operand, places: Int?
  ) -> Self {
    Self(operation.rawValue, ArithmeticStep(operation: operation, operand: operand, places: places))
  }
}
