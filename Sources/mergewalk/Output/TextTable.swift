/// A table of text: the first column flush left, the others flush right.
struct TextTable {
  private var rows: [[String]] = []

  /// Starts a table with its column titles.
  init(_ titles: String...) { rows.append(titles) }

  /// Adds a row, one cell a column.
  mutating func add(_ cells: String...) { rows.append(cells) }

  /// The rows, indented by two spaces, a line each.
  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.count)
        line += "  " + (column == 0 ? cell + space : space + cell)
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
