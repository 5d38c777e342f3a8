import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Stores with default data, built from pipelines")
struct SeedBuildTests {

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  /// Writes a pipeline for customers beside the orders of a folder.
  private func customers(
    _ folder: TemporaryFolder, rows: String = "b@example.com,Bob\nc@example.com,Cid\n", direct: String = "auto"
  ) throws {
    try folder.write("email,name\n" + rows, to: "customers.csv")
    try folder.write(
      """
      pipeline: customers
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: other.sqlite
      direct: \(direct)
      source: { files: customers.csv, format: csv }
      import:
        entity: Customer
        find_by: [email]
        attributes: { email: email, name: name }
      """, to: "customers.yaml")
  }

  private func build(_ folder: TemporaryFolder, _ store: String) throws -> SeedBuild.Summary {
    try SeedBuild(
      pipelines: [folder.file("customers.yaml"), folder.file("pipeline.yaml")], storePath: folder.file(store)
    ).run()
  }

  @Test(
    "IM18: the same input gives the same bytes, in another folder, whatever the dates of the files")
  func im18Reproducible() throws {
    let one = try PipelineFolder()
    let two = try PipelineFolder()
    for place in [one, two] {
      _ = try place.write(PipelineFolder.sound)
      try customers(place.folder)
    }
    let first = try build(one.folder, "a.sqlite")
    for name in ["orders.csv", "customers.csv", "pipeline.yaml"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 86_400)], ofItemAtPath: two.folder.file(name))
    }
    let second = try build(two.folder, "b.sqlite")
    #expect(try bytes(one.folder.file("a.sqlite")) == bytes(two.folder.file("b.sqlite")))
    #expect(first.seed == second.seed)
    #expect(first.seed?.identity == "customers+orders")
    #expect(first.uuid == second.uuid)
    #expect(first.runs.map(\.inserted) == [2, 1])
    #expect(first.runs.map(\.storePath) == [one.folder.file("a.sqlite"), one.folder.file("a.sqlite")])
    // The stores that the pipelines name are not made.
    let names = try Set(FileManager.default.contentsOfDirectory(atPath: one.folder.path))
    #expect(names.isDisjoint(with: ["shop.sqlite", "other.sqlite"]))
    #expect(!names.contains { $0.hasPrefix(".") })
  }

  @Test(
    "the contents have one digest, whichever way they came; what went past SQLite is not laid out anew",
    arguments: [
      ("b@example.com,Bob\nc@example.com,Cid\n", true),
      // The second one of a key is an update, which leaves what it replaced.
      ("b@example.com,Bob\nb@example.com,Bobby-with-a-name-that-is-longer\n", false),
    ])
  func oneDigest(rows: String, isPacked: Bool) throws {
    let place = try PipelineFolder()
    func build(_ direct: String, _ store: String) throws -> SeedBuild.Summary {
      try customers(place.folder, rows: rows, direct: direct)
      return try SeedBuild(
        pipelines: [place.folder.file("customers.yaml")], storePath: place.folder.file(store)
      ).run()
    }
    let direct = try build("always", "a.sqlite")
    let again = try build("always", "b.sqlite")
    let stepwise = try build("never", "c.sqlite")
    #expect(direct.runs.map(\.isPacked) == [isPacked])
    #expect(stepwise.runs.map(\.isPacked) == [false])
    #expect(direct.seed == stepwise.seed)
    #expect(direct.uuid == stepwise.uuid)
    #expect(again.seed == direct.seed)
    #expect(try bytes(place.folder.file("a.sqlite")) == bytes(place.folder.file("b.sqlite")))
    for store in ["a.sqlite", "c.sqlite"] {
      let path = place.folder.file(store)
      #expect(Array(try bytes(path)[18..<20]) == [1, 1])
      let connection = try Connection(path: path, mode: .readOnly)
      #expect(try connection.integer("PRAGMA freelist_count") == 0)
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      #expect(try connection.integer("SELECT count(*) FROM ZCUSTOMER") == (isPacked ? 2 : 1))
    }
  }

  @Test("IM18: other data give other bytes, another UUID and another digest")
  func im18OtherData() throws {
    let place = try PipelineFolder()
    _ = try place.write(PipelineFolder.sound)
    try customers(place.folder)
    let first = try build(place.folder, "a.sqlite")
    try customers(place.folder, rows: "b@example.com,Bob\nc@example.com,Cie\n")
    let second = try build(place.folder, "b.sqlite")
    #expect(first.uuid != second.uuid)
    #expect(first.seed?.digest != second.seed?.digest)
    #expect(try bytes(place.folder.file("a.sqlite")) != bytes(place.folder.file("b.sqlite")))
  }

  @Test("IM18: the store is one file in rollback mode, without gaps, sound, with a UUID of version 8")
  func im18File() throws {
    let place = try PipelineFolder()
    _ = try place.write(PipelineFolder.sound)
    try customers(place.folder)
    let summary = try build(place.folder, "a.sqlite")
    let path = place.folder.file("a.sqlite")
    #expect(Array(try bytes(path)[18..<20]) == [1, 1])
    #expect(summary.bytes == (try bytes(path)).count)
    let connection = try Connection(path: path, mode: .readOnly)
    #expect(try connection.integer("PRAGMA freelist_count") == 0)
    #expect(try connection.integer("PRAGMA auto_vacuum") == 2)
    #expect(try connection.integer("PRAGMA page_size") == 4096)
    let metadata = try StoreMetadata.read(path: path)
    #expect(metadata.uuid == summary.uuid)
    #expect(Array(metadata.uuid)[14] == "8")
    #expect(metadata.seeds == [try #require(summary.seed)])
    #expect(try StoreVerifier.verify(path: path).findings == [])
    #expect(try StoreInfo.read(path: path).hasModelCopy)
  }

  @Test("IM18: whole objects are built too, and other pipelines after them")
  func im18Objects() throws {
    let place = TemporaryFolder()
    try customers(place)
    try place.write("{\"_id\": 3, \"email\": \"d@example.com\", \"name\": \"Dan\"}\n", to: "Customer.ndjson")
    try place.write(
      """
      pipeline: objects
      model: \(Locations.fixtures)/shop/Shop.xcdatamodeld
      store: other.sqlite
      objects:
        - { entity: Customer, files: Customer.ndjson }
      """, to: "objects.yaml")
    let right = SeedBuild(
      pipelines: [place.file("objects.yaml"), place.file("customers.yaml")], storePath: place.file("a.sqlite"))
    #expect(try right.run().runs.map(\.inserted) == [1, 2])
    let connection = try Connection(path: place.file("a.sqlite"), mode: .readOnly)
    #expect(try connection.text("SELECT group_concat(Z_PK || ZNAME) FROM ZCUSTOMER") == "3Dan,4Bob,5Cid")
    let wrong = SeedBuild(
      pipelines: [place.file("customers.yaml"), place.file("objects.yaml")], storePath: place.file("b.sqlite"))
    let error = #expect(throws: DiagnosticList.self) { _ = try wrong.run() }
    #expect(error?.diagnostics.map(\.code) == ["unsuitablePipeline"])
    #expect(error?.diagnostics.first?.message.contains("name this pipeline first") == true)
    #expect(!FileManager.default.fileExists(atPath: place.file("b.sqlite")))
  }

  @Test("IM18: a store that is there stays, unless it is to be replaced; then it is, in one step")
  func im18Existing() throws {
    let place = try PipelineFolder()
    _ = try place.write(PipelineFolder.sound)
    try customers(place.folder)
    try place.folder.write("mine", to: "a.sqlite")
    let refused = #expect(throws: DiagnosticList.self) { _ = try build(place.folder, "a.sqlite") }
    #expect(refused?.diagnostics.map(\.code) == ["alreadyExists"])
    #expect(try bytes(place.folder.file("a.sqlite")) == Data("mine".utf8))
    var other = SeedBuild(pipelines: [place.folder.file("customers.yaml")], storePath: place.folder.file("a.sqlite"))
    other.replaces = true
    other.identity = "people"
    #expect(try other.run().seed?.identity == "people")
    // A log of the old store would be played into the new one.
    try place.folder.write("log", to: "a.sqlite-wal")
    let before = try bytes(place.folder.file("a.sqlite"))
    let logged = #expect(throws: DiagnosticList.self) { _ = try other.run() }
    #expect(logged?.diagnostics.map(\.code) == ["alreadyExists"])
    #expect(try bytes(place.folder.file("a.sqlite")) == before)
  }

  @Test("IM18: too many rejects, or a pipeline with mistakes, and there is no store and nothing hidden")
  func im18Failures() throws {
    let place = try PipelineFolder()
    let path = try place.write(PipelineFolder.sound.replacingAll("limit: 10, ratio: 1%", with: "limit: 0"))
    try place.folder.write(
      "order_id,ordered_at,quantity,unit_price,note,email,name,country,sku,product,category\n"
        + "1,nonsense,1,2.50,,a@example.com,Ada,GB,0001,Lamp,Home\n", to: "orders.csv")
    let summary = try SeedBuild(pipelines: [path], storePath: place.folder.file("a.sqlite")).run()
    #expect(summary.seed == nil)
    #expect(summary.runs.map(\.status) == [.limitBreached])
    _ = try place.write("pipeline: x\nmodel: none\n")
    try customers(place.folder)
    try place.folder.write("pipeline: y\n", to: "customers.yaml")
    let error = #expect(throws: DiagnosticList.self) { _ = try build(place.folder, "a.sqlite") }
    // Both files are looked at before anything runs.
    #expect(Set(error?.diagnostics.map(\.path) ?? []).count == 2)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: place.folder.path).contains { $0.contains("sqlite") })
  }

  @Test("IM18: pipelines of different models do not go together")
  func im18Models() throws {
    let place = try PipelineFolder()
    _ = try place.write(PipelineFolder.sound)
    try place.folder.write(
      "model: other\nentities:\n  Thing:\n    attributes:\n      name: string\n", to: "other-model.yaml")
    try place.folder.write("name\nx\n", to: "things.csv")
    try place.folder.write(
      "pipeline: things\nmodel: other-model.yaml\nstore: x.sqlite\nsource: { files: things.csv, format: csv }\n"
        + "import: { entity: Thing, find_by: [name], attributes: { name: name } }\n", to: "things.yaml")
    let build = SeedBuild(
      pipelines: [place.folder.file("pipeline.yaml"), place.folder.file("things.yaml")],
      storePath: place.folder.file("a.sqlite"))
    let error = #expect(throws: DiagnosticList.self) { _ = try build.run() }
    #expect(error?.description.contains("its model is not that of orders") == true, "\(String(describing: error))")
  }
}
