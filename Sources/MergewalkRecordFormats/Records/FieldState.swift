/// The state of a record's field.
///
/// Absent, null and empty are three different things: an empty CSV cell is `text` of length 0, an empty JSON string
/// is `quoted` of length 0.
public enum FieldState: UInt8, Sendable, Hashable, CaseIterable {
  /// The record has no such member (NDJSON), or ended before this column (CSV with padding).
  case absent
  /// JSON `null`, or a CSV cell that equals a null token.
  case null
  /// An unquoted CSV cell.
  case text
  /// A quoted CSV cell or a JSON string, without its quotes, unescaped.
  case quoted
  /// A JSON number, exactly as written in the file.
  case number
  /// JSON `true`.
  case `true`
  /// JSON `false`.
  case `false`
  /// A JSON object or array: its raw text.
  case json
}
