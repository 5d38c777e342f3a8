public import MergewalkObjectModel

/// A condition on the objects of one class, which becomes the same SQL with parameters as any predicate.
///
/// ```swift
/// let mine: TypedPredicate<Issue> = \.state != .done && \.project.key == key
///   && .contains(\.title, "login", .caseInsensitive) && .any(\.labels, \.name == "bug")
/// ```
public struct TypedPredicate<Object: ManagedObject>: Sendable, Hashable {
  /// The predicate.
  public let predicate: ObjectPredicate

  /// Wraps a predicate that is known to concern the class.
  public init(_ predicate: ObjectPredicate) { self.predicate = predicate }

  init<Value>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ comparison: ComparisonPredicate.Operator,
    _ other: some PredicateOperand, _ options: ComparisonPredicate.Options = []
  ) {
    predicate = ObjectKeys<Object>()[keyPath: path].expression.compare(comparison, other, options)
  }

  /// All objects.
  public static var everything: TypedPredicate { TypedPredicate(.value(true)) }

  // MARK: Together

  /// Both hold.
  public static func && (left: TypedPredicate, right: TypedPredicate) -> TypedPredicate {
    TypedPredicate(left.predicate && right.predicate)
  }
  /// At least one holds.
  public static func || (left: TypedPredicate, right: TypedPredicate) -> TypedPredicate {
    TypedPredicate(left.predicate || right.predicate)
  }
  /// The condition does not hold.
  public static prefix func ! (condition: TypedPredicate) -> TypedPredicate {
    TypedPredicate(.not(condition.predicate))
  }

  // MARK: Lists and ranges

  /// The value is one of a list.
  public static func isIn<Value: ManagedValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ values: some Sequence<Value>
  ) -> TypedPredicate {
    TypedPredicate(path, .isIn, ConstantValue.collection(values.map { .attribute($0.attributeValue) }))
  }

  /// The value is not less than the first bound and not greater than the last.
  public static func between<Value: ManagedValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ first: Value, _ last: Value
  ) -> TypedPredicate {
    TypedPredicate(
      path, .between,
      ConstantValue.collection([.attribute(first.attributeValue), .attribute(last.attributeValue)]))
  }

  /// The object is one of a list.
  public static func isIn<Other: ManagedObject>(
    _ path: KeyPath<ObjectKeys<Object>, ToOneKey<Other>>, _ objects: some Sequence<Other>
  ) -> TypedPredicate {
    TypedPredicate(
      ObjectKeys<Object>()[keyPath: path].expression.isIn(objects.map { ConstantValue.objectID($0.objectID) }))
  }

  // MARK: Collections

  /// At least one object of a relationship satisfies a condition.
  public static func any<Other>(
    _ path: KeyPath<ObjectKeys<Object>, ToManyKey<Other>>, _ condition: TypedPredicate<Other>
  ) -> TypedPredicate {
    collection(path, condition) { key, body in key.any(body) }
  }

  /// Each object of a relationship satisfies a condition; true if there are none.
  public static func all<Other>(
    _ path: KeyPath<ObjectKeys<Object>, ToManyKey<Other>>, _ condition: TypedPredicate<Other>
  ) -> TypedPredicate {
    collection(path, condition) { key, body in key.all(body) }
  }

  /// No object of a relationship satisfies a condition.
  public static func none<Other>(
    _ path: KeyPath<ObjectKeys<Object>, ToManyKey<Other>>, _ condition: TypedPredicate<Other>
  ) -> TypedPredicate {
    collection(path, condition) { key, body in key.none(body) }
  }

  private static func collection<Other>(
    _ path: KeyPath<ObjectKeys<Object>, ToManyKey<Other>>, _ condition: TypedPredicate<Other>,
    _ make: (Key, (Key) -> ObjectPredicate) -> ObjectPredicate
  ) -> TypedPredicate {
    TypedPredicate(
      make(ObjectKeys<Object>()[keyPath: path].expression) { element in
        condition.predicate.following(element.expression)
      })
  }

  // MARK: Relationships

  /// A to-one relationship leads to an object that satisfies a condition.
  public static func that<Other>(
    _ path: KeyPath<ObjectKeys<Object>, ToOneKey<Other>>, _ condition: TypedPredicate<Other>
  ) -> TypedPredicate {
    TypedPredicate(condition.predicate.following(ObjectKeys<Object>()[keyPath: path].expression.expression))
  }
}

extension TypedPredicate {
  // MARK: Texts

  /// The text contains another.
  public static func contains<Value: TextValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ text: String,
    _ options: ComparisonPredicate.Options = []
  ) -> TypedPredicate { TypedPredicate(path, .contains, text, options) }

  /// The text begins with another.
  public static func beginsWith<Value: TextValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ text: String,
    _ options: ComparisonPredicate.Options = []
  ) -> TypedPredicate { TypedPredicate(path, .beginsWith, text, options) }

  /// The text ends with another.
  public static func endsWith<Value: TextValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ text: String,
    _ options: ComparisonPredicate.Options = []
  ) -> TypedPredicate { TypedPredicate(path, .endsWith, text, options) }

  /// The texts are equal according to the options.
  public static func equals<Value: TextValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ text: String,
    _ options: ComparisonPredicate.Options = []
  ) -> TypedPredicate { TypedPredicate(path, .equalTo, text, options) }

  /// The whole text matches a pattern with `*` and `?`.
  public static func isLike<Value: TextValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ pattern: String,
    _ options: ComparisonPredicate.Options = []
  ) -> TypedPredicate { TypedPredicate(path, .like, pattern, options) }

  /// The whole text matches an ICU regular expression.
  public static func matches<Value: TextValue>(
    _ path: KeyPath<ObjectKeys<Object>, AttributeKey<Value>>, _ pattern: String,
    _ options: ComparisonPredicate.Options = []
  ) -> TypedPredicate { TypedPredicate(path, .matches, pattern, options) }
}

/// A Swift type of text attributes: `String`, an enumeration of texts, and their optionals.
public protocol TextValue: ManagedValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped: TextValue {}

extension ObjectPredicate {
  /// The predicate with its paths beginning at another expression instead of the object itself.
  func following(_ base: ObjectExpression) -> ObjectPredicate { replacing { $0.moved(to: base) } }
}
