/// A value computed from an object: a constant, a property, a function of other expressions.
///
/// Expressions are plain values: they contain no closure, object or connection, so tasks can share them. The same
/// expression is evaluated in memory (``ObjectExpression/evaluate(with:variables:)``) and compiled to SQL by the store,
/// with the same meaning. Source: Apple,
/// [NSExpression](https://developer.apple.com/documentation/foundation/nsexpression).
public indirect enum ObjectExpression: Hashable, Sendable {
  /// A value that does not depend on the object.
  case constant(ConstantValue)
  /// The object itself: `SELF`.
  case evaluatedObject
  /// A placeholder for a value or an expression: `$NAME`, without its `$`.
  case variable(String)
  /// The property that a path leads to from a base: `customer.name`, `$x.amount`, `SUBQUERY(...).@count`.
  ///
  /// Plain key paths start from ``evaluatedObject``. The path must not be empty.
  case path(ObjectExpression, PropertyPath)
  /// A function of the table in ``ExpressionFunction``. Arithmetic operators are functions too: `a + b` is `add:to:`.
  case function(ExpressionFunction, [ObjectExpression])
  /// A list of expressions: `{a, b, c}`.
  case aggregate([ObjectExpression])
  /// The elements of a collection that satisfy a predicate: `SUBQUERY(collection, $variable, predicate)`.
  case subquery(ObjectExpression, variable: String, ObjectPredicate)
  /// `UNION`, `INTERSECT` or `MINUS` of two collections.
  case set(SetOperation, ObjectExpression, ObjectExpression)
  /// `TERNARY(predicate, first, second)`.
  case conditional(ObjectPredicate, ObjectExpression, ObjectExpression)
  /// One element of an ordered collection, or its size: `[3]`, `[FIRST]`, `[LAST]`, `[SIZE]`.
  case element(ObjectExpression, CollectionElement)
  /// `$NAME := expression`: has the expression's value, and assigns it to the variable for everything evaluated after
  /// it.
  case assignment(variable: String, ObjectExpression)

  /// The key path of an object's own properties, such as `customer.name`.
  public static func keyPath(_ path: PropertyPath) -> ObjectExpression { .path(.evaluatedObject, path) }
}

/// The element selected by an index expression.
public indirect enum CollectionElement: Hashable, Sendable {
  /// The element at a position, counted from 0; also the value of a key if the collection is a dictionary.
  case at(ObjectExpression)
  /// `[FIRST]`.
  case first
  /// `[LAST]`.
  case last
  /// `[SIZE]`: the number of elements.
  case size
}

/// An operation on two collections; elements are compared as with `==`.
public enum SetOperation: String, Hashable, Sendable, CaseIterable {
  /// The elements of either.
  case union = "UNION"
  /// The elements of both.
  case intersect = "INTERSECT"
  /// The elements of the first that are not in the second.
  case minus = "MINUS"
}

/// The path from an object to a value: names of properties, and operators on collections.
///
/// Source: Apple, Key-Value Coding Programming Guide, "Using Collection Operators".
public struct PropertyPath: Hashable, Sendable {
  /// One step.
  public enum Component: Hashable, Sendable {
    /// A property by its name.
    case property(String)
    /// An operator on the collection at the end of the steps before it; the steps after it apply to each element.
    case collectionOperator(CollectionOperator)

    /// Whether the step is `SELF`, in any case: the value itself, which formats and texts leave out of paths.
    var isSelf: Bool {
      if case .property(let name) = self { name.utf8.count == 4 && name.lowercased() == "self" } else { false }
    }
  }

  /// The steps; at least one.
  public var components: [Component]

  /// Creates a path from steps.
  public init(_ components: [Component]) { self.components = components }

  /// Splits a dotted path such as `customer.orders.@sum.amount` at its dots.
  ///
  /// Steps that are `SELF`, in any case, are left out beside others, as formats do: `SELF.name` is `name`.
  ///
  /// - Returns: `nil` if a step is empty or an operator is unknown.
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
    let others = components.filter { !$0.isSelf }
    self.components = others.isEmpty ? components : others
  }

  /// The steps with dots between them.
  package var text: String {
    components.map { component in
      switch component {
      case .property(let name): name
      case .collectionOperator(let known): known.rawValue
      }
    }.joined(separator: ".")
  }

  /// The names if every step is a property; `nil` if there is an operator.
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
  /// The smallest of them; null for none.
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
