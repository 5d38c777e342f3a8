/// An aggregate function over values that come one by one; nulls are left out.
///
/// Results do not depend on the order of the values: sums are exact until they are rounded once. Sums, means and medians
/// of decimals, and of decimals and whole numbers, are exact decimals; a binary64 number among them makes them such.
package struct AggregateAccumulator: Sendable {
  private let function: ExpressionFunction
  private let policy: ArithmeticPolicy
  private var count: Int64 = 0
  private var sum = ExactSum()
  /// The sum of the decimals; `nil` beyond 38 digits.
  private var decimals: ExactDecimal? = ExactDecimal(0, 0)
  /// The sum of the whole numbers that are no decimals.
  private var integers: Int128 = 0
  private var hasDecimal = false
  private var hasDouble = false
  private var best: AttributeValue?
  /// All values, where they are needed.
  private var values: [AttributeValue] = []
  private var seen: Set<ValueKey>?

  /// Begins with no values.
  ///
  /// - Parameters:
  ///   - function: One for which ``ExpressionFunction/isAggregate`` holds; others give null.
  ///   - isDistinct: Whether equal values count once.
  package init(_ function: ExpressionFunction, isDistinct: Bool = false) {
    self.init(function, isDistinct: isDistinct, .stored)
  }

  init(_ function: ExpressionFunction, isDistinct: Bool = false, _ policy: ArithmeticPolicy) {
    self.function = function
    self.policy = policy
    if isDistinct { seen = [] }
  }

  /// Adds a value.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when the function cannot take it.
  /// - Complexity: O(1) for counts, sums, averages, least and greatest; the others keep the value.
  package mutating func add(_ value: AttributeValue) throws(PredicateError) {
    guard !value.isNull else { return }
    if seen != nil, seen?.insert(ValueKey(value, policy)).inserted == false { return }
    count += 1
    switch function {
    case .sum, .average:
      let number = try number(value)
      note(value)
      sum.add(number)
    case .min, .max: try takeBetter(value)
    case .median:
      let number = try number(value).attributeValue
      values.append(value.isDecimal ? value : number)
    case .standardDeviation: values.append(try number(value).attributeValue)
    case .mode: values.append(value)
    default: break
    }
  }

  /// Takes a number into the exact sums.
  private mutating func note(_ value: AttributeValue) {
    switch value.number(.exact) {
    case .integer(let number): integers += Int128(number)
    case .decimal(let number):
      hasDecimal = true
      decimals = decimals.flatMap { try? ExactDecimal.compute(.add, $0, number) }
    case .double: hasDouble = true
    case nil: break
    }
  }

  /// Counts something that is not null.
  mutating func count(_ number: Int) { count += Int64(number) }

  /// The value of the function.
  ///
  /// - Throws: ``PredicateError`` with `overflow` when a sum of integers is beyond 64 bits, `typeMismatch` when the
  ///   values of `mode:` are of several kinds.
  package func result() throws(PredicateError) -> AttributeValue {
    switch function {
    case .count: return .integer(count)
    case .sum where policy == .exact && count > 0, .average where policy == .exact && count > 0:
      return try exactResult()
    case .sum where hasDecimal && !hasDouble, .average where hasDecimal && !hasDouble:
      // What takes more than 38 digits is a binary64 number.
      guard let total else { return .number(function == .sum ? sum.double : sum.double / Double(count)) }
      return .decimal(function == .sum ? total.number : total.mean(of: count).number)
    case .sum:
      guard sum.isInteger else { return .number(sum.double) }
      guard let integer = sum.integer else {
        throw PredicateError(
          .overflow, "the sum of whole numbers is beyond 64 bits", hint: "convert them: CAST(value, 'double')")
      }
      return .integer(integer)
    case .average: return count == 0 ? .null : .number(sum.double / Double(count))
    case .min, .max: return best ?? .null
    case .median: return try median()
    case .mode: return try mode()
    case .standardDeviation: return standardDeviation()
    default: return .null
    }
  }

  /// The sum of decimals and whole numbers; `nil` beyond 38 digits.
  private var total: ExactDecimal? {
    decimals.flatMap { try? ExactDecimal.compute(.add, $0, ExactDecimal(integers, 0)) }
  }

  /// A sum or a mean: a binary64 number where one is among the values, else an integer or a decimal.
  private func exactResult() throws(PredicateError) -> AttributeValue {
    if hasDouble {
      let result = function == .sum ? sum.double : sum.double / Double(count)
      guard result.isFinite else { throw PredicateError(.overflow, function) }
      return .double(result)
    }
    do throws(ArithmeticFailure) {
      guard let total else { throw .overflow }
      if function == .average {
        return .decimal(try ExactDecimal.compute(.divide, total, ExactDecimal(Int128(count), 0)).number)
      }
      if hasDecimal { return .decimal(total.number) }
      guard let integer = sum.integer else { throw .overflow }
      return .integer(integer)
    } catch {
      throw PredicateError(error, function)
    }
  }

  private func number(_ value: AttributeValue) throws(PredicateError) -> NumericValue {
    guard let number = value.number(policy) else {
      throw PredicateError(.typeMismatch, "\(function.rawValue) takes numbers, not \(value.kind)")
    }
    return number
  }

  private mutating func takeBetter(_ value: AttributeValue) throws(PredicateError) {
    guard let current = best else {
      best = value
      return
    }
    let isExact = value.isExactNumber && current.isExactNumber
    let order = try ValueComparison.order(value, current, isExact ? .exact : policy) ?? 0
    if function == .min ? order < 0 : order > 0 { best = value }
  }

  private func sorted() throws(PredicateError) -> [AttributeValue] {
    let family = values.first?.family
    for value in values where value.family != family {
      throw PredicateError(
        .typeMismatch, "\(function.rawValue) takes values of one kind, not \(values[0].kind) and \(value.kind)")
    }
    return values.sorted { (try? ValueComparison.order($0, $1, policy)) ?? 0 < 0 }
  }

  private func median() throws(PredicateError) -> AttributeValue {
    let sorted = try sorted()
    guard !sorted.isEmpty else { return .null }
    let middle = sorted.count / 2
    if sorted.count % 2 == 1 { return sorted[middle] }
    let pair = [sorted[middle - 1], sorted[middle]]
    if pair.allSatisfy(\.isExactNumber), policy == .exact || pair.contains(where: \.isDecimal) {
      var mean = AggregateAccumulator(.average, policy)
      for value in pair { try mean.add(value) }
      return try mean.result()
    }
    switch (pair[0].number(policy), pair[1].number(policy)) {
    case (.integer(let low), .integer(let high)): return .double(Double(Int128(low) + Int128(high)) / 2)
    case (let low?, let high?): return .number(low.asDouble / 2 + high.asDouble / 2)
    default: return .null
    }
  }

  private func mode() throws(PredicateError) -> AttributeValue {
    let sorted = try sorted()
    var mode: (value: AttributeValue, count: Int)?
    var start = 0
    while start < sorted.count {
      var end = start + 1
      while end < sorted.count, ValueComparison.areEqual(sorted[start], sorted[end], policy) { end += 1 }
      // The first of those that occur equally often is the least.
      if end - start > mode?.count ?? 0 { mode = (sorted[start], end - start) }
      start = end
    }
    return mode?.value ?? .null
  }

  /// Of the population: the root of the mean squared distance from the mean.
  private func standardDeviation() -> AttributeValue {
    guard count > 0 else { return .null }
    var total = ExactSum()
    for value in values {
      if let number = value.number { total.add(number) }
    }
    let mean = total.double / Double(count)
    var squares = ExactSum()
    for value in values {
      let distance = (value.number?.asDouble ?? mean) - mean
      squares.add(.double(distance * distance))
    }
    return .number((squares.double / Double(count)).squareRoot())
  }
}

extension AttributeValue {
  fileprivate var isDecimal: Bool { if case .decimal = self { true } else { false } }

  /// Whether it is a number, and no binary64 one.
  fileprivate var isExactNumber: Bool { number(.exact).map { !$0.isDouble } ?? false }
}
