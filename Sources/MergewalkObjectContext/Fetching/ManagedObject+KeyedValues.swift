public import MergewalkObjectModel

/// Managed objects as predicates and sort descriptors see them: attributes (transient ones too), relationships, fetched
/// properties, `objectID`, and `entity`, the name of the object's own entity.
///
/// Asking for the values of a fault asks the store, one object at a time; where many are needed, fetch with a predicate.
extension ManagedObject: KeyedValues {
  /// The value of a property: an attribute's value, the object of a to-one relationship, the objects of a to-many
  /// relationship or of a fetched property.
  ///
  /// - Throws: `PredicateError` with `unknownKey`, or with `unavailable` when the record does not exist or the store
  ///   failed.
  public func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    do {
      if entity.attributeAccess(named: key) != nil { return .attribute(try value(forKey: key)) }
      if entity.relationship(named: key) == nil, isFault { try validContext.fire(self) }
      if let relationship = entity.relationship(named: key) {
        if relationship.isToMany { return .collection(try objects(forKey: key).map { .object($0) }) }
        return try object(forKey: key).map { .object($0) } ?? .null
      }
      if entity.attributeAccess(named: key) != nil { return .attribute(try value(forKey: key)) }
      if entity.fetchedProperties.contains(where: { $0.name == key }) {
        return .collection(try fetchedObjects(forKey: key).map { .object($0) })
      }
    } catch {
      throw PredicateError(error)
    }
    if key == "objectID" { return .objectID(objectID) }
    if key == "entity" { return .attribute(.string(entity.name)) }
    let elements = entity.elements(ofComposite: key)
    if !elements.isEmpty {
      var values: [String: EvaluatedValue] = [:]
      // A composite inside a composite is asked by its own name.
      for name in Set(elements.map { String($0.name.prefix { $0 != "." }) }) {
        values[name] = try evaluatedValue(forKey: "\(key).\(name)")
      }
      return .object(KeyedDictionary(values))
    }
    throw PredicateError(.unknownKey, "\(entity.name) has no property \"\(key)\"")
  }

  /// The object's ID, by which objects are compared.
  public var evaluatedObjectID: ManagedObjectID? { objectID }
}

extension PredicateError {
  /// The error of an object that could not say what it was asked for.
  init(_ error: ObjectError) {
    if let own = error.predicateError {
      self = own
    } else {
      self.init(error.code == .unknownKey ? .unknownKey : .unavailable, error.message)
    }
  }
}

extension FetchedObjects {
  /// The objects that satisfy a predicate, evaluated in memory with their values in the context; the order is kept.
  ///
  /// Unlike a fetch, this accepts closures and transient and fetched properties.
  ///
  /// - Throws: `PredicateError`; see `PredicateEvaluator`.
  public func filtered(
    by predicate: ObjectPredicate, variables: [String: EvaluatedValue] = [:]
  ) throws(PredicateError) -> [ManagedObject] {
    try Array(self).filtered(by: predicate, variables: variables)
  }

  /// The objects sorted in memory by their values in the context.
  ///
  /// Unlike a fetch, this accepts custom comparisons and transient properties.
  ///
  /// - Throws: `PredicateError`; see `SortOrder`.
  public func sorted(by descriptors: [ObjectSortDescriptor]) throws(PredicateError) -> [ManagedObject] {
    try Array(self).sorted(by: descriptors)
  }
}

extension ManagedObject: PredicateArgument {
  /// The object's ID, which stands for it in predicates.
  public var constantValue: ConstantValue { .objectID(objectID) }
}
