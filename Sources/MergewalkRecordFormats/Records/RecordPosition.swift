/// The origin of a record in a batch.
public struct RecordPosition: Sendable, Hashable, BitwiseCopyable {
  /// The record's number in its file, from 0; refused records count, a header does not.
  public var index: Int
  /// The line the record starts on, from 1.
  public var line: Int
  /// The column in bytes at which the record starts on its line, from 1; only records of a JSON document may start
  /// after it.
  public var column: Int
  /// The offset of the record's first byte in its (unpacked) file, from 0.
  public var byteOffset: Int
  /// The start of the raw record in the batch's bytes.
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
