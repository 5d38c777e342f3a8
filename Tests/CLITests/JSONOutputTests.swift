import Foundation
import MergewalkTestSupport
import Testing

/// What commands print with `--json` is what `docs/json-output.md` says.
@Suite("JSON output")
struct JSONOutputTests {
  let folder = TemporaryFolder()

  /// Members whose own members are names out of the data.
  private static let maps: Set<String> = [
    "entities", "codes", "columns", "files", "samples", "advice", "reject_codes", "phases",
  ]

  /// Members whose own members are those of results of runs, which `docs/pipelines.md` describes.
  private static let results: Set<String> = ["runs", "fields", "lists", "text"]

  /// The names of all members, without those of results of runs.
  private static func names(_ value: Any, isMap: Bool = false) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(names($1)) } }
    guard let object = value as? [String: Any] else { return [] }
    var found: Set<String> = []
    for (name, member) in object where isMap || !results.contains(name) {
      found.formUnion(names(member, isMap: maps.contains(name)))
    }
    return isMap ? found : found.union(object.keys)
  }

  private func prepare() throws {
    try folder.write("entities:\n  Thing:\n    attributes: { id: integer64, name: string }\n", to: "m.yaml")
    try folder.write(
      "entities:\n  Thing:\n    attributes: { id: integer64, name: string, at: date }\n", to: "next.yaml")
    try folder.write("id,name\n1,a\nx,b\n", to: "things.csv")
    let text = """
      model: m.yaml
      store: t.sqlite
      source: things.csv
      import: { entity: Thing, find_by: [id], attributes: [name], mode: MODE }
      rejects: { file: r.ndjson }

      """
    try folder.write(text.replacing("MODE", with: "upsert"), to: "p.yaml")
    try folder.write(text.replacing("MODE", with: "sync"), to: "sync.yaml")
    try folder.write(
      "cases:\n  - { name: one, input: \"id,name\\n1,a\\n\", expect: { counts: { inserted: 2 } } }\n", to: "p_test.yaml"
    )
    try folder.write(
      text.replacing("MODE", with: "upsert").replacing("store: t.sqlite", with: "stores: { by: name }"),
      to: "family.yaml")
    #expect(try Command(["run", "p.yaml"], in: folder.path).status == 1)
    try folder.write("", to: "plain.sqlite")
  }

  @Test("the table about results of runs has their members, and no others") func membersOfResults() throws {
    try prepare()
    let page = try String(contentsOfFile: Locations.repository + "/docs/pipelines.md", encoding: .utf8)
    let behind = page.components(separatedBy: "| member | meaning |\n| --- | --- |\n")
    try #require(behind.count == 2)
    var named: Set<String> = []
    for row in behind[1].components(separatedBy: "\n\n")[0].split(separator: "\n") {
      // Names are in backticks, in the first column.
      let parts = row.split(separator: "|")[0].split(separator: "`", omittingEmptySubsequences: false)
      for index in stride(from: 1, to: parts.count, by: 2) { named.insert(String(parts[index])) }
    }
    var found: Set<String> = []
    for pipeline in ["p.yaml", "nothing.yaml"] {
      let output = try Command(["run", pipeline, "--again", "run", "--json"], in: folder.path).output
      let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
      found.formUnion(try #require(value as? [String: Any]).keys)
    }
    #expect(found == named)
  }

  @Test(
    "a reader that has gone away does not change the exit code",
    arguments: [
      ("lint nothing.yaml", 1), ("store verify t.sqlite", 0), ("test p_test.yaml", 1), ("rejects show r.ndjson", 0),
      ("seed nothing.yaml --store x.sqlite", 2), ("stores build family.yaml --out f", 1), ("stores commit nothing", 2),
      ("seed --check --store t.sqlite", 1), ("run p.yaml", 1),
    ] as [(String, Int32)])
  func closedReader(line: String, exit: Int32) throws {
    try prepare()
    // A pipe that was opened for both, of which only the end for writing is left.
    let command = try Command.shell(
      "mkfifo pipe; exec 3<>pipe 4>pipe 3<&-\n\"$MERGEWALK\" \(line) --json >&4", in: folder.path)
    #expect(command.status == exit, "\(command.words)")
  }

  @Test("every member is on the page") func members() throws {
    try prepare()
    let page = try String(contentsOfFile: Locations.repository + "/docs/json-output.md", encoding: .utf8)
    let commands: [(line: String, exit: Int32)] = [
      ("explain p.yaml", 0), ("explain sync.yaml --sql", 0), ("lint nothing.yaml", 1), ("model lint nothing.yaml", 1),
      ("runs t.sqlite", 0), ("runs t.sqlite last", 0), ("rejects show r.ndjson", 0), ("rejects summary r.ndjson", 0),
      ("rejects clean r.ndjson", 0), ("store info t.sqlite", 0), ("store verify t.sqlite --model m.yaml", 0),
      ("store clean t.sqlite", 0), ("store migrate t.sqlite --to next.yaml --dry-run", 0), ("test p_test.yaml", 1),
      ("export t.sqlite --out e", 0),
      ("seed p.yaml --store s.sqlite", 1), ("seed --check --store s.sqlite", 0), ("seed --check --store t.sqlite", 1),
      ("seed --from s.sqlite --store copy.sqlite", 0), ("seed --from s.sqlite --store t.sqlite", 0),
      ("seed nothing.yaml --store x.sqlite", 2), ("stores build family.yaml --out f", 1), ("stores commit nothing", 2),
    ]
    for (line, exit) in commands {
      let arguments = line.split(separator: " ").map(String.init) + ["--json"]
      let command = try Command(arguments, in: folder.path)
      #expect(command.status == exit, "\(line): \(command.words)")
      let value = try JSONSerialization.jsonObject(with: Data(command.output.utf8))
      let names = Self.names(value)
      #expect(!names.isEmpty, "\(line)")
      for name in names { #expect(page.contains("`\(name)`"), "\(line): \(name)") }
    }
  }
}
