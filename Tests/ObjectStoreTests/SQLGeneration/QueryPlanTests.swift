import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("Query plans")
struct QueryPlanTests {
  let shop: Shop

  init() throws {
    shop = try Shop()
    try shop.store.file.buildIndexes()
  }

  private func plan(_ entity: String, _ format: String, _ arguments: any PredicateArgument...) throws -> String {
    let request = FetchRequest(entity, where: try ObjectPredicate(format: format, arguments: arguments))
    return try shop.store.explain(shop.compiler.compile(request, selecting: .primaryKeys(withSortKeys: false)))
      .joined(separator: "\n")
  }

  @Test(
    "AP5: indexed attributes are sought",
    arguments: [
      "code == 'a'", "code IN {'a', 'b'}", "code BEGINSWITH 'ab'", "code LIKE 'ab*'", "code LIKE 'ab*x'", "code > 'a'",
      "code BETWEEN {'a', 'b'}", "code == nil", "NOT (code != 'a')", "size > 2 AND code == 'a'",
      "code == 'a' OR code == 'b'",
    ])
  func indexedAttributes(format: String) throws {
    let plan = try plan("Order", format)
    #expect(plan.contains("SEARCH t0 USING") && plan.contains("INDEX Z_Order_"), "\(plan)")
  }

  @Test("numbers of an indexed attribute are sought, a number that an index would round is not")
  func indexedNumbers() throws {
    #expect(try plan("Order", "amount == 3").contains("SEARCH t0 USING INDEX Z_Order_amount (ZAMOUNT=?)"))
    #expect(
      try plan("Order", "amount BETWEEN {1, 2}").contains(
        "SEARCH t0 USING INDEX Z_Order_amount (ZAMOUNT>? AND ZAMOUNT<?)"))
    #expect(try plan("Order", "amount == 9007199254740993").contains("SCAN"))
  }

  @Test("a uniqueness constraint's attributes are sought together")
  func uniqueKeys() throws {
    #expect(
      try plan("Order", "code == 'a' AND size == 2").contains("INDEX Z_Order_UNIQUE_code_size (ZCODE=? AND ZSIZE=?)"))
  }

  @Test("relationships are sought from both ends")
  func relationships() throws {
    #expect(
      try plan("Order", "customer == %@", shop.id("Party", 1)).contains(
        "SEARCH t0 USING INDEX ZORDER_ZCUSTOMER_INDEX (ZCUSTOMER=?)"))
    #expect(try plan("Order", "ANY lines.title == 'a'").contains("SEARCH t1 USING INDEX ZLINE_ZORDER_INDEX (ZORDER=?)"))
    #expect(
      try plan("Order", "lines.@count > 1").contains("SEARCH t1 USING COVERING INDEX ZLINE_ZORDER_INDEX (ZORDER=?)"))
    let tags = try plan("Order", "ANY tags.name == 'a'")
    #expect(tags.contains("SEARCH t1 USING") && tags.contains("SEARCH t2 USING INTEGER PRIMARY KEY"), "\(tags)")
    let orders = try plan("Tag", "ANY orders.code == 'a'")
    #expect(orders.contains("SEARCH t1 USING COVERING INDEX"), "\(orders)")
    #expect(try plan("Order", "ANY marks.text == 'a'").contains("SEARCH t1 USING INDEX ZMARK_Z3MARKS_INDEX"))
    // A condition on the far end turns the join round.
    let line = try plan("Line", "order.code == 'a'")
    #expect(line.contains("SEARCH t1 USING") && line.contains("SEARCH t0 USING INDEX ZLINE_ZORDER_INDEX"), "\(line)")
  }

  @Test("FE6, FE7 in SQL: objects are found by primary key, many of them in one SELECT")
  func fe7PrimaryKeys() throws {
    #expect(try plan("Order", "SELF == %@", shop.id("Order", 1)) == "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)")
    let few = ConstantValue.collection(try (1...5).map { .objectID(try shop.id("Order", $0)) })
    #expect(try plan("Order", "SELF IN %@", few) == "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)")
    let many = ConstantValue.collection(try (1...1000).map { .objectID(try shop.id("Order", $0 * 2)) })
    let plan = try plan("Order", "SELF IN %@", many)
    #expect(plan.hasPrefix("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT) VALUES (1, 3), (2, 3), (3, 4), (4, 4), (2000, 3), (2002, 3)")
    let request = FetchRequest("Order", where: try ObjectPredicate(format: "SELF IN %@", many))
    let before = shop.store.statementsExecuted
    #expect(try shop.keys(request).sorted() == [2, 4, 2000])
    #expect(shop.store.statementsExecuted == before + 1)
    #expect(try shop.keys(FetchRequest("RushOrder", where: ObjectPredicate(format: "SELF IN %@", many))) == [4])
    #expect(
      try shop.keys(FetchRequest("Order", where: ObjectPredicate(format: "SELF == %@", shop.id("Order", 5)))) == [])
  }

  @Test("IDs of another store or of another kind find nothing")
  func foreignIDs() throws {
    let order = try #require(shop.model.entity(named: "Order"))
    let foreign = ManagedObjectID(storeUUID: "other", entity: order, primaryKey: 1)
    func filter(_ format: String, _ id: ManagedObjectID) throws -> String { try shop.filter(format, id) }
    #expect(try filter("SELF == %@", foreign) == "WHERE 0")
    #expect(try filter("SELF != %@", foreign) == "")
    #expect(try filter("SELF IN {%@}", foreign) == "WHERE 0")
    #expect(try filter("SELF == %@", shop.id("Tag", 1)) == "WHERE 0")
    #expect(try filter("SELF == %@", shop.id("RushOrder", 1)) == "WHERE t0.Z_PK = ?")
  }

  @Test("a long list is one parameter and uses the index")
  func longLists() throws {
    let codes = ConstantValue.collection((0..<100_000).map { .attribute(.string("c\($0)")) })
    let request = FetchRequest("Order", where: try ObjectPredicate(format: "code IN %@", codes))
    let fetch = try shop.compiler.compile(request, selecting: .primaryKeys(withSortKeys: false))
    #expect(fetch.sql.hasSuffix("WHERE t0.ZCODE IN (SELECT value FROM mergewalk_list(?))"))
    #expect(fetch.bindings.count == 1)
    let plan = try shop.store.explain(fetch)
    #expect(plan.first?.contains("SEARCH t0 USING INDEX Z_Order_") ?? false, "\(plan)")
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE) VALUES (1, 3, 'c5'), (2, 3, 'd'), (3, 3, 'c99999')")
    #expect(try shop.keys(request).sorted() == [1, 3])
    #expect(try shop.keys(FetchRequest("Order", where: .not(request.predicate ?? .value(true)))) == [2])
  }

  @Test("an order along an index needs no sort")
  func sortByIndex() throws {
    func plan(_ comparison: ObjectSortDescriptor.Comparison) throws -> [String] {
      let request = FetchRequest("Order", sortedBy: [ObjectSortDescriptor("amount", comparison: comparison)])
      return try shop.store.explain(shop.compiler.compile(request, selecting: .primaryKeys(withSortKeys: false)))
    }
    #expect(try plan(.standard) == ["SCAN t0 USING INDEX Z_Order_amount"])
    let names = FetchRequest("Order", sortedBy: [ObjectSortDescriptor("code", comparison: .localized)])
    let sorted = try shop.store.explain(shop.compiler.compile(names, selecting: .primaryKeys(withSortKeys: false)))
    #expect(sorted.contains("USE TEMP B-TREE FOR ORDER BY"))
  }

  @Test("FN12: noindex keeps SQLite from using the index and changes nothing else")
  func fn12NoIndex() throws {
    #expect(try plan("Order", "code == 'a'").contains("SEARCH"))
    #expect(try plan("Order", "noindex:(code) == 'a'") == "SCAN t0")
    #expect(try plan("Order", "noindex:(code) BEGINSWITH 'a'") == "SCAN t0")
    #expect(try plan("Order", "noindex:(SELF) == %@", shop.id("Order", 1)).hasPrefix("SCAN t0"))
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE) VALUES (1, 3, 'a'), (2, 3, 'ab'), (3, 3, 'b')")
    #expect(try shop.keys(FetchRequest("Order", where: ObjectPredicate(format: "noindex:(code) == 'a'"))) == [1])
    #expect(
      try shop.keys(FetchRequest("Order", where: ObjectPredicate(format: "noindex:(code) BEGINSWITH 'a'"))) == [1, 2])
  }
}
