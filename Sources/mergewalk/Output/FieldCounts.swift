import MergewalkBytes

/// Counts by field, such as `Order.customer`, as commands print them.
enum FieldCounts {
  /// The counts in words, such as `Order.customer 3, Order.product 1`.
  static func list(_ counts: [(field: String, count: Int)]) -> String {
    counts.map { "\($0.field) \(Figures.grouped($0.count))" }.joined(separator: ", ")
  }

  /// The same as a list.
  static func json(_ counts: [(field: String, count: Int)]) -> JSONText {
    .array(counts.map { ["field": .string($0.field), "count": .integer($0.count)] })
  }

  /// The line of a summary about references that lead to nothing; `nil` when there are none.
  ///
  /// - Parameters:
  ///   - store: The store that has them, in words.
  ///   - outcome: The fate of the references.
  static func dangling(_ counts: [(field: String, count: Int)], of store: String, outcome: String) -> String? {
    if counts.isEmpty { return nil }
    return "  warning  references lead to objects that are not in \(store) or do not refer back (\(list(counts)));"
      + " \(outcome); mergewalk store verify lists them"
  }
}
