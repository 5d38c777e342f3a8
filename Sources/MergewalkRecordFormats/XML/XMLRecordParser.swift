import MergewalkEventLogs
import MergewalkXML

/// Pushes a document's text through an `XMLParser` piece by piece and collects records from its events.
///
/// libxml2 writes its events to a log, from which records are made; after the first pieces of a document, it does so on
/// its own thread (``XMLPieces``). Either way, everything happens piece by piece, so the result is the same.
final class XMLRecordParser: PushParser {
  private let window: TextWindow
  let pieces: XMLPieces
  private let records: UnsafeMutablePointer<XMLRecords>
  private let columns: XMLColumns
  private let recordsPath: XMLRecordsPath
  /// How the path of the records is written; nil where none records are no mistake.
  private let neededPath: String?
  /// The offset behind the piece of which records are made.
  private var pieceEnd = 0
  private var isFinished = false

  var columnCount: Int { columns.count }

  /// - Parameters:
  ///   - collectsMembers: whether the names of members are kept in ``members``.
  ///   - pieceSize: the most bytes that libxml2 gets at once.
  ///   - splitsAt: how much of the text is read before libxml2 gets a thread.
  init(
    _ window: TextWindow, path: String, options: XMLOptions, columns paths: [[[UInt8]]], requested: [String],
    collectsMembers: Bool = false, pieceSize: Int = .max,
    splitsAt: Int = ParserChannel.usualStart
  ) throws(ReadError) {
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
    self.recordsPath = recordsPath
    neededPath = options.recordsMayBeMissing ? nil : options.records
    let log = EventLog(usual: ParserChannel.logSize)
    guard let parser = XMLParser(.records, log: log, pieceSize: pieceSize) else {
      throw ReadError(.inputFailed, path: path, message: "the XML parser cannot be started: out of memory")
    }
    func intern(_ name: String) -> UnsafePointer<UInt8>? { parser.intern(Array(name.utf8)) }
    do {
      columns = try XMLColumns(paths, each: each?.names ?? [], namespaces: namespaces, intern: parser.intern)
    } catch {
      let name = error.path.map { requested[$0] } ?? options.each ?? ""
      throw ReadError(
        error.path == nil ? .invalidOption : .invalidPath, path: path,
        message: "“\(name)” is not a path of elements with perhaps @attribute or #text at its end"
          + (options.namespaces.isEmpty ? "" : " and prefixes that stand for namespaces"))
    }
    let known = XMLKnownNames(
      nilName: intern("nil"), schemaInstance: intern(XMLNamespaces.schemaInstance),
      value: intern("value"), name: intern("name"), encoding: intern("encoding"), of: intern("of"))
    pieces = XMLPieces(window, parser, log: log, splitsAt: collectsMembers ? .max : splitsAt)
    records = .allocate(capacity: 1)
    records.initialize(
      to: XMLRecords(
        columns: columns,
        steps: recordsPath.steps.map { name in
          XMLStep(
            isAny: name == nil, local: name.flatMap { parser.intern($0.local) },
            space: name?.space.flatMap { parser.intern($0) })
        },
        isAnywhere: recordsPath.isAnywhere, options: options, known: known, window: window))
    if collectsMembers { records.pointee.members = XMLMembers(namespaces, known) }
  }

  deinit {
    pieces.stop()
    records.pointee.deallocate()
    records.deinitialize(count: 1)
    records.deallocate()
  }

  /// The paths of the members of the records so far, when they are collected.
  var members: [String] { records.pointee.members?.paths ?? [] }
  var recordCount: Int { records.pointee.recordIndex }

  func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    if isFinished { return false }
    let piece = try pieces.next()
    if pieceEnd == 0 { records.pointee.ledger.begin(hasMark: window.hasMark) }
    pieceEnd += piece.count
    withUnsafeMutablePointer(to: &batch) { batch in
      records.pointee.batch = batch
      makeRecords(upTo: .pieceEnd)
      records.pointee.takeFaults()
      if piece.isLast, records.pointee.failure == nil { finish() }
      records.pointee.batch = nil
    }
    batch.encoding = window.mappedEncoding
    batch.lineEnds = .lineFeed
    batch.account += records.pointee.ledger.take()
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
    records.pointee.ledger.finish(at: pieceEnd)
    guard records.pointee.failure == nil, !records.pointee.hasRecords, let neededPath else { return }
    if let message = records.pointee.outline.missing(recordsPath, neededPath) {
      records.pointee.failure = (.missingRecords, records.pointee.offset, message)
    }
  }
}
