import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

private let seventy = (0..<70).map(String.init).joined(separator: ", ")

private func linked(_ part: String, _ word: String) -> String {
  (0..<70).map { part.replacing("#", with: String($0)) }.joined(separator: word)
}

@Suite("SQL of predicates")
struct PredicateSQLTests {
  let shop: Shop

  init() throws { shop = try Shop() }

  @Test(
    "equality keeps the column free for an index, and inequality finds nulls",
    arguments: [
      ("code == 'a'", "WHERE t0.ZCODE = ?"),
      ("code != 'a'", "WHERE t0.ZCODE IS NOT ?"),
      ("NOT (code == 'a')", "WHERE t0.ZCODE IS NOT ?"),
      ("NOT (code != 'a')", "WHERE t0.ZCODE = ?"),
      ("'a' == code", "WHERE t0.ZCODE = ?"),
      ("code == nil", "WHERE t0.ZCODE IS NULL"),
      ("code != nil", "WHERE t0.ZCODE IS NOT NULL"),
      ("code == link", "WHERE t0.ZCODE IS t0.ZLINK"),
      ("code != link", "WHERE t0.ZCODE IS NOT t0.ZLINK"),
      ("isOpen == YES", "WHERE t0.ZISOPEN = ?"),
      ("SELF == nil", "WHERE 0"),
      ("SELF != nil", ""),
    ])
  func equality(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "values of different kinds are unequal without a look, unless both may be null",
    arguments: [
      ("code == 5", "WHERE 0"), ("code != 5", ""), ("amount == 'a'", "WHERE 0"), ("placed == 5", "WHERE 0"),
      ("amount == code", "WHERE t0.ZAMOUNT IS NULL AND t0.ZCODE IS NULL"),
      ("amount != code", "WHERE NOT (t0.ZAMOUNT IS NULL AND t0.ZCODE IS NULL)"),
      ("size IN {1, 'a', 2.0, 3.5}", "WHERE t0.ZSIZE IN (?, ?)"),
    ])
  func families(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "numbers are bound as their column stores them, so that an index rounds nothing",
    arguments: [
      ("amount > 3", "t0.ZAMOUNT > ?", SQLBinding.real(3)),
      ("count == 2.0", "t0.ZCOUNT = ?", .integer(2)),
      ("count < 2.5", "t0.ZCOUNT < ?", .real(2.5)),
      ("amount == 9007199254740993", "+t0.ZAMOUNT = ?", .integer(9_007_199_254_740_993)),
      ("amount < 9007199254740993", "+t0.ZAMOUNT < ?", .integer(9_007_199_254_740_993)),
      ("price == 5", "t0.ZPRICE = ?", .integer(5)),
      ("price == CAST('2.5', 'NSDecimalNumber')", "t0.ZPRICE = ?", .real(2.5)),
      ("ratio == 0.1", "t0.ZRATIO = ?", .real(0.1)),
      ("isOpen == NO", "t0.ZISOPEN = ?", .integer(0)),
      ("placed > CAST(86400, 'NSDate')", "t0.ZPLACED > ?", .real(86400)),
    ])
  func numbers(format: String, sql: String, binding: SQLBinding) throws {
    let fetch = try shop.compiler.compile(
      FetchRequest("Order", where: ObjectPredicate(format: format)), selecting: .primaryKeys(withSortKeys: false))
    #expect(fetch.sql == "SELECT t0.Z_PK, t0.Z_ENT FROM ZORDER AS t0 WHERE \(sql)")
    #expect(fetch.bindings == [binding])
  }

  @Test("an integer attribute equals no fraction, and NaN is null")
  func neverEqual() throws {
    #expect(try shop.filter("count == 2.5") == "WHERE 0")
    #expect(try shop.filter("amount == %@", Double.nan) == "WHERE t0.ZAMOUNT IS NULL")
    #expect(try shop.filter("amount < %@", Double.nan) == "WHERE 0")
    #expect(try shop.filter("amount < %@", Double.infinity) == "WHERE t0.ZAMOUNT < ?")
  }

  @Test(
    "nothing but true is true: negations of what may be null test for it",
    arguments: [
      ("amount > 3", "WHERE t0.ZAMOUNT > ?"),
      ("NOT (amount > 3)", "WHERE (t0.ZAMOUNT > ?) IS NOT TRUE"),
      ("NOT (NOT (amount > 3))", "WHERE NOT (t0.ZAMOUNT > ?) IS NOT TRUE"),
      ("NOT (size IN {1, 2})", "WHERE (t0.ZSIZE IN (?, ?)) IS NOT TRUE"),
      ("size IN {1, 2, nil}", "WHERE t0.ZSIZE IN (?, ?) OR t0.ZSIZE IS NULL"),
      ("size IN {1}", "WHERE t0.ZSIZE = ?"), ("size IN {}", "WHERE 0"), ("size IN {nil}", "WHERE t0.ZSIZE IS NULL"),
      ("size IN nil", "WHERE 0"), ("nil CONTAINS size", "WHERE 0"), ("NOT size IN nil", ""),
      ("NOT (code == 'a' AND size > 2)", "WHERE (t0.ZCODE = ? AND t0.ZSIZE > ?) IS NOT TRUE"),
      ("amount > nil", "WHERE 0"), ("NOT (amount > nil)", ""),
      ("size BETWEEN {1, 3}", "WHERE t0.ZSIZE BETWEEN ? AND ?"), ("size BETWEEN {1, nil}", "WHERE 0"),
      ("NOT (size BETWEEN {1, 3})", "WHERE (t0.ZSIZE BETWEEN ? AND ?) IS NOT TRUE"),
      ("amount < size", "WHERE t0.ZAMOUNT < t0.ZSIZE"),
    ])
  func truth(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "compounds keep their shape, and what is known is left out",
    arguments: [
      ("code == 'a' AND (amount > 3 OR size < 2)", "WHERE t0.ZCODE = ? AND (t0.ZAMOUNT > ? OR t0.ZSIZE < ?)"),
      ("TRUEPREDICATE AND code == 'a'", "WHERE t0.ZCODE = ?"), ("FALSEPREDICATE AND code == 'a'", "WHERE 0"),
      ("FALSEPREDICATE OR code == 'a'", "WHERE t0.ZCODE = ?"), ("TRUEPREDICATE OR code == 'a'", ""),
      ("TRUEPREDICATE", ""), ("FALSEPREDICATE", "WHERE 0"), ("NOT FALSEPREDICATE", ""),
    ])
  func compounds(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "texts: prefixes become ranges, options collations and functions",
    arguments: [
      ("code BEGINSWITH 'ab'", "WHERE t0.ZCODE >= ? AND t0.ZCODE < ?"),
      ("code BEGINSWITH ''", "WHERE t0.ZCODE IS NOT NULL"),
      ("code BEGINSWITH[c] 'ab'", "WHERE mergewalk_begins_c(t0.ZCODE, ?)"),
      ("code BEGINSWITH[n] 'ab'", "WHERE t0.ZCODE >= ? AND t0.ZCODE < ?"),
      ("code BEGINSWITH[l] 'ab'", "WHERE t0.ZCODE >= ? AND t0.ZCODE < ?"),
      ("code BEGINSWITH link", "WHERE mergewalk_begins(t0.ZCODE, t0.ZLINK)"),
      ("uppercase:(code) BEGINSWITH 'ab'", "WHERE mergewalk_begins(mergewalk_uppercase(t0.ZCODE), ?)"),
      ("code ENDSWITH 'x'", "WHERE mergewalk_ends(t0.ZCODE, ?)"),
      ("code ENDSWITH[cd] 'x'", "WHERE mergewalk_ends_cd(t0.ZCODE, ?)"),
      ("code CONTAINS 'x'", "WHERE instr(t0.ZCODE, ?) > 0"),
      ("code CONTAINS[d] 'x'", "WHERE mergewalk_contains_d(t0.ZCODE, ?)"),
      ("'x' IN code", "WHERE instr(t0.ZCODE, ?) > 0"), ("code IN 'xyz'", "WHERE instr(?, t0.ZCODE) > 0"),
      ("code LIKE 'ab'", "WHERE t0.ZCODE = ?"), ("code LIKE 'ab*'", "WHERE t0.ZCODE >= ? AND t0.ZCODE < ?"),
      ("code LIKE 'ab*c'", "WHERE (t0.ZCODE >= ? AND t0.ZCODE < ?) AND mergewalk_like(t0.ZCODE, ?)"),
      ("code LIKE '*c'", "WHERE mergewalk_like(t0.ZCODE, ?)"),
      ("code LIKE[cd] 'ab*'", "WHERE mergewalk_like_cd(t0.ZCODE, ?)"),
      ("code LIKE '*'", "WHERE t0.ZCODE IS NOT NULL"),
      ("code MATCHES 'a.c'", "WHERE mergewalk_matches(t0.ZCODE, ?)"),
      ("code MATCHES[cd] 'a.c'", "WHERE mergewalk_matches_cd(t0.ZCODE, ?)"),
      ("code ==[c] 'a'", "WHERE t0.ZCODE = ? COLLATE mergewalk_c"),
      ("code ==[n] 'a'", "WHERE t0.ZCODE = ?"), ("code ==[cn] 'a'", "WHERE t0.ZCODE = ?"),
      ("code <[l] 'a'", "WHERE t0.ZCODE < ? COLLATE mergewalk_l"),
      ("code <[cdl] 'a'", "WHERE t0.ZCODE < ? COLLATE mergewalk_lcd"),
      ("code IN[c] {'a', 'b'}", "WHERE t0.ZCODE COLLATE mergewalk_c IN (?, ?)"),
      ("code BETWEEN[c] {'a', 'b'}", "WHERE t0.ZCODE COLLATE mergewalk_c BETWEEN ? AND ?"),
      ("size ==[c] 3", "WHERE t0.ZSIZE = ?"),
    ])
  func texts(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test("the end of a prefix's range is the next text that does not begin with it")
  func prefixRanges() throws {
    func bindings(_ prefix: String) throws -> [SQLBinding] {
      try shop.compiler.compile(
        FetchRequest("Order", where: ObjectPredicate(format: "code BEGINSWITH %@", prefix)), selecting: .count
      ).bindings
    }
    #expect(try bindings("ab") == [.text("ab"), .text("ac")])
    #expect(try bindings("é") == [.text("é"), .text("ê")])
    #expect(try bindings("a\u{D7FF}") == [.text("a\u{D7FF}"), .text("a\u{E000}")])
    #expect(try bindings("a\u{10FFFF}") == [.text("a\u{10FFFF}"), .text("b")])
    #expect(try bindings("\u{10FFFF}") == [.text("\u{10FFFF}")])
    #expect(try bindings("a*\\") == [.text("a*\\"), .text("a*]")])
  }

  @Test(
    "arithmetic uses SQLite's operators where they mean the same, with as few parentheses as possible",
    arguments: [
      ("amount + count * 2 > 3", "WHERE t0.ZAMOUNT + t0.ZCOUNT * ? > ?"),
      ("(amount + count) * 2 > 3", "WHERE (t0.ZAMOUNT + t0.ZCOUNT) * ? > ?"),
      ("amount - (count - size) > 3", "WHERE t0.ZAMOUNT - (t0.ZCOUNT - t0.ZSIZE) > ?"),
      ("count / 2 == 1", "WHERE t0.ZCOUNT / ? = ?"),
      ("modulus:by:(count, 3) == 1", "WHERE t0.ZCOUNT % ? = ?"),
      ("modulus:by:(amount, 3) == 1", "WHERE mergewalk_modulus(t0.ZAMOUNT, ?) = ?"),
      ("placed - placed > 3", "WHERE CAST(t0.ZPLACED AS REAL) - t0.ZPLACED > ?"),
      ("placed + 5 < now()", "WHERE CAST(t0.ZPLACED AS REAL) + ? < ?"),
      ("bitwiseAnd:with:(count, 3) == 1", "WHERE t0.ZCOUNT & ? = ?"),
      ("bitwiseAnd:with:(amount, 3) == 1", "WHERE mergewalk_bitwiseand(t0.ZAMOUNT, ?) = ?"),
      ("onesComplement:(count) == 1", "WHERE ~t0.ZCOUNT = ?"),
      ("ceiling:(count) == 1", "WHERE t0.ZCOUNT = ?"),
      ("ceiling:(amount) == 1", "WHERE mergewalk_ceiling(t0.ZAMOUNT) = ?"),
      ("sqrt:(amount) > 2", "WHERE mergewalk_sqrt(t0.ZAMOUNT) > ?"),
      ("TERNARY(amount > 3, 'a', 'b') == code", "WHERE CASE WHEN t0.ZAMOUNT > ? THEN ? ELSE ? END = t0.ZCODE"),
      ("CAST(count, 'NSString') == '3'", "WHERE mergewalk_cast(t0.ZCOUNT, ?, ?) = ?"),
      ("noindex:(code) == 'a'", "WHERE +t0.ZCODE = ?"),
    ])
  func arithmetic(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "lists of expressions become tables",
    arguments: [
      (
        "sum:({count, amount, 3}) > 4",
        "WHERE (SELECT mergewalk_sum(t1.value) FROM (SELECT +t0.ZCOUNT AS value UNION ALL SELECT +t0.ZAMOUNT UNION ALL SELECT ?) AS t1) > ?"
      ),
      (
        "max:(count, size) > 4",
        "WHERE (SELECT max(t1.value) FROM (SELECT t0.ZCOUNT AS value UNION ALL SELECT t0.ZSIZE) AS t1) > ?"
      ),
      ("ANY {1, size} == count", "WHERE t0.ZCOUNT = ? OR t0.ZSIZE IS t0.ZCOUNT"),
      ("{1, 2} CONTAINS size", "WHERE t0.ZSIZE IN (?, ?)"),
      ("{size, 2}[0] == 3", "WHERE t0.ZSIZE = ?"), ("{size, 2}[SIZE] == 3", "WHERE ? = ?"),
    ])
  func lists(format: String, sql: String) throws {
    #expect(try shop.filter(format) == sql)
  }

  @Test(
    "other words for IN become the same SQL",
    arguments: [
      ("ANY {1, 2, nil} == size", "size IN {1, 2, nil}"), ("ALL {1, 2} != size", "NOT size IN {1, 2}"),
      ("NONE {'a', 'b'} ==[c] code", "NOT code IN[c] {'a', 'b'}"),
      (linked("size != #", " AND "), "NOT size IN {\(seventy)}"), (linked("# == size", " OR "), "size IN {\(seventy)}"),
      ("code == 'x' OR \(linked("size == #", " OR "))", "code == 'x' OR size IN {\(seventy)}"),
    ])
  func memberships(format: String, list: String) throws {
    let sql = try shop.filter(list)
    #expect(sql.contains(" IN ("))
    #expect(try shop.filter(format) == sql)
  }

  @Test("FE17 in SQL: a value with quotation marks is a parameter and finds its row")
  func fe17ValuesAreParameters() throws {
    let evil = "O'Hara\" OR 1=1; DROP TABLE ZORDER; --"
    try shop.store.connection.execute(
      "INSERT INTO ZORDER (Z_PK, Z_ENT, ZCODE) VALUES (1, 3, 'O''Hara\" OR 1=1; DROP TABLE ZORDER; --'), (2, 3, 'x')")
    let request = FetchRequest("Order", where: try ObjectPredicate(format: "code == %@", evil))
    let fetch = try shop.compiler.compile(request, selecting: .primaryKeys(withSortKeys: false))
    #expect(!fetch.sql.contains("DROP"))
    #expect(try shop.keys(request) == [1])
    #expect(fetch.sql.hasSuffix("t0.ZCODE = ?"))
    #expect(fetch.bindings == [.text(evil)])
  }

  @Test("now is one value for all rows and all its uses")
  func fn9NowIsOneValue() throws {
    try shop.store.connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
        + "INSERT INTO ZORDER (Z_PK, Z_ENT) SELECT i, 3 FROM n")
    var request = FetchRequest("Order", where: try ObjectPredicate(format: "now() == now()"))
    request.resultType = .dictionaries
    request.returnsDistinctResults = true
    request.propertiesToFetch = [
      .expression(ExpressionDescription(name: "time", expression: try ObjectExpression(format: "now()")))
    ]
    let cursor = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
    #expect(try cursor.step())
    guard case .attribute(.date(let first)) = cursor.value(0) else {
      Issue.record("now is no date")
      return
    }
    #expect(try !cursor.step())
    let later = try shop.store.cursor(shop.compiler.compile(request, selecting: .values))
    #expect(try later.step())
    guard case .attribute(.date(let second)) = later.value(0) else { return }
    #expect(second > first)
  }
}
