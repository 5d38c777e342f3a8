import MergewalkObjectModel

extension QueryBuilder {
  /// A comparison, with its ANY or ALL.
  func compare(_ comparison: ComparisonPredicate) throws(PredicateError) -> SQLCondition {
    if comparison.modifier != .direct, let membership = comparison.membership { return try condition(membership) }
    let right = try operand(comparison.right)
    let left = try operand(comparison.left)
    switch comparison.modifier {
    case .direct: return try compare(left, comparison.comparison, right, comparison.options)
    case .any, .all:
      let isAny = comparison.modifier == .any
      let elements: [QueryOperand]
      switch left {
      case .collection(let collection):
        let condition = try compare(element(of: collection), comparison.comparison, right, comparison.options)
        return isAny ? exists(collection, condition) : exists(collection, condition.negated).negated
      case .constants(let values): elements = values.map { operand($0) }
      case .list(let operands): elements = operands
      case .value(let value) where value.isNull: elements = []
      case .dictionary(let values): elements = values.keys.sorted().compactMap { values[$0].map { operand($0) } }
      case .value, .row:
        throw PredicateError(
          .typeMismatch, "\(comparison.modifier.rawValue) compares the elements of a collection",
          hint: "put a to-many path or a list after it, or leave it out")
      }
      var conditions: [SQLCondition] = []
      for element in elements {
        conditions.append(try compare(element, comparison.comparison, right, comparison.options))
      }
      return isAny ? .any(conditions) : .all(conditions)
    }
  }

  func element(of collection: QueryCollection) -> QueryOperand {
    switch collection.element {
    case .row(let row): .row(row)
    case .value(let value): .value(value)
    }
  }

  func compare(
    _ left: QueryOperand, _ comparison: ComparisonPredicate.Operator, _ right: QueryOperand,
    _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    switch comparison {
    case .isIn: return try membership(of: left, in: right, options)
    case .contains: return try containment(of: right, in: left, options)
    case .between: return try between(left, right, options)
    case .equalTo, .notEqualTo:
      if case .collection(let first) = left, case .collection(let second) = right {
        throw PredicateError(
          .notInSQL, "\(first.name) and \(second.name) are compared as collections, which works in memory only",
          hint: "compare their elements with ANY or ALL")
      }
      return try equality(single(left), single(right), options, isEqual: comparison == .equalTo)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      return try order(single(left), comparison, single(right), options)
    case .beginsWith, .endsWith, .like, .matches, .conformsTo, .equalsType:
      return try text(single(left), comparison, single(right), options)
    }
  }

  // MARK: Equality

  /// `==` or `!=` of two values; never null.
  func equality(
    _ left: SQLValue, _ right: SQLValue, _ options: ComparisonPredicate.Options, isEqual: Bool
  ) throws(PredicateError) -> SQLCondition {
    if left.isNull { return right.isNullable ? nullCheck(right, isNull: isEqual) : .known(!isEqual) }
    if right.isNull { return left.isNullable ? nullCheck(left, isNull: isEqual) : .known(!isEqual) }
    try refuseOpaque(left, right)
    guard left.family == right.family, !left.isForeign, !right.isForeign else {
      if left.isForeign, right.isForeign { return .known((left.constant == right.constant) == isEqual) }
      guard left.isNullable, right.isNullable, left.constant == nil, right.constant == nil else {
        return .known(!isEqual)
      }
      // Values of two kinds are equal only when there are none.
      let bothNull = SQLCondition.all([nullCheck(left, isNull: true), nullCheck(right, isNull: true)])
      return isEqual ? bothNull : bothNull.negated
    }
    if left.constant != nil, right.constant == nil { return try equality(right, left, options, isEqual: isEqual) }
    var (left, right) = (left, right)
    collate(&left, &right, options)
    if case .number = left.family, right.constant != nil, let binding = right.text.bindings.first {
      switch QueryBuilder.parameter(binding, besides: left) {
      case .parameter(let fitted): right.text = SQLText(fitted)
      case .unequal: return .known(!isEqual)
      case .withoutIndex: left.text = SQLText("+\(left.text)", .unary)
      }
    }
    switch (isEqual, left.isNullable, right.isNullable) {
    case (true, true, true): return .text(.infix(left.text, "IS", right.text, .equality), canBeNull: false)
    case (true, let l, let r): return .text(.infix(left.text, "=", right.text, .equality), canBeNull: l || r)
    case (false, false, false): return .text(.infix(left.text, "!=", right.text, .equality), canBeNull: false)
    case (false, _, _): return .text(.infix(left.text, "IS NOT", right.text, .equality), canBeNull: false)
    }
  }

  func nullCheck(_ value: SQLValue, isNull: Bool) -> SQLCondition {
    if value.isNull { return .known(isNull) }
    let text = value.text.enclosed(atLeast: .comparison)
    return .text((isNull ? "\(text) IS NULL" as SQLText : "\(text) IS NOT NULL").with(.equality), canBeNull: false)
  }

  /// Transformable values and files beside the store can only be compared with null.
  func refuseOpaque(_ values: SQLValue...) throws(PredicateError) {
    for value in values where value.family == .opaque {
      throw PredicateError(
        .notInSQL, "\(value.name) is of type \(value.type.xmlName): SQL can only ask whether there is a value",
        hint: "compare it with nil, or filter what was fetched")
    }
  }

  // MARK: Order

  /// `<` and its relatives.
  func order(
    _ left: SQLValue, _ comparison: ComparisonPredicate.Operator, _ right: SQLValue,
    _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    guard try areOrdered(left, comparison.rawValue, right) else { return .known(false) }
    var (left, right) = (left, right)
    collate(&left, &right, options)
    fit(&left, &right)
    let name: StaticString =
      switch comparison {
      case .lessThan: "<"
      case .lessThanOrEqualTo: "<="
      case .greaterThan: ">"
      default: ">="
      }
    return .text(
      .infix(left.text, name, right.text, .comparison), canBeNull: left.isNullable || right.isNullable)
  }

  /// Checks that two values can be ordered; `false` when one is null, so that the answer is known.
  func areOrdered(_ left: SQLValue, _ word: String, _ right: SQLValue) throws(PredicateError) -> Bool {
    try refuseOpaque(left, right)
    for value in [left, right] {
      if case .object = value.family {
        throw PredicateError(
          .typeMismatch, "\(value.name) is an object, and objects have no order for \(word)",
          hint: "compare one of its attributes")
      }
    }
    if left.isNull || right.isNull { return false }
    guard left.family == right.family else {
      throw PredicateError(
        .typeMismatch,
        "\(word) compares \(left.described) with \(right.described)",
        hint: [left, right].contains { $0.family == .date }
          ? "write a date in quotes: '2024-01-31'" : "both sides must be of one kind")
    }
    return true
  }

  /// Fits a constant number to the column on the other side.
  func fit(_ left: inout SQLValue, _ right: inout SQLValue) {
    guard left.family == .number, right.family == .number else { return }
    func fit(_ constant: inout SQLValue, _ column: inout SQLValue) {
      guard constant.constant != nil, let binding = constant.text.bindings.first else { return }
      switch QueryBuilder.parameter(binding, besides: column) {
      case .parameter(let fitted): constant.text = SQLText(fitted)
      case .unequal: break
      case .withoutIndex: column.text = SQLText("+\(column.text)", .unary)
      }
    }
    fit(&right, &left)
    fit(&left, &right)
  }

  /// `BETWEEN {low, high}`.
  private func between(
    _ left: QueryOperand, _ right: QueryOperand, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    let bounds: [QueryOperand]
    switch right {
    case .constants(let values): bounds = values.map { operand($0) }
    case .list(let operands): bounds = operands
    case .value(let value) where value.isNull: return .known(false)
    default: bounds = []
    }
    guard bounds.count == 2 else {
      throw PredicateError(
        .typeMismatch, "BETWEEN needs a list of two values on its right", hint: "write BETWEEN {low, high}")
    }
    let value = try single(left)
    let (low, high) = (try single(bounds[0]), try single(bounds[1]))
    let hasLow = try areOrdered(value, "BETWEEN", low)
    let hasHigh = try areOrdered(value, "BETWEEN", high)
    guard hasLow, hasHigh else { return .known(false) }
    var (column, first, last) = (collated(value, options), low, high)
    fit(&column, &first)
    fit(&column, &last)
    let parts = [column, first, last].map { $0.text.enclosed(atLeast: .comparison) }
    let text: SQLText = "\(parts[0]) BETWEEN \(parts[1]) AND \(parts[2])"
    return .text(
      text.with(.equality), canBeNull: value.isNullable || low.isNullable || high.isNullable)
  }

  // MARK: Texts

  /// Gives the collation that the options ask for to one side; of two, that on the left would count.
  private func collate(_ left: inout SQLValue, _ right: inout SQLValue, _ options: ComparisonPredicate.Options) {
    if left.text.sql.contains(" COLLATE ") { left = collated(left, options) } else { right = collated(right, options) }
  }

  /// A text with the collation that the options ask for; other values as they are.
  func collated(_ value: SQLValue, _ options: ComparisonPredicate.Options) -> SQLValue {
    guard value.family == .text, let collation = QueryFunctions.collation(options) else { return value }
    var result = value
    result.text = SQLText("\(value.text.enclosed(atLeast: .unary)) COLLATE \(name: collation)", .collate)
    return result
  }
}

extension SQLValue {
  /// The value in a message: `Order.amount, a number`.
  var described: String { constant == nil ? "\(name) (\(family.words))" : family.words }
}
