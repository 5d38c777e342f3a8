package import MergewalkObjectModel
import MergewalkSQLite

/// The statements that move rows between a ``RowBuffer`` and its table, whole batches at a time.
///
/// Each operation is one statement however many rows it moves: rows, keys and primary keys reach SQL through row
/// sources (``CellSource``), so nothing is bound one by one and no statement text depends on the number of rows.
package final class TableAccess {
  /// The table as the schema describes it.
  package let table: EntityTable
  /// How the cells of each slot are read.
  let kinds: [CellKind]

  let model: ManagedObjectModel
  let connection: Connection
  /// Who may bring rows into the table before they are read.
  var backing: IncrementalBacking?
  /// The store's file, while rows may go past SQLite.
  var file: StoreFile?
  let schema: StoreSchema
  /// The entities of the table by the store's numbers.
  let entityIndexes: EntityNumbers
  let entityNumbers: EntityNumberTable
  private let rowSource: CellSource
  let primaryKeySource: CellSource
  /// The slots that have a column, in the order of the columns.
  package let storedSlots: [Int]
  /// The statements of the object layer, by their text.
  var objectStatements: [String: Statement] = [:]
  private(set) lazy var completeRows = FetchedRowReader(self, slots: storedSlots)
  private var keySources: [Int: CellSource] = [:]
  private var insertStatement: Statement?
  private var deleteStatement: Statement?
  private var updateStatements: [UpdateShape: Statement] = [:]
  private var fetches: [FetchKey: (statement: Statement, reader: FetchedRowReader)] = [:]

  /// The features that determine an update statement.
  private struct UpdateShape: Hashable {
    var slots: [UInt64]
    var keepsVersions: Bool
  }

  /// The features that determine a fetch statement.
  private struct FetchKey: Hashable {
    /// The slots of the key; empty for a fetch by primary key.
    var keySlots: [Int]
    var slots: [Int]
    var entities: ClosedRange<Int>
  }

  init(
    connection: Connection, root: RootIndex, schema: StoreSchema, entityNumbers: EntityNumberTable
  ) throws(StoreError) {
    self.connection = connection
    self.schema = schema
    self.entityNumbers = entityNumbers
    let model = schema.model
    self.model = model
    table = schema.table(forRoot: root)
    entityIndexes = EntityNumbers(schema, root: root)
    storedSlots = table.columns.compactMap { if case .slot(let slot) = $0.role { slot } else { nil } }
    kinds = CellKind.kinds(of: model, root: model.entities[table.rootEntity.index])
    rowSource = try CellSource(
      name: "mergewalk_rows_\(table.name)", columnCount: table.columns.count, connection: connection)
    primaryKeySource = try CellSource(
      name: "mergewalk_pks_\(table.name)", columnCount: 1, connection: connection)
  }

  // MARK: Writing

  /// Inserts rows in the given order.
  ///
  /// The order decides how fast it is: ascending primary keys append to the table.
  package func insert(_ buffer: RowBuffer, rows: UnsafeBufferPointer<Int32>) throws(StoreError) {
    let rows = try insertDirectly(buffer, rows: rows)
    guard !rows.isEmpty, try !deferWriting(buffer, rows: rows, slots: nil) else { return }
    if insertStatement == nil { insertStatement = try connection.prepare(insertSQL(buffer)) }
    fillRowSource(buffer, rows: rows)
    defer { rowSource.clear() }
    try insertStatement?.run()
    guard connection.changes == rows.count else { throw .leftOut(table.name, connection) }
  }

  /// Writes the given slots of rows that are in the table, and their versions.
  ///
  /// A row is written only if its version in the table is one below the row's: that is the optimistic lock.
  ///
  /// - Parameter keepsVersions: Whether the rows have the versions of the table, because the same work has made them;
  ///   they never wait for the end of a planned run.
  /// - Returns: How many rows were written; fewer than given means that another context or process changed or deleted
  ///   the others.
  package func update(
    _ buffer: RowBuffer, rows: UnsafeBufferPointer<Int32>, slots: [UInt64], keepsVersions: Bool = false
  ) throws(StoreError) -> Int {
    guard !rows.isEmpty else { return 0 }
    if !keepsVersions, try deferWriting(buffer, rows: rows, slots: slots) { return rows.count }
    let shape = UpdateShape(slots: slots, keepsVersions: keepsVersions)
    if updateStatements[shape] == nil {
      updateStatements[shape] = try connection.prepare(updateSQL(buffer, slots: slots, keepsVersions: keepsVersions))
    }
    fillRowSource(buffer, rows: rows)
    defer { rowSource.clear() }
    try updateStatements[shape]?.run()
    let written = connection.changes
    // Those that were written have another version, unless all keep theirs.
    if written < rows.count, try countGiven(version: keepsVersions ? 0 : 1) > (keepsVersions ? written : 0) {
      throw .leftOut(table.name, connection)
    }
    return written
  }

  /// Deletes rows whose versions are those in the table.
  ///
  /// - Returns: How many rows were deleted.
  package func delete(_ buffer: RowBuffer, rows: UnsafeBufferPointer<Int32>) throws(StoreError) -> Int {
    guard !rows.isEmpty else { return 0 }
    if deleteStatement == nil {
      let keyColumn = table.columns.firstIndex { $0.role == .primaryKey } ?? 0
      let versionColumn = table.columns.firstIndex { $0.role == .version } ?? 0
      deleteStatement = try connection.prepare(
        "DELETE FROM \(table.name) WHERE Z_PK IN (SELECT t.Z_PK FROM \(rowSource.name) AS r "
          + "CROSS JOIN \(table.name) AS t ON t.Z_PK = r.c\(keyColumn) "
          + "WHERE ifnull(t.Z_OPT, 0) = r.c\(versionColumn))")
    }
    fillRowSource(buffer, rows: rows)
    defer { rowSource.clear() }
    try deleteStatement?.run()
    let written = connection.changes
    if written < rows.count, try countGiven(version: 0) > 0 { throw .leftOut(table.name, connection) }
    return written
  }

  /// Counts the given rows that are in the table with a version that many below theirs.
  private func countGiven(version step: Int) throws(StoreError) -> Int {
    let keyColumn = table.columns.firstIndex { $0.role == .primaryKey } ?? 0
    let versionColumn = table.columns.firstIndex { $0.role == .version } ?? 0
    return Int(
      try connection.integer(
        "SELECT count(*) FROM \(rowSource.name) AS r CROSS JOIN \(table.name) AS t ON t.Z_PK = r.c\(keyColumn) "
          + "WHERE ifnull(t.Z_OPT, 0) = r.c\(versionColumn) - \(step)") ?? 0)
  }

  package func insertSQL(_ buffer: RowBuffer) -> String {
    let written = table.columns.indices.filter { sourceColumn($0, in: buffer) != nil }
    let names = written.map { table.columns[$0].name }.joined(separator: ", ")
    let values = written.map { "c\($0)" }.joined(separator: ", ")
    return "INSERT INTO \(table.name) (\(names)) SELECT \(values) FROM \(rowSource.name)"
  }

  /// The statement that writes the slots whose bits are set.
  package func updateSQL(_ buffer: RowBuffer, slots: [UInt64], keepsVersions: Bool = false) -> String {
    let keyColumn = table.columns.firstIndex { $0.role == .primaryKey } ?? 0
    let versionColumn = table.columns.firstIndex { $0.role == .version } ?? 0
    let written = [versionColumn] + columns(slots, in: buffer)
    let assignments = written.map { "\(table.columns[$0].name) = r.c\($0)" }
    let step = keepsVersions ? "" : " - 1"
    return "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) FROM \(rowSource.name) AS r "
      + "WHERE \(table.name).Z_PK = r.c\(keyColumn) "
      + "AND ifnull(\(table.name).Z_OPT, 0) = r.c\(versionColumn)\(step)"
  }

  /// The columns of the slots whose bits are set.
  private func columns(_ slots: [UInt64], in buffer: RowBuffer) -> [Int] {
    table.columns.indices.filter { index in
      switch table.columns[index].role {
      case .slot(let slot), .destinationEntity(let slot), .orderKey(let slot):
        slots[slot >> 6] >> (UInt64(slot) & 63) & 1 == 1 && sourceColumn(index, in: buffer) != nil
      default: false
      }
    }
  }

  /// Hands rows to those that wait for the end of a planned run; says whether they were taken.
  ///
  /// - Parameter slots: What is written of existing rows; `nil` for new ones.
  private func deferWriting(
    _ buffer: RowBuffer, rows: UnsafeBufferPointer<Int32>, slots: [UInt64]?
  ) throws(StoreError) -> Bool {
    guard let deferred = file?.deferredRows, deferred.takes(table.name) else { return false }
    let version = table.columns.indices.filter { table.columns[$0].role == .version }
    let written =
      slots.map { version + columns($0, in: buffer) }
      ?? table.columns.indices.filter { sourceColumn($0, in: buffer) != nil }
    let shape = DeferredShape(table: table.name, columns: written.map { table.columns[$0].name }, isNew: slots == nil)
    return try deferred.take(
      shape, buffer.primaryKeys, rows: rows, columns: written.compactMap { sourceColumn($0, in: buffer) },
      arena: buffer.arena.base)
  }

  /// Hands rows to the load that goes past SQLite, while there is one.
  ///
  /// - Returns: The rows that it does not take.
  private func insertDirectly(
    _ buffer: RowBuffer, rows: UnsafeBufferPointer<Int32>
  ) throws(StoreError) -> UnsafeBufferPointer<Int32> {
    guard let direct = file?.direct, !rows.isEmpty else { return rows }
    let columns = table.columns.indices.map { sourceColumn($0, in: buffer) }
    let taken = try direct.insert(table, buffer.primaryKeys, rows: rows, columns: columns, arena: buffer.arena.base)
    return UnsafeBufferPointer(rebasing: rows[taken...])
  }

  private func fillRowSource(_ buffer: RowBuffer, rows: UnsafeBufferPointer<Int32>) {
    let columns = table.columns.indices.map { sourceColumn($0, in: buffer) ?? .integers(buffer.primaryKeys) }
    rowSource.fill(rows: rows, columns: columns, arena: buffer.arena.base)
  }

  /// Where the values of a table column come from; `nil` for columns that rows do not fill.
  private func sourceColumn(_ index: Int, in buffer: RowBuffer) -> CellSource.Column? {
    switch table.columns[index].role {
    case .primaryKey: .integers(buffer.primaryKeys)
    case .entity: .entityNumbers(buffer.entities, numbers: entityNumbers.numbers)
    case .version: .integers(buffer.versions)
    case .slot(let slot): .cells(buffer.tags[slot], buffer.payloads[slot])
    case .destinationEntity(let slot):
      buffer.destinationEntities[slot].map { .entityNumbers($0, numbers: entityNumbers.numbers) }
    case .orderKey(let slot): buffer.orderKeys[slot].map { .orderKeys($0, buffer.tags[slot]) }
    default: nil
    }
  }

  // MARK: Fetching

  /// Fetches rows by primary key and appends them to the buffer, in the order of the keys.
  ///
  /// - Parameter primaryKeys: The keys, ascending for speed; keys that are not in the table yield nothing.
  /// - Parameter slots: The columns to fetch; the cells of other slots stay null, see ``complete(_:row:slot:)``.
  package func fetch(
    primaryKeys: UnsafeBufferPointer<Int64>, slots: [Int], into buffer: RowBuffer
  ) throws(StoreError) {
    guard !primaryKeys.isEmpty else { return }
    try backing?.willRead(root: table.rootEntity, primaryKeys: Array(primaryKeys))
    try file?.deferredRows?.willRead(table.name, primaryKeys)
    try withPrimaryKeys(primaryKeys, buffer) { () throws(StoreError) in
      try append(FetchKey(keySlots: [], slots: slots, entities: 0...Int.max), to: buffer) { fetchSQL(slots: slots) }
    }
  }

  /// Fetches the rows whose key is one of the given ones and appends them to the buffer, in the order of the keys.
  ///
  /// - Parameters:
  ///   - keys: The key columns, one for each of `keySlots`.
  ///   - order: Positions in the key columns, sorted as the store collates (``KeyOrder``), without duplicates and
  ///     without nulls.
  ///   - entity: Only rows of this entity and below are fetched.
  /// - Complexity: One statement; an index seek a key when an index covers the key, else a table scan a key.
  package func fetch(
    keys: [CellColumnView], order: UnsafeBufferPointer<Int32>, arena: UnsafeRawPointer, keySlots: [Int],
    entity: EntityDescription, slots: [Int], into buffer: RowBuffer
  ) throws(StoreError) {
    guard !order.isEmpty else { return }
    try backing?.willRead(entity)
    let key = FetchKey(keySlots: keySlots, slots: slots, entities: entity.index...entity.lastDescendantIndex)
    let source = try keySource(columnCount: keySlots.count)
    source.fill(rows: order, columns: keys.map { .cells($0.tags, $0.payloads) }, arena: arena)
    defer { source.clear() }
    try append(key, to: buffer) { () throws(StoreError) in
      try fetchSQL(keySlots: keySlots, entity: entity, slots: slots)
    }
  }

  /// Runs a fetch whose keys are in their source and appends its rows to the buffer.
  private func append(
    _ key: FetchKey, to buffer: RowBuffer, sql: () throws(StoreError) -> String
  ) throws(StoreError) {
    if fetches[key] == nil {
      let statement = try connection.prepare(try sql())
      // Rows by their numbers: those that wait were asked about.
      if key.keySlots.isEmpty { statement.use = .bookkeeping }
      fetches[key] = (statement, FetchedRowReader(self, slots: key.slots))
    }
    guard let (statement, reader) = fetches[key] else { return }
    defer { statement.reset() }
    let first = buffer.count
    while try statement.step() { reader.append(statement, to: buffer) }
    buffer.notePartial(first..<buffer.count, fetched: key.slots, stored: storedSlots)
  }

  /// The statement that fetches rows by primary key.
  package func fetchSQL(slots: [Int]) -> String {
    "SELECT \(selectList(slots)) FROM \(primaryKeySource.name) AS k CROSS JOIN \(table.name) AS t ON t.Z_PK = k.c0"
  }

  /// The statement that fetches rows by key.
  package func fetchSQL(keySlots: [Int], entity: EntityDescription, slots: [Int]) throws(StoreError) -> String {
    var conditions = keySlots.enumerated().map { "t.\(column($1)) = k.c\($0)" }
    if let condition = entityCondition(entity, alias: "t") { conditions.append(condition) }
    let source = try keySource(columnCount: keySlots.count)
    return "SELECT \(selectList(slots)) FROM \(source.name) AS k CROSS JOIN \(table.name) AS t "
      + "ON \(conditions.joined(separator: " AND "))"
  }

  /// The statement that scans the rows of an entity and everything below it.
  package func scanSQL(entity: EntityDescription, slots: [Int]) -> String {
    let condition = entityCondition(entity, alias: "t").map { " WHERE \($0)" } ?? ""
    return "SELECT \(selectList(slots)) FROM \(table.name) AS t\(condition)"
  }

  func keySource(columnCount: Int) throws(StoreError) -> CellSource {
    if let known = keySources[columnCount] { return known }
    let source = try CellSource(
      name: "mergewalk_keys\(columnCount)_\(table.name)", columnCount: columnCount, connection: connection)
    keySources[columnCount] = source
    return source
  }

  /// Walks the rows of an entity and everything below it.
  ///
  /// A planned run reads the pages of the store's file itself, on two threads, where nothing speaks against it.
  ///
  /// - Parameters:
  ///   - restart: Is called when all rows come once more, from the first, because SQLite has to be asked after all;
  ///     `nil` when that must not be. Without it rows come in the order of their primary keys, else in any order.
  ///   - body: Is called with each row's primary key and the hashes of its key and of its content (the key
  ///     chained with `contentSlots` in order), as ``ContentHash`` computes them for incoming cells; a row whose key
  ///     has a null is skipped.
  package func scanHashes(
    entity: EntityDescription, keySlots: [Int], contentSlots: [Int], seed: UInt64, restart: (() -> Void)? = nil,
    body: (_ primaryKey: Int64, _ keyHash: UInt64, _ contentHash: UInt64) -> Void
  ) throws(StoreError) {
    let slots = keySlots + contentSlots
    precondition(slots.count <= TableAccess.hashedColumnLimit, "a scan hashes fewer columns")
    try backing?.willRead(entity)
    let condition = entityCondition(entity, alias: table.name).map { " WHERE \($0)" } ?? ""
    try withoutActuallyEscaping(body) { body throws(StoreError) in
      let kinds = slots.map { self.kinds[$0] }
      func hashes(_ body: @escaping (Int64, UInt64, UInt64) -> Void) -> HashScan {
        HashScan(kinds: kinds, keyCount: keySlots.count, seed: seed, body: body)
      }
      if condition.isEmpty, let restart,
        let (pages, root) = try file?.tableScan(table.name, columns: slots.map { column($0) })
      {
        if SharedScan.run(pages, root: root, hashes: hashes, keep: body) { return }
        restart()
      }
      try hashes(body).run(connection, columns: ["Z_PK"] + slots.map { column($0) }, from: table.name + condition)
    }
  }

  /// The most columns that ``scanHashes(entity:keySlots:contentSlots:seed:body:)`` takes.
  package static let hashedColumnLimit = HashScan.columnLimit

  /// Walks the rows of an entity and everything below it in primary key order, a block of rows in `buffer` at a time.
  ///
  /// - Parameter body: Is called after every `blockSize` rows and at the end; the buffer is emptied after each call.
  package func scan(
    entity: EntityDescription, slots: [Int], buffer: RowBuffer, blockSize: Int, body: () -> Void
  ) throws(StoreError) {
    try backing?.willRead(entity)
    let statement = try connection.prepare(scanSQL(entity: entity, slots: slots))
    let reader = FetchedRowReader(self, slots: slots)
    while try statement.step() {
      reader.append(statement, to: buffer)
      if buffer.count >= blockSize {
        body()
        buffer.removeAll()
      }
    }
    if buffer.count > 0 {
      body()
      buffer.removeAll()
    }
  }

  /// The number of rows of an entity and everything below it.
  package func count(_ entity: EntityDescription) throws(StoreError) -> Int {
    try backing?.willRead(entity)
    let condition = entityCondition(entity, alias: table.name).map { " WHERE \($0)" } ?? ""
    return Int(try connection.integer("SELECT count(*) FROM \(table.name)\(condition)") ?? 0)
  }

  /// The greatest order key among the rows whose to-one relationship at `slot` refers to `target`; `nil` for none.
  package func lastOrderKey(slot: Int, target: Int64) throws(StoreError) -> Int64? {
    guard let column = table.orderKeyColumn(slot: slot) else { return nil }
    try backing?.willRead(root: table.rootEntity, referringBy: slot, to: [target])
    return try connection.integer(
      "SELECT max(\(column)) FROM \(table.name) WHERE \(self.column(slot)) = \(target)")
  }

  func entityCondition(_ entity: EntityDescription, alias: String) -> String? {
    guard model.entities[table.rootEntity.index].hasSubentities, !entity.isRoot else { return nil }
    return "\(alias).Z_ENT \(schema.entityTest(entity))"
  }

  /// The column of a slot that has one: attributes and to-one relationships that are stored.
  func column(_ slot: Int) -> String {
    guard let name = table.columnName(slot: slot) else {
      preconditionFailure("slot \(slot) of \(table.name) has no column: it is transient or to-many")
    }
    return name
  }

  func selectList(_ slots: [Int]) -> String {
    var columns = ["t.Z_PK", "t.Z_ENT", "t.Z_OPT"]
    for slot in slots {
      columns.append("t.\(column(slot))")
      if let column = table.destinationEntityColumn(slot: slot) { columns.append("t.\(column)") }
      if let column = table.orderKeyColumn(slot: slot) { columns.append("t.\(column)") }
    }
    return columns.joined(separator: ", ")
  }
}

/// The memory of a column of cells, lent for the time of a call.
package struct CellColumnView {
  /// One ``CellTag`` value a cell.
  package let tags: UnsafePointer<UInt8>
  package let payloads: UnsafePointer<UInt64>

  /// Lends the memory of a column.
  package init(tags: UnsafePointer<UInt8>, payloads: UnsafePointer<UInt64>) {
    self.tags = tags
    self.payloads = payloads
  }
}
