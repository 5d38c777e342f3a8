public import MergewalkObjectModel

/// Apple's `NSCompoundPredicate`, whose initializers every predicate has.
public typealias NSCompoundPredicate = NSPredicate
/// Apple's `NSComparisonPredicate`, whose initializer every predicate has.
public typealias NSComparisonPredicate = NSPredicate

/// Apple's `NSPredicate`: an invalid format traps, as in Core Data.
public struct NSPredicate: Hashable, Sendable, CustomStringConvertible {
  /// The predicate itself.
  public let predicate: ObjectPredicate

  /// Wraps a predicate.
  public init(_ predicate: ObjectPredicate) { self.predicate = predicate }

  /// Reads a predicate from a format string.
  ///
  /// - Precondition: the format is valid; ``MergewalkObjectModel/ObjectPredicate`` throws instead.
  public init(format: String, _ arguments: any PredicateArgument...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// Reads a predicate from a format string, with the arguments in order.
  ///
  /// - Precondition: the format is valid, and every argument is possible in a predicate.
  public init(format: String, argumentArray: [Any]?) {
    let constants = (argumentArray ?? []).map { argument in
      guard let constant = ConstantValue(anyValue: argument) else {
        preconditionFailure(
          "“\(format)” has an argument of type \(type(of: argument)), which predicates do not support")
      }
      return constant
    }
    do throws(PredicateError) {
      predicate = try ObjectPredicate(format: format, arguments: constants)
    } catch {
      preconditionFailure("“\(format)” is not a valid predicate: \(error)")
    }
  }

  /// A predicate that is always true or always false.
  public init(value: Bool) { predicate = .value(value) }

  /// The format string.
  public var description: String { predicate.description }
  /// The format string.
  public var predicateFormat: String { predicate.description }

  /// Whether an object satisfies the predicate.
  ///
  /// - Throws: `PredicateError` if the object has no such properties; Core Data raises an exception.
  public func evaluate(with object: any KeyedValues) throws(PredicateError) -> Bool {
    try predicate.evaluate(with: object)
  }

  /// Whether values by name satisfy the predicate; a missing name has no value.
  ///
  /// - Precondition: the values are possible in a predicate.
  /// - Throws: `PredicateError` if they cannot be compared; Core Data raises an exception.
  public func evaluate(with values: [String: Any]) throws(PredicateError) -> Bool {
    var evaluated: [String: EvaluatedValue] = [:]
    for (name, value) in values { evaluated[name] = try EvaluatedValue(Self.constant(value, "a value")) }
    return try predicate.evaluate(with: KeyedDictionary(evaluated))
  }

  /// A copy with values in place of the variables.
  ///
  /// - Precondition: every variable has a value, which is possible in a predicate.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
    do throws(PredicateError) {
      return NSPredicate(try predicate.substituting(variables.mapValues { Self.constant($0, "a variable") }))
    } catch { preconditionFailure("“\(predicate)” lacks values: \(error)") }
  }

  static func constant(_ value: Any, _ subject: String) -> ConstantValue {
    guard let constant = ConstantValue(anyValue: value) else {
      preconditionFailure("\(subject) is of type \(type(of: value)), which predicates do not support")
    }
    return constant
  }
}

extension NSPredicate {
  /// Apple's `NSComparisonPredicate.Operator`.
  public typealias Operator = ComparisonPredicate.Operator
  /// Apple's `NSComparisonPredicate.Modifier`.
  public typealias Modifier = ComparisonPredicate.Modifier
  /// Apple's `NSComparisonPredicate.Options`.
  public typealias Options = ComparisonPredicate.Options

  /// Apple's initializer of `NSComparisonPredicate`.
  public init(
    leftExpression left: NSExpression, rightExpression right: NSExpression, modifier: Modifier, type: Operator,
    options: Options = []
  ) { self.init(.comparison(ComparisonPredicate(left, type, right, modifier: modifier, options: options))) }
}

extension ComparisonPredicate.Operator {
  /// Apple's name of ``isIn``.
  public static var `in`: Self { .isIn }
}

extension NSPredicate {
  /// Creates a predicate that requires all others; true for none.
  public init(andPredicateWithSubpredicates predicates: [NSPredicate]) {
    self.init(.and(predicates.map(\.predicate)))
  }

  /// Creates a predicate that requires at least one of the others; false for none.
  public init(orPredicateWithSubpredicates predicates: [NSPredicate]) { self.init(.or(predicates.map(\.predicate))) }

  /// Creates the opposite of a predicate.
  public init(notPredicateWithSubpredicate predicate: NSPredicate) { self.init(.not(predicate.predicate)) }

  /// How a compound predicate combines others.
  public enum LogicalType: Sendable, Hashable {
    /// The first one must be false.
    case not
    /// All must be true.
    case and
    /// At least one must be true.
    case or
  }

  /// Apple's initializer; `not` uses the first predicate, and is false without one.
  public init(type: LogicalType, subpredicates: [NSPredicate]) {
    switch type {
    case .and: self.init(andPredicateWithSubpredicates: subpredicates)
    case .or: self.init(orPredicateWithSubpredicates: subpredicates)
    case .not: self.init(notPredicateWithSubpredicate: subpredicates.first ?? NSPredicate(value: true))
    }
  }
}

extension ObjectSortDescriptor {
  /// Apple's initializer.
  public init(key: String, ascending: Bool) { self.init(key, ascending: ascending) }
}

extension ObjectExpression {
  /// Apple's initializer: the value at a key path.
  ///
  /// - Precondition: the text is a key path.
  public init(forKeyPath keyPath: String) {
    guard let path = PropertyPath(keyPath) else { preconditionFailure("“\(keyPath)” is not a key path") }
    self = .keyPath(path)
  }

  /// Apple's initializer: a constant.
  ///
  /// - Precondition: the value is possible in a predicate.
  public init(forConstantValue value: Any?) {
    guard let constant = ConstantValue(anyValue: value) else {
      preconditionFailure("a value of type \(type(of: value)) is not supported in predicates")
    }
    self = .constant(constant)
  }

  /// Apple's initializer: a function by its name, such as `max:`.
  ///
  /// - Precondition: there is a function with this name.
  public init(forFunction name: String, arguments: [ObjectExpression]) {
    guard let function = ExpressionFunction(rawValue: name) else {
      preconditionFailure("there is no function “\(name)”")
    }
    self = .function(function, arguments)
  }

  /// Apple's initializer: a variable, without its `$`.
  public init(forVariable name: String) { self = .variable(name) }

  /// Apple's initializer: a list.
  public init(forAggregate expressions: [ObjectExpression]) { self = .aggregate(expressions) }

  /// The object itself.
  public static func expressionForEvaluatedObject() -> ObjectExpression { .evaluatedObject }
}
