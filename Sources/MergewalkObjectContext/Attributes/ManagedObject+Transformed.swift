import MergewalkObjectModel
import MergewalkObjectStore

/// A value that was made from bytes, or whose bytes were made, and those bytes.
///
/// The bytes say whether the value still is the one that the attribute has: so that code that changes a row, by an undo
/// or a refresh for example, has to think of it.
struct TransformedValue {
  var bytes: [UInt8]
  var value: Any
}

/// Transformable attributes: values of any type, kept as bytes.
///
/// A value is converted once, when it is first read or when it is set, and kept with the object until that is refreshed
/// or its bytes change. An object that is changed in place is not noticed: set another one. Bytes themselves are read
/// and set by ``value(forKey:)`` and ``setValue(_:forKey:)``.
///
/// The same methods read and set transient attributes, whose values of any type are kept as they are. Setting one makes
/// the object one with changes, of which nothing is written.
extension ManagedObject {
  /// The value of a transformable attribute; `nil` for none.
  ///
  /// - Throws: ``ObjectError`` with `transformer` when the attribute's transformer is not registered or fails,
  ///   `typeMismatch` when the attribute is not transformable, or as ``value(forKey:)`` does.
  public final func transformedValue(forKey key: String) throws(ObjectError) -> Any? {
    let attribute = try transformable(key)
    if attribute.isTransient {
      // What a hook computes when the values come is there only afterwards.
      try validContext.fire(self)
      willAccessValue(forKey: key)
      defer { didAccessValue(forKey: key) }
      return try primitiveTransient(forKey: key)
    }
    guard case .binary(let bytes) = try value(forKey: key) else { return nil }
    if let known = extras?.transformed[attribute.slot], known.bytes == bytes { return known.value }
    let value = try validContext.decode(bytes, attribute, entity)
    makeExtras().transformed[attribute.slot] = TransformedValue(bytes: bytes, value: value)
    return value
  }

  /// Sets a transformable attribute, or removes its value.
  ///
  /// - Throws: ``ObjectError`` with `transformer` when the attribute's transformer is not registered or fails,
  ///   `typeMismatch` when the attribute is not transformable, or as ``setValue(_:forKey:)`` does.
  public final func setTransformedValue(_ value: Any?, forKey key: String) throws(ObjectError) {
    let attribute = try transformable(key)
    if attribute.isTransient {
      let context = try validContext
      try context.fire(self)
      willChangeValue(forKey: key)
      try setPrimitiveTransient(Self.unwrapped(value), forKey: key)
      try context.check(self)
      // No column is written for it, but the object is one that the next save tells.
      context.buffer(table: table).willChange(row: row, slot: attribute.slot)
      flags.insert(.wasSet)
      didChangeValue(forKey: key)
      return
    }
    guard let value = Self.unwrapped(value) else {
      try setValue(.null, forKey: key)
      extras?.transformed[attribute.slot] = nil
      return
    }
    let bytes = try validContext.encode(value, attribute, entity)
    try setValue(.binary(bytes), forKey: key)
    makeExtras().transformed[attribute.slot] = TransformedValue(bytes: bytes, value: value)
  }

  /// The value of a transformable attribute as a Swift type; `nil` for none.
  ///
  /// Fails as ``get(_:)`` does, also for a value of another type.
  public final func getTransformed<Value>(_ key: String, as type: Value.Type = Value.self) -> Value? {
    do throws(ObjectError) {
      guard let value = try transformedValue(forKey: key) else { return nil }
      if let typed = value as? Value { return typed }
      throw ObjectError(
        .unreadable, "\(entity.name).\(key) has a value of type \(Swift.type(of: value)), not \(type)")
    } catch {
      if !isGone(error) { noteUnreadable(key, error) }
      return nil
    }
  }

  /// Sets a transformable attribute; fails as ``set(_:_:)`` does.
  public final func setTransformed<Value>(_ key: String, _ value: Value?) {
    change(key) { () throws(ObjectError) in try setTransformedValue(value, forKey: key) }
  }

  private func transformable(_ key: String) throws(ObjectError) -> AttributeDescription {
    let attribute = try attribute(key)
    guard attribute.type == .transformable || attribute.isTransient else {
      throw ObjectError(.typeMismatch, "\(entity.name).\(key) is of type \(attribute.type.xmlName), not transformable")
    }
    return attribute
  }

  /// Unwraps nested optionals that came as one `Any`.
  private static func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    if let optional = value as? any AnyOptional { return unwrapped(optional.content) }
    return value
  }
}

/// An optional of any type.
private protocol AnyOptional {
  var content: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var content: Any? { self }
}

/// A transformable attribute as a property of a class.
///
/// ```swift
/// final class Car: ManagedObject {
///   @Transformed("color") var color: Color?
/// }
/// ```
@propertyWrapper
public struct Transformed<Value> {
  /// The attribute's name.
  public let key: String

  /// Declares that a property is the transformable attribute of this name.
  public init(_ key: String) { self.key = key }

  /// Unavailable: the property must belong to a class that inherits from ``ManagedObject``; the compiler refuses all
  /// uses that would trap here.
  @available(*, unavailable, message: "@Transformed can only be used in classes that inherit from ManagedObject")
  public var wrappedValue: Value? {
    get { preconditionFailure("@Transformed(\"\(key)\") is used outside of a managed object") }
    set {
      preconditionFailure("@Transformed(\"\(key)\") is used outside of a managed object, for a \(type(of: newValue))")
    }
  }

  /// Reads and sets the attribute.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value?>,
    storage storage: ReferenceWritableKeyPath<Object, Transformed<Value>>
  ) -> Value? {
    get { object.getTransformed(object[keyPath: storage].key) }
    set { object.setTransformed(object[keyPath: storage].key, newValue) }
  }
}
