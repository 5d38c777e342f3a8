import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Databases as sources of pipelines")
struct DatabaseSourceLintTests {
  private let folder: PipelineFolder

  init() throws {
    folder = try PipelineFolder()
    let database = try Connection(path: folder.folder.file("app.db"), mode: .create)
    try database.execute(
      """
      CREATE TABLE orders (order_id, ordered_at, quantity, unit_price, note, email, name, country, sku, product, category);
      INSERT INTO orders VALUES ('1', '2024-05-01', 1, 2.5, NULL, 'a@example.com', 'Ada', 'GB', '0001', 'Lamp', 'Home');
      CREATE TABLE customers (email TEXT)
      """)
    try database.close()
  }

  private func pipeline(_ source: String) -> String {
    PipelineFolder.sound.replacingAll("files: orders.csv\n  format: csv", with: source)
  }

  private func lint(_ source: String) throws -> [String] { try folder.lint(pipeline(source)) }

  private func run(_ text: String, store: String = "shop.sqlite") throws -> ImportSummary {
    var settings = PipelineSettings()
    settings.storePath = folder.folder.file(store)
    return try ImportSession(Pipeline.read(folder.write(text), settings: settings).definition).run()
  }

  // MARK: SQLite

  @Test("tables and queries are sources, told by their content")
  func tables() throws {
    for source in [
      "files: app.db\n  table: orders", "files: app.db\n  format: sqlite\n  table: ORDERS",
      "files: app.db\n  query: SELECT * FROM orders WHERE quantity > 0",
    ] {
      #expect(try lint(source) == [])
    }
    #expect(try run(pipeline("files: app.db\n  table: orders")).inserted == 1)
    // The same row again, from a file and from a query.
    #expect(try run(PipelineFolder.sound.replacingAll("2.50,,", with: "2.50,,")).unchanged == 1)
    #expect(try run(pipeline("files: app.db\n  query: SELECT * FROM orders")).unchanged == 1)
  }

  @Test("names that are not there are found, with what may be meant")
  func unknownNames() throws {
    #expect(
      try lint("files: app.db\n  table: order") == [
        "pipeline.yaml:6:10: error: “app.db”: the database has no table or view “order”; did you mean “orders”?"
          + " [unknownTable]"
      ])
    #expect(
      try lint("files: app.db") == [
        "pipeline.yaml:5:10: error: “app.db”: the database has 2 tables; name one with “table”: customers, orders"
          + " [unknownTable]"
      ])
    let other = pipeline("files: app.db\n  table: orders").replacingAll(
      "unitPrice: unit_price", with: "unitPrice: unit_prize")
    #expect(
      try folder.lint(other) == [
        "pipeline.yaml:16:16: error: “app.db”: “orders” has no column “unit_prize”; did you mean “unit_price”?"
          + " [unknownColumn]"
      ])
    #expect(
      try lint("files: app.db\n  query: SELECT *, 1 AS extra FROM orders") == [
        "pipeline.yaml:5:10: warning: “app.db” has a column that nothing uses: extra; list under “ignore” what is not needed"
          + " [unusedColumn]"
      ])
    #expect(try lint("files: app.db\n  query: SELECT *, 1 AS extra FROM orders\n  ignore: [extra]") == [])
  }

  @Test("queries that do more than read are found before a run")
  func queries() throws {
    let only = "; only a single SELECT, WITH or VALUES that reads this database is run [invalidQuery]"
    #expect(
      try lint("files: app.db\n  query: DELETE FROM orders") == [
        "pipeline.yaml:6:10: error: “app.db”: the query changes the database" + only
      ])
    #expect(
      try lint("files: app.db\n  query: SELECT * FROM order_s") == [
        "pipeline.yaml:6:10: error: “app.db”: the query cannot be read: no such table: order_s [invalidQuery]"
      ])
    #expect(
      try lint("files: app.db\n  query: SELECT o.*, name FROM orders o") == [
        "pipeline.yaml:6:10: error: “app.db”: two columns of the query are called “name”; give one of them another name"
          + " with AS [invalidQuery]"
      ])
    #expect(
      try lint("files: app.db\n  table: orders\n  query: SELECT * FROM orders") == [
        "pipeline.yaml:6:3: error: “table” and “query” cannot be combined; a query names its tables itself"
          + " [invalidOption]"
      ])
  }

  @Test("options of other formats are unsuitable, and packed databases are refused")
  func options() throws {
    #expect(
      try lint("files: orders.csv\n  blobs: hex") == [
        "pipeline.yaml:6:3: error: “blobs” is for the format sqlite, but the input is csv [unsuitableOption]"
      ])
    #expect(
      try lint("files: app.db\n  table: orders\n  delimiter: tab\n  where: x > 1") == [
        "pipeline.yaml:7:3: error: “delimiter” is for the formats csv, tsv, but the input is sqlite [unsuitableOption]",
        "pipeline.yaml:8:3: error: “where” is for the format core-data, but the input is sqlite [unsuitableOption]",
      ])
    let compressed = try lint("files: app.db\n  format: sqlite\n  compression: gzip\n  table: orders")
    #expect(compressed.contains { $0.hasPrefix("pipeline.yaml:7:3: error: “compression” is for the formats") })
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = ["-k", folder.folder.file("app.db")]
    try process.run()
    process.waitUntilExit()
    #expect(
      try lint("files: app.db.gz\n  table: orders") == [
        "pipeline.yaml:5:10: error: “app.db.gz”: the file is compressed or an archive; a database is read in place, so unpack it first"
          + " [unreadableFile]"
      ])
    #expect(
      try lint("files: \"-\"\n  format: sqlite\n  table: orders") == [])
  }

  @Test("damage is found by lint, and ends a run without a change")
  func damage() throws {
    var bytes = FileManager.default.contents(atPath: folder.folder.file("app.db")).map { Array($0) } ?? []
    bytes.removeLast(4096)
    try Data(bytes).write(to: URL(fileURLWithPath: folder.folder.file("cut.db")))
    let findings = try lint("files: cut.db\n  table: orders")
    #expect(findings.count == 1)
    #expect(findings.first?.hasPrefix("cut.db: error: the database should have 3 pages of 4096 bytes") == true)
    #expect(findings.first?.hasSuffix("[truncated]") == true)
  }

  // MARK: Core Data

  /// A pipeline from the orders of the shop store back to orders.
  private func storePipeline(_ source: String, product: String = "product.name") -> String {
    """
    model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
    store: copy.sqlite
    source:
      files: shop.sqlite
      \(source)
    import:
      entity: Order
      find_by: [orderID]
      attributes: [orderedAt, quantity, unitPrice, note]
      relationships:
        customer:
          find_by: { email: customer.email }
          attributes: { name: customer.name, country: customer.country }
        product:
          find_by: { sku: product.sku }
          attributes: { name: \(product) }
          relationships:
            category: { find_by: { name: product.category.name } }
    """
  }

  @Test("objects of a store are a source, and key paths lead over relationships")
  func objects() throws {
    #expect(try run(PipelineFolder.sound).inserted == 1)
    let text = storePipeline("entity: Order")
    #expect(try folder.lint(text) == [])
    #expect(try folder.lint(storePipeline("format: core-data\n  entity: Order\n  where: quantity > 0")) == [])
    #expect(try run(text, store: "copy.sqlite").inserted == 1)
    #expect(
      try StoreComparison.differences(folder.folder.file("shop.sqlite"), folder.folder.file("copy.sqlite")) == [])
    #expect(try run(text, store: "copy.sqlite").unchanged == 1)
    // A run may read the store that it imports into: what it was before.
    #expect(try run(text).unchanged == 1)
    #expect(try run(storePipeline("entity: Order\n  where: orderedAt > '2024-05-01'"), store: "copy.sqlite").read == 0)
    #expect(
      try run(
        storePipeline("entity: Order\n  where: orderedAt >= '2024-05-01'\n  sort: -orderedAt"), store: "copy.sqlite"
      ).read == 1)
  }

  @Test("what is wrong with a store, its entity, columns and predicates is found at its option")
  func storeFindings() throws {
    #expect(try run(PipelineFolder.sound).inserted == 1)
    #expect(
      try folder.lint(storePipeline("entity: Ordr")) == [
        "pipeline.yaml:5:11: error: “shop.sqlite”: the store has no entity “Ordr”; did you mean “Order”?"
          + " [unknownEntity]"
      ])
    #expect(
      try folder.lint(storePipeline("entity: Order", product: "product.nam")) == [
        "pipeline.yaml:16:27: error: “shop.sqlite”: “product.nam”: expected a property of Product, found “nam”; did you"
          + " mean name? [unknownColumn]"
      ])
    #expect(
      try folder.lint(storePipeline("entity: Order\n  where: quantty > 1")) == [
        "pipeline.yaml:6:10: error: “shop.sqlite”: “where” at 1:1: expected a property of Order, found “quantty”; did you"
          + " mean quantity? [invalidQuery]"
      ])
    #expect(
      try folder.lint(storePipeline("entity: Order\n  where: quantity > 1\n  sort: -amount")).first?
        .hasPrefix("pipeline.yaml:7:9: error: “shop.sqlite”: “sort” at 1:2: expected a property of Order") == true)
    #expect(
      try folder.lint(storePipeline("entity: Order\n  where: quantity IN {'7'}")) == [
        "pipeline.yaml:6:10: error: “shop.sqlite”: “where”: quantity is Integer 32 and never equals the text '7'; write 7"
          + " without quotes [invalidQuery]"
      ])
    #expect(
      try folder.lint(storePipeline("entity: Order\n  where: quantity > 1\n  sort: customer")).first?
        .hasPrefix("pipeline.yaml:7:9: error: “shop.sqlite”: “sort”: customer is an object") == true)
    #expect(
      try folder.lint(storePipeline("format: core-data")) == [
        "pipeline.yaml:4:3: error: a source of the format core-data needs the field “entity”; for example “entity:"
          + " Order”; tables are read with the format sqlite [missingField]"
      ])
    #expect(
      try folder.lint(storePipeline("entity: Order\n  model_version: Shop")) == [
        "pipeline.yaml:6:3: error: “model_version” needs “model”; name the model that has the version [invalidOption]"
      ])
    #expect(
      try folder.lint(
        storePipeline("entity: Order\n  model: \(Locations.fixtures)/shop/Shop.xcdatamodeld")) == [])
    let other = try folder.lint(storePipeline("entity: Order\n  model: \(Locations.fixtures)/models/library.yaml"))
    #expect(other.count == 1)
    #expect(other.first?.hasPrefix("pipeline.yaml:6:10: error: “shop.sqlite”: ") == true)
    #expect(other.first?.hasSuffix("[unsuitableStore]") == true)
    try FileManager.default.moveItem(atPath: folder.folder.file("app.db"), toPath: folder.folder.file("x.db"))
    let plain = try folder.lint(storePipeline("entity: Order").replacingAll("shop.sqlite", with: "x.db"))
    #expect(
      plain == [
        "pipeline.yaml:4:10: error: “x.db”: the database is not a Core Data store; read its tables with the format sqlite"
          + " [unsuitableStore]"
      ])
  }
}
