/// The form in which the records of an input are written one by one into other files, and read from there.
///
/// CSV and NDJSON keep the bytes of their records; CSV files begin with a header. Of other formats, the requested
/// columns become lines of JSON, see ``SpoolRow``.
package struct SpoolForm: Sendable {
  private enum Kind: Sendable {
    case csv(CSVOptions)
    case ndjson(NDJSONOptions)
    case rows(hasElements: Bool, readsObjects: Bool, keys: [[UInt8]])
  }

  private let kind: Kind

  /// The form for the records of a format.
  ///
  /// - Parameter columns: What is requested.
  package init(_ format: RecordFormat, columns: [String]) {
    switch format {
    case .csv(var options):
      options.header = .firstRecord
      options.headerRows = 1
      options.columnCount = nil
      options.table = nil
      options.skippedLines = 0
      // What is spread is a record, also where a file without a header has one that is spelt like the header written here.
      options.repeatedHeaders = .record
      options.comment = nil
      options.caution = nil
      options.encoding = .utf8
      kind = .csv(options)
    case .ndjson(var options) where options.each == nil:
      options.encoding = .utf8
      kind = .ndjson(options)
    default:
      kind = .rows(
        hasElements: format.hasElements, readsObjects: format.readsObjects, keys: columns.map(RecordWriter.key))
    }
  }

  package var format: RecordFormat {
    switch kind {
    case .csv(let options): .csv(options)
    case .ndjson(let options): .ndjson(options)
    case .rows(let hasElements, let readsObjects, _): Self.rows(hasElements: hasElements, readsObjects: readsObjects)
    }
  }

  /// The format of records that were written as lines of JSON.
  ///
  /// - Parameters:
  ///   - hasElements: See ``RecordFormat/hasElements``; it is that of the source's own format.
  ///   - readsObjects: See ``RecordFormat/readsObjects``.
  package static func rows(hasElements: Bool, readsObjects: Bool) -> RecordFormat {
    .custom(
      CustomRecordFormat(
        identity: "spool\(hasElements ? "+" : "")\(readsObjects ? "=" : "")", readsObjects: readsObjects,
        hasElements: hasElements
      ) {
        (source, columns, index) throws(ReadError) in
        guard case .named(let names) = columns else {
          return try NDJSONReader(source: source, columns: columns, index: index)
        }
        return try SpoolRowReader(source: source, columns: names, index: index)
      })
  }

  /// The keys of the requested columns where the records are not written as they were read; nil where they are.
  package var rewrittenKeys: [[UInt8]]? {
    if case .rows(_, _, let keys) = kind { return keys }
    return nil
  }

  /// Whether the records are not written as they were read.
  package var isRewritten: Bool { rewrittenKeys != nil }

  package var fileExtension: String {
    if case .csv = kind { return "csv" }
    return "ndjson"
  }

  /// The first lines of a file.
  package func header(_ names: [String]) -> [UInt8] {
    guard case .csv(let options) = kind else { return [] }
    var bytes: [UInt8] = []
    for (index, name) in names.enumerated() {
      if index > 0 { bytes += options.delimiter.bytes }
      if let quote = options.quote { bytes.append(quote) }
      for byte in name.utf8 {
        if byte == options.quote { bytes.append(options.escape ?? byte) }
        if let escape = options.escape, Self.needs(escape, before: byte, options) { bytes.append(escape) }
        bytes.append(byte)
      }
      if let quote = options.quote { bytes.append(quote) }
    }
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  /// Whether an escape has to stand before a byte of a name, but for quotes.
  private static func needs(_ escape: UInt8, before byte: UInt8, _ options: CSVOptions) -> Bool {
    if escape == options.quote { return false }
    if byte == escape { return true }
    // Without quotes nothing else keeps a delimiter or a line end inside.
    return options.quote == nil && (byte == options.delimiter.bytes.first || byte == 10 || byte == 13)
  }
}
