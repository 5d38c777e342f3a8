import Foundation
import MergewalkTestSupport
import Testing

/// Where the warning that nothing was ever matched meets other features.
@Suite("What no record has, in other company")
struct NeverMatchedMeetingTests {
  let folder = TemporaryFolder()

  private static let model = """
    model: M
    entities:
      Item:
        attributes: { id: integer64!, note: string, size: double }
        relationships: { tags: { to_many: Tag, inverse: item, delete: cascade } }
        unique: [id]
      Tag:
        attributes: { name: string! }
        relationships: { item: { to_one: Item, inverse: tags } }

    """
  private static let items = "import: { entity: Item, find_by: { id: id }, attributes: { note: nota, size: size } }\n"
  private static let wanted = "neverMatched: no record has “nota” (Item.note); did you mean “note”?"

  /// Runs a pipeline over files of the folder.
  private func run(
    _ source: String, _ records: String = Self.items, more: String = "", _ arguments: [String] = []
  ) throws -> Command {
    try folder.write(Self.model, to: "m.yaml")
    try folder.write("model: m.yaml\nstore: s.sqlite\nsource: \(source)\n\(more)\(records)", to: "p.yaml")
    return try Command(["run", "p.yaml", "--json"] + arguments, in: folder.path)
  }

  @Test("one file of a glob that has it is enough")
  func globs() throws {
    try folder.write("{\"id\":1,\"note\":\"a\",\"size\":1}\n", to: "a1.ndjson")
    try folder.write("{\"id\":2,\"size\":2}\n", to: "a2.ndjson")
    #expect(try run("a*.ndjson").warnings() == [Self.wanted])
    try folder.write("{\"id\":3,\"nota\":\"c\",\"size\":3}\n", to: "a3.ndjson")
    #expect(try run("a*.ndjson").warnings() == [])
  }

  @Test("it is said once, however many batches there are, and by a dry run, too", arguments: [[], ["--dry-run"]])
  func batches(arguments: [String]) throws {
    let text = (0..<500).map { "{\"id\":\($0),\"note\":null,\"size\":1}\n" }.joined()
    try folder.write(text, to: "a.ndjson")
    let command = try run("a.ndjson", more: "batch: { records: 7 }\n", arguments)
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.warnings() == [Self.wanted])
  }

  @Test("null is something, and an input without records tells nothing")
  func nothing() throws {
    try folder.write("{\"id\":1,\"nota\":null,\"size\":1}\n", to: "a.ndjson")
    #expect(try run("a.ndjson").warnings() == [])
    for name in ["b.ndjson", "b.json", "b.yaml"] {
      try folder.write(name == "b.json" ? "[]" : "", to: name)
      let command = try run(name)
      #expect(command.status == 0, "\(command.words)")
      #expect(try command.warnings() == [])
    }
  }

  @Test("records that since or a condition leaves out have it all the same")
  func leftOut() throws {
    try folder.write("{\"id\":1,\"nota\":\"a\",\"size\":1}\n{\"id\":2,\"size\":2}\n", to: "a.ndjson")
    let since = "since: { column: id, type: integer }\n"
    let first = try run("a.ndjson", more: since)
    #expect(first.status == 0, "\(first.words)")
    #expect(try first.warnings() == [])
    #expect(try run("a.ndjson", more: since).warnings() == [])
    let filtered = Self.items.replacing("find_by", with: "where: \"id > 1\", find_by")
    let command = try run("a.ndjson", filtered)
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.warnings() == [])
  }

  @Test("each part of a pipeline has its own")
  func parts() throws {
    try folder.write(Self.model, to: "m.yaml")
    try folder.write("{\"id\":1,\"note\":\"a\",\"size\":1}\n", to: "a.ndjson")
    try folder.write("{\"id\":2,\"nota\":\"a\",\"size\":1}\n", to: "b.ndjson")
    let part = "{ entity: Item, find_by: { id: id }, attributes: { note: nota, size: size } }"
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nimports:\n  - { name: one, source: a.ndjson, import: \(part) }\n"
        + "  - { name: two, source: b.ndjson, import: \(part) }\n", to: "p.yaml")
    let command = try Command(["run", "p.yaml", "--json"], in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(
      try command.warnings() == [
        "neverMatched: import “one”: no record has “nota” (Item.note); did you mean “note”?"
      ])
  }

  @Test("the few records of a replay tell nothing")
  func replay() throws {
    try folder.write("{\"id\":1,\"nota\":\"a\",\"size\":1}\n{\"id\":2,\"size\":\"x\"}\n", to: "a.ndjson")
    let night = try run("a.ndjson", more: "rejects: { file: r.ndjson }\n")
    #expect(night.status == 1, "\(night.words)")
    #expect(try night.warnings() == [])
    let rejects = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    try folder.write(rejects.replacing("\\\"x\\\"", with: "2"), to: "mended.ndjson")
    let command = try Command(
      ["rejects", "replay", "mended.ndjson", "--pipeline", "p.yaml", "--json"], in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.warnings() == [] && command.object()["inserted"] as? Int == 1)
  }

  @Test(
    "a member of the elements of a list is looked for wherever the list stands",
    arguments: [
      ("a.csv", "id,tags\n1,\"[{\"\"nam\"\":\"\"a\"\"}]\"\n"), ("a.ndjson", "{\"id\":1,\"tags\":[{\"nam\":\"a\"}]}\n"),
      ("a.yaml", "- id: 1\n  tags: [{ nam: a }]\n"), ("a.xml", "<r><i><id>1</id><tags><nam>a</nam></tags></i></r>"),
    ])
  func lists(name: String, text: String) throws {
    try folder.write(text, to: name)
    let list =
      "import: { entity: Item, find_by: { id: id }, relationships: { tags: { each: tags, find_by: { name: name } } } }\n"
    let command = try run("{ files: \(name) }", list)
    let warnings = try command.warnings().filter { $0.hasPrefix("neverMatched") }
    #expect(warnings == ["neverMatched: no record has “tags.name” (Tag.name); did you mean “tags.nam”?"])
  }

  @Test("the report and the words have it with its place")
  func report() throws {
    try folder.write("{\"id\":1,\"note\":\"a\",\"size\":1}\n", to: "a.ndjson")
    let command = try run("a.ndjson", more: "", ["--report", "r.html"])
    let warning = try #require((command.object()["warnings"] as? [[String: Any]])?.first)
    #expect(warning["line"] as? Int == 4 && warning["column"] as? Int != nil)
    #expect((warning["file"] as? String)?.hasSuffix("p.yaml") == true)
    let report = try String(contentsOfFile: folder.file("r.html"), encoding: .utf8)
    #expect(report.contains("Never matched") && report.contains("no record has “nota”"))
  }
}
