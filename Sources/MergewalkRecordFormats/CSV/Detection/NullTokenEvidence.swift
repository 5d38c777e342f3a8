import MergewalkBytes

/// Finds the spellings that mean null.
///
/// `\N` means null as a whole field, wherever it stands: no text is written so. A word such as `NULL` or `NA` means it in
/// columns of numbers, dates or the like only, because it may be a value elsewhere, such as the code of Namibia.
package enum NullTokenEvidence {
  /// The words that hardly mean anything but null wherever they stand, unlike `NA`, the code of Namibia: a person is asked
  /// about those in columns of text.
  package static let plainWords: Set<String> = ["NULL", "(null)", "<null>", "#N/A"]

  private struct Column {
    var typed = 0
    var plain = 0
    var isTyped: Bool { typed > 0 && typed >= 4 * plain }
  }

  /// The fields with one spelling.
  private struct Places {
    var columns: [Int] = []
    /// The first of them in each column.
    var lines: [Int: Int] = [:]
  }

  struct Found {
    /// The spellings that mean null in all columns.
    var tokens: [String] = []
    /// Those that mean it in columns of numbers, dates or the like.
    var words: [String] = []
    /// A sentence about each of both.
    var evidence: [String] = []
    /// A sentence about words that hardly mean anything else, and stand in columns of text.
    var doubt: CSVProposal?
  }

  /// The spellings as spelt, in the order in which they were met.
  static func find(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ shape: TableShape, headerRows: Int
  ) -> Found {
    var columns = [Column](repeating: Column(), count: shape.width)
    var met: [String: Places] = [:]
    var order: [String] = []
    for index in shape.records.dropFirst(headerRows) {
      let row = table.rows[index]
      for (column, cell) in table.cells(of: row).prefix(shape.width).enumerated() {
        switch CellKind(bytes, cell.start, cell.end) {
        case .empty: continue
        case .missing where !cell.isQuoted:
          var (start, end) = (cell.start, cell.end)
          while start < end, bytes[start].isBlank { start += 1 }
          while end > start, bytes[end - 1].isBlank { end -= 1 }
          let token = String(decoding: bytes[start..<end], as: UTF8.self)
          if met[token] == nil { order.append(token) }
          met[token, default: Places()].columns.append(column)
          if met[token]?.lines[column] == nil { met[token]?.lines[column] = row.line }
        case let kind: if kind.isTyped { columns[column].typed += 1 } else { columns[column].plain += 1 }
        }
      }
    }
    var found = Found()
    var texts: [(word: String, fields: Int, line: Int)] = []
    for token in order {
      guard let places = met[token] else { continue }
      let count = places.columns.count
      let times = count == 1 ? "one field is" : "\(count) fields are"
      if token == "\\N" {
        found.tokens.append(token)
        found.evidence.append("null: \(times) “\(token)”")
        continue
      }
      let isPlain = plainWords.contains(token)
      let typed = places.columns.count { columns[$0].isTyped }
      guard isPlain || typed > 0 else { continue }
      found.words.append(token)
      found.evidence.append(
        typed == 0
          ? "null: \(times) “\(token)”, which stays text in columns of text"
          : "null: \(times) “\(token)”, \(typed == count ? "" : "\(typed) of them ")in columns of numbers, dates or"
            + " the like\(typed == count ? "" : "; elsewhere it stays text")")
      // Nothing but such words says nothing of the column.
      let plain = places.columns.filter { !columns[$0].isTyped && columns[$0].plain > 0 }
      if isPlain, let line = plain.compactMap({ places.lines[$0] }).min() {
        texts.append((token, plain.count, line))
      }
    }
    found.doubt = doubt(texts)
    return found
  }

  private static func doubt(_ texts: [(word: String, fields: Int, line: Int)]) -> CSVProposal? {
    if texts.isEmpty { return nil }
    let parts = texts.map { word, fields, line in
      "\(fields == 1 ? "one field is" : "\(fields) fields are") “\(word)”" + (fields == 1 ? ", on" : ", first on")
        + " line \(line)"
    }
    return CSVProposal(
      option: "null", value: "[\(texts.map { "\"\($0.word)\"" }.joined(separator: ", "))]",
      reason: "in columns of text \(parts.joined(separator: "; ")): "
        + (texts.count == 1 ? "it stays text" : "they stay text"))
  }
}
