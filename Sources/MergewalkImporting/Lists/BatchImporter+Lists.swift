import MergewalkObjectStore
import MergewalkRecordFormats

extension BatchImporter {
  /// The importer of the run's own records.
  var top: BatchImporter { owner?.top ?? self }
  var allNodes: [NodeImporter] { lists.isEmpty ? nodes : nodes + lists.flatMap { $0.importer.allNodes } }
  /// The nodes whose objects are found or created.
  var countedNodes: [NodeImporter] { allNodes.filter { $0.role != .given } }
  /// Fetches executed to find existing objects, those of lists included.
  var allFetches: Int { fetches + lists.reduce(0) { $0 + $1.importer.allFetches } }

  /// Prepares the lists of the plan.
  ///
  /// - Parameter choice: How the plan's own nodes were prepared.
  func addLists(_ choice: StrategyChoice) throws(StoreError) {
    let uses = choice.hierarchyUses ?? plan.hierarchyUses(store.model)
    for list in plan.lists {
      var inner = StrategyChoice(
        plan: list.plan, store: store, model: choice.model, seed: seed, inputBytes: choice.inputBytes,
        keyMemory: choice.keyMemory, override: .automatic, hasFixedInputs: choice.hasFixedInputs)
      inner.isList = true
      inner.hierarchyUses = uses
      let states = try inner.nodes()
      let target = states[list.plan.root]
      target.rejectsMissing = list.missing == .reject
      if list.isScoped { target.start(MemberFinder()) }
      let importer = BatchImporter(plan: list.plan, context: context, store: store, nodes: states, seed: seed)
      importer.owner = self
      try importer.addLists(inner)
      let roots = Set(list.plan.nodes.filter { !$0.isGiven }.map(\.rootEntity))
      lists.append(
        ListImporter(
          list, number: lists.count, importer: importer,
          sharedRoots: roots.filter { uses[$0, default: 0] > 1 }.sorted(),
          isFilledElsewhere: top.plan.fills(list.description) > 1))
    }
  }

  /// Takes over the elements of a batch.
  func startLists(_ batch: inout ImportBatch) {
    guard !lists.isEmpty else { return }
    swap(&listBatches, &batch.lists)
    if watch?.watchesLists ?? false {
      watchedBatch = batch
      watchedBatch?.lists = []
    }
    forgetAttempts()
    elementRejects.removeAll(keepingCapacity: true)
  }

  private func forgetAttempts() {
    for list in lists {
      list.isRepeated = false
      list.importer.forgetAttempts()
    }
  }

  /// Gives the elements back.
  func endLists(_ batch: inout ImportBatch) {
    guard !lists.isEmpty else { return }
    swap(&listBatches, &batch.lists)
    watchedBatch = nil
  }

  /// Fills the to-many relationships of the objects that the records of a view stand for.
  func resolveLists(_ view: BatchView) throws(ImportError) {
    var batches: [ListBatch] = []
    swap(&batches, &listBatches)
    defer { swap(&batches, &listBatches) }
    for (index, list) in lists.enumerated() {
      let rejects = try list.run(&batches[index], view, owners: self)
      for reject in rejects { elementRejects.append(ownReject(reject, list.list, index, batches[index])) }
      // The attempt is made anew without their records, of which other lists may have seen something.
      guard elementRejects.isEmpty else { return }
      takeOrphans(ofList: index, batches[index])
    }
    guard owner == nil else { return }
    try checkListOrder(view, batches)
    do { try removeOrphans(view, batches) } catch { throw ImportError(wrapping: error) }
  }

  /// Whether a record fills its lists now: where the second pass may reject it, it does so when it is known to stay.
  func fillsLists(_ record: Int, _ view: BatchView) -> Bool {
    guard view.outcomes[record].takesLists else { return false }
    return !(listsWait && pass.postpones && view.outcomes[record] == .inserted && waits(record, view))
  }

  /// The reject of the record that a rejected element belongs to.
  func ownReject(
    _ reject: RecordReject, _ list: ImportList, _ index: Int, _ batch: ListBatch
  ) -> RecordReject {
    let element = Int(reject.record)
    let record = batch.owner(element)
    let number = batch.elements.number(element)
    let offset = batch.elements.range(element).lowerBound
    if let inner = reject.element {
      return ListRejects.reject(
        record, reject.code, list, index, element: number, names: nil, inner: inner.path, message: inner.message,
        offset: offset)
    }
    let field = reject.field.map(Int.init)
    return ListRejects.reject(
      record, reject.code, list, index, element: number, names: field.map { list.plan.fieldNames[$0] }, inner: "",
      message: field.map { ListRejects.message(reject.code, element, $0, list.plan, batch.batch.records) }
        ?? reject.detail, offset: offset)
  }

  /// Adds rejects that lists within this importer's lists have found.
  func takeListRejects(_ found: [RecordReject]) {
    rejects += found
    elementRejects.removeAll(keepingCapacity: true)
  }

  /// Forgets what an attempt that was rolled back has found out about elements.
  func forgetElementRejects() {
    elementRejects.removeAll(keepingCapacity: true)
    orphans.removeAll(keepingCapacity: true)
    for list in lists { list.importer.forgetElementRejects() }
  }

  /// Rejects the records that turned out to be no good after parts of them had been written, which was rolled back.
  func rejectLate(_ view: BatchView) {
    for late in elementRejects where view.outcomes[Int(late.record)] != .rejected {
      view.outcomes[Int(late.record)] = .rejected
      rejects.append(late)
    }
    elementRejects.removeAll(keepingCapacity: true)
  }
}
