public import MergewalkObjectModel
package import MergewalkSQLite

/// A store as rows in the tables of Core Data's layout.
///
/// The tables of an SQLite store are in its file. Stores of all other types have theirs in memory, so that there is one
/// way of reading and writing rows; a ``StoreObserver`` behind them receives each transaction.
///
/// The store knows tables and rows, not objects. It is confined to one task, like its connection.
public final class PersistentStore {
  /// The file, new or existing.
  package let file: StoreFile
  /// The model of its data.
  public let model: ManagedObjectModel
  /// The tables and columns.
  package let schema: StoreSchema
  package let connection: Connection
  /// The kind of storage of the records.
  public let type: PersistentStoreType
  /// The configuration whose entities the store has; `nil` for all.
  public let configuration: String?
  /// The options with which the store was opened.
  public let options: PersistentStoreOptions
  /// The outcome of the migration on opening the store; `nil` if there was none.
  ///
  /// ``StoreMigrator/Outcome/removed`` names the data that are gone.
  public internal(set) var migration: StoreMigrator.Outcome?
  /// Additions of an app to the file that the migration on opening the store did not keep.
  public var lostInMigration: [MigrationLoss] { migration?.lost ?? [] }
  /// Who hears of transactions, in this order.
  package var observers: [any StoreObserver] = []
  /// The backing that brings the records of an incremental store into the tables.
  var incremental: IncrementalBacking?
  /// Whether a batch request is running: its transaction must not take the rows of other work along.
  package var isInBatchRequest = false { didSet { if isInBatchRequest { batchRequestNumber &+= 1 } } }
  private(set) var batchRequestNumber = 0

  /// The slots of each root entity whose attributes allow external storage.
  private(set) var externalSlotLists: [[Int]] = []

  private let entityNumbers: EntityNumberTable
  private var accesses: [TableAccess?]
  private var linkAccesses: [LinkStorage: LinkAccess] = [:]
  private var maxima: [Int64]
  private var writtenMaxima: [Int64]
  /// SQLite's mark of changes by other connections when the sequences were read; `nil` to read them again.
  private var knownVersion: Int64?
  private var dataVersionStatement: Statement?
  private var seenVersion: Int64?
  /// How many transactions contexts and batch requests have written, and how often it was noticed that another
  /// connection had.
  package var writes = 0
  /// The numbers of saves over several stores that others have committed and this one could not, by pair.
  package var owedSaves: [String: Int64] = [:]
  /// The last of them, which is written down until it is here.
  var owedSave: JointSave?
  /// The statements of compiled fetches.
  private(set) lazy var queryStatements = StatementCache(connection: connection)

  /// Takes over an open file.
  ///
  /// - Throws: ``StoreError`` when the bookkeeping cannot be read.
  package init(
    file: StoreFile, type: PersistentStoreType = .sqlite, configuration: String? = nil,
    options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) {
    self.file = file
    self.type = type
    self.configuration = configuration
    self.options = options
    model = file.schema.model
    schema = file.schema
    connection = file.connection
    entityNumbers = EntityNumberTable(file.schema)
    accesses = Array(repeating: nil, count: model.entities.count)
    maxima = Array(repeating: 0, count: model.entities.count)
    writtenMaxima = maxima
    // Read before the sequences, so that whoever writes in between is noticed.
    if type == .sqlite { knownVersion = try readDataVersion() }
    // Damage at the end of a table that is only read must not keep its beginning from being read.
    if !file.isOnlyRead {
      for table in schema.tables {
        maxima[table.rootEntity.index] = try file.maximumPrimaryKey(forRoot: table.rootEntity)
      }
    }
    writtenMaxima = maxima
    externalSlotLists = model.entities.map { root in
      guard root.isRoot, schema.entityNumbers[root.index] > 0 else { return [] }
      let table = schema.table(forRoot: root.root)
      let slots = model.family(of: root.index).flatMap(\.attributes).filter {
        $0.allowsExternalBinaryDataStorage && table.columnName(slot: $0.slot) != nil
      }.map(\.slot)
      return Set(slots).sorted()
    }
    ExternalFileSweeper.attach(to: self)
    DerivedValueWriter.attach(to: self)
    if options.tracksHistory, !options.isReadOnly {
      guard type == .sqlite || type == .inMemory else {
        throw StoreError(.unsupported, path: file.path, message: "a store of type \(type) keeps no persistent history")
      }
      try HistoryRecorder.attach(to: self)
    } else {
      // History with holes would be worse than none, so a store that has history continues it.
      try HistoryRecorder.adopt(store: self)
    }
  }

  /// The store's identity: 36 characters in upper case, part of its objects' IDs.
  public var identifier: String { file.metadata.uuid }
  /// The path that the store was opened with.
  public var path: String { file.path }
  /// Whether saves that would change the store are refused.
  public var isReadOnly: Bool { options.isReadOnly }

  /// Whether the store has objects of an entity: its configuration may leave some out.
  public func contains(_ entity: EntityDescription) -> Bool { schema.entityNumbers[entity.index] > 0 }

  /// The number of SQL statements that ran on the connection.
  public var statementsExecuted: Int { connection.statementsExecuted }

  /// Ensures that there is something to ask: statements end with their connection.
  private func checkOpen() throws(StoreError) {
    if connection.isClosed { throw StoreError(.closed, path: file.path, message: "the store was closed") }
  }

  /// The statements of the table that belongs to a root entity.
  ///
  /// - Throws: ``StoreError`` with `closed`, or when they cannot be compiled.
  package func access(root: RootIndex) throws(StoreError) -> TableAccess {
    try checkOpen()
    if let access = accesses[root.index] { return access }
    let access = try TableAccess(
      connection: connection, root: root, schema: schema, entityNumbers: entityNumbers)
    access.backing = incremental
    access.file = file
    accesses[root.index] = access
    return access
  }

  /// The statements of a to-many relationship that has no column of its own.
  ///
  /// - Throws: As ``access(root:)`` does.
  package func links(_ storage: LinkStorage) throws(StoreError) -> LinkAccess {
    try checkOpen()
    if let access = linkAccesses[storage] { return access }
    let access = try LinkAccess(
      storage, number: linkAccesses.count, connection: connection, schema: schema, entityNumbers: entityNumbers)
    access.backing = incremental
    linkAccesses[storage] = access
    return access
  }

  /// Reads the sequences again when another connection has written since the last call; belongs at the start of the
  /// transaction that takes keys, so that no other connection can take the same.
  ///
  /// - Complexity: One statement when no other connection wrote.
  package func refreshMaxima() throws(StoreError) {
    guard type == .sqlite else { return }
    let version = try readDataVersion()
    guard version != knownVersion else { return }
    for table in schema.tables {
      let root = table.rootEntity.index
      let said =
        try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(schema.entityNumbers[root])") ?? 0
      let found = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
      maxima[root] = max(maxima[root], said, found)
      writtenMaxima[root] = said
    }
    knownVersion = version
  }

  /// A number that moves when another connection has written.
  private func readDataVersion() throws(StoreError) -> Int64 {
    if dataVersionStatement == nil { dataVersionStatement = try connection.prepare("PRAGMA data_version") }
    guard let statement = dataVersionStatement else { return 0 }
    defer { statement.reset() }
    let version = try statement.step() ? statement.integer(0) : 0
    if let seenVersion, seenVersion != version { writes += 1 }
    seenVersion = version
    return version
  }

  /// Takes the next `count` primary keys of a root entity's sequence and returns the first.
  package func takePrimaryKeys(root: RootIndex, count: Int) -> Int64 {
    // A damaged store may name the greatest number there is: the insert then fails, as its key is taken.
    let greatest = Int64.max - Int64(count)
    let last = max(0, min(maxima[root.index], greatest))
    var first = last + 1
    // Keys from somewhere else are believed as far as they are keys.
    if let given = incremental?.takeKeys(count, root: root), given > 0, given <= greatest { first = given }
    maxima[root.index] = max(maxima[root.index], first + (Int64(count) - 1))
    return first
  }

  /// How far the sequences have come, to go back there when a transaction does.
  package struct Sequences {
    fileprivate var taken: [Int64]
    fileprivate var written: [Int64]
  }

  /// How far the sequences have come.
  package var sequences: Sequences {
    get { Sequences(taken: maxima, written: writtenMaxima) }
    set {
      maxima = newValue.taken
      writtenMaxima = newValue.written
      knownVersion = nil
    }
  }

  /// The greatest primary key taken so far.
  package func maximum(root: RootIndex) -> Int64 { maxima[root.index] }

  /// The primary key that the next new row gets, where one is left.
  package func nextPrimaryKey(root: RootIndex) -> Int64 { max(0, min(maxima[root.index], Int64.max - 1)) + 1 }

  /// Whether a sequence has come so far that an import could run out of keys; a damaged store may say so.
  package func isNearlyExhausted(root: RootIndex) -> Bool { maxima[root.index] > Int64.max - (1 << 40) }

  /// Writes the sequences that moved since the last call; belongs into the transaction of the rows.
  package func writeMaxima() throws(StoreError) {
    if let direct = file.direct {
      // With the first statement that goes to SQLite again.
      direct.didEnd = { [weak self] () throws(StoreError) in try self?.writeMaxima() }
      return
    }
    let moved = maxima.indices.filter { maxima[$0] != writtenMaxima[$0] }
    if moved.isEmpty { return }
    try file.writeMaxima(moved.map { (rootEntity: RootIndex($0), maximum: maxima[$0]) })
    for root in moved { writtenMaxima[root] = maxima[root] }
  }
}

@available(*, unavailable, message: "a store is confined to one task; open another one there")
extension PersistentStore: Sendable {}
