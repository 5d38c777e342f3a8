/// A predicate, or an expression in one.
package enum PredicatePart {
  case predicate(ObjectPredicate)
  case expression(ObjectExpression)

  /// What it directly consists of, in order.
  package var parts: [PredicatePart] {
    switch self {
    case .predicate(let predicate): Self.parts(predicate)
    case .expression(let expression): Self.parts(expression)
    }
  }

  private static func parts(_ predicate: ObjectPredicate) -> [PredicatePart] {
    switch predicate {
    case .value, .closure: []
    case .comparison(let comparison): [.expression(comparison.left), .expression(comparison.right)]
    case .and(let terms), .or(let terms): terms.map { .predicate($0) }
    case .not(let inner): [.predicate(inner)]
    }
  }

  private static func parts(_ expression: ObjectExpression) -> [PredicatePart] {
    switch expression {
    case .constant, .evaluatedObject, .variable: []
    case .path(let base, _): [.expression(base)]
    case .function(_, let arguments), .aggregate(let arguments): arguments.map { .expression($0) }
    case .subquery(let collection, _, let predicate): [.expression(collection), .predicate(predicate)]
    case .set(_, let left, let right): [.expression(left), .expression(right)]
    case .conditional(let predicate, let first, let second):
      [.predicate(predicate), .expression(first), .expression(second)]
    case .element(let base, .at(let index)): [.expression(base), .expression(index)]
    case .element(let base, _): [.expression(base)]
    case .assignment(_, let value): [.expression(value)]
    }
  }
}
