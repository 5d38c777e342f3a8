import MergewalkDiagnostics
import MergewalkRecordFormats
import Synchronization

/// The transforms that see batches one after the other: the contract, the external process, the hooks.
///
/// `@unchecked Sendable`: the reader's thread uses it from the first source to ``finish()``, and the caller's thread
/// before that thread begins and after it was joined. The parts that are needed while the abandoned reader's thread may
/// still be at work are under a lock: the process, which may be ended, and the warnings.
final class OrderedTransforms: @unchecked Sendable {
  private let plan: TransformPlan
  private let columns: [String]
  private var contract: ContractCheck?
  private let notes = SourceNotes()
  private let session = Mutex<ProcessSession?>(nil)
  private var source = ""
  /// The columns to request from the current source.
  private(set) var columnNames: [String]

  init(_ plan: TransformPlan, columns: [String]) {
    self.plan = plan
    self.columns = columns
    columnNames = columns
    contract = plan.contract.map { [notes] in
      ContractCheck($0, columns: columns, lists: plan.listColumns, notes: notes)
    }
  }

  /// The warnings for the summary, from any thread.
  var warnings: [RunWarning] { notes.all }

  /// Begins with a source.
  ///
  /// - Parameter kinds: See ``ContractTypes/begin(_:_:)``.
  func begin(_ source: ByteSource, format: RecordFormat, kinds: String? = nil) throws(ImportError) {
    self.source = source.path
    try contract?.begin(source, format: format, kinds: kinds)
    columnNames = contract?.requestedColumns ?? columns
  }

  func checkContract(_ batch: inout ImportBatch) throws(ImportError) { try contract?.check(&batch) }

  /// Ends the external process.
  func finish() throws(ImportError) {
    try session.withLock { $0 }?.finish()
    session.withLock { $0 = nil }
  }

  /// Ends what is left of the external process.
  ///
  /// - Parameter isJoined: Whether the reader's thread has ended; it may be waiting for the process otherwise, and finds
  ///   it gone.
  func end(isJoined: Bool) {
    guard let session = session.withLock({ $0 }) else { return }
    if isJoined {
      session.end()
      self.session.withLock { $0 = nil }
    } else {
      session.interrupt()
    }
  }

  // MARK: Hooks

  func show(_ batch: ImportBatch, to hook: @Sendable (ImportHooks.BatchInfo) -> Void) {
    guard batch.records.recordCount > 0 else { return }
    hook(
      ImportHooks.BatchInfo(
        source: source, records: batch.records.recordCount, firstRecord: batch.records.records[0].index + 1))
  }

  /// Lets the process and the hook change the shared columns of a batch's records.
  func change(_ batch: inout ImportBatch) throws(ImportError) {
    var open: [Int] = []
    var refused = Set(batch.transformed.refusals.map(\.record))
    for record in 0..<batch.records.recordCount
    where !batch.transformed.isSkipped(record) && !refused.contains(Int32(record)) {
      open.append(record)
    }
    if plan.process != nil, !open.isEmpty {
      let before = batch.transformed.refusals.count
      try ask(&batch, open)
      for refusal in batch.transformed.refusals[before...] { refused.insert(refusal.record) }
    }
    guard let hook = plan.hooks.record else { return }
    let names = plan.shared.map(\.name)
    let first = batch.records.columnCount
    for record in open where !batch.transformed.isSkipped(record) && !refused.contains(Int32(record)) {
      var view = RecordView(
        number: batch.records.records[record].index + 1, line: batch.records.records[record].line, names: names,
        values: plan.shared.map { batch.records.text(record, first + $0.derived) })
      hook(&view)
      switch view.decision {
      case .skip: batch.transformed.skip(record, of: batch.records.recordCount)
      case .reject(let why):
        batch.transformed.refusals.append(
          RecordReject(record: Int32(record), field: nil, code: .hookRejected, detail: why))
      case .take:
        for (index, shared) in plan.shared.enumerated() where view.changed[index] {
          batch.records.updateDerived(shared.derived) { column, records in
            guard let text = view.values[index] else { return column.set(record, .null, start: 0, length: 0) }
            let range = Array(text.utf8).withUnsafeBytes { records.appendBytes($0) }
            column.set(record, .text, start: range.lowerBound, length: range.count)
          }
        }
      }
    }
  }

  // MARK: The process

  /// The member of an answer that rejects its record.
  static let rejectMember = "$reject"

  private func ask(_ batch: inout ImportBatch, _ open: [Int]) throws(ImportError) {
    guard let process = plan.process else { return }
    let session: ProcessSession
    if let known = self.session.withLock({ $0 }) {
      session = known
    } else {
      let started = try ProcessSession(process, path: plan.path)
      self.session.withLock { $0 = started }
      session = started
    }
    var lines: [UInt8] = []
    var ends: [Int] = []
    let given = plan.shared.prefix(plan.processColumns)
    for record in open {
      ProcessLine.append(record, given, batch.records, to: &lines)
      ends.append(lines.count)
    }
    var answers = try session.exchange(lines, ends: ends)
    let skips = try ProcessLine.blankNulls(&answers.bytes, answers.ends, session)
    for (index, record) in open.enumerated() where skips[index] {
      batch.transformed.skip(record, of: batch.records.recordCount)
    }
    try take(answers.bytes, open, &batch, session)
  }

  /// Puts what answers say into the shared columns.
  private func take(
    _ answers: [UInt8], _ open: [Int], _ batch: inout ImportBatch, _ session: ProcessSession
  ) throws(ImportError) {
    let names = plan.shared.prefix(plan.processColumns + (plan.process?.gives.count ?? 0)).map(\.name)
    var answer = RecordBatch()
    var next = 0
    do {
      var options = NDJSONOptions()
      options.maxRecordBytes = max(options.maxRecordBytes, (plan.process?.lineLimit ?? 0) + 1)
      var reader = try NDJSONReader(
        source: ByteSource(bytes: answers), options: options,
        columns: .named((names + [Self.rejectMember]).map(ProcessLine.path)))
      while try reader.read(into: &answer, limit: BatchLimit(records: 4096, bytes: 4 << 20)) {
        if let error = answer.errors.first {
          throw session.failure(
            "wrote something else than JSON objects: \(error.message) (answer \(error.recordIndex + 1) of a batch)")
        }
        if let surplus = answer.firstSurplusRecord {
          throw unknownMember(of: surplus, answer, names, session)
        }
        for record in 0..<answer.recordCount {
          let target = open[next]
          next += 1
          if answer.state(record, names.count) != .absent {
            batch.transformed.refusals.append(
              RecordReject(
                record: Int32(target), field: nil, code: .processRejected,
                detail: answer.text(record, names.count) ?? "the process gave no reason"))
          }
        }
        copy(answer, Array(open[next - answer.recordCount..<next]), names.count, &batch.records)
      }
    } catch let error as ReadError {
      throw session.failure("wrote something that cannot be read: \(error.message)")
    } catch let error as ImportError {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
    guard next == open.count else {
      throw session.failure(
        "gave \(PrintableText.count(next, "answer")) for \(PrintableText.count(open.count, "record"))")
    }
  }

  private func copy(_ answer: RecordBatch, _ targets: [Int], _ count: Int, _ records: inout RecordBatch) {
    let moved = answer.bytes.withUnsafeBytes {
      records.appendBytes(UnsafeRawBufferPointer(rebasing: $0[..<answer.byteCount]))
    }
    for column in 0..<count {
      records.updateDerived(plan.shared[column].derived) { made, _ in
        for (record, target) in targets.enumerated() {
          let state = answer.state(record, column)
          if state == .absent { continue }
          let range = answer.range(record, column)
          made.set(target, state, start: moved.lowerBound + range.lowerBound, length: range.count)
        }
      }
    }
  }

  private func unknownMember(
    of record: Int, _ answer: RecordBatch, _ names: [String], _ session: ProcessSession
  ) -> ImportError {
    var unknown = ""
    answer.eachMember(record) { name in
      let text = String(decoding: name, as: UTF8.self)
      if !names.contains(text), text != Self.rejectMember { unknown = text }
    }
    let near = NearestName.find(unknown, in: names).map { "; did it mean “\($0)”?" } ?? ""
    return session.failure(
      "gave a column “\(unknown)” that is neither among its “columns” nor declared under “gives”"
        + (near.isEmpty ? "; declare it: “gives: [\(unknown)]”" : near))
  }
}

/// The lines that go to a process and come from it.
enum ProcessLine {
  /// Appends a record as one JSON object and a line feed.
  static func append(
    _ record: Int, _ columns: some Collection<TransformPlan.SharedColumn>, _ records: RecordBatch,
    to lines: inout [UInt8]
  ) {
    var line = JSONBytes()
    line.open(UInt8(ascii: "{"))
    for column in columns {
      let index = records.columnCount + column.derived
      let state = records.state(record, index)
      if state == .absent { continue }
      line.key(column.name)
      records.withField(record, index) { bytes in
        switch state {
        case .null: line.raw("null".utf8)
        case .true: line.raw("true".utf8)
        case .false: line.raw("false".utf8)
        // A line feed inside JSON is white space; on a line of its own it would end the record.
        case .json: line.raw(bytes.map { $0 == 10 || $0 == 13 ? 32 : $0 })
        case .number where isJSONNumber(bytes): line.raw(bytes)
        default: line.string(bytes)
        }
      }
    }
    line.close(UInt8(ascii: "}"))
    line.endLine()
    lines.append(contentsOf: line.bytes)
  }

  /// Whether bytes spell a number as JSON has it; YAML and property lists have other spellings too.
  static func isJSONNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    func digits() -> Bool {
      let start = index
      while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
      return index > start
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: "0") {
      index += 1
    } else if !digits() {
      return false
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      if !digits() { return false }
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
      if !digits() { return false }
    }
    return index == bytes.count
  }

  /// Makes `{}` of the answers that are null, and tells which they are.
  ///
  /// - Throws: `process` for a line without an answer.
  static func blankNulls(
    _ bytes: inout [UInt8], _ ends: [Int], _ session: ProcessSession
  ) throws(ImportError) -> [Bool] {
    var nulls = [Bool](repeating: false, count: ends.count)
    var start = 0
    for (index, end) in ends.enumerated() {
      let line = bytes[start..<end]
      let first = line.firstIndex { $0 > 32 }
      guard let first else { throw session.failure("wrote an empty line as answer \(index + 1) of a batch") }
      let last = line.lastIndex { $0 > 32 } ?? first
      if bytes[first...last].elementsEqual("null".utf8) {
        nulls[index] = true
        bytes.replaceSubrange(first...last, with: Array("{}  ".utf8))
      }
      start = end
    }
    return nulls
  }

  /// The path of a member whose name may hold dots.
  static func path(_ name: String) -> String {
    var path = ""
    for character in name {
      if character == "." || character == "\\" { path += "\\" }
      path.append(character)
    }
    return path
  }
}
