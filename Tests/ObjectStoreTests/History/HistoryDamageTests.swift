import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Damaged history")
struct HistoryDamageTests {
  private func makeNotebook() throws -> Notebook {
    let notebook = try Notebook()
    try notebook.save(author: "a") {
      try $0.insert("Note", 1)
      try $0.update("Note", 2, "title")
      try $0.delete("Letter", 3)
    }
    try notebook.save(author: "b") { try $0.insert("Note", 4) }
    return notebook
  }

  @Test("changes that make no sense are left out and counted")
  func unreadableChanges() throws {
    for sql in [
      "UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZENTITY = 9223372036854775807 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZENTITY = -1 WHERE Z_PK = 2", "UPDATE ACHANGE SET ZENTITY = 0 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZENTITY = NULL WHERE Z_PK = 2", "UPDATE ACHANGE SET ZENTITY = 'Note' WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK = 2", "UPDATE ACHANGE SET ZENTITYPK = -3 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZENTITYPK = 0 WHERE Z_PK = 2", "UPDATE ACHANGE SET ZENTITYPK = 1.5 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZENTITYPK = X'01' WHERE Z_PK = 2", "UPDATE ACHANGE SET ZCHANGETYPE = 3 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZCHANGETYPE = -1 WHERE Z_PK = 2", "UPDATE ACHANGE SET ZCHANGETYPE = NULL WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZCHANGETYPE = -9223372036854775808 WHERE Z_PK = 2",
    ] {
      let notebook = try makeNotebook()
      try notebook.connection.execute(sql)
      let transactions = try notebook.transactions()
      #expect(transactions.map(\.unreadableChangeCount) == [1, 0], "\(sql)")
      #expect(transactions[0].changes?.map(\.changeID) == [1, 3], "\(sql)")
      let cursor = try notebook.store.history(.fetchHistory(after: nil))
      var ids: [Int64] = []
      while let change = try cursor.nextChange() { ids.append(change.changeID) }
      #expect(ids == [1, 3, 4], "\(sql)")
    }
  }

  @Test("changes of no transaction are passed over, and transactions without changes are there")
  func orphans() throws {
    for value in ["NULL", "0", "-1", "'x'", "X'00'", "1.5", "-9223372036854775808", "9223372036854775807"] {
      let notebook = try makeNotebook()
      try notebook.connection.execute("UPDATE ACHANGE SET ZTRANSACTIONID = \(value) WHERE Z_PK = 1")
      #expect(try notebook.transactions().map { $0.changes?.map(\.changeID) } == [[2, 3], [4]], "\(value)")
    }
    let notebook = try makeNotebook()
    try notebook.connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 1")
    #expect(try notebook.transactions().map { $0.changes?.map(\.changeID) } == [[], [4]])
  }

  @Test("updated properties that cannot be known are not made up")
  func bits() throws {
    // Eight properties: the ninth bit stands for nothing.
    for (value, names) in [
      ("X'81'", ["body", "title"]), ("X'8100'", ["body", "title"]), ("X'8180'", nil), ("X'00'", []), ("X''", []),
      ("NULL", nil), ("'text'", nil), ("5", nil), ("zeroblob(20000000)", nil), ("X'FF'", nil),
    ] as [(String, [String]?)] {
      let notebook = try makeNotebook()
      try notebook.connection.execute("UPDATE ACHANGE SET ZCOLUMNS = \(value) WHERE ZCHANGETYPE = 1")
      let changes = try #require(try notebook.transactions()[0].changes)
      if value == "X'FF'" {
        #expect(changes[2].updatedProperties?.count == 8)
      } else {
        #expect(changes[2].updatedProperties == names, "\(value)")
      }
    }
  }

  @Test("values that are kept may be of any type")
  func tombstones() throws {
    for value in ["1", "1.5", "'x'", "X'00'", "X''", "9223372036854775807", "9e999"] {
      let notebook = try makeNotebook()
      try notebook.connection.execute(
        "UPDATE ACHANGE SET ZTOMBSTONE0 = \(value), ZTOMBSTONE1 = \(value), ZTOMBSTONE2 = \(value), "
          + "ZTOMBSTONE3 = \(value) WHERE ZCHANGETYPE = 2")
      #expect(try notebook.transactions()[0].changes?.first?.tombstone?.count == 4, "\(value)")
    }
  }

  @Test("transactions may say nonsense")
  func transactions() throws {
    for (sql, numbers) in [
      ("UPDATE ATRANSACTION SET ZTIMESTAMP = 'noon', ZAUTHORTS = 'me' WHERE Z_PK = 1", [1, 2]),
      ("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL, ZAUTHORTS = 99 WHERE Z_PK = 1", [1, 2]),
      ("UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999, ZAUTHORTS = -9223372036854775808 WHERE Z_PK = 1", [1, 2]),
      ("UPDATE ATRANSACTIONSTRING SET ZNAME = X'FF00' || Z_PK", [1, 2]),
      ("UPDATE ATRANSACTIONSTRING SET ZNAME = NULL", [1, 2]),
      ("UPDATE ATRANSACTION SET Z_PK = -1 WHERE Z_PK = 1", [2]),
      ("UPDATE ATRANSACTION SET Z_PK = 0 WHERE Z_PK = 1", [2]),
      ("UPDATE ATRANSACTION SET Z_PK = 9223372036854775807 WHERE Z_PK = 1", [2, .max]),
      ("DELETE FROM ATRANSACTION", []), ("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", [1, 2]),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808", [1, 2]),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 'x'", [1, 2]),
    ] as [(String, [Int64])] {
      let notebook = try makeNotebook()
      try notebook.connection.execute(sql)
      #expect(try notebook.transactions().map(\.transactionNumber) == numbers, "\(sql)")
      _ = try notebook.store.currentHistoryToken()
      _ = try notebook.store.execute(.fetchHistory(afterDate: 0))
      _ = try notebook.store.execute(.deleteHistory(beforeDate: 1))
    }
  }

  @Test("tables that lack columns are read as far as they go; what cannot be read at all is refused")
  func columns() throws {
    let cases: [(sql: String, refusal: StoreError.Code?)] = [
      ("ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS", nil), ("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE1", nil),
      ("DROP INDEX Z_TRANSACTION_TransactionTimestampIndex; ALTER TABLE ATRANSACTION DROP COLUMN ZTIMESTAMP", nil),
      ("DROP TABLE ATRANSACTIONSTRING", nil), ("DROP TABLE ATRANSACTION", .noHistory),
      ("DROP INDEX Z_TRANSACTION_TransactionAuthorIndex; ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHOR", nil),
      ("ALTER TABLE ATRANSACTIONSTRING RENAME COLUMN ZNAME TO ZTEXT", nil), ("DROP TABLE ACHANGE", .noHistory),
      ("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX; ALTER TABLE ACHANGE DROP COLUMN ZTRANSACTIONID", .missingColumn),
      ("ALTER TABLE ACHANGE DROP COLUMN ZENTITY", .missingColumn),
      ("DROP TABLE ACHANGE; CREATE VIEW ACHANGE AS SELECT * FROM ATRANSACTION", .noHistory),
      ("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX", nil),
      ("ALTER TABLE ACHANGE ADD COLUMN \"Z\"\"X'; --\" BLOB", nil),
    ]
    for (sql, refusal) in cases {
      let notebook = try makeNotebook()
      try notebook.reopen(tracksHistory: false, between: sql)
      #expect(notebook.store.isTrackingHistory == (refusal == nil), "\(sql)")
      if let refusal {
        let error = #expect(throws: StoreError.self) { try notebook.transactions() }
        #expect(error?.code == refusal, "\(sql)")
        continue
      }
      try notebook.save(author: "c", context: "x") {
        try $0.update("Note", 2, "title")
        try $0.delete("Note", 2)
      }
      let changes = try notebook.transactions().map { $0.changes?.count }
      #expect(changes == [3, 1, 2], "\(sql)")
    }
  }

  @Test("history of random bytes never traps")
  func random() throws {
    let seed = Soak.seed(4103)
    var random = SeededGenerator(seed: seed)
    let values = [
      "NULL", "-1", "0", "1", "2", "3", "4", "9223372036854775807", "-9223372036854775808", "1.5", "-9e999", "'x'",
      "X''",
      "X'FF'", "randomblob(9)", "''",
    ]
    let changeColumns = [
      "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "ZTOMBSTONE0", "ZTOMBSTONE3",
    ]
    let transactionColumns = ["ZAUTHORTS", "ZTIMESTAMP", "ZAUTHOR", "ZPROCESSIDTS", "ZQUERYGEN"]
    for round in 0..<30 {
      let notebook = try makeNotebook()
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let isChange = Bool.random(using: &random)
        let column = (isChange ? changeColumns : transactionColumns).randomElement(using: &random) ?? ""
        let value = values.randomElement(using: &random) ?? ""
        try notebook.connection.execute(
          "UPDATE \(isChange ? "ACHANGE" : "ATRANSACTION") SET \(column) = \(value) "
            + "WHERE Z_PK = \(Int.random(in: 1...4, using: &random))")
      }
      let transactions = try notebook.transactions()
      #expect(transactions.map(\.transactionNumber) == [1, 2], "seed \(seed), round \(round)")
      try notebook.save { try $0.insert("Note", 5) }
      #expect(try notebook.transactions(after: transactions[1].token).count == 1, "seed \(seed), round \(round)")
    }
  }
}
