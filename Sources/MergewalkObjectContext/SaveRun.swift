import MergewalkObjectStore

/// Everything a save is going to write.
struct SavePlan {
  var roots: [ChangedRows] = []

  /// Whether no row is to be written.
  var isEmpty: Bool { roots.allSatisfy(\.isEmpty) }
}

/// One attempt to save: what is written, and what that has done to rows, files and observers, which is rolled back when
/// the attempt fails.
final class SaveRun {
  /// The changes to write.
  var plan: SavePlan
  private var raised: [(buffer: RowBuffer, rows: ContiguousArray<Int32>)] = []
  /// Who was told that a transaction has begun.
  var observers: [(observer: any StoreObserver, store: PersistentStore, number: Int)] = []
  /// The values that went into files.
  var externalized: [ExternalizedCell] = []
  /// How many files there were before, by store.
  var externalMarks: [(files: ExternalFiles, mark: Int, store: Int)] = []
  /// The keys that records that were never saved got, by table.
  var assignedKeys = AssignedKeys()
  /// The stores of a save over several that count it, with their metadata from before.
  var counted: [(store: PersistentStore, number: Int, former: StoreMetadata)] = []
  /// The joint save that makes a save over several stores whole after a crash.
  var joint: JointSave?
  /// The numbers of the stores whose transactions are committed: nothing of theirs can be rolled back.
  var committed: Set<Int> = []

  /// Begins to write a plan.
  init(_ plan: SavePlan) { self.plan = plan }

  func raise(_ buffer: RowBuffer, _ rows: ContiguousArray<Int32>) {
    for row in rows { buffer.versions[Int(row)] &+= 1 }
    raised.append((buffer, rows))
  }

  /// Rolls back what was done to the rows of stores, by their numbers, and tells their observers.
  func undo(_ isMeant: (_ store: Int) -> Bool = { _ in true }) {
    for (buffer, rows) in raised where isMeant(buffer.table.store) {
      for row in rows { buffer.versions[Int(row)] &-= 1 }
    }
    // Before the files of atomic stores are written again.
    for (store, number, former) in counted where isMeant(number) {
      store.forgetSave(former, isOwed: !committed.isEmpty)
    }
    for (observer, store, number) in observers.reversed() where isMeant(number) { observer.didRollBack(store) }
    undoExternalData(isMeant)
  }
}
