/// How the records of an input are written, with the reader's options.
public enum RecordFormat: Sendable, Hashable {
  /// Comma-separated values and their relatives.
  case csv(CSVOptions)
  /// One JSON object a line.
  case ndjson(NDJSONOptions)
  /// One JSON document with an array of objects.
  case json(JSONOptions)

  /// Opens an input.
  ///
  /// - Parameter index: What `RecordBatch.source` will be.
  /// - Throws: What the format's reader throws.
  public func reader(source: ByteSource, columns: ColumnRequest, index: Int) throws(ReadError) -> any RecordReader {
    switch self {
    case .csv(let options): try CSVReader(source: source, options: options, columns: columns, index: index)
    case .ndjson(let options): try NDJSONReader(source: source, options: options, columns: columns, index: index)
    case .json(let options): try JSONReader(source: source, options: options, columns: columns, index: index)
    }
  }
}
