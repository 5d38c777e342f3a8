import MergewalkDiagnostics

/// The cells of one rejected record, for editing, and the way back to the record's bytes.
///
/// Only the changes of an edit are written anew: an unchanged cell keeps its quotes and an unchanged record its bytes,
/// so that a text in quotes does not become a null.
package struct RecordCells: Sendable {
  package struct Cell: Sendable, Hashable {
    /// Its text; nothing where the record ends before it.
    package var text: String
    var isQuoted = false
    var isAbsent = false
  }

  /// A cell cannot be put into the record.
  package struct EditError: Error, Sendable {
    package var column: String
    package var message: String

    package init(column: String, message: String) {
      (self.column, self.message) = (column, message)
    }
  }

  package let names: [String]
  /// The cells, one a name.
  package let cells: [Cell]
  private let raw: [UInt8]
  private let format: RecordFormat

  /// Whether records of a format have cells; others are edited as they stand.
  package static func has(_ format: RecordFormat) -> Bool {
    switch format {
    case .csv, .fixedWidth: true
    default: false
    }
  }

  /// Cuts a record; `nil` where that cannot be done, as when it has too many fields.
  ///
  /// - Parameter header: The names of the file's columns.
  package init?(_ raw: [UInt8], of format: RecordFormat, header: [String]) {
    var plain = format
    switch format {
    case .csv(var options):
      options.nullTokens = []
      options.trim = false
      options.trimQuoted = false
      options.longRecords = .refuse
      plain = .csv(options)
    case .fixedWidth(var options):
      options.nullTokens = []
      options.trim = .both
      options.truncateLongLines = false
      plain = .fixedWidth(options)
    default: return nil
    }
    guard let names = LoneRecordFormat.names(of: plain, header: header), Set(names).count == names.count,
      String(validating: raw, as: UTF8.self) != nil, !SpoolRow.isRow(raw)
    else { return nil }
    let lone = LoneRecordFormat(of: plain, columns: names, header: header)
    let (text, form) = lone.reading(raw, indent: 0)
    var batch = RecordBatch()
    do throws(ReadError) {
      var reader = try form.reader(source: ByteSource(bytes: text, path: "record"), columns: lone.columns, index: 0)
      guard try reader.read(into: &batch, limit: BatchLimit(records: 2, bytes: 1 << 20)), batch.recordCount == 1,
        batch.errors.isEmpty
      else { return nil }
    } catch {
      return nil
    }
    self.names = names
    self.raw = raw
    self.format = format
    cells = names.indices.map { column in
      let state = batch.state(0, column)
      return Cell(text: batch.text(0, column) ?? "", isQuoted: state == .quoted, isAbsent: state == .absent)
    }
  }

  /// The record with other cells.
  ///
  /// - Parameter texts: One for each name.
  /// - Throws: `EditError` for a text that the format cannot write.
  package func record(_ texts: [String]) throws(EditError) -> [UInt8] {
    if texts == cells.map(\.text) { return raw }
    switch format {
    case .csv(let options): return try csv(texts, options)
    case .fixedWidth(let options): return try line(texts, options)
    default: return raw
    }
  }

  // MARK: Writing

  private func csv(_ texts: [String], _ options: CSVOptions) throws(EditError) -> [UInt8] {
    let delimiter = Array(options.delimiter.description.utf8)
    let last = texts.indices.last { !(cells[$0].isAbsent && texts[$0].isEmpty) } ?? 0
    var record: [UInt8] = []
    for column in 0...last {
      if column > 0 { record += delimiter }
      let isNew = texts[column] != cells[column].text
      let text = Array(texts[column].utf8)
      let isSpecial = contains(text, delimiter, options) || (column == 0 && isComment(text, options))
      // A new cell that is spelt as a null is one; an empty cell alone on its line would be a blank line.
      let needsQuotes = isSpecial || (texts.count == 1 && text.isEmpty)
      guard needsQuotes || (!isNew && cells[column].isQuoted) else {
        record += text
        continue
      }
      if let quote = options.quote {
        record.append(quote)
        for byte in text {
          if byte == quote || byte == options.escape { record.append(byte == quote ? quote : byte) }
          record.append(byte)
        }
        record.append(quote)
      } else if let escape = options.escape {
        for byte in text {
          if delimiter.contains(byte) || byte == escape || byte == 10 || byte == 13 { record.append(escape) }
          record.append(byte)
        }
      } else {
        throw EditError(
          column: names[column],
          message: "the text has the delimiter or a line break in it, and the file knows neither quotes nor escapes")
      }
    }
    return record
  }

  private func contains(_ text: [UInt8], _ delimiter: [UInt8], _ options: CSVOptions) -> Bool {
    if text.contains(where: { $0 == 10 || $0 == 13 || $0 == options.quote || $0 == options.escape }) { return true }
    if let first = text.first, let last = text.last, [32, 9].contains(first) || [32, 9].contains(last) { return true }
    return text.indices.contains { text[$0...].starts(with: delimiter) }
  }

  private func isComment(_ text: [UInt8], _ options: CSVOptions) -> Bool {
    options.comment.map { text.starts(with: $0.utf8) } ?? false
  }

  private func line(_ texts: [String], _ options: FixedWidthOptions) throws(EditError) -> [UInt8] {
    var line = Array(String(decoding: raw, as: UTF8.self).unicodeScalars)
    for (index, column) in options.columns.enumerated() where texts[index] != cells[index].text {
      let text = Array(texts[index].unicodeScalars)
      guard text.count <= column.width, !text.contains(where: { $0 == "\n" || $0 == "\r" }) else {
        throw EditError(
          column: column.name,
          message: "the column takes one line of \(PrintableText.count(column.width, "character")), not \(text.count)")
      }
      let start = column.start - 1
      while line.count < start + column.width { line.append(" ") }
      // What stood on the right stays there.
      let isRight = line[start] == " " && line[start + column.width - 1] != " "
      let padding = Array(repeating: Unicode.Scalar(32 as UInt8), count: column.width - text.count)
      line.replaceSubrange(start..<start + column.width, with: isRight ? padding + text : text + padding)
    }
    var string = ""
    string.unicodeScalars.append(contentsOf: line)
    return Array(string.utf8)
  }
}
