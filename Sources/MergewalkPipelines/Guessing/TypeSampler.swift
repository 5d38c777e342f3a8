package import MergewalkRecordFormats

/// Looks at the records of a source and says what its columns hold.
package struct TypeSampler: Sendable {
  package private(set) var profiles: [ColumnProfile]
  private let isTyped: Bool

  /// The types of the columns, which are judged together.
  package var types: [ColumnType] { ColumnProfile.verdicts(profiles, named: []).map(\.type) }

  /// Prepares to look at columns of a format.
  package init(columnCount: Int, format: RecordFormat) {
    profiles = Array(repeating: ColumnProfile(), count: columnCount)
    isTyped = !format.hasTextOnly
  }

  package mutating func add(_ batch: RecordBatch) {
    for record in 0..<batch.recordCount {
      for column in profiles.indices {
        let state = batch.state(record, column)
        batch.withField(record, column) { profiles[column].add(state, $0, isTyped: isTyped) }
      }
    }
  }
}

extension RecordFormat {
  /// Whether quotes say nothing about a value's type.
  var hasTextOnly: Bool {
    switch self {
    case .csv, .fixedWidth, .xml: true
    case .ndjson, .json, .jsonSequence, .yaml, .propertyList, .custom: false
    }
  }
}
