/// How the records of an input are written, with the reader's options.
public enum RecordFormat: Sendable, Hashable {
  /// Comma-separated values and their relatives.
  case csv(CSVOptions)
  /// One JSON object a line.
  case ndjson(NDJSONOptions)
  /// One JSON document with an array of objects.
  case json(JSONOptions)

  /// Opens an input, unpacked; of an archive it reads all chosen members, one after the other.
  ///
  /// - Parameter index: What `RecordBatch.source` will be.
  /// - Throws: What the format's reader throws.
  public func reader(source: ByteSource, columns: ColumnRequest, index: Int) throws(ReadError) -> any RecordReader {
    let contents = try SourceContents(source)
    if contents.isArchive {
      return try MemberReader(contents, format: self, columns: columns, index: index)
    }
    return try reader(stream: contents.first(), columns: columns, index: index)
  }

  /// The columns that an input has, and where it is an archive, those of each chosen member.
  ///
  /// Of a tar archive it is the first member only, because the others stand behind it.
  ///
  /// - Throws: what the format's reader throws.
  public func headers(of source: ByteSource) throws(ReadError) -> [(path: String, columns: [String])] {
    let contents = try SourceContents(source)
    var headers: [(path: String, columns: [String])] = []
    var next: (any ByteStream)? = try contents.first()
    while let stream = next {
      headers.append((stream.path, try reader(stream: stream, columns: .all, index: 0).columns))
      next = contents.isZip ? try contents.next() : nil
    }
    return headers
  }

  /// Reads an open input.
  func reader(stream: any ByteStream, columns: ColumnRequest, index: Int) throws(ReadError) -> any RecordReader {
    switch self {
    case .csv(let options): try CSVReader(stream: stream, options: options, columns: columns, index: index)
    case .ndjson(let options): try NDJSONReader(stream: stream, options: options, columns: columns, index: index)
    case .json(let options): try JSONReader(stream: stream, options: options, columns: columns, index: index)
    }
  }
}
