import MergewalkBytes
import MergewalkDiagnostics

/// Makes records from the objects of a binary property list, one at a time.
///
/// Objects refer to each other by number and may be shared, so a record is written out as JSON, which is also its raw
/// text; this limits its size. All records together are bounded by the file's size, so that nests of shared objects,
/// which double with each level, end soon. Nothing here recurses. A position is that of the record: its number as the
/// line, the offset of its object.
final class BinaryPropertyListParser: PushParser {
  let columnCount: Int
  private(set) var tree: TreeRecordBuilder
  private let objects: BinaryPropertyListObjects
  private let records: JSONRecordsPath
  private let maxRecordBytes: Int
  private let takesScalars: Bool

  /// A list or a dictionary of the record that is open.
  private struct Frame {
    var object: BinaryPropertyListObjects.Object
    var number: Int
    var index = 0
    /// Where the numbers of its items or values are.
    var values: Int
  }
  private var frames: [Frame] = []
  /// The numbers of what is in `frames`.
  private var path: Set<Int> = []
  /// The list of records; nil for one record.
  private var list: BinaryPropertyListObjects.Object?
  private var single: Int?
  private var next = 0
  private var isStarted = false
  /// The record as JSON, and one scalar of it.
  private var raw: [UInt8] = []
  private var text: [UInt8] = []
  private var isLong = false
  private var position = SourcePosition.file
  /// The number of objects visited and written for all records.
  private var visits = 0
  private var written = 0

  init(
    _ objects: BinaryPropertyListObjects, tree: TreeRecordBuilder, records: JSONRecordsPath, maxRecordBytes: Int
  ) {
    self.objects = objects
    self.tree = tree
    self.records = records
    self.maxRecordBytes = maxRecordBytes
    columnCount = tree.columnCount
    takesScalars = tree.takesScalars
  }

  /// The bytes of JSON written so far, which is how long samples are measured.
  var sampledBytes: Int { written }

  func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    if !isStarted {
      isStarted = true
      try findRecords()
    }
    if let list, next < list.count {
      next += 1
      objects.record = next
      try read(try objects.reference(list.body, next - 1), into: &batch)
      return true
    }
    if let single {
      self.single = nil
      try read(single, into: &batch)
      return true
    }
    try objects.bytes.file.verifyUnchanged()
    return false
  }

  // MARK: The way to the records

  private func findRecords() throws(ReadError) {
    var number = objects.top
    for (depth, name) in records.names.enumerated() {
      let object = try objects.object(number)
      if object.kind == .null, tree.mayMissRecords { return }
      guard object.kind == .dictionary else { throw missing(depth, "is not a dictionary") }
      var found: Int?
      for index in 0..<object.count where try isKey(object, index, name) {
        guard found == nil else {
          throw objects.damage(object.start, "\(records.text(depth + 1)) occurs twice")
        }
        found = try objects.reference(objects.values(of: object), index)
      }
      guard let found else {
        if tree.mayMissRecords { return }
        throw missing(depth, "has no member “\(String(decoding: name, as: UTF8.self))”")
      }
      number = found
    }
    let object = try objects.object(number)
    switch object.kind {
    case .list:
      tree.beginSequence(at: 0)
      list = object
    case .dictionary: single = number
    case .null: break
    default:
      guard records.names.isEmpty || takesScalars else { throw missing(records.names.count, "is not an array") }
      single = number
    }
  }

  private func isKey(_ object: BinaryPropertyListObjects.Object, _ index: Int, _ name: [UInt8]) throws(ReadError)
    -> Bool
  {
    let key = try self.key(object, index)
    // Three bytes are the most that one unit becomes.
    guard key.kind == .integer || (key.count <= name.count && name.count <= 3 * key.count) else { return false }
    text.removeAll(keepingCapacity: true)
    return try objects.append(text: key, to: &text) == nil && text == name
  }

  private func missing(_ depth: Int, _ what: String) -> ReadError {
    ReadError(
      .missingRecords, path: objects.path,
      message: "\(records.text(depth)) \(what); “records” must lead to an array of dictionaries")
  }

  private func key(_ object: BinaryPropertyListObjects.Object, _ index: Int) throws(ReadError)
    -> BinaryPropertyListObjects.Object
  {
    let key = try objects.object(try objects.reference(object.body, index))
    switch key.kind {
    // Some programs write numbers, which are then named by their digits.
    case .ascii, .utf16, .utf8, .integer: return key
    default: throw objects.damage(key.start, "the key of a dictionary is not a string")
    }
  }

  // MARK: One record

  private func read(_ number: Int, into batch: inout RecordBatch) throws(ReadError) {
    raw.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
    path.removeAll(keepingCapacity: true)
    isLong = false
    position = SourcePosition(line: objects.record, column: 1, byteOffset: try objects.object(number).start)
    var isComplete = try value(number)
    while let frame = frames.last {
      if raw.count > maxRecordBytes { refuseLong() }
      if isLong || frame.index == frame.object.count {
        frames.removeLast()
        path.remove(frame.number)
        raw.append(frame.object.kind == .dictionary ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        isComplete = tree.end(at: raw.count)
        continue
      }
      if frame.index > 0 { raw.append(UInt8(ascii: ",")) }
      frames[frames.count - 1].index += 1
      if frame.object.kind == .dictionary, try !writeKey(frame) { continue }
      isComplete = try value(try objects.reference(frame.values, frame.index))
    }
    if raw.count > maxRecordBytes { refuseLong() }
    written += raw.count
    if isComplete {
      raw.withUnsafeBytes { raw in
        let place = position
        tree.emit(raw: raw, hasOffsets: false, into: &batch) { _ in place }
      }
    }
    let most = (256 << 20) + 100 * objects.bytes.size
    if written > most {
      throw ReadError(
        .expansionLimit, path: objects.path, position: position,
        message: "the records share objects so much that they are more than \(most) bytes written out")
    }
  }

  private func refuseLong() {
    if !isLong {
      tree.refuse(.recordTooLong, at: 0, RecordError.tooLong("the record, written out as JSON,", maxRecordBytes))
    }
    isLong = true
  }

  /// Writes the key of the item that is next; false when it is too long.
  private func writeKey(_ frame: Frame) throws(ReadError) -> Bool {
    let key = try key(frame.object, frame.index)
    guard key.count <= maxRecordBytes else {
      refuseLong()
      return false
    }
    text.removeAll(keepingCapacity: true)
    let start = raw.count
    refuse(try objects.append(text: key, to: &text), at: start)
    text.withUnsafeBytes { bytes in
      raw.append(json: bytes, .least)
      tree.key(bytes, at: start)
    }
    raw.append(UInt8(ascii: ":"))
    return true
  }

  private func refuse(_ fault: BinaryPropertyListObjects.TextFault?, at offset: Int) {
    switch fault {
    case nil: break
    case .invalidText: tree.refuse(.invalidText, at: offset, "a string is not text in its encoding")
    case .loneSurrogate: tree.refuse(.loneSurrogate, at: offset, "a string has half of a surrogate pair")
    }
  }

  /// Writes a scalar, or opens a list or a dictionary.
  ///
  /// - Returns: whether a record is complete.
  private func value(_ number: Int) throws(ReadError) -> Bool {
    let object = try objects.object(number)
    visits += 1
    // Without shared lists and dictionaries, each visit has a reference of its own.
    if visits > (1 << 20) + 4 * objects.bytes.size {
      throw objects.damage(object.start, "the records share lists and dictionaries far more often than files do")
    }
    let start = raw.count
    text.removeAll(keepingCapacity: true)
    switch object.kind {
    case .null: return literal("null", .null)
    case .true: return literal("true", .true)
    case .false: return literal("false", .false)
    case .integer:
      try objects.append(integer: object, to: &text)
      return scalar(.number, at: start)
    case .real:
      let value = try objects.real(object)
      var output = OutputBytes()
      output.append(double: value)
      text = output.bytes
      return scalar(value.isFinite ? .number : .text, at: start)
    case .date:
      let seconds = try objects.real(object)
      var output = OutputBytes()
      output.append(date: seconds)
      text = output.bytes
      if !seconds.isFinite { tree.refuse(.invalidScalar, at: start, "a date is not a number of seconds") }
      return scalar(.text, at: start)
    case .data:
      guard object.count <= maxRecordBytes else { break }
      var data: [UInt8] = []
      data.reserveCapacity(object.count)
      try objects.bytes.append(object.body..<object.body + object.count, to: &data)
      data.withUnsafeBytes { text.append(base64: $0) }
      return scalar(.text, at: start)
    case .ascii, .utf8, .utf16:
      guard object.count <= maxRecordBytes else { break }
      refuse(try objects.append(text: object, to: &text), at: start)
      return scalar(.quoted, at: start)
    case .uid:
      let value = try objects.bytes.number(at: object.body, size: object.count)
      return uid(String(value), at: start)
    case .list, .dictionary: return try open(object, number, at: start)
    }
    refuseLong()
    return scalar(.text, at: start)
  }

  private func literal(_ word: StaticString, _ state: FieldState) -> Bool {
    let start = raw.count
    let bytes = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    raw.append(contentsOf: bytes)
    return tree.scalar(bytes, state, at: start)
  }

  private func scalar(_ state: FieldState, at start: Int) -> Bool {
    text.withUnsafeBytes { bytes in
      if state == .number { raw.append(contentsOf: bytes) } else { raw.append(json: bytes, .least) }
      return tree.scalar(bytes, state, at: start)
    }
  }

  /// A reference inside a keyed archive is what Apple's XML form has in its place: a dictionary with one number.
  private func uid(_ digits: String, at start: Int) -> Bool {
    tree.beginMapping(at: start)
    Array("CF$UID".utf8).withUnsafeBytes { tree.key($0, at: start) }
    raw.append(contentsOf: "{\"CF$UID\":".utf8)
    text.append(contentsOf: digits.utf8)
    _ = scalar(.number, at: raw.count)
    raw.append(UInt8(ascii: "}"))
    return tree.end(at: raw.count)
  }

  private func open(_ object: BinaryPropertyListObjects.Object, _ number: Int, at start: Int) throws(ReadError) -> Bool
  {
    guard path.insert(number).inserted else {
      throw objects.damage(object.start, "the list or dictionary that begins here contains itself")
    }
    if frames.count >= JSONScanner.deepest {
      path.remove(number)
      tree.refuse(.tooDeep, at: start, "lists and dictionaries nest deeper than \(JSONScanner.deepest)")
      return literal("null", .null)
    }
    let isDictionary = object.kind == .dictionary
    if isDictionary { tree.beginMapping(at: start) } else { tree.beginSequence(at: start) }
    raw.append(isDictionary ? UInt8(ascii: "{") : UInt8(ascii: "["))
    frames.append(
      Frame(object: object, number: number, values: isDictionary ? objects.values(of: object) : object.body))
    return false
  }
}
