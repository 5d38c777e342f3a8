import CLibXML2
import Diagnostics

/// Pushes a document's text through libxml2 piece by piece and collects the records of its callbacks.
///
/// Nothing but the text is ever read: libxml2 is never told of an external entity or subset, so that it has nothing to
/// load. Entities that the document declares itself are replaced, within a budget (``XMLRecords/spend(_:)``) beside
/// libxml2's own limits.
final class XMLRecordParser: StagingParser {
  private let window: TextWindow
  private let context: xmlParserCtxtPtr
  private let records: UnsafeMutablePointer<XMLRecords>
  private let columns: XMLColumns
  private let recordsPath: String
  private var isStarted = false
  private var isFinished = false
  /// Where the parser waits for the end of a long tag, and how many attributes may be in it.
  private var stalledAt = -1
  private var stalledTo = 0
  private var stalledSigns = 0
  /// The most bytes that are pushed at once.
  private let pieceSize: Int

  var columnCount: Int { columns.count }

  /// libxml2 wants to be initialised once per process before threads use it.
  private static let initialise: Void = xmlInitParser()

  /// - Parameter collectsMembers: whether the names of members are kept in ``members``.
  init(
    _ window: TextWindow, path: String, options: XMLOptions, columns paths: [[[UInt8]]], requested: [String],
    collectsMembers: Bool = false, pieceSize: Int = .max
  ) throws(ReadError) {
    Self.initialise
    self.window = window
    self.pieceSize = max(1, pieceSize)
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
    let state = UnsafeMutablePointer<XMLRecords>.allocate(capacity: 1)
    var handler = Self.handler()
    guard let context = xmlCreatePushParserCtxt(&handler, UnsafeMutableRawPointer(state), nil, 0, nil),
      let input = context.pointee.input
    else {
      state.deallocate()
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
      state.deallocate()
      let name = error.path.map { requested[$0] } ?? options.each ?? ""
      throw ReadError(
        error.path == nil ? .invalidOption : .invalidPath, path: path,
        message: "“\(name)” is not a path of elements with perhaps @attribute or #text at its end"
          + (options.namespaces.isEmpty ? "" : " and prefixes that stand for namespaces"))
    }
    let known = XMLKnownNames(
      nilName: intern("nil"), schemaPrefix: intern("xsi"), schemaInstance: intern(XMLNamespaces.schemaInstance),
      value: intern("value"), name: intern("name"), encoding: intern("encoding"), of: intern("of"))
    state.initialize(
      to: XMLRecords(
        columns: columns,
        steps: recordsPath.steps.map { name in
          XMLStep(
            isAny: name == nil, local: name.flatMap { intern($0.local[...]) },
            space: name?.space.flatMap { intern($0[...]) })
        },
        isAnywhere: recordsPath.isAnywhere, options: options, known: known, window: window, context: context,
        input: input))
    if collectsMembers { state.pointee.members = XMLMembers(namespaces, known) }
    self.context = context
    records = state
  }

  deinit {
    // Declarations make libxml2 keep a document of its own.
    if let document = context.pointee.myDoc { xmlFreeDoc(document) }
    context.pointee.myDoc = nil
    xmlFreeParserCtxt(context)
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
    let piece = try window.readPiece()
    withUnsafeMutablePointer(to: &batch) { batch in
      records.pointee.batch = batch
      push(piece)
      if window.isAtEnd, records.pointee.failure == nil { finish() }
      records.pointee.batch = nil
    }
    batch.encoding = window.mappedEncoding
    batch.lineEnds = .lineFeed
    if let failure = records.pointee.failure {
      isFinished = true
      let at = min(max(failure.at, window.mark), window.end)
      throw ReadError(failure.code, path: window.path, position: window.position(of: at), message: failure.message)
    }
    let reached = min(records.pointee.offset, window.end)
    let isKept = records.pointee.openCount > 0 && records.pointee.fault?.code != .recordTooLong
    if isKept, window.end - records.pointee.recordStart > records.pointee.maxRecordBytes {
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

  private func push(_ piece: Range<Int>) {
    if piece.isEmpty { return }
    var first = piece.lowerBound
    if !isStarted {
      isStarted = true
      // The byte order mark is no part of the document.
      if window.text(piece).starts(with: [0xEF, 0xBB, 0xBF]) { first = 3 }
      records.pointee.origin = first
    }
    let kept = window.text(window.mark..<window.end)
    records.pointee.textBase = kept.assumingMemoryBound(to: UInt8.self).baseAddress
    records.pointee.textStart = window.mark
    records.pointee.textEnd = window.end
    if window.fault < piece.upperBound {
      pushPatched(first..<piece.upperBound)
    } else {
      push(window.text(first..<piece.upperBound))
    }
    records.pointee.takeFaults()
    checkStall()
  }

  private func push(_ text: UnsafeRawBufferPointer) {
    var i = 0
    while i < text.count, records.pointee.failure == nil {
      let count = min(pieceSize, text.count - i)
      xmlParseChunk(context, text.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) + i }, Int32(count), 0)
      i += count
    }
  }

  /// Pushes a piece with bytes that are no text, and notes where they are.
  ///
  /// A dot stands in their place, which goes on with names and texts and ends or begins nothing.
  private func pushPatched(_ piece: Range<Int>) {
    var copy = Array(window.text(piece))
    while window.fault < piece.upperBound {
      let index = window.fault - piece.lowerBound
      if index >= 0 {
        records.pointee.faults.append((at: window.fault, isNul: copy[index] == 0))
        copy[index] = UInt8(ascii: ".")
      }
      window.passFault()
    }
    copy.withUnsafeBytes { push($0) }
  }

  private func finish() {
    isFinished = true
    xmlParseChunk(context, nil, 0, 1)
    if context.pointee.wellFormed == 0 { records.pointee.fail(.invalidDocument, "the document is no well-formed XML") }
    records.pointee.takeFaults()
    guard records.pointee.failure == nil, !records.pointee.foundPlace else { return }
    records.pointee.failure = (
      .missingRecords, records.pointee.offset, "the document has no elements on the way to “\(recordsPath)”"
    )
  }

  /// Refuses a tag with so many attributes that libxml2 would take for ever: it compares each with all others.
  private func checkStall() {
    let at = records.pointee.offset
    guard records.pointee.failure == nil, window.end - at > 1 << 16, at >= records.pointee.textStart else { return }
    if at != stalledAt {
      stalledAt = at
      stalledTo = at
      stalledSigns = 0
    }
    stalledSigns += window.text(max(stalledTo, window.mark)..<window.end).count { $0 == UInt8(ascii: "=") }
    stalledTo = window.end
    if stalledSigns > Self.mostAttributes, window.text(at..<at + 1)[0] == UInt8(ascii: "<") {
      records.pointee.fail(
        .invalidDocument, "one tag is longer than 64 KiB and has more than \(Self.mostAttributes) “=”")
    }
  }

  /// The most attributes of one element, and the most that a document type declares.
  private static let mostAttributes = 20_000
}
