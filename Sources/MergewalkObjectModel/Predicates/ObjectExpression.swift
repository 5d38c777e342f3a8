/// A value that is computed from an object: a constant, a property, a function of other expressions.
///
/// Expressions are plain values: they hold no closure, no object and no connection, so they go from task to task. The
/// same expression is evaluated in memory (``ObjectExpression/evaluate(with:variables:)``) and compiled to SQL by the store,
/// with one meaning.
/// Source: Apple, [NSExpression](https://developer.apple.com/documentation/foundation/nsexpression).
public indirect enum ObjectExpression: Hashable, Sendable {
  /// A value that does not depend on the object.
  case constant(ConstantValue)
  /// The object itself: `SELF`.
  case evaluatedObject
  /// A place for a value or an expression: `$NAME`, without its `$`.
  case variable(String)
  /// The property that a path leads to from a base: `customer.name`, `$x.amount`, `SUBQUERY(...).@count`.
  ///
  /// Plain key paths start from ``evaluatedObject``. The path is not empty.
  case path(ObjectExpression, PropertyPath)
  /// A function of the table in ``ExpressionFunction``. Arithmetic operators are functions too: `a + b` is `add:to:`.
  case function(ExpressionFunction, [ObjectExpression])
  /// A list of expressions: `{a, b, c}`.
  case aggregate([ObjectExpression])
  /// The elements of a collection for which a predicate holds: `SUBQUERY(collection, $variable, predicate)`.
  case subquery(ObjectExpression, variable: String, ObjectPredicate)
  /// `UNION`, `INTERSECT` or `MINUS` of two collections.
  case set(SetOperation, ObjectExpression, ObjectExpression)
  /// `TERNARY(predicate, first, second)`.
  case conditional(ObjectPredicate, ObjectExpression, ObjectExpression)
  /// One element of an ordered collection, or its size: `[3]`, `[FIRST]`, `[LAST]`, `[SIZE]`.
  case element(ObjectExpression, CollectionElement)
  /// `$NAME := expression`: has the expression's value, and gives it to the variable for what is evaluated after it.
  case assignment(variable: String, ObjectExpression)

  /// The key path of an object's own properties, such as `customer.name`.
  public static func keyPath(_ path: PropertyPath) -> ObjectExpression { .path(.evaluatedObject, path) }
}

/// The element that an index expression picks.
public indirect enum CollectionElement: Hashable, Sendable {
  /// The element at a place, counted from 0; also the value of a key when the collection is a dictionary.
  case at(ObjectExpression)
  /// `[FIRST]`.
  case first
  /// `[LAST]`.
  case last
  /// `[SIZE]`: how many elements there are.
  case size
}

/// How two collections make one; elements are compared as `==` compares them.
public enum SetOperation: String, Hashable, Sendable, CaseIterable {
  /// The elements of either.
  case union = "UNION"
  /// The elements of both.
  case intersect = "INTERSECT"
  /// The elements of the first that are not in the second.
  case minus = "MINUS"
}

/// The way from an object to a value: names of properties, and operators on the collections they lead to.
///
/// Source: Apple, Key-Value Coding Programming Guide, "Using Collection Operators".
public struct PropertyPath: Hashable, Sendable {
  /// One step.
  public enum Component: Hashable, Sendable {
    /// A property by its name.
    case property(String)
    /// An operator on the collection that the steps before it lead to; the steps after it lead from each element.
    case collectionOperator(CollectionOperator)
  }

  /// The steps; at least one.
  public var components: [Component]

  /// Creates a path of steps.
  public init(_ components: [Component]) { self.components = components }

  /// Splits a dotted path such as `customer.orders.@sum.amount` at its points.
  ///
  /// - Returns: `nil` when a step is empty or an operator is unknown.
  public init?(_ text: String) {
    var components: [Component] = []
    for step in text.split(separator: ".", omittingEmptySubsequences: false) {
      if step.isEmpty { return nil }
      if step.first == "@" {
        guard let known = CollectionOperator(rawValue: String(step)) else { return nil }
        components.append(.collectionOperator(known))
      } else {
        components.append(.property(String(step)))
      }
    }
    self.components = components
  }

  /// The names when every step is a property; `nil` when there is an operator.
  public var propertyNames: [String]? {
    var names: [String] = []
    for component in components {
      guard case .property(let name) = component else { return nil }
      names.append(name)
    }
    return names
  }
}

/// An operator on a collection inside a key path.
public enum CollectionOperator: String, Hashable, Sendable, CaseIterable {
  /// The number of elements.
  case count = "@count"
  /// The sum of the values that are not null; 0 for none.
  case sum = "@sum"
  /// Their mean; null for none.
  case average = "@avg"
  /// The least of them; null for none.
  case minimum = "@min"
  /// The greatest of them; null for none.
  case maximum = "@max"
  /// The values, each once.
  case distinctUnionOfObjects = "@distinctUnionOfObjects"
  /// The values.
  case unionOfObjects = "@unionOfObjects"
  /// The elements of all collections, each once.
  case distinctUnionOfArrays = "@distinctUnionOfArrays"
  /// The elements of all collections.
  case unionOfArrays = "@unionOfArrays"
  /// The elements of all sets, each once.
  case distinctUnionOfSets = "@distinctUnionOfSets"
}
