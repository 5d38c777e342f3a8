/// The order of several criteria, ready to compare many objects: key paths are split once.
package struct SortOrder {
  /// The criteria, the first decides first.
  package let descriptors: [ObjectSortDescriptor]
  private let paths: [PropertyPath]

  /// Prepares criteria.
  ///
  /// - Throws: ``PredicateError`` with `unknownKey` when a key is no key path.
  package init(_ descriptors: [ObjectSortDescriptor]) throws(PredicateError) {
    var paths: [PropertyPath] = []
    for descriptor in descriptors {
      guard let path = PropertyPath(descriptor.key) else {
        throw PredicateError(
          .unknownKey, "\"\(descriptor.key)\" is not a key path", hint: "write names with points between them")
      }
      paths.append(path)
    }
    self.descriptors = descriptors
    self.paths = paths
  }

  /// The values by which an object is ordered, one for each criterion.
  ///
  /// - Throws: ``PredicateError`` with `unknownKey`, or `toManyKey` when a value is a collection and the criterion is
  ///   not custom.
  package func keys(of value: EvaluatedValue) throws(PredicateError) -> [EvaluatedValue] {
    let evaluator = PredicateEvaluator(now: 0)
    var keys: [EvaluatedValue] = []
    keys.reserveCapacity(paths.count)
    for path in paths { keys.append(try evaluator.value(at: path.components[...], of: value)) }
    return keys
  }

  /// Below 0, 0 or above 0 as the first keys come before, with or after the second.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when values have no order.
  package func compare(_ left: [EvaluatedValue], _ right: [EvaluatedValue]) throws(PredicateError) -> Int {
    for index in descriptors.indices {
      let order = try descriptors[index].compare(left[index], right[index])
      if order != 0 { return order }
    }
    return 0
  }

  /// Objects in order; those that all criteria find equal by primary key, others as they were.
  ///
  /// - Throws: ``PredicateError``, see ``keys(of:)``; `typeMismatch` when the values of a criterion are of several kinds.
  /// - Complexity: O(n log n) comparisons; each object is asked once for its values.
  package func sorted<Element>(
    _ elements: [Element], _ value: (Element) -> EvaluatedValue
  ) throws(PredicateError) -> [Element] {
    var values: [[EvaluatedValue]] = descriptors.map { _ in [] }
    var primaryKeys: [Int64?] = []
    for element in elements {
      let object = value(element)
      for (place, key) in try keys(of: object).enumerated() { values[place].append(key) }
      primaryKeys.append(Self.primaryKey(object))
    }
    var columns: [SortColumn] = []
    for (descriptor, values) in zip(descriptors, values) { columns.append(try SortColumn(descriptor, values)) }
    let order = elements.indices.sorted { left, right in
      for column in columns {
        let order = column.compare(left, right)
        if order != 0 { return order < 0 }
      }
      if let first = primaryKeys[left], let second = primaryKeys[right], first != second {
        // As unsigned numbers temporary keys come last, in the order of the inserts.
        return UInt64(bitPattern: first) < UInt64(bitPattern: second)
      }
      return left < right
    }
    return order.map { elements[$0] }
  }

  private static func primaryKey(_ value: EvaluatedValue) -> Int64? {
    switch value {
    case .object(let object): object.evaluatedObjectID?.primaryKey
    case .objectID(let id): id.primaryKey
    default: nil
    }
  }
}

extension ObjectSortDescriptor {
  /// Below 0, 0 or above 0 if the first value comes before, with or after the second in this criterion's direction.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` for values without an order, `toManyKey` for collections.
  public func compare(_ left: EvaluatedValue, _ right: EvaluatedValue) throws(PredicateError) -> Int {
    let order: Int
    switch (comparison, left, right) {
    case (.custom(let closure), _, _): order = closure.body(left, right)
    case (_, .attribute(let first), .attribute(let second)):
      order = try ValueComparison.sortOrder(first, second, comparison)
    case (_, .collection, _), (_, _, .collection):
      throw PredicateError(
        .toManyKey, "objects cannot be ordered by \"\(key)\", which is a collection",
        hint: "order by an aggregate such as @count")
    default:
      if left.isNull || right.isNull {
        order = left.isNull == right.isNull ? 0 : left.isNull ? -1 : 1
      } else {
        throw PredicateError(.typeMismatch, "\(left.kind) and \(right.kind) have no order")
      }
    }
    return ascending ? order : order > 0 ? -1 : order < 0 ? 1 : 0
  }
}

extension Array {
  /// The values in the order of the criteria; see `SortOrder.sorted(_:_:)`.
  public func sorted(by descriptors: [ObjectSortDescriptor]) throws(PredicateError) -> [Element]
  where Element == EvaluatedValue {
    try SortOrder(descriptors).sorted(self) { $0 }
  }

  /// The objects in the order of the criteria; see `SortOrder.sorted(_:_:)`.
  public func sorted(by descriptors: [ObjectSortDescriptor]) throws(PredicateError) -> [Element]
  where Element: KeyedValues {
    try SortOrder(descriptors).sorted(self) { .object($0) }
  }
}
