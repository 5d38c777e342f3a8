extension Key {
  /// Any comparison with this key on the left.
  public func compare(
    _ comparison: ComparisonPredicate.Operator, _ other: some PredicateOperand,
    _ options: ComparisonPredicate.Options = []
  ) -> ObjectPredicate {
    .comparison(ComparisonPredicate(expression, comparison, other.expression, options: options))
  }

  /// The values are equal; null is equal to null.
  public static func == (left: Key, right: some PredicateOperand) -> ObjectPredicate { left.compare(.equalTo, right) }
  /// There is no value, if the right side is `nil`.
  public static func == (left: Key, right: ConstantValue) -> ObjectPredicate { left.compare(.equalTo, right) }
  /// The values are not equal.
  public static func != (left: Key, right: some PredicateOperand) -> ObjectPredicate {
    left.compare(.notEqualTo, right)
  }
  /// There is a value, if the right side is `nil`.
  public static func != (left: Key, right: ConstantValue) -> ObjectPredicate { left.compare(.notEqualTo, right) }
  /// The left value is less; false with a null.
  public static func < (left: Key, right: some PredicateOperand) -> ObjectPredicate { left.compare(.lessThan, right) }
  /// The left value is not greater; false with a null.
  public static func <= (left: Key, right: some PredicateOperand) -> ObjectPredicate {
    left.compare(.lessThanOrEqualTo, right)
  }
  /// The left value is greater; false with a null.
  public static func > (left: Key, right: some PredicateOperand) -> ObjectPredicate {
    left.compare(.greaterThan, right)
  }
  /// The left value is not less; false with a null.
  public static func >= (left: Key, right: some PredicateOperand) -> ObjectPredicate {
    left.compare(.greaterThanOrEqualTo, right)
  }

  /// The value is not less than the first and not greater than the second.
  public func between(_ low: some PredicateOperand, _ high: some PredicateOperand) -> ObjectPredicate {
    let bounds = [low.expression, high.expression]
    if case .constant(let low) = bounds[0], case .constant(let high) = bounds[1] {
      return compare(.between, ConstantValue.collection([low, high]))
    }
    return compare(.between, ObjectExpression.aggregate(bounds))
  }

  /// The value is an element of a list.
  public func isIn(_ elements: [ConstantValue], _ options: ComparisonPredicate.Options = []) -> ObjectPredicate {
    compare(.isIn, ConstantValue.collection(elements), options)
  }

  /// The value is an element of a collection or part of a text.
  public func isIn(_ collection: some PredicateOperand, _ options: ComparisonPredicate.Options = []) -> ObjectPredicate
  {
    compare(.isIn, collection, options)
  }

  /// The text contains another, or the collection has an element.
  public func contains(_ part: some PredicateOperand, _ options: ComparisonPredicate.Options = []) -> ObjectPredicate {
    compare(.contains, part, options)
  }

  /// The text begins with another.
  public func beginsWith(_ text: some PredicateOperand, _ options: ComparisonPredicate.Options = []) -> ObjectPredicate
  {
    compare(.beginsWith, text, options)
  }

  /// The text ends with another.
  public func endsWith(_ text: some PredicateOperand, _ options: ComparisonPredicate.Options = []) -> ObjectPredicate {
    compare(.endsWith, text, options)
  }

  /// The whole text matches a pattern with `*` and `?`.
  public func isLike(_ pattern: some PredicateOperand, _ options: ComparisonPredicate.Options = []) -> ObjectPredicate {
    compare(.like, pattern, options)
  }

  /// The whole text matches an ICU regular expression.
  public func matches(_ pattern: some PredicateOperand, _ options: ComparisonPredicate.Options = []) -> ObjectPredicate
  {
    compare(.matches, pattern, options)
  }
}

/// Predicates on the elements of a collection.
extension Key {
  /// At least one element satisfies a predicate, which the closure builds for an element: `ANY` for a single
  /// comparison, else a `SUBQUERY` whose count is not 0.
  public func any(_ body: (Key) -> ObjectPredicate) -> ObjectPredicate {
    let element = element(body)
    return simple(element, .any) ?? (subquery(element) > 0)
  }

  /// Each element satisfies a predicate; true for an empty collection.
  public func all(_ body: (Key) -> ObjectPredicate) -> ObjectPredicate {
    let element = element(body)
    return simple(element, .all) ?? (subquery((element.variable, .not(element.predicate))) == 0)
  }

  /// No element satisfies a predicate; true for an empty collection.
  public func none(_ body: (Key) -> ObjectPredicate) -> ObjectPredicate { .not(any(body)) }

  /// The elements that satisfy a predicate: `SUBQUERY`.
  public func elements(_ body: (Key) -> ObjectPredicate) -> Key {
    let element = element(body)
    return Key(.subquery(expression, variable: element.variable, element.predicate))
  }

  private typealias Element = (variable: String, predicate: ObjectPredicate)

  /// The predicate of an element, with a variable for it that no subquery inside uses for another.
  private func element(_ body: (Key) -> ObjectPredicate) -> Element {
    var number = 1
    while true {
      let name = "element\(number)"
      let predicate = body(.variable(name))
      if !predicate.binds(name) { return (name, predicate) }
      number += 1
    }
  }

  private func subquery(_ element: Element) -> Key {
    Key(
      .path(
        .subquery(expression, variable: element.variable, element.predicate),
        PropertyPath([.collectionOperator(.count)])))
  }

  /// The comparison with a modifier, when the predicate is one comparison of a property of the element.
  private func simple(_ element: Element, _ modifier: ComparisonPredicate.Modifier) -> ObjectPredicate? {
    guard case .comparison(var comparison) = element.predicate, comparison.modifier == .direct,
      case .path(.variable(element.variable), let steps) = comparison.left, steps.propertyNames != nil,
      !comparison.right.variables.contains(element.variable), case .path(.evaluatedObject, let own) = expression
    else { return nil }
    comparison.left = .path(.evaluatedObject, PropertyPath(own.components + steps.components))
    comparison.modifier = modifier
    return .comparison(comparison)
  }
}

extension ObjectPredicate {
  /// Both predicates are true; chains form one predicate of all their terms.
  public static func && (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
    if case .and(let terms) = left { return .and(terms + [right]) }
    return .and([left, right])
  }

  /// At least one predicate is true; chains form one predicate of all their terms.
  public static func || (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
    if case .or(let terms) = left { return .or(terms + [right]) }
    return .or([left, right])
  }

  /// The predicate is not true.
  public static prefix func ! (predicate: ObjectPredicate) -> ObjectPredicate { .not(predicate) }

  /// Whether a subquery somewhere inside names its element so.
  fileprivate func binds(_ name: String) -> Bool {
    VariableFinder(.predicate(self)).subqueryVariables.contains(name)
  }
}
