import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The objects that records name: for counting those that are named again.
extension BatchImporter {
  /// Prepares the counting.
  ///
  /// - Parameters:
  ///   - firstKeys: The first primary key of each hierarchy that the run can have given out, by root entity.
  ///   - partKeys: The same for this import: what another import of the run has made was there before it.
  ///   - isKept: Whether checkpoints keep which targets and elements were counted.
  func countNames(firstKeys: [RootIndex: Int64], partKeys: [RootIndex: Int64], isKept: Bool) {
    for state in allNodes where state.role != .given && !state.plan.keyFields.isEmpty {
      if state.role == .root {
        // A key that a filter has not seen is new, and those that it has seen wait until an index can tell.
        if state.finder is KeyFilter { continue }
        // Where only new objects are wanted, a record that was turned away for one of before has named nothing.
        let isInsert = state.plan.mode == .insert
        state.named = NamedObjects(
          from: isInsert ? partKeys[state.plan.rootEntity] ?? 0 : 0, isKept: isKept && keepsOwnNames)
        continue
      }
      let first = firstKeys[state.plan.rootEntity] ?? store.nextPrimaryKey(root: state.plan.rootEntity)
      guard first > 1 else { continue }
      let named = namedTargets[state.plan.rootEntity] ?? NamedObjects(below: first, isKept: isKept)
      namedTargets[state.plan.rootEntity] = named
      state.named = named
    }
  }

  /// Whether checkpoints keep which objects records have named as their own.
  ///
  /// Lists may delete some of them, and looking for their keys again would find others; else it is cheaper to look.
  private var keepsOwnNames: Bool {
    !store.file.isNew && rootsThatMayGo.contains(nodes[plan.root].plan.rootEntity)
  }

  /// Takes over which targets and elements an earlier process has counted: reading its records again does not tell, as
  /// records may have been skipped, and objects may have changed or gone since.
  func takeNames(_ file: StoreFile, part: Int) throws(ImportError) {
    do throws(StoreError) {
      for (root, named) in namedTargets { try named.take(file, as: .counted(part: part, root: root)) }
      if keepsOwnNames { try nodes[plan.root].named?.take(file, as: .own(part: part)) }
    } catch { throw ImportError(error) }
  }

  /// Keeps with the plan, in the open transaction, what was noted since the last time.
  func keepNames(_ file: StoreFile, part: Int) throws(StoreError) {
    for (root, named) in namedTargets.sorted(by: { $0.key < $1.key }) {
      try named.keep(file, as: .counted(part: part, root: root))
    }
    if keepsOwnNames { try nodes[plan.root].named?.keep(file, as: .own(part: part)) }
  }

  /// What a checkpoint keeps of an import with the plan, in its open transaction.
  func keeper(in file: StoreFile, part: Int) -> () throws(StoreError) -> Void {
    { () throws(StoreError) in
      try self.keepNames(file, part: part)
      try self.keepUpdates(file, part: part)
      try self.watch?.keepMarks(file)
    }
  }

  /// Counts the records of a batch whose objects earlier records have named.
  func countDuplicates(_ view: BatchView) {
    let root = nodes[plan.root]
    guard root.role == .root, let named = root.named else { return }
    if case .references = pass { return }
    var repeated: Set<Int32> = []
    for reject in rejects where reject.code == .duplicateKey && reject.element == nil { repeated.insert(reject.record) }
    let targets = view.nodes[root.node].targets
    var duplicates = 0
    // Where only new objects are wanted, a record may be turned away for one that the store had before.
    let isInsert = root.plan.mode == .insert
    for record in view.records where targets[record] > 0 {
      let key = targets[record]
      switch view.outcomes[record] {
      case .skipped where isInsert: if named.contains(key) { duplicates += 1 }
      case .updated:
        root.noteUpdate(key, isUncounted: false)
        if !named.note(key) { duplicates += 1 }
      case .inserted, .unchanged, .skipped: if !named.note(key) { duplicates += 1 }
      case .rejected where repeated.contains(Int32(record)):
        if isInsert ? named.contains(key) : !named.note(key) { duplicates += 1 }
      case .rejected, .pending, .deferred: continue
      }
    }
    root.counts.duplicates += duplicates
  }

  /// Notes which objects the records of a batch have named as their own that an earlier process has imported.
  func noteNames(_ batch: inout ImportBatch) throws(ImportError) {
    let root = nodes[plan.root]
    guard let named = root.named, !keepsOwnNames else { return }
    var outcomes = outcomes(ofImported: batch)
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      var records = ContiguousArray<Int32>()
      for record in view.records where isNamed(record, root, view) { records.append(Int32(record)) }
      try root.finder.lookUp(records, root, view, self) { _ = named.isFirst($1) }
      named.mark()
    }
  }

  private func isNamed(_ record: Int, _ root: NodeImporter, _ view: BatchView) -> Bool {
    guard view.outcomes[record] == .pending, !keptNow.deferred.contains(record), isUsable(record, root.node, view)
    else { return false }
    // What a partitioned scan knows of is named by one record alone.
    guard let verdicts = (root.finder as? VerdictFinder)?.verdicts else { return true }
    if case .unknown = verdicts.verdict(recordsBefore + record) { return true }
    return false
  }
}
