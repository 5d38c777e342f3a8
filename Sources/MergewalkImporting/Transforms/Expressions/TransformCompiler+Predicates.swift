import MergewalkObjectModel

/// Conditions on records: true or false, and never null.
extension TransformCompiler {
  /// Compiles a predicate that was checked; nil when a part of it has no instruction.
  mutating func condition(_ predicate: ObjectPredicate, _ types: ExpressionTyping) -> Int? {
    switch predicate {
    case .value(let value): return constant(.boolean(value))?.register
    case .and(let terms): return combine(terms, types, all: true)
    case .or(let terms): return combine(terms, types, all: false)
    case .not(let inner):
      return condition(inner, types).map { emit(Not(from: $0), "NOT") }
    case .comparison(let comparison): return self.comparison(comparison, types)
    case .closure: return nil
    }
  }

  private mutating func emit(_ condition: any ColumnOperation, _ name: String, of value: Value? = nil) -> Int {
    emit(condition, .boolean, name, origin: value?.origin ?? -1).register
  }

  /// Combines each term with those before it as soon as it is made, so that few registers are in use at once.
  private mutating func combine(_ terms: [ObjectPredicate], _ types: ExpressionTyping, all: Bool) -> Int? {
    guard let first = terms.first else { return constant(.boolean(all))?.register }
    guard var result = condition(first, types) else { return nil }
    for term in terms.dropFirst() {
      guard let register = condition(term, types) else { return nil }
      result = emit(Combine(inputs: [result, register], all: all), all ? "AND" : "OR")
    }
    return result
  }

  private mutating func comparison(_ comparison: ComparisonPredicate, _ types: ExpressionTyping) -> Int? {
    guard comparison.modifier == .direct, let left = value(comparison.left, types) else { return nil }
    switch comparison.comparison {
    case .isIn where Self.elements(comparison.right) != nil: return isIn(left, comparison)
    case .between:
      guard let bounds = Self.elements(comparison.right), bounds.count == 2, let low = value(bounds[0], types),
        let high = value(bounds[1], types),
        let first = compare(left, .greaterThanOrEqualTo, low, comparison.options),
        let second = compare(left, .lessThanOrEqualTo, high, comparison.options)
      else { return nil }
      return emit(Both(first: first, second: second), "BETWEEN", of: left)
    default: break
    }
    guard let right = value(comparison.right, types) else { return nil }
    if comparison.comparison == .equalTo || comparison.comparison == .notEqualTo {
      let isEqual = comparison.comparison == .equalTo
      if Self.isNull(comparison.right) { return nullTest(left, isEqual) }
      if Self.isNull(comparison.left) { return nullTest(right, isEqual) }
    }
    if comparison.comparison == .isIn { return compare(right, .contains, left, comparison.options) }
    if comparison.comparison == .like || comparison.comparison == .matches {
      return match(left, comparison)
    }
    return compare(left, comparison.comparison, right, comparison.options)
  }

  private mutating func nullTest(_ value: Value, _ isEqual: Bool) -> Int {
    let test = emit(IsNull(from: value.register), "==", of: value)
    return isEqual ? test : emit(Not(from: test), "!=", of: value)
  }

  /// Compares two texts, numbers or dates; nil for values that have no order.
  private mutating func compare(
    _ left: Value, _ comparison: ComparisonPredicate.Operator, _ right: Value, _ options: ComparisonPredicate.Options
  ) -> Int? {
    if left.kind == .text, right.kind == .text {
      guard comparison != .conformsTo, comparison != .equalsType else { return nil }
      let options = options.contains(.normalized) ? [] : options
      return emit(
        CompareTexts(comparison: comparison, left: left.register, right: right.register, options: options),
        comparison.rawValue, of: left)
    }
    guard comparison.isOrder, left.isNumeric && right.isNumeric || left.kind == .date && right.kind == .date else {
      return nil
    }
    return emit(
      CompareValues(comparison: comparison, left: left.register, right: right.register), comparison.rawValue, of: left)
  }

  /// `LIKE` and `MATCHES` with a pattern that does not change.
  private mutating func match(_ left: Value, _ comparison: ComparisonPredicate) -> Int? {
    guard left.kind == .text, case .constant(.attribute(let value)) = comparison.right, let pattern = value.text,
      let match = TextMatch(from: left.register, pattern, comparison)
    else { return nil }
    return emit(match, comparison.comparison.rawValue, of: left)
  }

  private mutating func isIn(_ left: Value, _ comparison: ComparisonPredicate) -> Int? {
    var elements: [AttributeValue] = []
    for element in Self.elements(comparison.right) ?? [] {
      guard case .constant(.attribute(let value)) = element else { return nil }
      elements.append(value)
    }
    let hasNull = elements.contains(where: \.isNull)
    elements.removeAll(where: \.isNull)
    let options = comparison.options
    if left.kind == .text, !options.contains(.localeSensitive) || options.contains(.normalized) {
      let table = LookupTable(elements.compactMap { $0.text.map { (TextFolding.fold($0, options), "") } })
      let among = TextAmong(from: left.register, table: table, hasNull: hasNull, options: options)
      return emit(among, "IN", of: left)
    }
    let numbers = elements.compactMap { value -> Int64? in
      if case .integer(let number) = value { number } else { nil }
    }
    if left.kind == .integer, numbers.count == elements.count, numbers.count <= 64 {
      return emit(NumberAmong(from: left.register, numbers: numbers, hasNull: hasNull), "IN", of: left)
    }
    guard let among = ValueAmong(from: left.register, elements, hasNull, options) else { return nil }
    return emit(among, "IN", of: left)
  }

  private static func elements(_ expression: ObjectExpression) -> [ObjectExpression]? {
    switch expression {
    case .aggregate(let elements): elements
    case .constant(.collection(let constants)): constants.map { .constant($0) }
    default: nil
    }
  }
}
