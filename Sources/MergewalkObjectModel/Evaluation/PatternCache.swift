/// The patterns that an evaluator has compiled, by their text and options.
struct PatternCache {
  private struct Key: Hashable {
    var pattern: TextKey
    var options: ComparisonPredicate.Options
  }

  /// Patterns may come from the objects: when there are this many, all are forgotten.
  private static let capacity = 128

  private var likes: [Key: LikePattern] = [:]
  private var regularExpressions: [Key: TextPattern] = [:]

  mutating func like(_ pattern: String, _ options: ComparisonPredicate.Options) -> LikePattern {
    let key = Key(pattern: TextKey(pattern), options: options)
    if let known = likes[key] { return known }
    if likes.count >= Self.capacity { likes.removeAll() }
    let made = LikePattern(pattern, options: options)
    likes[key] = made
    return made
  }

  /// Whether a text matches an expression: `[c]` is ICU's flag, with `[d]` both are folded with it alone first.
  mutating func matches(
    _ text: String, _ pattern: String, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Bool {
    let options = TextFolding.effective(options)
    let key = Key(pattern: TextKey(pattern), options: options)
    let expression: TextPattern
    if let known = regularExpressions[key] {
      expression = known
    } else {
      if regularExpressions.count >= Self.capacity { regularExpressions.removeAll() }
      expression = try TextPattern(predicate: pattern, options)
      regularExpressions[key] = expression
    }
    return try expression.match(text, options)
  }
}

extension TextPattern {
  /// The expression of a `MATCHES` with its options.
  ///
  /// - Throws: ``PredicateError`` with `pattern` when it is malformed or too large.
  package init(predicate pattern: String, _ options: ComparisonPredicate.Options) throws(PredicateError) {
    let options = TextFolding.effective(options)
    let source = TextFolding.fold(pattern, options.intersection(.diacriticInsensitive))
    do throws(TextPatternError) {
      self = try TextPattern(source, ignoresCase: options.contains(.caseInsensitive))
    } catch {
      throw PredicateError(.pattern, "the regular expression cannot be used: \(error.message)")
    }
  }

  /// Whether a text matches the expression of a `MATCHES` with its options.
  ///
  /// - Throws: ``PredicateError`` with `patternTimeLimit` when that takes too many steps.
  package func match(_ text: String, _ options: ComparisonPredicate.Options) throws(PredicateError) -> Bool {
    let folded = TextFolding.fold(text, TextFolding.effective(options).intersection(.diacriticInsensitive))
    return try folded.withBytes { bytes throws(PredicateError) in try match(bytes) }
  }
}

/// Sets of the constants of long lists, so that `IN` looks up instead of comparing with each.
struct ConstantSetCache {
  private static let capacity = 32

  private struct Key: Hashable {
    var address: Int
    var options: ComparisonPredicate.Options
  }

  private struct Entry {
    /// Keeps the list's memory, so that no other list has its address.
    var list: [ConstantValue]
    /// `nil` where there is none, which would take as long to find out for each object.
    var set: ConstantSet?
  }

  private var entries: [Key: Entry] = [:]

  /// The set of a list's elements; `nil` where there is none (see ``ConstantSet/init(_:_:_:)``).
  mutating func set(
    _ list: [ConstantValue], _ options: ComparisonPredicate.Options, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> ConstantSet? {
    guard ConstantSet.isFit(list) else { return nil }
    let key = Key(address: list.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }, options: options)
    if let known = entries[key], known.list.count == list.count { return known.set }
    let set = try ConstantSet(list, options, policy)
    if entries.count >= Self.capacity { entries.removeAll() }
    entries[key] = Entry(list: list, set: set)
    return set
  }
}

/// The elements of a list of constants.
package struct ConstantSet: Sendable {
  /// Shorter lists are compared one by one.
  private static let leastCount = 8

  fileprivate static func isFit(_ list: [ConstantValue]) -> Bool { list.count >= leastCount }

  /// How texts are compared.
  private let options: ComparisonPredicate.Options
  private var keys: Set<ValueKey> = []
  /// The keys by which binary64 numbers are found, where others are distinguished in another way.
  private var storedKeys: Set<ValueKey> = []

  /// Whether an element is a list.
  private(set) var hasLists = false

  /// `nil` for short lists, and where decimals would have to be compared with constants that are binary64 numbers.
  package init?(
    _ list: [ConstantValue], _ options: ComparisonPredicate.Options, _ policy: ArithmeticPolicy
  ) throws(PredicateError) {
    guard Self.isFit(list) else { return nil }
    self.options = options
    keys.reserveCapacity(list.count)
    for element in list {
      keys.insert(try ValueKey(element, policy, options: options))
      if case .collection = element { hasLists = true }
      guard policy == .exact else { continue }
      if case .attribute(.double) = element { return nil }
      storedKeys.insert(try ValueKey(element, options: options))
    }
  }

  /// Whether a single value is among them.
  package func contains(_ value: AttributeValue, _ policy: ArithmeticPolicy) -> Bool {
    if policy == .exact, case .double = value { return storedKeys.contains(ValueKey(value)) }
    return keys.contains(ValueKey(value, policy, options: options))
  }

  func contains(_ value: EvaluatedValue, _ policy: ArithmeticPolicy) throws(PredicateError) -> Bool {
    if case .attribute(let value) = value { return contains(value, policy) }
    return keys.contains(try ValueKey(value, policy, options: options))
  }
}
