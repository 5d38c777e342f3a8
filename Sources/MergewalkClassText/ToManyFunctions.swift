/// Functions that change to-many relationships, under the names that Xcode gives them.
///
/// Code generation and `@Managed` write the same ones.
package struct ToManyFunctions {
  package struct Function {
    /// A summary of its effect, for its documentation.
    package var summary: String
    /// The text behind `func`.
    package var declaration: String
    package var statement: String
  }

  private let view: String
  private let suffix: String
  private let destination: String
  private let isOrdered: Bool
  private let sequence: String
  private let int: String
  private let array: String

  /// Names what the functions are about.
  ///
  /// - Parameters:
  ///   - view: The property, as it stands in code.
  ///   - suffix: What the functions' names end with: `Orders`.
  ///   - destination: The class of the objects.
  ///   - types: How `Sequence`, `Int` and `Array` are written in the file.
  package init(
    of view: String, suffix: String, destination: String, isOrdered: Bool,
    types: (sequence: String, int: String, array: String) = ("Sequence", "Int", "Array")
  ) {
    (self.view, self.suffix, self.destination, self.isOrdered) = (view, suffix, destination, isOrdered)
    (sequence, int, array) = types
  }

  /// All functions, in the order of the file.
  package var all: [Function] { (isOrdered ? ordered : []) + unordered }

  private var ordered: [Function] {
    [
      Function(
        summary: "Puts an object at a place.",
        declaration: "insertInto\(suffix)(_ value: \(destination), at index: \(int))",
        statement: "\(view).insert(value, at: index)"),
      Function(
        summary: "Takes away the object at a place.", declaration: "removeFrom\(suffix)(at index: \(int))",
        statement: "\(view).remove(at: index)"),
      Function(
        summary: "Puts objects at places, which count in the result and ascend.",
        declaration: "insertInto\(suffix)(_ values: [\(destination)], at indexes: [\(int)])",
        statement: "for (index, value) in zip(indexes, values) { \(view).insert(value, at: index) }"),
      Function(
        summary: "Takes away the objects at places, which ascend.",
        declaration: "removeFrom\(suffix)(at indexes: [\(int)])",
        statement: "for index in indexes.reversed() { \(view).remove(at: index) }"),
      Function(
        summary: "Puts an object in the place of another.",
        declaration: "replace\(suffix)(at index: \(int), with value: \(destination))",
        statement: "\(view).replace(at: index, with: value)"),
      Function(
        summary: "Puts objects in the places of others.",
        declaration: "replace\(suffix)(at indexes: [\(int)], with values: [\(destination)])",
        statement: "for (index, value) in zip(indexes, values) { \(view).replace(at: index, with: value) }"),
    ]
  }

  private var unordered: [Function] {
    [
      Function(
        summary: "Adds an object.", declaration: "addTo\(suffix)(_ value: \(destination))",
        statement: "\(view).insert(value)"),
      Function(
        summary: "Takes an object away.", declaration: "removeFrom\(suffix)(_ value: \(destination))",
        statement: "\(view).remove(value)"),
      Function(
        summary: "Adds objects.", declaration: "addTo\(suffix)(_ values: some \(sequence)<\(destination)>)",
        statement: "for value in values { \(view).insert(value) }"),
      // The values may be the relationship's own, which must not change under the loop.
      Function(
        summary: "Takes objects away.", declaration: "removeFrom\(suffix)(_ values: some \(sequence)<\(destination)>)",
        statement: "for value in \(array)(values) { \(view).remove(value) }"),
    ]
  }
}

/// Names of a model in code.
package enum ClassNames {
  /// The name with a capital at its beginning, as accessors have it: `orders` becomes `Orders`.
  package static func capitalised(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}
