import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

/// Every function of the table, in fetched values, WHERE, ORDER BY and HAVING; the expected values are those of the
/// contract, and the evaluator must give them too.
@Suite("Functions in SQL")
struct FunctionSQLTests {
  let shop: Shop

  init() throws {
    shop = try Shop()
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE, ZCOUNT, ZSIZE, ZAMOUNT, ZPRICE, ZPLACED) "
        + "VALUES (1, 3, 'Straße', -7, 3, -2.5, 2.5, 86400), (2, 3, NULL, NULL, NULL, NULL, NULL, NULL);"
        + "INSERT INTO ZLINE (Z_PK, Z_ENT, ZORDER, ZQUANTITY) VALUES (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, 2), (4, 1, 1, 5)"
    )
  }

  /// The values of an expression for the orders 1 and 2.
  private func values(_ format: String) throws -> [ConstantValue] {
    var request = FetchRequest("Order", sortedBy: [ObjectSortDescriptor("size", ascending: false)])
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      .expression(ExpressionDescription(name: "value", expression: try ObjectExpression(format: format)))
    ]
    let cursor = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
    var values: [ConstantValue] = []
    while try cursor.step() { values.append(cursor.value(0)) }
    return values
  }

  /// What the evaluator makes of order 1 and 2.
  private func inMemory(_ format: String) throws -> [AttributeValue] {
    struct Row: KeyedValues {
      let values: [String: EvaluatedValue]
      var evaluatedObjectID: ManagedObjectID? { nil }
      func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue { values[key] ?? .null }
    }
    func line(_ quantity: Int64) -> EvaluatedValue {
      .object(Row(values: ["quantity": .attribute(.integer(quantity))]))
    }
    let full = Row(values: [
      "code": .attribute(.string("Straße")), "count": .attribute(.integer(-7)), "size": .attribute(.integer(3)),
      "amount": .attribute(.double(-2.5)), "price": .attribute(.decimal(DecimalNumber(significand: 25, exponent: -1))),
      "placed": .attribute(.date(86400)), "lines": .collection([line(1), line(2), line(2), line(5)]),
    ])
    let empty = Row(values: ["lines": .collection([])])
    return try [full, empty].map { row in
      guard case .attribute(let value) = try ObjectExpression(format: format).evaluate(with: row) else { return .null }
      return value
    }
  }

  @Test(
    "FN13: each function has its value in SELECT, WHERE and ORDER BY, as in memory",
    arguments: [
      // FN1, FN2, FN3: of a collection and of an empty one.
      ("average:(lines.quantity)", 2.5, nil), ("sum:(lines.quantity)", 10, 0), ("count:(lines.quantity)", 4, 0),
      ("min:(lines.quantity)", 1, nil), ("max:(lines.quantity)", 5, nil), ("median:(lines.quantity)", 2.0, nil),
      ("mode:(lines.quantity)", 2, nil), ("stddev:(lines.quantity)", 1.5, nil), ("mode:({3, 1, 3, 1})", 1, 1),
      ("lines.@count", 4, 0), ("lines.@sum.quantity", 10, 0), ("lines.@avg.quantity", 2.5, nil),
      ("count:(distinct:(lines.quantity))", 3, 0), ("sum:(1, 2, size)", 6, 3),
      // FN4, FN5.
      ("count + size", -4, nil), ("count - size", -10, nil), ("count * size", -21, nil), ("count / size", -2, nil),
      ("amount / 2", -1.25, nil), ("count / 0", nil, nil), ("amount / 0", nil, nil), ("modulus:by:(count, 3)", -1, nil),
      ("modulus:by:(count, 0)", nil, nil), ("modulus:by:(amount, 2)", -0.5, nil), ("price + 1", 3.5, nil),
      // FN6.
      ("log:(100)", 2.0, 2.0), ("ln:(1)", 0.0, 0.0), ("exp:(0)", 1.0, 1.0), ("sqrt:(size + 6)", 3.0, nil),
      ("sqrt:(amount)", nil, nil), ("log:(0)", nil, nil), ("size ** 2", 9.0, nil),
      ("raise:toPower:(amount, 2)", 6.25, nil),
      // FN7.
      ("ceiling:(amount)", -2.0, nil), ("floor:(amount)", -3.0, nil), ("trunc:(amount)", -2.0, nil),
      ("abs:(amount)", 2.5, nil), ("abs:(count)", 7, nil), ("ceiling:(count)", -7, nil),
      // FN10.
      ("uppercase:(code)", "STRASSE", nil), ("lowercase:(code)", "straße", nil), ("canonical:(code)", "strasse", nil),
      ("length:(code)", 6, nil), ("uppercase:('é')", "É", "É"),
      // FN11.
      ("bitwiseAnd:with:(count, 3)", 1, nil), ("bitwiseOr:with:(size, 4)", 7, nil),
      ("bitwiseXor:with:(size, 1)", 2, nil),
      ("leftshift:by:(size, 2)", 12, nil), ("rightshift:by:(count, 1)", -4, nil), ("onesComplement:(0)", -1, -1),
      ("bitwiseAnd:with:(amount, 3)", 2, nil), ("leftshift:by:(size, 64)", 0, nil), ("leftshift:by:(size, -1)", 1, nil),
      // FN12, FN14.
      ("noindex:(size)", 3, nil), ("CAST(size, 'NSString')", "3", nil), ("CAST('12', 'NSNumber') + size", 15, nil),
      ("CAST(placed, 'double')", 86400.0, nil), ("placed - CAST(400, 'NSDate')", 86000.0, nil),
      ("TERNARY(size > 1, 'many', 'few')", "many", "few"), ("{10, 20, 30}[1]", 20, 20),
      ("objectFrom:withIndex:({4, 5}, 1)", 5, 5),
    ] as [(String, ConstantValue, ConstantValue)])
  func fn13EverywhereTheSame(format: String, first: ConstantValue, second: ConstantValue) throws {
    func isSame(_ left: ConstantValue, _ right: ConstantValue) -> Bool {
      guard case .attribute(let left) = left, case .attribute(let right) = right else { return false }
      return ValueComparison.areEqual(left, right)
    }
    let selected = try values(format)
    #expect(selected.count == 2 && isSame(selected[0], first) && isSame(selected[1], second), "\(selected)")
    let evaluated = try inMemory(format)
    #expect(isSame(.attribute(evaluated[0]), first) && isSame(.attribute(evaluated[1]), second), "\(evaluated)")

    let expression = try ObjectExpression(format: format)
    let filter = ObjectPredicate.comparison(ComparisonPredicate(expression, .equalTo, .constant(first)))
    let expected: [Int64] = isSame(first, second) ? [1, 2] : [1]
    #expect(try shop.keys(FetchRequest("Order", where: filter)) == expected)

    var request = FetchRequest("Order", sortedBy: [ObjectSortDescriptor("value", ascending: false)])
    request.resultType = .dictionaries
    request.propertiesToFetch = [.expression(ExpressionDescription(name: "value", expression: expression))]
    let fetch = try shop.compiler.compile(request, selecting: .values)
    #expect(fetch.sql.hasSuffix(" ORDER BY 1 DESC, t0.Z_PK"))
    let cursor = try shop.store.cursor(fetch)
    #expect(try cursor.step())
    let greatest = cursor.value(0)
    #expect(try cursor.step())
    let least = cursor.value(0)
    if case .attribute(let least) = least, case .attribute(let greatest) = greatest {
      #expect(try ValueComparison.sortOrder(least, greatest) <= 0, "\(least), \(greatest)")
    } else {
      Issue.record("\(least) and \(greatest) are no values of attributes")
    }
  }

  @Test("FN13: functions of aggregates in HAVING")
  func fn13Having() throws {
    var request = FetchRequest("Line")
    request.resultType = .dictionaries
    request.propertiesToFetch = ["order"]
    request.propertiesToGroupBy = ["order"]
    for (format, holds) in [
      ("sqrt:(sum:(quantity) + 6) == 4", true), ("max:(quantity) - min:(quantity) == 4", true),
      ("median:(quantity) == 2", true), ("stddev:(quantity) == 1.5", true), ("mode:(quantity) > 2", false),
      ("count:(distinct:(quantity)) == 3", true), ("average:(quantity) BETWEEN {2, 3}", true),
      ("modulus:by:(sum:(quantity), 4) == 2", true), ("TERNARY(count:(quantity) > 3, 1, 2) == 2", false),
    ] {
      request.havingPredicate = try ObjectPredicate(format: format)
      let cursor = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
      #expect(try cursor.step() == holds, "\(format)")
    }
  }

  @Test("FN8: random numbers are in their range and differ from row to row")
  func fn8Random() throws {
    try shop.store.connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
        + "INSERT INTO ZTAG (Z_PK, Z_ENT) SELECT i, 9 FROM n")
    var request = FetchRequest("Tag")
    request.resultType = .dictionaries
    request.propertiesToFetch = try ["random()", "random:(10)", "random:(0)"].map {
      .expression(ExpressionDescription(name: $0, expression: try ObjectExpression(format: $0)))
    }
    let cursor = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
    var fractions = Set<Double>()
    var digits = Set<Int64>()
    while try cursor.step() {
      fractions.insert(cursor.double(0))
      digits.insert(cursor.integer(1))
      #expect((0..<1).contains(cursor.double(0)) && (0..<10).contains(cursor.integer(1)) && cursor.storage(2) == .null)
    }
    #expect(fractions.count > 280)
    #expect(digits.count > 5)
  }

  @Test("a sum beyond 64 bits is the error overflow, exact up to there in any order")
  func overflow() throws {
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCOUNT) VALUES (10, 4, 9223372036854775807), (11, 4, 10), (12, 4, -10)")
    var request = FetchRequest("RushOrder")
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      .expression(ExpressionDescription(name: "total", expression: try ObjectExpression(format: "sum:(count)")))
    ]
    let fetch = try shop.compiler.compile(request, selecting: .values)
    let cursor = try shop.store.cursor(fetch)
    #expect(try cursor.step())
    #expect(cursor.value(0) == .attribute(.integer(.max)))
    try shop.store.connection.execute("DELETE FROM ZORDER WHERE Z_PK = 12")
    do {
      _ = try shop.store.cursor(fetch).step()
      Issue.record("the sum is beyond 64 bits")
    } catch {
      guard case .predicate(let cause) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(cause.code == .overflow)
    }
    // The error was that statement's alone.
    #expect(try shop.keys(FetchRequest("RushOrder")).count == 2)
  }
}
