import MergewalkBytes

/// A record as a line of JSON: an object with the one member `$columns`, whose members are the requested columns.
///
/// Each cell is restored with its state and its bytes. A value without a JSON spelling, such as a number of YAML in
/// hexadecimal digits or a JSON text of several lines, is an object that names its kind: `{"$number":"0x1F"}`. By its
/// member, a rejects file distinguishes such a line from a record in its original form.
enum SpoolRow {
  private static let member = "$columns"
  /// JSON texts with more arrays and objects than these are written as text, so that the line is not too deep.
  private static let mostNesting = 400

  /// The path of a column in the line.
  static func path(toColumn name: String) -> String {
    JSONPaths.path(toMember: member) + "." + JSONPaths.path(toMember: name)
  }

  /// Whether a raw record is such a line.
  static func isRow(_ raw: [UInt8]) -> Bool {
    var rest = raw[...].drop(while: \.isDocumentSpace)
    guard rest.popFirst() == UInt8(ascii: "{") else { return false }
    rest = rest.drop(while: \.isDocumentSpace)
    let name = Array("\"\(member)\"".utf8)
    guard rest.starts(with: name) else { return false }
    return rest.dropFirst(name.count).drop(while: \.isDocumentSpace).first == UInt8(ascii: ":")
  }

  // MARK: Writing

  /// Appends a record without a line end; `keys` has what stands before the value of each column.
  static func append(_ batch: RecordBatch, _ record: Int, keys: [[UInt8]], to out: inout OutputBytes) {
    out.append("{\"$columns\":{" as StaticString)
    var isFirst = true
    for column in keys.indices {
      let state = batch.state(record, column)
      if state == .absent { continue }
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(keys[column][...])
      // A null may stand for something that has no place in the text.
      if state == .null {
        out.append("null" as StaticString)
      } else {
        batch.withField(record, column) { append(state, $0, to: &out) }
      }
    }
    out.append("}}" as StaticString)
  }

  private static func append(_ state: FieldState, _ text: UnsafeRawBufferPointer, to out: inout OutputBytes) {
    switch state {
    case .absent, .null: out.append("null" as StaticString)
    case .text, .quoted: out.append(json: text)
    case .true:
      if text.isEmpty || text.elementsEqual("true".utf8) {
        out.append("true" as StaticString)
      } else {
        append(named: "{\"$true\":", text, to: &out)
      }
    case .false:
      if text.isEmpty || text.elementsEqual("false".utf8) {
        out.append("false" as StaticString)
      } else {
        append(named: "{\"$false\":", text, to: &out)
      }
    case .number:
      if text.isJSONNumber { out.append(text) } else { append(named: "{\"$number\":", text, to: &out) }
    case .json: if isPlain(text) { out.append(text) } else { append(named: "{\"$json\":", text, to: &out) }
    }
  }

  private static func append(
    named name: StaticString, _ text: UnsafeRawBufferPointer, to out: inout OutputBytes
  ) {
    out.append(name)
    out.append(json: text)
    out.append(UInt8(ascii: "}"))
  }

  /// Whether a JSON text can be in the line as it is, without being taken for the line's mark of a cell.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    var nesting = 0
    for byte in text {
      if byte == 10 || byte == 13 { return false }
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { nesting += 1 }
    }
    return nesting <= mostNesting && named(text) == nil
  }

  // MARK: Reading

  /// Gives the cells of lines that were read their states and bytes back.
  static func restore(_ batch: inout RecordBatch) {
    for record in 0..<batch.recordCount {
      for column in 0..<batch.columnCount where batch.state(record, column) == .json {
        let found = batch.withField(record, column) { named($0) }
        guard let found else { continue }
        let range = found.text.withUnsafeBytes { batch.appendBytes($0) }
        batch.setField(column, of: record, found.state, range)
      }
    }
  }

  /// The cell that an object with one member such as `$number` stands for; nil for any other JSON text.
  private static func named(_ text: UnsafeRawBufferPointer) -> (state: FieldState, text: [UInt8])? {
    guard text.first == UInt8(ascii: "{") else { return nil }
    var rest = Array(text.dropFirst().prefix(16))[...].drop(while: \.isDocumentSpace)
    guard rest.starts(with: "\"$".utf8) else { return nil }
    rest = rest.dropFirst(2)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")), let state = Self.state(named: rest[..<end]) else {
      return nil
    }
    var bytes = Array(text)[...]
    // Behind the name are a colon, a string and the brace, with white space anywhere.
    bytes = bytes.dropFirst(1 + end + 1).drop(while: \.isDocumentSpace)
    guard bytes.popFirst() == UInt8(ascii: ":") else { return nil }
    bytes = bytes.drop(while: \.isDocumentSpace)
    guard bytes.popFirst() == UInt8(ascii: "\"") else { return nil }
    let start = bytes.startIndex
    var stop = start
    while stop < bytes.endIndex, bytes[stop] != UInt8(ascii: "\"") {
      stop += bytes[stop] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard stop < bytes.endIndex else { return nil }
    let tail = bytes[(stop + 1)...].drop(while: \.isDocumentSpace)
    guard tail.first == UInt8(ascii: "}"), tail.dropFirst().allSatisfy(\.isDocumentSpace) else { return nil }
    let string = Array(bytes[start..<stop])
    let value = string.withUnsafeBufferPointer { from in
      [UInt8](unsafeUninitializedCapacity: from.count) { room, count in
        if let base = from.baseAddress, let target = room.baseAddress {
          count = JSONEscape.unescape(base, 0, from.count, to: target)
        }
      }
    }
    return (state, value)
  }

  private static func state(named name: ArraySlice<UInt8>) -> FieldState? {
    switch String(decoding: name, as: UTF8.self) {
    case "number": .number
    case "json": .json
    case "true": .true
    case "false": .false
    default: nil
    }
  }
}

/// Reads lines that ``SpoolRow`` has written.
struct SpoolRowReader: RecordReader {
  let columns: [String]
  private var lines: NDJSONReader

  init(source: ByteSource, columns names: [String], index: Int) throws(ReadError) {
    var options = NDJSONOptions()
    // What the source's own format took is not too long here.
    options.maxRecordBytes = 1 << 29
    columns = names
    lines = try NDJSONReader(
      source: source, options: options, columns: .named(names.map { SpoolRow.path(toColumn: $0) }), index: index)
  }

  var bytesRead: Int { lines.bytesRead }

  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    let isMore = try lines.read(into: &batch, limit: limit)
    SpoolRow.restore(&batch)
    return isMore
  }
}
