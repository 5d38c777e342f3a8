import MergewalkBytes
package import MergewalkObjectModel
import MergewalkSQLite

extension StoreFile {
  /// What the objects have in common whose primary keys are kept with a plan.
  package enum KeptKeys {
    /// The records of a part have changed them in a node of its plan, one entry a record; apart those that count as
    /// unchanged when they turn out to be so.
    case updates(part: Int, node: Int, isUncounted: Bool)
    /// The records of a part have named them as targets or elements, and they were counted for it.
    case counted(part: Int, root: RootIndex)
    /// The records of a part have named them as their own.
    case own(part: Int)
    /// They are of a hierarchy that objects may go from, and records of the run have named them.
    case named(root: RootIndex)

    /// Parts, nodes and entities have the numbers from 0 on.
    fileprivate var number: Int {
      switch self {
      case .updates(let part, let node, let isUncounted): (part + 1) << 24 | node << 2 | (isUncounted ? 1 : 0)
      case .counted(let part, let root): (part + 1) << 24 | root.index << 2 | 2
      case .own(let part): (part + 1) << 24 | 3
      case .named(let root): -1 - root.index
      }
    }
  }

  /// Keeps primary keys with a plan, in the open transaction; in ascending order they take a byte or two each.
  package func keep(_ primaryKeys: [Int64], as kind: KeptKeys) throws(StoreError) {
    guard case .plannedFile(let file) = undo, !primaryKeys.isEmpty else { return }
    try file.keep(primaryKeys, kind.number)
  }

  /// Calls `body` with each key that ``keep(_:as:)`` has kept of a kind.
  ///
  /// - Complexity: O(keys) time; the memory of one checkpoint's keys.
  package func forEachKept(_ kind: KeptKeys, _ body: (Int64) -> Void) throws(StoreError) {
    guard case .plannedFile(let file) = undo else { return }
    try file.forEachKept(kind.number, body)
  }
}

extension PlannedStoreFile {
  private static let updates = ChangedRows.updatesTable

  fileprivate func keep(_ primaryKeys: [Int64], _ number: Int) throws(StoreError) {
    try overlay.execute("CREATE TABLE IF NOT EXISTS \(Self.updates)(part INTEGER, keys BLOB)", .bookkeeping)
    let insert = try overlay.prepare("INSERT INTO \(Self.updates) VALUES(?1, ?2)")
    insert.use = .bookkeeping
    insert.bind(1, Int64(number))
    insert.bind(2, copying: AscendingNumbers.encode(primaryKeys.sorted().map { Int($0) }))
    try insert.run()
  }

  fileprivate func forEachKept(_ number: Int, _ body: (Int64) -> Void) throws(StoreError) {
    guard try overlay.hasTable(Self.updates) else { return }
    let rows = try overlay.prepare("SELECT keys FROM \(Self.updates) WHERE part = ?1 ORDER BY rowid")
    rows.bind(1, Int64(number))
    while try rows.step() {
      for key in AscendingNumbers.decode(Array(rows.bytes(0))) { body(Int64(key)) }
    }
  }
}
