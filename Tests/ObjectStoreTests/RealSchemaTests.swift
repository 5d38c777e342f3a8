import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Schemas of real stores", .enabled(if: Locations.shared != nil))
struct RealSchemaTests {
  private let folder = TemporaryFolder()

  /// What the database says about its tables or indexes; bookkeeping tables apart.
  private func statements(_ connection: Connection, _ type: String) throws -> Set<String> {
    let select = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE type = '\(type)' AND sql IS NOT NULL AND name NOT LIKE 'Z\\_METADATA'"
        + " ESCAPE '\\' AND name NOT IN ('Z_PRIMARYKEY', 'Z_MODELCACHE')")
    var result = Set<String>()
    while try select.step() { result.insert(select.text(0)) }
    return result
  }

  @Test("tables regenerated from the model equal the store's", arguments: RealStore.withModel)
  func tables(_ real: RealStore) throws {
    let connection = try Connection(path: try real.copy(to: folder), mode: .readWrite)
    let schema = StoreSchema(model: try #require(try real.readModel()))
    #expect(try statements(connection, "table") == Set(schema.createTableStatements()))
    let adapted = try schema.adapted(to: connection)
    #expect(adapted.joinTables == schema.joinTables)
    #expect(try PrimaryKeyRow.read(connection).map(\.name) == schema.primaryKeyRows.map(\.name))
    #expect(try PrimaryKeyRow.read(connection).map(\.superNumber) == schema.primaryKeyRows.map(\.superNumber))
  }

  @Test("indexes regenerated from the model equal the store's", arguments: RealStore.withModel)
  func indexes(_ real: RealStore) throws {
    let connection = try Connection(path: try real.copy(to: folder), mode: .readWrite)
    let schema = StoreSchema(model: try #require(try real.readModel()))
    let version = try StoreMetadata.read(connection).frameworkVersion ?? 0
    let expected = schema.indexes.map { index in
      // Up to framework version 754 the index of an attribute was worded like that of a relationship.
      guard version <= 754, index.origin == .attribute else { return index.sql }
      return "CREATE INDEX \(index.table)_\(index.columns[0])_INDEX ON \(index.table) (\(index.columns[0]))"
    }
    #expect(try statements(connection, "index") == Set(expected))
  }

  @Test("bookkeeping tables equal the store's", arguments: RealStore.all)
  func bookkeeping(_ real: RealStore) throws {
    let connection = try Connection(path: try real.copy(to: folder), mode: .readWrite)
    let select = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE name IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE') ORDER BY rowid")
    var found: [String] = []
    while try select.step() { found.append(select.text(0)) }
    #expect(found == StoreSchema(model: try Models.zoo()).bookkeepingStatements())
  }

  @Test("metadata are read, and rewritten without loss", arguments: RealStore.all)
  func metadata(_ real: RealStore) throws {
    let path = try real.copy(to: folder)
    let metadata = try StoreMetadata.read(path: path)
    #expect(metadata.digest == nil || metadata.digest == metadata.hashes.digest)
    #expect(metadata.checksum == nil || metadata.checksum == metadata.hashes.checksum)
    if let model = try real.readModel() {
      #expect(metadata.hashes == ModelHashes(StoreSchema(model: model)))
    }
    let connection = try Connection(path: path, mode: .readWrite)
    try metadata.write(connection)
    #expect(try StoreMetadata.read(connection) == metadata)
  }

  @Test("a run over a real store that is rolled back changes no byte", arguments: RealStore.withModel)
  func rollBack(_ real: RealStore) throws {
    let path = try real.copy(to: folder)
    let before = try FileContents.read(path)
    let log = try? FileContents.read(path + "-wal")
    let file = try StoreFile.open(path: path, model: try #require(try real.readModel()))
    try file.begin()
    for table in file.schema.tables {
      try file.connection.execute("UPDATE \(table.name) SET Z_OPT = Z_OPT + 1")
    }
    try file.commit()
    try file.rollBackRun()
    #expect(try FileContents.read(path) == before)
    #expect((try? FileContents.read(path + "-wal")) == log)
  }
}
