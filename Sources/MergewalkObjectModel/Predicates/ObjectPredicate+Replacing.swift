extension ObjectPredicate {
  /// A copy in which expressions are replaced by others, the outermost first; nothing is looked for inside of what was
  /// replaced.
  ///
  /// Recursive: predicates come from the parser, which limits their depth.
  package func replacing<Failure: Error>(
    _ body: (ObjectExpression) throws(Failure) -> ObjectExpression?
  ) throws(Failure) -> ObjectPredicate {
    switch self {
    case .value, .closure: return self
    case .comparison(var comparison):
      comparison.left = try comparison.left.replacing(body)
      comparison.right = try comparison.right.replacing(body)
      return .comparison(comparison)
    case .and(let parts): return .and(try parts.map { part throws(Failure) in try part.replacing(body) })
    case .or(let parts): return .or(try parts.map { part throws(Failure) in try part.replacing(body) })
    case .not(let part): return .not(try part.replacing(body))
    }
  }
}

extension ObjectExpression {
  /// A copy as `ObjectPredicate.replacing(_:)` makes it.
  package func replacing<Failure: Error>(
    _ body: (ObjectExpression) throws(Failure) -> ObjectExpression?
  ) throws(Failure) -> ObjectExpression {
    if let replacement = try body(self) { return replacement }
    switch self {
    case .constant, .evaluatedObject, .variable: return self
    case .path(let base, let path): return .path(try base.replacing(body), path)
    case .function(let function, let arguments):
      return .function(function, try arguments.map { part throws(Failure) in try part.replacing(body) })
    case .aggregate(let elements):
      return .aggregate(try elements.map { part throws(Failure) in try part.replacing(body) })
    case .subquery(let collection, let variable, let predicate):
      return .subquery(
        try collection.replacing(body), variable: variable, try predicate.replacing(body))
    case .set(let operation, let left, let right):
      return .set(operation, try left.replacing(body), try right.replacing(body))
    case .conditional(let predicate, let first, let second):
      return .conditional(
        try predicate.replacing(body), try first.replacing(body), try second.replacing(body))
    case .element(let collection, .at(let index)):
      return .element(try collection.replacing(body), .at(try index.replacing(body)))
    case .element(let collection, let element): return .element(try collection.replacing(body), element)
    case .assignment(let variable, let value):
      return .assignment(variable: variable, try value.replacing(body))
    }
  }
}
