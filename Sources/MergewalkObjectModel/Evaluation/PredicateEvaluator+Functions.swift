import MergewalkSystem

extension PredicateEvaluator {
  mutating func call(
    _ function: ExpressionFunction, _ arguments: [ObjectExpression], _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    try function.checkCount(arguments.count)
    switch function {
    case .now: return .attribute(.date(now))
    case .noIndex: return try value(of: arguments[0], object)
    case .distinct, .objectWithIndex, .distance: return try collectionCall(function, arguments, object)
    case _ where function.isAggregate:
      return .attribute(try aggregate(function, aggregateElements(arguments, object)))
    default: return .attribute(try scalarCall(function, arguments, object))
    }
  }

  private mutating func scalarCall(
    _ function: ExpressionFunction, _ arguments: [ObjectExpression], _ object: EvaluatedValue
  ) throws(PredicateError) -> AttributeValue {
    switch arguments.count {
    case 0: return try function.call([])
    case 1: return try function.call(single(arguments[0], function, object), policy)
    default:
      let first = try single(arguments[0], function, object)
      return try function.call(first, single(arguments[1], function, object), policy)
    }
  }

  private mutating func collectionCall(
    _ function: ExpressionFunction, _ arguments: [ObjectExpression], _ object: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    if function == .distinct { return .collection(try distinct(aggregateElements(arguments, object))) }
    let values = try values(of: arguments, object)
    if function == .objectWithIndex { return try self.element(at: values[1], of: values[0]) }
    guard let from = try place(values[0]), let to = try place(values[1]) else { return .null }
    return .attribute(.number(Self.distance(from, to)))
  }

  private mutating func single(
    _ argument: ObjectExpression, _ function: ExpressionFunction, _ object: EvaluatedValue
  ) throws(PredicateError) -> AttributeValue {
    let argument = try value(of: argument, object)
    guard case .attribute(let single) = argument else { throw Self.notSingle(argument, function) }
    return single
  }

  private static func notSingle(_ value: EvaluatedValue, _ function: ExpressionFunction) -> PredicateError {
    guard case .collection = value else {
      return PredicateError(.typeMismatch, "\(function.rawValue) does not take \(value.kind)")
    }
    return PredicateError(
      .toManyKey, "\(function.rawValue) takes a single value, not a collection",
      hint: "apply an aggregate such as sum:() to the collection first")
  }

  /// The elements of an aggregate function: those of one collection, or several arguments.
  private mutating func aggregateElements(
    _ arguments: [ObjectExpression], _ object: EvaluatedValue
  ) throws(PredicateError) -> [EvaluatedValue] {
    if arguments.count == 1 {
      let only = try value(of: arguments[0], object)
      if case .collection(let elements) = only { return elements }
      return [only]
    }
    return try values(of: arguments, object)
  }

  /// An aggregate function of values; nulls are left out.
  func aggregate(
    _ function: ExpressionFunction, _ elements: [EvaluatedValue]
  ) throws(PredicateError) -> AttributeValue {
    var accumulator = AggregateAccumulator(function, policy)
    for element in elements {
      switch element {
      case .attribute(let value): try accumulator.add(value)
      case _ where function == .count: accumulator.count(1)
      default: throw PredicateError(.typeMismatch, "\(function.rawValue) does not take \(element.kind) as an element")
      }
    }
    return try accumulator.result()
  }

  /// The values that are not null, each once, in order of first occurrence.
  func distinct(_ elements: [EvaluatedValue]) throws(PredicateError) -> [EvaluatedValue] {
    let keys = keyPolicy(elements)
    var seen: Set<ValueKey> = []
    var result: [EvaluatedValue] = []
    for element in elements where !element.isNull {
      if seen.insert(try ValueKey(element, keys)).inserted { result.append(element) }
    }
    return result
  }

  /// How the elements of collections are distinguished: where one is a binary64 number, decimals beside it count as such.
  func keyPolicy(_ elements: [EvaluatedValue]) -> ArithmeticPolicy {
    let hasDouble = elements.contains { if case .attribute(.double) = $0 { true } else { false } }
    return hasDouble ? .stored : policy
  }

  // MARK: - Places on the Earth

  /// Latitude and longitude in degrees from `{latitude, longitude}`; `nil` when it or one of them is null.
  private func place(_ value: EvaluatedValue) throws(PredicateError) -> (latitude: Double, longitude: Double)? {
    if value.isNull { return nil }
    guard case .collection(let elements) = value, elements.count == 2 else {
      throw PredicateError(.typeMismatch, "a location is {latitude, longitude} in degrees, not \(value.kind)")
    }
    var degrees: [Double] = []
    for element in elements {
      if element.isNull { return nil }
      guard case .attribute(let value) = element, let number = value.number else {
        throw PredicateError(.typeMismatch, "a location is {latitude, longitude} in degrees, not \(element.kind)")
      }
      degrees.append(number.asDouble)
    }
    return (degrees[0], degrees[1])
  }

  /// Metres along the great circle of a sphere with the Earth's mean radius of 6,371,008.8 m (the haversine formula).
  private static func distance(
    _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double)
  ) -> Double {
    let radians = Double.pi / 180
    let north = sin((to.latitude - from.latitude) * radians / 2)
    let east = sin((to.longitude - from.longitude) * radians / 2)
    let chord = north * north + cos(from.latitude * radians) * cos(to.latitude * radians) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}
