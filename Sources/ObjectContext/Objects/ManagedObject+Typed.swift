public import ObjectModel
import ObjectStore

/// Properties as Swift types: what accessors of classes are written with. They agree with keyed access and call the same
/// hooks.
///
/// They do not throw. A record that the store does not have any more reads as the types' empty values when the context
/// says so (``ManagedObjectContext/shouldDeleteInaccessibleFaults``), and the object is then a deleted one. All other
/// failures stop the program: a key that the entity does not have, a type that is not the attribute's, a store that cannot
/// be read. Where the store may fail, read with ``value(forKey:)``, or fetch the values first
/// (``ManagedObjectContext/fetchValues(of:)``).
extension ManagedObject {
  /// The value of an attribute.
  public final func get<Value: ManagedValue>(_ key: String) -> Value {
    typed(readOrEmpty(key) { () throws(ObjectError) in try value(forKey: key) }, key)
  }

  /// Sets an attribute.
  public final func set<Value: ManagedValue>(_ key: String, _ value: Value) {
    changeOrTrap(key) { () throws(ObjectError) in try setValue(spelled(value.attributeValue, key), forKey: key) }
  }

  /// The object that a to-one relationship refers to.
  public final func related<T: ManagedObject>(_ key: String) -> T? {
    do {
      guard let other = try object(forKey: key) else { return nil }
      return other.typed(as: T.self, key, of: self)
    } catch {
      if isGone(error) { return nil }
      preconditionFailure(Self.advice(self, key, error))
    }
  }

  /// Makes a to-one relationship refer to an object, or to none.
  public final func setRelated<T: ManagedObject>(_ key: String, _ other: T?) {
    changeOrTrap(key) { () throws(ObjectError) in try setObject(other, forKey: key) }
  }

  /// The objects of a to-many relationship, as a collection that follows its changes and can change it.
  public final func relatedObjects<T: ManagedObject>(_ key: String) -> RelatedObjects<T> {
    RelatedObjects(owner: self, key: key)
  }

  /// The objects of a fetched property.
  public final func fetchedRelated<T: ManagedObject>(_ key: String) -> [T] {
    do {
      return try fetchedObjects(forKey: key).map { $0.typed(as: T.self, key, of: self) }
    } catch {
      if isGone(error) { return [] }
      preconditionFailure(Self.advice(self, key, error))
    }
  }

  // MARK: Failures

  /// Reads a value; `.null` when the record is gone.
  final func readOrEmpty(_ key: String, _ body: () throws(ObjectError) -> AttributeValue) -> AttributeValue {
    if flags.contains(.isInaccessible) { return .null }
    do {
      return try body()
    } catch {
      if isGone(error) { return .null }
      preconditionFailure(Self.advice(self, key, error))
    }
  }

  /// Carries out a change that cannot fail in a program that is right.
  final func changeOrTrap(_ key: String, _ body: () throws(ObjectError) -> Void) {
    do {
      try body()
    } catch {
      if isGone(error) { return }
      preconditionFailure(Self.advice(self, key, error))
    }
  }

  /// Whether an error says that the store does not have the record any more, and that is to be borne.
  final func isGone(_ error: ObjectError) -> Bool {
    guard error.code == .notFound, let context, context.shouldDeleteInaccessibleFaults else { return false }
    flags.insert(.isInaccessible)
    return true
  }

  static func advice(_ object: ManagedObject, _ key: String, _ error: ObjectError) -> String {
    "\(object.entity.name).\(key) of \(object.objectID) cannot be used: \(error); "
      + "use keyed access, which throws, where that may happen"
  }

  /// A value as a Swift type; traps when it is another one.
  final func typed<Value: ManagedValue>(_ value: AttributeValue, _ key: String) -> Value {
    if value == .null { return Value.emptyValue }
    guard let typed = Value(attributeValue: value) else {
      preconditionFailure("\(entity.name).\(key) has the value \(value), which is no \(Value.self)")
    }
    return typed
  }

  /// A value in the spelling that the attribute's type has: URIs and dates have Swift types of other attributes too.
  final func spelled(_ value: AttributeValue, _ key: String) -> AttributeValue {
    switch value {
    case .string(let text) where entity.attributeAccess(named: key)?.type == .uri: .uri(text)
    case .double(let number) where entity.attributeAccess(named: key)?.type == .date: .date(number)
    default: value
    }
  }

  /// The object as one of a class; traps when it is of another one.
  final func typed<T: ManagedObject>(as type: T.Type, _ key: String, of owner: ManagedObject) -> T {
    guard let typed = self as? T else {
      preconditionFailure(
        "\(owner.entity.name).\(key) leads to an object of class \(Swift.type(of: self)), not \(type): set the class of "
          + "\(entity.name) before objects are made")
    }
    return typed
  }
}
