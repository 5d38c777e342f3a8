import MergewalkObjectModel
import MergewalkSQLite

/// What in an attribute's column is no value of the attribute: SQLite stores whatever it is given.
struct ColumnMisfit {
  /// The condition in SQL.
  let condition: String
  /// What is wrong, after the attribute's name.
  let problem: String

  /// What can be wrong in a column, for a connection that ``registerFunction(_:)`` has prepared.
  static func all(_ attribute: AttributeDescription, in column: String) -> [ColumnMisfit] {
    [storage(attribute, column), value(attribute, column)].compactMap(\.self)
  }

  private static func storage(_ attribute: AttributeDescription, _ column: String) -> ColumnMisfit? {
    let types: String? =
      switch attribute.type {
      case .integer16, .integer32, .integer64, .boolean: "'integer'"
      case .double, .float, .date: "'real', 'integer'"
      // Very long numbers do not fit into the two and may be text.
      case .decimal: "'real', 'integer', 'text'"
      case .string, .uri: "'text'"
      case .binary, .transformable, .uuid: "'blob'"
      case .undefined, .objectID, .composite: nil
      }
    return types.map {
      ColumnMisfit(condition: "typeof(\(column)) NOT IN ('null', \($0))", problem: "is stored as another type")
    }
  }

  /// Values of the right type that the attribute cannot hold.
  private static func value(_ attribute: AttributeDescription, _ column: String) -> ColumnMisfit? {
    func isInteger(_ condition: String) -> String { "typeof(\(column)) = 'integer' AND \(column) \(condition)" }
    return switch attribute.type {
    case .integer16: ColumnMisfit(condition: isInteger("NOT BETWEEN -32768 AND 32767"), problem: "is out of range")
    case .integer32:
      ColumnMisfit(condition: isInteger("NOT BETWEEN -2147483648 AND 2147483647"), problem: "is out of range")
    case .boolean: ColumnMisfit(condition: isInteger("NOT IN (0, 1)"), problem: "is neither 0 nor 1")
    // The column's affinity has made numbers of what is one.
    case .decimal:
      ColumnMisfit(
        condition: "typeof(\(column)) = 'text' AND (\(column) = '' OR \(column) GLOB '*[^0-9.eE+-]*')",
        problem: "is not a number")
    case .string, .uri:
      ColumnMisfit(condition: "typeof(\(column)) = 'text' AND NOT \(isUTF8)(\(column))", problem: "is not UTF-8")
    case .uuid: ColumnMisfit(condition: "length(\(column)) <> 16", problem: "does not have 16 bytes")
    default: nil
    }
  }

  // MARK: UTF-8

  /// The function in SQL that tells whether a text is UTF-8.
  private static let isUTF8 = "mergewalk_is_utf8"

  /// Makes the function known that conditions call.
  static func registerFunction(_ connection: Connection) throws(StoreError) {
    try connection.mapped { () throws(SQLiteError) in
      try connection.registerFunction(isUTF8, argumentCount: 1) { call in
        call.return(String(validating: call.bytes(0), as: UTF8.self) != nil)
      }
    }
  }
}
