import MergewalkObjectModel
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats

/// The second pass of a part.
extension PartImport {
  /// Whether relationships wait for the second pass.
  var hasSecondPass: Bool { importer.references != nil }

  /// Prepares an importer for the first of two passes.
  func startPasses() {
    for node in (plan.nodes + plan.lists.flatMap(\.allPlans).flatMap(\.nodes)) where !node.isGiven {
      importer.firstKeys[node.rootEntity] =
        place.groupKeys[node.rootEntity] ?? importer.store.nextPrimaryKey(root: node.rootEntity)
      // Objects are written before what they refer to, so for a while a mandatory relationship leads nowhere.
      for relationship in node.relationships where relationship.isLate {
        importer.context.postponedSlots[TableID(root: node.rootEntity), default: []].insert(relationship.slot)
      }
    }
    guard !plan.postponed.isEmpty else { return }
    importer.pass = .first
    importer.linksMayFail = plan.postponed.contains { relationship in
      let target = importer.nodes[relationship.target]
      // What a record says of a target that is only looked for may be refused, too.
      let isWritten = relationship.stage == .creating || target.plan.fills
      let takesPartners = target.plan.relationships.contains(where: \.isTakenByOthers)
      return relationship.isTakenByOthers || isWritten && (importer.hasGuards(target) || takesPartners)
    }
    // The references themselves may be refused.
    if importer.isGuardedByOthers(importer.nodes[plan.root]) { importer.linksMayFail = true }
    importer.listsWait =
      !plan.lists.isEmpty && (importer.linksMayFail || plan.postponed.contains { $0.stage == .rejecting })
    importer.references = DeferredRecords(
      plan: plan, file: waiting, owner: DeferredFile.Owner(part: place.part, kind: .references),
      limit: definition.batchLimit, fields: plan.postponedFields, keepsLists: importer.listsWait)
    if importer.deferred == nil { importer.deferred = makeDeferred() }
  }

  /// Takes the records that are imported later.
  func makeDeferred() -> DeferredRecords {
    DeferredRecords(
      plan: plan, file: waiting, owner: DeferredFile.Owner(part: place.part, kind: .records, generation: generation),
      limit: definition.batchLimit)
  }

  /// Ends the first pass: records whose keys may have come before are distinguished, now that an index can.
  func endFirstPass() throws(ImportError) {
    let root = importer.nodes[plan.root]
    guard root.finder is KeyFilter, let waiting = importer.deferred, waiting.count > 0 else { return }
    root.named = NamedObjects(namedUpTo: importer.store.maximum(root: root.plan.rootEntity))
    try tryAgain(waiting, for: .deferred(isFirst: true))
  }

  /// Imports the waiting records that take the place of objects which have gone, as the first pass would have done.
  func importReplacements() throws(ImportError) {
    hasVacancies = false
    guard let waiting = importer.deferred, waiting.count > 0 else { return }
    let root = importer.nodes[plan.root]
    root.seenKeys = root.plan.duplicates == .last ? nil : SeenKeys()
    try tryAgain(waiting, for: .replacing)
  }

  /// Imports records that wait as the first pass does; those that go on waiting are kept again.
  private func tryAgain(_ waiting: DeferredRecords, for pass: Pass) throws(ImportError) {
    let root = importer.nodes[plan.root]
    root.finder = SeekFinder()
    try importer.buildIndexes(file, for: root)
    importer.vacancies.startAgain()
    generation += 1
    importer.deferred = makeDeferred()
    try replay(waiting, for: pass)
  }

  private func replay(_ waiting: DeferredRecords, for pass: Pass) throws(ImportError) {
    let preparer = BatchPreparer(plan: plan, seed: importer.seed)
    importer.pass = pass
    try waiting.replay { (batch) throws(ImportError) in
      for relationship in plan.postponed { preparer.hashAgain(&batch, node: relationship.target) }
      for state in importer.nodes where state.role == .target && !state.isLateTarget && importer.isResolved(state) {
        preparer.hashAgain(&batch, node: state.node)
      }
      // What was found in the first pass may have been taken out since.
      for record in 0..<batch.records.recordCount {
        batch.nodes[plan.root].targets[record] = 0
        if !batch.nodes[plan.root].targetEntities.isEmpty { batch.nodes[plan.root].targetEntities[record] = -1 }
      }
      if !plan.lists.isEmpty {
        batch.refusals.removeAll(keepingCapacity: true)
        preparer.prepareLists(&batch)
      }
      if pass == .waiting { _ = importer.spoken?.hideOverwritten(&batch, in: pass) }
      try begin()
      try importer.process(&batch)
      try rejects.write(batch, importer.rejects)
      importer.batches += 1
    }
  }

  /// Sets the relationships of one stage of the objects that the first pass has created, or writes what their records say of
  /// the targets; in the stage that rejects, of those that are due.
  ///
  /// - Parameter isLast: Whether records that wait come too late to be targets.
  func linkReferences(_ stage: ImportRelationship.Stage, isLast: Bool = true) throws(ImportError) {
    importer.pass = .references(stage)
    let owners = stage == .rejecting ? importer.vacancies.takeDue() : nil
    let due = plan.postponed(in: stage)
    guard let references = importer.references, references.count > 0, !due.isEmpty, owners?.isEmpty != true else {
      return
    }
    for relationship in due {
      let target = importer.nodes[relationship.target]
      // What one of several creates or changes the others have to see.
      let isShared =
        stage != .rejecting
        && due.count(where: {
          let other = plan.nodes[$0.target]
          return other.rootEntity == target.plan.rootEntity && (stage == .creating || other.fills)
        }) > 1
      if isShared {
        target.finder = SeekFinder()
      } else {
        target.finder = try storeErrors { () throws(StoreError) in try choice.secondPassFinder(relationship.target) }
      }
      if target.finder.usesIndex { try importer.buildIndexes(file, for: target) }
    }
    let preparer = BatchPreparer(plan: plan, seed: importer.seed)
    try replayReferences(references, due: owners, isLast: isLast) { batch in
      for relationship in due { preparer.hashAgain(&batch, node: relationship.target) }
    }
  }

  /// Fills the lists of the objects that the first pass has created and the second one has not taken out.
  func fillLists() throws(ImportError) {
    importer.pass = .lists
    guard importer.listsWait, let references = importer.references, references.count > 0 else { return }
    let preparer = BatchPreparer(plan: plan, seed: importer.seed)
    try replayReferences(references) { batch in
      batch.refusals.removeAll(keepingCapacity: true)
      preparer.prepareLists(&batch)
    }
  }

  /// Goes once more through the objects that the first pass has created.
  ///
  /// - Parameters:
  ///   - due: those that are looked at; `nil` for all.
  ///   - isLast: whether records that wait come too late to be targets.
  ///   - prepare: fills what comes back empty.
  private func replayReferences(
    _ references: DeferredRecords, due: Set<Int64>? = nil, isLast: Bool = true,
    _ prepare: (inout ImportBatch) -> Void
  ) throws(ImportError) {
    try references.replay { (batch) throws(ImportError) in
      prepare(&batch)
      try begin()
      for (key, field) in try importer.processReferences(&batch, without: lost, due: due, isLast: isLast) {
        lost[key] = field ?? -1
      }
      try rejects.write(batch, importer.rejects)
      importer.batches += 1
    }
  }

  /// Counts objects that were taken out, and rejects the records of those that were because what they refer to was.
  ///
  /// - Parameters:
  ///   - rejected: How many have records that are rejected already.
  ///   - keys: The others, with the field to blame.
  func takeBack(_ rejected: Int, _ keys: [Int64: Int32]) throws(ImportError) {
    importer.takeBack(rejected + keys.count)
    guard !keys.isEmpty, let references = importer.references else { return }
    lost.merge(keys) { first, _ in first }
    try references.replay { (batch) throws(ImportError) in
      var list: [RecordReject] = []
      for record in 0..<batch.records.recordCount {
        guard let field = keys[batch.nodes[plan.root].targets[record]] else { continue }
        list.append(
          RecordReject(record: Int32(record), field: field < 0 ? nil : field, code: .missingTarget))
        importer.settleValues(of: record, batch, isRejected: true)
        importer.spoken?.takeBack(record, of: batch)
      }
      try rejects.write(batch, list)
    }
  }

  /// Forgets what is known of objects of hierarchies that have lost some.
  func forgetObjects(of roots: Set<RootIndex>) throws(ImportError) {
    importer.shrunkRoots.formUnion(roots)
    try forgetKeys(of: roots)
  }

  /// Forgets which keys hierarchies have, as far as they are held in memory.
  func forgetKeys(of roots: Set<RootIndex>) throws(ImportError) {
    forgottenRoots.formUnion(roots)
    for state in importer.allNodes where roots.contains(state.plan.rootEntity) && state.finder.keepsKeys {
      state.finder = SeekFinder()
      if !state.isPostponed { try importer.buildIndexes(file, for: state) }
    }
  }

  /// Notes how far the records have come that the second pass has looked at.
  private func noteReferences() throws(ImportError) {
    guard let since = importer.since, let references = importer.references, references.count > 0 else { return }
    try references.replay { (batch) throws(ImportError) in
      since.note(
        batch,
        ContiguousArray(
          batch.nodes[plan.root].targets[..<batch.records.recordCount].map { lost[$0] == nil ? .inserted : .rejected }))
    }
  }

  /// Imports the records whose objects were there before, now that everything they may refer to is.
  func importWaiting() throws(ImportError) {
    try noteReferences()
    importer.references = nil
    let waiting = importer.deferred
    importer.deferred = nil
    if let waiting, waiting.count > 0 {
      let root = importer.nodes[plan.root]
      // Of those that wait none has named its key yet; what the first pass has imported is known by its objects.
      root.seenKeys = root.plan.duplicates == .last ? nil : SeenKeys()
      // Without an index a seek reads the whole table; what the first pass knows holds as long as nothing else is made.
      let holds =
        !file.isNew && !root.isIndexed && lost.isEmpty && !plan.postponed.contains { $0.missing == .create }
        && !forgottenRoots.contains(root.plan.rootEntity)
      if !holds {
        root.finder = SeekFinder()
        try importer.buildIndexes(file, for: root)
      }
      for relationship in plan.postponed {
        let target = importer.nodes[relationship.target]
        // What is in memory would not know of objects that lists delete.
        if file.isNew || target.isIndexed || forgottenRoots.contains(target.plan.rootEntity) {
          target.finder = SeekFinder()
          try importer.buildIndexes(file, for: target)
        } else {
          target.finder = try storeErrors { () throws(StoreError) in
            try choice.secondPassFinder(relationship.target)
          }
        }
      }
      try replay(waiting, for: .waiting)
    }
    importer.pass = .single
    importer.forget()
  }
}
