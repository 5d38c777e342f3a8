import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("Recording history")
struct HistoryRecorderTests {
  @Test("AP54: a transaction has an author, a context, a program, a time, and one change a record")
  func ap54Transactions() throws {
    let notebook = try Notebook()
    notebook.store.historyIdentity = HistoryIdentity(bundleID: "org.example.notes", processID: "notes")
    let recorder = try #require(HistoryRecorder.recorder(of: notebook.store))
    recorder.clock = { 812_345_678.25 }
    try notebook.save(author: "app", context: "main") {
      try $0.insert("Folder", 1)
      try $0.insert("Note", 1)
      try $0.insert("Letter", 2)
    }
    recorder.clock = { 812_345_679 }
    try notebook.save(author: "sync") {
      try $0.update("Note", 1, "pinned")
      try $0.delete("Letter", 2)
    }
    let number = { (name: String) throws in try notebook.entity(name).number }
    let (folder, note, letter) = (try number("Folder"), try number("Note"), try number("Letter"))
    let columns = "Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"
    #expect(
      try notebook.rows("SELECT \(columns) FROM ACHANGE") == [
        "1|16001|-|0|\(folder)|1|1", "2|16001|-|0|\(note)|1|1", "3|16001|-|0|\(letter)|2|1",
        "4|16001|-|2|\(letter)|2|2", "5|16001|-|1|\(note)|1|2",
      ])
    // Texts are stored once each; the columns for texts beside them stay empty, as in real stores.
    #expect(
      try notebook.rows(
        "SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP, "
          + "coalesce(ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZQUERYGEN) FROM ATRANSACTION") == [
          "1|16002|-|1|2|3|4|812345678.25|-", "2|16002|-|5|2|-|4|812345679.0|-",
        ])
    #expect(
      try notebook.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK") == [
        "1|16003|-|app", "2|16003|-|org.example.notes", "3|16003|-|main", "4|16003|-|notes", "5|16003|-|sync",
      ])
    #expect(
      try notebook.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
        "CHANGE|5", "TRANSACTION|2", "TRANSACTIONSTRING|5",
      ])
    let transactions = try notebook.transactions()
    #expect(transactions.map(\.timestamp) == [812_345_678.25, 812_345_679])
    #expect(transactions.map(\.contextName) == ["main", nil])
    #expect(transactions.map(\.bundleID) == ["org.example.notes", "org.example.notes"])
    #expect(transactions.map(\.processID) == ["notes", "notes"])
    #expect(transactions.map(\.storeID) == [notebook.store.identifier, notebook.store.identifier])
  }

  @Test("AP54: updated properties are bits in the order of the names, the first at the top of the first byte")
  func ap54Bits() throws {
    let notebook = try Notebook()
    try notebook.save {
      // body code folder modifiedAt pinned related scan title: the transient one has no bit.
      try $0.update("Note", 1, "pinned")
      try $0.update("Note", 2, "title", "body")
      try $0.update("Note", 3, "folder", "related")
      // address body code folder modifiedAt pinned related scan stamp title
      try $0.update("Letter", 4, "pinned", "title")
      try $0.update("Folder", 1, "notes")
      try $0.insert("Folder", 2)
      try $0.delete("Folder", 2)
    }
    #expect(
      try notebook.rows("SELECT ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK") == [
        "1|08", "2|81", "3|24", "4|0440", "1|40",
      ])
    #expect(try notebook.rows("SELECT ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE <> 1") == ["-", "-"])
    let changes = try notebook.transactions()[0].changes
    #expect(
      Notebook.words(changes) == [
        "delete Folder 2", "update Note 1 pinned", "update Note 2 body,title", "update Note 3 folder,related",
        "update Letter 4 pinned,title", "update Folder 1 notes", "insert Folder 2",
      ])
  }

  @Test("AP54: what the model keeps of deleted records is read before they go; bytes that may be in files are not kept")
  func ap54Tombstones() throws {
    let notebook = try Notebook()
    let rows = """
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCODE, ZSCAN, ZBODY)
        VALUES (1, 2, 1, 'first', X'000102030405060708090A0B0C0D0E0F', X'01AA', 'gone');
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSTAMP) VALUES (2, 3, 1, NULL, 0.85), (3, 2, 1, NULL, NULL);
      """
    #expect(try notebook.entity("Note").number == 2 && notebook.entity("Letter").number == 3)
    try notebook.save(rows: rows) {
      try $0.insert("Note", 1)
      try $0.insert("Letter", 2)
      try $0.insert("Note", 3)
    }
    try notebook.save(rows: "DELETE FROM ZNOTE") {
      try $0.delete("Note", 1)
      try $0.delete("Letter", 2)
      try $0.delete("Note", 3)
    }
    #expect(
      try notebook.rows(
        "SELECT ZENTITYPK, hex(ZTOMBSTONE0), ZTOMBSTONE1, ZTOMBSTONE2, ZTOMBSTONE3 FROM ACHANGE WHERE ZCHANGETYPE = 2"
          + " ORDER BY Z_PK") == [
          "1|000102030405060708090A0B0C0D0E0F|-|first|-", "2||-|0.85|-", "3||-|-|-",
        ])
    let changes = try #require(try notebook.transactions().last?.changes)
    #expect(changes.map(\.changedObjectID.primaryKey) == [1, 2, 3])
    let code = AttributeValue.uuid(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F)
    #expect(changes[0].tombstone == ["code": code, "title": .string("first")])
    #expect(changes[1].tombstone == ["stamp": .decimal(try #require(DecimalNumber("0.85")))])
    #expect(changes[2].tombstone == [:])
    #expect(try notebook.transactions().first?.changes?.allSatisfy { $0.tombstone == nil } == true)
  }

  @Test("a save that is rolled back leaves nothing, and its numbers are given out again")
  func rollBack() throws {
    let notebook = try Notebook()
    try notebook.save(author: "a") { try $0.insert("Note", 1) }
    try notebook.save(author: "never", end: .rollBack, rows: "") {
      try $0.insert("Note", 2)
      try $0.delete("Note", 1)
    }
    try notebook.save(author: "b") { try $0.insert("Note", 2) }
    #expect(try notebook.transactions().map(\.author) == ["a", "b"])
    #expect(try notebook.rows("SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE") == ["1|1", "2|2"])
    #expect(try notebook.rows("SELECT count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'never'") == ["0"])
    #expect(try notebook.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == ["2"])
  }

  @Test("whoever tries again within one transaction records once")
  func secondTry() throws {
    let notebook = try Notebook()
    var list = Notebook.Changes(model: notebook.model)
    try list.delete("Note", 1)
    try list.insert("Note", 2)
    try notebook.connection.execute("BEGIN IMMEDIATE")
    let recorder = try #require(HistoryRecorder.recorder(of: notebook.store))
    try recorder.willWrite(list.changes, to: notebook.store)
    try recorder.willWrite(list.changes, to: notebook.store)
    try recorder.didWrite(list.changes, to: notebook.store)
    try notebook.connection.execute("COMMIT")
    #expect(try notebook.transactions().map { Notebook.words($0.changes) } == [["delete Note 1", "insert Note 2"]])
    try recorder.willWrite(StoreChanges(), to: notebook.store)
    try recorder.didWrite(StoreChanges(), to: notebook.store)
    #expect(try notebook.transactions().count == 1)
  }

  @Test("many changes cost one statement for each thousand, and no more however alike they are")
  func bulk() throws {
    let notebook = try Notebook()
    let count: Int64 = 20_000
    var list = Notebook.Changes(model: notebook.model)
    for key in 1...count {
      switch key % 4 {
      case 0: try list.insert("Note", key)
      case 1: try list.update("Note", key, "title")
      case 2: try list.update("Letter", key, "stamp", "title")
      default: try list.delete(key % 3 == 0 ? "Note" : "Letter", key)
      }
    }
    let recorder = try #require(HistoryRecorder.recorder(of: notebook.store))
    try notebook.connection.execute("BEGIN IMMEDIATE")
    let before = notebook.store.statementsExecuted
    try recorder.willWrite(list.changes, to: notebook.store)
    try recorder.didWrite(list.changes, to: notebook.store)
    #expect(notebook.store.statementsExecuted - before < 50)
    try notebook.connection.execute("COMMIT")
    #expect(try notebook.rows("SELECT count(*), min(Z_PK), max(Z_PK) FROM ACHANGE") == ["\(count)|1|\(count)"])
    #expect(
      try notebook.rows("SELECT ZCHANGETYPE, count(*), count(DISTINCT hex(ZCOLUMNS)) FROM ACHANGE GROUP BY 1") == [
        "0|5000|1", "1|10000|2", "2|5000|1",
      ])
    // Deletions come first, each part in its order.
    let changes = try #require(try notebook.transactions().first?.changes)
    #expect(changes.count == Int(count))
    let keys = changes.map(\.changedObjectID.primaryKey)
    let (deleted, others) = ((1...count).filter { $0 % 4 == 3 }, (1...count).filter { $0 % 4 != 3 })
    #expect(keys == deleted + others)
  }

  @Test("history that has no numbers left makes the save fail, and nothing wraps around")
  func overflow() throws {
    for sql in [
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806 WHERE Z_ENT = 16001",
      "INSERT INTO ATRANSACTION (Z_PK) VALUES (9223372036854775807)",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16003",
    ] {
      let notebook = try Notebook()
      try notebook.connection.execute(sql)
      let error = #expect(throws: StoreError.self) { try notebook.save(author: "me") { try $0.insert("Note", 1) } }
      #expect(error?.code == .damagedMetadata)
    }
  }

  @Test("sequences that lag behind the tables are brought up")
  func laggingMaxima() throws {
    let notebook = try Notebook()
    try notebook.save { try $0.insert("Note", 1) }
    try notebook.connection.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = -5 WHERE Z_ENT > 16000; UPDATE ACHANGE SET Z_PK = 40; "
        + "UPDATE ATRANSACTION SET Z_PK = 30; UPDATE ACHANGE SET ZTRANSACTIONID = 30")
    try notebook.save { try $0.insert("Note", 2) }
    #expect(try notebook.rows("SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE") == ["40|30", "41|31"])
    #expect(
      try notebook.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)") == ["41", "31"])
  }
}
