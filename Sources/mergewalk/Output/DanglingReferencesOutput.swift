import MergewalkBytes

/// References to objects that are not there, as commands print them.
enum DanglingReferencesOutput {
  /// The line of a summary; `nil` when there are none.
  ///
  /// - Parameters:
  ///   - store: The store that has them, in words.
  ///   - outcome: The fate of the references.
  static func words(_ counts: [(field: String, count: Int)], of store: String, outcome: String) -> String? {
    if counts.isEmpty { return nil }
    let list = counts.map { "\($0.field) \(Figures.grouped($0.count))" }.joined(separator: ", ")
    return "  warning  references lead to objects that are not in \(store) or do not refer back (\(list)); \(outcome);"
      + " mergewalk store verify lists them"
  }

  /// The same as a list.
  static func json(_ counts: [(field: String, count: Int)]) -> JSONText {
    .array(counts.map { ["field": .string($0.field), "count": .integer($0.count)] })
  }
}
