import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("What SQLite refuses")
struct DatabaseFailureTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("data.sqlite") }

  /// What SQLite says of one thing after another.
  private func failure(_ body: () throws(StoreError) -> Void) throws -> DatabaseFailure {
    do throws(StoreError) { try body() } catch { return try #require(error.cause, "\(error)") }
    throw Unexpected()
  }
  private struct Unexpected: Error {}

  private func table() throws -> DatabaseFile {
    let file = try DatabaseFile(path, .create)
    try file.execute(
      """
      CREATE TABLE T (A INTEGER PRIMARY KEY, B, C, D INTEGER NOT NULL CHECK (D > 0));
      CREATE UNIQUE INDEX I ON T (B, C); CREATE UNIQUE INDEX J ON T (B + C * A);
      CREATE TRIGGER G BEFORE INSERT ON T WHEN new.B = 'no' BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: T.X'); END;
      INSERT INTO T VALUES (1, 2, 3, 4)
      """)
    return file
  }

  @Test("a row that others are in the way of names the columns; other refusals name none")
  func columns() throws {
    let file = try table()
    let both = try failure { () throws(StoreError) in try file.execute("INSERT INTO T VALUES (2, 2, 3, 4)") }
    #expect(both.kind == .unique && both.columns == ["T.B", "T.C"])
    #expect(both.code == 2067 && both.statement == "INSERT INTO T VALUES (2, 2, 3, 4)")
    let key = try failure { () throws(StoreError) in try file.execute("INSERT INTO T VALUES (1, 7, 7, 4)") }
    #expect(key.kind == .unique && key.columns == ["T.A"])
    let expression = try failure { () throws(StoreError) in try file.execute("INSERT INTO T VALUES (2, 1, 2, 4)") }
    #expect(expression.kind == .unique && expression.columns == [])
    for values in ["(5, 5, 5, NULL)", "(5, 5, 5, -1)", "(5, 'no', 5, 1)", "('x', 5, 5, 1)"] {
      let other = try failure { () throws(StoreError) in try file.execute("INSERT INTO T VALUES \(values)") }
      #expect(other.kind == .constraint && other.columns == [], "\(values): \(other)")
    }
  }

  @Test("what is wrong with a statement, a lock or a file has a kind of its own")
  func kinds() throws {
    let file = try table()
    func kind(_ sql: String) throws -> DatabaseFailure.Kind {
      try failure { () throws(StoreError) in
        let rows = try file.rows(sql)
        while try rows.step() {}
      }.kind
    }
    #expect(try kind("SELECT nothing FROM T") == .statement)
    #expect(try kind("SELECT 1 FROM \(String(repeating: "(SELECT 1 FROM ", count: 200))") == .tooLarge)
    #expect(try kind("SELECT \(repeatElement("1", count: 2100).joined(separator: ", "))") == .tooLarge)
    #expect(try kind("SELECT \(repeatElement("1", count: 1500).joined(separator: " + "))") == .tooLarge)
    #expect(try kind("SELECT zeroblob(2000000000) || 'x'") == .tooLarge)
    #expect(try kind("SELECT sum(v) FROM (SELECT 9223372036854775807 v UNION ALL SELECT 1)") == .overflow)

    let other = try DatabaseFile(path, .readWrite)
    try file.execute("BEGIN EXCLUSIVE")
    try other.execute("PRAGMA busy_timeout = 1")
    #expect(
      try failure { () throws(StoreError) in try other.execute("BEGIN EXCLUSIVE") }.kind == .busy)
    try file.execute("COMMIT")

    let reading = try DatabaseFile(path, .read)
    #expect(try failure { () throws(StoreError) in try reading.execute("DELETE FROM T") }.kind == .readOnly)
    #expect(
      try failure { () throws(StoreError) in _ = try DatabaseFile(folder.file("none/x"), .read) }.kind == .unopenable)
    try folder.write(String(repeating: "text", count: 100), to: "text")
    #expect(
      try failure { () throws(StoreError) in
        _ = try DatabaseFile(folder.file("text"), .read).integer("SELECT count(*) FROM sqlite_schema")
      }.kind == .notADatabase)
  }

  @Test("an interrupted statement says so")
  func interrupted() throws {
    let coordinator = PersistentStoreCoordinator(model: try Models.zoo())
    let store = try coordinator.addSQLiteStore(at: path)
    let found = try failure { () throws(StoreError) in
      try store.interruptible({ true }) { () throws(StoreError) in
        let rows = try store.rows(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
        while try rows.step() {}
      }
    }
    #expect(found.kind == .interrupted)
    try coordinator.close()
  }

  @Test("errors of a store that is being built name the store, not its hidden file")
  func nameOfNewStore() throws {
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    let store = try PersistentStore(file: file)
    let error = #expect(throws: StoreError.self) { _ = try store.rows("SELECT nothing") }
    #expect(error?.path == path)
    try file.rollBackRun()
  }

  @Test("a transaction that fails takes its primary keys back, also when it fails at its end")
  func sequences() throws {
    let coordinator = PersistentStoreCoordinator(model: try Models.zoo())
    let store = try coordinator.addSQLiteStore(at: path)
    let root = try #require(store.model.entity(named: "Animal")).root
    let first = store.takePrimaryKeys(root: root, count: 1)
    struct Stop: Error {}
    for isLate in [false, true] {
      #expect(throws: (any Error).self) {
        try store.inTransaction({ $0 as any Error }) { () throws(any Error) in
          #expect(store.isInTransaction)
          _ = store.takePrimaryKeys(root: root, count: 10)
          try store.writeMaxima()
          if !isLate { throw Stop() }
          // The transaction is gone when it should be committed.
          _ = try store.rows("ROLLBACK").step()
        }
      }
      #expect(!store.isInTransaction)
      #expect(store.maximum(root: root) == first)
    }
    try store.inTransaction { () throws(StoreError) in
      #expect(store.takePrimaryKeys(root: root, count: 1) == first + 1)
      try store.writeMaxima()
    }
    let rows = try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Animal'")
    #expect(try rows.step() && rows.integer(0) == first + 1)
    try coordinator.close()
  }
}
