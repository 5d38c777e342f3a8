import MergewalkDiagnostics

/// Makes records from libyaml's events.
///
/// Every node goes through ``place(scalar:_:at:verbatim:isMerge:into:)``, ``begin(isMapping:at:)`` and
/// ``end(at:into:)``, whether read (this file) or replayed at an alias (`YAMLParser+Aliases.swift`). While a complex
/// key or the value of a merge key is collected, events go only to the log.
struct YAMLParser: PushParser {
  /// An open mapping or sequence.
  struct Frame {
    var isMapping: Bool
    var isKeyNext: Bool
    /// How many keys ``YAMLParser/keys`` had when it began.
    var keys = 0
  }

  /// The kind of node that is being collected in the log instead of being placed.
  enum Collection { case none, key, merge, nothing }

  let text: YAMLText
  let log: YAMLLog
  var tree: TreeRecordBuilder
  let events: YAMLEvents
  private let recordsPath: JSONRecordsPath
  private let requiresRecords: Bool

  /// The innermost open mapping or sequence, or what stands for none; those around it are in `frames`.
  var frame = Frame(isMapping: false, isKeyNext: false)
  var frames: [Frame] = []
  /// The keys of the open mappings of a record.
  let keys = YAMLKeyStack()
  /// The sources that open mappings merge, the innermost one's last: nodes of the log.
  var sources: [Source] = []

  /// The target of a merge key.
  struct Source {
    /// The number of open mappings and sequences where it stands.
    var frame: Int
    var node: Int
    var offset: Int
  }

  private var collection = Collection.none
  private var collectionDepth = 0
  private var collectionStart = 0
  /// The offset behind the last value, and of the node that is being read.
  private var contentEnd = 0
  /// How many mappings and sequences are open in the text, and how many of these in the flow style.
  private var depth = 0
  private var flowDepth = 0
  private var flowCost = 0

  /// How many nodes of the log are being placed, each inside the one before.
  var playing = 0
  /// How many merge keys are being followed, each inside the one before.
  var mergeDepth = 0
  /// The beginning of a record that is too long to be kept, and its position.
  private var longRecord: (raw: [UInt8], position: SourcePosition)?
  /// The number of bytes that aliases may still add to the document and to the record.
  var budget = YAMLBudget()
  var failure: ReadError?

  /// Deeper than records may nest, so that a record is refused before the document is.
  static let deepest = 2 * JSONScanner.deepest

  /// - Parameter splitsAt: how much of the text is read before libyaml gets a thread of its own.
  init(window: TextWindow, options: YAMLOptions, records: JSONRecordsPath, tree: TreeRecordBuilder, splitsAt: Int) {
    text = YAMLText(window, limit: tree.maxRecordBytes)
    events = YAMLEvents(text, splitsAt: splitsAt)
    log = YAMLLog(budget: options.maxAnchorBytes)
    recordsPath = records
    requiresRecords = options.records != nil
    self.tree = tree
    budget.perRecord = tree.maxRecordBytes
  }

  var columnCount: Int { tree.columnCount }

  /// Reads on to the end of the next record.
  mutating func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    let before = batch.recordCount + batch.errors.count
    defer { batch.account += tree.ledger.take() }
    while batch.recordCount + batch.errors.count == before {
      guard try step(into: &batch) else { return false }
    }
    batch.encoding = text.window.mappedEncoding
    return true
  }

  // MARK: Events

  private mutating func step(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    let event = try events.advance()
    let start = text.offset(ofCodePoint: event.start)
    switch event.kind {
    case .scalar:
      contentEnd = text.offset(ofCodePoint: event.end)
      readScalar(event, at: start, into: &batch)
    case .mappingStart, .sequenceStart:
      try readBegin(event, at: start)
    case .mappingEnd, .sequenceEnd:
      // Where a block ends is told by the token behind it, which may be far.
      if flowDepth > 0 { contentEnd = text.offset(ofCodePoint: event.end) }
      readEnd(into: &batch)
    case .alias:
      contentEnd = text.offset(ofCodePoint: event.end)
      if let name = event.anchor { readAlias(name, at: start, into: &batch) }
    case .documentStart:
      contentEnd = text.offset(ofCodePoint: event.end)
      try beginDocument(event, at: start)
    case .streamEnd:
      if text.progress.pointee.firstFault < .max { try refuseFault() }
      if requiresRecords, tree.isMissingRecords {
        throw ReadError(
          .missingRecords, path: text.window.path,
          message: tree.missing(recordsPath, "no document has a sequence or a mapping"))
      }
      tree.ledger.begin(hasMark: text.window.hasMark)
      tree.ledger.finish(at: text.window.end)
      return false
    case .other, .piece, .base, .failure: break
    }
    if let failure { throw failure }
    text.progress.pointee.lastEvent = contentEnd
    // What stands in an open record is its own matter.
    let kept = tree.keptFrom ?? contentEnd
    text.progress.pointee.keptFrom = kept
    if text.progress.pointee.firstFault < kept { try refuseFault() }
    if tree.isRefused { letGoOfLong() }
    return true
  }

  /// Releases the text of a record that is too long, but for its beginning.
  private mutating func letGoOfLong() {
    guard tree.isTooLong, let start = tree.keptFrom else { return }
    if longRecord == nil {
      // A record may begin behind what was read last: at an anchor, whose value is yet to come.
      let raw = text.window.text(start..<max(start, min(contentEnd, start + 1 << 16)))
      longRecord = ([UInt8](raw), text.window.position(of: start))
    }
    text.progress.pointee.keptFrom = contentEnd
  }

  /// Ends the reading because there is something that is no text and stands in no record.
  @inline(never)
  private func refuseFault() throws(ReadError) {
    guard let fault = text.fault(before: .max) else { return }
    throw ReadError(
      .invalidDocument, path: text.window.path, position: text.window.position(of: fault.offset),
      message: YAMLParser.message(fault))
  }

  private static func message(_ fault: YAMLText.Fault) -> String {
    fault.isNUL
      ? "a NUL byte; YAML has it as \\0 between double quotes"
      : "a byte that is not text, or a character that YAML has only as an escape between double quotes"
  }

  private mutating func beginDocument(_ event: YAMLEvent, at offset: Int) throws(ReadError) {
    if event.declaredTags > 64 {
      throw ReadError(
        .invalidDocument, path: text.window.path, position: text.window.position(of: offset),
        message: "the document declares \(event.declaredTags) tags; at most 64 are read")
    }
    log.reset()
    budget.startDocument()
    tree.beginDocument()
  }

  @inline(__always)
  private mutating func readScalar(_ event: YAMLEvent, at start: Int, into batch: inout RecordBatch) {
    let bytes = event.bytes
    let isPlain = event.isPlainOrFlow
    var state = FieldState.quoted
    if let tag = event.tag {
      state = YAMLParser.state(bytes, tag: tag, isPlain: isPlain)
    } else if isPlain {
      state = YAMLCoreSchema.state(bytes)
      if contentEnd - start != bytes.count, text.hasMark(start..<contentEnd) { state = .quoted }
    }
    let isMerge =
      bytes.count == 2 && isPlain && bytes[0] == UInt8(ascii: "<") && bytes[1] == UInt8(ascii: "<")
      && state == .text
    if let anchor = event.anchor { log.open(anchor) }
    if log.isOpen { log.scalar(bytes, state, isMerge: isMerge) }
    if collection != .none {
      if collectionDepth == 0 { finishCollection() }
      return
    }
    if isMerge, frame.isKeyNext, tree.isOpen {
      frame.isKeyNext = false
      startCollection(.merge, at: start)
      return
    }
    place(
      scalar: bytes, state, at: start,
      verbatim: bytes.count > 0 && tree.isValueWanted
        ? text.verbatim(bytes, start, contentEnd, quote: isPlain ? 0 : 1) : nil,
      into: &batch)
  }

  private mutating func readBegin(_ event: YAMLEvent, at start: Int) throws(ReadError) {
    let isMapping = event.kind == .mappingStart
    if let anchor = event.anchor { log.open(anchor) }
    depth += 1
    if depth > Self.deepest {
      throw ReadError(
        .invalidDocument, path: text.window.path, position: text.window.position(of: start),
        message: "mappings and sequences nest deeper than \(Self.deepest)")
    }
    if event.isPlainOrFlow {
      flowDepth += 1
      try countFlow(at: start)
    }
    // A block begins with its first value.
    if collection == .none, frame.isKeyNext {
      frame.isKeyNext = false
      startCollection(tree.isOpen ? .key : .nothing, at: start)
    }
    if log.isOpen { log.begin(isMapping: isMapping) }
    if collection != .none {
      collectionDepth += 1
    } else {
      begin(isMapping: isMapping, at: start)
    }
  }

  private mutating func readEnd(into batch: inout RecordBatch) {
    depth -= 1
    if flowDepth > 0 { flowDepth -= 1 }
    if collection != .none {
      if log.isOpen { log.end() }
      collectionDepth -= 1
      if collectionDepth == 0 { finishCollection() }
    } else {
      // The log is closed behind it: what the mapping merges may be in what the log gives up when it is full.
      end(at: contentEnd, into: &batch)
      if log.isOpen { log.end() }
      if !tree.isOpen { compactLog() }
    }
  }

  private mutating func readAlias(_ name: UnsafeRawBufferPointer, at start: Int, into batch: inout RecordBatch) {
    let target = log.node(of: name)
    if log.isOpen { log.alias(target) }
    if collection != .none {
      if collectionDepth == 0 {
        // A complex key begins with a mapping or a sequence, so this is the value of a merge key.
        collection = .none
        addSource(target, at: start)
      }
      return
    }
    switch target {
    case .success(let node): playAlias(node, at: start, into: &batch)
    case .failure(let missing): placeMissing(missing.reason, at: start, into: &batch)
    }
  }

  /// libyaml looks at all open flow collections for each token, so that deep ones with much in them are slow.
  private mutating func countFlow(at start: Int) throws(ReadError) {
    flowCost += flowDepth
    if flowCost <= 20_000_000 { return }
    if flowCost <= 32 * start { return }
    throw ReadError(
      .invalidDocument, path: text.window.path, position: text.window.position(of: start),
      message: "there is too much text in deeply nested brackets or braces (\(flowDepth))")
  }

  // MARK: Collections

  private mutating func startCollection(_ kind: Collection, at offset: Int) {
    collection = kind
    collectionStart = offset
    collectionDepth = 0
    if kind != .nothing { log.open(nil) }
  }

  private mutating func finishCollection() {
    let kind = collection
    let offset = collectionStart
    collection = .none
    let node = log.collected
    switch kind {
    case .none: break
    case .nothing: tree.key(UnsafeRawBufferPointer(start: nil, count: 0), at: offset)
    case .key: placeComplexKey(node, at: offset)
    case .merge:
      if let node {
        addSource(.success(node), at: offset)
      } else {
        addSource(.failure(YAMLLog.MissingNode(reason: .forgotten)), at: offset)
      }
    }
  }

  // MARK: Nodes

  /// Places a scalar: the key of the innermost mapping, or a value.
  @inline(__always)
  mutating func place(
    scalar bytes: UnsafeRawBufferPointer, _ state: FieldState, at offset: Int, verbatim: Int? = nil,
    into batch: inout RecordBatch
  ) {
    if frame.isKeyNext { return placeKey(bytes, at: offset) }
    frame.isKeyNext = frame.isMapping
    if tree.scalar(bytes, state, at: offset, verbatim: verbatim) { emit(into: &batch) }
  }

  @inline(__always)
  mutating func placeKey(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    frame.isKeyNext = false
    if tree.isOpen { keys.append(bytes) }
    tree.key(bytes, at: offset)
  }

  @inline(__always)
  mutating func begin(isMapping: Bool, at offset: Int) {
    frame.isKeyNext = frame.isMapping
    frames.append(frame)
    frame = Frame(isMapping: isMapping, isKeyNext: isMapping, keys: keys.count)
    if isMapping { tree.beginMapping(at: offset) } else { tree.beginSequence(at: offset) }
  }

  @inline(__always)
  mutating func end(at offset: Int, into batch: inout RecordBatch) {
    if let source = sources.last, source.frame == frames.count { merge(into: &batch) }
    if let outer = frames.popLast() {
      keys.cut(to: frame.keys)
      frame = outer
    }
    if tree.end(at: offset) { emit(into: &batch) }
  }

  /// Appends the complete record or its error to the batch.
  private mutating func emit(into batch: inout RecordBatch) {
    let window = text.window
    if let long = longRecord {
      longRecord = nil
      long.raw.withUnsafeBytes { raw in
        tree.emit(raw: raw, end: contentEnd, hasMark: window.hasMark, into: &batch) { _ in long.position }
      }
      text.forgetFaults(before: contentEnd)
    } else if let start = tree.keptFrom {
      if text.progress.pointee.firstFault < contentEnd, let fault = text.fault(before: contentEnd) {
        tree.refuse(fault.isNUL ? .nulByte : .invalidText, at: fault.offset, YAMLParser.message(fault))
        text.forgetFaults(before: contentEnd)
      }
      var raw = window.text(start..<max(start, contentEnd))
      // A block scalar takes in its last line end.
      if raw.last == 10 { raw = UnsafeRawBufferPointer(rebasing: raw.dropLast()) }
      tree.emit(raw: raw, end: contentEnd, hasMark: window.hasMark, into: &batch) { window.position(of: $0) }
    }
    keys.cut(to: 0)
    budget.startRecord(textRead: contentEnd)
    compactLog()
  }

  /// Gives up what no alias can lead to, unless places in the log are in use.
  private mutating func compactLog() {
    if sources.isEmpty, playing == 0 { log.compact() }
  }

  // MARK: Helpers

  @inline(never)
  private static func state(
    _ bytes: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, isPlain: Bool
  ) -> FieldState {
    let isCore = ["int", "float", "bool", "null"].contains { "tag:yaml.org,2002:\($0)".utf8.elementsEqual(tag) }
    if isCore {
      let state = YAMLCoreSchema.state(bytes)
      return state == .text && !isPlain ? .quoted : state
    }
    return isPlain && !"tag:yaml.org,2002:str".utf8.elementsEqual(tag) ? .text : .quoted
  }
}
