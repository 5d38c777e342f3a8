import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkRecordFormats

/// Turns what was rejected of a batch into lines of the rejects file, and counts it.
///
/// A record is one line, whatever number of its fields failed. A batch without rejects costs four comparisons.
final class RejectOutput {
  private var plan: ImportPlan
  private var sources: [ByteSource]
  private let writer: RejectWriter?
  /// The first lines of each code, where no file takes them.
  private var sample: RejectText
  /// More lines of a code, longer records, and more bytes altogether are not kept without a file.
  private static let (mostSampled, longestSampled, largestSample) = (50, 4096, 1 << 20)
  private let redaction: Redaction
  /// Which files were replayed.
  private let replayed: ReplayedRejects
  private(set) var counts: [RejectCode: Int] = [:]
  /// The import that the batches are from; nil when the run has only one.
  private var part: String?
  /// Whether each line carries the columns: in a replay, one file's lines may be from several others.
  private let repeatsHeaders: Bool
  /// Whether the spaces before a record's first line matter.
  private var keepsIndent: Bool
  /// Other faults in records of another width.
  private var widthFaults: WidthFaults
  /// The columns of the files that say them.
  private var headers: [FilePlace: [String]] = [:]
  /// The files whose columns a line has already.
  private var written: Set<FilePlace> = []
  /// The namespaces declared around all records of a file of XML; empty where they differ.
  private var namespaces: [FilePlace: String] = [:]
  /// The file that the last batch was from.
  private var place = FilePlace(part: nil, source: -1, member: nil)

  /// A file of an import, or a member of an archive; a second pass turns to the records of all imports again.
  struct FilePlace: Hashable, Sendable {
    var part: String?
    var source: Int
    var member: String?
  }

  /// Prepares the rejects file, when the definition names one.
  ///
  /// - Parameters:
  ///   - metadata: of the store, which knows which rejects files were replayed; `nil` for none.
  ///   - checkpoint: of the run that resumes; what its process wrote later is cut off.
  /// - Throws: `cannotWriteRejects`; `cannotResume` when the file has lost lines of the run.
  init(
    _ definition: ImportDefinition, plan: ImportPlan, run: RunIdentity, metadata: StoreMetadata? = nil,
    checkpoint: RunCheckpoint? = nil
  ) throws(ImportError) {
    self.plan = plan
    redaction = definition.redaction
    let runName = redaction(definition.rejects.run ?? run.text)
    sample = RejectText(run: runName)
    replayed = ReplayedRejects(metadata, pipeline: definition.name)
    sources = definition.sources
    widthFaults = WidthFaults(plan: plan, format: definition.format)
    repeatsHeaders = definition.reporting.kind == .replay
    part = definition.parts.count > 1 ? definition.parts[0].name : nil
    keepsIndent = repeatsHeaders || Self.hasIndents(definition.format)
    for (name, count) in checkpoint?.tally.rejectCounts ?? [:] {
      if let code = RejectCode(rawValue: name) { counts[code] = count }
    }
    written = checkpoint?.rejectHeaders ?? []
    guard let path = definition.rejectsPath else {
      writer = nil
      return
    }
    do throws(RejectWriterError) {
      writer = try RejectWriter(
        path: path, run: runName, access: .derived(from: definition.storePath),
        keeping: checkpoint?.rejectBytes ?? 0,
        count: checkpoint?.ledger.rejected ?? 0, isReplayed: replayed.contains)
    } catch {
      throw ImportError(error)
    }
  }

  /// Rejects by the text of their code.
  var countsByName: [String: Int] { Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }) }

  /// The bytes of the file so far.
  var byteCount: Int { writer?.byteCount ?? 0 }

  /// Waits until all lines are on the disk.
  func sync() throws(ImportError) {
    do throws(RejectWriterError) { try writer?.sync() } catch { throw ImportError(error) }
  }

  /// The files whose columns a line of the rejects file has.
  var writtenHeaders: Set<FilePlace> { writer == nil ? [] : written }

  /// Begins the batches of a part, or its second pass: another plan and other inputs.
  func begin(_ plan: ImportPlan, sources: [ByteSource], format: RecordFormat, part: String?) {
    self.plan = plan
    self.sources = sources
    self.part = part
    widthFaults = WidthFaults(plan: plan, format: format)
    keepsIndent = repeatsHeaders || Self.hasIndents(format)
    place = FilePlace(part: part, source: -1, member: nil)
  }

  private func place(of batch: ImportBatch) -> FilePlace {
    FilePlace(part: part, source: batch.records.source, member: batch.records.member)
  }

  private static func hasIndents(_ format: RecordFormat) -> Bool { if case .yaml = format { true } else { false } }

  /// Writes the rejects of a batch, in the order of the file.
  ///
  /// - Parameters:
  ///   - rejects: what was rejected after the batch's conversion.
  ///   - withErrors: whether what the reader refused is written too; not when the batch is read for the second time.
  func write(_ batch: ImportBatch, _ rejects: [RecordReject], withErrors: Bool = true) throws(ImportError) {
    let errors = withErrors ? batch.records.errors : []
    note(batch)
    if errors.isEmpty, batch.failures.isEmpty, batch.refusals.isEmpty, rejects.isEmpty { return }
    var entries = batch.failures.map { Entry(record: $0.record, field: Int($0.field), code: $0.code, detail: "") }
    for reject in batch.refusals + rejects {
      entries.append(
        Entry(
          record: reject.record, field: reject.field.map(Int.init), code: reject.code, detail: reject.detail,
          others: reject.others, element: reject.element, column: reject.column.map(Int.init)))
    }
    // Stable by construction: the order in which reasons were found breaks ties.
    let order = entries.indices.sorted { (entries[$0].record, $0) < (entries[$1].record, $1) }
    do throws(RejectWriterError) {
      var error = 0
      var next = 0
      while next < order.count {
        let record = Int(entries[order[next]].record)
        while error < errors.count, errors[error].recordIndex < batch.records.records[record].index {
          try write(errors[error], batch)
          error += 1
        }
        var last = next + 1
        while last < order.count, Int(entries[order[last]].record) == record { last += 1 }
        try write(order[next..<last].map { entries[$0] }, record: record, batch)
        next = last
      }
      while error < errors.count {
        try write(errors[error], batch)
        error += 1
      }
      try writer?.flush()
    } catch {
      throw ImportError(error)
    }
  }

  /// Writes and counts an object that could not be deleted.
  func write(entity: String, object: String, code: RejectCode, message: String) throws(ImportError) {
    counts[code, default: 0] += 1
    guard let writer else {
      if isKept(code) { sample.add(object: object, entity: entity, code: code, message: redaction(message)) }
      return
    }
    do throws(RejectWriterError) {
      try writer.write(object: object, entity: entity, code: code, message: redaction(message))
    } catch {
      throw ImportError(error)
    }
  }

  /// Closes the file.
  ///
  /// - Parameter isFinished: whether the run has come to its end.
  func close(isFinished: Bool) throws(ImportError) {
    do throws(RejectWriterError) { try writer?.close(isFinished: isFinished) } catch { throw ImportError(error) }
  }

  /// Tells the summary what was rejected, and where to read about it.
  func note(_ summary: inout ImportSummary) {
    summary.rejectCounts = countsByName
    guard let writer else { return summary.rejectSample = sample.bytes }
    summary.rejectsPath = writer.count > 0 ? writer.path : nil
    if let warning = EarlierRejects(of: writer.path).warning(replayed, except: writer.path) { summary.warn(warning) }
  }

  /// One reason for rejecting one record.
  private struct Entry {
    var record: Int32
    var field: Int?
    var code: RejectCode
    var detail: String
    var others: [Int] = []
    var element: RejectedElement?
    var column: Int?
  }

  private func write(_ error: RecordError, _ batch: ImportBatch) throws(RejectWriterError) {
    let code = RejectCode(error.code)
    counts[code, default: 0] += 1
    guard isKept(code) else { return }
    var reject = Reject(
      error, file: redaction(sources[batch.records.source].path), member: member(of: batch), message: error.message)
    if let (faults, record) = widthFaults.find(error, header: batch.header) {
      reject.also = faults.map { fault in
        var further = reason(
          Entry(record: 0, field: Int(fault.field), code: fault.code, detail: ""), 0, record)
        further.position = error.position
        return further
      }
    }
    complete(&reject, batch)
    try error.raw.withUnsafeBufferPointer { (raw) throws(RejectWriterError) in
      try keep(reject, raw: UnsafeRawBufferPointer(raw))
    }
  }

  /// Whether a line with this code goes anywhere.
  private func isKept(_ code: RejectCode) -> Bool {
    writer != nil || counts[code, default: 0] <= Self.mostSampled && sample.bytes.count < Self.largestSample
  }

  private func keep(_ reject: Reject, raw: UnsafeRawBufferPointer) throws(RejectWriterError) {
    if let writer { return try writer.write(reject, raw: raw) }
    var reject = reject
    reject.isCut = reject.isCut || raw.count > Self.longestSampled
    sample.add(reject, raw: UnsafeRawBufferPointer(rebasing: raw.prefix(Self.longestSampled)))
  }

  private func write(_ found: [Entry], record: Int, _ batch: ImportBatch) throws(RejectWriterError) {
    let entries = found.count == 1 ? found : found.filter { !isRepeated($0, found, batch.records) }
    guard let first = entries.first else { return }
    counts[first.code, default: 0] += 1
    guard isKept(first.code) else { return }
    let reasons = entries.map { reason($0, record, batch) }
    var reject = Reject(
      file: redaction(sources[batch.records.source].path), member: member(of: batch),
      record: batch.records.records[record].index + 1, reason: reasons[0],
      also: Array(reasons.dropFirst()))
    if keepsIndent { reject.indent = batch.records.records[record].column - 1 }
    complete(&reject, batch)
    try batch.records.withRawRecord(record) { (raw) throws(RejectWriterError) in
      try keep(reject, raw: raw)
    }
  }

  /// Whether it is what “since” or “where” cannot read, and an attribute that takes the same column cannot either: it is
  /// one fault, and the attribute's reason has a place.
  private func isRepeated(_ entry: Entry, _ entries: [Entry], _ records: RecordBatch) -> Bool {
    if let column = entry.column {
      return entries.contains { other in
        guard let field = other.field, other.element == nil else { return false }
        return other.code.isAboutReading && records.origin(ofColumn: plan.fieldColumns[field]) == column
      }
    }
    guard let since = plan.sinceField, entry.field == since, entry.element == nil else { return false }
    return entries.contains { other in
      guard let field = other.field, field != since, other.element == nil else { return false }
      return other.code == entry.code && plan.fieldColumns[field] == plan.fieldColumns[since]
    }
  }

  /// The member of an archive that a batch is from; the lines of a replay stand in the rejects file.
  private func member(of batch: ImportBatch) -> String? { repeatsHeaders ? nil : batch.records.member }

  /// Remembers the columns of the batch's file, for records that are rejected later.
  func note(_ batch: ImportBatch) {
    let isSame = batch.records.source == place.source && batch.records.member == place.member
    if let found = batch.records.commonNamespaces {
      let place = place(of: batch)
      namespaces[place] = namespaces[place].map { $0 == found ? $0 : "" } ?? found
    }
    if isSame { return }
    place = place(of: batch)
    if !batch.header.isEmpty, headers[place] == nil { headers[place] = batch.header }
  }

  /// Adds what a replay needs: the import, the namespaces, and the columns once for each file.
  private func complete(_ reject: inout Reject, _ batch: ImportBatch) {
    reject.part = part
    // Programs and hooks give reasons of their own.
    reject.reason.message = redaction(reject.reason.message)
    for index in reject.also.indices { reject.also[index].message = redaction(reject.also[index].message) }
    let place = place(of: batch)
    // Records that were put off come without what was around them.
    reject.namespaces = batch.records.namespaces(ofRecord: reject.record - 1) ?? namespaces[place]
    guard let header = headers[place], !written.contains(place) else { return }
    reject.header = header
    if !repeatsHeaders { written.insert(place) }
  }

  private func reason(_ entry: Entry, _ record: Int, _ batch: ImportBatch) -> Reject.Reason {
    let records = batch.records
    let origin = records.records[record]
    let start = SourcePosition(line: origin.line, column: origin.column, byteOffset: origin.byteOffset)
    if let element = entry.element {
      let column = plan.lists[element.list].column
      return Reject.Reason(
        entry.code, message: element.message, entity: element.entity.isEmpty ? nil : element.entity,
        attribute: element.attribute, field: element.path,
        position: records.columnCount == 0 ? start : records.position(record, column, inside: element.offset))
    }
    guard let field = entry.field else {
      return Reject.Reason(entry.code, message: RejectMessage.text(entry.code, detail: entry.detail), position: start)
    }
    let column = plan.fieldColumns[field]
    let names = plan.fieldNames[field]
    if records.columnCount == 0 {
      // A record that was put off comes without its fields: the place is the record's, and the value that of the cell.
      return Reject.Reason(
        entry.code, message: keptMessage(entry, field, record, batch), entity: names.entity,
        attribute: names.attribute, field: names.column, position: start)
    }
    let state = records.state(record, column)
    let message =
      if state == .absent || state == .null {
        RejectMessage.text(
          entry.code, value: nil, field: plan.fields[field], entity: names.entity, detail: entry.detail)
      } else {
        records.withField(record, column) {
          RejectMessage.text(
            entry.code, value: $0, field: plan.fields[field], entity: names.entity, detail: entry.detail)
        }
      }
    let rest = entry.detail.isEmpty ? plan.otherParts(entry.code, field, entry.others, record, batch) : ""
    return Reject.Reason(
      entry.code, message: message + rest, entity: names.entity, attribute: names.attribute, field: names.column,
      position: records.position(record, column))
  }

  /// The sentence about a field of a record of which only the cells were kept.
  private func keptMessage(_ entry: Entry, _ field: Int, _ record: Int, _ batch: ImportBatch) -> String {
    let message =
      entry.detail.isEmpty
      ? batch.withCellText(field, record) {
        RejectMessage.text(entry.code, value: $0, field: plan.fields[field], entity: plan.fieldNames[field].entity)
      } : nil
    guard let message else { return RejectMessage.text(entry.code, detail: entry.detail) }
    return message + plan.otherParts(entry.code, field, entry.others, record, batch)
  }
}

extension ImportError {
  fileprivate init(_ error: RejectWriterError) {
    if error.code == .tooShort {
      self.init(
        code: .cannotResume,
        message: "the unfinished run cannot resume: \(error.description); discard it and start over with --restart")
    } else {
      self.init(code: .cannotWriteRejects, message: error.description)
    }
  }
}
