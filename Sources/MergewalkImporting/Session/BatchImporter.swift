import MergewalkObjectModel
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats

/// Moves prepared batches into the context and saves them: find-or-create for every node, targets first.
///
/// For each node and batch, in this order: find the records that name known objects (by the node's ``Finder``), insert
/// the others at once, fetch the rows that may have changed in one statement, set their cells. Then one save writes all
/// nodes, targets first, and the context is reset.
final class BatchImporter {
  let plan: ImportPlan
  let context: ManagedObjectContext
  let store: PersistentStore
  let nodes: [NodeImporter]
  let seed: UInt64
  var ledger = RecordLedger()
  /// The outcomes of the values of the plan's fields.
  var values = ValueCounts()
  /// Fetches executed to find existing objects.
  var fetches = 0
  var batches = 0
  /// Good records of the batches before the current one.
  var recordsBefore = 0
  /// Seconds spent in saves.
  var writeSeconds = 0.0
  /// Records put off until an index can tell whether their keys are known.
  var deferred: DeferredRecords?
  /// The records that an earlier process has put off, those of them that wait for a unique value, and those whose
  /// references and lists it has put off.
  var keptBefore = (deferred: DeferredPlaces(), parked: DeferredPlaces(), references: DeferredPlaces())
  /// Which of them are in the batch that is skipped.
  var keptNow = (deferred: Set<Int>(), parked: Set<Int>(), references: Set<Int>())
  /// Records of which a run that resumes later cannot tell what became of them; see ``skipImported(_:)``.
  var late = LateRecords()
  var pass = Pass.single
  /// The references of objects that the first of two passes created.
  var references: DeferredRecords?
  /// Whether a relationship that is set in the second pass may be refused although its target is there or made.
  var linksMayFail = false
  /// Whether objects that wait for the second pass fill their lists there, because it may reject their records.
  var listsWait = false
  /// The objects of these records; others of their hierarchy were made by lists and references.
  let referenceOwners = ObjectMarks()
  /// The hierarchies that have lost objects in a second pass, and those of which lists may delete some: what was found
  /// before a record had to wait does not hold.
  var shrunkRoots: Set<RootIndex> = []
  /// The objects about which a record or a reference waits for the second pass.
  let waitingObjects = ObjectMarks()
  /// Those of the current attempt.
  var waitingSince: [Int64] = []
  /// The vacancies that waiting records fill when the second pass rejects others.
  var vacancies = Vacancies()
  /// The order of what records say of targets that wait for a second pass; `nil` when they say nothing.
  var spoken: SpokenOrder?
  /// The first primary key of each hierarchy that this run can have given out, by root entity.
  var firstKeys: [RootIndex: Int64] = [:]
  /// Rejects of the current batch.
  var rejects: [RecordReject] = []
  /// Records that the current attempt has rejected too late.
  var turnedAway: [TurnedAway] = []
  /// How many records the current attempt imports together.
  var attempted = 0
  /// Whether lists have deleted objects in the current attempt.
  var hasLetGo = false
  /// The entities of lists that have taken objects from elsewhere in the current attempt.
  var movedEntities: Set<Int> = []
  /// Whether lists have taken from their owners in the current attempt what elements of other records may name.
  var hasTaken = false
  /// Whether references to objects that lists may delete have changed in the current attempt.
  var hasMovedReferences = false
  /// The hierarchies of which lists may delete objects.
  private(set) lazy var rootsThatMayGo = plan.rootsThatMayGo(store.model)
  /// Why the last save did not happen, when it was because of a row.
  var refusal: Refusal?
  /// Whether what was written of a batch can be rolled back: some row may be refused after others were written.
  lazy var keepsSavepoints =
    !lists.isEmpty || nodes.contains { hasGuards($0) } || Set(nodes.map(\.plan.rootEntity)).count < nodes.count
  /// Whether an object that does not exist when a record is skipped may be made later in the run.
  private(set) lazy var makesSkippedObjects = findsMakersOfSkipped()
  /// Nodes that look for what others make.
  private(set) lazy var meetings = findMeetings()
  /// Nodes that say something about the same objects.
  private(set) lazy var clashes = findClashes()
  /// Nodes of lists that meet others, or those of the records.
  private(set) lazy var listMeetings = findListMeetings()
  /// The first primary key of each hierarchy of these that the current attempt gives out.
  var attemptKeys: [RootIndex: Int64] = [:]
  /// The records before which the current attempt has to be cut, instead of in its middle.
  var cuts: [Int] = []
  /// The importers of the to-many relationships of the records' own entity.
  var lists: [ListImporter] = []
  /// The elements of the current batch's lists.
  var listBatches: [ListBatch] = []
  /// The current batch without them, where ``watch`` looks for what elements of rejected records name; else `nil`.
  var watchedBatch: ImportBatch?
  /// Members that lists leave out and that are to be deleted, when all lists of the attempt are filled.
  var orphans: [Orphan] = []
  /// Records that turn out to be rejected when a part of them is written already.
  var elementRejects: [RecordReject] = []
  /// The importer of the records that this one's are elements of, or `nil`.
  weak var owner: BatchImporter?

  /// How far the records have come in the column that only grows, when the import is incremental.
  var since: SinceProgress?
  /// Records of the current batch that were turned away because an earlier one of the run has their key, as far as that
  /// matters for ``since``.
  var repeats: [Int] = []
  /// The objects of each hierarchy that records name as targets and elements, by root entity, as far as they are counted.
  var namedTargets: [RootIndex: NamedObjects] = [:]
  /// The objects of each hierarchy that records have changed, by root entity.
  var updates: [RootIndex: RepeatedUpdates] = [:]
  /// The objects of each hierarchy to which lists have added members, once for each.
  var links: [RootIndex: RepeatedUpdates] = [:]
  /// Takes the first changes, when they are to be shown.
  var sample: ChangeSample?
  /// Notes the objects that records name, when those that none names are to go.
  var watch: SyncWatch?

  // The current batch, valid within `process`.
  var outcomes = ContiguousArray<RecordLedger.Outcome>()
  /// Those before anything was looked for: records that are left out, and so name nothing, are skipped there already.
  var firstOutcomes = ContiguousArray<RecordLedger.Outcome>()
  var keyBytes = KeyBytes()
  var keyOrder = KeyOrder()

  init(plan: ImportPlan, context: ManagedObjectContext, store: PersistentStore, nodes: [NodeImporter], seed: UInt64) {
    self.plan = plan
    self.context = context
    self.store = store
    self.nodes = nodes
    self.seed = seed
    spoken = SpokenOrder(plan)
  }

  deinit { keyBytes.deallocate() }

  /// Imports a batch within the transaction that is open.
  ///
  /// - Throws: ``ImportError`` when the database fails; rows that it merely refuses become rejects.
  func process(_ batch: inout ImportBatch) throws(ImportError) {
    let count = batch.records.recordCount
    outcomes.fill(.pending, count: count)
    for i in 0..<count where batch.hasFailed[i] {
      outcomes[i] = batch.transformed.isSkipped(i) ? .skipped : .rejected
    }
    if !batch.isBeforeCursor.isEmpty { for i in 0..<count where batch.isBeforeCursor[i] { outcomes[i] = .skipped } }
    rejects.removeAll(keepingCapacity: true)
    repeats.removeAll(keepingCapacity: true)
    // Taken out of the object, so that lending it holds no access to a property.
    var outcomes = self.outcomes
    self.outcomes = []
    defer { self.outcomes = outcomes }
    firstOutcomes = outcomes
    startLists(&batch)
    defer { endLists(&batch) }
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      try importRecords(view)
      countDuplicates(view)
      countReferences(view)
    }
    countMissing(&batch)
    settleValues(batch, outcomes)
    let unsaid = spoken?.note(batch, outcomes, in: pass) ?? []
    if pass.isReplay { uncountReferences(batch, outcomes) }
    if let deferred {
      for record in 0..<count where outcomes[record] == .deferred { try deferred.append(record, of: batch) }
    }
    // What waits for the second pass has not come to its end either.
    var noted = outcomes
    if pass.postpones { try keepReferences(batch, &noted) }
    if !lists.isEmpty { settleElements(listBatches, listsWait ? noted : outcomes) }
    since?.note(batch, noted)
    since?.noteRepeats(batch, repeats)
    noteLate(batch, outcomes)
    if pass.isReplay {
      ledger.settleDeferred(outcomes)
    } else {
      late.unsaid += unsaid.map { recordsBefore + $0 }
      recordsBefore += count
      ledger.settle(outcomes)
    }
    context.reset()
  }

  /// Saves what the context holds.
  ///
  /// - Throws: ``ImportError``; when it is because a row is refused, ``refusal`` says why.
  func writeChanges() throws(ImportError) {
    let before = ImportSession.now()
    let top = top
    defer { top.writeSeconds += ImportSession.now() - before }
    top.sample?.collect(context)
    do {
      try context.writeChanges(order: top.saveOrder)
    } catch {
      top.refusal = Refusal(error, top.plan, store)
      throw ImportError(error)
    }
  }

  /// Root entities in the order of their nodes.
  var saveOrder: [RootIndex] {
    var order: [RootIndex] = []
    for state in allNodes where !order.contains(state.plan.rootEntity) { order.append(state.plan.rootEntity) }
    return order
  }

  /// How much the reader hands over at a time.
  ///
  /// A batch that is found by seeks is one fetch, and handed over whole. Where nothing is fetched for the batch as a
  /// whole, smaller pieces stay in the processor's cache on their way from one core to the other.
  func chunkLimit(_ batch: BatchLimit) -> BatchLimit {
    if allNodes.contains(where: { !$0.isPostponed && $0.finder.fetchesBatches }) { return batch }
    let pieces = (batch.records + 4095) / 4096
    return BatchLimit(records: (batch.records + pieces - 1) / pieces, bytes: min(batch.bytes, 1 << 20))
  }

  /// Releases everything that finding needed, before indexes are built.
  func forget() {
    for state in allNodes {
      state.finder = NoFinder()
      state.seenKeys = nil
    }
    context.reset()
  }

  // MARK: Rejecting

  /// Rejects a record; the first reason counts.
  ///
  /// - Parameter others: The further fields of a uniqueness constraint.
  func reject(
    _ record: Int, field: Int?, _ code: RejectCode, _ view: BatchView, detail: String = "", others: [Int] = []
  ) {
    guard view.outcomes[record] != .rejected else { return }
    view.outcomes[record] = .rejected
    rejects.append(
      RecordReject(
        record: Int32(record), field: field.map(Int32.init), code: code, detail: detail, others: others))
  }
}

/// A record that was rejected after its conversion.
struct RecordReject: Sendable {
  /// The record's position in its batch.
  var record: Int32
  /// The field that is to blame, or `nil`.
  var field: Int32?
  var code: RejectCode
  /// The database's message, if any.
  var detail = ""
  /// The further fields of a uniqueness constraint of several attributes.
  var others: [Int] = []
  /// The element of a list that is to blame, or `nil`.
  var element: RejectedElement?
  /// The source's column of the value that a condition could not read, or `nil`.
  var column: Int32?
}
