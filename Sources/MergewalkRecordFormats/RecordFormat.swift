/// The format of an input's records, with the reader's options.
public enum RecordFormat: Sendable, Hashable {
  /// Comma-separated values and their relatives.
  case csv(CSVOptions)
  /// One JSON object per line.
  case ndjson(NDJSONOptions)
  /// One JSON document with an array of objects.
  case json(JSONOptions)
  /// Consecutive JSON values, separated by record separators, white space or nothing.
  case jsonSequence(JSONSequenceOptions)
  /// Columns at fixed positions of each line.
  case fixedWidth(FixedWidthOptions)
  /// Elements of an XML document.
  case xml(XMLOptions)
  /// Mappings of a YAML stream.
  case yaml(YAMLOptions)
  /// Dictionaries of a property list.
  case propertyList(PropertyListOptions)
  /// Records that another module reads; its files are not unpacked.
  case custom(CustomRecordFormat)

  /// Whether an input lists all its columns before its first record, and each record has all of them.
  public var hasFixedColumns: Bool {
    switch self {
    case .csv, .fixedWidth, .custom: true
    case .ndjson, .json, .jsonSequence, .xml, .yaml, .propertyList: false
    }
  }

  /// The path of the part of a record whose elements become records, if there is one.
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

  /// The ending of the path of a column that contains a whole element as JSON, see ``hasElements``.
  public static let wholeElement = ".#element"

  /// Whether structures in records are elements with attributes, whose column is their text: their JSON is the column
  /// `#element` in them.
  public var hasElements: Bool {
    switch self {
    case .xml: true
    case .custom(let format): format.hasElements
    default: false
    }
  }

  /// The column that has the value of a record's own member of this name; where columns are paths, its dots are
  /// escaped.
  package func column(ofMember name: String) -> String { hasFixedColumns ? name : JSONPaths.path(toMember: name) }

  /// How a record by itself is read, when it is a line of delimited text.
  package var lineOptions: CSVOptions? {
    switch self {
    case .csv(let options): options
    case .custom(let format): format.lineOptions
    default: nil
    }
  }

  /// Whether another module reads the records, from inputs that may change between two readings.
  public var isCustom: Bool { if case .custom = self { true } else { false } }

  /// Whether the records are objects of a store.
  public var readsObjects: Bool {
    if case .custom(let format) = self { return format.readsObjects }
    return false
  }

  /// Opens an input, unpacked; in an archive, it reads all selected members, one after the other.
  ///
  /// - Parameter index: The value for `RecordBatch.source`.
  /// - Throws: The errors of the format's reader.
  public func reader(source: ByteSource, columns: ColumnRequest, index: Int) throws(ReadError) -> any RecordReader {
    if case .custom(let format) = self { return try format.open(source, columns, index) }
    let contents = try SourceContents(source)
    if contents.isArchive {
      return try MemberReader(contents, format: self, columns: columns, index: index)
    }
    return try reader(stream: contents.first(), columns: columns, index: index)
  }

  /// The columns of an input and, in an archive, those of each selected member.
  ///
  /// - Parameters:
  ///   - isWhole: whether to read a tar archive to its end for this; otherwise only its first member counts, because the
  ///     others come after it.
  ///   - skipped: is called with the path of each member that is skipped because there is nothing in it.
  /// - Throws: the errors of the format's reader.
  public func headers(
    of source: ByteSource, isWhole: Bool = false, skipped: (String) -> Void = { _ in }
  ) throws(ReadError) -> [(path: String, columns: [String])] {
    if case .custom(let format) = self { return [(source.path, try format.open(source, .all, 0).columns)] }
    let contents = try SourceContents(source)
    var headers: [(path: String, columns: [String])] = []
    var next: (any ByteStream)? = try contents.first()
    while let stream = next {
      headers.append((stream.path, try reader(stream: stream, columns: .all, index: 0).columns))
      next = isWhole || contents.isZip ? try contents.next() : nil
    }
    for member in contents.takeEmptyMembers() { skipped("\(source.path)/\(member)") }
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
