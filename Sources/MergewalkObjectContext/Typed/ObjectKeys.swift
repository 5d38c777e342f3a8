public import MergewalkObjectModel

/// The properties of a class, for typed queries: `\.title`, `\.project.name`.
///
/// Code generation writes them as extensions, which subclasses inherit; by hand, they take one line per property:
///
/// ```swift
/// extension ObjectKeys where Object: Issue {
///   var title: AttributeKey<String> { AttributeKey("title") }
///   var project: ToOneKey<Project> { ToOneKey("project") }
/// }
/// ```
///
/// Unknown names and values of another type do not compile. Classes with `@Managed` have keys as static properties,
/// `Issue.title`, which are found here too.
@dynamicMemberLookup
public struct ObjectKeys<Object: ManagedObject>: Sendable {
  init() {}

  /// An attribute for which the class has a key.
  public subscript<Value>(
    dynamicMember path: KeyPath<Object.Type, AttributeKey<Value>>
  ) -> AttributeKey<Value> { Object.self[keyPath: path] }

  /// A to-one relationship for which the class has a key.
  public subscript<Other>(dynamicMember path: KeyPath<Object.Type, ToOneKey<Other>>) -> ToOneKey<Other> {
    Object.self[keyPath: path]
  }

  /// A to-many relationship for which the class has a key.
  public subscript<Other>(dynamicMember path: KeyPath<Object.Type, ToManyKey<Other>>) -> ToManyKey<Other> {
    Object.self[keyPath: path]
  }

  /// The number of objects: in `select`, with the other columns as groups.
  public var objectCount: AttributeKey<Int> { AttributeKey(Key(.evaluatedObject).function(.count), isAggregate: true) }
}

/// An attribute of a class, or a value computed from attributes, and its Swift type.
public struct AttributeKey<Value: ManagedValue>: Sendable {
  /// The value as an untyped expression.
  public let expression: Key
  /// Whether it is one value of several objects.
  let isAggregate: Bool

  /// The attribute of this name.
  public init(_ name: String) { self.init(Key(name)) }

  /// Any value that fetches can compute; the caller is responsible for its type.
  public init(_ expression: Key) { self.init(expression, isAggregate: false) }

  init(_ expression: Key, isAggregate: Bool) {
    self.expression = expression
    self.isAggregate = isAggregate
  }

  func aggregate<Result>(_ key: Key) -> AttributeKey<Result> { AttributeKey<Result>(key, isAggregate: true) }
  func computed<Result>(_ key: Key) -> AttributeKey<Result> { AttributeKey<Result>(key, isAggregate: isAggregate) }
}

extension AttributeKey {
  /// The least value, or none.
  public var least: AttributeKey<Value?> { aggregate(expression.min) }
  /// The greatest value, or none.
  public var greatest: AttributeKey<Value?> { aggregate(expression.max) }
  /// The number of values; objects without a value do not count.
  public var valueCount: AttributeKey<Int> { aggregate(expression.function(.count)) }
  /// The sum of the values; 0 for none.
  public var sum: AttributeKey<Value> { aggregate(expression.sum) }
  /// The mean of the values, or none.
  public var average: AttributeKey<Double?> { aggregate(expression.average) }
}

extension AttributeKey where Value == String {
  /// The text in lower case.
  public var lowercased: AttributeKey<String> { computed(expression.lowercased) }
  /// The text in upper case.
  public var uppercased: AttributeKey<String> { computed(expression.uppercased) }
}

extension AttributeKey where Value == String? {
  /// The text in lower case.
  public var lowercased: AttributeKey<String?> { computed(expression.lowercased) }
  /// The text in upper case.
  public var uppercased: AttributeKey<String?> { computed(expression.uppercased) }
}

/// A to-one relationship of a class; its members are those of the other class: `\.project.name`.
@dynamicMemberLookup
public struct ToOneKey<Destination: ManagedObject>: Sendable {
  /// The object as an untyped expression.
  public let expression: Key

  /// The relationship of this name.
  public init(_ name: String) { expression = Key(name) }

  init(_ expression: Key) { self.expression = expression }

  private func step(_ key: Key) -> Key { Key(key.expression.following(expression.expression)) }

  /// An attribute of the other object; there is no value without an object.
  public subscript<Value>(
    dynamicMember path: KeyPath<ObjectKeys<Destination>, AttributeKey<Value>>
  ) -> AttributeKey<Value?> {
    AttributeKey<Value?>(step(ObjectKeys<Destination>()[keyPath: path].expression))
  }

  /// An attribute of the other object that may have no value.
  public subscript<Value>(
    dynamicMember path: KeyPath<ObjectKeys<Destination>, AttributeKey<Value?>>
  ) -> AttributeKey<Value?> {
    AttributeKey<Value?>(step(ObjectKeys<Destination>()[keyPath: path].expression))
  }

  /// The object that the other object refers to.
  public subscript<Other>(dynamicMember path: KeyPath<ObjectKeys<Destination>, ToOneKey<Other>>) -> ToOneKey<Other> {
    ToOneKey<Other>(step(ObjectKeys<Destination>()[keyPath: path].expression))
  }

  /// The objects of the other object.
  public subscript<Other>(
    dynamicMember path: KeyPath<ObjectKeys<Destination>, ToManyKey<Other>>
  ) -> ToManyKey<Other> {
    ToManyKey<Other>(step(ObjectKeys<Destination>()[keyPath: path].expression))
  }
}

/// A to-many relationship of a class.
public struct ToManyKey<Destination: ManagedObject>: Sendable {
  /// The objects as an untyped expression.
  public let expression: Key

  /// The relationship of this name.
  public init(_ name: String) { expression = Key(name) }

  init(_ expression: Key) { self.expression = expression }

  /// The number of objects.
  public var count: AttributeKey<Int> { AttributeKey(expression.count) }

  /// The sum of a value of all the objects: `\.issues[sum: \.points]`.
  public subscript<Value>(sum path: any Path<Value>) -> AttributeKey<Value> { AttributeKey(values(path).sum) }
  /// The mean of a value of all the objects.
  public subscript<Value>(average path: any Path<Value>) -> AttributeKey<Double?> { AttributeKey(values(path).average) }
  /// The smallest value among all the objects.
  public subscript<Value>(least path: any Path<Value>) -> AttributeKey<Value?> { AttributeKey(values(path).min) }
  /// The greatest value among all the objects.
  public subscript<Value>(greatest path: any Path<Value>) -> AttributeKey<Value?> { AttributeKey(values(path).max) }

  /// A value of an object at the other end, as a key path that queries can use.
  public typealias Path<Value: ManagedValue> = KeyPath<ObjectKeys<Destination>, AttributeKey<Value>> & Sendable

  private func values<Value>(_ path: any Path<Value>) -> Key {
    let values = ObjectKeys<Destination>()[keyPath: path].expression
    return Key(values.expression.following(expression.expression))
  }
}

extension ObjectExpression {
  /// The expression with its paths beginning at another one instead of the object itself.
  func following(_ base: ObjectExpression) -> ObjectExpression { replacing { $0.moved(to: base) } }

  /// What begins at another expression instead of this one; `nil` where only the parts of this one do.
  func moved(to base: ObjectExpression) -> ObjectExpression? {
    switch self {
    case .path(let origin, let path):
      let start = origin.following(base)
      guard case .path(let first, let steps) = start else { return .path(start, path) }
      return .path(first, PropertyPath(steps.components + path.components))
    case .evaluatedObject: return base
    case .assignment: return self
    default: return nil
    }
  }
}
