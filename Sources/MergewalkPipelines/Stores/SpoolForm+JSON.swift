import MergewalkBytes
import MergewalkImporting
import MergewalkRecordFormats

/// How records are read is a part of the plan, so that tasks need not look into the inputs again.
extension SpoolForm {
  var json: JSONText {
    switch format {
    case .csv(let options):
      let long = options.longRecords
      let (keepsBlank, keepsHeaders) = (options.blankLines == .record, options.repeatedHeaders == .record)
      return [
        "format": .string("csv"), "delimiter": .string(options.delimiter.description),
        "quote": options.quote.map { .integer(Int($0)) }, "escape": options.escape.map { .integer(Int($0)) },
        "comment": options.comment.map { .string($0) },
        "nulls": .array(options.nullTokens.map { ["text": .string($0)] }),
        // Plans of former versions, which must read as they were written, do not have them.
        "null_words": options.nullWords.isEmpty ? nil : .array(options.nullWords.map { ["text": .string($0)] }),
        "quoted_nulls": .boolean(options.quotedNulls), "trim": .boolean(options.trim),
        "trim_quoted": .boolean(options.trimQuoted), "blank_lines": .boolean(keepsBlank),
        "repeated_headers": .boolean(keepsHeaders), "pad": .boolean(options.padShortRecords),
        "long": .string(long == .refuse ? "refuse" : long == .dropEmpty ? "dropEmpty" : "truncate"),
        "lenient": .boolean(options.lenientQuotes), "most": .integer(options.maxRecordBytes),
      ]
    case .ndjson(let options):
      return [
        "format": .string("ndjson"), "most": .integer(options.maxRecordBytes),
        "scalars": .string(options.scalars.rawValue), "duplicates": .string(options.duplicates.rawValue),
      ]
    default:
      return [
        "format": .string("rows"), "elements": .boolean(format.hasElements), "objects": .boolean(format.readsObjects),
      ]
    }
  }

  init?(_ row: JSONRow) {
    switch row.text("format") {
    case "csv":
      var options = CSVOptions()
      guard let delimiter = row.text("delimiter").flatMap({ CSVDelimiter($0) }),
        let nulls = row.list("nulls", { $0.text("text") }), let most = row.count("most")
      else { return nil }
      options.delimiter = delimiter
      options.quote = row.count("quote").flatMap { UInt8(exactly: $0) }
      options.escape = row.count("escape").flatMap { UInt8(exactly: $0) }
      options.comment = row.text("comment")
      options.nullTokens = nulls
      options.nullWords = row.list("null_words") { $0.text("text") } ?? []
      options.quotedNulls = row.flag("quoted_nulls")
      options.trim = row.flag("trim")
      options.trimQuoted = row.flag("trim_quoted")
      options.blankLines = row.flag("blank_lines") ? .record : .skip
      options.repeatedHeaders = row.flag("repeated_headers") ? .record : .skip
      options.padShortRecords = row.flag("pad")
      options.longRecords =
        row.text("long") == "truncate" ? .truncate : row.text("long") == "dropEmpty" ? .dropEmpty : .refuse
      options.lenientQuotes = row.flag("lenient")
      options.maxRecordBytes = most
      self.init(.csv(options), columns: [])
    case "ndjson":
      var options = NDJSONOptions()
      guard let most = row.count("most"), let scalars = row.text("scalars").flatMap({ JSONScalars(rawValue: $0) }),
        let duplicates = row.text("duplicates").flatMap({ JSONDuplicates(rawValue: $0) })
      else { return nil }
      options.maxRecordBytes = most
      options.scalars = scalars
      options.duplicates = duplicates
      self.init(.ndjson(options), columns: [])
    case "rows":
      self.init(
        SpoolForm.rows(hasElements: row.flag("elements"), readsObjects: row.flag("objects")), columns: [])
    default: return nil
    }
  }
}
