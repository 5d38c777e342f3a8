import MergewalkBytes

/// Writes rows of typed cells as text, in one of the formats, without a string for any cell.
///
/// Call one function for each column, in order, then ``endRow()``; finally ``finish()``. Memory is bounded by the
/// longest row (and by a sample of rows for tables), not by their number.
///
/// How values look:
///
/// | value | CSV | JSON | YAML | XML |
/// | --- | --- | --- | --- | --- |
/// | none | ``CSVRowOptions/null`` | `null` | `null` | `xsi:nil="true"` |
/// | Boolean | `true` | `true` | `true` | `true` |
/// | infinity | `Infinity` | `"Infinity"` | `.inf` | `INF` |
/// | date | ISO 8601 in UTC | the same in quotes | as in CSV | as in CSV |
/// | binary | base64 | base64 in quotes | `!!binary` | base64, `encoding="base64"` |
/// | text that is not UTF-8 or not valid in XML 1.0 | unchanged | U+FFFD if not UTF-8 | `!!binary` | `encoding="base64" of="text"` |
///
/// Numbers have as many digits as are needed to read back the same number. NaN is not a value. Only JSON cannot hold
/// text that is not UTF-8; ``replacedTexts`` counts the losses.
package final class RowWriter {
  /// Where the rows go.
  package let sink: ByteSink
  /// How many rows were ended.
  package private(set) var rowCount = 0
  /// How many texts were not UTF-8 and lost bytes: in JSON, and in tables, which only show.
  package private(set) var replacedTexts = 0

  private let layout: RowLayout
  private var out = OutputBytes()
  private var table: TableLayout?
  private var column = 0
  private var hasBegun = false
  private static let flushLimit = 1 << 16

  /// Prepares to write rows; nothing is written yet.
  ///
  /// - Parameter columns: the columns' names, at least one.
  package init(_ format: RowFormat, columns: [String], to sink: ByteSink) {
    precondition(!columns.isEmpty, "rows need a column")
    self.sink = sink
    layout = RowLayout(format, columns: columns)
    if case .table(let options) = format { table = TableLayout(options, titles: columns) }
  }

  // MARK: Cells

  package func null() {
    beginCell()
    switch layout.style {
    case .csv: out.append(layout.null)
    case .json, .yaml: out.append("null" as StaticString)
    case .xml: out.append(" xsi:nil=\"true\"/>\n" as StaticString)
    case .table: break
    }
    column += 1
    if layout.style == .table { table?.endCell(&out, .null) }
  }

  package func integer(_ value: Int64) {
    openCell()
    out.append(integer: value)
    closeCell(.number)
  }

  /// Writes a binary64 number; NaN is no value.
  package func double(_ value: Double) {
    if value.isNaN { return null() }
    openCell()
    if value.isInfinite { appendInfinity(value < 0) } else { appendReal { $0.append(double: value) } }
    closeCell(.number)
  }

  /// Writes a binary32 number; NaN is no value.
  package func float(_ value: Float) {
    if value.isNaN { return null() }
    openCell()
    if value.isInfinite { appendInfinity(value < 0) } else { appendReal { $0.append(float: value) } }
    closeCell(.number)
  }

  /// Writes a decimal number, given as `[-]digits[.digits]`.
  package func decimal(_ text: UnsafeRawBufferPointer) {
    openCell()
    out.append(text)
    closeCell(.number)
  }

  /// Writes true or false.
  package func boolean(_ value: Bool) {
    openCell()
    out.append(value ? "true" : "false" as StaticString)
    closeCell(.word)
  }

  /// Writes a point in time, given in seconds since 2001-01-01 00:00:00 UTC; NaN is no value.
  package func date(_ seconds: Double) {
    if seconds.isNaN { return null() }
    if seconds.isInfinite { return double(seconds) }
    openCell()
    quoteInJSON { $0.append(date: seconds) }
    closeCell(.word)
  }

  /// Writes a UUID, given as its first and last eight bytes as big-endian numbers.
  package func uuid(_ high: UInt64, _ low: UInt64) {
    openCell()
    quoteInJSON { $0.append(uuid: high, low) }
    closeCell(.word)
  }

  package func binary(_ data: UnsafeRawBufferPointer) {
    if layout.style == .table {
      beginCell()
      out.append(UInt8(ascii: "<"))
      out.append(integer: Int64(data.count))
      out.append((data.count == 1 ? " byte>" : " bytes>") as StaticString)
      column += 1
      table?.endCell(&out, .word)
      return
    }
    beginCell()
    appendBase64(data)
    column += 1
  }

  /// Writes text, which should be UTF-8.
  package func text(_ utf8: UnsafeRawBufferPointer) {
    beginCell()
    switch layout.style {
    case .csv: out.append(csv: utf8, layout)
    case .json:
      let isUTF8 = utf8.isUTF8
      if !isUTF8 { replacedTexts += 1 }
      out.append(json: utf8, isUTF8: isUTF8)
    case .yaml:
      if utf8.isUTF8 { out.append(yaml: utf8, indentation: 4) } else { return appendBinaryCell(utf8) }
    case .xml:
      guard utf8.isXML else {
        out.append(" encoding=\"base64\" of=\"text\">" as StaticString)
        out.append(base64: utf8)
        return closeCell(.word)
      }
      out.append(UInt8(ascii: ">"))
      out.append(xml: utf8)
    case .table:
      let isUTF8 = table?.append(utf8, to: &out) ?? true
      if !isUTF8 { replacedTexts += 1 }
    }
    closeCell(.word)
  }

  /// Writes the ID of an object: `x-coredata://STORE/Entity/p1`.
  package func objectID(_ utf8: UnsafeRawBufferPointer) { text(utf8) }

  package func text(_ string: String) {
    var string = string
    string.withUTF8 { text(UnsafeRawBufferPointer($0)) }
  }

  // MARK: Rows

  /// Ends a row, for which every column was written.
  ///
  /// - Returns: whether there is still a reader; when not, writing more rows is a waste of time and no error.
  /// - Throws: ``OutputError``.
  @discardableResult
  package func endRow() throws(OutputError) -> Bool {
    precondition(column == layout.columnCount, "a row has \(layout.columnCount) cells, not \(column)")
    column = 0
    rowCount += 1
    out.append(layout.rowEnd)
    table?.endRow()
    if out.bytes.count + (table?.page.bytes.count ?? 0) >= Self.flushLimit { try flush() }
    return !sink.isReaderGone
  }

  /// Writes what is held back and what ends the format's text.
  ///
  /// - Throws: ``OutputError``.
  package func finish() throws(OutputError) {
    precondition(column == 0, "a row was not ended")
    if !hasBegun { begin() }
    table?.finish()
    out.append(rowCount == 0 ? layout.emptyEnd[...] : layout.end[...])
    try flush()
  }

  /// Hands whole rows to the sink; call it between rows.
  ///
  /// - Throws: ``OutputError``.
  package func flush() throws(OutputError) {
    table?.takePage(&out)
    try out.bytes.withUnsafeBufferPointer { (bytes) throws(OutputError) in try sink.write(UnsafeRawBufferPointer(bytes))
    }
    out.bytes.removeAll(keepingCapacity: true)
  }

  // MARK: Parts

  private func begin() {
    hasBegun = true
    out.append(layout.start[...])
  }

  /// Writes what stands before a cell's value.
  @inline(__always)
  private func beginCell() {
    if column == 0 { beginRow() }
    precondition(column < layout.columnCount, "a row has only \(layout.columnCount) cells")
    out.append(layout.prefix(column))
  }

  private func beginRow() {
    if !hasBegun { begin() }
    if rowCount > 0 { out.append(layout.rowSeparator[...]) }
    out.append(layout.rowStart[...])
  }

  /// Writes what stands before a value that has no attributes in XML.
  @inline(__always)
  private func openCell() {
    beginCell()
    if layout.style == .xml { out.append(UInt8(ascii: ">")) }
  }

  @inline(__always)
  private func closeCell(_ kind: TableLayout.Kind) {
    if layout.style == .xml { out.append(layout.suffix(column)) }
    column += 1
    if layout.style == .table { table?.endCell(&out, kind) }
  }

  private func appendBinaryCell(_ data: UnsafeRawBufferPointer) {
    appendBase64(data)
    column += 1
  }

  private func appendBase64(_ data: UnsafeRawBufferPointer) {
    switch layout.style {
    case .csv, .table:
      if data.isEmpty { out.append(layout.empty) } else { out.append(base64: data) }
    case .json: quoteInJSON { $0.append(base64: data) }
    case .yaml:
      out.append("!!binary \"" as StaticString)
      out.append(base64: data)
      out.append(UInt8(ascii: "\""))
    case .xml:
      out.append(" encoding=\"base64\">" as StaticString)
      out.append(base64: data)
      out.append(layout.suffix(column))
    }
  }

  @inline(__always)
  private func quoteInJSON(_ body: (inout OutputBytes) -> Void) {
    if layout.style == .json { out.append(UInt8(ascii: "\"")) }
    body(&out)
    if layout.style == .json { out.append(UInt8(ascii: "\"")) }
  }

  /// Appends a number that is not whole, or of great magnitude: `1e+20` is a text to YAML 1.1, which wants a point.
  @inline(__always)
  private func appendReal(_ body: (inout OutputBytes) -> Void) {
    let start = out.bytes.count
    body(&out)
    if layout.style == .yaml, let mark = out.bytes[start...].firstIndex(of: UInt8(ascii: "e")),
      !out.bytes[start..<mark].contains(UInt8(ascii: "."))
    {
      out.bytes.insert(contentsOf: [UInt8(ascii: "."), UInt8(ascii: "0")], at: mark)
    }
  }

  private func appendInfinity(_ isNegative: Bool) {
    if layout.style == .json { out.append(UInt8(ascii: "\"")) }
    if isNegative { out.append(UInt8(ascii: "-")) }
    switch layout.style {
    case .csv, .table: out.append("Infinity" as StaticString)
    case .json: out.append("Infinity\"" as StaticString)
    case .yaml: out.append(".inf" as StaticString)
    case .xml: out.append("INF" as StaticString)
    }
  }
}

@available(*, unavailable, message: "a writer has one row under its pen; make it in the task that writes")
extension RowWriter: Sendable {}
