import MergewalkBytes

/// Finds the spellings that mean null.
///
/// `NULL` and `\N` always mean null as a whole field; a word such as `NA` or a dash means it only if all its fields are
/// in columns of numbers, dates or the like, because it may be a value elsewhere.
enum NullTokenEvidence {
  private struct Column {
    var typed = 0
    var plain = 0
    var isTyped: Bool { typed > 0 && typed >= 4 * plain }
  }

  /// The tokens as spelt, in the order in which they were met, with a sentence about each.
  static func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, headerRows: Int
  ) -> (tokens: [String], evidence: [String]) {
    var columns = [Column](repeating: Column(), count: shape.width)
    var found: [String: [Int]] = [:]
    var order: [String] = []
    for index in shape.records.dropFirst(headerRows) {
      for (column, cell) in table.cells(of: table.rows[index]).prefix(shape.width).enumerated() {
        switch CellKind(bytes, cell.start, cell.end) {
        case .empty: continue
        case .missing where !cell.isQuoted:
          var (start, end) = (cell.start, cell.end)
          while start < end, bytes[start].isBlank { start += 1 }
          while end > start, bytes[end - 1].isBlank { end -= 1 }
          let token = String(decoding: bytes[start..<end], as: UTF8.self)
          if found[token] == nil { order.append(token) }
          found[token, default: []].append(column)
        case let kind: if kind.isTyped { columns[column].typed += 1 } else { columns[column].plain += 1 }
        }
      }
    }
    var tokens: [String] = []
    var evidence: [String] = []
    for token in order {
      let places = found[token] ?? []
      let isPlain = token == "NULL" || token == "\\N" || token == "(null)" || token == "<null>" || token == "#N/A"
      let typed = places.count { columns[$0].isTyped }
      guard isPlain || typed == places.count else { continue }
      tokens.append(token)
      let times = places.count == 1 ? "one field is" : "\(places.count) fields are"
      evidence.append(
        typed > 0
          ? "null: \(times) “\(token)”, \(typed == places.count ? "" : "\(typed) of them ")in columns of numbers, dates or"
            + " the like"
          : "null: \(times) “\(token)”")
    }
    return (tokens, evidence)
  }
}
