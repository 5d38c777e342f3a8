/// The functions of expressions, by their `NSExpression` names.
///
/// Source: Apple, [NSExpression
/// init(forFunction:arguments:)](https://developer.apple.com/documentation/foundation/nsexpression/1413747-init).
public enum ExpressionFunction: String, Hashable, Sendable, CaseIterable {
  // Of a collection; nulls are left out.
  case average = "average:"
  case sum = "sum:"
  case count = "count:"
  case min = "min:"
  case max = "max:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"
  /// The elements, each once.
  case distinct = "distinct:"
  // Of two numbers.
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case raise = "raise:toPower:"
  // Of a number.
  case squareRoot = "sqrt:"
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case exponential = "exp:"
  case ceiling = "ceiling:"
  case floor = "floor:"
  case absolute = "abs:"
  case truncate = "trunc:"
  case random = "random"
  case randomBelow = "random:"
  // Of bits.
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  // Of texts.
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  /// The text in the form that ``ComparisonPredicate/Options`` `[cd]` compares.
  case canonical = "canonical:"
  case length = "length:"
  // Others.
  case now = "now"
  case noIndex = "noindex:"
  case cast = "castObject:toType:"
  case objectWithIndex = "objectFrom:withIndex:"
  case distance = "distanceToLocation:fromLocation:"
}
