/// Evaluates predicates and expressions in memory, one object after another.
///
/// It keeps everything that is the same for all objects: the time of `now`, the values of variables, and compiled
/// patterns. Use one evaluator for many objects.
public struct PredicateEvaluator {
  /// Predicates, expressions and collections that nest deeper than this are refused.
  public static let greatestDepth = 200

  /// The values of variables, by name without `$`; assignments add to them.
  public var variables: [String: EvaluatedValue]
  /// The value of `now`: seconds since 2001-01-01 00:00:00 UTC.
  public var now: Double
  /// Whether an index beyond the end of a collection gives null, as it does in a store, and is no error: a fetch has one
  /// meaning, whatever of its objects has changes that are not saved.
  package var readsBeyondEnd = false
  /// How numbers are computed with.
  let policy: ArithmeticPolicy

  var depth = 0
  var patterns = PatternCache()
  var sets = ConstantSetCache()

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - variables: The values of `$NAME`, by name.
  ///   - now: Seconds since 2001-01-01 00:00:00 UTC; `nil` for the present.
  public init(variables: [String: EvaluatedValue] = [:], now: Double? = nil) {
    self.init(variables: variables, now: now, .stored)
  }

  /// Creates an evaluator that computes in another way than a store does.
  package init(variables: [String: EvaluatedValue] = [:], now: Double? = nil, _ policy: ArithmeticPolicy) {
    self.variables = variables
    self.policy = policy
    self.now = now ?? ExpressionFunction.currentTime()
  }

  /// Whether an object, a dictionary or a plain value satisfies a predicate.
  ///
  /// - Throws: ``PredicateError`` with `unknownKey`, `missingVariable`, `typeMismatch`, `toManyKey`, `indexOutOfRange`,
  ///   `pattern`, `patternTimeLimit`, `overflow`, or `tooLarge` beyond ``greatestDepth``.
  /// - Complexity: A text is compared in time proportional to its length; regular expressions are stopped after about a
  ///   quarter of a second.
  public mutating func evaluate(_ predicate: ObjectPredicate, with value: EvaluatedValue) throws(PredicateError) -> Bool
  {
    depth = 0
    return try holds(predicate, value)
  }

  /// The value of an expression for an object, a dictionary or a plain value.
  ///
  /// - Throws: ``PredicateError`` as ``evaluate(_:with:)-(ObjectPredicate,_)``.
  public mutating func evaluate(
    _ expression: ObjectExpression, with value: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    depth = 0
    return try self.value(of: expression, value)
  }

  /// Goes one level down; each call needs one of ``leave()``, unless an error ends the evaluation.
  @inline(__always)
  mutating func enter() throws(PredicateError) {
    depth += 1
    if depth > Self.greatestDepth { throw Self.tooDeep }
  }

  private static var tooDeep: PredicateError {
    PredicateError(.tooLarge, "the predicate nests deeper than \(greatestDepth)")
  }

  @inline(__always)
  mutating func leave() { depth -= 1 }

  // MARK: - Predicates

  mutating func holds(_ predicate: ObjectPredicate, _ object: EvaluatedValue) throws(PredicateError) -> Bool {
    switch predicate {
    case .value(let value): return value
    case .comparison(let comparison): return try holds(comparison, object)
    case .and(let predicates): return try hold(predicates, object, all: true)
    case .or(let predicates): return try hold(predicates, object, all: false)
    case .not(let predicate): return try !hold([predicate], object, all: true)
    case .closure(let closure): return closure.body(object)
    }
  }

  private mutating func hold(
    _ predicates: [ObjectPredicate], _ object: EvaluatedValue, all: Bool
  ) throws(PredicateError) -> Bool {
    try enter()
    defer { leave() }
    for predicate in predicates where try holds(predicate, object) != all { return !all }
    return all
  }
}

extension ObjectPredicate {
  /// Whether an object, a dictionary or a plain value satisfies the predicate.
  ///
  /// - Parameters:
  ///   - value: The value of `SELF`, where key paths start.
  ///   - variables: The values of `$NAME`, by name.
  ///   - now: The value of `now`, in seconds since 2001-01-01 00:00:00 UTC; `nil` for the present.
  /// - Throws: ``PredicateError``, see ``PredicateEvaluator``, which is faster for many objects.
  public func evaluate(
    with value: EvaluatedValue, variables: [String: EvaluatedValue] = [:], now: Double? = nil
  ) throws(PredicateError) -> Bool {
    var evaluator = PredicateEvaluator(variables: variables, now: now)
    return try evaluator.evaluate(self, with: value)
  }

  /// Whether an object satisfies the predicate; see ``evaluate(with:variables:now:)-(EvaluatedValue,_,_)``.
  public func evaluate(
    with object: any KeyedValues, variables: [String: EvaluatedValue] = [:], now: Double? = nil
  ) throws(PredicateError) -> Bool {
    try evaluate(with: .object(object), variables: variables, now: now)
  }
}

extension ObjectExpression {
  /// The value for an object, a dictionary or a plain value; see
  /// ``ObjectPredicate/evaluate(with:variables:now:)-(EvaluatedValue,_,_)``.
  public func evaluate(
    with value: EvaluatedValue, variables: [String: EvaluatedValue] = [:], now: Double? = nil
  ) throws(PredicateError) -> EvaluatedValue {
    var evaluator = PredicateEvaluator(variables: variables, now: now)
    return try evaluator.evaluate(self, with: value)
  }

  /// The value for an object.
  public func evaluate(
    with object: any KeyedValues, variables: [String: EvaluatedValue] = [:], now: Double? = nil
  ) throws(PredicateError) -> EvaluatedValue {
    try evaluate(with: .object(object), variables: variables, now: now)
  }
}

extension Array {
  /// The values that satisfy a predicate, in their order.
  ///
  /// - Throws: ``PredicateError``, see ``PredicateEvaluator``.
  public func filtered(
    by predicate: ObjectPredicate, variables: [String: EvaluatedValue] = [:], now: Double? = nil
  ) throws(PredicateError) -> [Element] where Element == EvaluatedValue {
    var evaluator = PredicateEvaluator(variables: variables, now: now)
    var result: [Element] = []
    for element in self where try evaluator.evaluate(predicate, with: element) { result.append(element) }
    return result
  }

  /// The objects that satisfy a predicate, in their order.
  ///
  /// - Throws: ``PredicateError``, see ``PredicateEvaluator``.
  public func filtered(
    by predicate: ObjectPredicate, variables: [String: EvaluatedValue] = [:], now: Double? = nil
  ) throws(PredicateError) -> [Element] where Element: KeyedValues {
    var evaluator = PredicateEvaluator(variables: variables, now: now)
    var result: [Element] = []
    for element in self where try evaluator.evaluate(predicate, with: .object(element)) { result.append(element) }
    return result
  }
}
