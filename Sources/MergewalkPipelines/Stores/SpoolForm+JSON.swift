import MergewalkImporting
import MergewalkRecordFormats

/// How records are read is a part of the plan, so that tasks need not look into the inputs again.
extension SpoolForm {
  func write(_ out: inout JSONBytes) {
    switch format {
    case .csv(let options):
      out.member("format", "csv")
      out.member("delimiter", options.delimiter.description)
      if let quote = options.quote { out.member("quote", Int(quote)) }
      if let escape = options.escape { out.member("escape", Int(escape)) }
      if let comment = options.comment { out.member("comment", comment) }
      out.list("nulls", options.nullTokens) { out, token in out.member("text", token) }
      out.member("quoted_nulls", options.quotedNulls)
      out.member("trim", options.trim)
      out.member("trim_quoted", options.trimQuoted)
      out.member("blank_lines", options.blankLines == .record)
      out.member("repeated_headers", options.repeatedHeaders == .record)
      out.member("pad", options.padShortRecords)
      let long = ["refuse", "dropEmpty", "truncate"]
      out.member("long", long[options.longRecords == .refuse ? 0 : options.longRecords == .dropEmpty ? 1 : 2])
      out.member("lenient", options.lenientQuotes)
      out.member("most", options.maxRecordBytes)
    case .ndjson(let options):
      out.member("format", "ndjson")
      out.member("most", options.maxRecordBytes)
      out.member("scalars", options.scalars.rawValue)
      out.member("duplicates", options.duplicates.rawValue)
    default:
      out.member("format", "rows")
      out.member("elements", format.hasElements)
      out.member("objects", format.readsObjects)
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
