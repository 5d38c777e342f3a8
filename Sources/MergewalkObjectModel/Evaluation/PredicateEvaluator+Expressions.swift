// The functions that call each other in circles are small, each with one case of work, so that deep expressions need
// little stack.
extension PredicateEvaluator {
  mutating func value(
    of expression: ObjectExpression, _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    switch expression {
    case .constant(.attribute(let value)): return .attribute(value)
    case .constant(let constant): return try EvaluatedValue(constant)
    case .evaluatedObject: return object
    case .variable(let name): return try value(ofVariable: name)
    case .path(.evaluatedObject, let path): return try value(at: path.components[...], of: object)
    default:
      try enter()
      defer { leave() }
      return try compound(expression, object)
    }
  }

  private func value(ofVariable name: String) throws(PredicateError) -> EvaluatedValue {
    if let value = variables[name] { return value }
    throw PredicateError(
      .missingVariable, "the variable $\(name) has no value", hint: "give it one when the predicate is evaluated")
  }

  /// The value of an expression that has others in it.
  private mutating func compound(
    _ expression: ObjectExpression, _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    switch expression {
    case .constant, .evaluatedObject, .variable: try value(of: expression, object)
    case .path(let base, let path): try value(at: path.components[...], of: value(of: base, object))
    case .function(let function, let arguments): try call(function, arguments, object)
    case .aggregate(let expressions): .collection(try values(of: expressions, object))
    case .subquery(let collection, let variable, let predicate):
      try subquery(collection, variable, predicate, object)
    case .set(let operation, let left, let right): try combine(operation, left, right, object)
    case .conditional(let predicate, let first, let second):
      try value(of: holds(predicate, object) ? first : second, object)
    case .element(let collection, let element): try pick(element, of: collection, object)
    case .assignment(let variable, let expression): try assign(variable, expression, object)
    }
  }

  mutating func values(
    of expressions: [ObjectExpression], _ object: EvaluatedValue
  ) throws(PredicateError) -> [EvaluatedValue] {
    var values: [EvaluatedValue] = []
    values.reserveCapacity(expressions.count)
    for expression in expressions { values.append(try value(of: expression, object)) }
    return values
  }

  private mutating func assign(
    _ variable: String, _ expression: ObjectExpression, _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    let assigned = try value(of: expression, object)
    variables[variable] = assigned
    return assigned
  }

  /// The elements of a collection; null has none.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when it is a single value.
  func elements(
    of value: EvaluatedValue, _ expectation: @autoclosure () -> String
  ) throws(PredicateError) -> [EvaluatedValue] {
    if case .collection(let elements) = value { return elements }
    if value.isNull { return [] }
    throw PredicateError(.typeMismatch, "\(expectation()), not \(value.kind)")
  }

  /// The elements for which the predicate holds while the variable stands for them; key paths in the predicate still
  /// start from the object.
  private mutating func subquery(
    _ collection: ObjectExpression, _ variable: String, _ predicate: ObjectPredicate, _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    let candidates = try elements(of: value(of: collection, object), "SUBQUERY takes a collection")
    let outer = variables[variable]
    defer { variables[variable] = outer }
    var kept: [EvaluatedValue] = []
    for candidate in candidates {
      variables[variable] = candidate
      if try holds(predicate, object) { kept.append(candidate) }
    }
    return .collection(kept)
  }

  private mutating func combine(
    _ operation: SetOperation, _ left: ObjectExpression, _ right: ObjectExpression, _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    let first = try elements(of: value(of: left, object), "\(operation.rawValue) takes collections")
    let second = try elements(of: value(of: right, object), "\(operation.rawValue) takes collections")
    return .collection(try Self.combine(operation, first, second, keyPolicy(first + second)))
  }

  /// Each element once, in order of first occurrence.
  private static func combine(
    _ operation: SetOperation, _ first: [EvaluatedValue], _ second: [EvaluatedValue], _ keys: ArithmeticPolicy
  ) throws(PredicateError) -> [EvaluatedValue] {
    var others: Set<ValueKey> = []
    if operation != .union {
      for element in second { others.insert(try ValueKey(element, keys)) }
    }
    var seen: Set<ValueKey> = []
    var result: [EvaluatedValue] = []
    for element in operation == .union ? first + second : first {
      let key = try ValueKey(element, keys)
      let isMeant = operation == .union || others.contains(key) == (operation == .intersect)
      if isMeant, seen.insert(key).inserted { result.append(element) }
    }
    return result
  }

  // MARK: - Elements

  private mutating func pick(
    _ element: CollectionElement, of collection: ObjectExpression, _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    let base = try value(of: collection, object)
    if case .at(let place) = element {
      let place = try value(of: place, object)
      return try self.element(at: place, of: base)
    }
    let elements = try elements(of: base, "an index takes a collection")
    switch element {
    case .first: return elements.first ?? .null
    case .last: return elements.last ?? .null
    default: return .attribute(.integer(Int64(elements.count)))
    }
  }

  /// The element at a place from 0, or the value of a key.
  ///
  /// - Throws: ``PredicateError`` with `indexOutOfRange` unless ``readsBeyondEnd``, or `typeMismatch` when the place is
  ///   neither number nor key.
  func element(
    at place: EvaluatedValue, of base: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    if base.isNull || place.isNull { return .null }
    guard case .attribute(let place) = place else {
      throw PredicateError(.typeMismatch, "an index is a whole number or a key, not \(place.kind)")
    }
    switch base {
    case .collection(let elements):
      guard let number = place.number, let index = number.truncated, number.asDouble == Double(index) else {
        throw PredicateError(.typeMismatch, "the index of a collection is a whole number, not \(place.kind)")
      }
      if readsBeyondEnd, index >= elements.count { return .null }
      guard index >= 0, index < elements.count else {
        throw PredicateError(.indexOutOfRange, "there is no element [\(index)] among \(elements.count)")
      }
      return elements[Int(index)]
    case .object(let object):
      guard let key = place.text else {
        throw PredicateError(.typeMismatch, "the index of \(base.kind) is a key, not \(place.kind)")
      }
      return try object.evaluatedValue(forKey: key)
    default: throw PredicateError(.typeMismatch, "an index takes a collection, not \(base.kind)")
    }
  }
}
