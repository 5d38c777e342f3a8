import Diagnostics
import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats
import SQLite

/// Moves prepared batches into the context and saves them: find-or-create for every node, targets first.
///
/// For each node and batch, in this order: find which records name known objects (by the node's ``FindStrategy``),
/// insert the others in one go, fetch the rows that may have changed in one statement, set their cells. Then one save
/// writes all nodes, targets first, and the context is reset.
final class BatchImporter {
  let plan: ImportPlan
  let context: ManagedObjectContext
  let store: SQLiteStore
  let nodes: [NodeState]
  let seed: UInt64
  var ledger = RecordLedger()
  /// Fetches executed to find existing objects.
  var fetches = 0
  var batches = 0
  /// Good records of the batches before the current one.
  var recordsBefore = 0
  /// Seconds spent in saves.
  var writeSeconds = 0.0
  /// Records put off until an index can tell whether their keys are known.
  var deferred: DeferredRecords?
  /// Whether what is being imported was deferred before.
  var isReplaying = false
  /// Rejects of the current batch.
  var rejects: [RecordReject] = []

  // The current batch, valid within `process`.
  var outcomes = ContiguousArray<RecordLedger.Outcome>()
  var keyBytes = KeyBytes()
  var keyOrder = KeyOrder()

  init(plan: ImportPlan, context: ManagedObjectContext, store: SQLiteStore, nodes: [NodeState], seed: UInt64) {
    self.plan = plan
    self.context = context
    self.store = store
    self.nodes = nodes
    self.seed = seed
  }

  deinit { keyBytes.deallocate() }

  /// Imports a batch within the transaction that is open.
  ///
  /// - Parameter onlyRoot: The records were put off earlier; their relationships' targets are known already.
  /// - Throws: ``ImportError`` when the database fails; rows that it merely refuses become rejects.
  func process(_ batch: inout ImportBatch, onlyRoot: Bool = false) throws(ImportError) {
    let count = batch.records.recordCount
    outcomes.fill(.pending, count: count)
    for i in 0..<count where batch.hasFailed[i] { outcomes[i] = .rejected }
    rejects.removeAll(keepingCapacity: true)
    // Taken out of the object, so that lending it holds no access to a property.
    var outcomes = self.outcomes
    self.outcomes = []
    defer { self.outcomes = outcomes }
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      try resolveAll(view, onlyRoot: onlyRoot)
      let before = ImportSession.now()
      try writeChanges(view)
      writeSeconds += ImportSession.now() - before
    }
    if let deferred {
      for record in 0..<count where outcomes[record] == .deferred { try deferred.append(record, of: batch) }
    }
    if !isReplaying { recordsBefore += count }
    if isReplaying { ledger.settleDeferred(outcomes) } else { ledger.settle(outcomes) }
    context.reset()
  }

  /// Saves what the context holds; what is not valid or breaks a constraint becomes rejects.
  func writeChanges(_ view: BatchView) throws(ImportError) {
    while true {
      do {
        try context.writeChanges(order: saveOrder) { [self] refused in
          refuse(refused.buffer, refused.row, .unique, refused.error.message, view)
        }
        return
      } catch {
        guard error.code == .validation else { throw ImportError(error) }
        // Nothing was written yet. The rows that are not valid go, the others are tried again.
        for failure in error.failures {
          let buffer = context.buffer(root: failure.rootEntity)
          refuse(buffer, failure.row, RejectCode(failure.code), failure.description, view)
          buffer.withdraw(row: Int(failure.row))
        }
      }
    }
  }

  /// Root entities in the order of their nodes.
  private var saveOrder: [Int] {
    var order: [Int] = []
    for state in nodes where !order.contains(state.part.rootEntity) { order.append(state.part.rootEntity) }
    return order
  }

  /// How much the reader hands over at a time.
  ///
  /// A batch that is found by seeks is one fetch, and handed over whole. Where nothing is fetched for the batch as a
  /// whole, smaller pieces stay in the processor's cache on their way from one core to the other.
  func chunkLimit(_ batch: BatchLimit) -> BatchLimit {
    for state in nodes {
      if case .seek = state.strategy, state.verdicts == nil { return batch }
    }
    let pieces = (batch.records + 4095) / 4096
    return BatchLimit(records: (batch.records + pieces - 1) / pieces, bytes: min(batch.bytes, 1 << 20))
  }

  /// Lets go of everything that finding needed, before indexes are built.
  func forget() {
    for state in nodes { state.strategy = .none }
    context.reset()
  }

  // MARK: Rejecting

  /// Rejects a record; the first reason counts.
  func reject(_ record: Int, field: Int?, _ code: RejectCode, _ view: BatchView, detail: String = "") {
    guard view.outcomes[record] != .rejected else { return }
    view.outcomes[record] = .rejected
    rejects.append(RecordReject(record: Int32(record), field: field.map(Int32.init), code: code, detail: detail))
  }

  /// Rejects the records that stand behind a row the database or the model refused, and all that refer to it.
  private func refuse(
    _ buffer: RowBuffer, _ row: Int32, _ code: RejectCode, _ detail: String, _ view: BatchView
  ) {
    let key = buffer.primaryKeys[Int(row)]
    for state in nodes where state.part.rootEntity == buffer.rootEntity {
      if case .table(let table) = state.strategy { table.remove(primaryKey: key) }
      for record in 0..<view.count where view.nodes[state.node].targets[record] == key {
        guard view.outcomes[record] != .rejected else { continue }
        if state.node == plan.root {
          if view.outcomes[record] == .inserted { state.counts.inserted -= 1 }
          if view.outcomes[record] == .updated { state.counts.updated -= 1 }
        }
        reject(record, field: state.part.keyFields.first, code, view, detail: detail)
        if state.node != plan.root { withdrawRoot(of: record, view) }
      }
      if state.node != plan.root { state.counts.inserted -= 1 }
    }
  }

  /// Takes the record's own row back before it is written, because something it refers to was refused.
  private func withdrawRoot(of record: Int, _ view: BatchView) {
    let root = nodes[plan.root]
    let key = view.nodes[plan.root].targets[record]
    let buffer = context.buffer(root: root.part.rootEntity)
    guard key != 0, let row = buffer.row(primaryKey: key), buffer.states[row] == RowState.inserted else { return }
    buffer.free(row: row)
    root.counts.inserted -= 1
  }
}

/// A record that was rejected after its conversion.
struct RecordReject: Sendable {
  /// The record's position in its batch.
  var record: Int32
  /// The field that is to blame, or `nil`.
  var field: Int32?
  /// Why.
  var code: RejectCode
  /// What the database said, or nothing.
  var detail = ""
}
