import MergewalkImporting
import MergewalkRecordFormats

/// Turns the `source` component into the options of a reader.
struct SourceBuilder {
  let findings: Findings

  /// Returns how the inputs are read; without `format` the first input decides.
  func format(_ source: ComponentValue, firstInput: SourceFiles.Input?) -> RecordFormat? {
    guard let format = source.choice("format", as: SourceFormat.self) ?? detect(firstInput, source) else { return nil }
    checkOptions(source, format)
    if let firstInput { checkEncoding(source, firstInput) }
    switch format {
    case .csv: return .csv(csv(source, CSVOptions(), firstInput))
    case .tsv: return .csv(csv(source, .tabSeparated, firstInput))
    case .json: return .json(json(source))
    case .ndjson: return .ndjson(ndjson(source))
    case .jsonSequence: return .jsonSequence(jsonSequence(source))
    case .fixedWidth: return fixedWidth(source).map { .fixedWidth($0) }
    case .xml: return .xml(xml(source))
    case .yaml: return .yaml(yaml(source))
    case .propertyList: return .propertyList(propertyList(source))
    case .sqlite: return .sqlite(sqlite(source))
    case .coreData: return coreData(source).map { .coreData($0) }
    }
  }

  /// Returns how files of objects are read: as exports write them, and with the options of their format otherwise.
  func objectsFormat(_ objects: ComponentValue, firstInput: SourceFiles.Input?) -> RecordFormat? {
    var options: CSVOptions
    switch objects.choice("format", as: SourceFormat.self) ?? detect(firstInput, objects) {
    case .json: return .json(JSONOptions())
    case .ndjson: return .ndjson(NDJSONOptions())
    case .xml: return .xml(XMLOptions())
    case .yaml: return .yaml(YAMLOptions())
    case .tsv: options = .tabSeparated
    case .csv: options = CSVOptions()
    case nil, .jsonSequence, .fixedWidth, .propertyList, .sqlite, .coreData: return nil
    }
    options.nullTokens = [""]
    return .csv(options)
  }

  /// The format of the first input by its name, then by its content; `nil` is a finding.
  func detect(_ input: SourceFiles.Input?, _ source: ComponentValue) -> SourceFormat? {
    // Without an input there is a finding already; what is named tells the format, or else the options do not contradict
    // the format that leaves most to check.
    guard let input else {
      if let name = source.texts("files")?.first?.value, let format = SourceFormat(fileName: name) { return format }
      let isTableName = source.text("table").map { Int($0.value) == nil } ?? false
      return !isTableName && source.fields.keys.allSatisfy { SourceOptions.formats(of: $0)?.contains(.csv) ?? true }
        ? .csv : nil
    }
    // Only a document has a place for records; whose name says something else is what it says.
    let isDocument = source.has("records") && SourceFormat(fileName: input.path) == nil
    do throws(ReadError) {
      let encoding = encoding(source) ?? .automatic
      let found = try SourceFormat.detect(input.source, encoding: encoding)
      if isDocument { return found.flatMap { SourceOptions.documents.contains($0) ? $0 : nil } ?? .json }
      if let format = found {
        // A store is a database; whoever names an entity wants its objects.
        return format == .sqlite && source.has("entity") ? .coreData : format
      }
      let isStream = input.source.isReadOnce
      // What is piped in takes the place of files, whose names tell the format.
      if isStream, let name = source.texts("files")?.first?.value, let format = SourceFormat(fileName: name) {
        return format
      }
      findings.add(
        .missingField, at: input.position,
        isStream
          ? "“\(input.path)” does not tell its format, because it can be read only once"
          : input.source.isBlank
            ? "“\(input.path)” is empty, and its name tells no format"
            : "neither the name nor the content of “\(input.path)” tells its format",
        hint: "set it in “source”, for example “format: csv”")
    } catch {
      findings.add(error, of: input, source)
    }
    return nil
  }

  /// Reports the first file whose name tells another format than that of the first one, where nothing says the format.
  func checkNames(_ inputs: [SourceFiles.Input], _ source: ComponentValue) {
    guard !source.has("format"), let first = inputs.first,
      let format = SourceFormat(fileName: first.path)
    else { return }
    let tables = SourceOptions.delimited
    for input in inputs {
      // Whether a table has commas or tabs its name often does not tell.
      guard let other = SourceFormat(fileName: input.path), other != format,
        !(tables.contains(other) && tables.contains(format))
      else { continue }
      findings.add(
        .missingField, at: input.position,
        "“\(input.path)” is \(other.rawValue) by its name, “\(first.path)” is \(format.rawValue): "
          + "all files of a source have one format",
        hint: "name files of one format, for example with “*.csv”, or set “format”")
      return
    }
  }

  /// Reports an encoding that the bytes are asked for and do not tell for certain, but where all of the dialect is asked for.
  private func checkEncoding(_ source: ComponentValue, _ input: SourceFiles.Input) {
    guard let name = source.text("encoding"), TextEncoding(named: name.value) == .detect, !source.has("dialect") else {
      return
    }
    do throws(ReadError) {
      guard let doubt = try input.source.encodingDoubt() else { return }
      findings.add(
        .uncertainDialect, at: name.position, "the encoding of “\(input.path)” is not certain: it is read as \(doubt)",
        hint: "look at its letters, and set the right encoding in place of “detect”")
    } catch {
      findings.add(error, of: input, source)
    }
  }

  /// The encoding that the source names; `nil` when it names none, or none that there is, which is a finding.
  func encoding(_ source: ComponentValue) -> TextEncoding? {
    guard let name = source.text("encoding") else { return nil }
    if let encoding = TextEncoding(named: name.value) { return encoding }
    let near = TextEncoding.nearestName(to: name.value).map { "did you mean “\($0)”? " } ?? ""
    findings.add(
      .invalidOption, at: name.position, "there is no encoding “\(name.value)”",
      hint: near + "there is automatic, detect and what “iconv -l” lists")
    return nil
  }
}
