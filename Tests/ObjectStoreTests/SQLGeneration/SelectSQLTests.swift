import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("SQL of fetch requests")
struct SelectSQLTests {
  let shop: Shop

  init() throws { shop = try Shop() }

  private func sql(
    _ request: FetchRequest, _ selection: FetchSelection = .primaryKeys(withSortKeys: false)
  ) throws -> String { try shop.compiler.compile(request, selecting: selection).sql }

  private func dictionaries(_ entity: String, _ values: [FetchedValue]) -> FetchRequest {
    var request = FetchRequest(entity)
    request.resultType = .dictionaries
    request.propertiesToFetch = values
    return request
  }

  private func named(_ name: String, _ format: String, _ type: AttributeType = .undefined) throws -> FetchedValue {
    .expression(ExpressionDescription(name: name, expression: try ObjectExpression(format: format), resultType: type))
  }

  private func code(_ body: () throws -> Void) -> PredicateError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? PredicateError)?.code }
  }

  @Test("FE1, FE2 in SQL: an entity is enough; predicate, order and limit come one by one or together")
  func fe1Minimum() throws {
    var request = FetchRequest("Tag")
    #expect(try sql(request) == "SELECT t0.Z_PK, t0.Z_ENT FROM ZTAG AS t0")
    request.sortDescriptors = [ObjectSortDescriptor("name", ascending: false)]
    #expect(try sql(request) == "SELECT t0.Z_PK, t0.Z_ENT FROM ZTAG AS t0 ORDER BY t0.ZNAME DESC, t0.Z_PK")
    request.predicate = try ObjectPredicate(format: "name > 'a'")
    request.fetchLimit = 5
    request.fetchOffset = 10
    #expect(
      try sql(request)
        == "SELECT t0.Z_PK, t0.Z_ENT FROM ZTAG AS t0 WHERE t0.ZNAME > ? ORDER BY t0.ZNAME DESC, t0.Z_PK LIMIT ? OFFSET ?"
    )
  }

  @Test("FE3 in SQL: an unknown entity is an error that names it and one like it")
  func fe3UnknownEntity() throws {
    do {
      _ = try sql(FetchRequest("Ordr"))
      Issue.record("Ordr is no entity")
    } catch let error as PredicateError {
      #expect(error.code == .unknownEntity)
      #expect(error.description == "the model has no entity Ordr; did you mean Order? [unknownEntity]")
    }
  }

  @Test("AP20 in SQL: limit and offset are parameters; an offset past the end gives nothing")
  func ap20LimitAndOffset() throws {
    try shop.store.connection.execute(
      "INSERT INTO ZTAG (Z_PK, Z_ENT, ZNAME) VALUES (1, 9, 'a'), (2, 9, 'b'), (3, 9, 'c')")
    var request = FetchRequest("Tag", sortedBy: [ObjectSortDescriptor("name")])
    request.fetchOffset = 1
    let fetch = try shop.compiler.compile(request, selecting: .primaryKeys(withSortKeys: false))
    #expect(fetch.sql.hasSuffix(" LIMIT ? OFFSET ?"))
    #expect(fetch.bindings == [.integer(-1), .integer(1)])
    #expect(try shop.keys(request) == [2, 3])
    request.fetchLimit = 1
    #expect(try shop.keys(request) == [2])
    #expect(try shop.store.count(shop.compiler.compile(request, selecting: .count)) == 1)
    request.fetchOffset = 5
    #expect(try shop.keys(request) == [])
    #expect(try shop.store.count(shop.compiler.compile(request, selecting: .count)) == 0)
    request.fetchLimit = -1
    #expect(code { _ = try sql(request) } == .invalidRequest)
  }

  @Test("AP22 in SQL: keys, rows, values and numbers, with sort keys where they are wanted")
  func ap22Selections() throws {
    let model = shop.model
    let request = FetchRequest("Line", sortedBy: [ObjectSortDescriptor("order.code"), ObjectSortDescriptor("title")])
    let keys = try shop.compiler.compile(request, selecting: .primaryKeys(withSortKeys: true))
    #expect(
      keys.sql == "SELECT t0.Z_PK, t0.Z_ENT, t1.ZCODE, t0.ZTITLE FROM ZLINE AS t0 "
        + "LEFT JOIN ZORDER AS t1 ON t1.Z_PK = t0.ZORDER ORDER BY t1.ZCODE, t0.ZTITLE, t0.Z_PK")
    #expect(keys.firstSortKey == 2)
    #expect(keys.columns.map(\.name) == ["Z_PK", "Z_ENT", "order.code", "title"])

    let line = try #require(model.entity(named: "Line"))
    let access = try shop.store.access(root: line.root)
    let rows = try shop.compiler.compile(FetchRequest("Line"), selecting: .rows(slots: access.storedSlots))
    #expect(
      rows.sql
        == "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZQUANTITY, t0.ZORDER, t0.Z3_ORDER, t0.Z_FOK_ORDER, t0.ZPRODUCT, t0.ZTITLE "
        + "FROM ZLINE AS t0")
    #expect(rows.columns.allSatisfy { $0.kind != .value(.undefined) })
    #expect(try sql(FetchRequest("Line"), .count) == "SELECT count(*) FROM ZLINE AS t0")
  }

  @Test("AP23 in SQL: dictionaries of properties; to-one gives an ID, to-many is refused")
  func ap23PropertiesToFetch() throws {
    try shop.store.connection.execute(
      "INSERT INTO ZPARTY (Z_PK, Z_ENT, ZNAME) VALUES (4, 7, 'Bo');"
        + "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE, ZCUSTOMER, Z5_CUSTOMER) VALUES (1, 4, 'A', 4, 7), (2, 3, 'B', NULL, NULL)"
    )
    var request = dictionaries("Order", ["code", "customer", "customer.name"])
    request.sortDescriptors = [ObjectSortDescriptor("code")]
    let fetch = try shop.compiler.compile(request, selecting: .values)
    #expect(
      fetch.sql == "SELECT t0.ZCODE, t0.ZCUSTOMER, t0.Z5_CUSTOMER, t1.ZNAME FROM ZORDER AS t0 "
        + "LEFT JOIN ZPARTY AS t1 ON t1.Z_PK = t0.ZCUSTOMER ORDER BY 1, t0.Z_PK")
    let cursor = try shop.store.cursor(fetch)
    #expect(try cursor.step())
    #expect(cursor.value(0) == "A")
    #expect(cursor.value(1) == .objectID(try shop.id("Customer", 4)))
    if case .objectID(let id) = cursor.value(1) { #expect(id.entity.name == "Customer") }
    #expect(cursor.value(2) == "Bo")
    #expect(try cursor.step())
    #expect((0..<3).map { cursor.value($0) } == ["B", .null, .null])
    #expect(try !cursor.step())
    #expect(code { _ = try sql(dictionaries("Order", ["lines"]), .values) } == .invalidRequest)
    #expect(code { _ = try sql(dictionaries("Order", ["lines.title"]), .values) } == .invalidRequest)
    #expect(try sql(dictionaries("Tag", []), .values) == "SELECT t0.ZNAME FROM ZTAG AS t0")
    #expect(try sql(dictionaries("Line", []), .values).hasPrefix("SELECT t0.ZORDER, "))
  }

  @Test("FE8, FE10, FE11 in SQL: aggregates are one row of one SELECT")
  func fe8Aggregates() throws {
    let request = dictionaries(
      "Order",
      [
        try named("least", "min:(amount)"), try named("most", "max:(amount)"), try named("n", "count:(code)"),
        try named("all", "count:(SELF)"),
      ])
    #expect(
      try sql(request, .values)
        == "SELECT min(t0.ZAMOUNT), max(t0.ZAMOUNT), count(t0.ZCODE), count(*) FROM ZORDER AS t0")
    func row() throws -> [ConstantValue] {
      let before = shop.store.statementsExecuted
      let cursor = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
      #expect(try cursor.step())
      let values = (0..<4).map { cursor.value($0) }
      #expect(try !cursor.step())
      #expect(shop.store.statementsExecuted == before + 1)
      return values
    }
    #expect(try row() == [.null, .null, 0, 0])
    try shop.store.connection.execute("INSERT INTO ZORDER (Z_PK, Z_ENT, ZAMOUNT) VALUES (1, 3, 5), (2, 3, 2.5)")
    #expect(try row() == [2.5, 5.0, 0, 2])
  }

  @Test("FE9 in SQL: two values of one name are an error")
  func fe9EqualNames() throws {
    let request = dictionaries("Order", [try named("x", "min:(amount)"), try named("x", "max:(amount)")])
    #expect(code { _ = try sql(request, .values) } == .invalidRequest)
    #expect(code { _ = try sql(dictionaries("Order", ["code", "code"]), .values) } == .invalidRequest)
  }

  @Test("FE12 in SQL: the least date is a date")
  func fe12LeastDate() throws {
    try shop.store.connection.execute("INSERT INTO ZORDER (Z_PK, Z_ENT, ZPLACED) VALUES (1, 3, 86400), (2, 3, 5.5)")
    let cursor = try shop.store.cursor(
      shop.compiler.compile(dictionaries("Order", [try named("first", "min:(placed)")]), selecting: .values))
    #expect(try cursor.step())
    #expect(cursor.value(0) == .attribute(.date(5.5)))
  }

  @Test("AP24 in SQL: groups, their condition, and what is neither grouped nor an aggregate")
  func ap24GroupsAndHaving() throws {
    var request = dictionaries(
      "Order", ["customer", try named("total", "sum:(amount)"), try named("double", "sum:(amount) * 2")])
    request.propertiesToGroupBy = ["customer"]
    request.havingPredicate = try ObjectPredicate(format: "total > 3 AND customer != nil AND count:(code) > 1")
    request.sortDescriptors = [ObjectSortDescriptor("total", ascending: false)]
    #expect(
      try sql(request, .values)
        == "SELECT t0.ZCUSTOMER, t0.Z5_CUSTOMER, mergewalk_sum(t0.ZAMOUNT), mergewalk_sum(t0.ZAMOUNT) * ? "
        + "FROM ZORDER AS t0 GROUP BY t0.ZCUSTOMER, t0.Z5_CUSTOMER "
        + "HAVING mergewalk_sum(t0.ZAMOUNT) > ? AND t0.ZCUSTOMER IS NOT NULL AND count(t0.ZCODE) > ? ORDER BY 3 DESC")
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE, ZAMOUNT, ZCUSTOMER) "
        + "VALUES (1, 3, 'a', 1, 7), (2, 3, 'b', 4, 7), (3, 3, 'c', 9, 8), (4, 3, 'd', 20, NULL)")
    let cursor = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
    #expect(try cursor.step())
    #expect(cursor.value(1) == 5.0)
    #expect(cursor.value(2) == 10.0)
    #expect(try !cursor.step())
    #expect(try shop.store.count(shop.compiler.compile(request, selecting: .count)) == 1)

    request.propertiesToFetch.append("code")
    #expect(code { _ = try sql(request, .values) } == .invalidRequest)
    #expect(
      code { _ = try sql(dictionaries("Order", ["code", named("n", "count:(SELF)")]), .values) } == .invalidRequest)
    var having = dictionaries("Order", ["code"])
    having.propertiesToGroupBy = ["code"]
    having.havingPredicate = try ObjectPredicate(format: "amount > 3")
    #expect(code { _ = try sql(having, .values) } == .invalidRequest)
    having.resultType = .objects
    #expect(code { _ = try sql(having) } == .invalidRequest)
    #expect(
      code { _ = try sql(FetchRequest("Order", where: ObjectPredicate(format: "max:(amount) > 3"))) } == .typeMismatch)
    var odd = dictionaries("Order", [try named("n", "sum:(max:(amount))")])
    odd.propertiesToGroupBy = ["code"]
    #expect(code { _ = try sql(odd, .values) } == .invalidRequest)
  }

  @Test("AP25 in SQL: distinct dictionaries, sorted by what they hold")
  func ap25Distinct() throws {
    var request = dictionaries("Order", ["size", "isOpen"])
    request.returnsDistinctResults = true
    request.sortDescriptors = [ObjectSortDescriptor("size")]
    #expect(try sql(request, .values) == "SELECT DISTINCT t0.ZSIZE, t0.ZISOPEN FROM ZORDER AS t0 ORDER BY 1")
    request.sortDescriptors = [ObjectSortDescriptor("SELF.size")]
    #expect(try sql(request, .values) == "SELECT DISTINCT t0.ZSIZE, t0.ZISOPEN FROM ZORDER AS t0 ORDER BY 1")
    try shop.store.connection.execute("INSERT INTO ZORDER (Z_PK, Z_ENT, ZSIZE) VALUES (1, 3, 2), (2, 3, 2), (3, 3, 1)")
    #expect(try shop.store.count(shop.compiler.compile(request, selecting: .count)) == 2)
    request.sortDescriptors = [ObjectSortDescriptor("code")]
    #expect(code { _ = try sql(request, .values) } == .invalidRequest)
  }

  @Test(
    "the order of texts is a collation; null comes first ascending and last descending, equal rows by key",
    arguments: [
      (ObjectSortDescriptor.Comparison.standard, ""), (.folded(.caseInsensitive), " COLLATE mergewalk_c"),
      (.folded([.caseInsensitive, .diacriticInsensitive]), " COLLATE mergewalk_cd"),
      (.localized, " COLLATE mergewalk_l"),
      (.localizedCaseInsensitive, " COLLATE mergewalk_lc"), (.localizedStandard, " COLLATE mergewalk_numeric"),
    ])
  func sorting(comparison: ObjectSortDescriptor.Comparison, collation: String) throws {
    let request = FetchRequest(
      "Tag", sortedBy: [ObjectSortDescriptor("name", ascending: false, comparison: comparison)])
    #expect(try sql(request) == "SELECT t0.Z_PK, t0.Z_ENT FROM ZTAG AS t0 ORDER BY t0.ZNAME\(collation) DESC, t0.Z_PK")
    try shop.store.connection.execute(
      "INSERT INTO ZTAG (Z_PK, Z_ENT, ZNAME) VALUES (1, 9, NULL), (2, 9, 'b'), (3, 9, 'B'), (4, 9, 'b'), (5, 9, NULL), (6, 9, 'ä'), (7, 9, 'b10'), (8, 9, 'b9')"
    )
    let up = try shop.keys(FetchRequest("Tag", sortedBy: [ObjectSortDescriptor("name", comparison: comparison)]))
    #expect(up.prefix(2) == [1, 5])
    let expected: [Int64] =
      switch comparison {
      case .standard: [3, 2, 4, 7, 8, 6]
      case .folded(.caseInsensitive): [2, 3, 4, 7, 8, 6]
      case .folded: [6, 2, 3, 4, 7, 8]
      case .localized: [6, 2, 4, 3, 7, 8]
      case .localizedCaseInsensitive: [6, 2, 3, 4, 7, 8]
      default: [6, 2, 4, 3, 8, 7]
      }
    #expect(Array(up.dropFirst(2)) == expected)
  }

  @Test("orders that make no sense are refused, aggregates of to-many paths are keys")
  func sortKeys() throws {
    func code(_ key: String, _ comparison: ObjectSortDescriptor.Comparison = .standard) -> PredicateError.Code? {
      self.code { _ = try sql(FetchRequest("Order", sortedBy: [ObjectSortDescriptor(key, comparison: comparison)])) }
    }
    #expect(code("lines.title") == .toManyKey)
    #expect(code("customer") == .typeMismatch)
    #expect(code("customer.note") == .notInSQL)
    #expect(code("extra") == .notInSQL)
    #expect(code("nothing") == .unknownKey)
    #expect(code("a..b") == .invalidRequest)
    #expect(code("code", .custom(SortClosure { _, _ in 0 })) == .notInSQL)
    #expect(
      try sql(FetchRequest("Order", sortedBy: [ObjectSortDescriptor("lines.@count")])).hasSuffix(
        "ORDER BY (SELECT count(*) FROM ZLINE AS t1 WHERE t1.ZORDER = t0.Z_PK), t0.Z_PK"))
  }
}
