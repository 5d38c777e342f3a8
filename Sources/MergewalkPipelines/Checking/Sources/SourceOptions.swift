import MergewalkImporting
import MergewalkRecordFormats

/// Which options of a source mean something for which formats.
enum SourceOptions {
  private static let delimited: [SourceFormat] = [.csv, .tsv]
  /// Formats that have their records somewhere inside.
  static let documents: [SourceFormat] = [.json, .xml, .yaml, .propertyList]
  private static let text: [SourceFormat] = [
    .csv, .tsv, .ndjson, .json, .jsonSequence, .fixedWidth, .xml, .yaml, .propertyList,
  ]

  private static let databases: [SourceFormat] = [.sqlite, .coreData]

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
    // A pipeline may read the same records from a document or as CSV, where it means nothing.
    case "records", "records_optional": documents + delimited
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
}

extension SourceBuilder {
  /// Finds options that are for other formats.
  func checkOptions(_ source: ComponentValue, _ format: SourceFormat) {
    for name in source.fields.keys.sorted() {
      guard let formats = SourceOptions.formats(of: name), !formats.contains(format) else { continue }
      let list = formats.map(\.rawValue).joined(separator: ", ")
      findings.add(
        .unsuitableOption, at: source.keyPosition(name),
        "“\(name)” is for the format\(formats.count == 1 ? "" : "s") \(list), but the input is \(format.rawValue)")
    }
  }
}
