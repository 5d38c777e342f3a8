import MergewalkBytes
import MergewalkSystem
import MergewalkDiagnostics

/// The functions of single values; both engines call these.
extension ExpressionFunction {
  /// Applies the function to single values; an aggregate function takes the arguments as its collection.
  ///
  /// Each call computes `now` and `random` again.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when a value is of the wrong kind, `unknownFunction` for too few
  ///   or too many values, `overflow` for a sum beyond 64 bits.
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

  /// Whether the function computes one value from a collection.
  public var isAggregate: Bool {
    switch self {
    case .average, .sum, .count, .min, .max, .median, .mode, .standardDeviation: true
    default: false
    }
  }

  /// Throws `unknownFunction` when the function does not take so many arguments.
  func checkCount(_ count: Int) throws(PredicateError) {
    guard !accepts(count) else { return }
    throw PredicateError(.unknownFunction, "\(rawValue) does not take \(PrintableText.count(count, "argument"))")
  }

  /// Seconds since 2001-01-01 00:00:00 UTC.
  package static func currentTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(Int64(time.tv_sec) - CivilDate.secondsTo2001) + Double(time.tv_nsec) / 1e9
  }

  // MARK: - One argument

  package func call(
    _ value: AttributeValue, _ policy: ArithmeticPolicy = .stored
  ) throws(PredicateError) -> AttributeValue {
    if self == .noIndex || value.isNull { return value.isNull ? .null : value }
    switch self {
    case .uppercase: return .string(TextFolding.uppercase(try text(value)))
    case .lowercase: return .string(TextFolding.lowercase(try text(value)))
    case .canonical: return .string(TextFolding.canonical(try text(value)))
    case .length: return .integer(Int64(try text(value).withBytes { TextBytes.utf16Length($0) }))
    default: break
    }
    let number = try number(value, policy)
    switch self {
    case .ceiling: return rounded(number, .up).attributeValue
    case .floor: return rounded(number, .down).attributeValue
    case .truncate: return rounded(number, .towardZero).attributeValue
    case .absolute: return try absolute(number, policy)
    case .onesComplement: return try integer(number.truncated.map { ~$0 }, policy)
    case .randomBelow:
      guard let limit = number.truncated, limit >= 1 else { return try nothing(.undefined, policy) }
      return .integer(Int64.random(in: 0..<limit))
    default: return try transcendental(number.asDouble, policy)
    }
  }

  private func transcendental(
    _ number: Double, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> AttributeValue {
    switch self {
    case .squareRoot: return try double(number.squareRoot(), policy)
    case .logarithm: return number > 0 ? try double(log10(number), policy) : try nothing(.undefined, policy)
    case .naturalLogarithm: return number > 0 ? try double(Glibc.log(number), policy) : try nothing(.undefined, policy)
    case .exponential: return try double(exp(number), policy)
    default: throw mismatch("\(rawValue) does not take a single value")
    }
  }

  private func rounded(_ number: NumericValue, _ rule: FloatingPointRoundingRule) -> NumericValue {
    switch number {
    case .integer: number
    case .decimal(let value): .decimal(value.rounded(0, rule))
    case .double(let value): .double(value.rounded(rule))
    }
  }

  private func absolute(_ number: NumericValue, _ policy: ArithmeticPolicy) throws(PredicateError) -> AttributeValue {
    switch number {
    case .integer(.min) where policy == .exact: throw PredicateError(.overflow, self)
    case .integer(.min): return .double(number.asDouble.magnitude)
    case .integer(let value): return .integer(Swift.abs(value))
    case .decimal(let value):
      return NumericValue.decimal(ExactDecimal(Swift.abs(value.digits), value.exponent)).attributeValue
    case .double(let value): return .double(value.magnitude)
    }
  }

  // MARK: - Two arguments

  /// Applies a function of two values.
  package func call(
    _ left: AttributeValue, _ right: AttributeValue, _ policy: ArithmeticPolicy = .stored
  ) throws(PredicateError) -> AttributeValue {
    switch self {
    case .cast: return try ValueCast.cast(left, to: right, policy)
    case .add, .subtract:
      if left.family == .date || right.family == .date { return try dateArithmetic(left, right, policy) }
    default: break
    }
    guard !left.isNull, !right.isNull else {
      // A text is wrong beside null too.
      if !left.isNull { _ = try number(left, policy) }
      if !right.isNull { _ = try number(right, policy) }
      return .null
    }
    let first = try number(left, policy)
    let second = try number(right, policy)
    switch self {
    case .add, .subtract, .multiply, .divide, .modulus: return try arithmetic(first, second, policy)
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
      guard let a = first.truncated, let b = second.truncated else { return try nothing(.overflow, policy) }
      return .integer(bits(a, b))
    case .raise:
      let (base, exponent) = (first.asDouble, second.asDouble)
      if base == 0, exponent < 0 { return try nothing(.divisionByZero, policy) }
      return try double(pow(base, exponent), policy)
    default: throw mismatch("\(rawValue) does not take two numbers")
    }
  }

  private func arithmetic(
    _ first: NumericValue, _ second: NumericValue, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> AttributeValue {
    do throws(ArithmeticFailure) {
      if case .integer(let a) = first, case .integer(let b) = second {
        do throws(ArithmeticFailure) {
          return .integer(try integers(a, b))
        } catch {
          // Beyond 64 bits a store goes on in binary64.
          guard error == .overflow, policy == .stored else { throw error }
        }
      } else if let a = first.exactDecimal, let b = second.exactDecimal {
        return .decimal(try ExactDecimal.compute(self, a, b).number)
      }
      let result = try doubles(first.asDouble, second.asDouble)
      if policy == .exact, !result.isFinite { throw .overflow }
      return .number(result)
    } catch {
      return try nothing(error, policy)
    }
  }

  // MARK: - Results

  /// A number of a function of the reals: NaN is none.
  private func double(_ result: Double, _ policy: ArithmeticPolicy) throws(PredicateError) -> AttributeValue {
    if policy == .exact, !result.isFinite { throw PredicateError(result.isNaN ? .undefined : .overflow, self) }
    return .number(result)
  }

  private func integer(_ result: Int64?, _ policy: ArithmeticPolicy) throws(PredicateError) -> AttributeValue {
    if let result { return .integer(result) }
    return try nothing(.overflow, policy)
  }

  /// The value in place of a missing result.
  private func nothing(
    _ failure: ArithmeticFailure, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> AttributeValue {
    if policy == .stored { return .null }
    throw PredicateError(failure, self)
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
    _ left: AttributeValue, _ right: AttributeValue, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> AttributeValue {
    switch (left, right) {
    case (.date(let first), .date(let second)) where self == .subtract: return try double(first - second, policy)
    case (.date(let date), let other) where other.isNull || other.number != nil:
      guard let seconds = other.number?.asDouble else { return .null }
      return try moved(self == .add ? date + seconds : date - seconds, policy)
    case (let other, .date(let date)) where other.isNull || (self == .add && other.number != nil):
      guard let seconds = other.number?.asDouble else { return .null }
      return try moved(seconds + date, policy)
    default: throw mismatch("\(rawValue) cannot take \(left.kind) and \(right.kind)")
    }
  }

  private func moved(_ date: Double, _ policy: ArithmeticPolicy) throws(PredicateError) -> AttributeValue {
    if policy == .exact, !date.isFinite { throw PredicateError(.overflow, self) }
    return date.isNaN ? .null : .date(date)
  }

  // MARK: - Arguments

  private func number(
    _ value: AttributeValue, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> NumericValue {
    guard let number = value.number(policy) else { throw mismatch("\(rawValue) takes numbers, not \(value.kind)") }
    return number
  }

  private func text(_ value: AttributeValue) throws(PredicateError) -> String {
    guard let text = value.text else { throw mismatch("\(rawValue) takes a text, not \(value.kind)") }
    return text
  }

  private func mismatch(_ message: String) -> PredicateError { PredicateError(.typeMismatch, message) }
}
