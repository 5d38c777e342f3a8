import MergewalkSQLite

/// A save over several stores, which is in all of them or in none, also after a crash.
///
/// SQLite commits one file after the other. So before the first commit everything that the save writes is written down
/// (``JointJournal``); whoever opens one of the stores after a crash makes what is missing there again. Files that are
/// written as a whole (XML, binary) are written beside their places first, and get their names behind that.
package final class JointSave {
  private var recordings: [(store: PersistentStore, changes: ChangeRecording)] = []
  private var files: [AtomicStoreObserver] = []
  private var journal: JointJournal?
  private var missing = 0

  /// Begins to record what is written to stores, within their transactions.
  package init(over stores: [PersistentStore]) throws(StoreError) {
    for store in stores where store.countsJoinedSaves {
      if store.type == .sqlite {
        let connection = store.connection
        recordings.append((store, try connection.mapped { () throws(SQLiteError) in try ChangeRecording(connection) }))
      } else {
        for case let observer as AtomicStoreObserver in store.observers {
          observer.stage()
          files.append(observer)
        }
      }
    }
  }

  /// Decides that the save is made; belongs behind the last write and before the first commit.
  ///
  /// - Parameter stores: Those that the save counts in (``PersistentStore/countSave(over:)``).
  /// - Throws: ``StoreError``; then nothing is decided, or ``withdraw()`` says.
  package func decide(_ stores: [PersistentStore]) throws(StoreError) {
    var parts: [JointJournal.Part] = []
    for store in stores {
      if let recording = recordings.first(where: { $0.store === store }) {
        let connection = store.connection
        let bytes = try connection.mapped { () throws(SQLiteError) in try recording.changes.changes() }
        let schema = try connection.integer("PRAGMA schema_version") ?? 0
        parts.append(JointJournal.Part(store, .rows(bytes, schema: schema)))
      } else if let file = store.observers.lazy.compactMap({ $0 as? AtomicStoreObserver }).first,
        let content = file.stagedContent
      {
        parts.append(JointJournal.Part(store, content))
      }
    }
    recordings = []
    if parts.count > 1 { journal = try JointJournal(parts) }
    for file in files { try file.publish() }
  }

  /// Says that all stores have committed.
  package func finish() {
    journal?.remove()
    journal = nil
  }

  /// Takes the decision back, as no store has committed.
  ///
  /// - Returns: Whether that could be done; otherwise whoever opens the stores next makes the save.
  package func withdraw() -> Bool {
    recordings = []
    for file in files { file.unstage() }
    defer { journal = nil }
    return journal?.withdraw() ?? true
  }

  /// Keeps what is written down until the stores that lack it have it, as others have committed.
  ///
  /// While one of these stores is open here, no other process makes the save; when they were closed without it, the
  /// next one to open them does.
  package func keep(for stores: [PersistentStore]) {
    recordings = []
    guard journal != nil else { return }
    missing = stores.count
    for store in stores { store.owedSave = self }
  }

  /// Says that a later save has brought a store what it lacked.
  func settle() {
    missing -= 1
    if missing == 0 { finish() }
  }
}
