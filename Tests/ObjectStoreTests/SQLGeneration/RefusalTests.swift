import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("What SQL refuses")
struct RefusalTests {
  let shop: Shop

  init() throws { shop = try Shop() }

  private func error(_ predicate: ObjectPredicate, _ entity: String = "Order") -> PredicateError? {
    let before = shop.store.statementsExecuted
    defer { #expect(shop.store.statementsExecuted == before, "nothing may run") }
    do throws(PredicateError) {
      _ = try shop.compiler.compile(
        FetchRequest(entity, where: predicate), selecting: .primaryKeys(withSortKeys: false))
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "FE4 in SQL: what the store does not have, or cannot do, is an error with advice before anything runs",
    arguments: [
      ("customer.note == 'a'", PredicateError.Code.notInSQL, "Party.note"),
      ("customer.rush.@count == 1", .notInSQL, "Party.rush"),
      ("extra == 'a'", .notInSQL, "Order.extra"), ("photo == 'a'", .notInSQL, "Order.photo"),
      ("lines == tags", .notInSQL, "Order.lines"),
      ("(lines UNION lines).@count > 1", .notInSQL, "UNION"), ("tags[FIRST].name == 'a'", .notInSQL, "Order.tags"),
      ("lines.@distinctUnionOfObjects.title.@count > 1", .notInSQL, "@distinctUnionOfObjects"),
      ("distanceToLocation:fromLocation:({1, 2}, {3, 4}) > 5", .notInSQL, "distanceToLocation"),
    ])
  func fe4NotInSQL(format: String, code: PredicateError.Code, name: String) throws {
    let found = error(try ObjectPredicate(format: format))
    #expect(found?.code == code)
    #expect(found?.message.contains(name) ?? false, "\(String(describing: found))")
    #expect(found?.hint != nil)
  }

  @Test("FE5 in SQL: closures and custom orders are errors with advice")
  func fe5Closures() throws {
    let found = error(.closure(PredicateClosure { _ in true }))
    #expect(found?.code == .notInSQL)
    #expect(found?.hint?.contains("in memory") ?? false)
    #expect(error(.or([.value(true), .not(.closure(PredicateClosure { _ in true }))]))?.code == .notInSQL)
  }

  @Test("null is all that transformable values and files beside the store can be compared with")
  func opaqueValues() throws {
    #expect(try shop.filter("extra == nil AND photo != nil") == "WHERE t0.ZEXTRA IS NULL AND t0.ZPHOTO IS NOT NULL")
    #expect(try shop.filter("customer.shownName == 'A'").hasSuffix("WHERE t1.ZSHOWNNAME = ?"))
  }

  @Test(
    "mistakes are errors before anything runs",
    arguments: [
      ("amount < 'a'", PredicateError.Code.typeMismatch), ("code > 5", .typeMismatch), ("code + 1 == 2", .typeMismatch),
      ("placed * 2 > 1", .typeMismatch), ("placed < 5", .typeMismatch), ("customer < customer", .typeMismatch),
      ("amount BEGINSWITH 'a'", .typeMismatch), ("code LIKE 5", .typeMismatch), ("5 CONTAINS 'a'", .typeMismatch),
      ("sum:(lines.title) > 1", .typeMismatch), ("max:(lines) == 1", .typeMismatch),
      ("max:(amount) > 3", .typeMismatch),
      ("size BETWEEN {1}", .typeMismatch), ("size BETWEEN 5", .typeMismatch), ("ANY code == 'a'", .typeMismatch),
      ("TERNARY(size > 1, 1, 'a') == 1", .typeMismatch), ("CAST(code, 'NSNonsense') == 1", .typeMismatch),
      ("sqrt:(code) > 1", .typeMismatch), ("length:(size) > 1", .typeMismatch),
      ("lines.title == 'a'", .toManyKey), ("size == {1, 2}", .toManyKey), ("lines > 3", .toManyKey),
      ("nothing == 1", .unknownKey), ("customer.nothing == 1", .unknownKey), ("code.width == 1", .unknownKey),
      ("code MATCHES '('", .pattern), ("code MATCHES[d] '[a'", .pattern), ("code == $X", .missingVariable),
      ("{1, 2}[5] == 1", .indexOutOfRange),
    ])
  func mistakes(format: String, code: PredicateError.Code) throws {
    #expect(error(try ObjectPredicate(format: format))?.code == code)
  }

  @Test("an unknown key names one like it, or the entity below that has it")
  func unknownKeys() throws {
    #expect(error(try ObjectPredicate(format: "amuont > 1"))?.hint == "did you mean amount?")
    #expect(
      error(try ObjectPredicate(format: "customer.age > 1"))?.description
        == "Party has no property age; Customer, which inherits from it, has one: fetch Customer [unknownKey]")
  }

  @Test("long chains of AND and OR are balanced, deep nesting is an error before it runs")
  func depth() throws {
    let one = try ObjectPredicate(format: "size == 1")
    let other = try ObjectPredicate(format: "amount > size")
    let long = FetchRequest("Order", where: .or(Array(repeating: other, count: 5_000)))
    #expect(try shop.keys(long) == [])
    #expect(try shop.keys(FetchRequest("Order", where: .not(.and(Array(repeating: one, count: 2_000))))) == [])
    #expect(error(.and(Array(repeating: one, count: 8_001)))?.code == .tooLarge)
    let equalities = try (0..<20_000).map { try ObjectPredicate(format: "size == %@", $0) }
    #expect(try shop.filter("Order", .or(equalities)) == "WHERE t0.ZSIZE IN (SELECT value FROM mergewalk_list(?))")
    var nested = one
    for i in 0..<60 { nested = i % 2 == 0 ? .and([one, nested]) : .or([nested, one]) }
    #expect(try shop.keys(FetchRequest("Order", where: nested)) == [])
    for i in 0..<40_000 { nested = i % 2 == 0 ? .and([one, nested]) : .or([one, nested]) }
    #expect(error(nested)?.code == .tooLarge)
    // Takes the nest apart level by level, as freeing it at once would need as much stack.
    while true {
      guard case .and(let parts) = nested, parts.count == 2 else {
        guard case .or(let parts) = nested, parts.count == 2 else { break }
        nested = parts[1]
        continue
      }
      nested = parts[1]
    }
    var sum = try ObjectExpression(format: "size")
    for _ in 0..<150 { sum = .function(.add, [sum, .constant(1)]) }
    #expect(
      try shop.keys(FetchRequest("Order", where: .comparison(ComparisonPredicate(sum, .equalTo, .constant(1))))) == [])
    var right = try ObjectExpression(format: "amount")
    for _ in 0..<150 { right = .function(.squareRoot, [right]) }
    let deep = FetchRequest("Order", where: .comparison(ComparisonPredicate(right, .equalTo, .constant(1))))
    #expect(throws: FetchError.self) { try shop.keys(deep) }
    do {
      _ = try shop.keys(deep)
    } catch let error as FetchError {
      guard case .predicate(let cause) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(cause.code == .tooLarge)
    }
  }

  @Test("to-many relationships are bounded in one path and in a whole request")
  func manyRelationships() throws {
    func code(_ format: String) throws -> PredicateError.Code? { error(try ObjectPredicate(format: format))?.code }
    let step = "lines.order."
    #expect(try code("ANY " + String(repeating: step, count: 6) + "size == 1") == nil)
    #expect(try code("ANY " + String(repeating: step, count: 7) + "size == 1") == .tooLarge)
    func terms(_ count: Int) -> String {
      (0..<count).map { "ANY lines.title BEGINSWITH 'x\($0)'" }.joined(separator: " OR ")
    }
    #expect(try code(terms(200)) == nil)
    #expect(try code(terms(201)) == .tooLarge)
  }

  @Test("elements of nothing are null, as in memory")
  func elementsOfNothing() throws {
    for format in ["{}[FIRST] == nil", "{}[LAST] == nil", "NULL[0] == nil", "NULL[SIZE] == 0"] {
      let predicate = try ObjectPredicate(format: format)
      #expect(try predicate.evaluate(with: .null), "\(format)")
      #expect(error(predicate) == nil, "\(format)")
      #expect(try shop.keys(FetchRequest("Order", where: predicate)) == shop.keys(FetchRequest("Order")), "\(format)")
    }
  }

  @Test("a pattern that takes too long ends the fetch with its own error, and the next fetch is sound")
  func patternTimeLimit() throws {
    let text = String(repeating: "a", count: 40)
    try shop.store.connection.execute("INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE) VALUES (1, 3, '\(text)!')")
    let slow = FetchRequest("Order", where: try ObjectPredicate(format: "code MATCHES '(a*)*\\\\1b'"))
    do {
      _ = try shop.keys(slow)
    } catch let error as FetchError {
      guard case .predicate(let cause) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(cause.code == .patternTimeLimit)
    }
    #expect(try shop.keys(FetchRequest("Order", where: ObjectPredicate(format: "code MATCHES 'a+!'"))) == [1])
  }

  @Test("statements are prepared once, and two cursors over one fetch do not meet")
  func cursors() throws {
    try shop.store.connection.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, ZNAME) VALUES (1, 9, 'a'), (2, 9, 'b')")
    let fetch = try shop.compiler.compile(FetchRequest("Tag"), selecting: .values)
    let first = try shop.store.cursor(fetch)
    #expect(try first.step())
    let second = try shop.store.cursor(fetch)
    #expect(try second.step())
    #expect(try first.step())
    #expect(first.value(0) == "b")
    #expect(second.value(0) == "a")
    #expect(try !first.step())
    for i in 0..<200 {
      let other = FetchRequest(
        "Tag",
        where: .or(
          (0...i % 70).map { _ in
            .comparison(ComparisonPredicate(.keyPath(PropertyPath([.property("name")])), .lessThan, .constant("b")))
          }))
      #expect(try shop.keys(other) == [1])
    }
  }
}
