package enum RowFormat: Hashable, Sendable {
  /// Comma-separated values of RFC 4180 with a header.
  case csv(CSVRowOptions)
  /// One JSON object a line.
  case ndjson
  /// One JSON array of objects, each in a line.
  case json
  /// A YAML sequence of mappings.
  case yaml
  /// An XML document with an element for each row.
  case xml(XMLRowOptions)
  /// Columns for a person's eyes; long cells are cut.
  case table(TableOptions)
}

/// How rows are written as CSV.
package struct CSVRowOptions: Hashable, Sendable {
  /// The delimiter between two fields; it has no quote in it.
  package var delimiter: CSVDelimiter = ","
  /// How no value is spelt, without quotes; texts that are the same are quoted.
  package var null = ""
  /// How the empty text is spelt.
  ///
  /// With quotes, readers that look at them can tell it from no value.
  package var empty = "\"\""
  /// The end of a line: LF, or CRLF as in RFC 4180.
  package var lineEnd = "\n"
  /// Whether the first line has the columns' names.
  package var hasHeader = true

  /// Commas, LF, a header, nothing for no value, `""` for the empty text.
  package init() {}
}

/// How rows are written as XML.
package struct XMLRowOptions: Hashable, Sendable {
  /// The root element's name, which is an XML name.
  package var root = "rows"
  /// The rows' element name, which is an XML name.
  package var row = "row"

  /// `<rows>` and `<row>`.
  package init() {}
}

/// How rows are written as a table.
package struct TableOptions: Hashable, Sendable {
  /// How many columns of characters a line may have; `nil` for as many as it needs, where only cells of more than
  /// ``widestCell`` are cut.
  package var width: Int?
  /// The columns of characters of a cell in a line of any width: one long text would fill its column with blanks in all
  /// rows.
  package static let widestCell = 1000
  /// How many rows may be held back to find the columns' widths.
  ///
  /// Later cells that are longer are cut, or, without a
  /// width, push the rest of their line to the right.
  package var sampleRows = 512
  /// A second line of titles, such as types; none, or one a column.
  package var subtitles: [String] = []

  package init(width: Int? = nil) { self.width = width }
}
