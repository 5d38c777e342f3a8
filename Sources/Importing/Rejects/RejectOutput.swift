import Diagnostics
import Glibc
import RecordFormats

/// Turns what was rejected of a batch into lines of the rejects file, and counts it.
///
/// A record is one line, whatever number of its fields failed. A batch without rejects costs four comparisons.
final class RejectOutput {
  private var plan: ImportPlan
  private var sources: [ByteSource]
  private let writer: RejectWriter?
  private var counts: [RejectCode: Int] = [:]

  /// Prepares the rejects file, when the definition names one.
  ///
  /// - Throws: `cannotWriteRejects`.
  init(_ definition: ImportDefinition, plan: ImportPlan) throws(ImportError) {
    self.plan = plan
    sources = definition.sources
    guard let path = definition.rejects.path else {
      writer = nil
      return
    }
    do throws(RejectWriterError) {
      writer = try RejectWriter(path: path, run: "\(definition.name)@\(Self.now())")
    } catch {
      throw ImportError(error)
    }
  }

  /// Goes on with the batches of another plan and other inputs.
  func turn(to plan: ImportPlan, sources: [ByteSource]) {
    self.plan = plan
    self.sources = sources
  }

  /// Writes the rejects of a batch, in the order of the file.
  ///
  /// - Parameters:
  ///   - rejects: what was rejected after the batch's conversion.
  ///   - withErrors: whether what the reader refused is written too; not when the batch is read for the second time.
  func write(_ batch: ImportBatch, _ rejects: [RecordReject], withErrors: Bool = true) throws(ImportError) {
    let errors = withErrors ? batch.records.errors : []
    if errors.isEmpty, batch.failures.isEmpty, batch.refusals.isEmpty, rejects.isEmpty { return }
    var entries = batch.failures.map { Entry(record: $0.record, field: Int($0.field), code: $0.code, detail: "") }
    for reject in batch.refusals + rejects {
      entries.append(
        Entry(record: reject.record, field: reject.field.map(Int.init), code: reject.code, detail: reject.detail,
          element: reject.element))
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

  /// Closes the file.
  func close() throws(ImportError) {
    do throws(RejectWriterError) { try writer?.close() } catch { throw ImportError(error) }
  }

  /// Tells the summary what was rejected, and where to read about it.
  func note(_ summary: inout ImportSummary) {
    summary.rejectCounts = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    summary.rejectsPath = writer.flatMap { $0.count > 0 ? $0.path : nil }
  }

  /// One reason for rejecting one record.
  private struct Entry {
    var record: Int32
    var field: Int?
    var code: RejectCode
    var detail: String
    var element: RejectedElement?
  }

  private func write(_ error: RecordError, _ batch: ImportBatch) throws(RejectWriterError) {
    let code = RejectCode(error.code)
    counts[code, default: 0] += 1
    guard let writer else { return }
    let reject = Reject(
      file: sources[batch.records.source].path, member: batch.records.member, record: error.recordIndex + 1,
      reason: Reject.Reason(code, message: error.message, position: error.position))
    try error.raw.withUnsafeBufferPointer { (raw) throws(RejectWriterError) in
      try writer.write(reject, raw: UnsafeRawBufferPointer(raw))
    }
  }

  private func write(_ entries: [Entry], record: Int, _ batch: ImportBatch) throws(RejectWriterError) {
    guard let first = entries.first else { return }
    counts[first.code, default: 0] += 1
    guard let writer else { return }
    let reasons = entries.map { reason($0, record, batch.records) }
    let reject = Reject(
      file: sources[batch.records.source].path, member: batch.records.member,
      record: batch.records.records[record].index + 1, reason: reasons[0],
      also: Array(reasons.dropFirst()))
    try batch.records.withRawRecord(record) { (raw) throws(RejectWriterError) in
      try writer.write(reject, raw: raw)
    }
  }

  private func reason(_ entry: Entry, _ record: Int, _ records: RecordBatch) -> Reject.Reason {
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
      // A record that was put off comes without its fields: the place is the record's.
      return Reject.Reason(
        entry.code, message: RejectMessage.text(entry.code, detail: entry.detail), entity: names.entity,
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
    return Reject.Reason(
      entry.code, message: message, entity: names.entity, attribute: names.attribute, field: names.column,
      position: records.position(record, column))
  }

  /// The present in UTC, such as `2024-01-31T12:00:00Z`.
  private static func now() -> String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}

extension ImportError {
  fileprivate init(_ error: RejectWriterError) {
    self.init(code: .cannotWriteRejects, message: error.description)
  }
}
