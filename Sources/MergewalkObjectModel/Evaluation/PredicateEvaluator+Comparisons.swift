extension PredicateEvaluator {
  /// The right side of a comparison: a value, or a list of constants that needs no conversion.
  private enum RightSide {
    case value(EvaluatedValue)
    case constants([ConstantValue])
  }

  mutating func holds(
    _ comparison: ComparisonPredicate, _ object: EvaluatedValue
  ) throws(PredicateError) -> Bool {
    try enter()
    defer { leave() }
    if let isElement = comparison.asksForElement, case .constant(.collection(let list)) = comparison.left,
      let set = try sets.set(list, comparison.options, policy), !set.hasLists
    {
      let element = try value(of: comparison.right, object)
      guard case .collection = element else { return try set.contains(element, policy) == isElement }
    }
    let left = try value(of: comparison.left, object)
    let right = try rightSide(comparison, object)
    if comparison.modifier == .direct { return try holds(comparison, left, right) }
    return try holds(comparison, forElementsOf: left, right)
  }

  /// Whether a comparison holds for any or all elements of a collection; null has none.
  private mutating func holds(
    _ comparison: ComparisonPredicate, forElementsOf left: EvaluatedValue, _ right: RightSide
  ) throws(PredicateError) -> Bool {
    let wanted = comparison.modifier == .any
    let elements = try elements(of: left, "\(comparison.modifier.rawValue) compares the elements of a collection")
    for element in elements where try holds(comparison, element, right) == wanted { return wanted }
    return !wanted
  }

  private mutating func rightSide(
    _ comparison: ComparisonPredicate, _ object: EvaluatedValue
  ) throws(PredicateError) -> RightSide {
    if case .constant(.collection(let list)) = comparison.right, comparison.comparison == .isIn {
      return .constants(list)
    }
    return .value(try value(of: comparison.right, object))
  }

  private mutating func holds(
    _ comparison: ComparisonPredicate, _ left: EvaluatedValue, _ right: RightSide
  ) throws(PredicateError) -> Bool {
    let options = comparison.options
    guard case .value(let right) = right else {
      guard case .constants(let list) = right else { return false }
      return try isElement(left, of: list, options)
    }
    switch comparison.comparison {
    case .equalTo: return try areEqual(left, right, options)
    case .notEqualTo: return !(try areEqual(left, right, options))
    case .lessThan: return try order(left, right, options).map { $0 < 0 } ?? false
    case .lessThanOrEqualTo: return try order(left, right, options).map { $0 <= 0 } ?? false
    case .greaterThan: return try order(left, right, options).map { $0 > 0 } ?? false
    case .greaterThanOrEqualTo: return try order(left, right, options).map { $0 >= 0 } ?? false
    case .between: return try isBetween(left, right, options)
    case .isIn:
      if let elements = members(right) { return try isElement(left, of: elements, "IN", options) }
      // Null may be a collection or a text.
      if right.isNull { return false }
      return try textOperator(left, right, "IN") { TextComparison.contains($1, $0, options) }
    case .contains:
      if let elements = members(left) { return try isElement(right, of: elements, "CONTAINS", options) }
      if left.isNull { return false }
      return try textOperator(left, right, "CONTAINS") { TextComparison.contains($0, $1, options) }
    case .beginsWith:
      return try textOperator(left, right, "BEGINSWITH") { TextComparison.hasPrefix($0, $1, options) }
    case .endsWith:
      return try textOperator(left, right, "ENDSWITH") { TextComparison.hasSuffix($0, $1, options) }
    case .like:
      guard let (text, pattern) = try texts(left, right, "LIKE") else { return false }
      return try patterns.like(pattern, options).matches(text)
    case .matches:
      guard let (text, pattern) = try texts(left, right, "MATCHES") else { return false }
      return try patterns.matches(text, pattern, options)
    case .conformsTo:
      guard let (type, other) = try texts(left, right, comparison.comparison.rawValue) else { return false }
      return UniformTypes.conforms(type, to: other)
    case .equalsType:
      guard let (type, other) = try texts(left, right, comparison.comparison.rawValue) else { return false }
      return UniformTypes.areEqual(type, other)
    }
  }

  // MARK: - Equality

  /// `left == right`.
  ///
  /// - Throws: ``PredicateError`` with `toManyKey` when one side alone is a collection.
  private func areEqual(
    _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Bool {
    switch (left, right) {
    case (.attribute(let first), .attribute(let second)):
      return ValueComparison.areEqual(first, second, options: options, policy)
    case (.collection, .collection): break
    case (.collection, _), (_, .collection): throw Self.collectionBesideValue("==")
    default: break
    }
    return try areSame(left, right, options, depth: 0)
  }

  /// Whether two elements are equal; a collection and a single value are not.
  func areSame(
    _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonPredicate.Options, depth: Int
  ) throws(PredicateError) -> Bool {
    guard depth < ValueNesting.limit else { throw ValueNesting.tooDeep }
    switch (left, right) {
    case (.attribute(let first), .attribute(let second)):
      return ValueComparison.areEqual(first, second, options: options, policy)
    case (.collection(let first), .collection(let second)):
      guard first.count == second.count else { return false }
      for (element, other) in zip(first, second) {
        guard try areSame(element, other, options, depth: depth + 1) else { return false }
      }
      return true
    case (.object(let first), .object(let second)):
      if let id = first.evaluatedObjectID { return id == second.evaluatedObjectID }
      if let members = first as? KeyedDictionary, let others = second as? KeyedDictionary {
        guard members.values.count == others.values.count else { return false }
        for (name, member) in members.values {
          guard let other = others.values[name], try areSame(member, other, options, depth: depth + 1)
          else { return false }
        }
        return true
      }
      return type(of: first) is AnyObject.Type && type(of: second) is AnyObject.Type
        && (first as AnyObject) === (second as AnyObject)
    case (.object(let object), .objectID(let id)), (.objectID(let id), .object(let object)):
      return object.evaluatedObjectID == id
    case (.objectID(let first), .objectID(let second)): return first == second
    default: return false
    }
  }

  private func isElement(
    _ value: EvaluatedValue, of elements: [EvaluatedValue], _ name: String, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Bool {
    var mayHold = true
    if case .collection = value { mayHold = elements.contains { if case .collection = $0 { true } else { false } } }
    guard mayHold || elements.isEmpty else { throw Self.collectionBesideValue(name) }
    for element in elements where try areSame(value, element, options, depth: 0) { return true }
    return false
  }

  private mutating func isElement(
    _ value: EvaluatedValue, of constants: [ConstantValue], _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Bool {
    if case .collection = value {
      return try isElement(
        value, of: constants.map { constant throws(PredicateError) in try EvaluatedValue(constant) }, "IN", options)
    }
    if let set = try sets.set(constants, options, policy) { return try set.contains(value, policy) }
    for constant in constants {
      if case .attribute(let element) = constant {
        if case .attribute(let value) = value, ValueComparison.areEqual(value, element, options: options, policy) {
          return true
        }
      } else if try areSame(value, EvaluatedValue(constant), options, depth: 0) {
        return true
      }
    }
    return false
  }

  /// The elements where a collection is searched: of a collection, or the values of a dictionary.
  private func members(_ value: EvaluatedValue) -> [EvaluatedValue]? {
    switch value {
    case .collection(let elements): return elements
    case .object(let object as KeyedDictionary): return Array(object.values.values)
    default: return nil
    }
  }

  static func collectionBesideValue(_ operation: String) -> PredicateError {
    PredicateError(
      .toManyKey, "\(operation) compares single values, but one side is a collection",
      hint: "put ANY, ALL or NONE before the comparison, or use an aggregate such as count:()")
  }

  // MARK: - Order

  /// -1, 0 or 1; `nil` when a side is null.
  private func order(
    _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Int? {
    if case .attribute(let first) = left, case .attribute(let second) = right {
      return try ValueComparison.order(first, second, options: options, policy)
    }
    for side in [left, right] {
      if case .collection = side { throw Self.collectionBesideValue("<") }
    }
    throw PredicateError(
      .typeMismatch, "\(left.kind) and \(right.kind) have no order", hint: "compare their properties")
  }

  private func isBetween(
    _ value: EvaluatedValue, _ bounds: EvaluatedValue, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Bool {
    if bounds.isNull { return false }
    guard case .collection(let ends) = bounds, ends.count == 2 else {
      throw PredicateError(
        .typeMismatch, "BETWEEN takes a list of two values on its right, not \(bounds.kind)",
        hint: "write BETWEEN {low, high}")
    }
    let low = try order(value, ends[0], options)
    let high = try order(value, ends[1], options)
    guard let low, let high else { return false }
    return low >= 0 && high <= 0
  }

  // MARK: - Texts

  private func textOperator(
    _ left: EvaluatedValue, _ right: EvaluatedValue, _ name: String,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
  ) throws(PredicateError) -> Bool {
    guard let (first, second) = try texts(left, right, name) else { return false }
    return first.withBytes { bytes in second.withBytes { body(bytes, $0) } }
  }

  /// The two texts; `nil` when a side is null.
  private func texts(
    _ left: EvaluatedValue, _ right: EvaluatedValue, _ name: String
  ) throws(PredicateError) -> (String, String)? {
    let first = try text(left, name)
    let second = try text(right, name)
    guard let first, let second else { return nil }
    return (first, second)
  }

  private func text(_ value: EvaluatedValue, _ name: String) throws(PredicateError) -> String? {
    if case .attribute(let value) = value {
      if let text = value.text { return text }
      if value.isNull { return nil }
    }
    if case .collection = value { throw Self.collectionBesideValue(name) }
    throw PredicateError(
      .typeMismatch, "\(name) takes texts, not \(value.kind)", hint: "convert it with CAST(value, 'NSString')")
  }
}
