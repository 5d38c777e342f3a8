import MergewalkObjectStore
import MergewalkRecordFormats

/// How far the records of one part have come in the column that only grows.
final class SinceProgress {
  let filter: SinceFilter
  private let kind: SincePolicy.Kind
  private let holds: Bool
  /// The greatest value of a record that does not hold the cursor.
  private var greatest: CursorValue?
  /// The least value of a record that was rejected.
  private var leastRejected: CursorValue?
  /// Whether a record was rejected whose value is not known.
  private var isUncertain = false
  /// The greatest value of a record that was turned away because an earlier one of the run has its key.
  private var greatestRepeat: CursorValue?
  /// Whether such a record has no value, so that every run reads it.
  private var isRepeatAlwaysRead = false

  /// - Parameter holds: whether the cursor stays at the first record that is rejected.
  init(filter: SinceFilter, kind: SincePolicy.Kind, holds: Bool) {
    self.filter = filter
    self.kind = kind
    self.holds = holds
  }

  /// Notes rejected records whose value is not known, such as those that the reader refused.
  func noteUnknown(_ count: Int) { if count > 0 { isUncertain = true } }

  /// Notes what became of the records of a batch; those that are put off come again.
  func note(_ batch: ImportBatch, _ outcomes: ContiguousArray<RecordLedger.Outcome>) {
    let column = batch.columns[filter.field]
    batch.records.bytes.withUnsafeBytes { bytes in
      guard let arena = bytes.baseAddress else { return }
      for (record, outcome) in outcomes.enumerated() {
        if outcome == .deferred || !batch.isBeforeCursor.isEmpty && batch.isBeforeCursor[record] { continue }
        let (tag, payload) = (column.tags[record], column.payloads[record])
        if holds, outcome == .rejected {
          noteRejected(value(tag, payload, arena))
        } else if isGreater(tag, payload, arena) {
          greatest = value(tag, payload, arena)
        }
      }
    }
  }

  /// Notes records of a batch that were turned away because an earlier one of the run has their key.
  func noteRepeats(_ batch: ImportBatch, _ records: [Int]) {
    guard !records.isEmpty else { return }
    let column = batch.columns[filter.field]
    batch.records.bytes.withUnsafeBytes { bytes in
      guard let arena = bytes.baseAddress else { return }
      for record in records {
        if let place = value(column.tags[record], column.payloads[record], arena) {
          greatestRepeat = greatestRepeat.map { max($0, place) } ?? place
        } else {
          isRepeatAlwaysRead = true
        }
      }
    }
  }

  private func noteRejected(_ value: CursorValue?) {
    guard let value else {
      isUncertain = true
      return
    }
    leastRejected = leastRejected.map { min($0, value) } ?? value
  }

  /// Whether a value is beyond all others so far; makes no text of those that are not.
  private func isGreater(_ tag: UInt8, _ payload: UInt64, _ arena: UnsafeRawPointer) -> Bool {
    guard let greatest else { return value(tag, payload, arena) != nil }
    switch greatest {
    case .date(let seconds): return tag == CellTag.real && Double(bitPattern: payload) > seconds
    case .integer(let number): return tag == CellTag.integer && Int64(bitPattern: payload) > number
    case .text(let text):
      guard tag == CellTag.text else { return false }
      let range = ByteRange(payload: payload)
      return text.utf8.lexicographicallyPrecedes(
        UnsafeRawBufferPointer(start: arena + range.offset, count: range.length))
    }
  }

  private func value(_ tag: UInt8, _ payload: UInt64, _ arena: UnsafeRawPointer) -> CursorValue? {
    switch (kind, tag) {
    case (.date, CellTag.real): return .date(Double(bitPattern: payload))
    case (.integer, CellTag.integer): return .integer(Int64(bitPattern: payload))
    case (.text, CellTag.text):
      let range = ByteRange(payload: payload)
      return .text(
        String(decoding: UnsafeRawBufferPointer(start: arena + range.offset, count: range.length), as: UTF8.self))
    default: return nil
    }
  }

  /// The cursor after the run.
  ///
  /// Where it passes rejects, their values move it like any other: what the rejects file has is not to be read again.
  ///
  /// Where rejects hold it, the next run reads every record again that this one has rejected: the cursor goes to the first
  /// of them at most, and back to it when `--since` has read below the cursor. When it is not known which that is, or ties
  /// are skipped and others have come as far as it, the cursor stays at the place from which this run has read. So it does
  /// where the next run would read a record again that an earlier one with its key has turned away, but not that one: it
  /// would then be the first with its key, and count.
  ///
  /// - Parameters:
  ///   - stored: what the store knows; `nil` for none, also when that is to be forgotten.
  ///   - override: where this run has begun to read in place of that.
  ///   - lag: how far before the cursor the next run begins to read.
  func cursor(stored: CursorValue?, override: CursorValue?, lag: Int64) -> CursorValue? {
    guard let next = settled(stored: stored, override: override, lag: lag) else { return nil }
    return readsRepeat(from: next.lowered(by: lag)) ? start(stored: stored, override: override) : next
  }

  /// The cursor that goes back to the place from which this run has read.
  private func start(stored: CursorValue?, override: CursorValue?) -> CursorValue? {
    stored.map { stored in override.map { min(stored, $0) } ?? stored }
  }

  /// Whether a run that begins to read at a value reads one of the records that this one has turned away.
  private func readsRepeat(from threshold: CursorValue) -> Bool {
    if isRepeatAlwaysRead { return true }
    guard let greatestRepeat else { return false }
    return filter.ties == .read ? !(greatestRepeat < threshold) : threshold < greatestRepeat
  }

  private func settled(stored: CursorValue?, override: CursorValue?, lag: Int64) -> CursorValue? {
    let reached = greatest.map { greatest in stored.map { max($0, greatest) } ?? greatest } ?? stored
    guard holds, isUncertain || leastRejected != nil else { return reached }
    let isBeyond = leastRejected.flatMap { rejected in reached.map { $0 < rejected } } ?? false
    guard let leastRejected, !isUncertain, filter.ties == .read || isBeyond else {
      return start(stored: stored, override: override)
    }
    if let stored, !(leastRejected < stored.lowered(by: lag)) {
      return reached.map { min($0, max(leastRejected, stored)) }
    }
    return reached.map { min($0, leastRejected) }
  }
}

extension SinceProgress {
  /// Prepares the incremental import of a part; `nil` when it reads everything.
  convenience init?(
    _ definition: ImportDefinition, _ part: ImportPart, _ plan: ImportPlan, _ file: StoreFile
  ) throws(ImportError) {
    guard let policy = part.since, let field = plan.sinceField else { return nil }
    // Where the run began to read, also when it reads a part again whose new cursor is in the plan already.
    let before: StoreMetadata
    do { before = try file.metadataBeforeRun() } catch { throw ImportError(error) }
    let threshold = policy.threshold(stored: try policy.stored(definition, part, before))
    self.init(
      filter: SinceFilter(field: field, threshold: threshold, ties: policy.ties), kind: policy.kind,
      // Without a rejects file nothing has what the cursor would pass.
      holds: policy.rejects(in: part.root.mode) == .hold || definition.rejects.path == nil)
  }
}

extension SincePolicy {
  /// The progress in the store, unless it is to be forgotten.
  func stored(
    _ definition: ImportDefinition, _ part: ImportPart, _ metadata: StoreMetadata
  ) throws(ImportError) -> CursorValue? {
    let cursors = StoredCursors(metadata, of: definition)
    if !isReset, override == nil, !definition.isNameGiven, cursors.isOfAnother(part: part.name) {
      throw ImportError(
        code: .cursorMismatch,
        message: "another file with a pipeline of the name \(definition.name) has written the cursor that the store"
          + " keeps of it; give each its own name (“pipeline: …”), or, if this is the same file moved, give it its old one:"
          + " “pipeline: \(definition.name)”")
    }
    if !isReset, override == nil, let other = cursors.mismatch(part: part.name, self) {
      throw ImportError(
        code: .cursorMismatch,
        message: "the cursor that the store keeps of \(definition.name) is one of \(other), but the pipeline says "
          + "\(column) of type \(kind.rawValue); run once with --reset-cursor, or --since with a value")
    }
    return cursors.value(part: part.name, self)
  }
}

extension RunWarning {
  /// The warnings about imports that begin where a pipeline of another file, but of the same given name, has ended.
  static func cursorsOfOthers(_ definition: ImportDefinition, _ file: StoreFile) throws(ImportError) -> [RunWarning] {
    guard definition.isNameGiven, definition.parts.contains(where: { $0.since != nil }) else { return [] }
    let before: StoreMetadata
    do { before = try file.metadataBeforeRun() } catch { throw ImportError(error) }
    let cursors = StoredCursors(before, of: definition)
    return definition.parts.filter { part in
      guard let since = part.since, !since.isReset, since.override == nil else { return false }
      return cursors.isOfAnother(part: part.name)
    }.map { part in
      RunWarning(
        .cursorOfAnother,
        "the cursor of \(definition.name) was written by a pipeline of the same name in another file: the run passes over"
          + " what that one has read; if the file was not just moved, give each its own name (“pipeline: …”)",
        file: definition.path, position: part.since?.position)
    }
  }
}
