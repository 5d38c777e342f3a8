import Foundation
import MergewalkTestSupport
import Testing

@Suite("Compiled models on the command line")
struct CompiledModelCommandTests {
  private let folder = TemporaryFolder()

  private static let yaml = """
    model: Shop
    entities:
      Order:
        attributes: { number: integer64!, placed: date, note: { type: string, default: none } }
        relationships: { lines: { to_many: Line, inverse: order, delete: cascade } }
      Line:
        relationships: { order: { to_one: Order, inverse: lines } }
    fetch_requests:
      open: { entity: Order, predicate: "placed == nil OR number > $LEAST", limit: 20 }
      noted: { entity: Order, predicate: "note LIKE 'x*'", include_subentities: false }
      ended: { entity: Order, predicate: "lines[LAST] == nil" }
    """

  @Test("a model is compiled, and the compiled one serves wherever a model does")
  func compiled() throws {
    try folder.write(Self.yaml, to: "Shop.yaml")
    let written = try Command(
      ["model", "convert", "Shop.yaml", "--to", "mom", "--output", "Shop.momd"], in: folder.path)
    #expect(written.status == 0, "\(written.words)")
    #expect(written.words.contains("warning: the fetch request “ended” is not in the compiled model"))
    #expect(!written.words.contains("“open”") && !written.words.contains("“noted”"))
    let hash = try Command(["model", "hash", "Shop.yaml"], in: folder.path)
    for path in ["Shop.momd", "Shop.momd/Shop.mom"] {
      #expect(try Command(["model", "hash", path], in: folder.path).output == hash.output)
      #expect(try Command(["model", "lint", path], in: folder.path).status == 0)
    }
    let back = try Command(["model", "convert", "Shop.momd"], in: folder.path)
    #expect(back.status == 0)
    #expect(back.output.contains("delete: cascade"))
    #expect(back.output.contains("placed == nil OR number > $LEAST") && back.output.contains("limit: 20"))
    #expect(back.output.contains("note LIKE ") && back.output.contains("include_subentities: false"), "\(back.output)")
    try folder.write("number,note\n1,a\n", to: "orders.csv")
    try folder.write(
      """
      model: Shop.momd
      store: shop.sqlite
      source: { files: orders.csv }
      import: { entity: Order, find_by: [number] }
      """, to: "pipeline.yaml")
    let run = try Command(["run", "pipeline.yaml"], in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    let verified = try Command(["store", "verify", "shop.sqlite", "--model", "Shop.momd"], in: folder.path)
    #expect(verified.status == 0, "\(verified.output)\(verified.words)")
    #expect(verified.words.contains("sound"))
  }

  @Test("what a compiled model and XML have no word for is said")
  func leftOut() throws {
    try folder.write(
      """
      entities:
        P:
          attributes: { n: { type: integer64, cloud_encryption: true, spotlight: true, truth_file: true }, s: string }
          indexes:
            one: { elements: [s], alone: true }
            two: { elements: [{ expression: "canonical:(s)", expression_type: text }] }
          compound_indexes: [[n], [n, s]]
      """, to: "P.yaml")
    let compiled = try Command(["model", "convert", "P.yaml", "--to", "mom", "--output", "P.mom"], in: folder.path)
    #expect(compiled.status == 0, "\(compiled.words)")
    for item in [
      "the cloud encryption of “P.n”", "the indexing by Spotlight of “P.n”", "the place in the truth file of “P.n”",
      "the expression type “text” in the index “two” of “P”", "the compound index “n” of “P”",
    ] {
      #expect(compiled.words.contains("P.mom: warning: \(item) is not in the compiled model"), "\(compiled.words)")
    }
    #expect(!compiled.words.contains("n_s") && !compiled.words.contains("“one”"), "\(compiled.words)")
    let xml = try Command(["model", "convert", "P.yaml"], in: folder.path)
    #expect(xml.words.contains("P.yaml: warning: “alone” of the index “one” of “P” is not in the XML"), "\(xml.words)")
    #expect(xml.status == 0 && xml.output.contains("<fetchIndex name=\"one\">"))
  }

  @Test("a store serves wherever a model does, with the copy that it carries")
  func store() throws {
    try folder.write(Self.yaml, to: "Shop.yaml")
    try folder.write("number,note\n1,a\n", to: "orders.csv")
    func run(_ model: String, _ store: String) throws -> Command {
      try folder.write(
        """
        model: \(model)
        store: \(store)
        source: { files: orders.csv }
        import: { entity: Order, find_by: [number] }
        """, to: "pipeline.yaml")
      return try Command(["run", "pipeline.yaml"], in: folder.path)
    }
    #expect(try run("Shop.yaml", "shop.sqlite").status == 0)
    // Another store, and the same one.
    for store in ["other.sqlite", "shop.sqlite"] {
      let again = try run("shop.sqlite", store)
      #expect(again.status == 0, "\(again.words)")
    }
    let hash = try Command(["model", "hash", "Shop.yaml"], in: folder.path).output
    for store in ["shop.sqlite", "other.sqlite"] {
      #expect(try Command(["model", "hash", store], in: folder.path).output == hash)
    }
    #expect(try Command(["store", "verify", "other.sqlite", "--model", "shop.sqlite"], in: folder.path).status == 0)
    #expect(try Command(["store", "migrate", "other.sqlite", "--to", "shop.sqlite"], in: folder.path).status == 0)
    let text = try Command(["model", "convert", "shop.sqlite", "--to", "yaml"], in: folder.path)
    #expect(text.output.contains("delete: cascade"), "\(text.words)")
    let version = try Command(["model", "hash", "shop.sqlite", "--model-version", "2"], in: folder.path)
    #expect(version.status != 0 && version.words.contains("a single file has no version"), "\(version.words)")
  }

  @Test("the copy of Core Data's own in a store is a model", .enabled(if: Locations.shared != nil))
  func cache() throws {
    for suffix in ["", "-wal"] {
      let path = Locations.shared("coredata/duckduckgo/Bookmarks_V4.sqlite\(suffix)")
      try folder.write(Array(try #require(FileManager.default.contents(atPath: path))), to: "b.sqlite" + suffix)
    }
    let source = Locations.shared("coredata/duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel")
    let hash = try Command(["model", "hash", "b.sqlite"], in: folder.path)
    #expect(try Command(["model", "hash", source], in: folder.path).output == hash.output && hash.status == 0)
  }

  @Test(
    "a folder that is there gets all files of a compiled model or none", arguments: ["Shop.mom", "VersionInfo.plist"])
  func existingFolder(_ name: String) throws {
    try folder.write(Self.yaml, to: "Shop.yaml")
    try folder.write("mine", to: "Shop.momd/\(name)")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.file("Shop.momd")).sorted()
    }
    let convert = ["model", "convert", "Shop.yaml", "--to", "mom", "--output", "Shop.momd"]
    let refused = try Command(convert, in: folder.path)
    #expect(refused.status == 2 && refused.words.contains("Shop.momd/\(name): error: there is a file already"))
    #expect(try names() == [name])
    try FileManager.default.removeItem(atPath: folder.file("Shop.momd/\(name)"))
    try folder.write("mine", to: "Shop.momd/other.txt")
    #expect(try Command(convert, in: folder.path).status == 0)
    #expect(try names() == ["Shop.mom", "VersionInfo.plist", "other.txt"])
  }

  @Test("a compiled model needs a file of its kind, which must not be there")
  func output() throws {
    try folder.write(Self.yaml, to: "Shop.yaml")
    for more in [[], ["--output", "Shop.xml"]] {
      #expect(try Command(["model", "convert", "Shop.yaml", "--to", "mom"] + more, in: folder.path).status == 64)
    }
    try folder.write("x", to: "Shop.mom")
    let taken = try Command(["model", "convert", "Shop.yaml", "--to", "mom", "--output", "Shop.mom"], in: folder.path)
    #expect(taken.status != 0)
    #expect(try String(contentsOfFile: folder.file("Shop.mom"), encoding: .utf8) == "x")
  }

  @Test("an oddity that Xcode's compiler takes stops nothing")
  func oddity() throws {
    try folder.write(
      """
      <model><entity name="Item"><attribute name="count" attributeType="Integer 16" defaultValueString="NO"/>
      <attribute name="isDone" attributeType="Boolean" defaultValueString="0.0"/>
      <relationship name="items" toMany="YES" destinationEntity="Item" inverseName="item" inverseEntity="Item"/>
      <relationship name="item" maxCount="1" destinationEntity="Item" inverseName="items" inverseEntity="Item"/>
      <fetchIndex name="byItems"><fetchIndexElement property="items" type="Binary" order="ascending"/></fetchIndex>
      </entity></model>
      """, to: "M.xcdatamodel/contents")
    let lint = try Command(["model", "lint", "M.xcdatamodel"], in: folder.path)
    #expect(lint.status == 0, "\(lint.output)")
    #expect(lint.output.contains("[invalidDefault]"))
    #expect(lint.output.contains("[unfitIndex]"))
    for command in ["hash", "show"] {
      #expect(try Command(["model", command, "M.xcdatamodel"], in: folder.path).status == 0)
    }
  }
}
