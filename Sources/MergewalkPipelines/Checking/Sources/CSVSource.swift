import MergewalkImporting
import MergewalkRecordFormats

extension SourceBuilder {
  /// How delimited text is read; `defaults` is what the format itself says, and `input` is looked at when the source
  /// asks for it.
  func csv(_ source: ComponentValue, _ defaults: CSVOptions, _ input: SourceFiles.Input?) -> CSVOptions {
    var (options, known) = given(source, defaults)
    if source.text("dialect")?.value == "detect" { options = detected(source, options, known, input) }
    checkCharacters(source, options)
    return options
  }

  /// The options that the source says, and which those are.
  private func given(_ source: ComponentValue, _ defaults: CSVOptions) -> (CSVOptions, CSVKnownOptions) {
    var options = defaults
    var known: CSVKnownOptions = []
    func mark(_ names: String..., as option: CSVKnownOptions) {
      if names.contains(where: source.has) { known.insert(option) }
    }
    if let encoding = encoding(source) { options.encoding = encoding }
    if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
    if let delimiter = source.text("delimiter") {
      if let value = CSVDelimiter(delimiter.value) {
        options.delimiter = value
      } else {
        findings.add(.invalidOption, at: delimiter.position, "“delimiter” cannot be none")
      }
    }
    if let quote = source.text("quote") { options.quote = quote.value.utf8.first }
    if let escape = source.text("escape") { options.escape = escape.value.utf8.first }
    options.header = header(source)
    options.headerRows = headerRows(source)
    options.skippedLines = source.count(orDefault: "skip_lines")
    options.table = table(source)
    options.comment = source.text("comment")?.value
    options.blankLines = source.text("blank_lines")?.value == "record" ? .record : .skip
    options.trim = source.flag("trim") ?? false
    options.trimQuoted = source.flag(orDefault: "trim_quoted")
    options.nullTokens = source.texts("null")?.map(\.value) ?? []
    options.quotedNulls = source.flag(orDefault: "quoted_nulls")
    options.lenientQuotes = source.flag(orDefault: "lenient_quotes")
    options.padShortRecords = source.text("short_records")?.value == "pad"
    options.longRecords =
      switch source.text("long_records")?.value {
      case "truncate": .truncate
      case "drop_empty": .dropEmpty
      default: .refuse
      }
    options.repeatedHeaders = source.text("repeated_headers")?.value == "record" ? .record : .skip
    mark("delimiter", as: .delimiter)
    mark("quote", as: .quote)
    mark("escape", as: .escape)
    mark("header", "columns", "header_rows", as: .header)
    mark("skip_lines", as: .skippedLines)
    mark("table", as: .table)
    mark("comment", as: .comment)
    mark("trim", as: .trim)
    mark("trim_quoted", as: .trimQuoted)
    mark("null", as: .nullTokens)
    mark("lenient_quotes", as: .lenientQuotes)
    mark("short_records", as: .shortRecords)
    mark("long_records", as: .longRecords)
    return (options, known)
  }

  /// The number of the table that is read; nil when there is one only.
  private func table(_ source: ComponentValue) -> Int? {
    guard let text = source.text("table") else { return nil }
    if let number = Int(text.value), number > 0 { return number }
    findings.add(
      .invalidOption, at: text.position,
      "the tables of delimited text have numbers from 1, not names such as “\(text.value)”")
    return nil
  }

  /// The options that are not given as the first input's bytes tell them.
  private func detected(
    _ source: ComponentValue, _ options: CSVOptions, _ known: CSVKnownOptions, _ input: SourceFiles.Input?
  ) -> CSVOptions {
    // Without an input there is a finding already.
    guard let input else { return options }
    let place = source.keyPosition("dialect")
    if input.source.isReadOnce {
      findings.add(
        .invalidOption, at: place,
        "“\(input.path)” can be read only once, so that its dialect cannot be looked at before",
        hint: "look at a part of it with “mergewalk preview”, and set “delimiter”, “quote” and so on")
      return options
    }
    do throws(ReadError) {
      guard let dialect = try CSVDialectDetector.detect(input.source, base: options, known: known) else {
        findings.add(.invalidOption, at: place, "the dialect of “\(input.path)” cannot be detected: it is not text")
        return options
      }
      if !dialect.isCertain {
        findings.add(
          .uncertainDialect, at: place,
          "the dialect of “\(input.path)” is not certain: " + dialect.evidence.joined(separator: "; "),
          hint: "set the options that you know, such as “delimiter” and “header”")
      }
      if let doubt = dialect.nullDoubt {
        findings.add(
          .uncertainDialect, at: place, "“\(input.path)”: \(doubt.reason)",
          hint: "“null: \(doubt.value)” reads it as null in all columns, “null: []” leaves all texts as they are")
      }
      var found = dialect.options
      // Files of one source need not have one encoding; read in another one they would be text, too.
      if options.encoding == .detect || dialect.isEncodingToldByBytes { found.encoding = .detect }
      return found
    } catch {
      findings.add(error, of: input, source)
      return options
    }
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
      findings.add(
        .duplicateColumn, at: column.position, "“columns” names “\(column.value)” twice",
        hint: "give each column a name of its own")
    }
    return .names(columns.map(\.value))
  }

  private func headerRows(_ source: ComponentValue) -> Int {
    guard let rows = source.count("header_rows") else { return 1 }
    let place = source.fields["header_rows"]?.position ?? source.position
    if source.has("columns") || source.flag("header") == false {
      findings.add(
        .invalidOption, at: place, "“header_rows” is for files with a header",
        hint: "leave it out, or use “skip_lines” for lines that are to be skipped")
    } else if rows > CSVOptions.mostHeaderRows {
      findings.add(.invalidOption, at: place, "“header_rows” is at most \(CSVOptions.mostHeaderRows)")
      return 1
    }
    return rows
  }

  /// Finds characters that stand for two things.
  private func checkCharacters(_ source: ComponentValue, _ options: CSVOptions) {
    var used: [(name: String, byte: UInt8)] = []
    let others: [(String, UInt8?)] = [
      ("quote", options.quote), ("escape", options.escape == options.quote ? nil : options.escape),
      ("comment", options.comment?.utf8.first),
    ]
    for case (let name, let byte?) in others {
      if let (other, clash) = clash(name, byte, used, options) {
        // The one that the file sets is the one to name.
        let field = source.has(name) ? name : other
        findings.add(
          .invalidOption, at: source.fields[field]?.position ?? source.position, clash,
          hint: "give one of them another character, or leave “\(field)” out")
      }
      used.append((name, byte))
    }
  }

  /// The obstacle to detecting an option, and the sentence that reports it.
  private func clash(
    _ name: String, _ byte: UInt8, _ used: [(name: String, byte: UInt8)], _ options: CSVOptions
  ) -> (other: String, message: String)? {
    if name == "comment" ? options.commentMeetsDelimiter : options.delimiter.contains(byte) {
      if options.delimiter.count == 1 {
        return ("delimiter", "“delimiter” and “\(name)” are the same character")
      }
      return (
        "delimiter",
        name == "comment"
          ? "a line that begins with “comment” would begin with “delimiter” too, or the other way round"
          : "“delimiter” contains “\(name)”"
      )
    }
    return used.first { $0.byte == byte }.map { ($0.name, "“\($0.name)” and “\(name)” are the same character") }
  }
}
