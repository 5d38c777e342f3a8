/// The data that the first of two passes keeps of a record in case the second rejects the record whose place it then
/// takes.
struct Vacancies {
  /// Objects of the run that waiting records stand for, too.
  private let claimed = ObjectMarks()
  /// Those of the current attempt.
  private var claimedSince: [Int64] = []
  /// Keys of records that wait because they were refused for a unique value, by hash.
  ///
  /// What comes behind them with their keys waits, too.
  private(set) var parkedKeys: Set<UInt64> = []
  /// The objects whose references are to be looked at again; `nil` as long as none was.
  private(set) var due: Set<Int64>?

  /// Notes that a waiting record stands for an object of the run.
  mutating func claim(_ key: Int64) { if claimed.insert(key) { claimedSince.append(key) } }

  /// Whether a waiting record stands for an object.
  func claims(_ key: Int64) -> Bool { claimed.contains(key) }

  /// Remembers what is claimed for ``undo()``.
  mutating func mark() { claimedSince.removeAll(keepingCapacity: true) }

  /// Forgets what was claimed since ``mark()``: another object may get the key.
  mutating func undo() {
    for key in claimedSince { claimed.remove(key) }
    mark()
  }

  /// Notes the key of a record that was refused for a unique value.
  mutating func park(_ hash: UInt64) { parkedKeys.insert(hash) }

  /// Releases the refused records, before they are tried again.
  mutating func startAgain() { parkedKeys.removeAll() }

  /// Notes that the references of an object are to be looked at again; before the first look all are.
  mutating func addDue(_ key: Int64) { due?.insert(key) }

  /// Takes the objects whose references are due; `nil` for all.
  mutating func takeDue() -> Set<Int64>? {
    defer { due = [] }
    return due
  }
}

/// Records of the first pass that are refused for a unique value which a record has that the second pass may reject.
extension BatchImporter {
  /// Whether the second pass may reject records that the first one has imported.
  private var mayLose: Bool { linksMayFail || plan.postponed.contains { $0.stage == .rejecting } }

  /// Has the records of an attempt wait whose key one has that was refused: it would come before them.
  func parkFollowers(_ view: BatchView) {
    guard pass.postpones, !vacancies.parkedKeys.isEmpty else { return }
    let node = view.nodes[plan.root]
    for record in view.records
    where view.outcomes[record] == .pending && view.isWanted(record, node)
      && vacancies.parkedKeys.contains(node.keyHashes[record])
    {
      park(record, view)
    }
  }

  /// Makes a refused record wait until the outcome of the one that has its value is known; returns whether it does.
  ///
  /// What it says of its targets is written with the first pass, as that of every record that waits.
  func parks(_ record: Int, _ refusal: Refusal, _ view: BatchView) -> Bool {
    let root = nodes[plan.root]
    guard pass.postpones, refusal.code == .unique, mayLose, !root.plan.keyFields.isEmpty else { return false }
    guard view.outcomes[record] != .deferred else {
      // It is refused for what it says of its targets.
      view.outcomes[record] = .pending
      view.nodes[plan.root].keyStates[record] = ImportBatch.KeyState.usable
      return false
    }
    park(record, view)
    return true
  }

  private func park(_ record: Int, _ view: BatchView) {
    let node = view.nodes[plan.root]
    vacancies.park(node.keyHashes[record])
    view.outcomes[record] = .deferred
    // Its own object is not looked for.
    node.keyStates[record] = ImportBatch.KeyState.absent
  }

  /// Whether a record may be the target of a reference that waits because it was refused.
  func isParked(_ record: Int, _ target: NodeImporter, _ batch: ImportBatch) -> Bool {
    !vacancies.parkedKeys.isEmpty && target.plan.keySlots == nodes[plan.root].plan.keySlots
      && vacancies.parkedKeys.contains(batch.nodes[target.node].keyHashes[record])
  }
}
