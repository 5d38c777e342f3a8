import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Batch deletes")
struct BatchDeleteTests {
  private typealias Request = BatchDeleteRequest

  /// Orders with lines that go along, products that are kept while lines refer to them, notes that refer one way.
  static func shop() throws -> ManagedObjectModel {
    var lines = Models.toMany("lines", "Line", inverse: "order")
    lines.deleteRule = .cascade
    var order = Models.toOne("order", "Order", inverse: "lines")
    order.isOptional = false
    var uses = Models.toMany("lines", "Line", inverse: "product")
    uses.deleteRule = .deny
    var about = Models.toOne("about", "Order")
    about.deleteRule = .noAction
    return try Models.model(
      Models.entity("Order", attributes: [Models.attribute("number", .integer32)], relationships: [lines]),
      Models.entity("Rush", parent: "Order"),
      Models.entity(
        "Line", attributes: [Models.attribute("number", .integer32)],
        relationships: [order, Models.toOne("product", "Product", inverse: "lines")]),
      Models.entity("Product", attributes: [Models.attribute("number", .integer32)], relationships: [uses]),
      Models.entity("Note", attributes: [Models.attribute("number", .integer32)], relationships: [about]))
  }

  /// Three orders with two lines each, two products, a note about each order.
  private static func filled() throws -> Workplace {
    let place = try Workplace(try shop())
    var products: [ManagedObject] = []
    for number in 0..<2 {
      products.append(try place.context.insert("Product"))
      try products[number].setValue(.integer(Int64(number)), forKey: "number")
    }
    for number in 0..<3 {
      let order = try place.context.insert(number == 2 ? "Rush" : "Order")
      try order.setValue(.integer(Int64(number)), forKey: "number")
      for i in 0..<2 {
        let line = try place.context.insert("Line")
        try line.setObject(order, forKey: "order")
        if number > 0 { try line.setObject(products[i], forKey: "product") }
      }
      let note = try place.context.insert("Note")
      try note.setObject(order, forKey: "about")
    }
    try place.context.save()
    return place
  }

  @Test("AP53: rules hold, and references without a way back are cleared") func rules() throws {
    let place = try Self.filled()
    var request = Request("Order", where: Key("number") < 1)
    request.resultType = .objectIDs
    let result = try place.context.execute(request)
    #expect(result.deletedObjectIDs.map(\.entity.name) == ["Line", "Line", "Order"])
    #expect(result.deletedCount == 3)
    #expect(result.updatedObjectIDs.map(\.uri) == [place.id("Note", 1)?.uri])
    #expect(try place.rows("SELECT Z_PK, ZABOUT, Z3_ABOUT, Z_OPT FROM ZNOTE").first == "1|null|null|2")
    #expect(try place.rows("SELECT count(*) FROM ZLINE") == ["4"])
    try place.verify()
  }

  @Test func `a denied deletion changes nothing and says what is in the way`() throws {
    let place = try Self.filled()
    let before = try place.dump()
    let error = batchError { _ = try place.context.execute(Request("Product")) }
    #expect(error?.saveCode == .validation)
    #expect(
      error?.description
        == "Product 1: lines still has objects, so it cannot be deleted [validate.deletionDenied]\n"
        + "Product 2: lines still has objects, so it cannot be deleted [validate.deletionDenied]")
    #expect(try place.dump() == before)
    // With their lines they may go.
    _ = try place.context.execute(Request("Line"))
    _ = try place.context.execute(Request("Product"))
    try place.verify()
  }

  @Test func `a mandatory reference is not cleared`() throws {
    var owner = Models.toOne("owner", "Owner", inverse: "things")
    owner.isOptional = false
    let place = try Workplace(
      try Models.model(
        Models.entity("Owner", relationships: [Models.toMany("things", "Thing", inverse: "owner")]),
        Models.entity("Thing", relationships: [owner])))
    let thing = try place.context.insert("Thing")
    try thing.setObject(try place.context.insert("Owner"), forKey: "owner")
    try place.context.save()
    let before = try place.dump()
    let error = batchError { _ = try place.context.execute(Request("Owner")) }
    #expect(error?.description == "Thing 1: owner is required [validate.missing]")
    #expect(error?.saveCode == .validation)
    #expect(try place.dump() == before)
    try place.verify()
  }

  @Test func `order, limit and offset decide which objects go`() throws {
    let place = try Self.filled()
    var fetch = FetchRequest("Order", sortedBy: [ObjectSortDescriptor("number", ascending: false)])
    fetch.fetchLimit = 1
    fetch.fetchOffset = 1
    var request = Request(fetch)
    request.resultType = .count
    let result = try place.context.execute(request)
    #expect(result.deletedCount == 3)
    #expect(result.deletedObjectIDs.isEmpty)
    #expect(try place.rows("SELECT ZNUMBER FROM ZORDER ORDER BY 1") == ["0", "2"])
    fetch.fetchOffset = 0
    fetch.includesSubentities = false
    _ = try place.context.execute(Request(fetch))
    #expect(try place.rows("SELECT ZNUMBER FROM ZORDER ORDER BY 1") == ["2"])
    fetch.affectedStores = ["another"]
    fetch.includesSubentities = true
    _ = try place.context.execute(Request(fetch))
    #expect(try place.rows("SELECT ZNUMBER FROM ZORDER ORDER BY 1") == ["2"])
    try place.verify()
  }

  @Test func `IDs of one hierarchy are taken, gone ones and those of other kinds left alone`() throws {
    let place = try Self.filled()
    let rush = try #require(place.id("Rush", 3))
    let wrong = try #require(place.id("Rush", 1))
    let gone = try #require(place.id("Rush", 99))
    var request = Request(objectIDs: [rush, wrong, gone, rush])
    request.resultType = .objectIDs
    #expect(try place.context.execute(request).deletedObjectIDs.filter { $0.entity.name == "Rush" } == [rush])
    #expect(try place.rows("SELECT Z_PK FROM ZORDER ORDER BY 1") == ["1", "2"])
    let line = try #require(place.id("Line", 1))
    #expect(batchError { _ = try place.context.execute(Request(objectIDs: [rush, line])) }?.objectCode == .wrongEntity)
    let foreign = try #require(try Self.filled().id("Line", 1))
    #expect(batchError { _ = try place.context.execute(Request(objectIDs: [foreign])) }?.objectCode == .otherContext)
    // The same store, named by way of another copy of the model.
    let copy = try #require(try ManagedObjectModel(place.model.draft).entity(named: "Line"))
    let strange = ManagedObjectID(storeUUID: line.storeUUID, entity: copy, primaryKey: 1)
    #expect(batchError { _ = try place.context.execute(Request(objectIDs: [strange])) }?.objectCode == .otherContext)
    #expect(batchError { _ = try place.context.execute(Request("Nobody")) }?.objectCode == .unknownEntity)
    let predicate = Key("nothing") == 1
    #expect(
      batchError { _ = try place.context.execute(Request("Line", where: predicate)) }?.predicateCode == .unknownKey)
    #expect(try place.context.execute(Request(objectIDs: [])) == BatchResult())
    try place.verify()
  }

  @Test func `the statements are these, however many objects there are`() throws {
    let place = try Self.filled()
    // Beside them it looks once for what others have added to the tables, as that may leave rows.
    let statements = try place.statements { _ = try place.context.execute(Request("Order")) }
      .filter { !$0.hasPrefix("-- ") && !$0.contains("sqlite_master") }
    #expect(
      statements == [
        "BEGIN IMMEDIATE",
        "CREATE TEMP TABLE IF NOT EXISTS mergewalk_doomed (r INTEGER, k INTEGER, PRIMARY KEY (r, k)) WITHOUT ROWID",
        "WITH RECURSIVE s(v0, v1) AS (SELECT t0.Z_PK, t0.Z_ENT FROM ZORDER AS t0), "
          + "d(r, k) AS (SELECT 2, v0 FROM s UNION SELECT 0, l.Z_PK FROM d CROSS JOIN ZLINE AS l ON l.ZORDER = d.k "
          + "WHERE d.r = 2) INSERT INTO temp.mergewalk_doomed SELECT r, k FROM d",
        "UPDATE ZNOTE SET ZABOUT = CASE WHEN ZABOUT IN (SELECT k FROM temp.mergewalk_doomed WHERE r = 2) THEN NULL "
          + "ELSE ZABOUT END, Z3_ABOUT = CASE WHEN ZABOUT IN (SELECT k FROM temp.mergewalk_doomed WHERE r = 2) THEN NULL "
          + "ELSE Z3_ABOUT END, Z_OPT = ifnull(Z_OPT, 0) + 1 "
          + "WHERE (ZABOUT IN (SELECT k FROM temp.mergewalk_doomed WHERE r = 2))",
        "DELETE FROM ZLINE WHERE Z_PK IN (SELECT k FROM temp.mergewalk_doomed WHERE r = 0)",
        "DELETE FROM ZORDER WHERE Z_PK IN (SELECT k FROM temp.mergewalk_doomed WHERE r = 2)",
        "SELECT count(*) FROM temp.mergewalk_doomed", "DELETE FROM temp.mergewalk_doomed", "COMMIT",
      ])
    try place.verify()
  }

  @Test("AP53: a result is merged into a context with changes of its own") func merging() throws {
    let place = try Self.filled()
    let context = place.context
    let order = try context.object(with: try #require(place.id("Order", 1)))
    let other = try context.object(with: try #require(place.id("Order", 2)))
    let line = try context.fetchAll("Line")[0]
    let note = try context.fetchAll("Note")[0]
    let otherNote = try context.fetchAll("Note")[1]
    try note.setValue(.integer(8), forKey: "number")
    try otherNote.setObject(order, forKey: "about")
    try line.setValue(.integer(9), forKey: "number")
    try order.setValue(.integer(100), forKey: "number")
    var request = Request(objectIDs: [order.objectID])
    request.resultType = .objectIDs
    let result = try context.execute(request)
    try context.mergeChanges(from: result)
    #expect(!order.isValid)
    #expect(!line.isValid)
    #expect(other.isValid)
    #expect(try note.object(forKey: "about") == nil)
    #expect(try note["number"] == .integer(8))
    #expect(try otherNote.object(forKey: "about") == nil)
    // What is left to save is no conflict.
    try context.save()
    #expect(
      try place.rows("SELECT ZNUMBER, ZABOUT, Z_OPT FROM ZNOTE ORDER BY Z_PK") == [
        "8|null|3", "null|null|2", "null|3|1",
      ])
    let strange = try Self.filled()
    #expect(objectErrorCode { try strange.context.mergeChanges(from: result) } == .otherContext)
    try place.verify()
  }
}
