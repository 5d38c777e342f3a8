import MergewalkImporting
import MergewalkRecordFormats

/// Which options of a source mean something for which formats.
enum SourceOptions {
  static let delimited: [SourceFormat] = [.csv, .tsv]
  /// Formats that have their records somewhere inside.
  static let documents: [SourceFormat] = [.json, .xml, .yaml, .propertyList]
  private static let text: [SourceFormat] = [
    .csv, .tsv, .ndjson, .json, .jsonSequence, .fixedWidth, .xml, .yaml, .propertyList,
  ]

  private static let databases: [SourceFormat] = [.sqlite, .coreData]
  private static let lines: [SourceFormat] = [.ndjson, .json, .jsonSequence]

  /// The formats that an option is for; nil for one that is for all.
  static func formats(of option: String) -> [SourceFormat]? {
    switch option {
    case "dialect", "header_rows", "delimiter", "quote", "escape", "header", "columns", "quoted_nulls",
      "lenient_quotes", "trim_quoted", "repeated_headers":
      delimited
    case "skip_lines", "comment", "blank_lines", "trim", "null", "short_records", "long_records":
      delimited + [.fixedWidth]
    case "widths": [.fixedWidth]
    case "namespaces", "mixed": [.xml]
    case "table": delimited + [.sqlite]
    case "records", "records_optional": documents
    case "each": documents + [.ndjson, .jsonSequence]
    case "scalars": [.json, .ndjson, .jsonSequence, .yaml]
    case "duplicate_members": [.json, .ndjson, .jsonSequence]
    case "encoding": text
    case "max_record": text + databases
    // A database is read in place.
    case "compression", "member", "max_expansion": text
    case "query", "blobs", "recursion_time": [.sqlite]
    case "entity", "model", "model_version", "where", "sort", "include_subentities": [.coreData]
    default: nil
    }
  }

  /// The formats in which a field of a contract finds anything.
  static func formats(ofContract field: String) -> [SourceFormat] {
    switch field {
    case "new": delimited + lines + databases + [.fixedWidth]
    case "missing": delimited + databases + [.fixedWidth]
    default: lines + databases + [.xml, .yaml, .propertyList]
    }
  }
}

extension SourceBuilder {
  /// Finds options that are for other formats.
  func checkOptions(_ source: ComponentValue, _ format: SourceFormat) {
    for name in source.fields.keys.sorted() {
      guard let formats = SourceOptions.formats(of: name), !formats.contains(format) else { continue }
      let message = Self.message("“\(name)”", formats, format)
      // One pipeline may read the same records from documents and as CSV, as the names of its files say.
      if name.hasPrefix("records"), SourceOptions.delimited.contains(format) {
        if source.fields["format"] != nil { findings.addIdle(message, at: source.keyPosition(name)) }
      } else {
        findings.add(.unsuitableOption, at: source.keyPosition(name), message)
      }
    }
    if source.flag("quoted_nulls") == true, !source.has("null"), !source.has("dialect") {
      findings.addIdle(
        "“quoted_nulls” is for the words of “null”, and there are none", at: source.keyPosition("quoted_nulls"))
    }
    guard let contract = source.component("contract") else { return }
    for name in ["new", "missing", "types"] {
      let formats = SourceOptions.formats(ofContract: name)
      guard !formats.contains(format), let policy = contract.choice(name, as: SchemaContract.Policy.self),
        policy != .discard
      else { continue }
      findings.addIdle(Self.message("“\(name)” of a contract", formats, format), at: contract.keyPosition(name))
    }
  }

  private static func message(_ what: String, _ formats: [SourceFormat], _ format: SourceFormat) -> String {
    let list = formats.map(\.rawValue).joined(separator: ", ")
    return "\(what) is for the format\(formats.count == 1 ? "" : "s") \(list), but the input is \(format.rawValue)"
  }
}
