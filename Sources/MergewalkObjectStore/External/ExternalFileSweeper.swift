import MergewalkObjectModel
import MergewalkSQLite

/// Finds out which files beside a store nothing names any more after a transaction: those of deleted objects and of
/// values that were replaced.
final class ExternalFileSweeper: StoreObserver {
  private let statements: StatementCache
  private let schema: StoreSchema
  /// The slots of values in files, with their root entities.
  private let slots: [(root: RootIndex, slots: [Int])]
  private let path: String
  private let files: ExternalFiles
  /// The files that changed rows named before they were written.
  private var candidates = Set<String>()
  /// The files that the open transaction made obsolete.
  private var noted = Set<String>()

  /// Makes a store remove files; does nothing when its model has no values in files.
  static func attach(to store: PersistentStore) {
    guard store.type == .sqlite, !store.isReadOnly, store.externalSlotLists.contains(where: { !$0.isEmpty }) else {
      return
    }
    store.observers.append(ExternalFileSweeper(store))
  }

  private init(_ store: PersistentStore) {
    statements = store.queryStatements
    schema = store.schema
    slots = store.externalSlotLists.enumerated().filter { !$1.isEmpty }.map { (RootIndex($0), $1) }
    path = store.path
    files = store.file.externalFiles
  }

  func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    noted = []
    candidates = try names(changes)
  }

  func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    guard !candidates.isEmpty else { return }
    var gone = candidates.subtracting(try names(changes))
    candidates = []
    // Names made of contents may be in two rows: those that were copied here from two stores.
    for name in gone where StoreUUID.isMadeOfDigest(name) {
      if try isNamed(name) { gone.remove(name) }
    }
    noted = gone
    try files.add(obsolete: gone)
  }

  func didRollBack(_ store: PersistentStore) {
    files.keep(noted)
    noted = []
    candidates = []
  }

  /// The files that the rows concerned name now.
  private func names(_ changes: StoreChanges) throws(StoreError) -> Set<String> {
    let model = schema.model
    var found = Set<String>()
    for (root, slots) in slots {
      let matters = changes.slotSets.map { set in
        slots.contains { $0 >> 6 < set.count && set[$0 >> 6] >> (UInt64($0) & 63) & 1 == 1 }
      }
      let keys = changes.changes.compactMap { change -> SQLBinding? in
        guard model.entities[change.entity].root == root else { return nil }
        switch change.kind {
        case .insert: return nil
        case .delete: return .integer(change.primaryKey)
        case .update: return change.slotSet < 0 || matters[Int(change.slotSet)] ? .integer(change.primaryKey) : nil
        }
      }
      if keys.isEmpty { continue }
      let table = schema.table(forRoot: root)
      for column in slots.compactMap({ table.columnName(slot: $0) }) {
        let sql =
          "SELECT \(column) FROM \(ListSource.name)(?1) AS l CROSS JOIN \(table.name) AS t ON t.Z_PK = l.value WHERE "
          + "\(ExternalData.isFileCell(column))"
        try run(sql) {
          ListSource.bind(keys, to: $0, 1)
        } each: { cell in
          found.insert(String(decoding: cell[1..<37], as: UTF8.self))
        }
      }
    }
    return found
  }

  /// Whether some row names a file.
  private func isNamed(_ name: String) throws(StoreError) -> Bool {
    var isNamed = false
    for (root, slots) in slots {
      let table = schema.table(forRoot: root)
      for column in slots.compactMap({ table.columnName(slot: $0) }) {
        let sql = "SELECT \(column) FROM \(table.name) WHERE \(ExternalData.isFileCell(column)) AND \(column) = ?1"
        try run(sql) {
          $0.bind(1, copying: [ExternalData.fileTag] + Array(name.utf8) + [0])
        } each: { _ in
          isNamed = true
        }
      }
    }
    return isNamed
  }

  private func run(
    _ sql: String, _ bind: (Statement) -> Void, each body: ([UInt8]) -> Void
  ) throws(StoreError) {
    let statement: Statement
    do {
      statement = try statements.take(sql)
    } catch {
      throw StoreError(.unsupported, path: path, message: "names of files cannot be read: \(error)")
    }
    defer { statements.give(statement) }
    bind(statement)
    while try statement.step() { body(Array(statement.bytes(0))) }
  }
}
