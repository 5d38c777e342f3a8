import MergewalkImporting
import MergewalkRecordFormats

/// The values of columns.
extension SourceSample {
  /// A number that equal values have, and other values almost never.
  static func hash(_ text: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    return hasher.finalize()
  }

  /// The columns of which no two records have the same value.
  func findUnique() -> Set<Int> {
    var found: Set<Int> = []
    for (column, profile) in profiles.enumerated() {
      guard profile.values == profile.records, profile.values > 0 else { continue }
      var seen: Set<Int> = []
      if everyHash(column, { seen.insert($0).inserted }) { found.insert(column) }
    }
    return found
  }

  /// Whether `body` is true for the hash of each value of a column; nulls and empty texts are no values.
  func everyHash(_ column: Int, _ body: (Int) -> Bool) -> Bool {
    for batch in batches {
      for record in 0..<batch.recordCount {
        switch batch.state(record, column) {
        case .absent, .null: continue
        default: break
        }
        let isTrue = batch.withField(record, column) { $0.isEmpty || body(Self.hash($0)) }
        if !isTrue { return false }
      }
    }
    return true
  }

  func hashes(_ column: Int) -> Set<Int> {
    var result: Set<Int> = []
    _ = everyHash(column) {
      result.insert($0)
      return true
    }
    return result
  }

  /// The number of the first record with a structure in a column, from 0; 0 if there is none.
  func firstRecord(with column: Int) -> Int {
    var before = 0
    for batch in batches {
      for record in 0..<batch.recordCount where batch.state(record, column) == .json { return before + record }
      before += batch.recordCount
    }
    return 0
  }

  /// The first different texts of a column, without the blanks around them; those that are empty or mean null are none.
  func texts(_ column: Int, atMost most: Int) -> [String] {
    var texts: [String] = []
    var known: Set<String> = []
    for batch in batches {
      for record in 0..<batch.recordCount {
        switch batch.state(record, column) {
        case .text, .quoted, .number: break
        default: continue
        }
        let text = batch.withField(record, column) { field in
          field.withMemoryRebound(to: UInt8.self) { String(decoding: $0[WhiteSpace.trimmed($0)], as: UTF8.self) }
        }
        if text.isEmpty || ColumnProfile.nullSpellings.contains(text) || !known.insert(text).inserted { continue }
        texts.append(text)
        if texts.count == most { return texts }
      }
    }
    return texts
  }

  /// Whether no two records have the same values in all these columns.
  func isUnique(_ columns: [Int]) -> Bool {
    var seen: Set<Int> = []
    for batch in batches {
      for record in 0..<batch.recordCount {
        var hasher = Hasher()
        for column in columns { hasher.combine(batch.withField(record, column) { Self.hash($0) }) }
        if !seen.insert(hasher.finalize()).inserted { return false }
      }
    }
    return true
  }
}
