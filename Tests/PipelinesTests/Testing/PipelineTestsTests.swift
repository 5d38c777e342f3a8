import MergewalkDiagnostics
import Foundation
import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("Tests of pipelines")
struct PipelineTestsTests {
  private let folder = TemporaryFolder()
  private static let header =
    "order_id,ordered_at,quantity,unit_price,note,email,name,country,sku,product,category"

  init() throws {
    try folder.write(PipelineFolder.sound.replacingAll("limit: 10, ratio: 1%", with: "limit: 10"), to: "orders.yaml")
    try folder.write(Self.header + "\n", to: "orders.csv")
  }

  /// A file with one case over two orders, the second of which is rejected.
  private static func file(expect: String, before: String = "", more: String = "") -> String {
    """
    cases:
      - name: two orders
    \(before)    input: |
          \(header)
          1,2024-05-01,1,2.50,,a@example.com,Ada,GB,0001,Lamp,Home
          2,2024-05-01,many,2.50,,a@example.com,Ada,GB,0001,Lamp,Home
        expect:
    \(expect.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n"))
    \(more)
    """
  }

  private static let sound = """
    counts: { read: 2, inserted: 1, rejected: 1 }
    objects: { Order: 1 }
    rejects: [{ code: value.integer, record: 2, line: 3, field: quantity, message: many }]
    rows:
      Order:
        - { orderID: 1, quantity: 1, unitPrice: 2.5, orderedAt: 2024-05-01, note: null, customer: { email: a@example.com } }
    contains: { Category: [{ name: Home, products: [{ sku: "0001" }] }] }
    """

  /// Runs the cases of a file and returns their outcomes and findings, without the folder's path.
  private func run(_ text: String, _ variables: Variables = Variables()) throws -> (
    outcomes: [String], findings: [String]
  ) {
    let path = try folder.write(text, to: "orders_test.yaml")
    let tests = try PipelineTests.read(path, variables: variables)
    let results = tests.names.indices.map { tests.run($0) }
    return (
      results.map(\.outcome.rawValue),
      results.flatMap(\.findings).map { $0.description.replacingAll(folder.path + "/", with: "") }
    )
  }

  @Test("a case in which all is as expected passes")
  func passes() throws {
    let result = try run(Self.file(expect: Self.sound))
    #expect(result.outcomes == ["passed"] && result.findings == [], "\(result.findings)")
  }

  @Test(
    "each thing that differs is one finding at its place",
    arguments: [
      ("read: 2", "read: 3", "8:23: error: “read” is 2, not 3"),
      ("inserted: 1", "inserted: 2", "8:36: error: “inserted” is 1, not 2"),
      ("Order: 1 }", "Order: 5 }", "9:25: error: objects of “Order”: 1, not 5"),
      (
        "code: value.integer", "code: value.number",
        "10:17: error: no record is rejected with “value.number”, record 2, line 3, field “quantity”, message “many”; there is"
      ),
      ("record: 2", "record: 1", "10:17: error: no record is rejected with “value.integer”, record 1"),
      ("field: quantity", "field: note", "10:17: error: no record is rejected"),
      ("message: many", "message: few", "10:17: error: no record is rejected"),
      (
        "quantity: 1", "quantity: 7",
        "13:37: error: “quantity” of the “Order” { orderID: “1” } is 1, not 7"
      ),
      ("2.5, ordered", "2.75, ordered", "13:51: error: “unitPrice” of the “Order” { orderID: “1” } is 2.5, not 2.75"),
      (
        "2024-05-01, note", "2024-05-02, note",
        "13:67: error: “orderedAt” of the “Order” { orderID: “1” } is 2024-05-01T00:00:00Z, not 2024-05-02T00:00:00Z"
      ),
      ("note: null", "note: gift", "13:85: error: “note” of the “Order” { orderID: “1” } is null, not “gift”"),
      (
        "email: a@", "email: b@",
        "13:110: error: “email” of the “customer” of the “Order” { orderID: “1” } is “a@example.com”, not “b@example.com”"
      ),
      (
        "customer: { email: a@example.com }", "customer: null",
        "13:101: error: “customer” of the “Order” { orderID: “1” } is { email: “a@example.com” }, not null"
      ),
      ("sku: \"0001\"", "sku: 1", "14:54: error: “products” of the “Category” { name: “Home” } is [{ sku: “0001” }]"),
      (
        "name: Home, ", "name: Away, ",
        "14:38: error: “name” of the “Category” { products: [{ sku: “0001” }] } is “Home”, not “Away”"
      ),
      ("rejects:", "exit: 3\nrejects:", "10:13: error: the exit code is 1, not 3"),
      ("rejects:", "error: unknownColumn\nrejects:", "10:14: error: the pipeline runs; it should end with"),
      ("rejects: [{", "rejects: [value.date, {", "10:17: error: no record is rejected with “value.date”"),
    ])
  func differs(_ from: String, _ to: String, _ finding: String) throws {
    try #require(Self.sound.contains(from))
    let result = try run(Self.file(expect: Self.sound.replacingAll(from, with: to)))
    #expect(result.outcomes == ["failed"])
    #expect(result.findings.count == 1, "\(result.findings)")
    #expect(result.findings.first?.hasPrefix("orders_test.yaml:" + finding) == true, "\(result.findings)")
  }

  @Test("rejects that the case does not name are failures, and so is the exit code")
  func silentRejects() throws {
    let result = try run(Self.file(expect: "counts: { inserted: 1 }"))
    #expect(result.outcomes == ["failed"])
    #expect(
      result.findings == [
        "orders_test.yaml:8:7: error: the exit code is 1, not 0 [testDiffers]",
        "orders_test.yaml:8:7: error: a record is rejected that should not be: record 2: value.integer in “quantity”:"
          + " \"many\" is not a whole number for Order.quantity [testDiffers]",
      ])
  }

  @Test("objects that the case does not name are failures where it names all of an entity")
  func surplus() throws {
    let rows = "rows: { Order: [], Customer: [] }\nrejects: [value.integer]"
    let result = try run(Self.file(expect: rows))
    #expect(result.outcomes == ["failed"])
    #expect(result.findings.count == 2 && result.findings.allSatisfy { $0.contains("not expected is the") })
  }

  @Test("rows that say little leave the others theirs, in any order")
  func assignment() throws {
    let expect = """
      rows:
        Order: [{ quantity: 1 }, { orderID: 3 }, { unitPrice: 2.5 }]
      """
    let text = """
      cases:
        - name: three
          input: |
            \(Self.header)
            1,2024-05-01,1,2.50,,a@example.com,Ada,GB,0001,Lamp,Home
            2,2024-05-01,1,3.50,,a@example.com,Ada,GB,0001,Lamp,Home
            3,2024-05-01,1,2.50,,a@example.com,Ada,GB,0001,Lamp,Home
          expect:
      \(expect.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n"))
      """
    #expect(try run(text).outcomes == ["passed"])
    #expect(try run(text.replacingAll("{ unitPrice: 2.5 }", with: "{ unitPrice: 3.5 }")).outcomes == ["passed"])
    #expect(try run(text.replacingAll("{ quantity: 1 }", with: "{ unitPrice: 3.5 }")).outcomes == ["passed"])
    let short = try run(text.replacingAll("{ quantity: 1 }", with: "{ quantity: 9 }"))
    #expect(short.outcomes == ["failed"])
  }

  @Test("rows and runs before are in the store")
  func before() throws {
    let before = """
          before:
            rows:
              Customer: [{ email: a@example.com, name: Before }]
              Category: [{ name: Garden }, { name: Home }]
              Product: [{ sku: "9", name: Spade, category: { name: Garden } }]
            runs:
              - input: |
                  \(Self.header)
                  7,2024-05-01,1,2.50,,c@example.com,Cy,GB,0001,Lamp,Home

      """
    let expect = """
      rejects: [value.integer]
      objects: { Order: 2, Customer: 2, Product: 2, Category: 2 }
      contains: { Product: [{ sku: "9", category: Garden }], Customer: [{ email: a@example.com, name: Ada }] }
      """
    let result = try run(Self.file(expect: expect, before: before))
    #expect(result.outcomes == ["passed"], "\(result.findings)")
  }

  @Test(
    "what a case says wrongly is a finding and the case is broken",
    arguments: [
      ("rows: { Ordr: [] }", "8:15: error: the model has no entity “Ordr”; did you mean “Order”? [unknownEntity]"),
      (
        "rows: { Order: [{ quantty: 1 }] }",
        "8:25: error: “Order” has no attribute and no relationship “quantty”; did you mean “quantity”? [unknownAttribute]"
      ),
      ("rows: { Order: [{ quantity: x }] }", "8:35: error: “quantity” is Integer 32 and cannot be “x” [wrongType]"),
      (
        "rows: { Order: 1 }",
        "8:22: error: “Order” takes a list of rows, but here is 1; for no rows write [] [wrongType]"
      ),
      ("rows: { Order: [[]] }", "8:23: error: "),
      ("rows: [a]", "8:13: error: list rows under the names of their entities"),
      ("objects: { Order: many }", "8:25: error: "), ("objects: { Ordr: 1 }", "8:18: error: "),
    ])
  func wrongExpectation(_ expect: String, _ finding: String) throws {
    let text = Self.file(expect: expect)
    let result = try run(text)
    #expect(result.outcomes == ["broken"])
    #expect(result.findings.first?.hasPrefix("orders_test.yaml:" + finding) == true, "\(result.findings)")
    // Lint says the same without running anything.
    let lint = PipelineTests.lint(folder.file("orders_test.yaml")).map(\.description)
    #expect(lint.map { $0.replacingAll(folder.path + "/", with: "") } == result.findings)
  }

  @Test(
    "a file that is wrong is not run",
    arguments: [
      ("", "wrongType"), ("cases: []", "wrongType"), ("case: []", "unknownField"), ("cases: [{}]", "missingField"),
      ("pipeline: none.yaml\ncases: [{ name: a, expect: {} }]", "unreadableFile"),
      ("cases: [{ name: a, expect: { cunts: {} } }]", "unknownField"),
      ("cases: [{ name: a, expect: {} }, { name: a, expect: {} }]", "invalidOption"),
      ("cases: [{ name: a, input: { text: x, files: y }, expect: {} }]", "invalidOption"),
      ("cases: [{ name: a, input: { name: x }, expect: {} }]", "missingField"),
      ("cases: [{ name: a, input: x, inputs: { y: z }, expect: {} }]", "invalidOption"),
      ("cases: [{ name: \"${NO_SUCH_NAME}\", expect: {} }]", "missingVariable"),
    ])
  func wrongFile(_ text: String, _ code: String) throws {
    let path = try folder.write(text, to: "orders_test.yaml")
    let error = #expect(throws: DiagnosticList.self) { try PipelineTests.read(path) }
    #expect(error?.diagnostics.contains { $0.code == code } == true, "\(error?.description ?? "")")
  }

  @Test("the error that keeps a pipeline from running can be expected")
  func errors() throws {
    let text = """
      cases:
        - name: a column is missing
          input: "order_id,ordered_at\\n"
          expect: { error: unknownColumn, exit: 2 }
        - name: a file of the pipeline, by its name
          inputs: { orders.csv: "\(Self.header)\\n" }
          expect: { counts: { read: 0 } }
        - name: no such file
          inputs: { ordres.csv: "\(Self.header)\\n" }
          expect: {}
        - name: other files
          input: { files: orders.csv }
          expect: { counts: { read: 0 }, exit: 0 }
      """
    let result = try run(text)
    #expect(result.outcomes == ["passed", "passed", "broken", "passed"], "\(result.findings)")
    let other = try run(text.replacingAll("error: unknownColumn", with: "error: unknownEntity"))
    #expect(other.outcomes[0] == "broken")
    #expect(other.findings.allSatisfy { !$0.contains("mergewalk-test-") }, "\(other.findings)")
    #expect(try run(text.replacingAll("exit: 2", with: "exit: 3")).outcomes[0] == "failed")
  }

  @Test("variables are those of the case, then of the file, then the caller's")
  func variables() throws {
    let pipeline = PipelineFolder.sound.replacingAll("quantity: quantity", with: "quantity: ${COLUMN}")
    try folder.write(pipeline, to: "orders.yaml")
    let text = """
      variables: { COLUMN: a }
      cases:
        - { name: file, input: { files: orders.csv }, expect: { error: unknownColumn } }
        - { name: case, variables: { COLUMN: quantity }, input: { files: orders.csv }, expect: {} }
      """
    let variables = Variables(assignments: ["COLUMN": "b"], usesEnvironment: false)
    #expect(try run(text, variables).outcomes == ["passed", "passed"])
    let without = text.replacingAll("variables: { COLUMN: a }\n", with: "")
    let result = try run(without.replacingAll("unknownColumn", with: "unknownEntity"), variables)
    #expect(result.findings.contains { $0.contains("no column “b”") }, "\(result.findings)")
  }

  @Test("secrets are not shown by findings of cases")
  func secrets() throws {
    try folder.write("hunter2-hunter2", to: "secret")
    let text = Self.file(expect: Self.sound.replacingAll("note: null", with: "note: \"${file:secret}\""))
    let result = try run(text)
    #expect(result.outcomes == ["failed"])
    #expect(result.findings.allSatisfy { !$0.contains("hunter2") } && result.findings[0].contains("not “***”"))
  }

  @Test("neither the pipeline's store nor its rejects are touched")
  func leavesNothing() throws {
    _ = try run(Self.file(expect: Self.sound))
    #expect(!FileManager.default.fileExists(atPath: folder.file("shop.sqlite")))
    #expect(!FileManager.default.fileExists(atPath: folder.file("rejects.ndjson")))
  }
}
