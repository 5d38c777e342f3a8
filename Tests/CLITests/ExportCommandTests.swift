import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk export")
struct ExportCommandTests {
  let folder = TemporaryFolder()

  /// Makes the shop's store with the repository's pipeline.
  private func makeShop() throws {
    let text = try String(contentsOfFile: Locations.repository + "/pipelines/orders.yaml", encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
    try folder.write(text, to: "orders.yaml")
    #expect(try Command(["run", "orders.yaml", "--store", "shop.sqlite", "--quiet"], in: folder.path).status == 0)
  }

  private func names(_ path: String) throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.file(path)))
  }

  /// Whether two stores hold the same objects: nothing is left when one is taken from the other.
  private func differences(_ left: String, _ right: String) throws -> Int {
    let connection = try Connection(path: left, mode: .readOnly)
    try connection.execute("ATTACH '\(right)' AS other")
    let tables = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%' AND name NOT IN ('Z_METADATA',"
        + " 'Z_MODELCACHE', 'Z_PRIMARYKEY')")
    var count = 0
    var tableCount = 0
    while try tables.step() {
      let name = tables.text(0)
      tableCount += 1
      let columns =
        try connection.text(
          "SELECT group_concat(name) FROM pragma_table_info('\(name)') WHERE name <> 'Z_OPT'") ?? ""
      for (one, two) in [("main", "other"), ("other", "main")] {
        count += Int(
          try connection.integer(
            "SELECT count(*) FROM (SELECT \(columns) FROM \(one).\(name) EXCEPT SELECT \(columns) FROM \(two).\(name))")
            ?? -1)
      }
    }
    #expect(tableCount > 1)
    return count
  }

  @Test(
    "an export and a run of its pipeline make an equal store, without naming a model",
    arguments: ["ndjson", "csv", "tsv", "json", "yaml", "xml"])
  func roundTrip(_ format: String) throws {
    try makeShop()
    let export = try Command(["export", "shop.sqlite", "--format", format], in: folder.path)
    #expect(export.status == 0, "\(export.words)")
    #expect(export.output == "")
    #expect(export.words.contains("shop.sqlite: 306 objects in "))
    #expect(export.words.contains("mergewalk run shop-export/pipeline.yaml --store NEW.sqlite"))
    #expect(
      try names("shop-export") == [
        "Category.\(format)", "Customer.\(format)", "Order.\(format)", "Product.\(format)", "model.yaml",
        "pipeline.yaml",
      ])
    #expect(try Command(["lint", "shop-export/pipeline.yaml"], in: folder.path).output == "")
    let run = try Command(["run", "shop-export/pipeline.yaml", "--store", "new.sqlite", "--json"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    let object = try run.object()
    #expect(object["inserted"] as? Int == 306)
    #expect(object["status"] as? String == "completed")
    #expect(try differences(folder.file("shop.sqlite"), folder.file("new.sqlite")) == 0)
    let verify = try Command(["store", "verify", "new.sqlite"], in: folder.path)
    #expect([verify.output, verify.words] == ["", "new.sqlite: sound, 306 rows checked\n"])
    let again = try Command(
      ["export", "new.sqlite", "--out", "again/here", "--format", format, "--quiet"], in: folder.path)
    #expect([again.output, again.words] == ["", ""])
    for name in try names("shop-export") where name != "pipeline.yaml" {
      let isSame = FileManager.default.contentsEqual(
        atPath: folder.file("shop-export/" + name), andPath: folder.file("again/here/" + name))
      #expect(isSame, "\(name)")
    }
  }

  @Test("the pipeline makes its store beside itself, and takes another with a variable")
  func storeName() throws {
    try makeShop()
    #expect(try Command(["export", "shop.sqlite", "--out", "out"], in: folder.path).status == 0)
    #expect(try Command(["run", "out/pipeline.yaml"], in: folder.path).status == 0)
    #expect(try names("out").contains("shop.sqlite"))
    #expect(try Command(["run", "out/pipeline.yaml", "--set", "STORE=x.sqlite"], in: folder.path).status == 0)
    #expect(try names("out").contains("x.sqlite"))
    let existing = try Command(["run", "out/pipeline.yaml"], in: folder.path)
    #expect(existing.status == 2)
    #expect(existing.words.contains("objects with identities go into a new store: name another one with --store"))
  }

  @Test("files that are there are not replaced without --force, and nothing else appears")
  func force() throws {
    try makeShop()
    try folder.write("mine", to: "out/Order.ndjson")
    let refused = try Command(["export", "shop.sqlite", "--out", "out"], in: folder.path)
    #expect(refused.status == 2)
    #expect(refused.output == "")
    #expect(
      refused.words
        == "out/Order.ndjson: error: there is a file already; name another folder with --out, or use --force"
        + " [fileExists]\n")
    #expect(try names("out") == ["Order.ndjson"])
    #expect(try String(contentsOfFile: folder.file("out/Order.ndjson"), encoding: .utf8) == "mine")
    #expect(try Command(["export", "shop.sqlite", "--out", "out", "--force"], in: folder.path).status == 0)
    #expect(try names("out").count == 6)
    #expect(try String(contentsOfFile: folder.file("out/Order.ndjson"), encoding: .utf8).hasPrefix("{\"_id\":1,"))
  }

  @Test("single entities are exported, and the pipeline forgives what they refer to")
  func entities() throws {
    try makeShop()
    let export = try Command(
      ["export", "shop.sqlite", "--entity", "Category", "--entity", "Product", "--out", "out", "--json"],
      in: folder.path)
    #expect(export.status == 0)
    #expect(try export.object()["missing_entities"] as? [String] == [])
    #expect(try names("out") == ["Category.ndjson", "Product.ndjson", "model.yaml", "pipeline.yaml"])
    let part = try Command(
      ["export", "shop.sqlite", "--entity", "Product", "--out", "part", "--json"], in: folder.path)
    #expect(try part.object()["missing_entities"] as? [String] == ["Category"])
    #expect(part.words.contains("objects refer to others that were not exported (Category)"))
    let pipeline = try String(contentsOfFile: folder.file("part/pipeline.yaml"), encoding: .utf8)
    #expect(pipeline.contains("{ entity: Product, files: Product.ndjson, missing: null }"))
    let run = try Command(["run", "part/pipeline.yaml", "--json", "--quiet"], in: folder.path)
    #expect(try run.object()["read"] as? Int == 30)
    let unknown = try Command(["export", "shop.sqlite", "--entity", "Produkt"], in: folder.path)
    #expect(unknown.status == 2)
    #expect(unknown.words.contains("the store has no entity “Produkt”; did you mean “Product”? [unknownEntity]"))
  }

  @Test("names that differ only in case are not columns of a header", arguments: ["csv", "tsv"])
  func namesWithoutCase(_ format: String) throws {
    try folder.write(
      "entities: { A: { attributes: { x: string, X: string } }, B: { attributes: { y: string } } }", to: "model.yaml")
    try folder.write("{\"_id\":1,\"x\":\"a\",\"X\":\"b\"}\n", to: "A.ndjson")
    try folder.write(
      "{ model: model.yaml, store: s.sqlite, objects: [{ entity: A, files: A.ndjson }] }", to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    let refused = try Command(["export", "s.sqlite", "--format", format], in: folder.path)
    #expect(refused.status == 2)
    #expect(refused.words.contains("A: “X” and “x” differ only in case"), "\(refused.words)")
    #expect(try !names(".").contains("s-export"))
    #expect(try Command(["export", "s.sqlite", "--quiet"], in: folder.path).status == 0)
    let run = try Command(["run", "s-export/pipeline.yaml", "--store", "new.sqlite", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try differences(folder.file("s.sqlite"), folder.file("new.sqlite")) == 0)
  }

  @Test("a store that does not say what its model is needs one, which must fit")
  func model() throws {
    try makeShop()
    let connection = try Connection(path: folder.file("shop.sqlite"), mode: .readWrite)
    // Another key of the same length, so that the list is still one.
    let select = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    #expect(try select.step())
    var list = Data(select.bytes(0))
    select.reset()
    let place = try #require(list.range(of: Data("MergewalkModel".utf8)))
    list.replaceSubrange(place, with: Data("MergewalkMadel".utf8))
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    update.bind(1, copying: Array(list))
    try update.run()
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()

    let missing = try Command(["export", "shop.sqlite"], in: folder.path)
    #expect(missing.status == 2)
    #expect(
      missing.words == "shop.sqlite: error: the store carries no copy of its model; name the model with --model"
        + " (an .xcdatamodeld or a YAML model) [noModel]\n")
    let other = try Command(
      ["export", "shop.sqlite", "--model", Locations.fixtures + "/models/library.yaml"], in: folder.path)
    #expect(other.status == 2)
    #expect(other.words.contains("the store was made with another version of the model"))
    #expect(other.words.contains("[incompatibleModel]"))
    let right = try Command(
      ["export", "shop.sqlite", "--model", Locations.fixtures + "/shop/Shop.xcdatamodeld"], in: folder.path)
    #expect(right.status == 0, "\(right.words)")
    #expect(try Command(["run", "shop-export/pipeline.yaml"], in: folder.path).status == 0)
  }

  @Test("what cannot be exported leaves nothing behind")
  func damaged() throws {
    try makeShop()
    let connection = try Connection(path: folder.file("shop.sqlite"), mode: .readWrite)
    try connection.execute("UPDATE ZORDER SET ZNOTE = 'a' || char(0) || 'b' WHERE Z_PK = 7")
    try connection.close()
    let csv = try Command(["export", "shop.sqlite", "--format", "csv", "--out", "out"], in: folder.path)
    #expect(csv.status == 2)
    #expect(csv.words.contains("Order 7: “note” has a control character or is not UTF-8, which csv cannot hold"))
    #expect(csv.words.contains("use --format ndjson"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
    #expect(try Command(["export", "shop.sqlite", "--out", "json"], in: folder.path).status == 0)
    let again = try Connection(path: folder.file("shop.sqlite"), mode: .readWrite)
    try again.execute("UPDATE ZORDER SET ZNOTE = X'00' WHERE Z_PK = 9")
    try again.close()
    let bytes = try Command(["export", "shop.sqlite", "--out", "out"], in: folder.path)
    #expect(bytes.status == 2)
    #expect(bytes.words.contains("Order 9: “note” holds bytes, which is not a value of its type"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
    #expect(try Command(["export", "none.sqlite"], in: folder.path).words.contains("[notFound]"))
  }

  @Test("Chinook comes back equal", .enabled(if: Locations.shared != nil), arguments: ["ndjson", "csv"])
  func chinook(_ format: String) throws {
    let set = try PipelineSet("chinook")
    _ = try set.run(["CHINOOK=" + Locations.shared("suites/datasets/chinook")])
    let out = set.folder.file("out")
    let export = try Command(["export", set.store, "--out", out, "--format", format, "--quiet"], in: folder.path)
    #expect(export.status == 0, "\(export.words)")
    let run = try Command(
      ["run", out + "/pipeline.yaml", "--store", folder.file("new.sqlite"), "--json", "--quiet"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(try run.object()["rejected"] as? Int == 0)
    #expect(try differences(set.store, folder.file("new.sqlite")) == 0)
    try PipelineSet.expectSound(folder.file("new.sqlite"), model: "chinook")
  }
}
