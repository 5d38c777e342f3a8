import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("What a copy of objects changes in a store that others watch")
struct ObjectCopyHistoryTests {
  private let folder = TemporaryFolder()
  private var prepared: String { folder.file("prepared.sqlite") }
  private var store: String { folder.file("store.sqlite") }

  private func make(_ path: String, _ sql: String) throws {
    let file = try StoreFile.create(path: path, model: try ObjectCopyTests.lists())
    try file.connection.execute(sql)
    try file.finish()
  }

  /// Opens the store, which keeps its history from then on.
  private func history() throws -> [PersistentHistoryTransaction] {
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    let coordinator = PersistentStoreCoordinator(model: try ObjectCopyTests.lists())
    let store = try coordinator.addStore(type: .sqlite, at: store, options: options)
    defer { try? coordinator.remove(store) }
    guard case .transactions(let list) = try store.execute(.fetchHistory(after: nil)) else { return [] }
    return list
  }

  private func copy(_ findBy: [String: [String]] = [:], updates: Bool = false) throws -> ObjectCopy.Result {
    var copy = ObjectCopy(from: prepared, to: store)
    copy.options.findBy = findBy
    copy.options.updates = updates
    return try copy.run()
  }

  @Test("a copy is one transaction of the history, with the new objects and with what found ones got")
  func oneTransaction() throws {
    try make(prepared, ObjectCopyTests.preparedRows)
    try make(
      store,
      ObjectCopyTests.storeRows
        + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'hammer');")
    #expect(try history() == [])
    _ = try copy(["List": ["name"], "Tag": ["name"], "Item": ["name"]], updates: true)
    let transactions = try history()
    #expect(transactions.map(\.author) == ["mergewalk"])
    let changes = (transactions.first?.changes ?? []).map { change in
      let id = change.changedObjectID
      let names = change.updatedProperties.map { " " + $0.joined(separator: ",") } ?? ""
      return "\(change.changeType) \(id.entity.name) \(id.primaryKey)\(names)"
    }
    #expect(
      changes.sorted() == [
        "insert Cover 1", "insert Item 10", "insert Item 11", "insert List 5", "insert Tag 4",
        "update Item 1 list", "update List 4 cover,note", "update Tag 3 items",
      ])
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("however many objects there are, the transaction is one")
  func many() throws {
    try make(
      prepared,
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000)"
        + " INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 4, 1, 't' || i FROM n")
    try make(store, "")
    _ = try history()
    _ = try copy()
    let transactions = try history()
    #expect(transactions.count == 1)
    #expect(transactions.first?.changes?.map(\.changedObjectID.primaryKey) == Array(1...9000))
    #expect(try StoreVerifier.verify(path: store).isSound)
  }

  @Test("a copy that is refused leaves no transaction")
  func refused() throws {
    try make(prepared, ObjectCopyTests.preparedRows)
    try make(store, ObjectCopyTests.storeRows)
    _ = try history()
    #expect(throws: StoreError.self) { try copy() }
    #expect(try history() == [])
  }

  @Test(
    "found objects that a trigger of the store leaves as they are make the copy fail",
    arguments: [
      ("ZITEM WHEN NEW.ZLIST IS NOT OLD.ZLIST", false), ("ZLIST WHEN NEW.ZCOVER IS NOT OLD.ZCOVER", false),
      ("ZLIST WHEN NEW.ZNOTE IS NOT OLD.ZNOTE", true),
    ])
  func leftOut(_ event: String, updates: Bool) throws {
    try make(prepared, ObjectCopyTests.preparedRows)
    try make(
      store,
      ObjectCopyTests.storeRows
        + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'hammer');"
        + "CREATE TRIGGER app BEFORE UPDATE ON \(event) BEGIN SELECT RAISE(IGNORE); END")
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let error = #expect(throws: StoreError.self) { try copy(["List": ["name"], "Item": ["name"]], updates: updates) }
    #expect(error?.cause?.kind.isConstraint == true)
    #expect(error?.message.contains("rows of \(event.prefix(5)) were left out by a trigger") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }
}
