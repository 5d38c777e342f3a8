/// The kinds of values between which comparisons have a meaning.
package enum ValueFamily: Sendable {
  /// Booleans, integers, Double, Float and Decimal.
  case number
  /// Texts and URIs.
  case text
  /// Points in time.
  case date
  case binary
  case uuid
}

extension AttributeValue {
  /// The family; `nil` for null and NaN, which are of every family.
  @inline(__always)
  package var family: ValueFamily? {
    switch self {
    case .null: nil
    case .boolean, .integer, .decimal: .number
    case .double(let value): value.isNaN ? nil : .number
    case .date(let value): value.isNaN ? nil : .date
    case .string, .uri: .text
    case .binary: .binary
    case .uuid: .uuid
    }
  }

  /// Whether this is null, or a number that is none (NaN).
  @inline(__always)
  package var isNull: Bool { family == nil }

  /// The text of a string or a URI; `nil` for others.
  @inline(__always)
  package var text: String? {
    switch self {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }

  /// The kind of the value, for messages.
  package var kind: String {
    switch family {
    case nil: "null"
    case .number: "a number"
    case .text: "a text"
    case .date: "a date"
    case .binary: "binary data"
    case .uuid: "a UUID"
    }
  }
}

/// How single values are compared, in memory and in SQL alike: see `docs/predicates.md`.
package enum ValueComparison {
  package typealias Options = ComparisonPredicate.Options

  /// `left == right`: null is equal to null only, and values of different families are not equal.
  package static func areEqual(
    _ left: AttributeValue, _ right: AttributeValue, options: Options = [], _ policy: ArithmeticPolicy = .stored
  ) -> Bool {
    guard let family = left.family else { return right.isNull }
    guard right.family == family else { return false }
    return order(left, right, options, policy) == 0
  }

  /// -1, 0 or 1 as the first value comes before, with or after the second; `nil` when a value is null.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when the values are of different families.
  package static func order(
    _ left: AttributeValue, _ right: AttributeValue, options: Options = [], _ policy: ArithmeticPolicy = .stored
  ) throws(PredicateError) -> Int? {
    guard let family = left.family, let other = right.family else { return nil }
    guard family == other else {
      throw PredicateError(
        .typeMismatch, "\(left.kind) cannot be compared with \(right.kind)",
        hint: "compare values of one kind, or convert one with CAST(value, 'type')")
    }
    return order(left, right, options, policy)
  }

  /// The order of sorting: null comes first, then as ``order(_:_:options:)``.
  package static func sortOrder(
    _ left: AttributeValue, _ right: AttributeValue, _ comparison: ObjectSortDescriptor.Comparison = .standard
  ) throws(PredicateError) -> Int {
    if left.isNull || right.isNull { return left.isNull == right.isNull ? 0 : left.isNull ? -1 : 1 }
    let collation: TextCollation
    switch comparison {
    case .standard: return try order(left, right) ?? 0
    case .folded(let options): return try order(left, right, options: options.subtracting(.localeSensitive)) ?? 0
    case .localized: collation = .standard
    case .localizedCaseInsensitive: collation = .caseInsensitive
    case .localizedStandard: collation = .numeric
    case .custom(let closure): return closure.body(.attribute(left), .attribute(right))
    }
    guard let first = left.text, let second = right.text else { return try order(left, right) ?? 0 }
    return first.withBytes { bytes in second.withBytes { collation.compare(bytes, $0) } }
  }

  /// The order of two values of one family.
  @inline(__always)
  private static func order(
    _ left: AttributeValue, _ right: AttributeValue, _ options: Options, _ policy: ArithmeticPolicy
  ) -> Int {
    switch (left, right) {
    case (.string(let first), .string(let second)), (.string(let first), .uri(let second)),
      (.uri(let first), .string(let second)), (.uri(let first), .uri(let second)):
      return first.withBytes { bytes in second.withBytes { TextComparison.compare(bytes, $0, options) } }
    case (.date(let first), .date(let second)): return first == second ? 0 : first < second ? -1 : 1
    case (.binary(let first), .binary(let second)):
      return first.withUnsafeBufferPointer { bytes in
        second.withUnsafeBufferPointer { TextBytes.compare(bytes, $0) }
      }
    case (.uuid(let firstHigh, let firstLow), .uuid(let secondHigh, let secondLow)):
      if firstHigh != secondHigh { return firstHigh < secondHigh ? -1 : 1 }
      return firstLow == secondLow ? 0 : firstLow < secondLow ? -1 : 1
    default:
      guard let first = left.number(policy), let second = right.number(policy) else { return 0 }
      return NumericValue.compare(first, second)
    }
  }
}
