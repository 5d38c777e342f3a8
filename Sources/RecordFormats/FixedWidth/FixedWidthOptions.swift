/// How a file is read whose columns stand at fixed places of each line.
public struct FixedWidthOptions: Sendable, Hashable {
  /// One column.
  public struct Column: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its first character on the line, from 1.
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

  /// The columns, in any order.
  public var columns: [Column]
  /// The file's encoding.
  public var encoding = TextEncoding.automatic
  /// The longest line in bytes, at most 512 MiB.
  public var maxRecordBytes = 16 << 20

  /// Lines with these columns.
  public init(columns: [Column]) { self.columns = columns }
}
