/// The value of an expression that is evaluated in memory.
public enum EvaluatedValue {
  /// A single value, including ``AttributeValue/null``.
  case attribute(AttributeValue)
  /// A managed object, a dictionary, or anything else with values by key.
  case object(any KeyedValues)
  /// The ID of an object whose values are not available.
  case objectID(ManagedObjectID)
  /// A list of values; order and repetitions are kept.
  case collection([EvaluatedValue])

  /// No value.
  public static var null: EvaluatedValue { .attribute(.null) }

  /// A constant as a value.
  ///
  /// - Throws: ``PredicateError`` with `tooLarge` when lists nest deeper than 200.
  public init(_ constant: ConstantValue) throws(PredicateError) { self = try Self.value(constant, depth: 0) }

  private static func value(_ constant: ConstantValue, depth: Int) throws(PredicateError) -> EvaluatedValue {
    guard depth < ValueNesting.limit else { throw ValueNesting.tooDeep }
    switch constant {
    case .attribute(let value): return .attribute(value)
    case .objectID(let id): return .objectID(id)
    case .collection(let elements):
      var values: [EvaluatedValue] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try value(element, depth: depth + 1)) }
      return .collection(values)
    case .dictionary(let members):
      var values: [String: EvaluatedValue] = [:]
      for (key, member) in members { values[key] = try value(member, depth: depth + 1) }
      return .object(KeyedDictionary(values))
    }
  }

  /// Whether this is null or not a number (NaN).
  public var isNull: Bool {
    if case .attribute(let value) = self { return value.isNull }
    return false
  }

  /// The kind of the value, for messages.
  var kind: String {
    switch self {
    case .attribute(let value): value.kind
    case .object(let object): object.evaluatedObjectID == nil ? "a dictionary" : "an object"
    case .objectID: "an object"
    case .collection: "a collection"
    }
  }
}

/// A type with values by key, on which predicates can be evaluated.
public protocol KeyedValues {
  /// The value of a property.
  ///
  /// - Throws: ``PredicateError`` with `unknownKey` if there is no such property.
  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue
  /// The ID of a managed object, by which it is compared; `nil` for other values.
  var evaluatedObjectID: ManagedObjectID? { get }
}

/// Values by name; a missing name has the value null, as in `NSDictionary`.
///
/// Two dictionaries are equal if they have the same names with equal values. On the right of `IN` and the left of
/// `CONTAINS` a dictionary stands for its values.
public struct KeyedDictionary: KeyedValues {
  /// The values.
  public var values: [String: EvaluatedValue]

  /// Wraps values.
  public init(_ values: [String: EvaluatedValue]) { self.values = values }

  /// The value of a name, or null.
  public func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue { values[key] ?? .null }

  /// `nil`: a dictionary is not a managed object.
  public var evaluatedObjectID: ManagedObjectID? { nil }
}

extension EvaluatedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .attribute(.string(value)) }
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .attribute(.integer(value)) }
  /// Creates a binary64 number.
  public init(floatLiteral value: Double) { self = .attribute(.double(value)) }
  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .attribute(.boolean(value)) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a list.
  public init(arrayLiteral elements: EvaluatedValue...) { self = .collection(elements) }
  /// Creates values by key; the last of equal keys stays.
  public init(dictionaryLiteral elements: (String, EvaluatedValue)...) {
    self = .object(KeyedDictionary(Dictionary(elements, uniquingKeysWith: { $1 })))
  }
}

/// How deep lists may hold lists.
enum ValueNesting {
  static let limit = 200
  static let tooDeep = PredicateError(.tooLarge, "collections nest deeper than \(limit)")
}
