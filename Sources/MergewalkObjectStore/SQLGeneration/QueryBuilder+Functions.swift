import MergewalkObjectModel

extension QueryBuilder {
  func call(_ function: ExpressionFunction, _ arguments: [ObjectExpression]) throws(PredicateError) -> QueryOperand {
    try checkCount(arguments, function)
    switch function {
    case .average, .sum, .count, .min, .max, .median, .mode, .standardDeviation:
      return .value(try aggregate(function, arguments))
    case .distinct:
      return try distinct(arguments[0])
    case .objectWithIndex:
      return try element(.at(arguments[1]), of: arguments[0])
    case .distance:
      throw PredicateError(
        .notInSQL, "\(function.rawValue) works in memory only",
        hint: "compare latitude and longitude with bounds, then filter what was fetched")
    case .noIndex:
      return try withoutIndex(operand(arguments[0]))
    case .now:
      return .value(
        SQLValue(text: SQLText(.now), family: .date, type: .date, kind: .real, isNullable: false, name: "now"))
    case .random:
      return .value(.number(.call(QueryFunctions.random, []), .real, isNullable: false))
    case .cast:
      return .value(try cast(value(arguments[0]), to: value(arguments[1])))
    default: break
    }
    var values: [SQLValue] = []
    for argument in arguments { values.append(try value(argument)) }
    return .value(try scalar(function, values))
  }

  private func checkCount(_ arguments: [ObjectExpression], _ function: ExpressionFunction) throws(PredicateError) {
    guard !function.accepts(arguments.count) else { return }
    throw PredicateError(.unknownFunction, "\(function.rawValue) does not take \(arguments.count) arguments")
  }

  /// Keeps SQLite from using an index: the sign has no other meaning.
  private func withoutIndex(_ operand: QueryOperand) -> QueryOperand {
    func signed(_ value: SQLValue) -> SQLValue {
      guard value.isColumn else { return value }
      var result = value
      result.text = SQLText("+\(value.text)", .unary)
      result.isColumn = false
      return result
    }
    switch operand {
    case .value(let value): return .value(signed(value))
    case .row(let row): return .value(signed(row.value))
    case .collection(var collection):
      guard case .value(let value) = collection.element else { return operand }
      collection.element = .value(signed(value))
      return .collection(collection)
    default: return operand
    }
  }

  private func distinct(_ argument: ObjectExpression) throws(PredicateError) -> QueryOperand {
    switch try operand(argument) {
    case .collection(var collection):
      collection.isDistinct = true
      return .collection(collection)
    case .constants(let values): return .constants(try ConstantValue.distinct(values))
    case .list(let operands):
      var collection = try table(operands)
      collection.isDistinct = true
      return .collection(collection)
    case .value, .row, .dictionary:
      throw PredicateError(
        .typeMismatch, "distinct: needs a collection", hint: "for distinct rows set returnsDistinctResults")
    }
  }

  // MARK: One value for each object

  private func scalar(_ function: ExpressionFunction, _ values: [SQLValue]) throws(PredicateError) -> SQLValue {
    switch function {
    case .add, .subtract: return try sum(function, values[0], values[1])
    case .multiply, .divide, .modulus: return try product(function, values[0], values[1])
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      return try bits(function, values)
    case .uppercase, .lowercase, .canonical:
      try demand(.text, values, function)
      if values[0].isNull { return .null }
      return .computed(
        .call(QueryFunctions.name(function), [values[0].text]), .string, isNullable: values[0].isNullable,
        name: function.rawValue)
    case .length:
      try demand(.text, values, function)
      if values[0].isNull { return .null }
      return .number(.call(QueryFunctions.name(function), [values[0].text]), .integer, isNullable: values[0].isNullable)
    case .ceiling, .floor, .truncate:
      try demand(.number, values, function)
      if values[0].isNull || values[0].kind == .integer { return unnamed(values[0]) }
      return .number(.call(QueryFunctions.name(function), [values[0].text]), values[0].kind)
    case .absolute:
      try demand(.number, values, function)
      if values[0].isNull { return .null }
      return .number(
        .call(QueryFunctions.name(function), [values[0].text]), values[0].kind == .real ? .real : .mixed)
    case .randomBelow:
      try demand(.number, values, function)
      if values[0].isNull { return .null }
      return .number(.call(QueryFunctions.name(function), [values[0].text]), .integer)
    default:
      // Powers, roots and logarithms.
      try demand(.number, values, function)
      if values.contains(where: \.isNull) { return .null }
      return .number(.call(QueryFunctions.name(function), values.map(\.text)), .real)
    }
  }

  private func unnamed(_ value: SQLValue) -> SQLValue {
    var result = value
    result.isColumn = false
    return result
  }

  /// Checks that all values are of a family or null.
  func demand(
    _ family: SQLFamily, _ values: [SQLValue], _ function: ExpressionFunction
  ) throws(PredicateError) {
    for value in values where !value.isNull {
      try refuseOpaque(value)
      guard value.family == family else {
        throw PredicateError(
          .typeMismatch, "\(function.rawValue) takes \(family.words); \(value.name) is \(value.family.words)",
          hint: "CAST the value, or use another property")
      }
    }
  }

  private func sum(
    _ function: ExpressionFunction, _ left: SQLValue, _ right: SQLValue
  ) throws(PredicateError) -> SQLValue {
    try refuseOpaque(left, right)
    let isAddition = function == .add
    func text(_ left: SQLText, _ right: SQLText) -> SQLText {
      .infix(left, isAddition ? "+" : "-", right, .sum)
    }
    switch (left.family, right.family) {
    case (.null, .null), (.null, .number), (.number, .null), (.null, .date), (.date, .null): return .null
    case (.number, .number):
      return computed(text(left.text, right.text), left, right)
    case (.date, .number):
      return .computed(text(real(left), right.text), .date, kind: .real)
    case (.number, .date) where isAddition:
      return .computed(text(left.text, real(right)), .date, kind: .real)
    case (.date, .date) where !isAddition:
      return .number(text(real(left), right.text), .real)
    default: throw arithmeticError(function, left, right)
    }
  }

  /// The sum, difference or product of two numbers: only of integers it is always a number, as infinities may give none.
  private func computed(_ text: SQLText, _ left: SQLValue, _ right: SQLValue) -> SQLValue {
    let areIntegers = left.kind == .integer && right.kind == .integer
    return .number(
      text, .combined(left.kind, right.kind), isNullable: !areIntegers || left.isNullable || right.isNullable)
  }

  /// A date as binary64: dates of whole seconds are stored as integers.
  private func real(_ value: SQLValue) -> SQLText {
    value.kind == .real ? value.text : "CAST(\(value.text) AS REAL)"
  }

  private func arithmeticError(
    _ function: ExpressionFunction, _ left: SQLValue, _ right: SQLValue
  ) -> PredicateError {
    PredicateError(
      .typeMismatch, "\(function.rawValue) cannot take \(left.described) and \(right.described)",
      hint: "use numbers, a date and seconds, or two dates for their difference")
  }

  private func product(
    _ function: ExpressionFunction, _ left: SQLValue, _ right: SQLValue
  ) throws(PredicateError) -> SQLValue {
    try refuseOpaque(left, right)
    for value in [left, right] where !value.isNull && value.family != .number {
      throw arithmeticError(function, left, right)
    }
    if left.isNull || right.isNull { return .null }
    let kind = NumberKind.combined(left.kind, right.kind)
    switch function {
    case .multiply: return computed(.infix(left.text, "*", right.text, .product), left, right)
    case .divide: return .number(.infix(left.text, "/", right.text, .product), kind)
    default:
      // SQLite's own operator cuts both sides to integers first.
      if left.kind == .integer, right.kind == .integer {
        return .number(.infix(left.text, "%", right.text, .product), .integer)
      }
      return .number(.call(QueryFunctions.name(function), [left.text, right.text]), kind)
    }
  }

  private func bits(_ function: ExpressionFunction, _ values: [SQLValue]) throws(PredicateError) -> SQLValue {
    try demand(.number, values, function)
    if values.contains(where: \.isNull) { return .null }
    let isNullable = values.contains(where: \.isNullable)
    guard values.allSatisfy({ $0.kind == .integer }), function != .bitwiseXor else {
      return .number(.call(QueryFunctions.name(function), values.map(\.text)), .integer)
    }
    let text: SQLText =
      switch function {
      case .bitwiseAnd: .infix(values[0].text, "&", values[1].text, .bits)
      case .bitwiseOr: .infix(values[0].text, "|", values[1].text, .bits)
      case .leftShift: .infix(values[0].text, "<<", values[1].text, .bits)
      case .rightShift: .infix(values[0].text, ">>", values[1].text, .bits)
      default: SQLText("~\(values[0].text.enclosed(atLeast: .primary))", .unary)
      }
    return .number(text, .integer, isNullable: isNullable)
  }

  // MARK: Conditions and types

  /// `TERNARY(predicate, first, second)`.
  func conditional(
    _ predicate: ObjectPredicate, _ first: ObjectExpression, _ second: ObjectExpression
  ) throws(PredicateError) -> SQLValue {
    let condition = try self.condition(predicate)
    let (left, right) = (try value(first), try value(second))
    guard left.isNull || right.isNull || left.family == right.family else {
      throw PredicateError(
        .typeMismatch, "TERNARY gives \(left.described) or \(right.described)",
        hint: "in SQL both must be of one kind")
    }
    if case .known(let holds) = condition { return holds ? left : right }
    if left.isNull, right.isNull { return .null }
    var result = left.isNull ? right : left
    func text(_ left: SQLText, _ right: SQLText) -> SQLText {
      var text: SQLText = "CASE WHEN \(condition.text) THEN \(left) ELSE \(right) END"
      text.depth += 3
      return text
    }
    result.text = text(left.text, right.text)
    if SQLValue.needExact([left, right]) { result.exactText = text(left.exact, right.exact) }
    result.isColumn = false
    result.constant = nil
    result.isNullable = left.isNullable || right.isNullable
    result.name = "TERNARY"
    if !left.isNull, !right.isNull {
      if left.kind != right.kind { result.kind = .mixed }
      if left.type != right.type { result.type = left.family == .number ? .undefined : left.type }
    }
    // The collation of a comparison in the condition would count for what the result is compared with.
    if result.family == .text, result.text.sql.contains(" COLLATE ") {
      result.text = SQLText("\(result.text) COLLATE BINARY", .collate)
    }
    if let row = result.row {
      result.row = QueryRow(
        entity: schema.model.entities[row.entity.rootIndex], key: result.text, entityNumber: nil, isElement: false,
        level: level, names: names)
    }
    return result
  }

  /// `CAST(value, 'type')`.
  private func cast(_ value: SQLValue, to type: SQLValue) throws(PredicateError) -> SQLValue {
    guard case .attribute(.string(let name))? = type.constant else {
      throw PredicateError(.notInSQL, "in SQL the type of a CAST must be a text", hint: "write CAST(value, 'NSString')")
    }
    try refuseOpaque(value)
    return try QueryFunctions.cast(value, name)
  }
}
