/// What an expression is when it is evaluated in memory.
public indirect enum EvaluatedValue {
  /// A single value, also ``AttributeValue/null``.
  case attribute(AttributeValue)
  /// A managed object, a dictionary, or anything else that has values by key.
  case object(any KeyedValues)
  /// The ID of an object that nobody looked into.
  case objectID(ManagedObjectID)
  /// A list of values; order and repetitions are kept.
  case collection([EvaluatedValue])

  /// No value.
  public static var null: EvaluatedValue { .attribute(.null) }
}

/// Something that predicates can look into: it has values by key.
public protocol KeyedValues {
  /// The value of a property.
  ///
  /// - Throws: ``PredicateError`` with `unknownKey` when there is no such property.
  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue
  /// The ID when this is a managed object, by which it is compared; `nil` for others.
  var evaluatedObjectID: ManagedObjectID? { get }
}
