import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Imports into stores that keep a history.
@Suite("History of imports") struct ImportHistoryTests {
  private let folder = TemporaryFolder()

  private func record(_ sku: String, _ serial: String?, email: String, amount: Int64 = 7) -> MadeRecord {
    [
      "sku": .text(sku), "serial": serial.map { .text($0) } ?? .null, "email": .text(email),
      "amount": .text("\(amount)"),
    ]
  }

  private func definition(_ records: [MadeRecord], batch: Int) throws -> ImportDefinition {
    let input = try folder.write(RecordGenerator.csv(records), to: "in.csv")
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("serial"), ShopImport.field("amount")]
    root.relationships = [
      RelationshipImport(name: "owner", target: EntityImport(entityName: "Person", findBy: [ShopImport.field("email")]))
    ]
    var definition = ImportDefinition(
      name: "items", model: try ShopModel(itemConstraints: [["serial"]]).build(), storePath: folder.file("s.sqlite"),
      inputs: [input], format: RecordGenerator.csvFormat, root: root)
    definition.batchLimit = BatchLimit(records: batch)
    return definition
  }

  /// Opens the store for `body`.
  private func withStore<Value>(_ model: ManagedObjectModel, _ body: (PersistentStore) throws -> Value) throws -> Value
  {
    let file = try StoreFile.open(path: folder.file("s.sqlite"), model: model)
    file.keepCommits()
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    let value = try body(try PersistentStore(file: file, options: options))
    try file.finish()
    return value
  }

  @Test(
    "AP54: what an import inserts and updates is in the history; what it rejects or finds unchanged is not",
    arguments: FindPlan.allCases, [1, 2, 100])
  func ap54Imports(plan: FindPlan, batch: Int) throws {
    let base = try definition([record("a", "1", email: "p"), record("b", "2", email: "q")], batch: 100)
    _ = try ImportSession(base).run()
    let token = try withStore(base.model) { try $0.currentHistoryToken() }
    // “c” is new, “a” has another amount, “e” takes the serial number of “b”, “b” is as it was.
    var definition = try definition(
      [
        record("c", "3", email: "p"), record("a", "1", email: "r", amount: 9), record("e", "2", email: "q"),
        record("b", "2", email: "q"), record("d", "4", email: "new"),
      ], batch: batch)
    definition.findPlan = plan
    let summary = try ImportSession(definition).run()
    #expect(summary.inserted == 2 && summary.updated == 1 && summary.unchanged == 1 && summary.rejected == 1)
    #expect(summary.warnings.map(\.code) == [.storeHistory])
    try withStore(definition.model) { store in
      guard case .transactions(let transactions) = try store.execute(.fetchHistory(after: token)) else {
        Issue.record("transactions were asked for")
        return
      }
      #expect(
        !transactions.isEmpty && transactions.allSatisfy { $0.author == "mergewalk" && $0.contextName == "items" })
      let changes = transactions.flatMap { $0.changes ?? [] }
      func sorted(_ entity: String, _ type: PersistentHistoryChange.ChangeType) -> Set<Int64> {
        Set(
          changes.filter { $0.changedObjectID.entity.name == entity && $0.changeType == type }
            .map(\.changedObjectID.primaryKey))
      }
      func keys(_ sql: String) throws -> Set<Int64> {
        let statement = try store.connection.prepare(sql)
        var keys = Set<Int64>()
        while try statement.step() { keys.insert(statement.integer(0)) }
        return keys
      }
      #expect(try sorted("Item", .insert) == keys("SELECT Z_PK FROM ZITEM WHERE ZSKU IN ('c', 'd')"))
      #expect(try sorted("Item", .update) == keys("SELECT Z_PK FROM ZITEM WHERE ZSKU = 'a'"))
      #expect(try sorted("Person", .insert) == keys("SELECT Z_PK FROM ZPERSON WHERE ZEMAIL IN ('r', 'new')"))
      #expect(sorted("Person", .update).isEmpty && sorted("Item", .delete).isEmpty)
      #expect(changes.count == 5)
      #expect(changes.first { $0.changeType == .update }?.updatedProperties == ["amount", "owner"])
    }
  }
}
