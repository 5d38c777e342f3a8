/// Binding the variables of templates.
extension ObjectPredicate {
  /// The names of the variables that need a value: not bound by a `SUBQUERY` and not set by an assignment.
  public var variables: Set<String> { VariableFinder(.predicate(self)).open }

  /// A copy with expressions in place of its variables; the predicate itself stays a template.
  ///
  /// Parts without variables are shared with the template, so this costs far less than reading a format again. A value
  /// replaces a variable unchanged: even as a text, it cannot change operators or structure. Unused names are ignored.
  ///
  /// ```swift
  /// let template = try ObjectPredicate(format: "customer.name == $NAME AND total > $LEAST")
  /// let bound = try template.substituting(["NAME": "O'Hara", "LEAST": 100])
  /// ```
  ///
  /// - Throws: ``PredicateError``: `missingVariable` if a variable has no value, `argumentType` if a used value itself
  ///   has variables.
  /// - Parameter values: The variables' names, without `$`, and their values, looked up sequentially, because a short
  ///   literal needs no hash table. The first of equal names counts.
  /// - Complexity: O(parts of the predicate).
  public func substituting(_ values: KeyValuePairs<String, ObjectExpression>) throws(PredicateError) -> ObjectPredicate
  {
    var substitution = Substitution { name in
      for (key, value) in values where key == name { return value }
      return nil
    }
    substitution.prepare(self)
    return try substitution.replaced(self) ?? self
  }

  /// A copy with expressions in place of its variables.
  @_disfavoredOverload
  public func substituting(_ values: [String: ObjectExpression]) throws(PredicateError) -> ObjectPredicate {
    var substitution = Substitution { values[$0] }
    substitution.prepare(self)
    return try substitution.replaced(self) ?? self
  }

  /// A copy with constants in place of its variables.
  @_disfavoredOverload
  public func substituting(_ values: [String: ConstantValue]) throws(PredicateError) -> ObjectPredicate {
    var substitution = Substitution { values[$0].map(ObjectExpression.constant) }
    substitution.prepare(self)
    return try substitution.replaced(self) ?? self
  }
}

extension ObjectExpression {
  /// The names of the variables that need a value: not bound by a `SUBQUERY` and not set by an assignment.
  public var variables: Set<String> { VariableFinder(.expression(self)).open }

  /// A copy with expressions in place of its variables, as for a predicate.
  public func substituting(_ values: [String: ObjectExpression]) throws(PredicateError) -> ObjectExpression {
    var substitution = Substitution { values[$0] }
    substitution.prepare(.comparison(ComparisonPredicate(self, .equalTo, .evaluatedObject)))
    return try substitution.replaced(self) ?? self
  }

  /// A copy with constants in place of its variables, as for a predicate.
  @_disfavoredOverload
  public func substituting(_ values: [String: ConstantValue]) throws(PredicateError) -> ObjectExpression {
    try substituting(values.mapValues(ObjectExpression.constant))
  }
}

/// Finds the variables of a predicate.
struct VariableFinder {
  private(set) var free: Set<String> = []
  private(set) var assigned: Set<String> = []
  private(set) var subqueryVariables: Set<String> = []
  /// The variables of the subqueries around the current place.
  private var bound: [String] = []

  init(_ part: PredicatePart) { visit(part) }

  /// Those that need a value from outside.
  var open: Set<String> { free.subtracting(assigned) }

  private mutating func visit(_ part: PredicatePart) {
    switch part {
    case .expression(.variable(let name)): if !bound.contains(name) { free.insert(name) }
    case .expression(.subquery(let collection, let variable, let predicate)):
      visit(.expression(collection))
      subqueryVariables.insert(variable)
      bound.append(variable)
      visit(.predicate(predicate))
      bound.removeLast()
    case .expression(.assignment(let variable, let value)):
      if !bound.contains(variable) { assigned.insert(variable) }
      visit(.expression(value))
    default: for inner in part.parts { visit(inner) }
    }
  }
}

/// Puts values in the place of variables; a part without variables is left out of the work of copying.
private struct Substitution {
  private let value: (String) -> ObjectExpression?
  /// The variables that get their value by an assignment in the predicate itself.
  private var assigned: Set<String> = []
  /// The variables of the subqueries around the current place.
  private var bound: [String] = []

  init(value: @escaping (String) -> ObjectExpression?) { self.value = value }

  /// Notes the assignments of what will be copied; most predicates have none, which the first look tells.
  mutating func prepare(_ predicate: ObjectPredicate) {
    guard predicate.hasAssignment else { return }
    assigned = VariableFinder(.predicate(predicate)).assigned
  }

  /// The copy, or `nil` when there is nothing to replace.
  mutating func replaced(_ predicate: ObjectPredicate) throws(PredicateError) -> ObjectPredicate? {
    switch predicate {
    case .value, .closure: return nil
    case .comparison(var comparison):
      let (left, right) = (try replaced(comparison.left), try replaced(comparison.right))
      if left == nil, right == nil { return nil }
      if let left { comparison.left = left }
      if let right { comparison.right = right }
      return .comparison(comparison)
    case .and(let terms): return try replaced(terms).map(ObjectPredicate.and)
    case .or(let terms): return try replaced(terms).map(ObjectPredicate.or)
    case .not(let inner): return try replaced(inner).map(ObjectPredicate.not)
    }
  }

  private mutating func replaced(_ terms: [ObjectPredicate]) throws(PredicateError) -> [ObjectPredicate]? {
    var result: [ObjectPredicate]?
    for (i, term) in terms.enumerated() {
      guard let new = try replaced(term) else { continue }
      if result == nil { result = terms }
      result?[i] = new
    }
    return result
  }

  private mutating func replaced(_ expressions: [ObjectExpression]) throws(PredicateError) -> [ObjectExpression]? {
    var result: [ObjectExpression]?
    for (i, expression) in expressions.enumerated() {
      guard let new = try replaced(expression) else { continue }
      if result == nil { result = expressions }
      result?[i] = new
    }
    return result
  }

  /// The copy, or `nil` when there is nothing to replace.
  mutating func replaced(_ expression: ObjectExpression) throws(PredicateError) -> ObjectExpression? {
    switch expression {
    case .constant, .evaluatedObject: return nil
    case .variable(let name): return try replacement(name)
    case .path(let base, let path): return try path.lengthened(replaced(base))
    case .function(let function, let arguments): return try replaced(arguments).map { .function(function, $0) }
    case .aggregate(let elements): return try replaced(elements).map(ObjectExpression.aggregate)
    case .subquery(let collection, let variable, let predicate):
      let newCollection = try replaced(collection)
      bound.append(variable)
      let newPredicate = try replaced(predicate)
      bound.removeLast()
      if newCollection == nil, newPredicate == nil { return nil }
      return .subquery(newCollection ?? collection, variable: variable, newPredicate ?? predicate)
    case .set(let operation, let left, let right):
      let (newLeft, newRight) = (try replaced(left), try replaced(right))
      return newLeft == nil && newRight == nil ? nil : .set(operation, newLeft ?? left, newRight ?? right)
    case .conditional(let predicate, let first, let second):
      let newPredicate = try replaced(predicate)
      let (newFirst, newSecond) = (try replaced(first), try replaced(second))
      if newPredicate == nil, newFirst == nil, newSecond == nil { return nil }
      return .conditional(newPredicate ?? predicate, newFirst ?? first, newSecond ?? second)
    case .element(let base, .at(let index)):
      let (newBase, newIndex) = (try replaced(base), try replaced(index))
      return newBase == nil && newIndex == nil ? nil : .element(newBase ?? base, .at(newIndex ?? index))
    case .element(let base, let place): return try replaced(base).map { .element($0, place) }
    case .assignment(let variable, let inner):
      return try replaced(inner).map { .assignment(variable: variable, $0) }
    }
  }

  private func replacement(_ name: String) throws(PredicateError) -> ObjectExpression? {
    if bound.contains(name) || assigned.contains(name) { return nil }
    guard let expression = value(name) else {
      throw PredicateError(.missingVariable, "expected a value for the variable $\(name), found none")
    }
    if case .constant = expression { return expression }
    let finder = VariableFinder(.expression(expression))
    guard finder.free.isEmpty, finder.assigned.isEmpty else {
      throw PredicateError(
        .argumentType, "expected a value without variables for $\(name), found \(expression)",
        hint: "a variable of a value could be taken for one of the template")
    }
    return expression
  }
}

extension PropertyPath {
  /// The path from a new base; one that begins where another ends is a longer one.
  fileprivate func lengthened(_ base: ObjectExpression?) -> ObjectExpression? {
    guard let base else { return nil }
    if case .path(let origin, let path) = base { return .path(origin, PropertyPath(path.components + components)) }
    return .path(base, self)
  }
}

extension ObjectPredicate {
  fileprivate var hasAssignment: Bool {
    switch self {
    case .value, .closure: false
    case .comparison(let comparison): comparison.left.hasAssignment || comparison.right.hasAssignment
    case .and(let terms), .or(let terms): terms.contains(where: \.hasAssignment)
    case .not(let inner): inner.hasAssignment
    }
  }
}

extension ObjectExpression {
  fileprivate var hasAssignment: Bool {
    switch self {
    case .constant, .evaluatedObject, .variable: return false
    case .path(let base, _): return base.hasAssignment
    case .function(_, let arguments), .aggregate(let arguments): return arguments.contains(where: \.hasAssignment)
    case .subquery(let collection, _, let predicate): return collection.hasAssignment || predicate.hasAssignment
    case .set(_, let left, let right): return left.hasAssignment || right.hasAssignment
    case .conditional(let predicate, let first, let second):
      return predicate.hasAssignment || first.hasAssignment || second.hasAssignment
    case .element(let base, let place):
      if case .at(let index) = place, index.hasAssignment { return true }
      return base.hasAssignment
    case .assignment: return true
    }
  }
}
