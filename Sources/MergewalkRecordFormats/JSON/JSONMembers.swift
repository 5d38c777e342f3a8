/// A parser of JSON records, whose columns may be set once the first records are known.
protocol JSONRecordParser: RecordParser {
  /// The values to read from each record.
  var request: JSONRequest { get set }
}

extension JSONPaths {
  /// Splits the requested columns into names; none when all are requested.
  ///
  /// - Parameter countsBack: whether elements of arrays may be counted from the end.
  /// - Throws: `invalidPath`.
  static func requested(
    _ request: ColumnRequest, path: String, countsBack: Bool = true
  ) throws(ReadError) -> [[[UInt8]]] {
    guard case .named(let names) = request else { return [] }
    var paths: [[[UInt8]]] = []
    for name in names {
      guard let members = split(name) else {
        throw ReadError(
          .invalidPath, path: path,
          message: "\"\(name)\" is not a path of member names; write a dot inside a name as \\.")
      }
      if !countsBack, members.dropFirst().contains(where: { index($0).map { $0 < 0 } ?? false }) {
        throw ReadError(
          .invalidPath, path: path,
          message: "\"\(name)\" counts elements from the end, which is for JSON only; count from 0, or use “each”")
      }
      paths.append(members)
    }
    return paths
  }
}

extension EachPath {
  /// Reads the option of a reader; nil when it is not set.
  ///
  /// - Throws: `invalidOption`.
  static func option(_ text: String?, path: String) throws(ReadError) -> EachPath? {
    guard let text else { return nil }
    if let each = EachPath(text) { return each }
    throw ReadError(
      .invalidOption, path: path, message: "“\(text)” is not a path of member names, such as lines or detail.lines")
  }
}

/// The layout of each record by the options of a reader.
struct JSONLayout {
  let each: EachPath?
  let scalars: JSONScalars
  let duplicates: JSONDuplicates

  /// - Throws: `invalidOption`.
  init(each: String?, scalars: JSONScalars, duplicates: JSONDuplicates, path: String) throws(ReadError) {
    self.each = try EachPath.option(each, path: path)
    self.scalars = scalars
    self.duplicates = duplicates
  }

  /// The request for values where column i is found by path i.
  func request(_ paths: [[[UInt8]]]) -> JSONRequest {
    JSONRequest(paths, each: each, scalars: scalars, duplicates: duplicates)
  }
}

extension StreamingReader where Parser: JSONRecordParser {
  /// The names of the columns that are requested; where these are all, what is read becomes those of the first records.
  mutating func columns(_ request: ColumnRequest, _ layout: JSONLayout) throws(ReadError) -> [String] {
    if case .named(let names) = request { return names }
    let found = try sampleColumns(each: layout.each)
    parser.request = layout.request(found)
    return found.map { JSONPaths.path($0) }
  }

  /// The columns that the first records have, which stay unread: their top-level members, and with `each` those of the
  /// elements.
  private mutating func sampleColumns(each: EachPath?) throws(ReadError) -> [[[UInt8]]] {
    let request = parser.request
    parser.request = JSONRequest(
      each.map { [$0.names] } ?? [], scalars: request.takesScalars ? .value : .reject, duplicates: .last)
    var batch = RecordBatch()
    _ = try peek(into: &batch, limit: BatchLimit(records: .max, bytes: 1 << 16))
    parser.request = request
    var names = MemberNames()
    var parts = MemberNames()
    for record in 0..<batch.recordCount {
      batch.withRawRecord(record) { names.add($0) }
      if each != nil, batch.state(record, 0) == .json {
        batch.withField(record, 0) { parts.add(elementsOf: $0) }
      } else if each != nil, batch.state(record, 0).rawValue > FieldState.null.rawValue {
        parts.hasScalars = true
      }
    }
    var columns: [[[UInt8]]] = []
    for name in names.list {
      let isOnWay = each?.names.first == name
      if !isOnWay || each?.names.count != 1 { columns.append([name]) }
      guard isOnWay, let each else { continue }
      if parts.hasScalars { columns.append(each.names) }
      columns += parts.list.map { each.names + [$0] }
    }
    if names.hasScalars, request.takesScalars { columns.append([Array("value".utf8)]) }
    var seen: Set<[[UInt8]]> = []
    return columns.filter { seen.insert($0).inserted }
  }
}

/// The names of the members of objects, in the order of their first appearance.
private struct MemberNames {
  private(set) var list: [[UInt8]] = []
  /// Whether there was anything but objects.
  var hasScalars = false
  private var seen: Set<[UInt8]> = []

  /// The most names that are listed; readers of documents say where others stand.
  private static let most = 10_000

  /// Adds the members of a value that was checked before.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    guard let base = text.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    var scanner = JSONScanner(base, from: 0, end: text.count)
    addValue(&scanner)
  }

  /// Adds the members of an array's elements, or of an object.
  mutating func add(elementsOf text: UnsafeRawBufferPointer) {
    guard let base = text.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    var scanner = JSONScanner(base, from: 0, end: text.count)
    guard text.first == UInt8(ascii: "["), scanner.expect(UInt8(ascii: "[")) else { return addValue(&scanner) }
    while true {
      scanner.skipSpace()
      guard scanner.i < scanner.end, base[scanner.i] != UInt8(ascii: "]") else { return }
      let start = scanner.i
      addValue(&scanner)
      scanner.i = start
      guard scanner.value(depth: 1), scanner.expect(UInt8(ascii: ",")) else { return }
    }
  }

  private mutating func addValue(_ scanner: inout JSONScanner) {
    guard scanner.expect(UInt8(ascii: "{")) else {
      hasScalars = true
      return
    }
    while true {
      scanner.skipSpace()
      let start = scanner.i + 1
      guard scanner.string() else { return }
      let end = scanner.i - 1
      let name = [UInt8](unsafeUninitializedCapacity: end - start) { room, count in
        count = room.baseAddress.map { JSONEscape.unescape(scanner.base, start, end, to: $0) } ?? 0
      }
      if list.count < Self.most, seen.insert(name).inserted { list.append(name) }
      guard scanner.expect(UInt8(ascii: ":")), scanner.value(depth: 1), scanner.expect(UInt8(ascii: ",")) else {
        return
      }
    }
  }
}
