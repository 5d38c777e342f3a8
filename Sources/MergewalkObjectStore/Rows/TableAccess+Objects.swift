package import MergewalkObjectModel
import MergewalkSQLite

/// Fetches for the object layer: rows that the buffer already holds stay as they are there, faults are filled in place,
/// and only rows that it does not know get a place.
///
/// They return the places of the rows that were selected.
extension TableAccess {
  /// Fetches the next rows of an entity and everything below it in primary key order.
  package func fetchPage(
    entity: EntityDescription, after primaryKey: Int64, limit: Int, into buffer: RowBuffer
  ) throws(StoreError) -> [Int32] {
    try backing?.willRead(entity)
    // The sign keeps SQLite from taking the entity's index, which would make it sort.
    let condition = entityCondition(entity, alias: "+t").map { " AND \($0)" } ?? ""
    let statement = try objectStatement(
      "SELECT \(selectList(storedSlots)) FROM \(table.name) AS t WHERE t.Z_PK > ?\(condition) "
        + "ORDER BY t.Z_PK LIMIT ?")
    statement.bind(1, primaryKey)
    statement.bind(2, Int64(limit))
    return try completeRows.read(statement, into: buffer, isDistinct: true)
  }

  /// Fetches the rows whose to-one relationship at `slot` refers to `target`.
  package func fetchRows(
    slot: Int, target: Int64, into buffer: RowBuffer
  ) throws(StoreError) -> [Int32] {
    try backing?.willRead(root: table.rootEntity, referringBy: slot, to: [target])
    let statement = try objectStatement(
      "SELECT \(selectList(storedSlots)) FROM \(table.name) AS t WHERE t.\(column(slot)) = ?")
    statement.bind(1, target)
    let rows = try completeRows.read(statement, into: buffer, isDistinct: true)
    if backing != nil { try takeOrderKeys(slot: slot, target: target, in: buffer) }
    return rows
  }

  /// Gives rows that were fetched before their places among the members of `target` were brought those places.
  func takeOrderKeys(slot: Int, target: Int64, in buffer: RowBuffer) throws(StoreError) {
    guard let order = table.orderKeyColumn(slot: slot) else { return }
    let statement = try objectStatement(
      "SELECT t.Z_PK, ifnull(t.\(order), 0) FROM \(table.name) AS t WHERE t.\(column(slot)) = ?")
    statement.bind(1, target)
    defer { statement.reset() }
    while try statement.step() {
      guard let row = buffer.row(primaryKey: statement.integer(0)), !buffer.isDirty(row: row, slot: slot) else {
        continue
      }
      buffer.orderKeys[slot]?[row] = statement.integer(1)
    }
  }

  /// Fetches one row by its primary key.
  ///
  /// - Returns: The place of the row, `nil` when the table does not have it.
  @discardableResult
  package func fetchRow(primaryKey: Int64, into buffer: RowBuffer) throws(StoreError) -> Int? {
    try backing?.willRead(root: table.rootEntity, primaryKeys: [primaryKey])
    let statement = try objectStatement("SELECT \(selectList(storedSlots)) FROM \(table.name) AS t WHERE t.Z_PK = ?")
    statement.bind(1, primaryKey)
    return try completeRows.read(statement, into: buffer).last.map(Int.init)
  }

  /// The versions that rows have in the table now; keys that are not there are left out.
  package func versions(primaryKeys: [Int64], _ buffer: RowBuffer) throws(StoreError) -> [Int64: Int64] {
    try backing?.willRead(root: table.rootEntity, primaryKeys: primaryKeys)
    let statement = try objectStatement(
      "SELECT t.Z_PK, ifnull(t.Z_OPT, 0) FROM \(primaryKeySource.name) AS k CROSS JOIN \(table.name) AS t "
        + "ON t.Z_PK = k.c0")
    var found: [Int64: Int64] = [:]
    try withPrimaryKeys(primaryKeys, buffer) { () throws(StoreError) in
      defer { statement.reset() }
      while try statement.step() { found[statement.integer(0)] = statement.integer(1) }
    }
    return found
  }

  func withPrimaryKeys(
    _ keys: [Int64], _ buffer: RowBuffer, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try keys.withUnsafeBufferPointer { keys throws(StoreError) in try withPrimaryKeys(keys, buffer, body) }
  }

  func withPrimaryKeys(
    _ keys: UnsafeBufferPointer<Int64>, _ buffer: RowBuffer, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let start = keys.baseAddress else { return }
    try ContiguousArray(0..<Int32(keys.count)).withUnsafeBufferPointer { order throws(StoreError) in
      // Keys are no text, so the source reads nothing from the arena, which may move while rows are placed.
      primaryKeySource.fill(rows: order, columns: [.integers(start)], arena: buffer.arena.base)
      defer { primaryKeySource.clear() }
      try body()
    }
  }

  func objectStatement(_ sql: String) throws(StoreError) -> Statement {
    if let statement = objectStatements[sql] { return statement }
    let statement = try connection.prepare(sql)
    objectStatements[sql] = statement
    return statement
  }
}

extension PersistentStore {
  /// Fetches rows of a hierarchy and appends them to the buffer, in the order of the keys.
  ///
  /// - Parameter slots: The columns to fetch; all that are stored when there are none.
  package func fetch(
    _ primaryKeys: [Int64], of root: RootIndex, slots: [Int]? = nil, into buffer: RowBuffer
  ) throws(StoreError) {
    let access = try access(root: root)
    try primaryKeys.withUnsafeBufferPointer { keys throws(StoreError) in
      try access.fetch(primaryKeys: keys, slots: slots ?? access.storedSlots, into: buffer)
    }
  }
}
