import MergewalkImporting
import MergewalkRecordFormats
import MergewalkSQLite
import Testing

@Suite("Rows of SQLite databases")
struct SQLiteSourceTests {
  // MARK: Values

  @Test("values are what the row has, whatever the column says")
  func values() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (i INTEGER, r REAL, t TEXT, b BLOB, n NUMERIC)",
      """
      INSERT INTO t VALUES
        (-9223372036854775808, 0.1, 'grün', x'00ff10', NULL),
        ('text', 'no number', '', x'', 12.0),
        (1.5, 5, 'a "b" \\ c' || char(10), 'text in a blob', '1e400'),
        (9223372036854775807, 9e999, '👩‍👩‍👧', 1e300, -9e999)
      """)
    let reading = database.read()
    #expect(reading.columns == ["i", "r", "t", "b", "n"])
    #expect(
      reading.lines == [
        "1: #-9223372036854775808|#0.1|«grün»|«AP8Q»|∅",
        "2: «text»|«no number»|«»|«»|#12",
        "3: #1.5|#5.0|«a \"b\" \\ c\n»|«text in a blob»|«Infinity»",
        "4: #9223372036854775807|«Infinity»|«👩‍👩‍👧»|#1e+300|«-Infinity»",
      ])
    #expect(reading.failure == nil)
  }

  @Test("bytes are base64, hexadecimal digits or text")
  func blobs() throws {
    let database = try TestDatabase("CREATE TABLE t (b)", "INSERT INTO t VALUES (x'6162'), (x'ff'), (x'')")
    #expect(database.read().lines == ["1: «YWI=»", "2: «/w==»", "3: «»"])
    #expect(database.read(blobs: .hex).lines == ["1: «6162»", "2: «FF»", "3: «»"])
    #expect(
      database.read(blobs: .text).lines == ["1: «ab»", "invalidText@2:6 {\"b\":\"\u{FFFD}\"}", "3: «»"])
  }

  @Test("text with NUL, or that is not UTF-8, rejects its record; the raw text is a JSON object")
  func badTexts() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (id, name)",
      "INSERT INTO t VALUES (1, 'fine'), (2, 'a' || char(0) || 'b'), (3, CAST(x'61ff' AS TEXT)), (4, 'fine')")
    #expect(
      database.read().lines == [
        "1: #1|«fine»", #"nulByte@2:16 {"id":2,"name":"a\u0000b"}"#,
        "invalidText@3:16 {\"id\":3,\"name\":\"a\u{FFFD}\"}", "4: #4|«fine»",
      ])
    // Columns that are not asked for do not count.
    #expect(database.read(columns: .named(["id"])).lines == ["1: #1", "2: #2", "3: #3", "4: #4"])
  }

  @Test("databases in UTF-16 give UTF-8")
  func utf16() throws {
    for encoding in ["UTF-16le", "UTF-16be"] {
      let database = try TestDatabase(
        "PRAGMA encoding = '\(encoding)'", "CREATE TABLE t (name)", "INSERT INTO t VALUES ('grün 👩'), ('a\"b'), ('')")
      #expect(database.read().lines == ["1: «grün 👩»", "2: «a\"b»", "3: «»"])
      #expect(database.read(.query("SELECT upper(name) AS n FROM t")).lines.first == "1: «GRüN 👩»")
    }
  }

  @Test("half a surrogate pair rejects its record")
  func loneSurrogate() throws {
    let database = try TestDatabase("PRAGMA encoding = 'UTF-16le'", "CREATE TABLE t (id, name)")
    let connection = try Connection(path: database.path, mode: .readWrite)
    try connection.execute("INSERT INTO t VALUES (1, CAST(x'3DD86100' AS TEXT)), (2, CAST(x'3DD869DC' AS TEXT))")
    try connection.close()
    let lines = database.read().lines
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("invalidText@1:16"))
    #expect(lines[1] == "2: #2|«👩»")
  }

  @Test("a record that is too long is rejected by itself")
  func longRecords() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (id, x)",
      "INSERT INTO t VALUES (1, 'a'), (2, zeroblob(100000)), (3, printf('%.*c', 200, 'x')), (4, 'b')")
    let lines = database.read(maxRecordBytes: 150).lines
    #expect(lines.map { $0.prefix(16) } == ["1: #1|«a»", "recordTooLong@2:", "recordTooLong@3:", "4: #4|«b»"])
    #expect(database.read(columns: .named(["id"]), maxRecordBytes: 150).lines.count == 4)
  }

  // MARK: Tables

  @Test("the only table needs no name, and names have no case")
  func tableNames() throws {
    let database = try TestDatabase(
      "CREATE TABLE \"Odd \"\" name\" (\"a \"\" b\", \"select\")", "INSERT INTO \"Odd \"\" name\" VALUES (1, 2)",
      "CREATE VIEW v AS SELECT 7 AS seven")
    #expect(database.read().lines == ["1: #1|#2"])
    #expect(database.read().columns == ["a \" b", "select"])
    #expect(database.read(.table("odd \" NAME")).lines == ["1: #1|#2"])
    #expect(database.read(.table("v")).lines == ["1: #7"])
    #expect(
      database.read(.table("od")).failure
        == "the database has no table or view “od”; it has Odd \" name, v [unknownTable]")
  }

  @Test("several tables, or none, ask for a name")
  func severalTables() throws {
    let several = try TestDatabase("CREATE TABLE orders (a)", "CREATE TABLE customers (a)")
    #expect(
      several.read().failure
        == "the database has 2 tables; name one with “table”: customers, orders [unknownTable]")
    #expect(
      several.read(.table("ordrs")).failure
        == "the database has no table or view “ordrs”; did you mean “orders”? [unknownTable]")
    let none = try TestDatabase("CREATE VIEW one AS SELECT 1 AS x")
    #expect(
      none.read().failure == "the database has no table; name a view with “table”: one [unknownTable]")
    let empty = try TestDatabase("PRAGMA user_version = 1")
    #expect(empty.read().failure == "the database has no table [unknownTable]")
  }

  @Test("columns are those asked for, in their order; what is not there is refused with what may be meant")
  func columns() throws {
    let database = try TestDatabase("CREATE TABLE t (id, name, price)", "INSERT INTO t VALUES (1, 'x', 2.5)")
    #expect(database.read(columns: .named(["price", "id"])).lines == ["1: #2.5|#1"])
    #expect(database.read(columns: .named([])).lines == ["1: "])
    #expect(
      database.read(columns: .named(["nam"])).failure
        == "“t” has no column “nam”; did you mean “name”? [missingColumn]")
    // A name in quotes that is no column would be a text to SQLite.
    #expect(database.read(columns: .named(["rowid"])).code == .missingColumn)
  }

  @Test("generated columns, tables without row numbers, virtual tables and views are read")
  func kindsOfTables() throws {
    let generated = try TestDatabase(
      "CREATE TABLE t (a INTEGER, b AS (a * 2) VIRTUAL, c AS (a * 3) STORED)", "INSERT INTO t VALUES (5), (6)")
    #expect(generated.read().columns == ["a", "b", "c"])
    #expect(generated.read().lines == ["1: #5|#10|#15", "2: #6|#12|#18"])
    let keyed = try TestDatabase(
      "CREATE TABLE t (name TEXT, part INTEGER, x, PRIMARY KEY (part DESC, name)) WITHOUT ROWID",
      "INSERT INTO t VALUES ('b', 1, 1), ('a', 2, 2), ('a', 1, 3)")
    #expect(keyed.read().lines == ["1: «a»|#1|#3", "2: «b»|#1|#1", "3: «a»|#2|#2"])
    let found = try TestDatabase(
      "CREATE VIRTUAL TABLE t USING fts5(title, body)", "INSERT INTO t VALUES ('one', 'two'), ('three', 'four')")
    #expect(found.read().columns == ["title", "body"])
    #expect(found.read().lines == ["1: «one»|«two»", "2: «three»|«four»"])
    #expect(found.read(.query("SELECT body FROM t WHERE t MATCH 'three'")).lines == ["1: «four»"])
    let boxes = try TestDatabase("CREATE VIRTUAL TABLE t USING rtree(id, x0, x1)", "INSERT INTO t VALUES (7, 1, 2)")
    #expect(boxes.read().lines == ["1: #7|#1.0|#2.0"])
    #expect(boxes.read(.query("SELECT id FROM t WHERE x0 > 0")).lines == ["1: #7"])
  }

  @Test("rows come in the order of their numbers, whichever columns are read")
  func order() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (name TEXT, x)", "CREATE INDEX i ON t (name)", "INSERT INTO t VALUES ('c', 1), ('a', 2), ('b', 3)"
    )
    #expect(database.read(columns: .named(["name"])).lines == ["1: «c»", "2: «a»", "3: «b»"])
    // Columns that take the names of the row's number.
    let odd = try TestDatabase(
      "CREATE TABLE t (rowid TEXT, oid TEXT)", "CREATE INDEX i ON t (rowid)", "INSERT INTO t VALUES ('c', 1), ('a', 2)")
    #expect(odd.read(columns: .named(["rowid"])).lines == ["1: «c»", "2: «a»"])
    let full = try TestDatabase("CREATE TABLE t (rowid, oid, _rowid_)", "INSERT INTO t VALUES (3, 2, 1)")
    #expect(full.read().lines == ["1: #3|#2|#1"])
  }

  // MARK: Batches

  @Test("batches depend on the limit only, and all limits give the same records")
  func limits() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x)",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO t SELECT i, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a' || char(0) WHEN 2 THEN i / 3.0
        WHEN 3 THEN 'text "' || i ELSE randomblob(i) END FROM n
      """)
    let whole = database.read()
    #expect(whole.lines.count == 500)
    #expect(whole.lines.filter { $0.hasPrefix("nulByte") }.count == 100)
    for limit in [BatchLimit(records: 1), BatchLimit(records: 7), BatchLimit(bytes: 1), BatchLimit(bytes: 300)] {
      #expect(database.read(limit: limit) == whole)
    }
  }

  @Test("fields that had to be escaped know their places in the raw text")
  func positions() throws {
    let database = try TestDatabase("CREATE TABLE t (a, b, c)", "INSERT INTO t VALUES (1, 'x\"y', 'z')")
    var reader = try RecordFormat.sqlite().reader(source: ByteSource(path: database.path), columns: .all, index: 0)
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(String(decoding: batch.raw(0), as: UTF8.self) == #"{"a":1,"b":"x\"y","c":"z"}"#)
    #expect((0..<3).map { batch.column(0, $0) } == [6, 12, 23])
    #expect(reader.bytesRead > 0)
  }
}
