extension ObjectPredicate {
  /// The same predicate with SQL's meaning of null, as Core Data's SQLite stores have it: a comparison with a value that is
  /// null neither holds nor does its opposite.
  ///
  /// `size != 0` then leaves out objects without a size, and so does `NOT size == 0`. Comparisons with a constant `nil` ask
  /// whether there is a value, as ever. The result is a predicate like any other: it means the same in memory and in SQL,
  /// and prints as what it is. `ANY` and `ALL`, `CONTAINS` and closures are left as they are.
  ///
  /// ```swift
  /// request.predicate = try ObjectPredicate(format: "size != 0").missingNulls
  /// ```
  public var missingNulls: ObjectPredicate { certain(true) }

  /// What holds where the predicate is certainly true, or certainly false.
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
