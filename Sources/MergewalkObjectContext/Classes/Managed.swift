public import MergewalkObjectModel

/// An attribute as a property of a class.
///
/// ```swift
/// final class Employee: ManagedObject {
///   @Managed("name") var name: String?
///   @Managed("age") var age: Int16
/// }
/// ```
///
/// Access goes through `get` and `set`: the object stores nothing.
@propertyWrapper
public struct Managed<Value: ManagedValue> {
  /// The attribute's name.
  public let key: String

  /// Declares that a property is the attribute of this name.
  public init(_ key: String) { self.key = key }

  /// Unavailable: the property must belong to a class that inherits from ``ManagedObject``; the compiler refuses all
  /// uses that would trap here.
  @available(*, unavailable, message: "@Managed can only be used in classes that inherit from ManagedObject")
  public var wrappedValue: Value {
    get { preconditionFailure("@Managed(\"\(key)\") is used outside of a managed object") }
    set { preconditionFailure("@Managed(\"\(key)\") is used outside of a managed object, for \(newValue)") }
  }

  /// Reads and sets the attribute.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Managed<Value>>
  ) -> Value {
    get { object.get(object[keyPath: storage].key) }
    set { object.set(object[keyPath: storage].key, newValue) }
  }
}

/// A type that a relationship's property can have: an optional class for to-one, ``RelatedObjects`` for to-many.
public protocol RelationshipValue {
  /// The value of an object's relationship.
  static func relationshipValue(of object: ManagedObject, key: String) -> Self
  /// Sets an object's relationship.
  static func setRelationship(of object: ManagedObject, key: String, to value: Self)
}

extension Optional: RelationshipValue where Wrapped: ManagedObject {
  /// The object that a to-one relationship refers to.
  public static func relationshipValue(of object: ManagedObject, key: String) -> Wrapped? { object.related(key) }
  /// Makes a to-one relationship refer to an object, or to none.
  public static func setRelationship(of object: ManagedObject, key: String, to value: Wrapped?) {
    object.setRelated(key, value)
  }
}

extension RelatedObjects: RelationshipValue {
  /// The objects of a to-many relationship.
  public static func relationshipValue(of object: ManagedObject, key: String) -> RelatedObjects {
    object.relatedObjects(key)
  }
  /// Makes a to-many relationship refer to the present objects of another collection.
  public static func setRelationship(of object: ManagedObject, key: String, to value: RelatedObjects) {
    object.relatedObjects(key).replace(with: Array(value) as [Element])
  }
}

/// A relationship as a property of a class.
///
/// ```swift
/// final class Employee: ManagedObject {
///   @ManagedRelation("department") var department: Department?
///   @ManagedRelation("projects") var projects: RelatedObjects<Project>
/// }
/// ```
@propertyWrapper
public struct ManagedRelation<Value: RelationshipValue> {
  /// The relationship's name.
  public let key: String

  /// Declares that a property is the relationship of this name.
  public init(_ key: String) { self.key = key }

  /// Unavailable: the property must belong to a class that inherits from ``ManagedObject``; the compiler refuses all
  /// uses that would trap here.
  @available(*, unavailable, message: "@ManagedRelation can only be used in classes that inherit from ManagedObject")
  public var wrappedValue: Value {
    get { preconditionFailure("@ManagedRelation(\"\(key)\") is used outside of a managed object") }
    set { preconditionFailure("@ManagedRelation(\"\(key)\") is used outside of a managed object, for \(newValue)") }
  }

  /// Reads and sets the relationship.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, ManagedRelation<Value>>
  ) -> Value {
    get { Value.relationshipValue(of: object, key: object[keyPath: storage].key) }
    set { Value.setRelationship(of: object, key: object[keyPath: storage].key, to: newValue) }
  }
}
