import MergewalkBytes
import MergewalkObjectModel

/// Where a cell of a migrated row comes from, for the rows of one entity.
///
/// Column names are those of the table before the migration.
enum CellRule: Hashable {
  /// An entity's number before and after; it is null afterwards when the entity is gone.
  struct NumberChange: Hashable {
    var old: Int
    var new: Int?
  }

  case null
  /// Always the same value, as SQL writes it.
  case literal(String)
  /// The value of a column.
  case copy(String)
  /// The value of a column, or another one where it is null.
  case filled(String, literal: String)
  /// The number of the entity that a column names.
  case renumbered(String, [NumberChange])
  /// The number of an entity where a column has a value.
  case number(Int, whereSet: String)
  /// Bytes that get the mark of attributes that may be kept in files; others where there are none, as in `filled`.
  case tagged(String, literal: String?)
  /// Bytes that lose that mark, and are read from their file if they are in one; others where there are none.
  case untagged(String, literal: String?)

  /// The column that the value is in before the migration; `nil` when it comes from nowhere.
  var base: String? {
    switch self {
    case .null, .literal, .number: nil
    case .copy(let name), .filled(let name, _), .renumbered(let name, _), .tagged(let name, _), .untagged(let name, _):
      name
    }
  }

  var isCopy: Bool {
    if case .copy = self { return true }
    return false
  }

  /// The value as SQL.
  ///
  /// - Parameter name: Gives the present name of a column.
  func sql(_ name: (String) -> String = { $0 }) -> String {
    switch self {
    case .null: return "NULL"
    case .literal(let text): return text
    case .copy(let column): return name(column)
    case .filled(let column, let literal): return Self.filled(name(column), literal)
    case .renumbered(let column, let changes):
      let cases = changes.compactMap { change in change.new.map { " WHEN \(change.old) THEN \($0)" } }
      return cases.isEmpty ? "NULL" : "CASE \(name(column))\(cases.joined()) END"
    case .number(let number, let column): return "CASE WHEN \(name(column)) IS NOT NULL THEN \(number) END"
    case .tagged(let column, let literal): return Self.filled("mergewalk_tag_bytes(\(name(column)))", literal)
    case .untagged(let column, let literal): return Self.filled("mergewalk_untag_bytes(\(name(column)))", literal)
    }
  }

  /// A value, or another one where it is null.
  private static func filled(_ value: String, _ literal: String?) -> String {
    literal.map { "ifnull(\(value), \($0))" } ?? value
  }
}

extension AttributeDescription {
  /// Whether there is a default that a store holds; of others objects have none.
  var hasStorableDefault: Bool { defaultValue?.sqlLiteral() != nil }

  /// Why there is none, for messages about attributes without a ``hasStorableDefault``.
  var lackOfDefault: String {
    if case .decimal(let value)? = defaultValue {
      return "its default \(value) has more digits than a store holds exactly"
    }
    return defaultValueText.map { "its default “\($0)” is no value that a store holds" } ?? "has no default"
  }
}

extension AttributeValue {
  /// The value as an SQL literal, the way a store keeps it; `nil` for null and what has no literal.
  ///
  /// - Parameter isTagged: Whether bytes carry the mark of attributes that may be kept in files.
  func sqlLiteral(isTagged: Bool = false) -> String? {
    switch self {
    case .null: nil
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : String(value)
    case .double(let value), .date(let value):
      value.isFinite ? "\(value)" : value.isNaN ? nil : value < 0 ? "-9e999" : "9e999"
    // Objects do not get what a store would round either.
    case .decimal(let value): value.isStoredExactly ? value.description : nil
    case .string(let text), .uri(let text): Self.quoted(text)
    case .binary(let bytes): Self.blob((isTagged ? [ExternalData.inlineTag] : []) + bytes)
    case .uuid(let high, let low): Self.blob(UUIDText.bytes(high, low))
    }
  }

  private static func quoted(_ text: String) -> String {
    // SQL ends at a NUL, so such a text is written as its bytes.
    if text.utf8.contains(0) { return "CAST(\(blob(Array(text.utf8))) AS TEXT)" }
    return SQLQuoting.text(text)
  }

  private static func blob(_ bytes: [UInt8]) -> String {
    "x'" + Hexadecimal.text(bytes, .capital) + "'"
  }
}
