import MergewalkObjectModel
import MergewalkSQLite

/// Records a copy in the persistent history of the store that receives it, as one transaction.
///
/// Which found objects change is noted in a temporary table: `r` the root entity, `k` the primary key, `s` the slots,
/// each with a comma behind it. Everything else is in the tables of ``ObjectCopyWriter``.
final class ObjectCopyHistory {
  private let store: PersistentStore
  private let recorder: HistoryRecorder
  private var connection: Connection { store.connection }

  private static let updates = "mergewalk_seed_updates"
  private static let sets = "mergewalk_seed_sets"
  /// How many changes are in memory at a time.
  private static let capacity = 4096

  /// Begins the notes; `nil` for a store that keeps no history.
  init?(_ file: StoreFile) throws(StoreError) {
    let store = try PersistentStore(file: file)
    guard let recorder = HistoryRecorder.recorder(of: store) else { return nil }
    self.store = store
    self.recorder = recorder
    try file.connection.execute("CREATE TEMP TABLE \(Self.updates) (r INTEGER, k INTEGER, s TEXT)")
  }

  /// Notes found objects that are about to change.
  ///
  /// - Parameters:
  ///   - key: SQL for the primary key.
  ///   - slots: SQL for the slots of what changes (``slots(_:)``).
  ///   - rows: `FROM` and `WHERE`.
  func note(_ root: RootIndex, key: String, slots: String, _ rows: String) throws(StoreError) {
    try connection.execute(
      "INSERT INTO temp.\(Self.updates) SELECT DISTINCT \(root.index), \(key), \(slots) \(rows)")
  }

  /// SQL for the one slot of a property, or for none.
  static func slots(_ slot: Int?) -> String { slot.map { "'\($0),'" } ?? "''" }

  /// Writes the transaction: of each table the objects that changed, then the new ones, each in the order of their keys.
  ///
  /// - Parameter inserted: SQL for the keys and the entities' numbers of a table's new objects.
  func record(_ tables: [ObjectCopyPlan.Table], inserted: (ObjectCopyPlan.Table) -> String) throws(StoreError) {
    let grouped = "SELECT k, group_concat(s, '') s FROM temp.\(Self.updates) WHERE r = "
    try connection.execute("CREATE TEMP TABLE \(Self.sets) (n INTEGER PRIMARY KEY, s TEXT UNIQUE)")
    for table in tables {
      try connection.execute(
        "INSERT OR IGNORE INTO temp.\(Self.sets) (s) SELECT s FROM (\(grouped)\(table.targetRoot.index) GROUP BY k)")
    }
    var changes = StoreChanges()
    changes.author = HistoryIdentity.author
    let setOfNumber = try readSets(&changes)
    // However many pieces it has, a batch request is one transaction.
    store.isInBatchRequest = true
    defer { store.isInBatchRequest = false }
    for table in tables {
      let updated = """
        SELECT u.k, t.Z_ENT, n.n FROM (\(grouped)\(table.targetRoot.index) GROUP BY k) u \
        JOIN main.\(table.target) t ON t.Z_PK = u.k JOIN temp.\(Self.sets) n ON n.s = u.s ORDER BY u.k
        """
      try add(.update, updated, &changes) { setOfNumber[$0.integer(2)] ?? -1 }
      try add(.insert, inserted(table), &changes) { _ in -1 }
    }
    try write(&changes)
  }

  /// Reads the sets of slots that were noted; the result is each one's index by its number.
  private func readSets(_ changes: inout StoreChanges) throws(StoreError) -> [Int64: Int32] {
    var result: [Int64: Int32] = [:]
    let select = try connection.prepare("SELECT n, s FROM temp.\(Self.sets) WHERE s <> ''")
    while try select.step() {
      let slots = select.text(1).split(separator: ",").compactMap { Int($0) }
      var set = [UInt64](repeating: 0, count: (slots.max() ?? 0) >> 6 + 1)
      for slot in slots { set[slot >> 6] |= 1 << (UInt64(slot) & 63) }
      result[select.integer(0)] = Int32(changes.slotSets.count)
      changes.slotSets.append(set)
    }
    return result
  }

  private func add(
    _ kind: StoreChanges.Kind, _ sql: String, _ changes: inout StoreChanges, slotSet: (Statement) -> Int32
  ) throws(StoreError) {
    let numbers = store.schema.entityNumbers
    let entities = Dictionary(
      numbers.indices.filter { numbers[$0] > 0 }.map { (Int64(numbers[$0]), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let select = try connection.prepare(sql)
    while try select.step() {
      guard let entity = entities[select.integer(1)] else { continue }
      changes.changes.append(
        .init(kind: kind, entity: entity, primaryKey: select.integer(0), slotSet: slotSet(select)))
      if changes.changes.count == Self.capacity { try write(&changes) }
    }
  }

  private func write(_ changes: inout StoreChanges) throws(StoreError) {
    guard !changes.isEmpty else { return }
    try recorder.willWrite(changes, to: store)
    try recorder.didWrite(changes, to: store)
    changes.changes.removeAll(keepingCapacity: true)
  }
}
