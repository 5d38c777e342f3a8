/// A format of files with records.
enum DataFormat: String, Sendable, CaseIterable {
  case csv, tsv
  case fixedWidth = "fixed-width"
  case ndjson, json
  case jsonSequence = "json-seq"
  case xml, yaml, plist, sqlite

  /// Whether records have members within members.
  var isTree: Bool {
    switch self {
    case .csv, .tsv, .fixedWidth, .sqlite: false
    default: true
    }
  }
  /// Where names of columns are told.
  var names: ReferenceContract.Names {
    switch self {
    case .csv, .tsv, .fixedWidth, .sqlite: .header
    case .ndjson, .json, .jsonSequence: .members
    case .xml, .yaml, .plist: .untold
    }
  }
  /// Whether a file is text in some encoding.
  var isText: Bool { self != .sqlite }
  /// Whether a record may lack a column that others have.
  var hasAbsent: Bool { isTree }
  /// Whether there are nulls, perhaps by a spelling of the options.
  var hasNull: Bool { self != .plist }
  /// Whether numbers and truth values are told from text.
  var hasTypes: Bool {
    switch self {
    case .csv, .tsv, .fixedWidth, .xml, .sqlite: false
    default: true
    }
  }

  /// Whether a text comes back as it was.
  func holds(_ text: String) -> Bool {
    switch self {
    case .xml, .plist: text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }
    case .fixedWidth:
      text.unicodeScalars.allSatisfy { $0.value >= 0x20 }
        && text.unicodeScalars.first != " " && text.unicodeScalars.last != " "
    default: true
    }
  }
}

/// How a delimited text is written.
struct DelimitedForm: Sendable {
  /// What stands first in a file.
  enum Header: Sendable {
    /// The names of the columns.
    case names
    /// The names, each in two records: `the` above `name`.
    case twoRows
    /// Nothing; the pipeline has the names.
    case none
  }
  var delimiter = ","
  var quote = "\""
  var header = Header.names
  var lineEnd = "\n"
  /// Whether the header stands again between the records, as in files that were put one behind the other, each time with
  /// a rule drawn below it.
  var repeatsHeader = false
  /// Whether the last record of each file has the names of the columns, in another case.
  var hasNearHeader = false
  /// Whether all fields but nulls stand in quotes.
  var quotesAll = false
  /// Lines before the header.
  var preamble: [String] = []
  /// Whether lines with remarks stand between the records.
  var hasComments = false
  /// Whether blank lines stand between the records.
  var hasBlankLines = false
  /// Spelling of null.
  var null = "\\N"
  /// The word that detection finds to mean null in columns of numbers and the like; nothing does so in others then.
  var detectedNull: String?
  /// How many columns at the end may be missing from a record.
  var shortColumns = 0
}
