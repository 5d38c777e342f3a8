import MergewalkObjectModel

extension FetchRequest {
  /// Every property name that predicate and sort descriptors mention anywhere: more than they may need, never fewer.
  var propertyNames: Set<String> {
    var names = Set<String>()
    for descriptor in sortDescriptors {
      for name in descriptor.key.split(separator: ".") { names.insert(String(name)) }
    }
    predicate?.forEachPath { path, _ in
      for case .property(let name) in path.components { names.insert(name) }
    }
    return names
  }
}

extension ObjectPredicate {
  /// Calls `body` with every key path and the expression that it starts from.
  ///
  /// Walks without recursion, as deep as the predicate is.
  func forEachPath(_ body: (PropertyPath, ObjectExpression) -> Void) {
    var predicates = [self]
    var expressions: [ObjectExpression] = []
    while true {
      if let predicate = predicates.popLast() {
        switch predicate {
        case .value, .closure: break
        case .comparison(let comparison): expressions += [comparison.left, comparison.right]
        case .and(let parts), .or(let parts): predicates += parts
        case .not(let part): predicates.append(part)
        }
      } else if let expression = expressions.popLast() {
        switch expression {
        case .constant, .evaluatedObject, .variable: break
        case .path(let base, let path):
          body(path, base)
          expressions.append(base)
        case .function(_, let arguments), .aggregate(let arguments): expressions += arguments
        case .subquery(let collection, _, let predicate):
          expressions.append(collection)
          predicates.append(predicate)
        case .set(_, let left, let right): expressions += [left, right]
        case .conditional(let predicate, let first, let second):
          predicates.append(predicate)
          expressions += [first, second]
        case .element(let collection, let element):
          expressions.append(collection)
          if case .at(let index) = element { expressions.append(index) }
        case .assignment(_, let value): expressions.append(value)
        }
      } else {
        return
      }
    }
  }
}
