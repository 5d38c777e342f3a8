import Foundation
import MergewalkTestSupport
import Testing

/// `mergewalk explain`, and what `run` says of modes, cursors and changes.
@Suite("Modes on the command line")
struct ModesCommandTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Map
      entities:
        Country:
          attributes: { code: string!, name: string }
          unique: [code]
      """, to: "model.yaml")
  }

  private func pipeline(_ text: String, _ csv: String, more: String = "") throws {
    try folder.write(csv, to: "in.csv")
    try folder.write(
      """
      model: model.yaml
      store: map.sqlite
      source: in.csv
      \(more)
      import: { entity: Country, find_by: [code], attributes: [name]\(text) }
      """, to: "map.yaml")
  }

  private func mergewalk(_ arguments: String...) throws -> Command { try Command(arguments, in: folder.path) }

  @Test("explain tells the store, the inputs, the strategy and its reason, and changes nothing") func explain() throws {
    try pipeline("", "code,name\nCH,S\nDE,D\n")
    let new = try mergewalk("explain", "map.yaml")
    #expect(new.status == 0 && new.words.isEmpty, "\(new.words)")
    #expect(new.output.contains("(new)") && new.output.contains("filter, because the store is new"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("map.sqlite")))
    #expect(try mergewalk("run", "map.yaml", "--no-history").status == 0)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    let known = try mergewalk("explain", "map.yaml", "--sql")
    #expect(known.output.contains("table, because 2 rows fit in memory"))
    #expect(known.output.contains("once: SELECT t.Z_PK, t.Z_ENT, t.Z_OPT, t.ZCODE, t.ZNAME FROM ZCOUNTRY AS t"))
    #expect(known.output.contains("SCAN t"))
    let object = try mergewalk("explain", "map.yaml", "--json").object()
    let part = try #require((object["imports"] as? [[String: Any]])?.first)
    let node = try #require((part["find"] as? [[String: Any]])?.first)
    #expect(node["strategy"] as? String == "table" && node["rows"] as? Int == 2)
    #expect(part["mode"] as? String == "upsert" && part["others"] is NSNull && part["since"] is NSNull)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == files)
    #expect(try mergewalk("explain", "none.yaml").status == 2)
  }

  @Test("a dry run of sync shows what would change, and leaves nothing behind") func dryRun() throws {
    try pipeline("", "code,name\nCH,Schweiz\nDE,D\nFR,F\n")
    #expect(try mergewalk("run", "map.yaml", "--no-history").status == 0)
    try pipeline(", mode: sync", "code,name\nCH,\"a\u{202E}b\"\nAT,A\n")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    let words = try mergewalk("run", "map.yaml", "--dry-run", "--diff", "10").words
    #expect(words.contains("~ Country CH\n    name  \"Schweiz\" → \"a\\u{202e}b\""), "\(words)")
    #expect(words.contains("+ Country AT") && words.contains("- Country DE") && words.contains("- Country FR"))
    #expect(words.contains("2 Country deleted"))
    let object = try mergewalk("run", "map.yaml", "--dry-run", "--diff", "1", "--json", "--quiet").object()
    #expect(object["deleted"] as? Int == 2)
    let change = try #require((object["changes"] as? [[String: Any]])?.first)
    #expect(["inserted", "updated"].contains(change["change"] as? String))
    let new = try mergewalk("run", "map.yaml", "--dry-run", "--store", "a/b/new.sqlite")
    #expect(new.status == 0, "\(new.words)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == files)
  }

  @Test("a limit of deletions ends a run with exit code 3 and says how many") func limit() throws {
    try pipeline("", "code,name\nCH,S\nDE,D\nFR,F\n")
    #expect(try mergewalk("run", "map.yaml").status == 0)
    try pipeline(", mode: sync, sync: { ratio: 10% }", "code,name\nCH,S\n")
    let command = try mergewalk("run", "map.yaml")
    #expect(command.status == 3)
    #expect(command.words.contains("2 of 3 objects of Country would be deleted"), "\(command.words)")
  }

  @Test("--since and --reset-cursor stand for the cursor of the store") func since() throws {
    let csv = "code,name,n\nCH,S,1\nDE,D,5\n"
    func skipped(_ arguments: String...) throws -> Int? {
      try Command(["run", "map.yaml", "--json", "--quiet"] + arguments, in: folder.path).object()["skipped"] as? Int
    }
    try pipeline("", csv, more: "since: { column: n, type: integer }")
    #expect(try skipped() == 0)
    #expect(try skipped() == 1)
    #expect(try skipped("--since", "9") == 2)
    #expect(try skipped("--reset-cursor") == 0)
    #expect(try mergewalk("run", "map.yaml", "--since", "x").status == 2)
    #expect(try mergewalk("run", "map.yaml", "--since", "1", "--reset-cursor").status == 64)
    try pipeline("", csv)
    let none = try mergewalk("run", "map.yaml", "--since", "1")
    #expect(none.status == 2 && none.words.contains("--since needs an import with “since”"))
  }

  @Test("two files of one name do not share the cursor of a store; one that has moved keeps its own by its name")
  func cursorOfAnother() throws {
    func write(_ path: String, _ csv: String, named: Bool = false) throws {
      try folder.write(csv, to: "\(path)/in.csv")
      try folder.write(
        """
        \(named ? "pipeline: orders" : "")
        model: ../model.yaml
        store: ../map.sqlite
        source: in.csv
        since: { column: n, type: integer }
        import: { entity: Country, find_by: [code], attributes: [name] }
        """, to: "\(path)/orders.yaml")
    }
    func run(_ path: String) throws -> Command { try mergewalk("run", "\(path)/orders.yaml", "--json", "--quiet") }
    func skipped(_ path: String) throws -> Int? { try run(path).object()["skipped"] as? Int }
    try write("eu", "code,name,n\nCH,S,7\n")
    try write("us", "code,name,n\nUS,U,2\n")
    let lint = try mergewalk("lint", "eu/orders.yaml", "us/orders.yaml")
    #expect(lint.output.contains("[cursorOfAnother]") && lint.output.hasPrefix("us/orders.yaml:"), "\(lint.output)")
    #expect(!(try mergewalk("lint", "eu/orders.yaml", "eu/orders.yaml").output.contains("cursorOfAnother")))
    #expect(try run("eu").status == 0)
    let refused = try mergewalk("run", "us/orders.yaml")
    #expect(refused.status == 5 && refused.words.contains("cursorMismatch"), "\(refused.words)")
    #expect(try mergewalk("explain", "us/orders.yaml").status == 5)
    #expect(try skipped("./eu") == 0)
    // Files that move together with their store are the same ones.
    try write("eu", "code,name,n\nFR,F,6\n")
    try folder.write("", to: "moved/.keep")
    for name in ["eu", "model.yaml", "map.sqlite"] {
      try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file("moved/\(name)"))
    }
    #expect(try skipped("moved/eu") == 1)
    // A name that is given says that it is the same pipeline; the run tells once that its file was another one.
    try write("us", "code,name,n\nUS,U,2\nIT,I,9\n", named: true)
    for isFirst in [true, false] {
      let run = try run("us")
      #expect(run.status == 0)
      #expect(run.output.contains("cursorOfAnother") == isFirst, "\(run.output)")
    }
  }
}
