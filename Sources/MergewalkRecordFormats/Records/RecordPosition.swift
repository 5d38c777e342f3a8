/// Where a record of a batch comes from.
public struct RecordPosition: Sendable, Hashable, BitwiseCopyable {
  /// The record's number in its file, from 0; refused records count, a header does not.
  public var index: Int
  /// The line the record starts on, from 1.
  public var line: Int
  /// The column in bytes at which the record starts on its line, from 1; only a JSON document's may start behind it.
  public var column: Int
  /// The offset of the record's first byte in its (unpacked) file, from 0.
  public var byteOffset: Int
  /// Where the raw record starts in the batch's bytes.
  public var rawStart: UInt32
  /// The raw record's length in bytes, without its line end.
  public var rawLength: UInt32

  /// Creates a position.
  public init(
    index: Int, line: Int, column: Int = 1, byteOffset: Int, rawStart: UInt32, rawLength: UInt32
  ) {
    self.index = index
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
    self.rawStart = rawStart
    self.rawLength = rawLength
  }
}
