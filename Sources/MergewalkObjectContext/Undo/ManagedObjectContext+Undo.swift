import MergewalkObjectModel
import MergewalkObjectStore

/// The ends of events, and who takes changes back.
extension ManagedObjectContext {
  /// The manager that undoes changes; with `nil`, the default, nothing is recorded and ``undo()`` does nothing.
  ///
  /// The manager lives as long as the context unless it is also held elsewhere. Changes made before it was set cannot
  /// be undone; those of the context are removed from a manager that is replaced.
  public var undoManager: UndoManager? {
    get { recorder?.manager }
    set {
      if newValue === recorder?.manager { return }
      let old = recorder
      recorder = newValue.map { ChangeRecorder($0, self) }
      for buffer in allBuffers { buffer.recorder = recorder }
      pendingLinks.recorder = recorder
      old?.manager.remove(self)
      newValue?.add(self)
    }
  }

  /// Undoes the last step of the undo manager; does nothing without one; see ``UndoManager/undo()``.
  ///
  /// - Throws: ``ObjectError`` with `closed` or `database`.
  public func undo() throws(ObjectError) { try undoManager?.undo() }

  /// Redoes the step that was undone last; see ``UndoManager/redo()``.
  ///
  /// - Throws: ``ObjectError`` with `closed` or `database`.
  public func redo() throws(ObjectError) { try undoManager?.redo() }

  /// Ends the event: carries out waiting delete rules (``propagatesDeletesAtEndOfEvent``) and registers the changes as
  /// one step of the undo manager.
  ///
  /// Observers of `objectsDidChange` and ``FetchedResults`` receive the changes since the last time. Saving and undoing
  /// do this, too. Without an undo manager, waiting deletions and observers, it does nothing.
  ///
  /// - Throws: ``ObjectError`` with `closed` or `database` when objects that delete rules concern cannot be fetched;
  ///   roll back then.
  public func processPendingChanges() throws(ObjectError) {
    try endEvent()
    updateResults()
  }

  /// Ends the event; results are told by whoever calls this.
  func endEvent() throws(ObjectError) {
    try carryOutDeletions()
    recorder?.manager.checkpoint()
    postPendingChanges()
  }

  /// Registers what changed so far; deletions that cannot be carried out wait on, and the next save says why.
  func registerChanges() {
    try? carryOutDeletions()
    guard let recorder, let changes = recorder.endEvent() else { return }
    recorder.manager.register(changes, of: self)
  }

  /// Whether something changed that was not registered.
  var hasUnregisteredChanges: Bool {
    guard let recorder else { return false }
    return recorder.manager.isUndoRegistrationEnabled && !recorder.isEmpty
  }

  /// Registers what a save changed on the way with the step before it.
  func joinChanges() {
    guard let recorder, let changes = recorder.endEvent() else { return }
    recorder.manager.join(changes, of: self)
  }

  /// Forgets all steps that concern this context.
  func forgetUndo() {
    waitingDeletions.removeAll()
    guard let recorder else { return }
    recorder.forgetAll()
    recorder.manager.removeActions(ObjectIdentifier(self))
  }

  /// Fetches what taking changes back needs to know.
  func prepareUndo(_ changes: UndoChanges) throws(ObjectError) {
    if let recorder { try prepare(changes, recorder) }
  }

  /// Takes changes back.
  func undo(_ changes: UndoChanges) throws(ObjectError) {
    guard let recorder else { return }
    try setBack(changes, recorder)
    updateResults()
  }

  /// Frees what only the steps of the undo manager needed.
  func undoWasForgotten() { for buffer in allBuffers { releaseUnused(buffer, []) } }

  // MARK: Deletions

  /// Has the undo manager know that an object is about to be deleted.
  func noteRemoval(_ object: ManagedObject) throws(ObjectError) {
    guard let recorder else { return }
    // Where a relationship has no inverse, the object's row says who has the object, and goes with it.
    for relationship in recorder.exclusiveRelationships(to: object.entity) {
      let table = object.table.sibling(model.entities[relationship.declaringEntity])
      try unlinkOwner(of: object, linkRelation(relationship, table: table))
    }
    recorder.willRemove(object)
  }

  private func carryOutDeletions() throws(ObjectError) {
    while let object = waitingDeletions.first {
      if object.isValid, object.isDeleted { try carryOutRules(of: object) }
      // A hook may have ended the event, or rolled back: then the object is not waiting any more.
      if waitingDeletions.first === object { waitingDeletions.removeFirst() }
    }
  }
}
