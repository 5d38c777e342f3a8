/// A position in an input.
///
/// Bases: `line` and `column` count from 1, `column` in UTF-8 bytes; `byteOffset` counts from 0. A position with `line`
/// 0 means "the whole file".
public struct SourcePosition: Hashable, Sendable, Comparable {
  /// The line, from 1; 0 if only the file is known.
  public var line: Int
  /// The column in UTF-8 bytes, from 1.
  public var column: Int
  /// The offset in bytes from the start of the (decoded) input, from 0.
  public var byteOffset: Int
  /// The path of the file, if it is not the file being read but one that it includes.
  public var includedPath: String?

  /// Creates a position.
  public init(line: Int, column: Int, byteOffset: Int = 0) {
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
  }

  /// The position of a file as a whole.
  public static let file = SourcePosition(line: 0, column: 0)

  /// Orders by line, then by column.
  public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
