import MergewalkDiagnostics
package import MergewalkObjectModel
import MergewalkObjectStore

struct ChangedRows {
  var buffer: RowBuffer
  var inserted = ContiguousArray<Int32>()
  /// Updated rows by the slots that changed.
  var updated: [[UInt64]: ContiguousArray<Int32>] = [:]
  var deleted = ContiguousArray<Int32>()

  /// Whether no row is to be written.
  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension ManagedObjectContext {
  /// Writes all changes to the store, in one transaction; without changes, no statement runs.
  ///
  /// A row with unchanged values is not written, and its version does not move; neither does the version of an object
  /// if only pairs of its many-to-many relationships changed. Values that violate the model, and deletions that a
  /// relationship denies, are all reported in one error, before anything is written.
  ///
  /// - Throws: ``SaveError``; the store is then unchanged and the context keeps its changes.
  public func save() throws(SaveError) {
    checkThread()
    do { try endEvent() } catch { throw SaveError(error) }
    guard hasChanges || hasAccessFailures else {
      for buffer in allBuffers { releaseUnused(buffer, []) }
      return
    }
    postWillSave()
    let hooked = try runWillSaveHooks()
    postPendingChanges()
    clearLostReferences()
    var plan = try prepare(order: nil, checksObjects: true)
    joinChanges()
    if let parent {
      try push(plan, to: parent)
      lastOrderKeys.removeAll(keepingCapacity: true)
    } else if !plan.isEmpty || pendingLinks.hasChanges {
      do throws(SaveError) {
        plan = try write(plan)
      } catch {
        plan = try writeResolving(plan, after: error)
      }
      lastOrderKeys.removeAll(keepingCapacity: true)
      for child in children { child.context?.learnVersions(plan) }
    }
    let event = savedEvent(plan)
    publish(plan)
    // What was saved is saved: a moment that cannot be pinned leaves the context where the stores are.
    do { try advanceQueryGeneration() } catch { setQueryGeneration(from: nil) }
    forgetPostedChanges()
    runDidSaveHooks(hooked)
    updateResults()
    parent?.postPendingChanges()
    parent?.updateResults()
    postDidSave(event)
  }

  /// Writes what was collected; returns what was written.
  private func write(_ plan: SavePlan) throws(SaveError) -> SavePlan {
    let run = SaveRun(plan)
    try write(run, to: try changedStores(plan)) { () throws(SaveError) in try checkTargets(run.plan) }
    return run.plan
  }

  /// Writes the plan of a run in a transaction of its own in each of some stores, or rolls back what the run did here.
  ///
  /// - Parameter prepare: Comes first within the transactions; it may change the plan.
  func write(_ run: SaveRun, to numbers: [Int], after prepare: () throws(SaveError) -> Void) throws(SaveError) {
    do throws(SaveError) {
      try inTransaction(numbers, run, isOneOfSeveral: numbers.count > 1) { () throws(SaveError) in
        if numbers.count > 1 {
          let stores = numbers.compactMap(storeList.store)
          run.joint = try saveErrors { () throws(StoreError) in try JointSave(over: stores) }
        }
        try prepare()
        assignKeys(run)
        try countSave(run, over: numbers)
        // What is behind other types is written when SQLite has accepted the rows of all stores that are only tables.
        let late = numbers.filter { storeList.store($0)?.type.isOnlyTables == false }
        for number in numbers where !late.contains(number) { try execute(run, store: number) }
        for number in late { try execute(run, store: number) }
        try saveErrors { () throws(StoreError) in try run.joint?.decide(run.counted.map { $0.store }) }
      }
    } catch {
      throw takeBack(run, after: error)
    }
    run.joint?.finish()
    for counted in run.counted { counted.store.settleOwedSaves() }
    run.finishExternalData()
    noteWrite(numbers)
  }

  /// Counts a save over several stores in each of them, before their observers hear of the rows.
  private func countSave(_ run: SaveRun, over numbers: [Int]) throws(SaveError) {
    let stores = numbers.compactMap { number in storeList.store(number).map { (store: $0, number: number) } }
    guard stores.count > 1 || stores.contains(where: { !$0.store.owedSaves.isEmpty }) else { return }
    for (store, number) in stores {
      // A merge policy may have left nothing to do in a store; then its observers do not hear of the save.
      guard store.observers.isEmpty || !changes(run.plan, store: number).isEmpty else { continue }
      run.counted.append((store: store, number: number, former: store.file.metadata))
    }
    try saveErrors { () throws(StoreError) in try PersistentStore.countSave(over: run.counted.map { $0.store }) }
  }

  /// Rolls back what a save that failed did here, except for stores that had committed before: theirs is saved.
  ///
  /// - Returns: The error for the caller; it says when only some stores were saved.
  private func takeBack(_ run: SaveRun, after error: SaveError) -> SaveError {
    let saved = run.committed
    var isWithdrawn = true
    if saved.isEmpty {
      isWithdrawn = run.joint?.withdraw() ?? true
    } else {
      run.joint?.keep(for: run.counted.filter { !saved.contains($0.number) }.map { $0.store })
    }
    run.undo { !saved.contains($0) }
    takeBackKeys(run) { !saved.contains($0) }
    if saved.isEmpty {
      var error = error
      if !isWithdrawn {
        error.message +=
          "; its journal beside the stores could not be removed, and is applied when one of them is opened again"
      }
      return error
    }
    publish(SavePlan(roots: run.plan.roots.filter { saved.contains($0.buffer.table.store) }), stores: saved)
    noteWrite(saved.sorted())
    updateResults()
    let names = saved.sorted().map { storeList.all[$0].path }.joined(separator: ", ")
    return SaveError(
      code: .database,
      message: "\(error.message); the changes in \(names) were saved before that: save again",
      databaseFailure: error.databaseFailure)
  }

  /// The numbers of the stores that a save writes to.
  func changedStores(_ plan: SavePlan) throws(SaveError) -> [Int] {
    var numbers = Set(plan.roots.filter { !$0.isEmpty }.map(\.buffer.table.store))
    for place in pendingLinks.order where pendingLinks.changes(place)?.hasChanges ?? false {
      numbers.insert(place.store)
    }
    for number in numbers {
      guard let store = storeList.store(number) else {
        throw SaveError(code: .database, message: "a store with changed objects was removed from the coordinator")
      }
      guard store.isOpen else {
        throw SaveError(code: .database, message: "the store \(store.file.path) was closed")
      }
      guard !store.isInBatchRequest else {
        throw SaveError(code: .database, message: "a batch request is running on the store; save when it is done")
      }
      guard !store.isReadOnly else {
        throw SaveError(code: .readOnly, message: "the store \(store.file.path) was opened for reading only")
      }
    }
    return numbers.sorted()
  }

  /// Writes all changes to the store within the transaction that is open.
  ///
  /// The steps read like a table of contents: collect, validate, delete, update, insert, link, keep sequences, publish.
  ///
  /// - Parameter order: Root entities that are written first, in this order; those that others refer to come first.
  package func writeChanges(order: [RootIndex]?) throws(SaveError) {
    let run = SaveRun(try prepare(order: order, checksObjects: false))
    do {
      try execute(run, store: 0)
    } catch {
      run.undo()
      throw error
    }
    run.finishExternalData()
    publish(run.plan)
  }

  /// Runs `body` in a transaction of its own in each of some stores, or in the one that is open.
  ///
  /// A transaction is atomic in its store. Stores are committed one after the other, so a machine that stops between
  /// two of them leaves the later ones as they were, which shows when they are opened again (``PartialSave``); `run`
  /// learns which ones are committed.
  func inTransaction(
    _ numbers: [Int], _ run: SaveRun, isOneOfSeveral: Bool, _ body: () throws(SaveError) -> Void
  ) throws(SaveError) {
    guard let number = numbers.first, let store = storeList.store(number) else { return try body() }
    let rest = Array(numbers.dropFirst())
    let isOwn = !store.isInTransaction
    // What can fail is to fail before the first of several commits.
    try store.inTransaction({ SaveError($0) }, excludesReaders: isOneOfSeveral) { () throws(SaveError) in
      try inTransaction(rest, run, isOneOfSeveral: isOneOfSeveral, body)
    }
    if isOwn {
      run.committed.insert(number)
      store.file.externalFiles.removeObsolete()
    }
  }

  func saveErrors<Value>(_ body: () throws(StoreError) -> Value) throws(SaveError) -> Value {
    do { return try body() } catch { throw SaveError(error) }
  }

  // MARK: Steps

  /// Collects what there is to write and checks it.
  ///
  /// - Parameter checksObjects: Whether rules that need to look at other objects are checked: denied deletions and the
  ///   number of objects in to-many relationships.
  func prepare(order: [RootIndex]?, checksObjects: Bool) throws(SaveError) -> SavePlan {
    var buffers = (order ?? []).map(buffer(root:))
    for buffer in allBuffers where !buffers.contains(where: { $0 === buffer }) { buffers.append(buffer) }
    var plan = SavePlan()
    var failures: [ObjectValidationFailure] = []
    for buffer in buffers where !buffer.touchedRows.isEmpty {
      if registry.isInUse {
        buffer.deduplicateTouchedRows()
        pendingReferences = nil
      }
      failures += validate(buffer)
      plan.roots.append(collect(buffer))
    }
    joinHookFailures(&failures)
    if checksObjects {
      failures += takeAccessFailures()
      do {
        for changes in plan.roots { failures += try deniedDeletions(changes.buffer, changes.deleted) }
        failures += try wrongCounts(plan.roots.map(\.buffer))
        if failures.isEmpty {
          for changes in plan.roots { try unlinkDenied(changes.buffer, changes.deleted) }
        }
      } catch {
        throw SaveError(error)
      }
    }
    guard failures.isEmpty else {
      addTitles(&failures)
      throw SaveError(
        code: .validation, message: failures.map(\.description).joined(separator: "\n"), failures: failures)
    }
    return plan
  }

  /// Writes what was collected for one store; the run can roll back what that does to the rows.
  private func execute(_ run: SaveRun, store number: Int) throws(SaveError) {
    guard let store = storeList.store(number) else { return }
    let plan = run.plan
    let observed = store.observers.isEmpty ? nil : changes(plan, store: number)
    if let observed, !observed.isEmpty {
      for observer in store.observers {
        run.observers.append((observer, store, number))
        try saveErrors { () throws(StoreError) in try observer.willWrite(observed, to: store) }
      }
    }
    try saveErrors { () throws(StoreError) in try writeExternalData(run, store: number) }
    for changes in plan.roots where changes.buffer.table.store == number {
      try delete(changes, store)
      try update(changes, store, run)
      try saveErrors { () throws(StoreError) in try insert(changes, store) }
    }
    try saveErrors { () throws(StoreError) in
      try writeLinks(store, number: number)
      try store.writeMaxima()
    }
    if let observed, !observed.isEmpty {
      for observer in store.observers {
        try saveErrors { () throws(StoreError) in try observer.didWrite(observed, to: store) }
      }
    }
  }

  /// The changes that a save makes to one store, for its observers.
  private func changes(_ plan: SavePlan, store number: Int) -> StoreChanges {
    var result = StoreChanges()
    result.author = transactionAuthor
    result.contextName = name
    for changes in plan.roots where changes.buffer.table.store == number {
      let buffer = changes.buffer
      func add(_ kind: StoreChanges.Kind, _ row: Int32, _ slotSet: Int32 = -1) {
        result.changes.append(
          StoreChanges.Change(
            kind: kind, entity: Int(buffer.entities[Int(row)]), primaryKey: buffer.primaryKeys[Int(row)],
            slotSet: slotSet))
      }
      for row in changes.deleted { add(.delete, row) }
      for (slots, rows) in changes.updated.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        result.slotSets.append(slots)
        for row in rows { add(.update, row, Int32(result.slotSets.count - 1)) }
      }
      for row in changes.inserted { add(.insert, row) }
    }
    addChangedLinks(to: &result, store: number)
    return result
  }

  func collect(_ buffer: RowBuffer) -> ChangedRows {
    buffer.dropRevertedChanges()
    var changes = ChangedRows(buffer: buffer)
    changes.inserted.reserveCapacity(buffer.touchedRows.count)
    let words = buffer.dirtyWords
    let stored = storedMask(buffer)
    for touched in buffer.touchedRows {
      let row = Int(touched)
      switch buffer.states[row] {
      case RowState.inserted: changes.inserted.append(touched)
      case RowState.deleted: changes.deleted.append(touched)
      case RowState.updated:
        let mask = (0..<words).map { buffer.dirtyBits[row * words + $0] & stored[$0] }
        // A row that was set back to what it was is not written; it becomes clean when the save is done.
        if mask.contains(where: { $0 != 0 }) { changes.updated[mask, default: []].append(touched) }
      default: break
      }
    }
    sortByPrimaryKey(&changes.inserted, buffer)
    sortByPrimaryKey(&changes.deleted, buffer)
    for mask in changes.updated.keys {
      changes.updated[mask]?.withUnsafeMutableBufferPointer { rows in
        let keys = buffer.primaryKeys
        rows.sort { keys[Int($0)] < keys[Int($1)] }
      }
    }
    return changes
  }

  /// One bit for each slot that has a column in the store.
  private func storedMask(_ buffer: RowBuffer) -> [UInt64] {
    let table = store(table: buffer.table).schema.table(forRoot: buffer.rootEntity)
    var mask = [UInt64](repeating: 0, count: buffer.dirtyWords)
    for slot in 0..<buffer.columnCount where table.columnName(slot: slot) != nil {
      mask[slot >> 6] |= 1 << (UInt64(slot) & 63)
    }
    return mask
  }

  /// Primary key order makes the table's pages come by once; rows are usually in that order already.
  func sortByPrimaryKey(_ rows: inout ContiguousArray<Int32>, _ buffer: RowBuffer) {
    let keys = buffer.primaryKeys
    var isSorted = true
    for i in rows.indices.dropFirst() where !keys[Int(rows[i - 1])].comesBefore(keys[Int(rows[i])]) {
      isSorted = false
      break
    }
    guard !isSorted else { return }
    rows.sort { keys[Int($0)].comesBefore(keys[Int($1)]) }
    // A place that was freed and taken again was touched twice.
    var last: Int32 = -1
    rows.removeAll { row in
      defer { last = row }
      return row == last
    }
  }

  private func delete(_ changes: ChangedRows, _ store: PersistentStore) throws(SaveError) {
    guard !changes.deleted.isEmpty else { return }
    let written = try saveErrors { () throws(StoreError) in
      let access = try store.access(root: changes.buffer.rootEntity)
      return try changes.deleted.withUnsafeBufferPointer { rows throws(StoreError) in
        try access.delete(changes.buffer, rows: rows)
      }
    }
    if written != changes.deleted.count {
      throw conflict(changes.buffer, changes.deleted.count - written)
    }
  }

  private func update(
    _ changes: ChangedRows, _ store: PersistentStore, _ run: SaveRun
  ) throws(SaveError) {
    let buffer = changes.buffer
    let firstNew = firstNewKeys[buffer.rootEntity]
    // The order of a dictionary changes from run to run; statements come in the order of their slots.
    for (slots, rows) in changes.updated.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      // They are in the order of their keys, so those that are new to others come last.
      let known = firstNew.flatMap { key in rows.firstIndex { buffer.primaryKeys[Int($0)] >= key } } ?? rows.count
      guard known < rows.count else {
        try update(buffer, rows, slots, store, run)
        continue
      }
      try update(buffer, ContiguousArray(rows[..<known]), slots, store, run)
      try update(buffer, ContiguousArray(rows[known...]), slots, store, nil)
    }
  }

  /// Writes the slots of rows.
  ///
  /// - Parameter run: Raises their versions; `nil` when they keep them.
  private func update(
    _ buffer: RowBuffer, _ rows: ContiguousArray<Int32>, _ slots: [UInt64], _ store: PersistentStore, _ run: SaveRun?
  ) throws(SaveError) {
    run?.raise(buffer, rows)
    let written = try saveErrors { () throws(StoreError) in
      let access = try store.access(root: buffer.rootEntity)
      return try rows.withUnsafeBufferPointer { rows throws(StoreError) in
        try access.update(buffer, rows: rows, slots: slots, keepsVersions: run == nil)
      }
    }
    if written != rows.count { throw conflict(buffer, rows.count - written) }
  }

  private func insert(_ changes: ChangedRows, _ store: PersistentStore) throws(StoreError) {
    let access = try store.access(root: changes.buffer.rootEntity)
    try changes.inserted.withUnsafeBufferPointer { rows throws(StoreError) in
      try access.insert(changes.buffer, rows: rows)
    }
  }

  private func conflict(_ buffer: RowBuffer, _ count: Int) -> SaveError {
    SaveError(
      code: .conflict,
      message:
        "another context or process changed \(PrintableText.count(count, "row")) of "
        + "\(model.entities[buffer.rootEntity.index].name) since the last fetch; refresh what conflicts and save again")
  }

  /// Makes what was written no change any more.
  ///
  /// - Parameter stores: The numbers of the stores that were written, when these are not all that the save is about.
  private func publish(_ plan: SavePlan, stores: Set<Int>? = nil) {
    for buffer in plan.roots.map(\.buffer) {
      let touched = registry.isInUse ? buffer.touchedRows : []
      for touched in buffer.touchedRows {
        let row = Int(touched)
        switch buffer.states[row] {
        case RowState.inserted, RowState.updated: buffer.markClean(row: row)
        case RowState.deleted:
          // Undoing may bring references to it back.
          if recorder != nil { annihilated[buffer.table, default: []].insert(buffer.primaryKeys[row]) }
          detach(buffer, row: row)
          buffer.release(row: row)
        default: break
        }
      }
      buffer.touchedRows.removeAll(keepingCapacity: true)
      buffer.snapshots.removeAll(keepingCapacity: true)
      releaseUnused(buffer, touched)
    }
    storedVersion &+= 1
    pendingReferences = nil
    guard let stores else {
      pendingLinks.removeAll()
      return releaseHeldObjects()
    }
    pendingLinks.removeAll { stores.contains($0.store) }
    releaseHeldObjects()
    // Those with changes in the other stores are kept on.
    registry.forEachObject { if $0.hasChanges { hold($0) } }
  }
}
