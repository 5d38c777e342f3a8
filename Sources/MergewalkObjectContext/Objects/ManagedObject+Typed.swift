public import MergewalkObjectModel

/// Properties as Swift types: what accessors of classes are written with. They agree with keyed access and call the
/// same hooks.
///
/// They do not throw, and what is in a store, what a person typed or what another task did stops no program:
///
/// * An object that is not valid any more, or whose record the store does not have, reads as the types' empty values,
///   and
///   ``isDeleted`` is `true` then (``ManagedObjectContext/shouldDeleteInaccessibleFaults``). Setting it does nothing.
/// * A value that the type has no room for, such as 70,000 for an `Int16` or a text that is no case of an enumeration,
///   reads as the type's `fallbackValue`, or else its empty value, never as `nil`.
/// * What cannot be read otherwise, because the store was closed, say, reads as the empty value.
/// * A value that cannot be set, such as a decimal with more digits than a store keeps, is not set.
///
/// The next save fails with ``ObjectFailureCode/unreadable`` or ``ObjectFailureCode/notSet`` for each of these but the
/// first and declared fallbacks, so that nothing is saved that was computed from values that are not there;
/// ``ManagedObjectContext/accessFailures`` says before that what it will be. ``read(_:)`` and keyed access throw at
/// once.
///
/// Only what a compiler would have refused stops the program: a key that the entity does not have, a Swift type that is
/// not the attribute's, setting what the store computes.
extension ManagedObject {
  /// The value of an attribute.
  public final func get<Value: ManagedValue>(_ key: String) -> Value {
    typed(readOrEmpty(key) { () throws(ObjectError) in try value(forKey: key) }, key)
  }

  /// Sets an attribute.
  public final func set<Value: ManagedValue>(_ key: String, _ value: Value) {
    change(key) { () throws(ObjectError) in try setValue(spelled(value.attributeValue, key), forKey: key) }
  }

  /// The object that a to-one relationship refers to.
  public final func related<T: ManagedObject>(_ key: String) -> T? {
    related(key) { () throws(ObjectError) in try object(forKey: key) }
  }

  /// The object that a to-one relationship refers to: like ``related(_:)-(String)``, without a name look-up.
  public final func related<T: ManagedObject>(_ slot: PropertySlot) -> T? {
    related(slot.key) { () throws(ObjectError) in try object(by: try relationship(slot, isToMany: false)) }
  }

  @inline(__always)
  private func related<T: ManagedObject>(
    _ key: String, _ body: () throws(ObjectError) -> ManagedObject?
  ) -> T? {
    do throws(ObjectError) {
      guard let other = try body() else { return nil }
      if let other = other.cast(to: T.self) { return other }
      noteWrongClass(key, other, T.self)
    } catch {
      noteFailure(key, error)
    }
    return nil
  }

  /// Makes a to-one relationship refer to an object, or to none.
  public final func setRelated<T: ManagedObject>(_ key: String, _ other: T?) {
    change(key) { () throws(ObjectError) in try setObject(other, forKey: key) }
  }

  /// Makes a to-one relationship refer to an object, or to none, without a name look-up.
  public final func setRelated<T: ManagedObject>(_ slot: PropertySlot, _ other: T?) {
    change(slot.key) { () throws(ObjectError) in
      try setObject(other, by: try relationship(slot, isToMany: false))
    }
  }

  /// The objects of a to-many relationship, as a collection that follows its changes and can change it.
  public final func relatedObjects<T: ManagedObject>(_ key: String) -> RelatedObjects<T> {
    RelatedObjects(owner: self, key: key)
  }

  /// The objects of a to-many relationship: like ``relatedObjects(_:)-(String)``, without a name look-up.
  public final func relatedObjects<T: ManagedObject>(_ slot: PropertySlot) -> RelatedObjects<T> {
    RelatedObjects(owner: self, key: slot.key, relationship: try? relationship(slot, isToMany: true))
  }

  /// The objects of a fetched property.
  public final func fetchedRelated<T: ManagedObject>(_ key: String) -> [T] {
    do throws(ObjectError) {
      return typed(Array(try fetchedObjects(forKey: key)), key)
    } catch {
      noteFailure(key, error)
      return []
    }
  }

  /// The value of an attribute as a Swift type.
  ///
  /// - Throws: ``ObjectError`` as ``value(forKey:)`` does, or with `unreadable` when the value does not fit the type
  ///   and the type declares no `fallbackValue`.
  public final func read<Value: ManagedValue>(_ key: String) throws(ObjectError) -> Value {
    let value = try value(forKey: key)
    if value == .null { return Value.emptyValue }
    if let typed = Value(attributeValue: value) ?? Value.fallbackValue { return typed }
    throw unreadable(value, key, Value.self)
  }

  // MARK: Failures

  /// Reads a value; `.null` when the record is gone, or cannot be read.
  final func readOrEmpty(_ key: String, _ body: () throws(ObjectError) -> AttributeValue) -> AttributeValue {
    if flags.contains(.isInaccessible) { return .null }
    do {
      return try body()
    } catch {
      noteFailure(key, error)
      return .null
    }
  }

  /// Carries out a change; one that fails is reported by the next save.
  final func change(_ key: String, _ body: () throws(ObjectError) -> Void) {
    do {
      try body()
    } catch {
      // What is gone, or about to go, takes its changes with it.
      if isGone(error) || error.code == .deleted && isDeleted { return }
      trapIfBroken(key, error)
      link.context?.noteNotSet(self, key, error)
    }
  }

  /// Takes note of a value that could not be read, unless its record is gone.
  final func noteFailure(_ key: String, _ error: ObjectError) {
    if !isGone(error) { noteUnreadable(key, error) }
  }

  /// Takes note of a value that could not be read.
  final func noteUnreadable(_ key: String, _ error: ObjectError) {
    trapIfBroken(key, error)
    link.context?.noteUnreadable(self, key, error)
  }

  /// Whether an error says that the store does not have the record any more, and that is to be borne.
  final func isGone(_ error: ObjectError) -> Bool {
    if error.code == .invalid {
      // Otherwise the context is gone or was reset, and the record may well be there.
      if row < 0 { flags.insert(.isInaccessible) }
      return true
    }
    guard error.code == .notFound, let context, context.shouldDeleteInaccessibleFaults else { return false }
    flags.insert(.isInaccessible)
    return true
  }

  /// Stops a program that uses a property which is not there, or sets one that the store computes: the accessor is
  /// wrong, whatever the data.
  private func trapIfBroken(_ key: String, _ error: ObjectError) {
    switch error.code {
    case .unknownKey, .readOnly, .typeMismatch:
      preconditionFailure("\(entity.name).\(key) of \(objectID) cannot be used so: \(error)")
    default: break
    }
  }

  final func typed<Value: ManagedValue>(_ value: AttributeValue, _ key: String) -> Value {
    if value == .null { return Value.emptyValue }
    if let typed = Value(attributeValue: value) { return typed }
    if Value.fallbackValue == nil { noteUnreadable(key, unreadable(value, key, Value.self)) }
    return Value.unreadableValue
  }

  /// Why a value is none of a Swift type; traps when no value of the attribute is.
  private func unreadable<Value: ManagedValue>(
    _ value: AttributeValue, _ key: String, _ type: Value.Type
  ) -> ObjectError {
    if let attribute = entity.attribute(named: key), attribute.type != .undefined {
      let other = spelled(Value.unreadableValue.attributeValue, key)
      precondition(
        (try? attribute.cell(other, entity: entity)) != nil,
        "\(entity.name).\(key) is of type \(attribute.type.xmlName), and its values are not of type \(type)")
    }
    return ObjectError(
      .unreadable, "\(entity.name).\(key) has the value \(value), which is not of type \(type)")
  }

  /// A value in the spelling that the attribute's type has: URIs and dates have Swift types of other attributes too.
  final func spelled(_ value: AttributeValue, _ key: String) -> AttributeValue {
    switch value {
    case .string(let text) where entity.attributeAccess(named: key)?.type == .uri: .uri(text)
    case .double(let number) where entity.attributeAccess(named: key)?.type == .date: .date(number)
    default: value
    }
  }

  /// Those of some objects that are of a class; the others are reported by the next save.
  final func typed<T: ManagedObject>(_ objects: [ManagedObject], _ key: String) -> [T] {
    objects.typed(T.self) { noteWrongClass(key, $0, T.self) }
  }

  private func noteWrongClass(_ key: String, _ object: ManagedObject, _ type: ManagedObject.Type) {
    noteUnreadable(
      key,
      ObjectError(
        .wrongClass,
        "\(entity.name).\(key) leads to an object of class \(Swift.type(of: object)), not \(type): set the class of "
          + "\(object.entity.name) before objects are made"))
  }
}
