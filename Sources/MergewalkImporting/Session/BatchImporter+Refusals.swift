import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// The reason why a row could not be written.
struct Refusal {
  /// The stable reason.
  var code: RejectCode
  /// The field that is to blame, or `nil`.
  var field: Int?
  /// The further fields of a uniqueness constraint of several attributes.
  var others: [Int] = []
  /// The message of the model or the database, or the properties of a constraint of which not all have fields.
  var detail: String

  /// Whether other rows of the batch may have been written before the refusal.
  var comesWhileWriting: Bool { code == .unique || code == .database }

  /// The fields of the first node, the root before the others, that fill columns, which are named as `TABLE.COLUMN`.
  private static func fields(_ columns: [String], _ plan: ImportPlan, _ store: PersistentStore) -> [Int] {
    for node in [plan.nodes[plan.root]] + plan.nodes {
      let table = store.schema.table(forRoot: node.rootEntity)
      let fields = zip(node.keyFields + node.attributeFields, node.keySlots + node.attributeSlots)
      // What a record does not give has no value to show.
      let given = fields.filter { !plan.fieldNames[$0.0].column.isEmpty }
      let names = given.map { table.columnName(slot: $0.1).map { "\(table.name).\($0)" } }
      let found = columns.compactMap { column in names.firstIndex(of: column).map { given[$0].0 } }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Makes the records of a batch be imported one at a time: they contradict each other.
  static let contradiction = Refusal(code: .database, detail: "")

  private init(code: RejectCode, detail: String) {
    self.code = code
    self.detail = detail
  }

  /// Takes a save's error; `nil` when it is not a row's fault.
  init?(_ error: SaveError, _ plan: ImportPlan, _ store: PersistentStore) {
    detail = error.message
    switch error.code {
    case .validation:
      guard let failure = error.failures.first else { return nil }
      code = RejectCode(failure.code)
      detail = failure.description
      field = plan.fieldNames.firstIndex { $0.entity == failure.entity && $0.attribute == failure.property }
    case .constraint:
      // What the context says itself is about unique values; the rest are triggers and checks of other code.
      code = error.databaseFailure.map { $0.kind == .unique } ?? true ? .unique : .database
      guard code == .unique, let columns = error.databaseFailure?.columns, !columns.isEmpty else { return }
      let fields = Self.fields(columns, plan, store)
      field = fields.first
      others = Array(fields.dropFirst())
      let isFilled = fields.count == columns.count
      detail = isFilled ? "" : store.schema.propertyNames(ofColumns: columns).joined(separator: ", ")
    case .conflict, .database, .readOnly, .store, .unstable: return nil
    }
  }
}

extension ImportError {
  /// That what a trigger of the store refuses takes all of the run with it.
  static func rolledBack(_ message: String) -> ImportError {
    ImportError(
      code: .database, message: "a trigger of the store has rolled back the whole run (ROLLBACK): \(message)")
  }
}

/// Records whose rows the database or the model refuses, one at a time.
///
/// A batch is written as a whole. When one of its rows is refused, all of it is rolled back, the database's part and
/// what finding remembers, and its halves are imported one after the other, down to the single record, which is
/// rejected and leaves nothing behind. So a good record never goes with a bad one, and nothing refers to what was
/// refused; k refused records among n cost O(k log n) attempts.
extension BatchImporter {
  /// Imports the records of a view that have not been rejected yet.
  ///
  /// - Parameter rejected: Those that an earlier attempt has rejected too late.
  func importRecords(_ view: BatchView, without rejected: [TurnedAway] = []) throws(ImportError) {
    parkFollowers(view)
    let mark = try mark(view)
    attempted = view.records.count
    if !repeats.isEmpty { repeats.removeAll { view.records.contains($0) } }
    hasLetGo = false
    movedEntities.removeAll()
    hasTaken = false
    hasMovedReferences = false
    forgetElementRejects()
    for record in rejected { turnAway(record, view) }
    if attempted > 1 {
      for meeting in listMeetings {
        let root = meeting.first.state.plan.rootEntity
        attemptKeys[root] = store.nextPrimaryKey(root: root)
      }
    }
    do {
      try resolveAll(view)
      if !turnedAway.isEmpty {
        let all = rejected + turnedAway
        turnedAway = []
        try undo(mark, view)
        // What one of them has made may be all that another one repeats.
        if madeOwnBefore, view.records.count > 1 { return try importHalves(view) }
        return try importRecords(view, without: all)
      }
      guard elementRejects.isEmpty else {
        let isTooSoon = rejectsTooSoon(view)
        try undo(mark, view)
        // What one record's list has let go, or will make, may be what another one is rejected for.
        if hasLetGo || isTooSoon, view.records.count > 1 { return try importHalves(view) }
        rejectLate(view)
        return try importRecords(view)
      }
      try checkNames(view)
      try writeChanges()
      context.reset()
      if keepsSavepoints { try storeErrors { () throws(StoreError) in try store.keepPart() } }
    } catch {
      guard let refusal, keepsSavepoints || !refusal.comesWhileWriting else { throw error }
      guard !refusal.comesWhileWriting || store.isInTransaction else { throw ImportError.rolledBack(error.message) }
      self.refusal = nil
      try undo(mark, view)
      if view.records.count == 1 {
        let record = view.records.lowerBound
        if parks(record, refusal, view) { return try importRecords(view) }
        let field = refusal.field ?? nodes[plan.root].plan.keyFields.first
        reject(record, field: field, refusal.code, view, detail: refusal.detail, others: refusal.others)
        return try noteNamed(view)
      }
      return try importHalves(view)
    }
    try noteNamed(view)
  }

  /// Imports the pieces of a view one after the other: its halves, unless ``cuts`` says more.
  private func importHalves(_ view: BatchView) throws(ImportError) {
    let ends = cuts.isEmpty ? [view.records.lowerBound + view.records.count / 2] : cuts
    cuts = []
    var piece = view
    var start = view.records.lowerBound
    for end in ends + [view.records.upperBound] {
      piece.records = start..<end
      try importRecords(piece)
      start = end
    }
  }

  /// Makes the current attempt be rolled back and its halves be imported, down to single records: what one record's
  /// list takes away another record names, or what one record makes a later one has looked for before.
  func retryAlone() -> ImportError {
    refusal = .contradiction
    return ImportError(code: .database, message: "records of one batch depend on each other")
  }

  /// The state to restore when an attempt fails.
  private struct Mark {
    var outcomes: [RecordLedger.Outcome]
    var targets: [[Int64]]
    var rejects: Int
    var sequences: PersistentStore.Sequences
    var counts: [ImportSummary.EntityCounts]
    var lists: [ListTally]
    var values: [ValueCounts]
    var sampled: Int
  }

  private func mark(_ view: BatchView) throws(ImportError) -> Mark {
    if keepsSavepoints { try storeErrors { () throws(StoreError) in try store.beginPart() } }
    for state in allNodes { state.mark() }
    for links in links.values { links.mark() }
    waitingSince.removeAll(keepingCapacity: true)
    vacancies.mark()
    watch?.mark()
    return Mark(
      outcomes: view.records.map { view.outcomes[$0] },
      targets: view.nodes.map { node in view.records.map { node.targets[$0] } }, rejects: rejects.count,
      sequences: store.sequences, counts: allNodes.map(\.counts), lists: allLists.map(\.tally),
      values: lists.isEmpty ? [] : allValues, sampled: sample?.begin() ?? 0)
  }

  private func undo(_ mark: Mark, _ view: BatchView) throws(ImportError) {
    if keepsSavepoints { try storeErrors { () throws(StoreError) in try store.takeBackPart() } }
    context.reset()
    sample?.removeAll(since: mark.sampled)
    store.sequences = mark.sequences
    rejects.removeLast(rejects.count - mark.rejects)
    for (list, tally) in zip(allLists, mark.lists) { list.tally = tally }
    takeValues(mark.values)
    for key in waitingSince { waitingObjects.remove(key) }
    vacancies.undo()
    watch?.undo()
    for links in links.values { links.undo() }
    if let filter = nodes[plan.root].finder as? KeyFilter, !filter.meetsAllKeys, !pass.isReplay {
      let hashes = view.nodes[plan.root].keyHashes
      for record in view.records where view.outcomes[record] == .inserted { filter.remove(hashes[record]) }
    }
    for (state, counts) in zip(allNodes, mark.counts) {
      state.undo()
      state.counts = counts
    }
    // Of records that were put off only the root node is imported, and of other nodes their targets alone are known.
    let resolved = nodes.filter { isResolved($0) || $0.isLateTarget }
    for (i, record) in view.records.enumerated() {
      view.outcomes[record] = mark.outcomes[i]
      for state in resolved {
        let node = view.nodes[state.node]
        node.targets[record] = mark.targets[state.node][i]
        node.targetEntities?[record] = -1
        // The targets' keys were chained to it.
        node.contents[record] = content(of: record, state, view)
        // A target that was not there may be there in another order.
        if node.keyStates[record] == ImportBatch.KeyState.missing {
          node.keyStates[record] = ImportBatch.KeyState.usable
        }
      }
    }
  }
}
