import RecordFormats

extension SourceBuilder {
  /// How delimited text is read; `defaults` is what the format itself says.
  func csv(_ source: ComponentValue, _ defaults: CSVOptions) -> CSVOptions {
    var options = defaults
    if let encoding = encoding(source) { options.encoding = encoding }
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let delimiter = source.text("delimiter") {
      if let byte = delimiter.value.utf8.first {
        options.delimiter = byte
      } else {
        findings.add(.invalidOption, at: delimiter.position, "“delimiter” cannot be none")
      }
    }
    if let quote = source.text("quote") { options.quote = quote.value.utf8.first }
    if let escape = source.text("escape") { options.escape = escape.value.utf8.first }
    options.header = header(source)
    options.skippedLines = source.count("skip_lines") ?? 0
    options.comment = source.text("comment")?.value
    options.blankLines = source.text("blank_lines")?.value == "record" ? .record : .skip
    options.trim = source.flag("trim") ?? false
    options.nullTokens = source.texts("null")?.map(\.value) ?? []
    options.quotedNulls = source.flag("quoted_nulls") ?? false
    options.lenientQuotes = source.flag("lenient_quotes") ?? false
    options.padShortRecords = source.text("short_records")?.value == "pad"
    options.truncateLongRecords = source.text("long_records")?.value == "truncate"
    checkCharacters(source, options)
    return options
  }

  private func header(_ source: ComponentValue) -> CSVOptions.Header {
    guard let columns = source.texts("columns") else { return source.flag("header") == false ? .none : .firstRecord }
    if source.flag("header") == true {
      findings.add(
        .invalidOption, at: source.keyPosition("columns"), "“columns” is for files without a header",
        hint: "leave “header” or “columns” out")
    }
    for (index, column) in columns.enumerated()
    where columns[..<index].contains(where: { $0.value.lowercased() == column.value.lowercased() }) {
      findings.add(.duplicateColumn, at: column.position, "“columns” names “\(column.value)” twice")
    }
    return .names(columns.map(\.value))
  }

  /// Finds characters that stand for two things.
  private func checkCharacters(_ source: ComponentValue, _ options: CSVOptions) {
    var used: [(name: String, byte: UInt8)] = [("delimiter", options.delimiter)]
    let others: [(String, UInt8?)] = [
      ("quote", options.quote), ("escape", options.escape == options.quote ? nil : options.escape),
      ("comment", options.comment?.utf8.first),
    ]
    for case (let name, let byte?) in others {
      if let other = used.first(where: { $0.byte == byte }) {
        // The one that the file sets is the one to name.
        let field = source.has(name) ? name : other.name
        findings.add(
          .invalidOption, at: source.fields[field]?.position ?? source.position,
          "“\(other.name)” and “\(name)” are the same character")
      }
      used.append((name, byte))
    }
  }
}
