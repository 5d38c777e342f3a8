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

  /// The pattern of a `LIKE`.
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
  /// Shorter lists are compared one by one.
  private static let leastCount = 8
  private static let capacity = 32

  private struct Entry {
    /// Keeps the list's memory, so that no other list has its address.
    var list: [ConstantValue]
    var keys: Set<ValueKey>
  }

  private var entries: [Int: Entry] = [:]

  /// The set of a list's elements; `nil` for short lists and for texts that are compared with options.
  mutating func set(
    _ list: [ConstantValue], _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> Set<ValueKey>? {
    guard list.count >= Self.leastCount, options.subtracting(.normalized).isEmpty || options.contains(.normalized)
    else { return nil }
    let address = list.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    if let known = entries[address], known.list.count == list.count { return known.keys }
    var keys: Set<ValueKey> = []
    keys.reserveCapacity(list.count)
    for element in list { keys.insert(try ValueKey(element)) }
    if entries.count >= Self.capacity { entries.removeAll() }
    entries[address] = Entry(list: list, keys: keys)
    return keys
  }
}
