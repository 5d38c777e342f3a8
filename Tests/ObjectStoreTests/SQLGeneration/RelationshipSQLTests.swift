import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("SQL of relationships")
struct RelationshipSQLTests {
  let shop: Shop

  init() throws { shop = try Shop() }

  @Test(
    "a to-one path is one join, however often it is used; keys need none",
    arguments: [
      ("customer.name == 'Bo'", "LEFT JOIN ZPARTY AS t1 ON t1.Z_PK = t0.ZCUSTOMER WHERE t1.ZNAME = ?"),
      (
        "customer.name > 'a' AND customer.name < 'b'",
        "LEFT JOIN ZPARTY AS t1 ON t1.Z_PK = t0.ZCUSTOMER WHERE t1.ZNAME > ? AND t1.ZNAME < ?"
      ),
      ("customer == nil", "WHERE t0.ZCUSTOMER IS NULL"), ("customer != nil", "WHERE t0.ZCUSTOMER IS NOT NULL"),
      ("customer.orders.@count > 1", "WHERE (SELECT count(*) FROM ZORDER AS t1 WHERE t1.ZCUSTOMER = t0.ZCUSTOMER) > ?"),
    ])
  func toOne(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "to-many paths are subqueries through foreign keys, join tables and columns of the destination",
    arguments: [
      (
        "ANY lines.title == 'x'", "WHERE EXISTS (SELECT 1 FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK AND t1.ZTITLE = ?)"
      ),
      (
        "ALL lines.quantity > 3",
        "WHERE NOT EXISTS (SELECT 1 FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK AND (t1.ZQUANTITY > ?) IS NOT TRUE)"
      ),
      (
        "NONE lines.quantity > 3",
        "WHERE NOT EXISTS (SELECT 1 FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK AND t1.ZQUANTITY > ?)"
      ),
      (
        "ANY lines.product.name == 'x'",
        "WHERE EXISTS (SELECT 1 FROM ZLINE AS t1 LEFT JOIN ZPRODUCT AS t2 ON t2.Z_PK = t1.ZPRODUCT "
          + "WHERE t1.ZORDER = t0.Z_PK AND t2.ZNAME = ?)"
      ),
      (
        "ANY tags.name == 'x'",
        "WHERE EXISTS (SELECT 1 FROM Z_3TAGS AS t1 JOIN ZTAG AS t2 ON t2.Z_PK = t1.Z_9TAGS "
          + "WHERE t1.Z_3ORDERS = t0.Z_PK AND t2.ZNAME = ?)"
      ),
      (
        "ANY customer.friends.name == 'x'",
        "WHERE EXISTS (SELECT 1 FROM Z_5FRIENDS AS t1 JOIN ZPARTY AS t2 ON t2.Z_PK = t1.REFLEXIVE "
          + "WHERE t1.Z_5FRIENDS = t0.ZCUSTOMER AND t2.ZNAME = ?)"
      ),
      ("ANY marks.text == 'x'", "WHERE EXISTS (SELECT 1 FROM ZMARK AS t1 WHERE t1.Z3MARKS = t0.Z_PK AND t1.ZTEXT = ?)"),
      (
        "ANY tags.orders.code == 'x'",
        "WHERE EXISTS (SELECT 1 FROM Z_3TAGS AS t1 JOIN Z_3TAGS AS t2 ON t2.Z_9TAGS = t1.Z_9TAGS "
          + "JOIN ZORDER AS t3 ON t3.Z_PK = t2.Z_3ORDERS WHERE t1.Z_3ORDERS = t0.Z_PK AND t3.ZCODE = ?)"
      ),
      (
        "ANY customer.orders.lines.product.name LIKE 'a*'",
        "WHERE EXISTS (SELECT 1 FROM ZORDER AS t1 JOIN ZLINE AS t2 ON t2.ZORDER = t1.Z_PK "
          + "LEFT JOIN ZPRODUCT AS t3 ON t3.Z_PK = t2.ZPRODUCT "
          + "WHERE t1.ZCUSTOMER = t0.ZCUSTOMER AND (t3.ZNAME >= ? AND t3.ZNAME < ?))"
      ),
    ])
  func toMany(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test("the other side of a join table has the columns the other way round")
  func joinTableSides() throws {
    let sql = try shop.filter("Tag", ObjectPredicate(format: "ANY orders.code == 'x'"))
    #expect(
      sql == "WHERE EXISTS (SELECT 1 FROM Z_3TAGS AS t1 JOIN ZORDER AS t2 ON t2.Z_PK = t1.Z_3ORDERS "
        + "WHERE t1.Z_9TAGS = t0.Z_PK AND t2.ZCODE = ?)")
  }

  @Test(
    "aggregates of to-many paths are subqueries; objects are counted without their table",
    arguments: [
      ("lines.@count > 3", "(SELECT count(*) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK) > ?"),
      ("count:(tags) == 0", "(SELECT count(*) FROM Z_3TAGS AS t1 WHERE t1.Z_3ORDERS = t0.Z_PK) = ?"),
      ("lines[SIZE] == 2", "(SELECT count(*) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK) = ?"),
      ("count:(lines.title) == 2", "(SELECT count(t1.ZTITLE) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK) = ?"),
      (
        "lines.@sum.quantity > 3",
        "(SELECT ifnull(sum(t1.ZQUANTITY), 0) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK) > ?"
      ),
      (
        "lines.@avg.product.price > 3",
        "(SELECT mergewalk_average(t2.ZPRICE) FROM ZLINE AS t1 LEFT JOIN ZPRODUCT AS t2 ON t2.Z_PK = t1.ZPRODUCT "
          + "WHERE t1.ZORDER = t0.Z_PK) > ?"
      ),
      (
        "max:(lines.quantity) > size",
        "(SELECT max(t1.ZQUANTITY) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK) > t0.ZSIZE"
      ),
      (
        "count:(distinct:(lines.product)) > 1",
        "(SELECT count(DISTINCT t1.ZPRODUCT) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK) > ?"
      ),
    ])
  func aggregates(format: String, sql: String) throws {
    #expect(try shop.filter(format) == "WHERE " + sql)
  }

  @Test("SUBQUERY binds its variable to the rows of its own SELECT, nested ones too")
  func subqueries() throws {
    #expect(
      try shop.filter("SUBQUERY(lines, $l, $l.quantity > 2 AND $l.product.price > SELF.amount).@count > 1")
        == "WHERE (SELECT count(*) FROM ZLINE AS t1 LEFT JOIN ZPRODUCT AS t2 ON t2.Z_PK = t1.ZPRODUCT "
        + "WHERE t1.ZORDER = t0.Z_PK AND (t1.ZQUANTITY > ? AND t2.ZPRICE > t0.ZAMOUNT)) > ?")
    #expect(
      try shop.filter(
        "SUBQUERY(customer.orders, $o, SUBQUERY($o.lines, $l, $l.quantity > $o.size).@count > 0).@count > 1")
        == "WHERE (SELECT count(*) FROM ZORDER AS t1 WHERE t1.ZCUSTOMER = t0.ZCUSTOMER "
        + "AND (SELECT count(*) FROM ZLINE AS t2 WHERE t2.ZORDER = t1.Z_PK AND t2.ZQUANTITY > t1.ZSIZE) > ?) > ?")
    #expect(
      try shop.filter("ANY SUBQUERY(lines, $l, $l.quantity > 2).title == 'x'")
        == "WHERE EXISTS (SELECT 1 FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK AND t1.ZQUANTITY > ? AND t1.ZTITLE = ?)")
  }

  @Test("elements of ordered relationships are found by their position")
  func orderedElements() throws {
    #expect(
      try shop.filter("lines[FIRST].title == 'x'")
        == "LEFT JOIN ZLINE AS t2 ON t2.Z_PK = (SELECT t1.Z_PK FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK "
        + "ORDER BY t1.Z_FOK_ORDER LIMIT 1) WHERE t2.ZTITLE = ?")
    try insertOrders()
    #expect(try keys("lines[FIRST].title == 'b'") == [1])
    #expect(try keys("lines[LAST].title == 'a'") == [1, 2])
    #expect(try keys("lines[1].title == 'a'") == [1])
    #expect(try keys("lines[LAST].product.name == 'pen'") == [2])
    #expect(try keys("lines[2] == nil") == [1, 2, 3])
    #expect(throws: PredicateError.self) { try keys("tags[FIRST].name == 'a'") }
    #expect(throws: PredicateError.self) { try keys("lines[-1].title == 'a'") }
  }

  @Test("relationships are compared with each other and with IDs by their keys")
  func relationshipComparisons() throws {
    #expect(try shop.filter("SELF IN customer.orders").contains("t1.Z_PK = t0.Z_PK"))
    #expect(
      try shop.filter("ANY lines.product == %@", shop.id("Product", 4))
        == "WHERE EXISTS (SELECT 1 FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK AND t1.ZPRODUCT = ?)")
    #expect(
      try shop.filter("tags CONTAINS %@", shop.id("Tag", 4))
        == "WHERE EXISTS (SELECT 1 FROM Z_3TAGS AS t1 WHERE t1.Z_3ORDERS = t0.Z_PK AND t1.Z_9TAGS = ?)")
    #expect(
      try shop.filter("SUBQUERY(lines, $l, $l.order == SELF AND $l.order.customer == SELF.customer).@count > 0")
        .contains("t1.ZORDER = t0.Z_PK"))
    #expect(try shop.filter("customer == %@", shop.id("Order", 1)) == "WHERE 0")
    #expect(try shop.filter("customer != %@", shop.id("Order", 1)) == "")
  }

  @Test("rows come back as the relationships say")
  func rows() throws {
    try insertOrders()
    #expect(try keys("ANY lines.title == 'a'") == [1, 2])
    #expect(try keys("ALL lines.title == 'a'") == [2, 3])
    #expect(try keys("NONE lines.title == 'a'") == [3])
    #expect(try keys("lines.@count == 2") == [1])
    #expect(try keys("lines.@sum.quantity == 0") == [3])
    #expect(try keys("lines.@max.quantity == nil") == [3])
    #expect(try keys("ANY tags.name BEGINSWITH 'r'") == [1, 3])
    #expect(try keys("ANY tags.orders.code == 'C'") == [1, 3])
    #expect(try keys("ANY marks.text == 'm'") == [2])
    #expect(try keys("customer.name == nil") == [3])
    #expect(try keys("customer.name != 'Bo'") == [2, 3])
    #expect(try keys("ANY customer.friends.name == 'Ann'") == [1])
    #expect(try keys("ANY lines.quantity IN {5, 6}") == [2])
    #expect(try keys("SUBQUERY(lines, $l, $l.quantity > 1).@count == 1") == [1, 2])
    #expect(try keys("customer.orders CONTAINS SELF") == [1, 2])
    #expect(try keys("%@ IN lines.quantity", 5) == [2])
    #expect(try keys("count:(distinct:(lines.product)) == 1") == [1, 2])
    #expect(try keys("ANY lines.product.price > SELF.amount") == [1])
    #expect(try keys("TERNARY(size > 1, lines.@count, tags.@count) == 1") == [1, 2, 3])
  }

  @Test("FE13, FE14, AP26 in SQL: an entity means itself and what inherits from it, unless only itself is wanted")
  func fe13Inheritance() throws {
    func sql(_ entity: String, subentities: Bool = true) throws -> String {
      var request = FetchRequest(entity)
      request.includesSubentities = subentities
      return try shop.compiler.compile(request, selecting: .count).sql
    }
    #expect(try sql("Party") == "SELECT count(*) FROM ZPARTY AS t0")
    #expect(try sql("Party", subentities: false) == "SELECT count(*) FROM ZPARTY AS t0 WHERE t0.Z_ENT = 5")
    #expect(try sql("Customer") == "SELECT count(*) FROM ZPARTY AS t0 WHERE t0.Z_ENT = 7")
    #expect(try sql("Order") == "SELECT count(*) FROM ZORDER AS t0")
    #expect(try sql("Order", subentities: false) == "SELECT count(*) FROM ZORDER AS t0 WHERE t0.Z_ENT = 3")
    #expect(try sql("Tag", subentities: false) == "SELECT count(*) FROM ZTAG AS t0")
    let zoo = try Models.zoo()
    let compiler = FetchCompiler(schema: StoreSchema(model: zoo), storeUUID: "")
    var request = FetchRequest("Bird", where: try ObjectPredicate(format: "name == 'x'"))
    #expect(
      try compiler.compile(request, selecting: .count).sql
        == "SELECT count(*) FROM ZANIMAL AS t0 WHERE t0.Z_ENT = 2 AND t0.ZNAME = ?")
    request.includesSubentities = false
    #expect(try compiler.compile(request, selecting: .count).sql.contains("t0.Z_ENT = 2"))
  }

  private func keys(_ format: String, _ arguments: any PredicateArgument...) throws -> [Int64] {
    try shop.keys(
      FetchRequest(
        "Order", where: ObjectPredicate(format: format, arguments: arguments), sortedBy: [ObjectSortDescriptor("code")])
    )
  }

  /// Three orders A, B, C: two lines, one, none; customers Bo and Ann, who are friends, and none.
  private func insertOrders() throws {
    for statement in [
      "INSERT INTO ZPARTY (Z_PK, Z_ENT, ZNAME) VALUES (1, 7, 'Bo'), (2, 6, 'Ann')",
      "INSERT INTO Z_5FRIENDS (Z_5FRIENDS, REFLEXIVE) VALUES (1, 2), (2, 1)",
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE, ZCUSTOMER, ZAMOUNT, ZSIZE) "
        + "VALUES (1, 3, 'A', 1, 1.5, 1), (2, 3, 'B', 2, 9, 2), (3, 4, 'C', NULL, NULL, NULL)",
      "INSERT INTO ZPRODUCT (Z_PK, Z_ENT, ZNAME, ZPRICE) VALUES (1, 8, 'pen', 2)",
      "INSERT INTO ZLINE (Z_PK, Z_ENT, ZORDER, Z_FOK_ORDER, ZTITLE, ZQUANTITY, ZPRODUCT) "
        + "VALUES (1, 1, 1, 4096, 'a', 1, NULL), (2, 1, 1, 2048, 'b', 3, 1), (3, 1, 2, 2048, 'a', 5, 1)",
      "INSERT INTO ZTAG (Z_PK, Z_ENT, ZNAME) VALUES (1, 9, 'red'), (2, 9, 'blue')",
      "INSERT INTO Z_3TAGS (Z_3ORDERS, Z_9TAGS) VALUES (1, 1), (3, 1), (2, 2)",
      "INSERT INTO ZMARK (Z_PK, Z_ENT, ZTEXT, Z3MARKS) VALUES (1, 2, 'm', 2)",
    ] { try shop.store.connection.execute(statement) }
  }
}
