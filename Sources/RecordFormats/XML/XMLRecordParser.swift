import CLibXML2
import Diagnostics

/// Pushes a document's text through libxml2 piece by piece and collects the records of what it reports.
///
/// Nothing but the text is ever read: libxml2 is never told of an external entity or subset, so that it has nothing to
/// load. Entities that the document declares itself are replaced, within a budget (``XMLEventSource/spend(_:)``) beside
/// libxml2's own limits.
///
/// libxml2 writes what it reports to a log, from which records are made, behind the first pieces of a document on a
/// thread of its own (``XMLPieces``). Either way everything is done piece by piece, so that what is read is the same.
final class XMLRecordParser: StagingParser {
  private let window: TextWindow
  private let context: xmlParserCtxtPtr
  private let source: UnsafeMutablePointer<XMLEventSource>
  let pieces: XMLPieces
  private let records: UnsafeMutablePointer<XMLRecords>
  private let columns: XMLColumns
  private let recordsPath: String
  /// The offset behind the piece of which records are made.
  private var pieceEnd = 0
  private var isFinished = false
  /// Where the parser waits for the end of a long tag, and how many attributes may be in it.
  private var stalledAt = -1
  private var stalledTo = 0
  private var stalledSigns = 0

  var columnCount: Int { columns.count }

  /// libxml2 wants to be initialised once per process before threads use it.
  private static let initialise: Void = xmlInitParser()

  /// - Parameters:
  ///   - collectsMembers: whether the names of members are kept in ``members``.
  ///   - pieceSize: the most bytes that libxml2 gets at once.
  ///   - splitsAt: how much of the text is read before libxml2 gets a thread.
  init(
    _ window: TextWindow, path: String, options: XMLOptions, columns paths: [[[UInt8]]], requested: [String],
    collectsMembers: Bool = false, pieceSize: Int = .max,
    splitsAt: Int = SplitLink.usualStart
  ) throws(ReadError) {
    Self.initialise
    self.window = window
    let namespaces = XMLNamespaces(options.namespaces)
    guard let recordsPath = options.records.map({ XMLRecordsPath($0, namespaces) }) ?? XMLRecordsPath() else {
      throw ReadError(
        .invalidOption, path: path,
        message: "“\(options.records ?? "")” is not a path of elements, such as /orders/order, /*/order or //order"
          + (options.namespaces.isEmpty ? "" : ", with prefixes that stand for namespaces"))
    }
    guard let each = options.each.map({ EachPath($0) }) ?? .some(nil) else {
      throw ReadError(
        .invalidOption, path: path, message: "“\(options.each ?? "")” is not a path of elements, such as lines.line")
    }
    self.recordsPath = options.records ?? "/*/*"
    let source = UnsafeMutablePointer<XMLEventSource>.allocate(capacity: 1)
    var handler = XMLEventSource.handler()
    guard let context = xmlCreatePushParserCtxt(&handler, UnsafeMutableRawPointer(source), nil, 0, nil),
      let input = context.pointee.input
    else {
      source.deallocate()
      throw ReadError(.inputFailed, path: path, message: "the XML parser cannot be started: out of memory")
    }
    xmlCtxtUseOptions(
      context, Int32(XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
    func intern(_ name: ArraySlice<UInt8>) -> UnsafePointer<xmlChar>? {
      name.withUnsafeBufferPointer { xmlDictLookup(context.pointee.dict, $0.baseAddress, Int32($0.count)) }
    }
    func intern(_ name: String) -> UnsafePointer<xmlChar>? { intern(Array(name.utf8)[...]) }
    do {
      columns = try XMLColumns(paths, each: each?.names ?? [], namespaces: namespaces, intern: intern)
    } catch {
      xmlFreeParserCtxt(context)
      source.deallocate()
      let name = error.path.map { requested[$0] } ?? options.each ?? ""
      throw ReadError(
        error.path == nil ? .invalidOption : .invalidPath, path: path,
        message: "“\(name)” is not a path of elements with perhaps @attribute or #text at its end"
          + (options.namespaces.isEmpty ? "" : " and prefixes that stand for namespaces"))
    }
    let known = XMLKnownNames(
      nilName: intern("nil"), schemaPrefix: intern("xsi"), schemaInstance: intern(XMLNamespaces.schemaInstance),
      value: intern("value"), name: intern("name"), encoding: intern("encoding"), of: intern("of"))
    let log = EventLog(usual: SplitLink.logSize)
    source.initialize(to: XMLEventSource(context, input, log: log, pieceSize: max(1, pieceSize)))
    pieces = XMLPieces(window, source, log: log, splitsAt: collectsMembers ? .max : splitsAt)
    records = .allocate(capacity: 1)
    records.initialize(
      to: XMLRecords(
        columns: columns,
        steps: recordsPath.steps.map { name in
          XMLStep(
            isAny: name == nil, local: name.flatMap { intern($0.local[...]) },
            space: name?.space.flatMap { intern($0[...]) })
        },
        isAnywhere: recordsPath.isAnywhere, options: options, known: known, window: window))
    if collectsMembers { records.pointee.members = XMLMembers(namespaces, known) }
    self.context = context
    self.source = source
  }

  deinit {
    pieces.stop()
    // Declarations make libxml2 keep a document of its own.
    if let document = context.pointee.myDoc { xmlFreeDoc(document) }
    context.pointee.myDoc = nil
    xmlFreeParserCtxt(context)
    source.deinitialize(count: 1)
    source.deallocate()
    records.pointee.deallocate()
    records.deinitialize(count: 1)
    records.deallocate()
  }

  /// The paths of the members of the records so far, when they are collected.
  var members: [String] { records.pointee.members?.paths ?? [] }
  /// How many records have ended.
  var recordCount: Int { records.pointee.recordIndex }

  func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    if isFinished { return false }
    let piece = try pieces.next()
    pieceEnd += piece.count
    withUnsafeMutablePointer(to: &batch) { batch in
      records.pointee.batch = batch
      makeRecords(upTo: .pieceEnd)
      records.pointee.takeFaults()
      checkStall()
      if piece.isLast, records.pointee.failure == nil { finish() }
      records.pointee.batch = nil
    }
    batch.encoding = window.mappedEncoding
    batch.lineEnds = .lineFeed
    if let failure = records.pointee.failure {
      isFinished = true
      pieces.stop()
      let at = min(max(failure.at, window.mark), pieceEnd)
      throw ReadError(failure.code, path: window.path, position: window.position(of: at), message: failure.message)
    }
    let reached = min(records.pointee.offset, pieceEnd)
    let isKept = records.pointee.openCount > 0 && records.pointee.fault?.code != .recordTooLong
    if isKept, pieceEnd - records.pointee.recordStart > records.pointee.maxRecordBytes {
      records.pointee.refuseLong()
      window.forget(before: reached)
    } else {
      window.forget(before: isKept ? records.pointee.recordStart : reached)
    }
    return !isFinished
  }

  /// Notes in batches where elements stand that are no columns.
  func noteSurplus() { records.pointee.notesSurplus = true }

  // MARK: Steps

  /// Makes records of what libxml2 reported, up to a mark.
  private func makeRecords(upTo mark: XMLEvent.Kind) {
    while true {
      if !pieces.faults.isEmpty { records.pointee.faults += pieces.takeFaults() }
      let kept = window.text(window.mark..<pieceEnd)
      records.pointee.textBase = kept.baseAddress?.assumingMemoryBound(to: UInt8.self)
      records.pointee.textStart = window.mark
      records.pointee.textEnd = pieceEnd
      if records.pointee.take(pieces.log) == mark || records.pointee.failure != nil { return }
      pieces.nextLog()
    }
  }

  private func finish() {
    isFinished = true
    makeRecords(upTo: .documentEnd)
    records.pointee.takeFaults()
    guard records.pointee.failure == nil, !records.pointee.foundPlace else { return }
    records.pointee.failure = (
      .missingRecords, records.pointee.offset, "the document has no elements on the way to “\(recordsPath)”"
    )
  }

  /// Refuses a tag with so many attributes that libxml2 would take for ever: it compares each with all others.
  private func checkStall() {
    let at = records.pointee.offset
    guard records.pointee.failure == nil, pieceEnd - at > 1 << 16, at >= records.pointee.textStart else { return }
    if at != stalledAt {
      stalledAt = at
      stalledTo = at
      stalledSigns = 0
    }
    stalledSigns += window.text(max(stalledTo, window.mark)..<pieceEnd).count { $0 == UInt8(ascii: "=") }
    stalledTo = pieceEnd
    if stalledSigns > Self.mostAttributes, window.text(at..<at + 1)[0] == UInt8(ascii: "<") {
      records.pointee.fail(
        .invalidDocument, "one tag is longer than 64 KiB and has more than \(Self.mostAttributes) “=”")
    }
  }

  /// The most attributes of one element, and the most that a document type declares.
  private static let mostAttributes = 20_000
}
