extension ObjectPredicate {
  /// The same predicate with SQL's meaning of null, as in Core Data's SQLite stores: neither a comparison with a null
  /// value nor its opposite is true.
  ///
  /// `size != 0` then leaves out objects without a size, and so does `NOT size == 0`. Comparisons with a constant `nil`
  /// still test whether there is a value. The result is an ordinary predicate with the same meaning in memory and in
  /// SQL, and it can be printed. `ANY` and `ALL`, `CONTAINS` and closures do not change.
  ///
  /// ```swift
  /// request.predicate = try ObjectPredicate(format: "size != 0").missingNulls
  /// ```
  public var missingNulls: ObjectPredicate { certain(true) }

  /// The predicate that is true exactly where this one is certainly true, or certainly false.
  private func certain(_ isTrue: Bool) -> ObjectPredicate {
    switch self {
    case .value(let value): return .value(value == isTrue)
    case .and(let parts): return isTrue ? .and(parts.map { $0.certain(true) }) : .or(parts.map { $0.certain(false) })
    case .or(let parts): return isTrue ? .or(parts.map { $0.certain(true) }) : .and(parts.map { $0.certain(false) })
    case .not(let inner): return inner.certain(!isTrue)
    case .closure: return isTrue ? self : .not(self)
    case .comparison(let comparison):
      let sides = comparison.sidesThatMissNulls
      let holds = isTrue ? self : .not(self)
      return sides.isEmpty
        ? holds : .and([holds] + sides.map { .comparison(ComparisonPredicate($0, .notEqualTo, .null)) })
    }
  }
}

extension ComparisonPredicate {
  /// The sides that must not be null for the comparison to be true or false.
  fileprivate var sidesThatMissNulls: [ObjectExpression] {
    if modifier != .direct || left == .null || right == .null { return [] }
    switch comparison {
    case .contains: return []
    // The right side is a list.
    case .isIn, .between: return [left].filter(\.mayBeNull)
    default: return [left, right].filter(\.mayBeNull)
    }
  }
}

extension ObjectExpression {
  fileprivate static let null = ObjectExpression.constant(.null)

  fileprivate var mayBeNull: Bool { if case .constant = self { false } else { true } }
}
