/// A table of text: the first column flush left, the others flush right unless they are words.
struct TextTable {
  private var rows: [[String]] = []
  /// The columns that are flush left beside the first.
  private var words: Set<Int> = []

  /// Starts a table with its column titles.
  init(_ titles: String...) { rows.append(titles) }

  /// A table with these titles.
  init(_ titles: [String]) { rows.append(titles) }

  /// Starts a table with its column titles, of which those of these columns stand over words.
  init(_ titles: [String], words: Set<Int>) {
    rows.append(titles)
    self.words = words
  }

  /// Adds a row, one cell a column.
  mutating func add(_ cells: String...) { rows.append(cells) }

  /// Adds a row of cells.
  mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The rows, indented by two spaces, a line each.
  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.count)
        line += "  " + (column == 0 || words.contains(column) ? cell + space : space + cell)
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
