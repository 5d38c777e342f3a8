import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import Synchronization

/// Carries out the transforms of one import, batch by batch.
///
/// If batches need not follow each other (``TransformPlan/isOrdered``), several threads may run it at once, each with
/// its own machine.
final class TransformRunner: Sendable {
  let plan: TransformPlan
  private let tables: [LookupTable]
  private let now: Double
  private let machines = Mutex<[RegisterMachine]>([])
  /// The transforms that only the reader's thread uses, one batch after the other.
  private let ordered: OrderedTransforms

  /// Prepares the transforms of a part; nil when it has none.
  ///
  /// - Parameters:
  ///   - run: when it began is what `now()` means, also when it resumes.
  ///   - store: where look-ups look.
  ///   - memory: how many bytes the tables of look-ups may take.
  init?(
    _ plan: ImportPlan, _ part: ImportPart, run: RunIdentity, store: PersistentStore, memory: Int
  ) throws(ImportError) {
    guard !plan.transforms.isEmpty || part.hooks.willBegin != nil || part.hooks.didEnd != nil else { return nil }
    self.plan = plan.transforms
    now = Timestamp(secondsSince1970: run.started).secondsSinceReferenceDate
    var tables: [LookupTable] = []
    var room = memory
    if store.file.isNew, plan.transforms.lookups.contains(where: { $0.readsComputed(store) }) {
      try storeErrors { () throws(StoreError) in try store.file.computeValuesNow() }
    }
    for lookup in plan.transforms.lookups {
      let table = try StoreLookupReader.table(lookup, store: store, memory: room)
      room -= table.byteCount
      tables.append(table)
    }
    self.tables = tables
    ordered = OrderedTransforms(plan.transforms, columns: plan.columnNames)
  }

  // MARK: The caller's thread

  func willBegin(_ part: ImportPart) throws(ImportError) {
    guard let hook = plan.hooks.willBegin else { return }
    do { try hook(part) } catch { throw ImportError(code: .hook, message: "a hook ended the run: \(error)") }
  }

  func didEnd(_ part: ImportPart, _ counts: ImportSummary.PartCounts) throws(ImportError) {
    guard let hook = plan.hooks.didEnd else { return }
    do { try hook(part, counts) } catch { throw ImportError(code: .hook, message: "a hook ended the run: \(error)") }
  }

  /// Ends whatever is left of an external process.
  ///
  /// - Parameter isJoined: Whether the reader's thread has ended.
  func end(isJoined: Bool) { ordered.end(isJoined: isJoined) }

  /// The warnings for the summary.
  var warnings: [RunWarning] { ordered.warnings }

  // MARK: The reader's thread

  /// The columns to request from the current source.
  var columnNames: [String] { ordered.columnNames }

  /// Begins with a source.
  ///
  /// - Parameter kinds: See ``ContractTypes/begin(_:_:)``.
  /// - Throws: `contract` when its header is not as agreed.
  func begin(_ source: ByteSource, format: RecordFormat, kinds: String?) throws(ImportError) {
    try ordered.begin(source, format: format, kinds: kinds)
  }

  /// Looks at records that an earlier process has imported: the type of a column is that of its first value.
  func passOver(_ batch: inout ImportBatch) throws(ImportError) {
    guard plan.contract != nil else { return }
    try ordered.checkContract(&batch)
    // What it refuses was refused then.
    batch.transformed.removeAll()
  }

  /// Ends the external process in order.
  ///
  /// - Throws: `process` when it does not end well.
  func finish() throws(ImportError) { try ordered.finish() }

  /// Fills the derived columns of a batch and decides about its records.
  func run(_ batch: inout ImportBatch) throws(ImportError) {
    batch.transformed.removeAll()
    let machine =
      machines.withLock { $0.popLast() } ?? RegisterMachine(plan, tables: tables, now: now)
    defer { machines.withLock { $0.append(machine) } }
    let count = batch.records.recordCount
    batch.records.reserveDerived(plan.derivedCount)
    if plan.contract != nil { try ordered.checkContract(&batch) }
    machine.run(0..<plan.firstPhase, &batch.records)
    if plan.shared.isEmpty {
      machine.run(plan.firstPhase..<plan.instructions.count, &batch.records)
      filter(&batch, machine)
    } else {
      filter(&batch, machine)
      for shared in plan.shared { share(shared, &batch.records, machine) }
      try ordered.change(&batch)
      machine.run(plan.firstPhase..<plan.instructions.count, &batch.records)
    }
    if let hook = plan.hooks.batch { ordered.show(batch, to: hook) }
    for output in plan.outputs {
      machine.store(output, &batch.records)
      for register in output.chain {
        batch.transformed.keep(
          machine.registers[register].replaced, column: batch.records.columnCount + output.derived)
      }
      reject(output, &batch, machine, count)
    }
  }

  /// Leaves out records that do not satisfy the condition.
  private func filter(_ batch: inout ImportBatch, _ machine: RegisterMachine) {
    guard let filter = plan.filter else { return }
    let register = machine.registers[filter]
    let count = batch.records.recordCount
    for record in 0..<count {
      if register.tags[record] == Register.failed {
        batch.transformed.refusals.append(
          machine.refusal(register.payloads[record], record, field: nil, step: "where", batch.records))
      } else if register.payloads[record] == 0 {
        batch.transformed.skip(record, of: count)
      }
    }
  }

  /// Gives a derived column the values that other code may change.
  private func share(
    _ shared: TransformPlan.SharedColumn, _ records: inout RecordBatch, _ machine: RegisterMachine
  ) {
    if shared.register >= 0 {
      machine.store(TransformPlan.Output(register: shared.register, derived: shared.derived), &records)
    } else if shared.column >= 0 {
      records.copyColumn(shared.column, toDerived: shared.derived)
    } else {
      records.fillDerived(shared.derived, origin: -1) { _, _ in }
    }
  }

  /// Rejects the records for which a value could not be made that is needed.
  private func reject(
    _ output: TransformPlan.Output, _ batch: inout ImportBatch, _ machine: RegisterMachine, _ count: Int
  ) {
    let register = machine.registers[output.register]
    for record in 0..<count where register.tags[record] == Register.failed {
      guard !batch.transformed.isSkipped(record) else { continue }
      batch.transformed.failedCells.insert(
        TransformedRecords.cell(record, batch.records.columnCount + output.derived))
      batch.transformed.refusals.append(
        machine.refusal(register.payloads[record], record, field: output.fields.first, step: nil, batch.records))
    }
  }
}
