/// The values of one criterion for all objects that are ordered, in a form that is compared without looking at kinds.
struct SortColumn {
  private enum Key {
    case null
    case integer(Int64)
    case double(Double)
    /// A text's bytes, folded where the criterion says so, binary data, or the sort key of a collation.
    case bytes([UInt8])
    case uuid(UInt64, UInt64)
  }

  private var keys: [Key] = []
  /// The values that a custom criterion compares.
  private var values: [EvaluatedValue] = []
  private let closure: SortClosure?
  private let ascending: Bool

  /// Prepares values.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when they are of several kinds or have no order, `toManyKey` for
  ///   collections.
  init(_ descriptor: ObjectSortDescriptor, _ values: [EvaluatedValue]) throws(PredicateError) {
    ascending = descriptor.ascending
    if case .custom(let closure) = descriptor.comparison {
      self.closure = closure
      self.values = values
      return
    }
    closure = nil
    keys.reserveCapacity(values.count)
    var first: EvaluatedValue?
    for value in values {
      guard !value.isNull else {
        keys.append(.null)
        continue
      }
      // Comparing with the first says what is wrong with a value; each is compared with itself too when it is alone.
      try descriptor.check(value, first ?? value)
      first = first ?? value
      if case .attribute(let single) = value { keys.append(Self.key(single, descriptor.comparison)) }
    }
  }

  /// Below 0, 0 or above 0 as the first object comes before, with or after the second.
  @inline(__always)
  func compare(_ left: Int, _ right: Int) -> Int {
    let order = closure?.body(values[left], values[right]) ?? Self.compare(keys[left], keys[right])
    return ascending ? order : order > 0 ? -1 : order < 0 ? 1 : 0
  }

  private static func compare(_ left: Key, _ right: Key) -> Int {
    switch (left, right) {
    case (.integer(let first), .integer(let second)): return first == second ? 0 : first < second ? -1 : 1
    case (.double(let first), .double(let second)): return first == second ? 0 : first < second ? -1 : 1
    case (.bytes(let first), .bytes(let second)):
      return first.withUnsafeBufferPointer { bytes in
        second.withUnsafeBufferPointer { TextBytes.compare(bytes, $0) }
      }
    case (.integer(let first), .double(let second)): return NumericValue.compare(.integer(first), .double(second))
    case (.double(let first), .integer(let second)): return NumericValue.compare(.double(first), .integer(second))
    case (.uuid(let firstHigh, let firstLow), .uuid(let secondHigh, let secondLow)):
      if firstHigh != secondHigh { return firstHigh < secondHigh ? -1 : 1 }
      return firstLow == secondLow ? 0 : firstLow < secondLow ? -1 : 1
    case (.null, .null): return 0
    case (.null, _): return -1
    default: return 1
    }
  }

  private static func key(_ value: AttributeValue, _ comparison: ObjectSortDescriptor.Comparison) -> Key {
    switch value {
    case .string(let text), .uri(let text): return .bytes(bytes(text, comparison))
    case .date(let seconds): return .double(seconds)
    case .binary(let bytes): return .bytes(bytes)
    case .uuid(let high, let low): return .uuid(high, low)
    default:
      switch value.number {
      case .integer(let number): return .integer(number)
      case .double(let number): return .double(number)
      case .decimal, nil: return .null
      }
    }
  }

  private static func bytes(_ text: String, _ comparison: ObjectSortDescriptor.Comparison) -> [UInt8] {
    text.withBytes { bytes in
      switch comparison {
      case .standard, .custom: Array(bytes)
      case .folded(let options): TextFolding.fold(bytes, options)
      case .localized: TextCollation.standard.sortKey(bytes)
      case .localizedCaseInsensitive: TextCollation.caseInsensitive.sortKey(bytes)
      case .localizedStandard: TextCollation.numeric.sortKey(bytes)
      }
    }
  }
}

extension ObjectSortDescriptor {
  /// Throws what ``compare(_:_:)`` throws, without the work of comparing texts.
  fileprivate func check(_ left: EvaluatedValue, _ right: EvaluatedValue) throws(PredicateError) {
    if case .attribute(let first) = left, case .attribute(let second) = right, first.family == second.family { return }
    _ = try compare(left, right)
  }
}
