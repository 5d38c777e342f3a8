import Diagnostics
import RecordFormats

/// Turns the `source` component into the options of a reader.
struct SourceBuilder {
  let findings: Findings

  /// Returns how the inputs are read; without `format` the first input decides.
  func format(_ source: ComponentValue, firstInput: SourceFiles.Input?) -> RecordFormat? {
    switch source.choice("format", as: SourceFormat.self) ?? detect(firstInput, source) {
    case nil: return nil
    case .json:
      checkJSON(source, "a JSON document", beside: ["records"])
      var options = JSONOptions()
      options.records = source.text("records")?.value
      if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
      if let encoding = encoding(source) { options.encoding = encoding }
      return .json(options)
    case .ndjson:
      checkJSON(source, "NDJSON")
      var options = NDJSONOptions()
      if let bytes = source.count("max_record") { options.maxRecordBytes = bytes }
      if let encoding = encoding(source) { options.encoding = encoding }
      return .ndjson(options)
    case .tsv:
      return .csv(csv(source, .tabSeparated))
    case .csv:
      return .csv(csv(source, CSVOptions()))
    }
  }

  /// Returns how files of objects are read: as exports write them, and with the options of their format otherwise.
  func objectsFormat(_ objects: ComponentValue, firstInput: SourceFiles.Input?) -> RecordFormat? {
    var options: CSVOptions
    switch objects.choice("format", as: SourceFormat.self) ?? detect(firstInput, objects) {
    case nil: return nil
    case .json: return .json(JSONOptions())
    case .ndjson: return .ndjson(NDJSONOptions())
    case .tsv: options = .tabSeparated
    case .csv: options = CSVOptions()
    }
    options.nullTokens = [""]
    return .csv(options)
  }

  /// The format of the first input by its name, then by its content; `nil` is a finding.
  private func detect(_ input: SourceFiles.Input?, _ source: ComponentValue) -> SourceFormat? {
    // Without an input there is a finding already; the format that leaves most to check is the best guess.
    guard let input else { return .csv }
    // Only a document has a place for records; whose name says something else is what it says.
    if source.has("records"), SourceFormat(fileName: input.path) == nil { return .json }
    do throws(ReadError) {
      let encoding = encoding(source) ?? .automatic
      if let format = try SourceFormat.detect(input.source, encoding: encoding) { return format }
      findings.add(
        .missingField, at: input.position, "neither the name nor the content of “\(input.path)” tells its format",
        hint: "say it with “format”")
    } catch {
      findings.add(error, of: input, source)
    }
    return nil
  }

  /// The encoding that the source names; `nil` when it names none, or none that there is, which is a finding.
  private func encoding(_ source: ComponentValue) -> TextEncoding? {
    guard let name = source.text("encoding") else { return nil }
    if let encoding = TextEncoding(named: name.value) { return encoding }
    let near = TextEncoding.nearestName(to: name.value).map { "did you mean “\($0)”? " } ?? ""
    findings.add(
      .invalidOption, at: name.position, "there is no encoding “\(name.value)”",
      hint: near + "there is automatic, detect and what “iconv -l” lists")
    return nil
  }

  private func csv(_ source: ComponentValue, _ defaults: CSVOptions) -> CSVOptions {
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

  /// Finds options of other formats in the source of a JSON pipeline.
  private func checkJSON(_ source: ComponentValue, _ format: String, beside own: Set<String> = []) {
    let known = own.union([
      "files", "format", "ignore", "max_record", "encoding", "pattern", "recursive", "manifest", "compression",
      "member",
      "max_expansion",
    ])
    for name in source.fields.keys.sorted() where !known.contains(name) {
      let other = name == "records" ? "JSON documents" : "CSV"
      findings.add(
        .unsuitableOption, at: source.keyPosition(name), "“\(name)” is for \(other), but the input is \(format)")
    }
  }
}
