import MergewalkObjectModel
import MergewalkRecordFormats

/// An element of a list names an object like any other target of a relationship.
extension SyncWatch {
  /// Whether lists, or those of their elements, name objects that marks are about.
  static func lists(_ lists: [ImportList], name marks: [RootIndex: NamedObjects]) -> Bool {
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
        _ = marks.isFirst(targets[element])
      }
    }
  }

  /// Marks the objects that the elements of records name, without doing anything to them: of those that are rejected or
  /// skipped, as the elements of all others were noted when their lists were filled.
  func noteElements(
    of records: [Int], _ batch: inout ImportBatch, _ importer: BatchImporter
  ) throws(ImportError) {
    guard watchesLists, !records.isEmpty else { return }
    let preparer = BatchPreparer(plan: importer.plan, seed: importer.seed)
    var owners: [Int: Int64]?
    for (index, list) in importer.lists.enumerated() where Self.lists([list.list], name: marksByRoot) {
      guard var elements = preparer.elements(of: list.list, index, records, batch) else { continue }
      if list.list.isScoped, owners == nil { owners = try importer.ownObjects(of: records, &batch) }
      try noteElements(of: records, owners ?? [:], list, &elements)
    }
  }

  private func noteElements(
    of records: [Int], _ owners: [Int: Int64], _ list: ListImporter, _ elements: inout ListBatch
  ) throws(ImportError) {
    // Where there is no owner no member is found, and what an element refers to is named all the same.
    let known = records.flatMap { elements.range($0) }
    guard !known.isEmpty else { return }
    try list.beginLookUp(&elements, owners: owners)
    defer { list.endLookUp() }
    let count = elements.batch.records.recordCount
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.rejected, count: count)
    try BatchView.lend(&elements.batch, &outcomes) { view throws(ImportError) in
      for (node, plan) in list.list.plan.nodes.enumerated() where !plan.isGiven {
        guard let marks = marksByRoot[plan.rootEntity] else { continue }
        let usable = known.filter { list.importer.isUsable($0, node, view) }.map { Int32($0) }
        let state = list.importer.nodes[node]
        try state.finder.lookUp(ContiguousArray(usable), state, view, list.importer) { _ = marks.note($1) }
      }
    }
    try noteElements(of: known, &elements.batch, list.importer)
  }
}

/// What a record names that is rejected or skipped is looked for when it would have been imported: later records may take
/// it away, and another object may have the same key.
extension BatchImporter {
  /// Whether a record names objects and is not imported; those that a condition or a cursor leaves out name nothing.
  private func isOnlyNaming(_ record: Int, _ view: BatchView) -> Bool {
    switch view.outcomes[record] {
    case .rejected: true
    case .skipped: firstOutcomes[record] != .skipped
    case .pending, .inserted, .updated, .unchanged, .deferred: false
    }
  }

  /// Has the attempt's records imported in pieces where lists have taken away what such a record may name.
  func checkNames(_ view: BatchView) throws(ImportError) {
    guard hasTaken, attempted > 1, view.records.contains(where: { isOnlyNaming($0, view) }) else { return }
    throw retryAlone()
  }

  /// Marks what the records of a view name that has been dealt with, for whoever removes what nothing names.
  func noteNamed(_ view: BatchView) throws(ImportError) {
    guard let watch else { return }
    // References that are set in a second pass are marked there.
    if case .references = pass { return }
    if pass != .lists { try watch.note(view, firstOutcomes, self) }
    guard var batch = watchedBatch else { return }
    watchedBatch = nil
    defer { watchedBatch = batch }
    try watch.noteElements(of: view.records.filter { isOnlyNaming($0, view) }, &batch, self)
  }
}
