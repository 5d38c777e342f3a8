import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem

/// Makes records from the events of a tree of mappings, sequences and scalars: a YAML stream, a property list.
///
/// A parser calls the events in the order of the text. If an event returns that a record is complete, the parser calls
/// `emit` before the next event. Offsets are those of the parser's text. The kept part of a record is bounded by
/// `maxRecordBytes`; nesting is bounded by ``JSONScanner/deepest``.
///
/// Advice for the next editor: outside records only `outline` counts. Inside, `open` has one entry for each open
/// mapping or sequence with the node of the requested paths that it is, or -1.
struct TreeRecordBuilder {
  let columnCount: Int
  let maxRecordBytes: Int
  /// Whether what is no mapping is a record with the column `value`, instead of a reject.
  var takesScalars = false
  /// Whether refused records say how far their first line is indented.
  var keepsIndent = false
  /// Of nodes with many children, these by name.
  private var large: [Int: [[UInt8]: Int]] = [:]
  private static var fewChildren: Int { 64 }
  /// Whether a member of a record that is no column is noted in the batch.
  var notesSurplus = false
  private var hasSurplus = false
  /// Whether a mapping in the place of the sequence of records is one record.
  var takesSingleMapping = true

  let nodes: [JSONPaths.Node]
  let names: [UInt8]
  private let repeats: [(copy: Int, original: Int)]
  let recordsPath: [[UInt8]]
  let each: [[UInt8]]

  // Outside records.
  var depth = 0
  /// How many names of the path to the records are matched by open mappings.
  var matched = 0
  var isNextMatched = false
  /// The depth of the sequence of records, or -1.
  var recordsDepth = -1
  /// Whether the sequence of records was found in this document, and in any.
  var foundRecords = false
  /// Whether there may be none, and whether something else stands in their place.
  var mayMissRecords = false
  var isPathTaken = false
  /// Whether further documents may follow, so that what stands in their place in one of them is a record that is refused.
  var hasDocuments = false
  /// Whether it is an error that there were none.
  var isMissingRecords: Bool { !foundRecords && (!mayMissRecords || isPathTaken) }
  /// The most names of the path that were matched, and members that stand where the next one was looked for.
  private var reached = 0
  private var namesThere: [String] = []

  // The record that is open.
  /// An open mapping or sequence of a record.
  struct Open {
    /// The node of the requested paths, or -1.
    var node: Int
    /// The number of this mapping, to find members that stand twice.
    var serial: Int
    /// The items written so far to the JSON text.
    var items = 0
    var isMapping: Bool
    /// The items so far, where paths name them by their numbers; else -1.
    var number = -1
    /// How many names of `each` lead here, or -1 off that way.
    var eachDepth: Int
    /// Whether its items are child records.
    var isEach = false
    /// Where ``TreeRecordBuilder/next`` stood when something inside began.
    var next = 0
  }
  var open: [Open] = []
  /// Where among the children of the innermost mapping's node the next member is looked for first: members often come
  /// in the same order.
  var next = 0
  var isInRecord = false
  var recordStart = 0
  var serial = 0
  var pendingNode = -1
  var pendingEach = -1

  /// The cells of the columns, and the number of the last mapping that had each node.
  let memory: TreeMemory
  /// The cells of child records, and how many child records there are.
  var childCells: [(row: Int, column: Int, cell: TreeCell)] = []
  var rows = 0
  /// The child record whose cells are being set, or -1.
  var child = -1
  var childDepth = 0
  /// Copies of scalars, and the JSON text of mappings and sequences that are columns.
  var copies: [UInt8] = []
  var json: [UInt8] = []
  /// Columns whose JSON text is being written, each inside the one before.
  var captures: [Capture] = []
  struct Capture {
    var column: Int
    /// The child record that it is for, or -1.
    var child: Int
    /// Where its text starts in `json`.
    var start: Int
    /// The number of containers around it.
    var depth: Int
    var at: Int
  }
  var fault: (code: RecordError.Code, at: Int, message: String)?
  /// Whether the open record has a fault.
  var isRefused = false
  private(set) var recordIndex = 0
  var ledger = TextLedger()

  /// The names of top-level members in the order of their first appearance, when they are collected.
  private(set) var memberNames: [[UInt8]] = []
  private var knownNames: Set<[UInt8]> = []
  private let collectsNames: Bool
  /// The names that lead to the last member, each with the number of mappings and sequences that are open where it
  /// stands; when members inside members are collected, too.
  private var way: [(depth: Int, name: [UInt8])] = []
  /// Where members inside members are noted; nil where they are not.
  var paths: OccurringPaths?

  /// - Parameters:
  ///   - paths: the requested columns; path i is column i.
  ///   - collectsNames: whether names of members are kept in ``memberNames``.
  init(
    records: JSONRecordsPath, each: EachPath?, paths: [[[UInt8]]], maxRecordBytes: Int, collectsNames: Bool = false
  ) {
    let tree = JSONPaths(paths)
    nodes = tree.nodes
    names = tree.names
    repeats = tree.repeats
    for (index, node) in tree.nodes.enumerated() where node.children.count > Self.fewChildren {
      large[index] = Dictionary(node.children.map { (Array(tree.names[tree.nodes[$0].name]), $0) }) { first, _ in first
      }
    }
    recordsPath = records.names
    self.each = each?.names ?? []
    columnCount = paths.count
    self.maxRecordBytes = maxRecordBytes
    self.collectsNames = collectsNames
    memory = TreeMemory(columns: paths.count, nodes: nodes.count)
  }

  /// The offset from which the parser has to keep its text, or nil when no record is open.
  var keptFrom: Int? { isInRecord ? recordStart : nil }
  /// Whether the open record is refused for its length, so that its text need not be kept beyond the first 64 KiB.
  var isTooLong: Bool { fault?.code == .recordTooLong }
  /// Counts the complete record, whose text ends at an offset.
  private mutating func settle(to end: Int, _ raw: UnsafeRawBufferPointer, hasMark: Bool) {
    ledger.begin(hasMark: hasMark)
    if fault == nil, rows == 0, !each.isEmpty {
      ledger.settleChildless(recordStart, end, raw)
    } else {
      ledger.settle(recordStart, end)
    }
  }

  /// Whether the next scalar is a record or a part of one.
  var wantsNext: Bool {
    isInRecord || isRecordPlace || (isRecordsPlace && (recordsPath.isEmpty || takesScalars))
  }
  var isOpen: Bool { isInRecord }

  // MARK: Events

  /// A document of a stream of several begins.
  mutating func beginDocument() {
    depth = 0
    matched = 0
    isNextMatched = false
    recordsDepth = -1
  }

  mutating func beginMapping(at offset: Int) { begin(isMapping: true, at: offset) }

  mutating func beginSequence(at offset: Int) { begin(isMapping: false, at: offset) }

  /// The name of a member of the innermost mapping; its value follows.
  mutating func key(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard isInRecord else {
      isNextMatched = depth == matched + 1 && matched < recordsPath.count && recordsPath[matched].elementsEqual(bytes)
      if !foundRecords, recordsDepth < 0 { noteMember(bytes) }
      return
    }
    guard let last = open.indices.last else { return }
    if offset - recordStart > maxRecordBytes { refuseLong() }
    if !captures.isEmpty {
      separate()
      json.append(json: bytes, .least)
      json.append(UInt8(ascii: ":"))
    }
    if collectsNames, open.count == 1 {
      let name = [UInt8](bytes)
      if knownNames.count < 10_000, knownNames.insert(name).inserted { memberNames.append(name) }
    }
    if paths != nil { notePath(bytes) }
    pendingNode = -1
    pendingEach = -1
    let eachDepth = open[last].eachDepth
    if eachDepth >= 0, eachDepth < each.count, each[eachDepth].elementsEqual(bytes) { pendingEach = eachDepth + 1 }
    let parent = open[last].node
    guard parent >= 0 else { return }
    guard let node = child(of: parent, from: next, named: bytes) else {
      if open.count == 1 { hasSurplus = true }
      return
    }
    next = node + 1 - nodes[parent].children.lowerBound
    if memory.seen[node] == open[last].serial {
      refuse(.duplicateMember, at: offset, "the member occurs twice")
      return
    }
    memory.seen[node] = open[last].serial
    pendingNode = node
  }

  @inline(never)
  private mutating func notePath(_ bytes: UnsafeRawBufferPointer) {
    while let last = way.last, last.depth >= open.count { way.removeLast() }
    way.append((open.count, [UInt8](bytes)))
    paths?.add(way.map(\.name))
  }

  /// Keeps the name of a member beside the path of the records, for the message that there are none.
  @inline(never)
  private mutating func noteMember(_ bytes: UnsafeRawBufferPointer) {
    guard depth == matched + 1, matched < recordsPath.count else { return }
    if matched > reached {
      reached = matched
      namesThere = []
    }
    guard matched == reached, !isNextMatched, namesThere.count < 24 else { return }
    let name = String(decoding: bytes.prefix(80), as: UTF8.self)
    if !namesThere.contains(name) { namesThere.append(name) }
  }

  /// Why there are no records: that the path's next member is missing, or `otherwise` at its end.
  func missing(_ path: JSONRecordsPath, _ otherwise: String) -> String {
    if path.names.isEmpty || isPathTaken { return "\(otherwise) at \(path.text(path.names.count))" }
    return path.missing(reached, among: namesThere)
  }

  /// The child of a node with a name; it is looked for from the given one on.
  // Inline: a call would copy all of this value.
  @inline(__always)
  func child(of node: Int, from first: Int, named bytes: UnsafeRawBufferPointer) -> Int? {
    let children = nodes[node].children
    let count = children.count
    if count > Self.fewChildren { return large[node]?[[UInt8](bytes)] }
    return names.withUnsafeBytes { names in
      var child = first
      for _ in 0..<count {
        if child >= count { child = 0 }
        let name = nodes[children.lowerBound + child].name
        if name.count == bytes.count, name.isEmpty || Self.areEqual(names, name.lowerBound, bytes) {
          return children.lowerBound + child
        }
        child += 1
      }
      return nil
    }
  }

  @inline(__always)
  private static func areEqual(
    _ names: UnsafeRawBufferPointer, _ start: Int, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    guard let first = names.baseAddress, let second = bytes.baseAddress else { return false }
    return memcmp(first + start, second, bytes.count) == 0
  }

  /// Whether the next value makes a difference: to a column, to child records, or to where records are.
  @inline(__always)
  var isValueWanted: Bool { pendingNode >= 0 ? !isRefused : isUnnamedWanted }

  // Inline: a call would copy all of this value.
  @inline(__always)
  private var isUnnamedWanted: Bool {
    if !isInRecord { return isNextMatched || isRecordPlace || isRecordsPlace }
    if isRefused { return false }
    if pendingEach >= 0 || !captures.isEmpty || open.isEmpty { return true }
    return open[open.count - 1].isEach || open[open.count - 1].number >= 0
  }

  /// The node of the next item of a sequence whose items have numbers; else the given one.
  @inline(__always)
  mutating func itemNode(_ node: Int) -> Int {
    guard let last = open.indices.last, open[last].number >= 0 else { return node }
    defer { open[last].number += 1 }
    return nodes[open[last].node].children.first { nodes[$0].index == open[last].number } ?? -1
  }

  /// A scalar from an offset on.
  ///
  /// - Parameter verbatim: the offset of the first byte, when the text has the value's bytes as they are.
  /// - Returns: whether a record is complete.
  mutating func scalar(_ bytes: UnsafeRawBufferPointer, _ state: FieldState, at offset: Int, verbatim: Int? = nil)
    -> Bool
  {
    guard isInRecord else { return outlineScalar(bytes, state, at: offset) }
    let (pending, each) = takePending()
    let node = itemNode(pending)
    if each == self.each.count, each > 0 {
      // In the place of the array of child records: one child, unless it is null.
      if state != .null {
        beginChild()
        set(node, bytes, state, offset, verbatim)
        child = -1
      }
      writeScalar(bytes, state)
      return false
    }
    if let last = open.indices.last, open[last].isEach {
      beginChild()
      set(open[last].node, bytes, state, offset, verbatim)
      child = -1
    } else {
      set(node, bytes, state, offset, verbatim)
      if state == .null, node >= 0 { setNull(below: node, offset) }
    }
    writeScalar(bytes, state)
    return false
  }

  /// Makes the columns inside of what is null null too.
  private mutating func setNull(below node: Int, _ offset: Int) {
    for child in nodes[node].children {
      set(child, UnsafeRawBufferPointer(start: nil, count: 0), .null, offset, nil)
      setNull(below: child, offset)
    }
  }

  /// The innermost mapping or sequence ends before an offset.
  ///
  /// - Returns: whether a record is complete.
  mutating func end(at offset: Int) -> Bool {
    depth -= 1
    guard isInRecord else {
      if depth < recordsDepth { recordsDepth = -1 }
      matched = min(matched, max(0, depth - 1))
      return false
    }
    guard let top = open.popLast() else { return false }
    next = open.last?.next ?? 0
    if !captures.isEmpty {
      json.append(top.isMapping ? UInt8(ascii: "}") : UInt8(ascii: "]"))
      if let capture = captures.last, capture.depth == open.count {
        captures.removeLast()
        put(
          TreeCell(
            place: .json, state: .json, start: capture.start, count: json.count - capture.start, at: capture.at),
          capture.column, capture.child)
      }
    }
    if child >= 0, open.count == childDepth { child = -1 }
    if offset - recordStart > maxRecordBytes || copies.count + json.count > 2 * maxRecordBytes { refuseLong() }
    return open.isEmpty
  }

  /// A fault of the record that is open, which the parser found; the first one counts.
  mutating func refuse(_ code: RecordError.Code, at offset: Int, _ message: String) {
    if isRefused { return }
    isRefused = true
    fault = (code, offset, message)
  }

  /// Refuses the open record if its text up to an offset is longer than the limit.
  mutating func checkLength(to offset: Int) {
    if isInRecord, offset - recordStart > maxRecordBytes { refuseLong() }
  }

  // MARK: Records

  /// Appends the complete record, or its error, to a batch.
  ///
  /// - Parameters:
  ///   - raw: the record's text.
  ///   - position: the position of an offset.
  ///   - hasOffsets: whether the text's bytes have the parser's offsets, from the record's first one on.
  ///   - end: the offset behind the record's text; nil where the input is no text.
  ///   - hasMark: whether the input begins with a byte order mark.
  mutating func emit(
    raw: UnsafeRawBufferPointer, hasOffsets: Bool = true, end: Int? = nil, hasMark: Bool = false,
    into batch: inout RecordBatch, position: (Int) -> SourcePosition
  ) {
    defer { reset() }
    if let end { settle(to: end, raw, hasMark: hasMark) }
    if let fault {
      let isLong = fault.code == .recordTooLong
      var error = RecordError(
        code: fault.code, position: position(isLong ? recordStart : fault.at), recordIndex: recordIndex,
        message: fault.message, raw: [UInt8](isLong ? .init(rebasing: raw.prefix(1 << 16)) : raw))
      if keepsIndent { error.indent = position(recordStart).column - 1 }
      batch.appendError(error)
      recordIndex += 1
      return
    }
    if rows == 0, !each.isEmpty { return }
    let rawRange = batch.appendBytes(raw)
    let values = copies.withUnsafeBytes { batch.appendBytes($0) }
    let texts = json.withUnsafeBytes { batch.appendBytes($0) }
    let place = position(recordStart)
    // The cells of child records stand in the order of these.
    var nextCell = 0
    for row in 0..<(each.isEmpty ? 1 : rows) {
      let record = batch.appendRecord(
        RecordPosition(
          index: recordIndex, line: place.line, column: place.column, byteOffset: place.byteOffset,
          rawStart: UInt32(truncatingIfNeeded: rawRange.lowerBound),
          rawLength: UInt32(truncatingIfNeeded: rawRange.count)))
      if hasSurplus, notesSurplus, batch.surplus == nil { batch.surplus = batch.records[record] }
      recordIndex += 1
      func put(_ column: Int, _ cell: TreeCell) {
        let at = hasOffsets ? min(max(0, cell.at - recordStart), raw.count) : 0
        if cell.place == .text {
          let start = rawRange.lowerBound + cell.start - recordStart
          batch.setField(column, of: record, cell.state, start..<start + cell.count)
        } else {
          let start = (cell.place == .json ? texts : values).lowerBound + cell.start
          // What is set as quoted is looked for one byte before.
          let origin = rawRange.lowerBound + at + (cell.state == .quoted ? 1 : 0)
          batch.setField(column, of: record, cell.state, start..<start + cell.count, origin: origin)
        }
      }
      for column in 0..<columnCount where memory.cells[column].state != .absent { put(column, memory.cells[column]) }
      while nextCell < childCells.count, childCells[nextCell].row == row {
        put(childCells[nextCell].column, childCells[nextCell].cell)
        nextCell += 1
      }
      for (copy, original) in repeats {
        let slot = record * columnCount + original
        let start = Int(batch.starts[slot])
        batch.setField(
          copy, of: record, batch.state(record, original), start..<start + Int(batch.lengths[slot]),
          origin: batch.rawStart(ofEscaped: slot))
      }
    }
  }

  private mutating func reset() {
    hasSurplus = false
    isInRecord = false
    open.removeAll(keepingCapacity: true)
    copies.removeAll(keepingCapacity: true)
    json.removeAll(keepingCapacity: true)
    captures.removeAll(keepingCapacity: true)
    childCells.removeAll(keepingCapacity: true)
    for column in 0..<columnCount { memory.cells[column].state = .absent }
    rows = 0
    child = -1
    fault = nil
    isRefused = false
    pendingNode = -1
    pendingEach = -1
  }
}
