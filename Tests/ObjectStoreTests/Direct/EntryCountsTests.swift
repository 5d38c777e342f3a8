import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore

/// Indexes that were written past SQLite are counted against their tables.
@Suite("Counts of index entries")
struct EntryCountsTests {
  private let folder = TemporaryFolder()

  /// A table, with an index whose entries lack the first `missing` rows.
  private func makeDatabase(rows: Int, missing: Int) throws -> Connection {
    let path = folder.file("t.sqlite")
    let connection = try SQLiteCalls.open(path, .create)
    try SQLiteCalls.execute(
      connection,
      """
      CREATE TABLE T (X INTEGER);
      INSERT INTO T WITH RECURSIVE N(X) AS (VALUES (1) UNION ALL SELECT X + 1 FROM N WHERE X < \(rows)) SELECT X FROM N;
      CREATE INDEX WHOLE ON T (X);
      CREATE INDEX SHORT ON T (X) WHERE X > \(missing);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX SHORT ON T (X)' WHERE name = 'SHORT';
      """)
    try SQLiteCalls.close(connection)
    return try SQLiteCalls.open(path, .readWrite)
  }

  /// Few rows are counted at once, many on a thread.
  @Test("an index without an entry for each row is named", arguments: [0, 1, 10], [10, 100_000])
  func missing(_ missing: Int, _ rows: Int) throws {
    let connection = try makeDatabase(rows: rows, missing: missing)
    #expect((try SQLiteCalls.integer(connection, "PRAGMA page_count") ?? 0 > 256) == (rows > 10))
    let counts = EntryCounts(connection, indexes: [("T", "WHOLE"), ("T", "SHORT")], descriptor: nil)
    #expect(try counts.wait() == (missing == 0 ? nil : "SHORT has \(rows - missing) entries for \(rows) rows"))
  }

  @Test("a file that cannot be synced is an error, and so is an index that is not there", arguments: [10, 100_000])
  func failures(rows: Int) throws {
    let connection = try makeDatabase(rows: rows, missing: 0)
    let counts = EntryCounts(connection, indexes: [("T", "WHOLE")], descriptor: -1)
    #expect(#expect(throws: StoreError.self) { try counts.wait() }?.code == .inputOutput)
    let other = EntryCounts(connection, indexes: [("T", "NONE")], descriptor: nil)
    #expect(#expect(throws: StoreError.self) { try other.wait() }?.code == .damagedFile)
  }

  @Test("a store with an index that lacks an entry gets no name, and nothing of it stays")
  func refused() throws {
    let path = folder.file("zoo.sqlite")
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    let connection = file.connection
    try file.begin()
    try SQLiteCalls.execute(
      connection, "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Ara'), (2, 1, 1, 'Bison')")
    try file.buildIndexes()
    let index = try #require(file.schema.indexes.first { $0.name == "ZANIMAL_Z_ENT_INDEX" })
    // The connection knows an index of one of the two rows, the file says that it has both.
    try SQLiteCalls.execute(
      connection,
      """
      CREATE TEMP TABLE SAID AS SELECT sql FROM sqlite_schema WHERE name = '\(index.name)';
      DROP INDEX \(index.name);
      CREATE INDEX \(index.name) ON ZANIMAL (Z_ENT) WHERE Z_PK > 1;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = (SELECT sql FROM SAID) WHERE name = '\(index.name)';
      PRAGMA writable_schema = OFF;
      """)
    try file.commit()
    file.directRecord.tables = ["ZANIMAL"]
    let error = #expect(throws: StoreError.self) { try file.finish() }
    #expect(error?.code == .damagedFile)
    #expect(error?.message.contains("\(index.name) has 1 entries for 2 rows") == true, "\(error?.message ?? "")")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
