/// Options for reading a file with columns at fixed positions of each line.
///
/// Lines end with LF, CRLF or CR, in any mixture. A character is one Unicode code point, whatever the file's encoding.
public struct FixedWidthOptions: Sendable, Hashable {
  /// One column.
  public struct Column: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its first character on the line, counted from 1.
    public var start: Int
    /// The number of its characters.
    public var width: Int

    /// Creates a column.
    public init(name: String, start: Int, width: Int) {
      self.name = name
      self.start = start
      self.width = width
    }
  }

  /// The spaces and tabs of a field that are not part of its value.
  public enum Trim: Sendable, Hashable {
    /// Those after it: text is aligned to the left.
    case trailing
    /// Those before and after it.
    case both
    /// None.
    case none
  }

  /// The columns, in any order; they must not overlap.
  public var columns: [Column]
  /// The spaces and tabs of a field that are not part of its value.
  public var trim = Trim.trailing
  /// The number of lines to skip at the start of the file, whatever they contain.
  public var skippedLines = 0
  /// Lines that start with this text are skipped; `nil` for none.
  public var comment: String?
  /// The treatment of empty lines; as records, they are too short.
  public var blankLines = CSVOptions.BlankLines.skip
  /// Fields that equal one of these, trimmed, are null.
  public var nullTokens: [String] = []
  /// Whether to accept a line that ends before a column begins, with the column absent, instead of refusing it.
  ///
  /// A line that ends inside a column has the characters that exist.
  public var padShortLines = false
  /// Whether to skip text after the last column instead of refusing it; spaces and tabs are always skipped.
  public var truncateLongLines = false
  /// The file's encoding.
  public var encoding = TextEncoding.automatic
  /// The maximum length of a line in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20

  /// Creates options with these columns.
  public init(columns: [Column]) { self.columns = columns }

  /// The last place that a column may have.
  static let furthest = 1 << 29

  /// An error in the options, or `nil`.
  var fault: String? {
    if columns.isEmpty { return "there are no columns" }
    var names: Set<String> = []
    for column in columns {
      if column.name.isEmpty { return "a column has no name" }
      if !names.insert(column.name.lowercased()).inserted { return "there are two columns “\(column.name)”" }
      if column.start < 1 { return "the column “\(column.name)” starts before the line" }
      if column.width < 1 { return "the column “\(column.name)” has no width" }
      if column.start > Self.furthest || column.width > Self.furthest { return "“\(column.name)” is too far right" }
    }
    if let (first, second) = overlap { return "the columns “\(first.name)” and “\(second.name)” overlap" }
    if skippedLines < 0 { return "the number of skipped lines is negative" }
    if let comment {
      if comment.isEmpty { return "the comment prefix is empty" }
      if comment.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) {
        return "the comment prefix contains a line end or a NUL"
      }
    }
    return nil
  }

  /// Two columns that share a character, if any.
  public var overlap: (first: Column, second: Column)? {
    let sorted = columns.sorted { $0.start < $1.start }
    for (first, second) in zip(sorted, sorted.dropFirst()) where first.width > second.start - first.start {
      return (first, second)
    }
    return nil
  }
}
