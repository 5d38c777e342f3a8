public import MergewalkObjectModel

/// Values as they are kept, without any hook: what accessors and hooks of a class are written with.
extension ManagedObject {
  /// The value of an attribute, without `willAccessValue` and `didAccessValue`; values of a fault are fetched.
  ///
  /// - Throws: ``ObjectError`` as ``value(forKey:)`` does.
  public final func primitiveValue(forKey key: String) throws(ObjectError) -> AttributeValue {
    try storedValue(forKey: key)
  }

  /// Sets an attribute without `willChangeValue` and `didChangeValue`, and without notifying observers or `willSave`
  /// again.
  ///
  /// Setting a transient attribute this way does not mark the object as changed, so a getter can keep its computed
  /// value. A persistent attribute is still saved.
  ///
  /// - Throws: ``ObjectError`` as ``setValue(_:forKey:)`` does.
  public final func setPrimitiveValue(_ value: AttributeValue, forKey key: String) throws(ObjectError) {
    let attribute = try attribute(key)
    let cell = try settableCell(value, attribute)
    if attribute.isTransient {
      let context = try validContext
      try context.buffer(table: table).requireRoom(cell.bytes.count)
      context.overwrite(self, slot: attribute.slot, with: cell)
    } else {
      try put(cell, slot: attribute.slot)
    }
  }

  /// The value of an attribute as a Swift type, without hooks; see ``get(_:)`` for the value returned when it cannot be
  /// read.
  public final func primitive<Value: ManagedValue>(_ key: String) -> Value {
    typed(readOrEmpty(key) { () throws(ObjectError) in try storedValue(forKey: key) }, key)
  }

  /// Sets an attribute as a Swift type, without hooks; like ``setPrimitiveValue(_:forKey:)``.
  public final func setPrimitive<Value: ManagedValue>(_ key: String, _ value: Value) {
    change(key) { () throws(ObjectError) in
      try setPrimitiveValue(spelled(value.attributeValue, key), forKey: key)
    }
  }

  /// The value kept for a transient attribute that has no column: any Swift value.
  ///
  /// It is kept until the object is released, or refreshed without merging.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey` when the entity has no transient attribute of this name.
  public final func primitiveTransient(forKey key: String) throws(ObjectError) -> Any? {
    extras?.transientValues[try transientSlot(key)]
  }

  /// Keeps any Swift value for a transient attribute, or none, without marking the object as changed.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey` when the entity has no transient attribute of this name.
  public final func setPrimitiveTransient(_ value: Any?, forKey key: String) throws(ObjectError) {
    let slot = try transientSlot(key)
    if value == nil, extras == nil { return }
    makeExtras().transientValues[slot] = value
  }

  private func transientSlot(_ key: String) throws(ObjectError) -> Int {
    let attribute = try attribute(key)
    guard attribute.isTransient else {
      throw ObjectError(.unknownKey, "\(entity.name).\(key) is not transient: use primitiveValue(forKey:)")
    }
    return attribute.slot
  }

  /// The data that few objects have, created now if need be.
  final func makeExtras() -> ObjectExtras {
    if let extras { return extras }
    let made = ObjectExtras()
    extras = made
    return made
  }
}

extension AttributeDescription {
  /// Whether values are of a type that ``AttributeValue`` has.
  var holdsAttributeValue: Bool { type != .undefined && type != .objectID && type != .composite }
}
