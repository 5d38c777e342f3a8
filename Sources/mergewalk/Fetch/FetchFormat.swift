import ArgumentParser
import MergewalkRecordFormats

/// The values of `--format`.
enum FetchFormat: String, ExpressibleByArgument, CaseIterable {
  case table, csv, ndjson, json, yaml, xml

  /// The format that a file's name ends in; `nil` when it says nothing.
  init?(path: String) {
    let ending = path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
      .last
    switch ending?.lowercased() {
    case "csv": self = .csv
    case "ndjson", "jsonl": self = .ndjson
    case "json": self = .json
    case "yaml", "yml": self = .yaml
    case "xml": self = .xml
    case "txt": self = .table
    default: return nil
    }
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
