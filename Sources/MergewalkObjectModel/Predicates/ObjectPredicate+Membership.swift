// `IN` in other words, which SQL and transforms make an IN of: each of them looks a value up among constants instead of
// comparing it with one after the other. The evaluator, which works on predicates as they are, does so for `ANY`, `ALL` and
// `CONTAINS`, and compares a chain of OR or AND part by part, as it ends with the first part that decides.

extension ComparisonPredicate {
  /// `a IN {1, 2}` for `ANY {1, 2} == a` and `{1, 2} CONTAINS a`, and its opposite for `ALL {1, 2} != a`; `nil` for other
  /// comparisons, and for lists of lists, which IN alone may search.
  package var membership: ObjectPredicate? {
    guard let isElement = asksForElement, case .constant(.collection(let list)) = left,
      list.allSatisfy(\.isSingle)
    else { return nil }
    let found = ObjectPredicate.comparison(ComparisonPredicate(right, .isIn, left, options: options))
    return isElement ? found : .not(found)
  }

  /// Whether the right side must be an element of the left one, or must not; `nil` when something else is asked.
  var asksForElement: Bool? {
    switch (modifier, comparison) {
    case (.direct, .contains), (.any, .equalTo): true
    case (.all, .notEqualTo): false
    default: nil
    }
  }
}

extension ObjectPredicate {
  /// How many comparisons of one value may follow each other before they become a list.
  package static let longestChain = 64

  /// The parts of an OR, or of an AND, where many parts in a row that compare one value become one: those of
  /// `a == 1 OR a == 2 …` an IN, those of `a != 1 AND a != 2 …` its opposite.
  package static func gathered(_ parts: [ObjectPredicate], ofOr isOr: Bool) -> [ObjectPredicate] {
    guard parts.count > longestChain else { return parts }
    var result: [ObjectPredicate] = []
    var start = 0
    while start < parts.count {
      guard let first = parts[start].equality(ofOr: isOr) else {
        result.append(parts[start])
        start += 1
        continue
      }
      var constants = [first.constant]
      while start + constants.count < parts.count,
        let next = parts[start + constants.count].equality(ofOr: isOr), next.options == first.options,
        next.value == first.value
      {
        constants.append(next.constant)
      }
      let end = start + constants.count
      if constants.count > longestChain {
        let list = ComparisonPredicate(
          first.value, .isIn, .constant(.collection(constants)), options: first.options)
        result.append(isOr ? .comparison(list) : .not(.comparison(list)))
      } else {
        result.append(contentsOf: parts[start..<end])
      }
      start = end
    }
    return result
  }

  /// The value and the constant that a part of an OR says to be equal, or a part of an AND not to be.
  private func equality(
    ofOr isOr: Bool
  ) -> (value: ObjectExpression, constant: ConstantValue, options: ComparisonPredicate.Options)? {
    switch self {
    case .not(let inner): return inner.equality(ofOr: !isOr)
    case .comparison(let comparison):
      guard comparison.modifier == .direct, comparison.comparison == (isOr ? .equalTo : .notEqualTo) else { return nil }
      switch (comparison.left, comparison.right) {
      case (.constant, .constant): return nil
      case (let value, .constant(let constant)) where constant.isSingle,
        (.constant(let constant), let value) where constant.isSingle:
        return (value, constant, comparison.options)
      default: return nil
      }
    default: return nil
    }
  }
}

extension ConstantValue {
  /// Whether it is neither a list nor a dictionary.
  fileprivate var isSingle: Bool {
    switch self {
    case .attribute, .objectID: true
    case .collection, .dictionary: false
    }
  }
}
