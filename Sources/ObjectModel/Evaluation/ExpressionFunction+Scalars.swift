import Glibc

/// The functions of single values; both engines call these.
extension ExpressionFunction {
  /// Applies the function to single values; an aggregate function takes the arguments as its collection.
  ///
  /// `now` and `random` are computed anew by each call.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when a value is of the wrong kind, `unknownFunction` when there
  ///   are too few or too many, `overflow` when a sum is beyond 64 bits.
  public func call(_ arguments: [AttributeValue]) throws(PredicateError) -> AttributeValue {
    if isAggregate {
      var aggregate = AggregateAccumulator(self)
      for argument in arguments { try aggregate.add(argument) }
      return try aggregate.result()
    }
    try checkCount(arguments.count)
    switch arguments.count {
    case 0: return self == .now ? .date(Self.currentTime()) : .double(Double.random(in: 0..<1))
    case 1: return try call(arguments[0])
    default: return try call(arguments[0], arguments[1])
    }
  }

  /// Whether the function makes one value of a collection.
  public var isAggregate: Bool {
    switch self {
    case .average, .sum, .count, .min, .max, .median, .mode, .standardDeviation: true
    default: false
    }
  }

  /// Throws `unknownFunction` when the function does not take so many arguments.
  func checkCount(_ count: Int) throws(PredicateError) {
    guard !accepts(count) else { return }
    throw PredicateError(.unknownFunction, "\(rawValue) does not take \(count) argument\(count == 1 ? "" : "s")")
  }

  /// Seconds since 2001-01-01 00:00:00 UTC.
  package static func currentTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) / 1e9
  }

  // MARK: - One argument

  /// Applies a function of one value.
  package func call(_ value: AttributeValue) throws(PredicateError) -> AttributeValue {
    if self == .noIndex || value.isNull { return value.isNull ? .null : value }
    switch self {
    case .uppercase: return .string(TextFolding.uppercase(try text(value)))
    case .lowercase: return .string(TextFolding.lowercase(try text(value)))
    case .canonical: return .string(TextFolding.canonical(try text(value)))
    case .length: return .integer(Int64(try text(value).withBytes { TextBytes.utf16Length($0) }))
    default: break
    }
    let number = try number(value)
    let double = number.asDouble
    switch self {
    case .squareRoot: return .number(double.squareRoot())
    case .logarithm: return double > 0 ? .number(log10(double)) : .null
    case .naturalLogarithm: return double > 0 ? .number(Glibc.log(double)) : .null
    case .exponential: return .number(exp(double))
    case .ceiling: return rounded(number, .up)
    case .floor: return rounded(number, .down)
    case .truncate: return rounded(number, .towardZero)
    case .absolute:
      guard case .integer(let integer) = number, integer != .min else { return .number(double.magnitude) }
      return .integer(Swift.abs(integer))
    case .onesComplement: return number.truncated.map { .integer(~$0) } ?? .null
    case .randomBelow:
      guard let limit = number.truncated, limit >= 1 else { return .null }
      return .integer(Int64.random(in: 0..<limit))
    default: throw mismatch("\(rawValue) does not take a single value")
    }
  }

  private func rounded(_ number: NumericValue, _ rule: FloatingPointRoundingRule) -> AttributeValue {
    switch number {
    case .integer(let value): .integer(value)
    case .double(let value): .double(value.rounded(rule))
    }
  }

  // MARK: - Two arguments

  /// Applies a function of two values.
  package func call(_ left: AttributeValue, _ right: AttributeValue) throws(PredicateError) -> AttributeValue {
    switch self {
    case .cast: return try ValueCast.cast(left, to: right)
    case .add, .subtract:
      if left.family == .date || right.family == .date { return try dateArithmetic(left, right) }
    default: break
    }
    guard !left.isNull, !right.isNull else {
      // A text is wrong beside null too.
      if !left.isNull { _ = try number(left) }
      if !right.isNull { _ = try number(right) }
      return .null
    }
    let first = try number(left)
    let second = try number(right)
    switch self {
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
      guard let a = first.truncated, let b = second.truncated else { return .null }
      return .integer(bits(a, b))
    case .raise:
      let base = first.asDouble
      let exponent = second.asDouble
      // A division by zero.
      if base == 0, exponent < 0 { return .null }
      return .number(pow(base, exponent))
    default: break
    }
    if case .integer(let a) = first, case .integer(let b) = second, let result = try integers(a, b) { return result }
    return try doubles(first.asDouble, second.asDouble)
  }

  /// The result as an integer or null; `nil` when it is beyond 64 bits.
  @inline(__always)
  private func integers(_ a: Int64, _ b: Int64) throws(PredicateError) -> AttributeValue? {
    let result: (partialValue: Int64, overflow: Bool)
    switch self {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide:
      if b == 0 { return .null }
      result = a.dividedReportingOverflow(by: b)
    case .modulus:
      if b == 0 { return .null }
      return .integer(b == -1 ? 0 : a % b)
    default: throw mismatch("\(rawValue) does not take two numbers")
    }
    return result.overflow ? nil : .integer(result.partialValue)
  }

  private func doubles(_ a: Double, _ b: Double) throws(PredicateError) -> AttributeValue {
    switch self {
    case .add: return .number(a + b)
    case .subtract: return .number(a - b)
    case .multiply: return .number(a * b)
    case .divide: return b == 0 ? .null : .number(a / b)
    case .modulus: return b == 0 ? .null : .number(fmod(a, b))
    default: throw mismatch("\(rawValue) does not take two numbers")
    }
  }

  private func bits(_ a: Int64, _ b: Int64) -> Int64 {
    switch self {
    case .bitwiseAnd: a & b
    case .bitwiseOr: a | b
    case .bitwiseXor: a ^ b
    // Swift's smart shifts do as SQLite: 64 and more leave no bit, negative ones shift the other way.
    case .leftShift: a << b
    default: a >> b
    }
  }

  /// date ± number, number + date, date - date.
  private func dateArithmetic(
    _ left: AttributeValue, _ right: AttributeValue
  ) throws(PredicateError) -> AttributeValue {
    switch (left, right) {
    case (.date(let first), .date(let second)) where self == .subtract: return .number(first - second)
    case (.date(let date), let other) where other.isNull || other.number != nil:
      guard let seconds = other.number?.asDouble else { return .null }
      let result = self == .add ? date + seconds : date - seconds
      return result.isNaN ? .null : .date(result)
    case (let other, .date(let date)) where other.isNull || (self == .add && other.number != nil):
      guard let seconds = other.number?.asDouble else { return .null }
      let result = seconds + date
      return result.isNaN ? .null : .date(result)
    default: throw mismatch("\(rawValue) cannot take \(left.kind) and \(right.kind)")
    }
  }

  // MARK: - Arguments

  private func number(_ value: AttributeValue) throws(PredicateError) -> NumericValue {
    guard let number = value.number else { throw mismatch("\(rawValue) takes numbers, not \(value.kind)") }
    return number
  }

  private func text(_ value: AttributeValue) throws(PredicateError) -> String {
    guard let text = value.text else { throw mismatch("\(rawValue) takes a text, not \(value.kind)") }
    return text
  }

  private func mismatch(_ message: String) -> PredicateError { PredicateError(.typeMismatch, message) }
}
