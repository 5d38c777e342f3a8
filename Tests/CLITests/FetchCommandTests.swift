import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk fetch")
struct FetchCommandTests {
  let shop: Shop

  init() throws { shop = try Shop() }

  // MARK: Formats

  private static let two = [
    "--entity", "Order", "--columns", "orderID,note,product.name,double=quantity * 2", "--predicate",
    "orderID IN {'07557', '07919'}", "--sort", "orderID",
  ]

  @Test(
    "every format has the same rows",
    arguments: [
      (
        "csv",
        """
        orderID,note,product.name,double
        07557,,"12"" ruler",14
        07919,"two
        lines","Espresso cups, set of 4",2

        """
      ),
      (
        "ndjson",
        #"""
        {"orderID":"07557","note":null,"product.name":"12\" ruler","double":14}
        {"orderID":"07919","note":"two\nlines","product.name":"Espresso cups, set of 4","double":2}

        """#
      ),
      (
        "json",
        #"""
        [
        {"orderID":"07557","note":null,"product.name":"12\" ruler","double":14},
        {"orderID":"07919","note":"two\nlines","product.name":"Espresso cups, set of 4","double":2}
        ]

        """#
      ),
      (
        "yaml",
        #"""
        - orderID: "07557"
          note: null
          product.name: "12\" ruler"
          double: 14
        - orderID: "07919"
          note: |-
            two
            lines
          product.name: Espresso cups, set of 4
          double: 2

        """#
      ),
      (
        "table",
        """
        orderID  note       product.name             double
        ───────  ─────────  ───────────────────────  ──────
        07557               12" ruler                    14
        07919    two␊lines  Espresso cups, set of 4       2

        """
      ),
      (
        "xml",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <rows xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
          <row>
            <orderID>07557</orderID>
            <note xsi:nil="true"/>
            <product.name>12" ruler</product.name>
            <double>14</double>
          </row>
          <row>
            <orderID>07919</orderID>
            <note>two
        lines</note>
            <product.name>Espresso cups, set of 4</product.name>
            <double>2</double>
          </row>
        </rows>

        """
      ),
    ])
  func formats(_ format: String, _ expected: String) throws {
    let command = try Command(
      ["fetch", "shop.sqlite"] + Self.two + ["--format", format], in: shop.folder.path)
    #expect(command.output == expected)
    #expect(command.words.isEmpty)
    #expect(command.status == 0)
  }

  @Test("without columns there are all attributes and to-one relationships")
  func defaultColumns() throws {
    let lines = try shop.rows("--entity", "Order", "--sort", "orderID", "--limit", "1")
    let uuid = try #require(
      try Command(["store", "info", "shop.sqlite", "--json"], in: shop.folder.path).object()["uuid"] as? String)
    #expect(lines.first == "note,orderID,orderedAt,quantity,unitPrice,customer,product")
    #expect(lines.last?.contains(",x-coredata://\(uuid)/Customer/p") == true, "\(lines)")
  }

  @Test(
    "what can never be equal is named, whatever it is and wherever it stands",
    arguments: [
      ("customer == 3", "customer is an object and never equals a number; compare its URI, or one of its attributes"),
      ("3 IN customer.orders", "customer.orders is an object and never equals a number"),
      ("entity == 'Ordr'", "entity never equals 'Ordr', which is no entity of these objects; did you mean 'Order'?"),
      ("customer.entity IN {'Customer', 'Order'}", "customer.entity never equals 'Order'"),
      ("{'x'} CONTAINS quantity", "quantity is Integer 32 and never equals the text 'x'"),
      ("customer.orders.quantity CONTAINS '7'", "write 7 without quotes"),
      ("SUBQUERY(customer.orders, $o, $o.quantity == '7').@count > 0", "$o.quantity is Integer 32 and never equals"),
      ("TERNARY(quantity == '7', 1, 0) == 1", "quantity is Integer 32 and never equals the text '7'"),
      ("length:(note) == '3'", "length:(note) is Integer 64 and never equals the text '3'"),
      ("quantity == note", "quantity is Integer 32 and note is String: they are equal only if both are null"),
    ])
  func neverEqual(predicate: String, words: String) throws {
    let command = try Command(
      ["fetch", "shop.sqlite", "--entity", "Order", "--count", "--predicate", predicate], in: shop.folder.path)
    #expect(command.words.contains(words), "\(command.words)")
    if command.status == 0 { #expect(command.words.hasSuffix("[neverEqual]\n"), "\(command.words)") }
  }

  @Test(
    "what may be equal is not named",
    arguments: [
      "entity == 'Order' OR entity BEGINSWITH 'Ord'", "note CONTAINS 'x' OR 'x' IN note", "customer == NULL",
      "orderedAt == '2024-01-31' OR {'2024-01-31'} CONTAINS orderedAt", "quantity == unitPrice", "note == orderID",
      "SUBQUERY(customer.orders, $o, $o == SELF AND $o.quantity == 7).@count > 0", "customer.orders CONTAINS SELF",
      "TERNARY(quantity == 7, 'a', note) == 'a'", "ANY customer.orders.note == 'x'", "unitPrice * 2 == quantity",
    ])
  func maybeEqual(predicate: String) throws {
    let command = try Command(
      ["fetch", "shop.sqlite", "--entity", "Order", "--count", "--predicate", predicate], in: shop.folder.path)
    #expect(command.status == 0 && command.words.isEmpty, "\(command.words)")
  }

  @Test("an object of another entity is named, because it equals none")
  func otherEntities() throws {
    let uuid = try #require(
      try Command(["store", "info", "shop.sqlite", "--json"], in: shop.folder.path).object()["uuid"] as? String)
    let product = "x-coredata://\(uuid)/Product/p1"
    let command = try Command(
      ["fetch", "shop.sqlite", "--entity", "Order", "--count", "--predicate", "customer == %@", "--arg", product],
      in: shop.folder.path)
    #expect(
      command.words == "--predicate: warning: customer is of Customer and never equals \(product), which is of Product"
        + " [neverEqual]\n")
  }

  @Test("an object of another store is named, because it equals none")
  func strangers() throws {
    let uuid = try #require(
      try Command(["store", "info", "shop.sqlite", "--json"], in: shop.folder.path).object()["uuid"] as? String)
    let stranger = "x-coredata://01234567-89AB-CDEF-0123-456789ABCDEF/Customer/p1"
    let cases: [(predicate: String, arguments: [String], count: String)] = [
      ("customer == %@", ["--arg", stranger], "0\n"), ("customer == '\(stranger)'", [], "0\n"),
      ("quantity > 0 AND NOT customer IN {%@}", ["--arg", stranger], "250\n"),
    ]
    for (predicate, arguments, count) in cases {
      let command = try Command(
        ["fetch", "shop.sqlite", "--entity", "Order", "--count", "--predicate", predicate] + arguments,
        in: shop.folder.path)
      #expect(command.output == count, "\(predicate)")
      #expect(
        command.words == "--predicate: warning: \(stranger) is an object of another store and never equals one of this"
          + " store; its objects are x-coredata://\(uuid)/… [neverEqual]\n")
    }
    let own = try Command(
      [
        "fetch", "shop.sqlite", "--entity", "Order", "--count", "--predicate", "customer == %@", "--arg",
        "x-coredata://\(uuid)/Customer/p1",
      ], in: shop.folder.path)
    #expect(own.words == "" && own.status == 0)
  }

  // MARK: Requests

  @Test("grouping, having, aggregates, order by a column, limit and offset")
  func groups() throws {
    let all = try shop.rows(
      "--entity", "Order", "--columns", "customer.name,orders=count:(orderID),sum=sum:(quantity)", "--group-by",
      "customer.name", "--having", "orders > %@", "--arg", "12", "--sort", "-orders,customer.name")
    #expect(all.first == "customer.name,orders,sum")
    #expect(all.count > 4)
    let counts = all.dropFirst().compactMap { $0.split(separator: ",").dropLast().last.flatMap { Int($0) } }
    #expect(counts.count == all.count - 1)
    #expect(counts.allSatisfy { $0 > 12 } && counts == counts.sorted(by: >))
    let some = try shop.rows(
      "--entity", "Order", "--columns", "customer.name,orders=count:(orderID),sum=sum:(quantity)", "--group-by",
      "customer.name", "--having", "orders > 12", "--sort", "-orders,customer.name", "--limit", "2", "--offset", "1")
    #expect(Array(some.dropFirst()) == Array(all[2...3]))
  }

  @Test("distinct rows, and the columns of groups are the groups without --columns")
  func distinct() throws {
    let distinct = try shop.rows("--entity", "Order", "--columns", "quantity", "--distinct", "--sort", "quantity")
    let grouped = try shop.rows("--entity", "Order", "--group-by", "quantity", "--sort", "quantity")
    #expect(distinct == ["quantity"] + (1...9).map(String.init))
    #expect(grouped == distinct)
  }

  @Test("SELF before a key says nothing, whatever takes the key", arguments: ["SELF", "self", "Self"])
  func selfBeforeKeys(_ word: String) throws {
    func rows(_ start: String) throws -> [String] {
      try shop.rows(
        "--entity", "Order", "--columns", "n=count:(orderID),\(start)customer.name", "--predicate",
        "\(start)quantity > 2 AND %K != nil", "--arg", "\(start)customer", "--group-by", "\(start)customer.name",
        "--having", "\(start)n > 3", "--sort", "-\(start)n,\(start)customer.name:c")
    }
    let plain = try rows("")
    #expect(plain.count > 3 && plain.first == "n,customer.name")
    #expect(try rows(word + ".") == plain)
    let distinct = ["--entity", "Order", "--columns", "quantity", "--distinct", "--sort"]
    let command = try Command(["fetch", "shop.sqlite"] + distinct + ["\(word).quantity"], in: shop.folder.path)
    #expect(command.lines == ["quantity"] + (1...9).map(String.init), "\(command.words)")
  }

  @Test("--count is the number of rows")
  func count() throws {
    let all = try orderCount()
    #expect(try shop.rows("--entity", "Order", "--count") == [String(all)])
    let some = try shop.rows("--entity", "Order", "--predicate", "quantity > 3", "--count")
    let rows = try shop.rows("--entity", "Order", "--predicate", "quantity > 3", "--columns", "orderID")
    #expect(some == [String(rows.count - 1)])
  }

  private func orderCount() throws -> Int {
    let connection = try Connection(path: shop.folder.file("shop.sqlite"), mode: .readOnly)
    return Int(try connection.integer("SELECT count(*) FROM ZORDER") ?? 0)
  }

  @Test("--explain prints the statement, its parameters and an index, and runs nothing")
  func explain() throws {
    let command = try shop.fetch(
      "--entity", "Customer", "--predicate", "email == %@", "--arg", "o'h@example.com", "--explain")
    #expect(command.status == 0)
    #expect(command.output.hasPrefix("SELECT "))
    #expect(command.output.contains("\n\nparameters\n  ?1  'o''h@example.com'\n\nplan\n  SEARCH "))
    #expect(command.output.contains("USING INDEX"))
  }

  // MARK: Arguments

  @Test(
    "arguments are read as what they are compared with",
    arguments: [
      ("quantity == %@", ["3"], "quantity == 3"),
      ("quantity > %@", ["3.5"], "quantity > 3.5"),
      ("quantity IN {%@, %@}", ["1", "2.0"], "quantity IN {1, 2}"),
      ("quantity * %@ > unitPrice", ["10"], "quantity * 10 > unitPrice"),
      ("orderedAt > %@", ["2024-06-01"], "orderedAt > CAST(738892800, 'NSDate')"),
      ("orderedAt > '2024-06-01'", [], "orderedAt > CAST(738892800, 'NSDate')"),
      (
        "%K BETWEEN {%@, %@}", ["orderedAt", "2024-06-01", "2024-06-08T02:00:00+02:00"],
        "orderedAt BETWEEN {CAST(738892800, 'NSDate'), CAST(739497600, 'NSDate')}"
      ),
      ("orderID == %@", ["07919"], "orderID == '07919'"),
      ("customer.name CONTAINS[c] %@", ["ada"], "customer.name CONTAINS[c] 'ada'"),
      ("ANY customer.orders.quantity == %@", ["9"], "ANY customer.orders.quantity == 9"),
      (
        "SUBQUERY(customer.orders, $o, $o.orderedAt > %@ AND $o.quantity < %@).@count > %@", ["2024-06-01", "5", "2"],
        "SUBQUERY(customer.orders, $o, $o.orderedAt > CAST(738892800, 'NSDate') AND $o.quantity < 5).@count > 2"
      ),
      ("quantity == %d OR note == %s", ["4", "x"], "quantity == 4 OR note == 'x'"),
    ])
  func arguments(_ predicate: String, _ values: [String], _ literal: String) throws {
    let arguments = values.flatMap { ["--arg", $0] }
    let command = try Command(
      [
        "fetch", "shop.sqlite", "--entity", "Order", "--columns", "orderID", "--sort", "orderID", "--predicate",
        predicate,
      ]
        + arguments, in: shop.folder.path)
    #expect(command.words.isEmpty)
    let expected = try shop.rows(
      "--entity", "Order", "--columns", "orderID", "--sort", "orderID", "--predicate", literal)
    #expect(command.lines == expected)
    let all = try orderCount()
    #expect(expected.count > 1 && expected.count <= all)
  }

  @Test("predicates, arguments and columns may begin with a minus")
  func minus() throws {
    let some = try shop.rows(
      "--entity", "Order", "--sort", "-orderID", "--columns", "-quantity,n=-quantity + 1", "--limit", "1",
      "--predicate",
      "-quantity < %@", "--arg", "-8")
    #expect(some == ["-quantity,n", "-9,-8"])
    func groups(_ having: String) throws -> [String] {
      try shop.rows(
        "--entity", "Order", "--columns", "quantity,n=count:(orderID)", "--group-by", "quantity", "--having", having)
    }
    #expect(try groups("-n < -20").count > 1)
    #expect(try groups("-n < -20") == groups("n > 20"))
  }

  @Test("an object is found by its URI")
  func objects() throws {
    let lines = try shop.rows("--entity", "Order", "--columns", "customer", "--limit", "1")
    let uri = try #require(lines.last)
    let count = try shop.rows("--entity", "Order", "--predicate", "customer == %@", "--arg", uri, "--count")
    #expect(Int(count.first ?? "") ?? 0 > 1)
    let mine = try shop.rows("--entity", "Customer", "--predicate", "SELF == %@", "--arg", uri, "--count")
    #expect(mine == ["1"])
  }

  @Test("an argument is a value, whatever it holds")
  func injection() throws {
    for text in ["' OR '1' == '1", "%@", "TRUEPREDICATE", "-1", "--count"] {
      let lines = try shop.rows("--entity", "Customer", "--predicate", "name == %@", "--arg", text, "--count")
      #expect(lines == ["0"], "\(text)")
    }
  }

  // MARK: Errors

  @Test(
    "errors name the option, the place, what was expected, and what to do",
    arguments: [
      (["--predicate", "quantity >"], "--predicate:1:11: error: ", "  quantity >\n            ^", "[syntax]"),
      (
        ["--predicate", "quantity > 1 AND\n qantity == 'x'"],
        "--predicate:2:2: error: expected a property of Order, found “qantity”",
        "   qantity == 'x'\n   ^", "hint: did you mean"
      ),
      (["--predicate", "customer.nam == 'x'"], "--predicate:1:10: ", "\n           ^\n", "hint: did you mean name?"),
      (
        ["--predicate", "orderedAt > '31.1.2024'"], "--predicate:1:13: error: expected a date as text beside orderedAt",
        "              ^", "hint: ISO 8601"
      ),
      (
        ["--predicate", "note == %@ AND orderedAt > %@", "--arg", "x", "--arg", "today"],
        "--predicate: error: expected a date as argument 2 beside orderedAt, found “today”", "ISO 8601",
        "[argumentType]"
      ),
      (
        ["--predicate", "quantity > %@", "--arg", "many"], "--predicate: error: expected a number as argument 1", "", ""
      ),
      (
        ["--predicate", "quantity > %d", "--arg", "many"], "--predicate: error: expected a number as argument 1", "", ""
      ),
      (
        ["--predicate", "quantity > %@"], "--predicate:1:12: error: expected an --arg", "             ^",
        "[missingArgument]"
      ),
      (["--arg", "x"], "--arg: error: expected no argument, found 1", "", "[unusedArgument]"),
      (["--columns", "orderID, qantity"], "--columns:1:10: ", "           ^", "did you mean quantity?"),
      (["--columns", "orderID,x=sum:(quantity"], "--columns:1:24: ", "                         ^", "[syntax]"),
      (["--columns", "orderID,,note"], "--columns:1:9: ", "          ^", "[syntax]"),
      (["--columns", "note,note"], "--columns: error: expected each column once, found “note” again", "", ""),
      (["--sort", "orderID,-qantity"], "--sort:1:10: ", "           ^", "did you mean quantity?"),
      (["--sort", "note:local"], "--sort:1:6: error: expected c, d, cd, localized", "       ^", "[syntax]"),
      (["--sort", ""], "--sort:1:1: error: expected a key path, found nothing", "  ^", "[syntax]"),
      (["--group-by", "cuntry"], "--group-by:1:1: ", "  ^", "[unknownKey]"),
      (["--columns", "customer.orders"], "--columns: error: ", "", ""),
      (
        ["--columns", "n=count:(qantity)", "--group-by", "note"], "--columns: error: Order has no property qantity", "",
        "did you mean quantity?"
      ),
      (["--predicate", "note MATCHES '('"], "--predicate:1:1: error: ", "  ^", "[pattern]"),
      (["--predicate", "quantity > 1 AND ANY note == 'a'"], "--predicate:1:1: error: ANY compares", "", ""),
      (
        ["--columns", "note", "--group-by", "note", "--having", "quantity > 1"],
        "--having:1:1: error: quantity is neither grouped", "", ""
      ),
      // Not the sort key, which is the name of a column.
      (["--columns", "n=customer.orders", "--sort", "n"], "--columns: error: ", "", "such as customer.orders.@count"),
      (["--columns", "n={1, quantity}", "--sort", "n"], "--columns: error: there is a list", "", "aggregate of it"),
      (
        ["--columns", "note,n=max:(quantity)", "--group-by", "note", "--having", "quantity > 1", "--sort", "-n"],
        "--having:1:1: error: quantity is neither grouped", "", ""
      ),
      (
        ["--columns", "note,n=max:(quantity)", "--group-by", "note", "--sort", "-n,quantity"],
        "--sort:1:1: error: quantity is neither grouped", "", ""
      ),
      (["--columns", "n=SELF", "--sort", "n"], "--sort:1:1: error: n is an object", "", "attributes: SELF."),
      (
        ["--columns", "note,n=max:(quantity)", "--group-by", "n", "--sort", "n"],
        "--group-by: error: n is an aggregate: it has a value for each group", "", "[invalidRequest]"
      ),
      (["--group-by", "max:(quantity) + 1"], "--group-by: error: max:(quantity) + 1 is an aggregate", "", ""),
    ])
  func errors(_ arguments: [String], _ start: String, _ middle: String, _ more: String) throws {
    let command = try Command(["fetch", "shop.sqlite", "--entity", "Order"] + arguments, in: shop.folder.path)
    #expect(command.status == 2)
    #expect(command.output.isEmpty)
    #expect(command.words.hasPrefix(start), "\(command.words)")
    #expect(middle.isEmpty || command.words.contains(middle), "\(command.words)")
    #expect(more.isEmpty || command.words.contains(more), "\(command.words)")
  }

  @Test("the caret stands under the place also behind wide characters, tabs and long texts")
  func carets() throws {
    let wide = try shop.failure("--entity", "Order", "--predicate", "note == '日本' AND\tnaem == 1")
    #expect(wide.contains("  note == '日本' AND naem == 1\n                     ^\n"), "\(wide)")
    let long = String(repeating: "quantity > 1 AND ", count: 1000) + "x y"
    let words = try shop.failure("--entity", "Order", "--predicate", long)
    #expect(words.split(separator: "\n").allSatisfy { $0.count < 160 }, "\(words)")
    let escape = try shop.failure("--entity", "Order", "--predicate", "note == \u{1B}[31m")
    #expect(!escape.contains("\u{1B}"))
  }

  @Test("an unknown entity, a missing store and a wrong model exit with 2")
  func refusals() throws {
    #expect(try shop.failure("--entity", "Ordr").contains("hint: did you mean Order?"))
    let missing = try Command(["fetch", "none.sqlite", "--entity", "Order"], in: shop.folder.path)
    #expect(missing.status == 2)
    #expect(missing.words == "none.sqlite: error: there is no such file; there is “shop.sqlite” [notFound]\n")
    let model = Locations.fixtures + "/models/library.yaml"
    let words = try shop.failure("--entity", "Order", "--model", model)
    #expect(words.contains("[incompatibleModel]"), "\(words)")
    let right = Locations.fixtures + "/shop/Shop.xcdatamodeld"
    #expect(try shop.rows("--entity", "Category", "--model", right, "--count") == ["6"])
  }

  @Test(
    "wrong usage exits with 64",
    arguments: [
      [], ["--entity", "Order", "--limit", "0"], ["--entity", "Order", "--offset", "-1"],
      ["--entity", "Order", "--format", "pdf"], ["--entity", "Order", "--having", "quantity > 1"],
      ["--entity", "Order", "--count", "--format", "csv"], ["--entity", "Order", "--explain", "--output", "x"],
      ["--entity", "Order", "--model-version", "x"], ["--entity"],
    ])
  func usage(_ arguments: [String]) throws {
    let command = try Command(["fetch", "shop.sqlite"] + arguments, in: shop.folder.path)
    #expect(command.status == 64, "\(command.words)")
    #expect(command.output.isEmpty)
    #expect(command.words.contains("Usage: mergewalk fetch"))
  }

  @Test("the store stays as it was, and nothing is left beside it")
  func readsOnly() throws {
    let path = shop.folder.file("shop.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let files = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted()
    _ = try shop.rows("--entity", "Order", "--predicate", "note LIKE[cd] '*e*'", "--sort", "note:localized")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() == files)
  }

  @Test("what a writer has committed to its log is seen, while it has the store open and after it crashed")
  func log() throws {
    let path = shop.folder.file("shop.sqlite")
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.execute(
      "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; UPDATE ZCATEGORY SET ZNAME = 'new' WHERE Z_PK = 1")
    let arguments = ["--entity", "Category", "--predicate", "name == 'new'", "--count"]
    #expect(try Command(["fetch", "shop.sqlite"] + arguments, in: shop.folder.path).output == "1\n")
    // A crash leaves the file and its log without the shared memory.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: shop.folder.file("crashed.sqlite" + suffix))
    }
    #expect(try Command(["fetch", "crashed.sqlite"] + arguments, in: shop.folder.path).output == "1\n")
    #expect(!FileManager.default.fileExists(atPath: shop.folder.file("crashed.sqlite-shm")))
    try writer.close()
  }
}

@Suite("mergewalk fetch of stores that apps made", .enabled(if: Locations.shared != nil))
struct FetchAppStoresTests {
  static let stores = [
    "plaso/Accounts3.sqlite", "plaso/DataUsage.sqlite", "photoanalysis/CLSLocationCache.sqlite",
    "xcserver/XCServerCoreData_1.2.0.sqlite", "duckduckgo/Bookmarks_V4.sqlite",
  ]

  @Test("every object is a row of valid JSON, as many as the store counts", arguments: stores)
  func everything(_ name: String) throws {
    let store = Locations.shared("coredata/" + name)
    let info = try Command(["store", "info", store, "--json"], in: "/").object()
    let entities = try #require(info["entities"] as? [String: [String: Any]])
    var total = 0
    for (entity, counts) in entities {
      let rows = try Command(["fetch", store, "--entity", entity, "--format", "ndjson", "--no-subentities"], in: "/")
      #expect(rows.status == 0 && rows.words.isEmpty, "\(entity): \(rows.words)")
      #expect(rows.lines.count == counts["objects"] as? Int, "\(entity)")
      for line in rows.lines {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      }
      total += rows.lines.count
    }
    #expect(total > 0)
  }

  @Test("values are those in the database")
  func values() throws {
    let store = Locations.shared("coredata/plaso/DataUsage.sqlite")
    let command = try Command(
      [
        "fetch", store, "--entity", "LiveUsage", "--columns", "timeStamp,wwanIN,hasProcess.procName", "--predicate",
        "timeStamp < %@ AND wwanIN > %@", "--arg", "2023-04-16", "--arg", "1e6", "--sort", "-wwanIN", "--limit", "1",
      ], in: "/")
    #expect(command.words.isEmpty)
    let connection = try Connection(path: store, mode: .immutable)
    let statement = try connection.prepare(
      """
      SELECT strftime('%Y-%m-%dT%H:%M:', u.ZTIMESTAMP + 978307200, 'unixepoch'), u.ZWWANIN, p.ZPROCNAME FROM ZLIVEUSAGE u
      LEFT JOIN ZPROCESS p ON p.Z_PK = u.ZHASPROCESS
      WHERE u.ZTIMESTAMP < 703296000 AND u.ZWWANIN > 1e6 ORDER BY u.ZWWANIN DESC LIMIT 1
      """)
    try #require(try statement.step())
    let line = try #require(command.lines.last)
    #expect(line.hasPrefix(statement.text(0)), "\(line)")
    #expect(line.hasSuffix(",\(statement.double(1)),\(statement.text(2))"), "\(line)")
  }

  @Test("the objects of an entity that has nothing but to-many relationships are their URIs")
  func withoutColumns() throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Lists
      entities:
        List: { relationships: { items: { to_many: Item, inverse: list } } }
        Item:
          attributes: { name: string }
          relationships: { list: { to_one: List, inverse: items } }
      """, to: "Model.yaml")
    try folder.write("{\"_id\":1}\n{\"_id\":2}\n", to: "lists.ndjson")
    try folder.write(
      "model: Model.yaml\nstore: p.sqlite\nobjects: [{ entity: List, files: lists.ndjson }]\n", to: "p.yaml")
    let run = try Command(["run", "p.yaml"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    let fetch = try Command(["fetch", "p.sqlite", "--entity", "List", "--format", "csv"], in: folder.path)
    let lines = fetch.output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "self", "\(fetch.output)\(fetch.words)")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("x-coredata://") && $0.contains("/List/p") })
  }
}
