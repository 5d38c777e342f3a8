import MergewalkBytes
import MergewalkRecordFormats

extension SourceSample {
  /// A record that seems to sum up the others.
  struct Footer {
    var line: Int
    var reason: String
  }

  /// Records with nothing in any column, such as the empty rows of a spreadsheet.
  struct BlankRecords {
    var count = 0
    var line = 0
    /// A column that is null in these records only.
    var column: String?
  }

  /// The records of delimited or fixed-width text that have nothing in any column, if there are other records.
  func findBlankRecords() -> BlankRecords? {
    switch definition.format {
    case .csv, .fixedWidth: break
    default: return nil
    }
    guard !columns.isEmpty, profiles.allSatisfy({ $0.values < $0.records }) else { return nil }
    var found = BlankRecords()
    for batch in batches {
      for record in 0..<batch.recordCount {
        let isBlank = columns.indices.allSatisfy { column in
          [.absent, .null].contains(batch.state(record, column))
            || batch.withField(record, column) { $0.allSatisfy(\.isBlank) }
        }
        guard isBlank else { continue }
        if found.count == 0 { found.line = batch.records[record].line }
        found.count += 1
      }
    }
    guard found.count > 0, profiles.contains(where: { $0.records > found.count }) else { return nil }
    found.column = columns.indices.first { column in
      let profile = profiles[column]
      // In a column of text, blanks and empty texts in quotes are no null.
      let areNull = profile.blank + profile.emptyQuoted == 0
      let isNumbers = profile.numbers == profile.values && profile.leadingZeros == 0
      return profile.values == profile.records - found.count && (areNull || isNumbers)
    }.map { columns[$0] }
    return found
  }

  /// The last record of delimited or fixed-width text, if one of its numbers is the sum of all others in its column, or
  /// greater than all where it alone lacks a value that the others have, or if it begins with a word for a sum.
  func findFooter() -> Footer? {
    switch definition.format {
    case .csv, .fixedWidth: break
    default: return nil
    }
    guard isWhole, let lastBatch = batches.lastIndex(where: { $0.recordCount > 0 }) else { return nil }
    let batch = batches[lastBatch]
    let last = batch.recordCount - 1
    let line = batch.records[last].line
    let lacking = columns.indices.first { column in
      profiles[column].values == profiles[column].records - 1
        && batch.withField(last, column) { $0.allSatisfy { $0.isBlank } }
    }
    for column in columns.indices {
      guard let value = number(batch, last, column), value != 0 else { continue }
      var (sum, greatest, count) = (-value, -Double.infinity, 0)
      for (index, other) in batches.enumerated() {
        for record in 0..<other.recordCount {
          guard let found = number(other, record, column), found != 0 else { continue }
          sum += found
          count += 1
          if index != lastBatch || record != last { greatest = max(greatest, found) }
        }
      }
      // Two others may make the third by accident.
      guard count > 3 else { continue }
      if abs(sum - value) <= 1e-9 * abs(value) {
        return Footer(line: line, reason: "its “\(columns[column])” is the sum of all others")
      }
      if let lacking, value > greatest {
        return Footer(
          line: line,
          reason: "it alone has nothing in “\(columns[lacking])”, and its “\(columns[column])” is the greatest")
      }
    }
    return namedFooter.map { Footer(line: $0.line, reason: "it begins with a word for a sum") }
  }

  /// A field's number, if the column has numbers.
  private func number(_ batch: RecordBatch, _ record: Int, _ column: Int) -> Double? {
    let verdict = verdicts[column]
    guard verdict.type == .integer || verdict.type == .decimal || verdict.type == .double else { return nil }
    return batch.withField(record, column) { text in
      Double(
        String(
          decoding: text.lazy.filter { $0 != 0x20 && $0 != 9 && $0 != verdict.groupMark }.map {
            $0 == verdict.decimalMark ? UInt8(ascii: ".") : $0
          }, as: UTF8.self))
    }
  }
}
