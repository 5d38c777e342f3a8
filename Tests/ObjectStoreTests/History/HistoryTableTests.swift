import Foundation
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Tables of persistent history")
struct HistoryTableTests {
  static let names = "('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')"

  @Test("AP51: opening a store with the history option makes the tables, their indexes and their sequences")
  func ap51Tables() throws {
    let notebook = try Notebook()
    #expect(
      try notebook.rows("SELECT sql FROM sqlite_master WHERE tbl_name IN \(Self.names) ORDER BY rowid") == [
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
          + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, "
          + "ZTOMBSTONE1 BLOB, ZTOMBSTONE2 BLOB, ZTOMBSTONE3 BLOB )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
          + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, "
          + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
      ])
    #expect(
      try notebook.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
        "16001|CHANGE|0|0", "16002|TRANSACTION|0|0", "16003|TRANSACTIONSTRING|0|0",
      ])
    #expect(notebook.store.isTrackingHistory)
  }

  @Test("the statements are those that real stores have", .enabled(if: Locations.shared != nil))
  func realStatements() throws {
    let page = try String(contentsOfFile: Locations.shared("coredata-format.md"), encoding: .utf8)
    // Comments stand behind the statements, and the columns that depend on the model stand in brackets.
    var statements: [String] = []
    for line in page.components(separatedBy: "\n") where line.hasPrefix("CREATE TABLE A") && line.contains("Z_OPT") {
      let name = line.components(separatedBy: " ")[2]
      guard ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name) else { continue }
      let statement = line.components(separatedBy: "--")[0].trimmingCharacters(in: .whitespaces)
      statements.append(statement.replacingOccurrences(of: " [, ZTOMBSTONE0 BLOB, …]", with: ""))
    }
    #expect(statements.count == 3)
    let notebook = try Notebook(keeping: false)
    #expect(
      try notebook.rows("SELECT sql FROM sqlite_master WHERE type = 'table' AND name IN \(Self.names) ORDER BY name")
        == statements.sorted())
  }

  @Test("a model that keeps nothing of deleted objects has no columns for it")
  func noTombstones() throws {
    let notebook = try Notebook(keeping: false)
    #expect(try notebook.rows("SELECT name FROM pragma_table_info('ACHANGE') WHERE name LIKE 'ZTOMB%'") == [])
  }

  @Test("without the option there are no tables, and nothing is recorded")
  func withoutOption() throws {
    let notebook = try Notebook(tracksHistory: false)
    #expect(try notebook.rows("SELECT name FROM sqlite_master WHERE name IN \(Self.names)") == [])
    #expect(!notebook.store.isTrackingHistory)
    try notebook.save { try $0.insert("Note", 1) }
    let error = #expect(throws: StoreError.self) { try notebook.store.currentHistoryToken() }
    #expect(error?.code == .noHistory)
  }

  @Test("a store with history goes on with it, with and without the option, and makes nothing twice")
  func reopening() throws {
    let notebook = try Notebook()
    try notebook.save { try $0.insert("Note", 1) }
    try notebook.reopen()
    try notebook.save { try $0.insert("Note", 2) }
    try notebook.reopen(tracksHistory: false)
    #expect(notebook.store.isTrackingHistory)
    try notebook.save { try $0.insert("Note", 3) }
    #expect(try HistoryRecorder.adopt(store: notebook.store))
    #expect(notebook.store.observers.filter { $0 is HistoryRecorder }.count == 1)
    #expect(try notebook.transactions().map(\.transactionNumber) == [1, 2, 3])
    #expect(try notebook.rows("SELECT count(*) FROM sqlite_master WHERE tbl_name IN \(Self.names)") == ["11"])
  }

  @Test("the tables of old systems are taken as they are")
  func oldLayout() throws {
    let notebook = try Notebook(
      prepare: """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
          ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB );
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,
          ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR );
        INSERT INTO ATRANSACTION VALUES (7, 16002, NULL, 5.5, 'old', 'com.example', NULL, 'app');
        INSERT INTO ACHANGE VALUES (9, 16001, NULL, 0, 2, 1, 7, NULL, NULL);
        """)
    notebook.store.historyIdentity = HistoryIdentity(bundleID: "org.example", processID: "test")
    try notebook.save(author: "me", context: "main") { try $0.update("Note", 1, "title") }
    #expect(try notebook.rows("SELECT name FROM sqlite_master WHERE name = 'ATRANSACTIONSTRING'") == [])
    #expect(
      try notebook.rows("SELECT Z_PK, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID FROM ATRANSACTION") == [
        "7|old|com.example|-|app", "8|me|org.example|main|test",
      ])
    let transactions = try notebook.transactions()
    #expect(transactions.map(\.author) == ["old", "me"])
    #expect(transactions.map { Notebook.words($0.changes) } == [["insert Note 1"], ["update Note 1 title"]])
    #expect(transactions[0].timestamp == 5.5)
    // The store had no sequences for its history.
    #expect(
      try notebook.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
        "16001|CHANGE|0|10", "16002|TRANSACTION|0|8",
      ])
  }

  @Test("a table that is something else is refused when history is asked for, and left alone otherwise")
  func wrongTables() throws {
    let sql = "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, NAME TEXT)"
    let error = #expect(throws: StoreError.self) { try Notebook(prepare: sql) }
    #expect(error?.code == .missingColumn)
    let notebook = try Notebook(tracksHistory: false, prepare: sql)
    #expect(!notebook.store.isTrackingHistory)
    #expect(try notebook.rows("SELECT name FROM sqlite_master WHERE name = 'ATRANSACTION'") == [])
  }

  @Test("stores that are written as a whole keep no history; stores in memory do")
  func types() throws {
    let model = try Notebook.model()
    let folder = TemporaryFolder()
    try StoreFile.create(path: folder.file("a.sqlite"), model: model).finish()
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    for type in [PersistentStoreType.xml, .binary, .custom("Own")] {
      let error = #expect(throws: StoreError.self) {
        let file = try StoreFile.open(path: folder.file("a.sqlite"), model: model)
        _ = try PersistentStore(file: file, type: type, options: options)
      }
      #expect(error?.code == .unsupported)
    }
    let file = try StoreFile.open(path: folder.file("a.sqlite"), model: model)
    #expect(try PersistentStore(file: file, type: .inMemory, options: options).isTrackingHistory)
  }

  @Test("a store that is only read gets no tables")
  func readOnly() throws {
    let model = try Notebook.model()
    let folder = TemporaryFolder()
    try StoreFile.create(path: folder.file("a.sqlite"), model: model).finish()
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    options.isReadOnly = true
    let store = try PersistentStore(
      file: try StoreFile.open(path: folder.file("a.sqlite"), model: model), options: options)
    #expect(!store.isTrackingHistory)
    #expect(try store.connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'ACHANGE'") == 0)
    let error = #expect(throws: StoreError.self) { try HistoryRecorder.attach(to: store) }
    #expect(error?.code == .unsupported)
  }

  @Test("a store with history passes the check of stores")
  func verification() throws {
    let notebook = try Notebook()
    try notebook.save(rows: "INSERT INTO ZFOLDER VALUES (1, 1, 1, 'a')") { try $0.insert("Folder", 1) }
    try notebook.store.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Folder'")
    try notebook.store.file.finish()
    let findings = try StoreVerifier.verify(path: notebook.folder.file("notes.sqlite"), model: notebook.model)
    #expect(findings.findings.filter { $0.code != .history }.isEmpty)
  }
}
