public import MergewalkObjectModel

// Comparisons of `\.key` with values, of `\.key` with `\.other`, and of relationships with objects.

/// The values are equal; `nil` is equal to `nil`.
public func == <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, value: Value
) -> TypedPredicate<Object> {
  TypedPredicate(path, .equalTo, ConstantValue.attribute(value.attributeValue))
}

/// The values are equal; `nil` is equal to `nil`.
public func == <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, other: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>
) -> TypedPredicate<Object> {
  TypedPredicate(path, .equalTo, ObjectKeys<Object>()[keyPath: other].expression)
}

/// The values are not equal.
public func != <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, value: Value
) -> TypedPredicate<Object> {
  TypedPredicate(path, .notEqualTo, ConstantValue.attribute(value.attributeValue))
}

/// The values are not equal.
public func != <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, other: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>
) -> TypedPredicate<Object> {
  TypedPredicate(path, .notEqualTo, ObjectKeys<Object>()[keyPath: other].expression)
}

/// The value is less than another; false if one is missing.
public func < <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, value: Value
) -> TypedPredicate<Object> {
  TypedPredicate(path, .lessThan, ConstantValue.attribute(value.attributeValue))
}

/// The value is less than another; false if one is missing.
public func < <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, other: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>
) -> TypedPredicate<Object> {
  TypedPredicate(path, .lessThan, ObjectKeys<Object>()[keyPath: other].expression)
}

/// The value is not greater than another; false if one is missing.
public func <= <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, value: Value
) -> TypedPredicate<Object> {
  TypedPredicate(path, .lessThanOrEqualTo, ConstantValue.attribute(value.attributeValue))
}

/// The value is not greater than another; false if one is missing.
public func <= <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, other: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>
) -> TypedPredicate<Object> {
  TypedPredicate(path, .lessThanOrEqualTo, ObjectKeys<Object>()[keyPath: other].expression)
}

/// The value is greater than another; false if one is missing.
public func > <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, value: Value
) -> TypedPredicate<Object> {
  TypedPredicate(path, .greaterThan, ConstantValue.attribute(value.attributeValue))
}

/// The value is greater than another; false if one is missing.
public func > <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, other: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>
) -> TypedPredicate<Object> {
  TypedPredicate(path, .greaterThan, ObjectKeys<Object>()[keyPath: other].expression)
}

/// The value is not less than another; false if one is missing.
public func >= <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, value: Value
) -> TypedPredicate<Object> {
  TypedPredicate(path, .greaterThanOrEqualTo, ConstantValue.attribute(value.attributeValue))
}

/// The value is not less than another; false if one is missing.
public func >= <Object, Value: ManagedValue>(
  path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, other: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>
) -> TypedPredicate<Object> {
  TypedPredicate(path, .greaterThanOrEqualTo, ObjectKeys<Object>()[keyPath: other].expression)
}

/// The relationship leads to an object, or is empty for `nil`.
public func == <Object, Other: ManagedObject>(
  path: KeyPath<ObjectKeys<Object>, ToOneKey<Other>>, object: Other?
) -> TypedPredicate<Object> {
  TypedPredicate(
    ObjectKeys<Object>()[keyPath: path].expression.compare(.equalTo, (object?.objectID).constantValue))
}

/// The relationship leads to an object, or is empty for `nil`.
public func == <Object, Other: ManagedObject>(
  path: KeyPath<ObjectKeys<Object>, ToOneKey<Other>>, id: ObjectID<Other>
) -> TypedPredicate<Object> {
  TypedPredicate(ObjectKeys<Object>()[keyPath: path].expression.compare(.equalTo, id.objectID))
}

/// The relationship does not lead to an object, or is not empty for `nil`.
public func != <Object, Other: ManagedObject>(
  path: KeyPath<ObjectKeys<Object>, ToOneKey<Other>>, object: Other?
) -> TypedPredicate<Object> {
  TypedPredicate(
    ObjectKeys<Object>()[keyPath: path].expression.compare(.notEqualTo, (object?.objectID).constantValue))
}

/// The relationship does not lead to an object, or is not empty for `nil`.
public func != <Object, Other: ManagedObject>(
  path: KeyPath<ObjectKeys<Object>, ToOneKey<Other>>, id: ObjectID<Other>
) -> TypedPredicate<Object> {
  TypedPredicate(ObjectKeys<Object>()[keyPath: path].expression.compare(.notEqualTo, id.objectID))
}
