/// Values computed from keys.
extension Key {
  /// The sum, or a date later by seconds.
  public static func + (left: Key, right: some PredicateOperand) -> Key { left.function(.add, right) }
  /// The difference, a date earlier by seconds, or the seconds between two dates.
  public static func - (left: Key, right: some PredicateOperand) -> Key { left.function(.subtract, right) }
  /// The product.
  public static func * (left: Key, right: some PredicateOperand) -> Key { left.function(.multiply, right) }
  /// The quotient; that of two integers is truncated toward zero.
  public static func / (left: Key, right: some PredicateOperand) -> Key { left.function(.divide, right) }
  /// The remainder, with the sign of the left side.
  public static func % (left: Key, right: some PredicateOperand) -> Key { left.function(.modulus, right) }

  /// Any function of this value and others.
  public func function(_ function: ExpressionFunction, _ others: any PredicateOperand...) -> Key {
    Key(.function(function, [expression] + others.map(\.expression)))
  }

  /// A power of the value.
  public func power(_ exponent: some PredicateOperand) -> Key { function(.raise, exponent) }
  /// The absolute value of the number.
  public var absolute: Key { function(.absolute) }
  /// The text in upper case.
  public var uppercased: Key { function(.uppercase) }
  /// The text in lower case.
  public var lowercased: Key { function(.lowercase) }
  /// The number of UTF-16 code units of the text.
  public var length: Key { function(.length) }

  /// The number of objects or values.
  public var count: Key { self["@count"] }
  /// The sum of the values.
  public var sum: Key { function(.sum) }
  /// The mean of the values.
  public var average: Key { function(.average) }
  /// The smallest of the values.
  public var min: Key { function(.min) }
  /// The greatest of the values.
  public var max: Key { function(.max) }

  /// The first element of an ordered collection.
  public var first: Key { Key(.element(expression, .first)) }
  /// The last element of an ordered collection.
  public var last: Key { Key(.element(expression, .last)) }
}

extension ObjectPredicate {
  /// One value if a predicate is true and another one otherwise: `TERNARY`.
  public func choosing(_ first: some PredicateOperand, else second: some PredicateOperand) -> Key {
    Key(.conditional(self, first.expression, second.expression))
  }
}
