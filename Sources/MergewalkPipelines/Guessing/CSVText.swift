import MergewalkImporting
import MergewalkRecordFormats
import MergewalkYAML

/// The options of delimited text as a pipeline spells them.
enum CSVText {
  /// The options that a format implies.
  static func base(_ format: SourceFormat) -> CSVOptions { format == .tsv ? .tabSeparated : CSVOptions() }

  static func known(_ source: ComponentValue) -> CSVKnownOptions {
    let names: [(String, CSVKnownOptions)] = [
      ("delimiter", .delimiter), ("quote", .quote), ("escape", .escape), ("header", .header), ("columns", .header),
      ("skip_lines", .skippedLines), ("comment", .comment), ("null", .nullTokens), ("trim", .trim),
      ("trim_quoted", .trimQuoted),
      ("short_records", .shortRecords), ("long_records", .longRecords), ("lenient_quotes", .lenientQuotes),
      ("header_rows", .header), ("table", .table),
    ]
    return names.reduce(into: []) { known, pair in if source.has(pair.0) { known.insert(pair.1) } }
  }

  /// The options in which two differ, with a value and a note each.
  static func differences(
    _ found: CSVOptions, from base: CSVOptions
  ) -> [(option: String, value: String, note: String)] {
    var result: [(String, String, String)] = []
    func add(_ option: String, _ value: String, _ note: String = "") { result.append((option, value, note)) }
    if found.encoding != base.encoding { add("encoding", YAMLText.scalar(found.encoding.name, inFlow: false)) }
    if found.delimiter != base.delimiter { add("delimiter", GuessedPipeline.text(found.delimiter.text)) }
    if found.quote != base.quote { add("quote", found.quote.map(GuessedPipeline.character) ?? "none") }
    if found.escape != base.escape { add("escape", found.escape.map(GuessedPipeline.character) ?? "none") }
    switch found.header {
    case .firstRecord: break
    case .none:
      let note = "columns are called by their numbers; name them with columns: [...]"
      if let count = found.columnCount {
        // The first record may be shorter than others.
        add("columns", "[\((1...max(1, count)).map { YAMLText.quoted(String($0)) }.joined(separator: ", "))]", note)
      } else {
        add("header", "false", note)
      }
    case .names(let names):
      add("columns", "[\(names.map { GuessedPipeline.scalar($0, inFlow: true) }.joined(separator: ", "))]")
    }
    if found.headerRows != base.headerRows, found.header == .firstRecord {
      add("header_rows", String(found.headerRows))
    }
    // What was detected and could lose records is left to a person.
    if found.table != base.table, let table = found.table, found.caution?.refusesOtherTables != true {
      add("table", String(table))
    }
    if found.skippedLines != base.skippedLines { add("skip_lines", String(found.skippedLines)) }
    if found.comment != base.comment, let comment = found.comment, found.caution?.doubtsComments != true {
      add("comment", YAMLText.quoted(comment))
    }
    if found.blankLines != base.blankLines { add("blank_lines", found.blankLines == .record ? "record" : "skip") }
    if found.trim != base.trim { add("trim", String(found.trim)) }
    if found.trimQuoted != base.trimQuoted { add("trim_quoted", String(found.trimQuoted)) }
    if found.quotedNulls != base.quotedNulls { add("quoted_nulls", String(found.quotedNulls)) }
    if found.lenientQuotes != base.lenientQuotes { add("lenient_quotes", String(found.lenientQuotes)) }
    if found.padShortRecords != base.padShortRecords { add("short_records", found.padShortRecords ? "pad" : "reject") }
    if found.longRecords != base.longRecords {
      let names: [CSVOptions.LongRecords: String] = [
        .refuse: "reject", .dropEmpty: "drop_empty", .truncate: "truncate",
      ]
      add("long_records", names[found.longRecords] ?? "reject")
    }
    if found.repeatedHeaders != base.repeatedHeaders {
      add("repeated_headers", found.repeatedHeaders == .record ? "record" : "skip")
    }
    return result
  }
}
