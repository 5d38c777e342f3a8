/// The text between the values, made once: row `i` is `rowSeparator`, `rowStart`, its cells, `rowEnd`, and the cell of
/// column `c` is `prefix(c)`, the value, and in XML `suffix(c)`.
struct RowLayout {
  /// How values are spelt.
  enum Style { case csv, json, yaml, xml, table }

  let style: Style
  let columnCount: Int
  private(set) var start: [UInt8] = []
  private(set) var rowSeparator: [UInt8] = []
  private(set) var rowStart: [UInt8] = []
  private(set) var rowEnd: ArraySlice<UInt8> = []
  private(set) var end: [UInt8] = []
  /// The text at the end, behind `start`, when there was no row.
  private(set) var emptyEnd: [UInt8] = []
  private(set) var null: ArraySlice<UInt8> = []
  private(set) var empty: ArraySlice<UInt8> = []
  /// The delimiter's first byte: a field with it could be read as one with the delimiter, which may begin there.
  private(set) var delimiter: UInt8 = 0

  private var parts: [UInt8] = []
  private var prefixEnds: [Int] = [0]
  private var suffixEnds: [Int] = []

  init(_ format: RowFormat, columns: [String]) {
    columnCount = columns.count
    switch format {
    case .csv(let options):
      style = .csv
      makeCSV(options, columns)
    case .ndjson:
      style = .json
      makeJSON(columns)
      rowEnd = Array("}\n".utf8)[...]
    case .json:
      style = .json
      makeJSON(columns)
      start = Array("[".utf8)
      rowSeparator = Array(",".utf8)
      rowStart = Array("\n{".utf8)
      rowEnd = Array("}".utf8)[...]
      end = Array("\n]\n".utf8)
      emptyEnd = Array("]\n".utf8)
    case .yaml:
      style = .yaml
      makeYAML(columns)
    case .xml(let options):
      style = .xml
      makeXML(options, columns)
    case .table:
      style = .table
      for _ in columns { addColumn([]) }
    }
  }

  /// The text before the value of a column.
  @inline(__always) func prefix(_ column: Int) -> ArraySlice<UInt8> {
    parts[prefixEnds[column]..<suffixEnds[column]]
  }

  /// The text behind the value of a column.
  @inline(__always) func suffix(_ column: Int) -> ArraySlice<UInt8> {
    parts[suffixEnds[column]..<prefixEnds[column + 1]]
  }

  private mutating func addColumn(_ prefix: [UInt8], _ suffix: [UInt8] = []) {
    parts += prefix
    suffixEnds.append(parts.count)
    parts += suffix
    prefixEnds.append(parts.count)
  }

  private mutating func makeCSV(_ options: CSVRowOptions, _ columns: [String]) {
    delimiter = options.delimiter.first
    null = Array(options.null.utf8)[...]
    empty = Array(options.empty.utf8)[...]
    // A line without any byte is no record to many readers, so a lone column that is nothing is written as if empty.
    if columns.count == 1, null.isEmpty { null = Array("\"\"".utf8)[...] }
    if columns.count == 1, empty.isEmpty { empty = Array("\"\"".utf8)[...] }
    rowEnd = Array(options.lineEnd.utf8)[...]
    for index in columns.indices { addColumn(index == 0 ? [] : options.delimiter.bytes) }
    guard options.hasHeader else { return }
    var header = OutputBytes()
    for (index, name) in columns.enumerated() {
      header.append(prefix(index))
      header.append(csv: name, self)
    }
    header.append(rowEnd)
    start = header.bytes
  }

  private mutating func makeJSON(_ columns: [String]) {
    rowStart = Array("{".utf8)
    for (index, name) in columns.enumerated() {
      var prefix = OutputBytes()
      if index > 0 { prefix.append(UInt8(ascii: ",")) }
      prefix.append(json: name)
      prefix.append(UInt8(ascii: ":"))
      addColumn(prefix.bytes)
    }
  }

  private mutating func makeYAML(_ columns: [String]) {
    emptyEnd = Array("[]\n".utf8)
    for (index, name) in columns.enumerated() {
      var prefix = OutputBytes()
      prefix.append(index == 0 ? "- " : "\n  " as StaticString)
      prefix.append(yamlKey: name)
      prefix.append(": " as StaticString)
      addColumn(prefix.bytes)
    }
    rowEnd = Array("\n".utf8)[...]
  }

  private mutating func makeXML(_ options: XMLRowOptions, _ columns: [String]) {
    start = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <\(options.root) xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">

      """.utf8)
    end = Array("</\(options.root)>\n".utf8)
    emptyEnd = end
    rowStart = Array("  <\(options.row)>\n".utf8)
    rowEnd = Array("  </\(options.row)>\n".utf8)[...]
    for name in columns {
      if OutputBytes.isXMLName(name) {
        addColumn(Array("    <\(name)".utf8), Array("</\(name)>\n".utf8))
      } else {
        var prefix = OutputBytes()
        prefix.append("    <value name=\"" as StaticString)
        prefix.append(xmlAttribute: name)
        prefix.append(UInt8(ascii: "\""))
        addColumn(prefix.bytes, Array("</value>\n".utf8))
      }
    }
  }
}
