import MergewalkObjectModel

/// Fetched properties: values that a request of the model computes.
///
/// They are weak and lead one way: nothing is stored for them, and the objects found know nothing of the source.
extension ManagedObject {
  /// The objects that the request of a fetched property finds, in its order.
  ///
  /// The request runs at the first use, in one SELECT; its result is kept until this object is refreshed, even if the
  /// objects change. In its predicate `$FETCH_SOURCE` is this object and `$FETCHED_PROPERTY` the property's description
  /// with its `name` and its `userInfo`; both are inserted as values, so they cannot change operators or structure.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, or as ``ManagedObjectContext/fetch(_:)-(FetchRequest)`` does.
  public func fetchedObjects(forKey key: String) throws(ObjectError) -> FetchedObjects {
    let context = try validContext
    if let known = extras?.fetchedResults[key] { return known }
    let found = try context.fetch(try boundRequest(key))
    found.letContextGo()
    makeExtras().fetchedResults[key] = found
    return found
  }

  /// The objects that the request of a fetched property finds in another context, which may use another store, to
  /// relate objects across stores.
  ///
  /// The predicate takes this object's values from its own context. The result is not kept.
  ///
  /// - Throws: ``ObjectError`` as ``fetchedObjects(forKey:)`` does.
  public func fetchedObjects(
    forKey key: String, in other: ManagedObjectContext
  ) throws(ObjectError) -> FetchedObjects {
    try other.fetch(try boundRequest(key))
  }

  /// The request of a fetched property with this object's values in it.
  private func boundRequest(_ key: String) throws(ObjectError) -> FetchRequest {
    let context = try validContext
    if isFault, !entity.fetchedProperties.contains(where: { $0.name == key }) { try context.fire(self) }
    guard let property = entity.fetchedProperties.first(where: { $0.name == key }) else {
      throw ObjectError(.unknownKey, "\(entity.name) has no fetched property \"\(key)\"")
    }
    var request = try context.request(of: property, entity)
    let description = FetchedPropertyValues(property: property)
    request.predicate = try predicateErrors { () throws(PredicateError) in
      try request.predicate?.replacing { expression throws(PredicateError) in
        switch expression {
        case .variable(FetchedPropertyVariable.source): .constant(.objectID(objectID))
        case .path(.variable(FetchedPropertyVariable.source), let path):
          .constant(try Self.constant(.keyPath(path), of: .object(self)))
        case .variable(FetchedPropertyVariable.property): .constant(.attribute(.string(property.name)))
        case .path(.variable(FetchedPropertyVariable.property), let path):
          .constant(try Self.constant(.keyPath(path), of: .object(description)))
        default: nil
        }
      }
    }
    return request
  }

  private static func constant(
    _ expression: ObjectExpression, of object: EvaluatedValue
  ) throws(PredicateError) -> ConstantValue {
    try ConstantValue(try expression.evaluate(with: object, variables: [:]))
  }
}

/// The variables that fetched properties' predicates have.
enum FetchedPropertyVariable {
  static let source = "FETCH_SOURCE"
  static let property = "FETCHED_PROPERTY"
}

extension ManagedObjectContext {
  /// The request of a fetched property with its variables; it is read once.
  fileprivate func request(
    of property: FetchedPropertyDescription, _ entity: EntityDescription
  ) throws(ObjectError) -> FetchRequest {
    let name = FetchedPropertyName(entity: entity.index, property: property.name)
    if let known = fetchedPropertyRequests[name] { return known }
    let request = try predicateErrors { () throws(PredicateError) in
      try FetchRequest(template: property.fetchRequest)
    }
    fetchedPropertyRequests[name] = request
    return request
  }
}

struct FetchedPropertyName: Hashable {
  var entity: Int
  var property: String
}

/// The values behind `$FETCHED_PROPERTY`: `name` and `userInfo`.
private struct FetchedPropertyValues: KeyedValues {
  let property: FetchedPropertyDescription

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    switch key {
    case "name": return .attribute(.string(property.name))
    case "userInfo":
      return .object(KeyedDictionary(property.userInfo.mapValues { .attribute(.string($0)) }))
    default:
      throw PredicateError(
        .unknownKey, "$FETCHED_PROPERTY has no \"\(key)\"", hint: "it has \"name\" and \"userInfo\"")
    }
  }

  var evaluatedObjectID: ManagedObjectID? { nil }
}

extension ConstantValue {
  /// The constant that an evaluated value is; objects become their IDs.
  ///
  /// - Throws: `PredicateError` with `typeMismatch` for what is neither a value nor a managed object.
  fileprivate init(_ value: EvaluatedValue) throws(PredicateError) {
    switch value {
    case .attribute(let value): self = .attribute(value)
    case .objectID(let id): self = .objectID(id)
    case .object(let object):
      guard let id = object.evaluatedObjectID else {
        throw PredicateError(.typeMismatch, "a variable stands for something that is not a value")
      }
      self = .objectID(id)
    case .collection(let elements):
      var constants: [ConstantValue] = []
      for element in elements { constants.append(try ConstantValue(element)) }
      self = .collection(constants)
    }
  }
}
