import MergewalkDiagnostics

/// The common parts of both text forms of property lists: the decoded text, the tree that makes records of it, the
/// batch being filled.
final class PropertyListText {
  let window: TextWindow
  var tree: TreeRecordBuilder
  /// The batch that is being filled; it is the caller's outside of ``filling(_:_:)``.
  private var batch = RecordBatch()
  private let records: JSONRecordsPath
  /// The first bytes and the position of an open record that is too long to be kept.
  private var longRecord: (raw: [UInt8], position: SourcePosition)?
  /// The offset from which text is kept although no record is open yet.
  var held: Int?
  /// Where the first record begins, so that samples are measured from there.
  private(set) var firstRecord: Int?

  /// Lists nest less deeply than this even where no records are, as each level takes memory.
  static let deepest = 10_000

  init(_ window: TextWindow, tree: TreeRecordBuilder, records: JSONRecordsPath) {
    self.window = window
    self.tree = tree
    self.records = records
  }

  /// Calls `body`, which makes records, and puts those into the batch.
  func filling<R>(_ batch: inout RecordBatch, _ body: () throws(ReadError) -> R) throws(ReadError) -> R {
    swap(&batch, &self.batch)
    defer {
      self.batch.account += tree.ledger.take()
      self.batch.encoding = window.mappedEncoding
      swap(&batch, &self.batch)
    }
    return try body()
  }

  /// Puts the complete record, whose text ends before an offset, into the batch.
  func emit(to end: Int) {
    if firstRecord == nil { firstRecord = tree.keptFrom }
    let window = window
    let hasMark = window.hasMark
    if let longRecord {
      self.longRecord = nil
      let position = longRecord.position
      longRecord.raw.withUnsafeBytes { raw in
        tree.emit(raw: raw, end: end, hasMark: hasMark, into: &batch) { _ in position }
      }
      return
    }
    let raw = window.text((tree.keptFrom ?? end)..<end)
    tree.emit(raw: raw, end: end, hasMark: hasMark, into: &batch) { window.position(of: $0) }
  }

  /// Ends a list that is whole.
  ///
  /// - Throws: `missingRecords` when the path of the records led nowhere.
  func finish() throws(ReadError) {
    tree.ledger.begin(hasMark: window.hasMark)
    tree.ledger.finish(at: window.end)
    if let failure = missingRecords() { throw failure }
  }

  /// Releases text that neither the open record nor what stands behind `offset` needs.
  ///
  /// - Throws: `recordTooLong` for a scalar in the place of a record that is too long to be kept.
  func forget(before offset: Int) throws(ReadError) {
    guard let start = tree.keptFrom else {
      let held = min(held ?? offset, offset)
      if window.end - held > tree.maxRecordBytes + TextWindow.pieceSize {
        throw ReadError(
          .recordTooLong, path: window.path, position: window.position(of: held),
          message: RecordError.tooLong("a value", tree.maxRecordBytes))
      }
      return window.forget(before: held)
    }
    if firstRecord == nil { firstRecord = start }
    tree.checkLength(to: window.end)
    if tree.isTooLong {
      if longRecord == nil {
        let raw = window.text(start..<min(window.end, start + (1 << 16)))
        longRecord = (Array(raw), window.position(of: start))
      }
      return window.forget(before: offset)
    }
    window.forget(before: min(start, offset))
  }

  /// The failure that the list is not what it should be from an offset on.
  func damage(_ offset: Int, _ message: String) -> ReadError {
    let offset = min(offset, window.end)
    // What is not kept any more is behind: the place reached says enough.
    let place = window.holds(offset) ? offset : window.end
    return ReadError(.invalidDocument, path: window.path, position: window.position(of: place), message: message)
  }

  /// The failure that the path of the records led nowhere; nil when it did not.
  private func missingRecords() -> ReadError? {
    guard tree.isMissingRecords else { return nil }
    return ReadError(
      .missingRecords, path: window.path,
      message: tree.missing(records, "there is no array") + "; “records” must lead to an array of dictionaries")
  }
}
