import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Connection and statement")
struct ConnectionTests {
  private let folder = TemporaryFolder()

  private func make(_ sql: String = "CREATE TABLE t (a INTEGER PRIMARY KEY, b)") throws -> Connection {
    let connection = try Connection(path: folder.file("a.sqlite"), mode: .create)
    try connection.execute(sql)
    return connection
  }

  @Test("values of every storage class come back as they were bound")
  func values() throws {
    let connection = try make()
    let insert = try connection.prepare("INSERT INTO t (b) VALUES (?)")
    insert.bind(1, Int64.min)
    try insert.run()
    insert.bind(1, 1.5)
    try insert.run()
    insert.bind(1, text: "é\u{0}x")
    try insert.run()
    insert.bindNull(1)
    try insert.run()
    let blob: [UInt8] = [0, 255, 7]
    try blob.withUnsafeBytes { bytes in
      insert.bind(1, blob: bytes)
      try insert.run()
      insert.bind(1, textBytes: UnsafeRawBufferPointer(start: nil, count: 0))
      try insert.run()
      insert.bind(1, blob: UnsafeRawBufferPointer(start: nil, count: 0))
      try insert.run()
    }
    let select = try connection.prepare("SELECT b, typeof(b) FROM t ORDER BY a")
    var rows: [String] = []
    while try select.step() { rows.append("\(select.text(1)):\(Array(select.bytes(0)))") }
    #expect(
      rows == [
        "integer:\(Array("\(Int64.min)".utf8))", "real:\(Array("1.5".utf8))", "text:[195, 169, 0, 120]", "null:[]",
        "blob:[0, 255, 7]", "text:[]", "blob:[]",
      ])
  }

  @Test("every statement counts once a run, also through execute")
  func counts() throws {
    let connection = try make()
    #expect(connection.statementsExecuted == 1)
    try connection.execute("BEGIN; INSERT INTO t VALUES (1, 2); COMMIT;  -- end")
    #expect(connection.statementsExecuted == 4)
    let select = try connection.prepare("SELECT a FROM t")
    for _ in 0..<3 {
      while try select.step() {}
      select.reset()
    }
    #expect(connection.statementsExecuted == 7)
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    #expect(try connection.text("SELECT NULL") == nil)
    #expect(connection.statementsExecuted == 9)
  }

  @Test("errors carry the extended code and the statement without values")
  func errors() throws {
    let connection = try make("CREATE TABLE t (a UNIQUE)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    insert.bind(1, text: "secret")
    try insert.run()
    let error = try #require(throws: SQLiteError.self) { try insert.run() }
    #expect(error.code == 2067)
    #expect(error.primaryCode == 19)
    #expect(error.sql == "INSERT INTO t VALUES (?)")
    insert.bind(1, text: "other")
    try insert.run()
    #expect(connection.changes == 1)
    let syntax = try #require(throws: SQLiteError.self) { try connection.execute("SELECT 1; SELEC") }
    #expect(syntax.code == 1)
    let missing = try #require(throws: SQLiteError.self) {
      _ = try Connection(path: folder.file("none.sqlite"), mode: .readWrite)
    }
    #expect(missing.code == 14)
    #expect(throws: SQLiteError.self) { _ = try connection.prepare("  -- nothing") }
  }

  @Test("a parameter that does not exist is refused by the next step")
  func parameterRange() throws {
    let connection = try make()
    let insert = try connection.prepare("INSERT INTO t (b) VALUES (?)")
    insert.bind(2, Int64(1))
    let error = try #require(throws: SQLiteError.self) { try insert.run() }
    #expect(error.code == 25)
    insert.bind(1, Int64(1))
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test("closing leaves the statements of full-text tables to those")
  func closingFullText() throws {
    let connection = try Connection(path: folder.file("text.sqlite"), mode: .create)
    try connection.execute("CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('one'), ('two')")
    let select = try connection.prepare("SELECT a FROM t WHERE t MATCH 'one'")
    #expect(try select.step())
    #expect(select.text(0) == "one")
    try connection.close()
    #expect(connection.isClosed)
    let again = try Connection(path: folder.file("text.sqlite"), mode: .readOnly)
    #expect(try again.integer("SELECT count(*) FROM t") == 2)
    try again.close()
  }

  @Test("closing ends the statements that are still there")
  func closing() throws {
    let connection = try make()
    let select = try connection.prepare("SELECT a FROM t")
    _ = try select.step()
    try connection.close()
    try connection.close()
    #expect(connection.isClosed)
    let other = try Connection(path: folder.file("a.sqlite"), mode: .readWrite)
    try other.execute("PRAGMA locking_mode=EXCLUSIVE; INSERT INTO t VALUES (9, 9)")
  }

  @Test("paths that look like URIs are paths", arguments: ["a?mode=memory", "50%25#é", "file:x"])
  func paths(_ name: String) throws {
    for mode in [Connection.Mode.create, .readWrite, .readOnly, .immutable] {
      let connection = try Connection(path: folder.file(name), mode: mode)
      if mode == .create { try connection.execute("CREATE TABLE t (a)") }
      #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
  }

  @Test("a registered function returns null")
  func nullFunction() throws {
    let connection = try make()
    try connection.registerNullFunction("nobody", argumentCount: 2)
    #expect(try connection.integer("SELECT nobody(1, 'x') IS NULL") == 1)
  }

  @Test("the recorder sees the values")
  func tracing() throws {
    let connection = try make()
    var seen: [String] = []
    connection.trace { seen.append($0) }
    let insert = try connection.prepare("INSERT INTO t (b) VALUES (?)")
    insert.bind(1, text: "x")
    try insert.run()
    connection.trace(nil)
    try insert.run()
    #expect(seen == ["INSERT INTO t (b) VALUES ('x')"])
  }

  @Test("pragma sets leave the connection as documented")
  func pragmas() throws {
    let load = try Connection(path: folder.file("load.sqlite"), mode: .create)
    try load.apply(.load(cacheKiB: 1000, threads: 2))
    #expect(try load.text("PRAGMA journal_mode") == "off")
    #expect(try load.integer("PRAGMA synchronous") == 0)
    #expect(try load.text("PRAGMA locking_mode") == "exclusive")
    #expect(try load.integer("PRAGMA cache_size") == -1000)
    #expect(try load.integer("PRAGMA secure_delete") == 0)
    #expect(try load.integer("PRAGMA threads") == 2)
    try load.execute("CREATE TABLE t (a)")
    try load.close()
    let update = try Connection(path: folder.file("load.sqlite"), mode: .readWrite)
    try update.apply(.update())
    // The journal mode is the store's.
    #expect(try update.text("PRAGMA journal_mode") == "delete")
    #expect(try update.integer("PRAGMA synchronous") == 2)
    #expect(try update.integer("PRAGMA wal_autocheckpoint") == 0)
    try update.close()
    let read = try Connection(path: folder.file("load.sqlite"), mode: .readOnly)
    try read.apply(.read())
    #expect(throws: SQLiteError.self) { try read.execute("CREATE TABLE u (a)") }
  }
}
