/// The conversion that a column applies to its values.
///
/// Source: [Datatypes In SQLite, 3. Type Affinity](https://sqlite.org/datatype3.html#type_affinity).
@frozen @usableFromInline package enum ColumnAffinity: UInt8, Sendable, Hashable, CaseIterable {
  case blob
  case text
  case numeric
  case integer
  case real

  /// The affinity of a declared type, by the first of SQLite's five rules that fits (3.1).
  package init(declaredType: String) {
    let type = declaredType.uppercased()
    func has(_ parts: String...) -> Bool { parts.contains { Self.contains(type, $0) } }
    self =
      has("INT")
      ? .integer
      : has("CHAR", "CLOB", "TEXT")
        ? .text : type.isEmpty || has("BLOB") ? .blob : has("REAL", "FLOA", "DOUB") ? .real : .numeric
  }

  private static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
  }
}
