import MergewalkImporting
import MergewalkRecordFormats
import Testing

@Suite("Queries as sources")
struct SQLiteQueryTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, amount REAL)",
      "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)", "CREATE INDEX by_name ON customers (name)",
      "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Ben')",
      "INSERT INTO orders VALUES (10, 1, 2.5), (11, 2, 3), (12, 1, 4)")
  }

  @Test(
    "a query is one statement that reads",
    arguments: [
      (
        "SELECT name, sum(amount) AS total FROM orders JOIN customers c ON c.id = customer GROUP BY name ORDER BY name",
        ["1: «Ada»|#6.5", "2: «Ben»|#3.0"]
      ),
      (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
        ["1: #1", "2: #2", "3: #3"]
      ),
      ("VALUES (1, 'a')", ["1: #1|«a»"]),
      ("/* first */ ; SELECT 1 AS one -- last\n;;  ", ["1: #1"]),
      ("SELECT count(*) AS tables FROM sqlite_schema", ["1: #3"]),
      ("SELECT value FROM json_each('[1,\"b\"]')", ["1: #1", "2: «b»"]),
      ("SELECT id FROM orders WHERE 0", []),
    ])
  func reads(_ sql: String, _ lines: [String]) {
    let reading = database.read(.query(sql))
    #expect(reading.lines == lines)
    #expect(reading.failure == nil)
  }

  @Test(
    "anything else is refused before a row is read, and changes nothing",
    arguments: [
      ("INSERT INTO orders VALUES (13, 1, 1)", "changes the database"),
      ("INSERT INTO orders VALUES (13, 1, 1) RETURNING id", "changes the database"),
      ("DELETE FROM orders", "changes the database"), ("UPDATE orders SET amount = 0", "changes the database"),
      ("WITH x AS (SELECT 1) DELETE FROM orders", "changes the database"),
      ("CREATE TABLE x (a)", "changes the database"), ("CREATE TEMP TABLE x AS SELECT 1", "changes the database"),
      ("CREATE TEMP VIEW x AS SELECT 1", "changes the database"), ("DROP TABLE orders", "changes the database"),
      ("ALTER TABLE orders RENAME TO x", "changes the database"), ("REINDEX", "changes the database"),
      ("VACUUM", "changes the database"), ("VACUUM INTO 'copy.db'", "changes the database"),
      ("ANALYZE", "changes the database"), ("CREATE VIRTUAL TABLE x USING fts5(a)", "changes the database"),
      ("ATTACH 'other.db' AS other", "attaches a database"), ("DETACH main", "detaches a database"),
      ("PRAGMA writable_schema = ON", "has a PRAGMA"), ("PRAGMA query_only = OFF", "has a PRAGMA"),
      ("PRAGMA table_info(orders)", "has a PRAGMA"), ("PRAGMA journal_mode = DELETE", "has a PRAGMA"),
      ("BEGIN", "begins or ends a transaction"), ("COMMIT", "begins or ends a transaction"),
      ("SAVEPOINT x", "begins or ends a transaction"),
      ("SELECT load_extension('x.so') AS x", "calls the function load_extension()"),
      ("SELECT LOAD_EXTENSION('x.so', 'y') AS x", "calls the function load_extension()"),
      ("SELECT fts3_tokenizer('x', x'00') AS x", "calls the function fts3_tokenizer()"),
      ("SELECT 1 AS a; SELECT 2 AS b", "is more than one statement"),
      ("SELECT 1 AS a; DROP TABLE orders", "is more than one statement"),
      ("SELECT 1 AS a; nonsense", "is more than one statement"), ("", "is empty"), (" -- nothing\n", "is empty"),
      ("SELECT ? AS x", "has parameters (?, :name), for which there are no values"),
      ("SELECT :name AS x", "has parameters (?, :name), for which there are no values"),
      ("SELECT 1 AS a\u{0}; DROP TABLE orders", "contains a NUL character"),
    ])
  func refusals(_ sql: String, _ reason: String) {
    let before = database.bytes
    let reading = database.read(.query(sql))
    // Some functions are not in every build of SQLite, and then they are not there to be denied.
    let isMissing = reading.failure?.contains("no such function: fts3_tokenizer") == true
    #expect(
      isMissing
        || reading.failure
          == "the query \(reason); only a single SELECT, WITH or VALUES that reads this database is run [invalidQuery]"
    )
    #expect(reading.lines == [])
    #expect(database.bytes == before)
    #expect(database.names == ["data.db"])
  }

  @Test("functions of the schema that are pragmas are denied when they run")
  func pragmaFunctions() {
    let reading = database.read(.query("SELECT name FROM pragma_table_info('orders')"))
    #expect(reading.code == .invalidQuery)
    #expect(reading.lines == [])
  }

  @Test("what SQLite cannot read is an error in its words")
  func mistakes() {
    #expect(
      database.read(.query("SELEC 1")).failure
        == "the query cannot be read: near \"SELEC\": syntax error [invalidQuery]")
    #expect(
      database.read(.query("SELECT x FROM ordrs")).failure
        == "the query cannot be read: no such table: ordrs [invalidQuery]")
    // Double quotes never mean text.
    #expect(database.read(.query("SELECT \"nme\" AS x FROM customers")).code == .invalidQuery)
  }

  @Test("columns of a query need names that differ")
  func columnNames() {
    #expect(
      database.read(.query("SELECT c.id, o.id FROM orders o JOIN customers c ON c.id = o.customer")).failure
        == "two columns of the query are called “id”; give one of them another name with AS [duplicateHeader]")
    #expect(database.read(.query("SELECT 1 AS a, 2 AS A")).code == .duplicateHeader)
    #expect(
      database.read(.query("SELECT 1 AS \"\"")).failure
        == "column 1 of the query has no name; give it one with AS [emptyHeader]")
    #expect(
      database.read(.query("SELECT name FROM customers"), columns: .named(["nam"])).failure
        == "the query has no column “nam”; did you mean “name”? [missingColumn]")
    #expect(
      database.read(.query("SELECT id, name FROM customers"), columns: .named(["name"])).lines == [
        "1: «Ada»", "2: «Ben»",
      ])
  }

  @Test("a query that fails on the way gives the rows before")
  func runtimeErrors() {
    let sql =
      "WITH n(i) AS (VALUES (1), (2), (3)) SELECT abs(CASE i WHEN 3 THEN -9223372036854775808 ELSE i END) AS x FROM n"
    let whole = database.read(.query(sql))
    #expect(whole.lines == ["1: #1", "2: #2"])
    #expect(whole.failure == "the query failed after 2 rows: integer overflow [invalidQuery] at 3")
    #expect(database.read(.query(sql), limit: BatchLimit(records: 1)) == whole)
  }

  @Test("views of a database from elsewhere cannot call what reaches outside")
  func untrustedSchema() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "CREATE VIEW v AS SELECT load_extension('x.so') AS x FROM t")
    #expect(database.read(.table("v")).lines == [])
    #expect(database.read(.table("v")).failure != nil)
  }

  @Test(
    "a recursive query that does not end is given up",
    arguments: [
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS rows FROM n",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT (i * 7 + 1) % 1000000007 FROM n) SELECT max(i) AS most FROM n",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    ])
  func endless(_ sql: String) throws {
    let options = SQLiteSourceOptions(rows: .query(sql), recursionSeconds: 0.05)
    let reading = DatabaseReading.of(.sqlite(options), database.path)
    #expect(reading.code == .recursionLimit)
    #expect(sql.hasSuffix("SELECT i FROM n") ? reading.lines.count > 100 : reading.lines.isEmpty)
  }

  @Test("a view that does not end is given up, and one that ends takes as long as it needs")
  func endlessView() throws {
    let database = try TestDatabase(
      "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) AS s FROM n",
      "CREATE VIEW square AS WITH n(i) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) "
        + "SELECT count(*) AS c FROM n AS a, n AS b, n AS c, n AS d, n AS e, n AS f")
    let endless = DatabaseReading.of(
      .sqlite(SQLiteSourceOptions(rows: .table("endless"), recursionSeconds: 0.05)), database.path)
    #expect(endless.code == .recursionLimit && endless.lines.isEmpty)
    let square = DatabaseReading.of(
      .sqlite(SQLiteSourceOptions(rows: .table("square"), recursionSeconds: 0)), database.path)
    #expect(square.failure == nil && square.lines == ["1: #262144"])
  }
}
