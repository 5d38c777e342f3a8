import MergewalkDiagnostics
import MergewalkRecordFormats

/// A table of text: the first column flush left, the others flush right unless they are words.
struct TextTable {
  private var rows: [[String]] = []
  /// The columns that are flush left beside the first.
  private var words: Set<Int> = []

  /// Starts a table with its column titles.
  init(_ titles: String...) { rows.append(titles) }

  init(_ titles: [String]) { rows.append(titles) }

  /// Starts a table with its column titles, of which those of these columns stand over words.
  init(_ titles: [String], words: Set<Int>) {
    rows.append(titles)
    self.words = words
  }

  /// Adds a row, one cell a column.
  mutating func add(_ cells: String...) { add(cells) }

  /// Adds a row; line breaks and other control characters of names are spelt out.
  mutating func add(_ cells: [String]) { rows.append(cells.map { PrintableText.of($0) }) }

  /// Leaves out columns, by their titles and in this order, until no line is wider.
  ///
  /// - Returns: The titles of the columns that are left out.
  mutating func fit(_ width: Int, leavingOut spare: [String]) -> [String] {
    var gone: [String] = []
    for title in spare {
      if widths.reduce(0, { $0 + $1 + 2 }) <= width { break }
      guard let column = rows[0].firstIndex(of: title) else { continue }
      for row in rows.indices where rows[row].count > column { rows[row].remove(at: column) }
      words = Set(words.filter { $0 != column }.map { $0 > column ? $0 - 1 : $0 })
      gone.append(title)
    }
    return gone
  }

  private var widths: [Int] {
    let columns = rows.map(\.count).max() ?? 0
    return (0..<columns).map { column in
      rows.map { $0.count > column ? DisplayText.width($0[column]) : 0 }.max() ?? 0
    }
  }

  /// Facts as lines of a name and a value; line breaks and other control characters of values are spelt out.
  static func facts(_ facts: [(String, String)]) -> String {
    let width = facts.map(\.0.count).max() ?? 0
    return facts.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + PrintableText.of(value)
    }.joined(separator: "\n")
  }

  /// The lines as one text.
  var text: String { lines.joined(separator: "\n") }

  /// The rows, indented by two spaces, a line each.
  var lines: [String] {
    let widths = widths
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - DisplayText.width(cell))
        line += "  " + (column == 0 || words.contains(column) ? cell + space : space + cell)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
