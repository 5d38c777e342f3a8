import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk store migrate")
struct StoreMigrateTests {
  let folder = TemporaryFolder()

  private static func contents(_ attributes: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\""
      + " userDefinedModelVersionIdentifier=\"\"><entity name=\"Person\"><attribute name=\"name\" optional=\"YES\""
      + " attributeType=\"String\"/>\(attributes)</entity></model>"
  }

  /// A model with three versions, and a store of the first with two objects.
  private func prepare() throws {
    let added = "<attribute name=\"age\" attributeType=\"Integer 16\" defaultValueString=\"3\"/>"
    let wrong = "<attribute name=\"age\" attributeType=\"String\"/><attribute name=\"must\" attributeType=\"Date\"/>"
    for (name, text) in [("M", ""), ("M 2", added), ("M 3", added + wrong.replacing("age", with: "other"))] {
      try folder.write(Self.contents(text), to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    try folder.write(
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string></dict></plist>",
      to: "M.xcdatamodeld/.xccurrentversion")
    try folder.write("name\nAda\nGrace\n", to: "people.csv")
    try folder.write(
      """
      pipeline: people
      model: M.xcdatamodeld/M.xcdatamodel
      source: people.csv
      import: { entity: Person, mode: insert, attributes: { name: name } }
      """, to: "p.yaml")
    let run = try Command(["run", "p.yaml", "--store", "s.sqlite", "--quiet"], in: folder.path)
    try #require(run.status == 0, "\(run.words)")
  }

  @Test("a dry run prints the steps; the migration does them, with a copy of the store as it was")
  func migrate() throws {
    try prepare()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("s.sqlite")))
    let dry = try Command(["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld", "--dry-run"], in: folder.path)
    #expect(dry.status == 0)
    #expect(dry.lines.contains("add columns to ZPERSON: ZAGE"), "\(dry.output)")
    #expect(dry.words == "s.sqlite: would be migrated from M to M 2; nothing was changed\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("s.sqlite"))) == before)

    let done = try Command(["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld"], in: folder.path)
    #expect(done.status == 0)
    #expect(done.output == dry.output)
    #expect(done.words == "s.sqlite: migrated from M to M 2; backup: s.sqlite.backup\n")
    #expect(try Command(["store", "verify", "s.sqlite", "--model", "M.xcdatamodeld"], in: folder.path).status == 0)
    let rows = try Command(
      ["fetch", "s.sqlite", "--entity", "Person", "--columns", "name,age", "--format", "csv"], in: folder.path)
    #expect(rows.output == "name,age\nAda,3\nGrace,3\n")
    let copy = try Command(
      ["store", "verify", "s.sqlite.backup", "--model", "M.xcdatamodeld", "--model-version", "M"], in: folder.path)
    #expect(copy.status == 0)

    let again = try Command(["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld"], in: folder.path)
    #expect(again.status == 0)
    #expect(again.words == "s.sqlite: already fits M 2\n")
  }

  @Test("an index alone is no other version: it is named, and made")
  func indexAlone() throws {
    try prepare()
    let index =
      "<fetchIndex name=\"byName\"><fetchIndexElement property=\"name\" type=\"Binary\" order=\"ascending\"/>"
      + "</fetchIndex>"
    try folder.write(Self.contents(index), to: "I.xcdatamodel/contents")
    let verify = ["store", "verify", "s.sqlite", "--model", "I.xcdatamodel"]
    let before = try Command(verify, in: folder.path)
    #expect(before.status == 0)
    #expect(before.output.contains("note: ZPERSON: there is no index Z_Person_byName"), "\(before.output)")
    try folder.write(
      "model: I.xcdatamodel\nsource: people.csv\nimport: { entity: Person, find_by: [name], attributes: { name: name } }",
      to: "i.yaml")
    let explained = try Command(["explain", "i.yaml", "--store", "s.sqlite"], in: folder.path)
    #expect((explained.output + explained.words).contains("[missingIndex]"), "\(explained.output) \(explained.words)")

    let migrate = ["store", "migrate", "s.sqlite", "--to", "I.xcdatamodel"]
    let dry = try Command(migrate + ["--dry-run"], in: folder.path)
    // The only attribute of a fetch index has one of its own, too.
    #expect(dry.lines == ["create the index Z_Person_name", "create the index Z_Person_byName"])
    #expect(dry.words == "s.sqlite: already fits I, and would get 2 indexes\n")
    #expect(try Command(verify, in: folder.path).output == before.output)
    let done = try Command(migrate + ["--json"], in: folder.path)
    #expect(done.status == 0)
    #expect(try done.object()["steps"] as? [String] == dry.lines)
    #expect(try done.object()["up_to_date"] as? Bool == true)
    let after = try Command(verify, in: folder.path)
    #expect(after.output.isEmpty, "\(after.output)")
    #expect(try Command(migrate, in: folder.path).words == "s.sqlite: already fits I\n")
  }

  @Test("files of values that are in rows now are removed, and counted")
  func filesOfValues() throws {
    for isExternal in [true, false] {
      try folder.write(
        """
        model: M
        entities:
          A: { attributes: { id: string!, blob: { type: binary, external_storage: \(isExternal) } }, unique: [id] }
        """, to: "\(isExternal).yaml")
    }
    try folder.write(
      """
      model: "true.yaml"
      source: in.ndjson
      import: { entity: A, find_by: [id], attributes: [blob] }
      """, to: "p.yaml")
    try folder.write(
      #"{"id":"a","blob":"\#(Data(repeating: 90, count: 120_000).base64EncodedString())"}"#, to: "in.ndjson")
    #expect(try Command(["run", "p.yaml", "--store", "s.sqlite", "--quiet"], in: folder.path).status == 0)
    let done = try Command(["store", "migrate", "s.sqlite", "--to", "false.yaml"], in: folder.path)
    #expect(
      done.words == "s.sqlite: removed 1 file beside the store that no row names any more\n"
        + "s.sqlite: migrated to another version of M; backup: s.sqlite.backup\n")
    let left = try Command(["store", "clean", "s.sqlite", "--dry-run", "--json"], in: folder.path).object()
    #expect((left["orphans"] as? [String])?.isEmpty == true)
  }

  @Test("what an app has added and cannot be kept is named in words and in JSON")
  func losses() throws {
    try prepare()
    let store = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    try store.execute(
      "ALTER TABLE ZPERSON ADD COLUMN mine INTEGER; CREATE INDEX mine ON ZPERSON (mine);"
        + " CREATE INDEX names ON ZPERSON (ZNAME)")
    try store.close()
    let arguments = ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld"]
    let dry = try Command(arguments + ["--dry-run", "--json"], in: folder.path)
    #expect(dry.status == 0)
    let column = "s.sqlite: warning: the column ZPERSON.MINE is not kept, nor are its values: "
    #expect(dry.words == column + "the model does not have it\n")
    let planned = try dry.object()
    #expect(planned["dry_run"] as? Bool == true)
    #expect((planned["lost"] as? [[String: String]])?.map { $0["name"] } == ["ZPERSON.MINE"])
    let done = try Command(arguments + ["--json"], in: folder.path)
    #expect(done.status == 0)
    #expect(done.words.hasPrefix(dry.words + "s.sqlite: warning: the index mine is not kept: "), "\(done.words)")
    let object = try done.object()
    #expect((object["lost"] as? [[String: String]])?.map { $0["kind"] } == ["column", "index"])
    #expect(object["versions"] as? [String] == ["M", "M 2"])
    #expect(object["backup"] as? String == "s.sqlite.backup")
    #expect(object["steps"] as? [String] == planned["steps"] as? [String])
    let after = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
    #expect(try after.integer("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = 'names'") == 1)
    try after.close()
    let again = try Command(arguments + ["--json"], in: folder.path)
    #expect(try again.object()["up_to_date"] as? Bool == true)
  }

  @Test("data that the migration removes are named in words and in JSON, by a dry run too")
  func removals() throws {
    try prepare()
    // Neither the name nor a renaming identifier says that this is the former name.
    let text = Self.contents("").replacing("name=\"name\"", with: "name=\"title\"")
    try folder.write(text, to: "M.xcdatamodeld/M 4.xcdatamodel/contents")
    let arguments = ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld", "--model-version", "M 4"]
    let dry = try Command(arguments + ["--dry-run"], in: folder.path)
    #expect(dry.status == 0)
    let warning = "s.sqlite: warning: 2 values of the attribute Person.name are removed: "
    #expect(dry.words.hasPrefix(warning), "\(dry.words)")
    let done = try Command(arguments + ["--json"], in: folder.path)
    #expect(done.status == 0)
    #expect(done.words.hasPrefix(warning), "\(done.words)")
    let removed = try #require(done.object()["removed"] as? [[String: Any]])
    #expect(removed.count == 1)
    #expect(removed.first?["kind"] as? String == "attribute")
    #expect(removed.first?["name"] as? String == "Person.name")
    #expect(removed.first?["count"] as? Int == 2)
    let message = try #require(removed.first?["message"] as? String)
    #expect(done.words.hasPrefix("s.sqlite: warning: \(message)\n"), "\(done.words)")
  }

  @Test("YAML models of one name, one of which may be given as --from, are versions too", arguments: [true, false])
  func calledAlike(_ isNamed: Bool) throws {
    func model(_ type: String, _ more: String = "") -> String {
      "model: Shop\nentities:\n  Item:\n    attributes:\n      name: string!\n      price: { type: \(type) }\n\(more)"
    }
    try folder.write(model("decimal"), to: "1.yaml")
    try folder.write(model("double"), to: "2.yaml")
    try folder.write(model("decimal", "      note: string\n"), to: "3.yaml")
    try folder.write("name,price\nTea,1.25\n", to: "items.csv")
    try folder.write(
      """
      pipeline: items
      model: 1.yaml
      source: items.csv
      import: { entity: Item, mode: insert, attributes: { name: name, price: price } }
      """, to: "p.yaml")
    let run = try Command(["run", "p.yaml", "--store", "s.sqlite", "--quiet"], in: folder.path)
    try #require(run.status == 0, "\(run.words)")
    let from = isNamed ? ["--from", "1.yaml"] : []
    let refused = try Command(["store", "migrate", "s.sqlite", "--to", "2.yaml"] + from, in: folder.path)
    #expect(refused.status == 1)
    #expect(refused.words.contains("[typeChange]"), "\(refused.words)")
    let done = try Command(["store", "migrate", "s.sqlite", "--to", "3.yaml"] + from, in: folder.path)
    #expect(done.status == 0, "\(done.words)")
    #expect(done.words == "s.sqlite: migrated to another version of Shop; backup: s.sqlite.backup\n")
  }

  @Test("what cannot be inferred is named with what to do, and the exit code is 1", arguments: [[], ["--dry-run"]])
  func refused(_ flags: [String]) throws {
    try prepare()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("s.sqlite")))
    let command = try Command(
      ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld", "--model-version", "M 3"] + flags, in: folder.path)
    #expect(command.status == 1)
    #expect(command.output.isEmpty)
    #expect(command.words.contains("Person.must: the new attribute is required and has no default"), "\(command.words)")
    #expect(command.words.contains("[missingDefault]"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("s.sqlite"))) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.file("s.sqlite.backup")))
  }

  @Test("a migration that the data are in the way of leaves no copy, and is given again when they fit")
  func givenAgain() throws {
    try prepare()
    let text = Self.contents("").replacing("optional=\"YES\"", with: "optional=\"NO\"")
    try folder.write(text, to: "M.xcdatamodeld/M 4.xcdatamodel/contents")
    func set(_ name: String) throws {
      let store = try Connection(path: folder.file("s.sqlite"), mode: .readWrite)
      try store.execute("UPDATE ZPERSON SET ZNAME = \(name) WHERE Z_PK = 1")
      try store.close()
    }
    try set("NULL")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let arguments = ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld", "--model-version", "M 4"]
    for _ in 0..<2 {
      let refused = try Command(arguments, in: folder.path)
      #expect(refused.status == 1 && refused.words.contains("[missingValues]"), "\(refused.words)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files)
    }
    try set("'Ada'")
    let done = try Command(arguments, in: folder.path)
    #expect(done.status == 0, "\(done.words)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == (files + ["s.sqlite.backup"]).sorted())
  }

  @Test("a copy is not written over, and can be left out; quiet says nothing")
  func backups() throws {
    try prepare()
    try folder.write("mine", to: "s.sqlite.backup")
    let taken = try Command(["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld"], in: folder.path)
    #expect(taken.status == 2)
    #expect(taken.words.hasSuffix("[alreadyExists]\n"), "\(taken.words)")
    let both = try Command(
      ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld", "--backup", "b", "--no-backup"], in: folder.path)
    #expect(both.status == 64)
    let quiet = try Command(
      ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodeld", "--no-backup", "--quiet"], in: folder.path)
    #expect(quiet.status == 0)
    #expect(quiet.output.isEmpty && quiet.words.isEmpty)
  }

  @Test("what is missing exits with 2")
  func missing() throws {
    try prepare()
    for arguments in [
      ["none.sqlite", "--to", "M.xcdatamodeld"], ["s.sqlite", "--to", "none.yaml"],
      ["s.sqlite", "--to", "M.xcdatamodeld", "--model-version", "X"],
    ] {
      let command = try Command(["store", "migrate"] + arguments, in: folder.path)
      #expect(command.status == 2, "\(arguments): \(command.words)")
      #expect(command.output.isEmpty)
    }
  }
}
