/// The format of an input, as named in pipelines and commands.
public enum SourceFormat: String, Sendable, Hashable, CaseIterable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object per line.
  case ndjson
  /// One JSON document with an array of objects.
  case json
  /// Consecutive JSON values, separated by record separators (RFC 7464), white space or nothing.
  case jsonSequence = "json-seq"
  /// Columns at fixed positions of each line.
  case fixedWidth = "fixed-width"
  /// An XML document with an element for each record.
  case xml
  /// A YAML stream with a mapping for each record.
  case yaml
  /// A property list with a dictionary for each record.
  case propertyList = "plist"
  /// A table, a view or a query of an SQLite database.
  case sqlite
  /// The objects of one entity in a Core Data store.
  case coreData = "core-data"

  /// The format indicated by a file's name: `.csv`, `.tsv` or `.tab`, `.ndjson` or `.jsonl`, `.json-seq`, `.xml`,
  /// `.yaml` or `.yml`, `.plist` or `.strings`; case is ignored.
  ///
  /// Extensions of compressed files (`.csv.gz`) are skipped.
  ///
  /// `.json` may be one document or many lines; only the content decides.
  public init?(fileName: String) {
    let fileName = ContainerFormat.unpackedName(fileName)
    guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    switch fileName[fileName.index(after: dot)...].lowercased() {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "ndjson", "jsonl": self = .ndjson
    case "json-seq", "jsonseq": self = .jsonSequence
    case "xml": self = .xml
    case "yaml", "yml": self = .yaml
    case "plist", "strings": self = .propertyList
    default: return nil
    }
  }

  /// The first bytes of every SQLite database.
  public static let sqliteMagic = Array("SQLite format 3\0".utf8)

  /// The format suggested by a file's first bytes.
  ///
  /// SQLite by its first 16 bytes, including Core Data stores, which are SQLite databases; a property list by its magic
  /// number or its document type or root element; XML by its declaration or elements; a JSON sequence if it begins with
  /// a record separator, or an object is followed by another one that does not begin on its own line; NDJSON if the
  /// first non-blank line is a complete JSON object, or is cut off by the sample's end after a brace and a quote; a
  /// JSON document if that line begins one that spans several lines, or is an array, or is cut off and its first member
  /// is an array; a property list or XML if it begins with a tag; YAML if the first line that is not a comment is
  /// `---`, `%YAML` or `- name: value`; TSV if the first line has a tab and no more commas than tabs; CSV for any other
  /// text. Nil for an empty sample, for text that begins like JSON but is not, and for bytes that are not text.
  public init?(sample: [UInt8]) {
    if sample.starts(with: Self.sqliteMagic) {
      self = .sqlite
      return
    }
    if sample.starts(with: "bplist0".utf8) {
      self = .propertyList
      return
    }
    var start = sample.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // UTF-16 is CSV or TSV: look at its ASCII part only.
    if sample.starts(with: [0xFF, 0xFE]) || sample.starts(with: [0xFE, 0xFF]) {
      self.init(sample: sample.dropFirst(2).filter { $0 != 0 && $0 < 0x80 })
      return
    }
    while start < sample.count, [9, 10, 13, 32].contains(sample[start]) { start += 1 }
    if start == sample.count { return nil }
    if sample[start] == JSONSequenceParser.separator {
      self = .jsonSequence
      return
    }
    if let markup = SourceFormat(markup: sample[start...]) {
      self = markup
      return
    }
    let lineEnd = sample[start...].firstIndex { $0 == 10 || $0 == 13 }
    let line = sample[start..<(lineEnd ?? sample.count)]
    if line.contains(0) { return nil }
    if line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "[") {
      let format = sample[start...].withUnsafeBufferPointer { bytes in
        bytes.baseAddress.flatMap { Self.json($0, line: line.count, bytes.count) }
      }
      guard let format else { return nil }
      self = format
      return
    }
    if Self.isYAML(sample[start...]) {
      self = .yaml
      return
    }
    let tabs = line.count { $0 == 9 }
    self = tabs > 0 && line.count(where: { $0 == UInt8(ascii: ",") }) <= tabs ? .tsv : .csv
  }

  /// Whether a text is certainly YAML: its first line that is no comment is `---`, `%YAML` or `- name: value`.
  private static func isYAML(_ text: ArraySlice<UInt8>) -> Bool {
    for line in text.split(omittingEmptySubsequences: true, whereSeparator: { $0 == 10 || $0 == 13 }) {
      guard let first = line.first(where: { $0 != 32 }) else { continue }
      if first == UInt8(ascii: "#") { continue }
      if line.starts(with: "---".utf8) { return line.count == 3 || line[line.startIndex + 3] == 32 }
      if line.starts(with: "%YAML ".utf8) { return true }
      guard line.starts(with: "- ".utf8) else { return false }
      let item = line.dropFirst(2).drop { $0 == 32 }
      let name = item.prefix { $0 &- 48 < 10 || ($0 | 32) &- 97 < 26 || $0 == UInt8(ascii: "_") || $0 >= 0x80 }
      let behind = item[name.endIndex...]
      return !name.isEmpty && (behind.elementsEqual(":".utf8) || behind.starts(with: ": ".utf8))
    }
    return false
  }

  /// The format of a text whose first line, of `line` bytes, begins with a brace or a bracket.
  private static func json(_ base: UnsafePointer<UInt8>, line: Int, _ count: Int) -> SourceFormat? {
    let isObject = base[0] == UInt8(ascii: "{")
    let isCut = line == count
    var scanner = JSONScanner(base, from: 0, end: line)
    if scanner.document() { return isObject ? .ndjson : .json }
    if isObject {
      var whole = JSONScanner(base, from: 0, end: count)
      if whole.value(depth: 0) {
        whole.skipSpace()
        if whole.i < count, base[whole.i] == UInt8(ascii: "{") { return .jsonSequence }
      }
    }
    if scanner.i < line && !(isCut && scanner.isNearEnd) { return nil }
    if !isObject || !isCut { return .json }
    // One long line: a document usually holds its records in an array, a record seldom begins with one.
    scanner = JSONScanner(base, from: 1, end: line)
    scanner.skipSpace()
    guard scanner.i < line, base[scanner.i] == UInt8(ascii: "\"") else { return nil }
    return scanner.string() && scanner.expect(UInt8(ascii: ":")) && scanner.expect(UInt8(ascii: "[")) ? .json : .ndjson
  }

  /// The format of a source: by its name, then by the first 64 KiB of its content; for an archive, by those of the
  /// first selected member.
  ///
  /// A property list is one under the name `.xml`, too.
  ///
  /// - Parameter encoding: the encoding for decoding the content first.
  /// - Returns: nil if neither decides; standard input and pipes are not examined.
  /// - Throws: `ReadError` when the file cannot be opened.
  public static func detect(_ source: ByteSource, encoding: TextEncoding = .automatic) throws(ReadError)
    -> SourceFormat?
  {
    let named = SourceFormat(fileName: source.path)
    if let named, named != .xml { return named }
    // Some programs name property lists `.xml`; what cannot be opened is found where it is read.
    guard let named else { return try ofContent(source, encoding: encoding) }
    let found = try? ofContent(source, encoding: encoding)
    return found == .propertyList ? found : named
  }

  /// The format suggested by a file's content, whatever its name.
  ///
  /// - Returns: as ``detect(_:encoding:)``.
  public static func ofContent(_ source: ByteSource, encoding: TextEncoding = .automatic) throws(ReadError)
    -> SourceFormat?
  {
    if source.isReadOnce { return nil }
    let contents = try SourceContents(source)
    let stream = try contents.first()
    let named = contents.isArchive ? SourceFormat(fileName: stream.path) : nil
    if let named, named != .xml { return named }
    var text = TextStream(stream, encoding: encoding)
    let found = SourceFormat(sample: try text.sample(sampleSize), fileName: stream.path)
    return named == nil || found == .propertyList ? found : named
  }

  /// The format of a file's first bytes, given the file's name: a `.json` file is JSON, even if faulty.
  ///
  /// A single faulty object on one line is then a faulty document, not one line of several.
  public init?(sample: [UInt8], fileName: String) {
    let found = SourceFormat(sample: sample)
    let isNamedJSON = ContainerFormat.unpackedName(fileName).lowercased().hasSuffix(".json")
    let isDocument = found?.isJSON != true || (found == .ndjson && Self.isFaultyLine(sample))
    guard let format = isNamedJSON && isDocument ? .json : found else { return nil }
    self = format
  }

  /// How many bytes of a source are looked at.
  static let sampleSize = 1 << 16

  /// Whether a sample is the whole of a file, one line, and no JSON.
  private static func isFaultyLine(_ sample: [UInt8]) -> Bool {
    var text = sample[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    while let last = text.last, [9, 10, 13, 32].contains(last) { text = text.dropLast() }
    while let first = text.first, [9, 10, 13, 32].contains(first) { text = text.dropFirst() }
    guard sample.count < sampleSize, !text.contains(where: { $0 == 10 || $0 == 13 }) else { return false }
    return text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      var scanner = JSONScanner(base, from: 0, end: bytes.count)
      return !scanner.document()
    }
  }

  /// Whether it is JSON in one of its forms.
  public var isJSON: Bool {
    switch self {
    case .json, .ndjson, .jsonSequence: true
    case .csv, .tsv, .fixedWidth, .xml, .yaml, .propertyList, .sqlite, .coreData: false
    }
  }
}
