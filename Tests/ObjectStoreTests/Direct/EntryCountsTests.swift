import MergewalkSQLite
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore

/// Indexes that were written past SQLite are counted against their tables.
@Suite("Counts of index entries")
struct EntryCountsTests {
  private let folder = TemporaryFolder()

  /// A table of ten rows, with an index whose entries lack the first `missing` of them.
  private func makeDatabase(missing: Int) throws -> String {
    let path = folder.file("t.sqlite")
    let connection = try SQLiteCalls.open(path, .create)
    try SQLiteCalls.execute(
      connection,
      """
      CREATE TABLE T (X INTEGER);
      INSERT INTO T WITH RECURSIVE N(X) AS (VALUES (1) UNION ALL SELECT X + 1 FROM N WHERE X < 10) SELECT X FROM N;
      CREATE INDEX WHOLE ON T (X);
      CREATE INDEX SHORT ON T (X) WHERE X > \(missing);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX SHORT ON T (X)' WHERE name = 'SHORT';
      """)
    try SQLiteCalls.close(connection)
    return path
  }

  @Test("an index without an entry for each row is named", arguments: [0, 1, 10])
  func missing(_ missing: Int) throws {
    let path = try makeDatabase(missing: missing)
    let counts = EntryCounts(path: path, indexes: [("T", "WHOLE"), ("T", "SHORT")], descriptor: nil)
    #expect(try counts.wait() == (missing == 0 ? nil : "SHORT has \(10 - missing) entries for 10 rows"))
  }

  @Test("a file that cannot be synced is an error, and so is one that is not there")
  func failures() throws {
    let counts = EntryCounts(path: try makeDatabase(missing: 0), indexes: [("T", "WHOLE")], descriptor: -1)
    #expect(#expect(throws: StoreError.self) { try counts.wait() }?.code == .inputOutput)
    let none = EntryCounts(path: folder.file("none"), indexes: [], descriptor: nil)
    #expect(#expect(throws: StoreError.self) { try none.wait() } != nil)
  }
}
