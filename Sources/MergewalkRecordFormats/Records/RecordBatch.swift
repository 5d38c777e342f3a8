import MergewalkBytes
public import MergewalkDiagnostics

/// A run of records of one input, stored as byte ranges.
///
/// A batch is created once and filled many times, reusing its memory. `starts`, `lengths` and `states` are
/// record-major: the entry of a field is `record * columnCount + column`. All arrays may be longer than the batch's
/// content (everything after `recordCount` records, or `byteCount` bytes, is left over from earlier fillings).
public struct RecordBatch: Sendable {
  /// The index of the input in the list of sources, as given to the reader; a batch never mixes inputs.
  public var source: Int = 0
  /// The path of the records' member inside its archive; nil if the source is not an archive.
  ///
  /// In a replay it tells the files apart that the records were rejected from.
  public var member: String?
  /// Whether the records stand in a rejects file.
  package var isReplayed = false
  /// The number of requested columns.
  public internal(set) var columnCount: Int = 0
  /// The number of good records.
  public internal(set) var recordCount: Int = 0
  /// The number of bytes in use in `bytes`.
  public internal(set) var byteCount: Int = 0
  /// The raw bytes of whole records as read, followed by the fields that needed unescaping.
  public internal(set) var bytes: ContiguousArray<UInt8> = []
  /// The index in `bytes` at which each field starts.
  public internal(set) var starts: ContiguousArray<UInt32> = []
  /// The length of each field in bytes.
  public internal(set) var lengths: ContiguousArray<UInt32> = []
  /// The `FieldState` of each field, as its raw value.
  public internal(set) var states: ContiguousArray<UInt8> = []
  /// The origin of each good record.
  public internal(set) var records: ContiguousArray<RecordPosition> = []
  /// The records the reader refused, in the order of the file.
  public internal(set) var errors: [RecordError] = []
  /// The position of a record with a part that is not a column although all were requested, because the first records
  /// do not have it; as far as the reader checks this.
  public internal(set) var surplus: RecordPosition?
  /// The last record of the file if it seems truncated: it ends right after its last delimiter, without a line end, and
  /// other records have a value there.
  public internal(set) var doubtfulEnd: RecordPosition?
  /// The first record of the file that seems to be the header of another one, if it is in this batch.
  public internal(set) var doubtfulHeader: RecordPosition?
  /// In the empty batch that ends reading: the last record of the file if it seems to be a total of the others.
  public internal(set) var footer: RecordPosition?
  /// Members of an archive that were skipped before these records because they have nothing in them.
  package internal(set) var emptyMembers: [String] = []
  /// The number of bytes in refused records, as far as a reader counts them with ``appendError(_:)``.
  public internal(set) var errorBytes = 0
  /// The accounting of the text since the previous batch: that of these records, and the text skipped up to the last
  /// one.
  ///
  /// Text after the last record of an input is in the empty batch that ends reading.
  public var account = TextAccount()
  /// Whether fields may be null because their text is one of the source's null tokens.
  public internal(set) var hasNullTokens = false
  /// The columns that were made after reading; column `columnCount + i` is the i-th of them.
  package internal(set) var derived: [DerivedColumn] = []

  /// Fields whose value had to be unescaped, in the order of `starts`.
  var escapes: ContiguousArray<EscapedField> = []
  var lineEnds = LineEnds.any
  /// Whether fields stand where their record does, because the records were taken out of their file.
  var hasFixedPlaces = false
  /// The namespaces declared around records: from which record on, and the declarations; see ``namespaces(ofRecord:)``.
  var scopes: [(from: Int, namespaces: String)] = []
  /// The encoding that the text was decoded from, so that offsets are the file's; nil for UTF-8.
  package internal(set) var encoding: TextEncoding?
  /// The quote of the CSV file the batch was read from.
  var csvQuote: UInt8?
  /// The escape character of the CSV file the batch was read from.
  var csvEscape: UInt8?

  /// Creates an empty batch.
  public init() {}

  /// Removes all records and keeps the memory.
  public mutating func clear() { clear(columnCount: columnCount) }

  mutating func clear(columnCount: Int) {
    self.columnCount = columnCount
    member = nil
    isReplayed = false
    encoding = nil
    hasFixedPlaces = false
    if !scopes.isEmpty { scopes.removeAll(keepingCapacity: true) }
    recordCount = 0
    byteCount = 0
    errors.removeAll(keepingCapacity: true)
    errorBytes = 0
    surplus = nil
    doubtfulEnd = nil
    doubtfulHeader = nil
    footer = nil
    if !emptyMembers.isEmpty { emptyMembers = [] }
    hasNullTokens = false
    account.removeAll()
    for index in derived.indices { derived[index].removeAll() }
    escapes.removeAll(keepingCapacity: true)
  }

  /// The state of the record's field in the column.
  public func state(_ record: Int, _ column: Int) -> FieldState {
    let slot = slot(record, column)
    return FieldState(rawValue: column < columnCount ? states[slot] : derived[column - columnCount].states[slot])
      ?? .absent
  }

  /// Whether some record has anything in a column, including null.
  ///
  /// - Complexity: O(records up to the first one).
  public func hasColumn(_ column: Int) -> Bool {
    (0..<recordCount).contains { states[$0 * columnCount + column] != FieldState.absent.rawValue }
  }

  /// Calls `body` with the bytes of a field; they are valid during the call only.
  package func withField<R, E: Error>(
    _ record: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try withRange(range(record, column), body)
  }

  /// Calls `body` with each record's field of a column, as ``withField(_:_:_:)`` does: one call for all of them.
  package func forEachField(_ column: Int, _ body: (_ record: Int, FieldState, UnsafeRawBufferPointer) -> Void) {
    for record in 0..<recordCount {
      let state = state(record, column)
      withField(record, column) { body(record, state, $0) }
    }
  }

  /// Calls `body` with the raw bytes of a record, without its line end; they are valid during the call only.
  package func withRawRecord<R, E: Error>(
    _ record: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let position = records[checked(record)]
    let start = Int(position.rawStart)
    return try withRange(start..<start + Int(position.rawLength), body)
  }

  /// Calls `body` with the positions of all records, and the bytes that they refer to; valid during the call only.
  package func withRawRecords<R, E: Error>(
    _ body: (UnsafeBufferPointer<RecordPosition>, UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try records.withUnsafeBufferPointer { (positions) throws(E) in
      try bytes.withUnsafeBufferPointer { (all) throws(E) in
        try body(
          UnsafeBufferPointer(rebasing: positions[..<recordCount]),
          UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[..<byteCount])))
      }
    }
  }

  /// Calls `body` with the bytes of a field, without a copy; empty if it is absent or null.
  public func withBytes<R, E: Error>(
    _ record: Int, _ column: Int, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try withField(record, column) { bytes throws(E) in try body(bytes.bindMemory(to: UInt8.self).span) }
  }

  /// The bytes of a field; empty if it is absent or null.
  public func bytes(_ record: Int, _ column: Int) -> [UInt8] { withField(record, column) { [UInt8]($0) } }

  /// The field as a string, or `nil` if it is absent or null; for messages and tests.
  public func text(_ record: Int, _ column: Int) -> String? {
    switch state(record, column) {
    case .absent, .null: nil
    default: withField(record, column) { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The raw record, without its line end; for rejects.
  public func raw(_ record: Int) -> [UInt8] { withRawRecord(record) { [UInt8]($0) } }

  /// The position of a field in its file: its opening quote if it has one, else its first byte.
  ///
  /// An absent field has its record's position.
  ///
  /// - Complexity: O(length of the record).
  public func position(_ record: Int, _ column: Int) -> SourcePosition { position(record, column, inside: nil) }

  /// The column of the source that a column's values come from, itself if it is one; nil for none.
  package func origin(ofColumn column: Int) -> Int? {
    guard column >= columnCount else { return column }
    let place = column - columnCount
    return derived.indices.contains(place) && derived[place].origin >= 0 ? derived[place].origin : nil
  }

  /// The position of a byte of a field's value in its file; the field's own position if its value had to be unescaped.
  ///
  /// - Parameter offset: the byte's offset in the value, from 0; nil for the field as a whole.
  /// - Complexity: O(length of the record).
  public func position(_ record: Int, _ column: Int, inside offset: Int?) -> SourcePosition {
    let slot = slot(record, column)
    let origin = records[record]
    if column >= columnCount, let source = self.origin(ofColumn: column) { return position(record, source) }
    if hasFixedPlaces || column >= columnCount {
      return SourcePosition(line: origin.line, column: origin.column, byteOffset: origin.byteOffset)
    }
    var start = Int(starts[slot])
    let state = state(record, column)
    if state == .absent { start = Int(origin.rawStart) }
    if let raw = rawStart(ofEscaped: slot) {
      start = raw
      if state == .quoted { start -= 1 }
    } else if let offset, start + offset <= Int(origin.rawStart) + Int(origin.rawLength) {
      start += offset
    } else if state == .quoted {
      start -= 1
    }
    // What is null because something on the way to it is has no place of its own.
    let range = Int(origin.rawStart)...Int(origin.rawStart) + Int(origin.rawLength)
    if !range.contains(start) { start = range.lowerBound }
    return withRawRecord(record) { raw in
      let offset = start - Int(origin.rawStart)
      var position = SourcePosition(
        in: raw, at: offset, line: origin.line, column: origin.column, byteOffset: origin.byteOffset,
        lineEnds: lineEnds)
      if let width = encoding.flatMap({ EncodedWidth($0) }) {
        position.byteOffset = origin.byteOffset + width.count(UnsafeRawBufferPointer(rebasing: raw[..<offset]))
      }
      return position
    }
  }

  /// The column in bytes, from 1, of a field on its line.
  ///
  /// - Complexity: O(length of the record).
  public func column(_ record: Int, _ column: Int) -> Int { position(record, column).column }

  /// Where an unescaped field came from; `escapes` is sorted by slot only per record, not within it.
  func rawStart(ofEscaped slot: Int) -> Int? {
    let first = slot - slot % max(1, columnCount)
    var low = escapes.indices.first(fromWhich: { Int(escapes[$0].slot) >= first })
    while low < escapes.count, Int(escapes[low].slot) < first + columnCount {
      if Int(escapes[low].slot) == slot { return Int(escapes[low].start) }
      low += 1
    }
    return nil
  }

  private func checked(_ record: Int) -> Int {
    precondition(record >= 0 && record < recordCount, "the batch has no record \(record)")
    return record
  }

  /// The place of a field in the arrays of its column.
  func slot(_ record: Int, _ column: Int) -> Int {
    precondition(column >= 0 && column < columnCount + derived.count, "the batch has no column \(column)")
    return column < columnCount ? checked(record) * columnCount + column : checked(record)
  }

  private func withRange<R, E: Error>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    precondition(range.upperBound <= byteCount, "a field lies outside the batch's bytes")
    return try bytes.withUnsafeBufferPointer { (all) throws(E) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[range])))
    }
  }
}

/// A field whose value is not a range of the raw bytes.
struct EscapedField: Sendable {
  enum Kind: UInt8 {
    case quotedCSV, unquotedCSV, json
    /// It was copied already; `start` tells its place in the raw text.
    case copied
    /// It is that of an earlier record, whose index in `starts` is `end`.
    case shared
  }

  /// The index in `starts`.
  var slot: UInt32
  /// Where the raw text starts in the batch's bytes, inside the quotes.
  var start: UInt32
  var end: UInt32
  var kind: Kind
}

enum LineEnds: UInt8 {
  /// LF, CRLF and CR: CSV.
  case any
  /// LF (a CR before it belongs to the line end): JSON, where a lone CR is white space.
  case lineFeed
}

extension SourcePosition {
  /// The position of `offset` in a record that starts in `column` of `line`.
  init(
    in record: UnsafeRawBufferPointer, at offset: Int, line: Int, column: Int = 1, byteOffset: Int, lineEnds: LineEnds
  ) {
    var current = line
    var lineStart = 1 - column
    let limit = min(offset, record.count)
    for i in 0..<max(0, limit) {
      let followedByLF = i + 1 < record.count && record[i + 1] == 10
      let endsLine = record[i] == 10 || (record[i] == 13 && lineEnds == .any && !followedByLF)
      if endsLine {
        current += 1
        lineStart = i + 1
      }
    }
    self.init(line: current, column: offset - lineStart + 1, byteOffset: byteOffset + offset)
  }
}
