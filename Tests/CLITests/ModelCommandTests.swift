import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk model")
struct ModelCommandTests {
  let folder = TemporaryFolder()
  let shop = Locations.fixtures + "/shop/Shop.xcdatamodeld"

  @Test("hash prints a line an entity, then digest and checksum")
  func hash() throws {
    let command = try Command(["model", "hash", shop], in: folder.path)
    #expect(command.status == 0)
    #expect(command.words == "")
    let rows = command.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.map(\.first) == ["Category", "Customer", "Order", "Product", "digest", "checksum"])
    #expect(rows.dropLast(2).allSatisfy { $0.count == 2 && $0[1].count == 64 && $0[1].allSatisfy(\.isHexDigit) })
    #expect(rows[4][1].count == 88)
    #expect(rows[5][1].count == 44)
  }

  @Test("a version that is not there names those that are")
  func unknownVersion() throws {
    let command = try Command(["model", "hash", shop, "--version", "Shop 2"], in: folder.path)
    #expect(command.status == 2)
    #expect(command.output == "")
    #expect(command.words.hasPrefix("\(shop): error: the model has no version “Shop 2”"))
    #expect(try Command(["model", "hash", shop, "--version", "Shop"], in: folder.path).status == 0)
  }

  @Test("show lists entities and their properties")
  func show() throws {
    let command = try Command(["model", "show", shop], in: folder.path)
    #expect(command.status == 0)
    #expect(command.output.hasPrefix("Shop: 4 entities\n\nCategory\n  name      String\n"))
    #expect(command.output.contains("  quantity   Integer 32, default 1, at least 1\n"))
    #expect(command.output.contains("  customer   to one Customer, inverse orders, on delete nullify\n"))
    #expect(command.output.contains("  unique: orderID\n"))
  }

  @Test("show says which indexes are partial, and what in them is descending")
  func indexes() throws {
    let text = """
      entities:
        A:
          attributes: { n: integer32, t: string }
          indexes:
            part: { elements: [n, { property: t, descending: true }], where: "n > 3" }
            whole: [n]
      """
    try folder.write(text, to: "i.yaml")
    let command = try Command(["model", "show", "i.yaml"], in: folder.path)
    let lines = "  index part: n, t descending where n > 3\n  index whole: n\n"
    #expect(command.output.hasSuffix(lines), "\(command.output)")
  }

  @Test("show and reject messages have the dates that Xcode writes as seconds")
  func dates() throws {
    try folder.write(
      """
      <model><entity name="Day"><attribute name="at" optional="YES" attributeType="Date" minDateTimeInterval="0" \
      maxDateTimeInterval="86400" defaultDateTimeInterval="3600"/></entity></model>
      """, to: "D.xcdatamodel/contents")
    let command = try Command(["model", "show", "D.xcdatamodel"], in: folder.path)
    #expect(
      command.output.contains(
        "default 2001-01-01T01:00:00Z, at least 2001-01-01T00:00:00Z, at most 2001-01-02T00:00:00Z"),
      "\(command.output)")
    try folder.write("at\n2001-01-01T05:00:00Z\n2000-12-31T23:00:00Z\n2001-01-03T00:00:00Z\n", to: "d.csv")
    try folder.write(
      """
      pipeline: days
      model: D.xcdatamodel
      store: d.sqlite
      source: { files: d.csv }
      import: { entity: Day, mode: insert, attributes: { at: { from: at, date: iso8601 } } }
      rejects: { file: d.rejects, limit: 10 }
      """, to: "d.yaml")
    #expect(try Command(["run", "d.yaml", "--quiet"], in: folder.path).status == 1)
    let rejects = try Command(["rejects", "show", "d.rejects"], in: folder.path).output
    #expect(rejects.contains("(at least 2001-01-01T00:00:00Z)"), "\(rejects)")
    #expect(rejects.contains("(at most 2001-01-02T00:00:00Z)"), "\(rejects)")
  }

  @Test("convert goes to YAML and back without loss")
  func convert() throws {
    try folder.write(
      "entities:\n  A:\n    attributes:\n      x: { type: string, default: \"a\\x01\" }\n", to: "control.yaml")
    let control = try Command(["model", "convert", "control.yaml"], in: folder.path)
    #expect(control.status == 2 && control.output.isEmpty && control.words.contains("the character U+1,"))
    let yaml = try Command(["model", "convert", shop], in: folder.path)
    #expect(yaml.status == 0)
    try folder.write(yaml.output, to: "Shop.yaml")
    let back = try Command(["model", "convert", "Shop.yaml", "--output", "new/Shop.xcdatamodeld"], in: folder.path)
    #expect(back.status == 0, "\(back.words)")
    let hashes = try Command(["model", "hash", shop], in: folder.path).output
    #expect(try Command(["model", "hash", "Shop.yaml"], in: folder.path).output == hashes)
    #expect(try Command(["model", "hash", "new/Shop.xcdatamodeld"], in: folder.path).output == hashes)
    #expect(
      try Command(["model", "convert", "new/Shop.xcdatamodeld", "--to", "yaml"], in: folder.path).output == yaml.output)

    let again = try Command(["model", "convert", "Shop.yaml", "--output", "new/Shop.xcdatamodeld"], in: folder.path)
    #expect(again.status == 2)
    #expect(again.words.contains("[fileExists]"))
  }

  @Test("the output's name tells the format that convert writes")
  func convertByName() throws {
    let hash = try Command(["model", "hash", shop], in: folder.path).output
    for (name, start) in [("a.yml", "model: Shop\n"), ("a.xml", "<?xml "), ("a.mom", "bplist00")] {
      let command = try Command(["model", "convert", shop, "--output", name], in: folder.path)
      #expect(command.status == 0, "\(command.words)")
      #expect(FileManager.default.contents(atPath: folder.file(name))?.starts(with: Data(start.utf8)) == true)
    }
    #expect(try Command(["model", "convert", "a.yml", "--output", "b.momd/"], in: folder.path).status == 0)
    #expect(try Command(["model", "convert", "a.mom", "--output", "b.yaml"], in: folder.path).status == 0)
    for name in ["a.yml", "a.mom", "b.momd", "b.yaml"] {
      #expect(try Command(["model", "hash", name], in: folder.path).output == hash, "\(name)")
    }
  }

  @Test(
    "convert writes no file under the name of another format",
    arguments: [
      ["q.yaml", "--to", "xml"], ["q.xcdatamodeld", "--to", "yaml"], ["q.mom", "--to", "yaml"],
      ["q.momd", "--to", "xml"], ["q.png"], ["q.png", "--to", "mom"],
    ])
  func convertToAnotherName(_ arguments: [String]) throws {
    let command = try Command(["model", "convert", shop, "--output"] + arguments, in: folder.path)
    #expect(command.status == 64, "\(command.words)")
    #expect(!FileManager.default.fileExists(atPath: folder.file(arguments[0])))
  }

  @Test("lint reports mistakes with their places")
  func lint() throws {
    let clean = try Command(["model", "lint", shop], in: folder.path)
    #expect(clean.status == 0)
    #expect(clean.output == "")
    try folder.write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="A">
          <relationship name="b" optional="YES" maxCount="1" destinationEntity="B"/>
        </entity>
      </model>
      """, to: "M.xcdatamodel/contents")
    let command = try Command(["model", "lint", "M.xcdatamodel"], in: folder.path)
    #expect(command.status == 1)
    #expect(command.output.hasPrefix("M.xcdatamodel/contents:4:"), "\(command.output)")
    #expect(try Command(["model", "show", "M.xcdatamodel"], in: folder.path).status == 2)
  }

  @Test("codegen writes classes once and properties anew, and check tells when they are out of date")
  func codegen() throws {
    let arguments = ["model", "codegen", shop, "--output", "out/model"]
    let missing = try Command(arguments + ["--check"], in: folder.path)
    #expect(missing.status == 1)
    #expect(missing.words.contains("the file is missing"))
    let first = try Command(arguments, in: folder.path)
    #expect(first.status == 0, "\(first.words)")
    #expect(first.words.hasSuffix("8 files written, 0 kept\n"))
    #expect(try Command(arguments + ["--check"], in: folder.path).status == 0)

    let (own, made) = ("out/model/Order+CoreDataClass.swift", "out/model/Order+CoreDataProperties.swift")
    let text = try read(made)
    try folder.write("// mine", to: own)
    try folder.write(text + "// changed", to: made)
    let stale = try Command(arguments + ["--check"], in: folder.path)
    #expect(stale.status == 1)
    #expect(stale.words.contains("\(made): error: the file differs from what the model generates"))
    #expect(!stale.words.contains("Class.swift"), "a class file is its owner's")
    #expect(try read(made) == text + "// changed", "check writes nothing")
    #expect(try Command(arguments, in: folder.path).words.hasSuffix("1 file written, 7 kept\n"))
    #expect(try read(made) == text)
    #expect(try read(own) == "// mine")

    let unknown = try Command(arguments + ["--entity", "Ordr"], in: folder.path)
    #expect(unknown.status == 2)
    #expect(unknown.words.contains("did you mean “Order”? [unknownEntity]"))
    let one = try Command(
      ["model", "codegen", shop, "-o", "one", "--entity", "Order", "--category"], in: folder.path)
    #expect(one.words.hasPrefix("wrote one/Order+CoreDataProperties.swift\n1 file written"), "\(one.words)")
  }

  @Test("lint gives advice when it is asked for")
  func advice() throws {
    try folder.write("entities: { A: { attributes: { size: integer32 } } }", to: "m.yaml")
    #expect(try Command(["model", "lint", "m.yaml"], in: folder.path).output == "")
    #expect(try Command(["model", "lint", "m.yaml", "--advice"], in: folder.path).output.contains("[optionalNumber]"))
  }

  @Test("lint says which indexes stores are made without, as a run does")
  func leftOutIndexes() throws {
    try folder.write(
      """
      entities:
        A:
          attributes: { name: string, size: integer32! }
          indexes:
            low: { elements: [{ expression: "lowercase:(name)" }] }
            half: { elements: [{ expression: "size / 2" }] }
            some: { elements: [size], where: "name CONTAINS 'x'" }
      """, to: "m.yaml")
    let lint = try Command(["model", "lint", "m.yaml"], in: folder.path)
    #expect(lint.status == 0)
    let lines = lint.output.split(separator: "\n").filter { $0.contains("[unsupportedIndex]") }
    #expect(lines.map { $0.prefix(11) } == ["m.yaml:5:7:", "m.yaml:7:7:"], "\(lint.output)")
  }

  @Test(
    "two tables that would have one name are an error of lint, of a run and of a migration",
    arguments: [
      ("entities: { Item: { attributes: { a: string } }, ITEM: { attributes: { a: string } } }", ["“ITEM”", "“Item”"]),
      (
        """
        entities:
          Item: { attributes: { a: string }, relationships: { tags: { to_many: Item, inverse: x }, x: { to_many: Item,
            inverse: tags }, Tags: { to_many: Item, inverse: Tags } } }
        """, ["“Item.Tags”", "“Item.tags”"]
      ),
    ])
  func sameTableName(_ model: String, _ names: [String]) throws {
    func tells(_ words: String) -> Bool {
      words.contains("would have one table") && names.allSatisfy { words.contains($0) }
    }
    try folder.write(model, to: "m.yaml")
    let lint = try Command(["model", "lint", "m.yaml"], in: folder.path)
    #expect(lint.status == 1)
    #expect(tells(lint.output), "\(lint.output)")
    #expect(lint.output.contains("[sameTableName]"))
    try folder.write("a\nx\n", to: "in.csv")
    func pipeline(_ model: String) -> String {
      "{ model: \(model), store: s.sqlite, source: { files: in.csv },"
        + " import: { entity: Item, mode: insert, attributes: [a] } }"
    }
    try folder.write(pipeline("m.yaml"), to: "p.yaml")
    let run = try Command(["run", "p.yaml"], in: folder.path)
    #expect(run.status == 2)
    #expect(tells(run.words), "\(run.words)")
    try folder.write("{\"_id\":1}\n", to: "Item.ndjson")
    try folder.write(
      "{ model: m.yaml, store: s.sqlite, objects: [{ entity: Item, files: Item.ndjson }] }", to: "o.yaml")
    let objects = try Command(["run", "o.yaml"], in: folder.path)
    #expect(objects.status == 2)
    #expect(tells(objects.words), "\(objects.words)")

    try folder.write("entities: { Item: { attributes: { a: string } } }", to: "old.yaml")
    try folder.write(pipeline("old.yaml"), to: "old-p.yaml")
    #expect(try Command(["run", "old-p.yaml", "--quiet"], in: folder.path).status == 0)
    let migrate = try Command(["store", "migrate", "s.sqlite", "--to", "m.yaml"], in: folder.path)
    #expect(migrate.status == 2)
    #expect(tells(migrate.words), "\(migrate.words)")
    #expect(try Command(["store", "verify", "s.sqlite", "--model", "old.yaml"], in: folder.path).status == 0)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name), encoding: .utf8)
  }
}
