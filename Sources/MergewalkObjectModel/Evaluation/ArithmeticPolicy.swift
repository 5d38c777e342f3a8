/// The arithmetic of numbers, and the handling of an operation that has no result.
package enum ArithmeticPolicy: Sendable {
  /// As a store computes: decimals are integers or binary64 numbers, integers beyond 64 bits become binary64, and what
  /// has no result, such as a division by zero, is null.
  case stored
  /// Exactly or not at all: decimals stay decimal, and what has no result is an error.
  case exact
}

/// Why an operation has no result.
@usableFromInline package enum ArithmeticFailure: Error {
  /// The result is outside the range of its type.
  case overflow
  case divisionByZero
  /// The function has no value there: the root of a negative number.
  case undefined
}

extension PredicateError {
  init(_ failure: ArithmeticFailure, _ function: ExpressionFunction) {
    switch failure {
    case .overflow: self.init(.overflow, "the result of \(function.rawValue) is outside the range of its type")
    case .divisionByZero: self.init(.divisionByZero, "\(function.rawValue) divides by zero")
    case .undefined: self.init(.undefined, "\(function.rawValue) has no value for this number")
    }
  }
}

/// Operations of two numbers of one type.
extension ExpressionFunction {
  /// `+ - * /` and the modulus of whole numbers; a quotient is cut toward zero.
  @inlinable
  @inline(__always)
  package func integers(_ a: Int64, _ b: Int64) throws(ArithmeticFailure) -> Int64 {
    let result: (partialValue: Int64, overflow: Bool)
    switch self {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide:
      if b == 0 { throw .divisionByZero }
      result = a.dividedReportingOverflow(by: b)
    case .modulus:
      if b == 0 { throw .divisionByZero }
      return b == -1 ? 0 : a % b
    default: throw .undefined
    }
    if result.overflow { throw .overflow }
    return result.partialValue
  }

  /// The same of binary64 numbers; results may be infinite or NaN.
  @inlinable
  @inline(__always)
  package func doubles(_ a: Double, _ b: Double) throws(ArithmeticFailure) -> Double {
    switch self {
    case .add: return a + b
    case .subtract: return a - b
    case .multiply: return a * b
    case .divide:
      if b == 0 { throw .divisionByZero }
      return a / b
    case .modulus:
      if b == 0 { throw .divisionByZero }
      return a.truncatingRemainder(dividingBy: b)
    default: throw .undefined
    }
  }
}
