import ArgumentParser
import MergewalkRecordFormats

/// The values of `--format`.
enum FetchFormat: String, ExpressibleByArgument, CaseIterable, OutputFormat {
  case table, csv, ndjson, json, yaml, xml

  // Readers tell the two kinds of .json by their content, and everything is text.
  static var extensions: KeyValuePairs<String, [FetchFormat]> {
    [
      "csv": [.csv], "ndjson": [.ndjson], "jsonl": [.ndjson], "json": [.json, .ndjson], "yaml": [.yaml], "yml": [.yaml],
      "xml": [.xml], "txt": allCases,
    ]
  }

  /// The format of the rows.
  ///
  /// - Parameter width: the width of tables; `nil` for as wide as they are.
  func rowFormat(width: Int?) -> RowFormat {
    switch self {
    case .table: .table(TableOptions(width: width))
    case .csv: .csv(CSVRowOptions())
    case .ndjson: .ndjson
    case .json: .json
    case .yaml: .yaml
    case .xml: .xml(XMLRowOptions())
    }
  }

  /// One number and nothing else.
  static var bareNumbers: CSVRowOptions {
    var options = CSVRowOptions()
    options.hasHeader = false
    return options
  }
}

extension RowFormat {
  /// Whether the rows are for a person's eyes.
  var isTable: Bool { if case .table = self { true } else { false } }
}
