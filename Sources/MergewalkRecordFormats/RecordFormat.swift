/// How the records of an input are written, with the reader's options.
public enum RecordFormat: Sendable, Hashable {
  /// Comma-separated values and their relatives.
  case csv(CSVOptions)
  /// One JSON object a line.
  case ndjson(NDJSONOptions)
  /// One JSON document with an array of objects.
  case json(JSONOptions)
  /// JSON values that follow each other, with record separators, white space or nothing between them.
  case jsonSequence(JSONSequenceOptions)
  /// Columns at fixed places of each line.
  case fixedWidth(FixedWidthOptions)
  /// Elements of an XML document.
  case xml(XMLOptions)
  /// Mappings of a YAML stream.
  case yaml(YAMLOptions)
  /// Dictionaries of a property list.
  case propertyList(PropertyListOptions)
  /// Records that another module reads; its files are not unpacked.
  case custom(CustomRecordFormat)

  /// Whether an input tells all its columns before its first record, and each record has them all.
  public var hasFixedColumns: Bool {
    switch self {
    case .csv, .fixedWidth, .custom: true
    case .ndjson, .json, .jsonSequence, .xml, .yaml, .propertyList: false
    }
  }

  /// The path of the part of a record of which each element becomes one, if there is any.
  public var eachPath: String? {
    switch self {
    case .ndjson(let options): options.each
    case .json(let options): options.each
    case .jsonSequence(let options): options.each
    case .xml(let options): options.each
    case .yaml(let options): options.each
    case .propertyList(let options): options.each
    case .csv, .fixedWidth, .custom: nil
    }
  }

  /// The ending of an element's path in the column that holds all of it as JSON, see ``hasElements``.
  public static let wholeElement = ".#element"

  /// Whether structures in records are elements with attributes, whose column is their text: as JSON they are asked for
  /// by the column `#element` in them.
  public var hasElements: Bool {
    switch self {
    case .xml: true
    case .custom(let format): format.hasElements
    default: false
    }
  }

  /// How a record by itself is read, when it is a line of delimited text.
  package var lineOptions: CSVOptions? {
    switch self {
    case .csv(let options): options
    case .custom(let format): format.lineOptions
    default: nil
    }
  }

  /// Whether another module reads the records, of inputs that may change between two readings.
  public var isCustom: Bool { if case .custom = self { true } else { false } }

  /// Whether the records are objects of a store.
  public var readsObjects: Bool {
    if case .custom(let format) = self { return format.readsObjects }
    return false
  }

  /// Opens an input, unpacked; of an archive it reads all chosen members, one after the other.
  ///
  /// - Parameter index: What `RecordBatch.source` will be.
  /// - Throws: What the format's reader throws.
  public func reader(source: ByteSource, columns: ColumnRequest, index: Int) throws(ReadError) -> any RecordReader {
    if case .custom(let format) = self { return try format.open(source, columns, index) }
    let contents = try SourceContents(source)
    if contents.isArchive {
      return try MemberReader(contents, format: self, columns: columns, index: index)
    }
    return try reader(stream: contents.first(), columns: columns, index: index)
  }

  /// The columns that an input has, and where it is an archive, those of each chosen member.
  ///
  /// - Parameter isWhole: whether a tar archive is read to its end for that; else it is its first member only, because
  ///   the others stand behind it.
  /// - Throws: what the format's reader throws.
  public func headers(
    of source: ByteSource, isWhole: Bool = false
  ) throws(ReadError) -> [(path: String, columns: [String])] {
    if case .custom(let format) = self { return [(source.path, try format.open(source, .all, 0).columns)] }
    let contents = try SourceContents(source)
    var headers: [(path: String, columns: [String])] = []
    var next: (any ByteStream)? = try contents.first()
    while let stream = next {
      headers.append((stream.path, try reader(stream: stream, columns: .all, index: 0).columns))
      next = isWhole || contents.isZip ? try contents.next() : nil
    }
    return headers
  }

  /// Reads an open input.
  func reader(stream: any ByteStream, columns: ColumnRequest, index: Int) throws(ReadError) -> any RecordReader {
    switch self {
    case .csv(let options): try CSVReader(stream: stream, options: options, columns: columns, index: index)
    case .ndjson(let options): try NDJSONReader(stream: stream, options: options, columns: columns, index: index)
    case .json(let options): try JSONReader(stream: stream, options: options, columns: columns, index: index)
    case .jsonSequence(let options):
      try JSONSequenceReader(stream: stream, options: options, columns: columns, index: index)
    case .xml(let options): try XMLReader(stream: stream, options: options, columns: columns, index: index)
    case .yaml(let options): try YAMLReader(stream: stream, options: options, columns: columns, index: index)
    case .fixedWidth(let options):
      try FixedWidthReader(stream: stream, options: options, columns: columns, index: index)
    case .propertyList(let options):
      try PropertyListReader(stream: stream, options: options, columns: columns, index: index)
    case .custom:
      throw ReadError(
        .invalidOption, path: stream.path,
        message: "records of this kind are read from the file itself, not from a stream")
    }
  }
}
