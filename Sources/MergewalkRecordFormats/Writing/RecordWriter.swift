/// Writes the records of batches as they were read, without types: as CSV cells or as JSON objects.
///
/// Memory is bounded by the longest record. Hot: nothing here makes a string.
package final class RecordWriter {
  /// How records are written.
  package enum Form: Sendable, Hashable {
    /// RFC 4180 with commas and LF; the first line has the columns' names if it is true.
    ///
    /// Null and absent cells are nothing, empty texts are nothing when they had no quotes, and `""` when they had.
    case csv(hasHeader: Bool)
    /// A JSON object a line. Texts are strings, numbers, Booleans, null, objects and arrays themselves; absent cells are
    /// left out.
    ///
    /// - Parameter usesRaw: whether a record whose raw text is an object is written as that, without the white space
    ///   around its tokens, so that no member is lost.
    case ndjson(usesRaw: Bool)
  }

  /// Where the records go.
  package let sink: ByteSink
  /// How many records were written.
  package private(set) var recordCount = 0

  private let form: Form
  private let columnCount: Int
  /// The text before the value of each column: `"name":`.
  private var keys: [[UInt8]] = []
  private var out = OutputBytes()
  private static let flushLimit = 1 << 17

  /// Prepares to write records with these columns; a header is written at once.
  package init(_ form: Form, columns: [String], to sink: ByteSink) {
    self.form = form
    self.sink = sink
    columnCount = columns.count
    switch form {
    case .csv(let hasHeader):
      if hasHeader { writeHeader(columns) }
    case .ndjson:
      keys = columns.map(Self.key)
    }
  }

  /// The text before the value of a column.
  static func key(_ name: String) -> [UInt8] {
    var key = OutputBytes()
    key.append(json: name)
    key.append(UInt8(ascii: ":"))
    return key.bytes
  }

  /// Writes records of a batch that has the writer's columns.
  ///
  /// - Returns: whether there is still a reader; when not, writing more is a waste of time and no error.
  /// - Throws: ``OutputError``.
  @discardableResult
  package func write(_ batch: RecordBatch, records: Range<Int>) throws(OutputError) -> Bool {
    precondition(batch.columnCount == columnCount, "the batch has other columns than the writer")
    precondition(records.upperBound <= batch.recordCount, "the batch has no such records")
    var first = records.lowerBound
    while first < records.upperBound, !sink.isReaderGone {
      // Runs of records with about as many bytes as are written at once.
      var last = first
      var size = 0
      while last < records.upperBound, size < Self.flushLimit {
        size += Int(batch.records[last].rawLength)
        last += 1
      }
      switch form {
      case .csv: writeCSV(batch, first..<last)
      case .ndjson(let usesRaw): for record in first..<last { writeObject(batch, record, usesRaw: usesRaw) }
      }
      recordCount += last - first
      first = last
      if out.bytes.count >= Self.flushLimit { try flush() }
    }
    return !sink.isReaderGone
  }

  /// Hands what is held back to the sink.
  ///
  /// - Throws: ``OutputError``.
  package func flush() throws(OutputError) {
    try out.bytes.withUnsafeBufferPointer { (bytes) throws(OutputError) in try sink.write(UnsafeRawBufferPointer(bytes))
    }
    out.bytes.removeAll(keepingCapacity: true)
  }

  // MARK: CSV

  private func writeHeader(_ columns: [String]) {
    for (index, name) in columns.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      var name = name
      name.withUTF8 { bytes in
        if bytes.isEmpty { return out.append("\"\"" as StaticString) }
        guard let base = bytes.baseAddress else { return }
        out.bytes.reserve(2 * bytes.count + 2) { Self.put(base, bytes.count, at: $0) }
      }
    }
    if !columns.isEmpty { out.append(UInt8(ascii: "\n")) }
  }

  private func writeCSV(_ batch: RecordBatch, _ records: Range<Int>) {
    let columnCount = columnCount
    // A line without any byte is no record to many readers.
    let isLone = columnCount == 1
    let slots = records.lowerBound * columnCount..<records.upperBound * columnCount
    var size = records.count
    for slot in slots { size += 2 * Int(batch.lengths[slot]) + 3 }
    out.bytes.reserve(size) { start in
      var to = start
      batch.bytes.withUnsafeBufferPointer { bytes in
        batch.starts.withUnsafeBufferPointer { starts in
          batch.lengths.withUnsafeBufferPointer { lengths in
            batch.states.withUnsafeBufferPointer { states in
              guard let base = bytes.baseAddress else { return }
              var slot = slots.lowerBound
              for _ in records {
                for column in 0..<columnCount {
                  if column > 0 {
                    to.pointee = UInt8(ascii: ",")
                    to += 1
                  }
                  let state = states[slot]
                  let length = Int(lengths[slot])
                  let isNothing = state == FieldState.absent.rawValue || state == FieldState.null.rawValue
                  if isNothing || length == 0 {
                    if isLone || state == FieldState.quoted.rawValue {
                      to[0] = UInt8(ascii: "\"")
                      to[1] = UInt8(ascii: "\"")
                      to += 2
                    }
                  } else {
                    to = Self.put(base + Int(starts[slot]), length, at: to)
                  }
                  slot += 1
                }
                to.pointee = UInt8(ascii: "\n")
                to += 1
              }
            }
          }
        }
      }
      return to
    }
  }

  /// Writes a field that is not empty, in quotes where it has to be, and returns where it ends.
  @inline(__always)
  private static func put(
    _ from: UnsafePointer<UInt8>, _ count: Int, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    // At the start of a record, a byte order mark is that of a file.
    var needsQuotes = ByteOrderMark.end(from, 0, count) > 0
    for i in 0..<count {
      let byte = from[i]
      needsQuotes =
        needsQuotes
        || (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
          || byte == UInt8(ascii: "\r"))
    }
    if !needsQuotes {
      start.update(from: from, count: count)
      return start + count
    }
    var to = start
    to.pointee = UInt8(ascii: "\"")
    to += 1
    for i in 0..<count {
      let byte = from[i]
      to.pointee = byte
      to += 1
      if byte == UInt8(ascii: "\"") {
        to.pointee = byte
        to += 1
      }
    }
    to.pointee = UInt8(ascii: "\"")
    return to + 1
  }

  // MARK: JSON

  private func writeObject(_ batch: RecordBatch, _ record: Int, usesRaw: Bool) {
    if usesRaw {
      let isObject = batch.withRawRecord(record) { raw in
        guard raw.first(where: { $0 > 32 }) == UInt8(ascii: "{") else { return false }
        out.append(compactJSON: raw)
        return true
      }
      if isObject { return out.append(UInt8(ascii: "\n")) }
    }
    Self.append(batch, record, keys: keys, to: &out)
  }

  /// Appends the fields of a record as an object and a line end; `keys` has what stands before the value of each column.
  static func append(_ batch: RecordBatch, _ record: Int, keys: [[UInt8]], to out: inout OutputBytes) {
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    for column in keys.indices {
      let state = batch.state(record, column)
      if state == .absent { continue }
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(keys[column][...])
      switch state {
      case .absent: break
      case .null: out.append("null" as StaticString)
      case .true: out.append("true" as StaticString)
      case .false: out.append("false" as StaticString)
      case .text, .quoted: batch.withField(record, column) { out.append(json: $0) }
      case .json: batch.withField(record, column) { out.append(compactJSON: $0) }
      case .number:
        batch.withField(record, column) { text in
          // Formats other than JSON have numbers that JSON has not.
          if text.isJSONNumber { out.append(text) } else { out.append(json: text) }
        }
      }
    }
    out.append("}\n" as StaticString)
  }
}

@available(*, unavailable, message: "a writer has one record under its pen; make it in the task that writes")
extension RecordWriter: Sendable {}

extension [UInt8] {
  /// Makes room for `count` bytes behind the last one and lets `body` write them; it returns where it stopped.
  fileprivate mutating func reserve(
    _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) {
    let used = self.count
    append(contentsOf: repeatElement(0, count: count + 1))
    let end = withUnsafeMutableBufferPointer { all -> Int in
      guard let base = all.baseAddress else { return used }
      return body(base + used) - base
    }
    removeLast(self.count - end)
  }
}

extension OutputBytes {
  /// Appends a valid JSON text without the white space between its tokens, so that it is one line.
  mutating func append(compactJSON text: UnsafeRawBufferPointer) {
    var start = 0
    var i = 0
    var isInString = false
    while i < text.count {
      let byte = text[i]
      if isInString {
        if byte == UInt8(ascii: "\\") { i += 1 } else if byte == UInt8(ascii: "\"") { isInString = false }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte <= 32 {
        append(UnsafeRawBufferPointer(rebasing: text[start..<i]))
        start = i + 1
      }
      i += 1
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the text is a number as RFC 8259, section 6, defines it.
  var isJSONNumber: Bool {
    guard let base = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    var scanner = JSONScanner(base, from: 0, end: count)
    let first = base[0]
    return (first == UInt8(ascii: "-") || (first >= 0x30 && first <= 0x39)) && scanner.document()
  }
}
