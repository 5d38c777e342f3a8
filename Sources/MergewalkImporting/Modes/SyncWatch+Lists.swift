import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// An element of a list names an object like any other target of a relationship.
extension SyncWatch {
  /// Whether lists, or those of their elements, name objects that marks are about.
  static func lists(_ lists: [ImportList], name marks: [RootIndex: ObjectMarks]) -> Bool {
    lists.contains { list in
      list.plan.nodes.contains { !$0.isGiven && marks[$0.rootEntity] != nil }
        || Self.lists(list.plan.lists, name: marks)
    }
  }

  /// Marks the objects that elements have been found or made for.
  func noteElements(_ view: BatchView, _ list: ImportList) {
    guard watchesLists else { return }
    for (node, plan) in list.plan.nodes.enumerated() where !plan.isGiven {
      guard let marks = marksByRoot[plan.rootEntity] else { continue }
      let targets = view.nodes[node].targets
      for element in view.records where targets[element] > 0 && view.outcomes[element] != .rejected {
        marks.mark(targets[element])
      }
    }
  }

  /// Marks the objects that the elements of rejected and skipped records name, without doing anything to them.
  ///
  /// Records that a condition or a cursor leaves out name nothing; the elements of all others were noted when their
  /// lists were filled.
  func noteElements(
    _ batch: inout ImportBatch, _ outcomes: ContiguousArray<RecordLedger.Outcome>, _ importer: BatchImporter
  ) throws(ImportError) {
    guard watchesLists else { return }
    let records = outcomes.indices.filter { record in
      (outcomes[record] == .rejected || outcomes[record] == .skipped) && !batch.transformed.isSkipped(record)
        && !(record < batch.isBeforeCursor.count && batch.isBeforeCursor[record])
    }
    if !records.isEmpty { try noteElements(of: records, &batch, importer) }
  }

  private func noteElements(
    of records: [Int], _ batch: inout ImportBatch, _ importer: BatchImporter
  ) throws(ImportError) {
    let preparer = BatchPreparer(plan: importer.plan, seed: importer.seed)
    var owners: [Int: Int64]?
    for (index, list) in importer.lists.enumerated() where Self.lists([list.list], name: marksByRoot) {
      guard var elements = preparer.elements(of: list.list, index, records, batch) else { continue }
      if list.list.isScoped, owners == nil { owners = try self.owners(records, &batch, importer) }
      try noteElements(of: records, owners ?? [:], list, &elements)
    }
  }

  /// The objects that records name as their own.
  private func owners(
    _ records: [Int], _ batch: inout ImportBatch, _ importer: BatchImporter
  ) throws(ImportError) -> [Int: Int64] {
    let root = importer.nodes[importer.plan.root]
    var owners: [Int: Int64] = [:]
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.rejected, count: batch.records.recordCount)
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      let usable = records.filter { self.isUsable($0, root.node, view, importer) }.map { Int32($0) }
      try root.finder.lookUp(ContiguousArray(usable), root, view, importer) { owners[$0] = $1 }
    }
    return owners
  }

  private func noteElements(
    of records: [Int], _ owners: [Int: Int64], _ list: ListImporter, _ elements: inout ListBatch
  ) throws(ImportError) {
    var known: [Int] = []
    for record in records where !list.list.isScoped || owners[record] != nil {
      for element in elements.range(record) {
        known.append(element)
        if let node = list.list.ownerNode { elements.batch.nodes[node].targets[element] = owners[record] ?? 0 }
      }
    }
    guard !known.isEmpty else { return }
    if list.list.isScoped { try list.readMembers(of: Set(owners.values).sorted()) }
    defer { if list.list.isScoped { list.forgetMembers() } }
    let count = elements.batch.records.recordCount
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.rejected, count: count)
    try BatchView.lend(&elements.batch, &outcomes) { view throws(ImportError) in
      for (node, plan) in list.list.plan.nodes.enumerated() where !plan.isGiven {
        guard let marks = marksByRoot[plan.rootEntity] else { continue }
        let usable = known.filter { self.isUsable($0, node, view, list.importer) }.map { Int32($0) }
        let state = list.importer.nodes[node]
        try state.finder.lookUp(ContiguousArray(usable), state, view, list.importer) { marks.mark($1) }
      }
    }
    try noteElements(of: known, &elements.batch, list.importer)
  }
}
