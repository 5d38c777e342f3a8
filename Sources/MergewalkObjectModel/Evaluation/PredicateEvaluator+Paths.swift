extension PredicateEvaluator {
  /// The value of a key path.
  ///
  /// Null leads to null. From a collection a property leads to the values of all elements; where these are collections
  /// themselves, to all of their elements.
  func value(
    at path: ArraySlice<PropertyPath.Component>, of base: EvaluatedValue
  ) throws(PredicateError) -> EvaluatedValue {
    var current = base
    for index in path.indices {
      switch path[index] {
      case .property(let name): current = try property(name, of: current, depth: 0)
      case .collectionOperator(let operation):
        return try apply(operation, to: current, path[(index + 1)...])
      }
    }
    return current
  }

  private func property(
    _ name: String, of value: EvaluatedValue, depth: Int
  ) throws(PredicateError) -> EvaluatedValue {
    switch value {
    case .object(let object): return try object.evaluatedValue(forKey: name)
    case .attribute(let single):
      if single.isNull { return .null }
      // As `NSString` has it.
      if name == "length", single.family == .text { return .attribute(try ExpressionFunction.length.call(single)) }
      throw PredicateError(.unknownKey, "\(single.kind) has no property \"\(name)\"")
    case .objectID(let id):
      throw PredicateError(
        .unknownKey, "\"\(name)\" is asked of an object's ID", hint: "use the object instead of its ID \(id.uri)")
    case .collection(let elements):
      guard depth < ValueNesting.limit else { throw ValueNesting.tooDeep }
      var values: [EvaluatedValue] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        let value = try property(name, of: element, depth: depth + 1)
        if case .collection(let several) = value { values += several } else { values.append(value) }
      }
      return .collection(values)
    }
  }

  /// Applies an operator to a collection; a single value is a collection of one, null of none.
  private func apply(
    _ operation: CollectionOperator, to value: EvaluatedValue, _ rest: ArraySlice<PropertyPath.Component>
  ) throws(PredicateError) -> EvaluatedValue {
    var elements: [EvaluatedValue]
    if case .collection(let several) = value { elements = several } else { elements = value.isNull ? [] : [value] }
    // An operator on what an operator leads to begins anew with each element.
    if !rest.isEmpty {
      var values: [EvaluatedValue] = []
      for element in elements {
        let value = try self.value(at: rest, of: element)
        if case .collection(let several) = value, !operation.keepsCollections {
          values += several
        } else {
          values.append(value)
        }
      }
      elements = values
    }
    switch operation {
    case .count: return .attribute(try aggregate(.count, elements))
    case .sum: return .attribute(try aggregate(.sum, elements))
    case .average: return .attribute(try aggregate(.average, elements))
    case .minimum: return .attribute(try aggregate(.min, elements))
    case .maximum: return .attribute(try aggregate(.max, elements))
    case .unionOfObjects: return .collection(elements.filter { !$0.isNull })
    case .distinctUnionOfObjects: return .collection(try distinct(elements))
    case .unionOfArrays, .distinctUnionOfArrays, .distinctUnionOfSets:
      var members: [EvaluatedValue] = []
      for element in elements {
        members += try self.elements(of: element, "\(operation.rawValue) takes a collection of collections")
      }
      if operation == .unionOfArrays { return .collection(members.filter { !$0.isNull }) }
      return .collection(try distinct(members))
    }
  }
}

extension CollectionOperator {
  /// Whether the operator looks into collections of collections itself.
  fileprivate var keepsCollections: Bool {
    switch self {
    case .unionOfArrays, .distinctUnionOfArrays, .distinctUnionOfSets: true
    default: false
    }
  }
}
