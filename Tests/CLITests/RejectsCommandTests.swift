import Foundation
import MergewalkTestSupport
import Testing

@Suite("mergewalk rejects")
struct RejectsCommandTests {
  let folder = TemporaryFolder()

  /// Runs the repository's pipeline of bad orders, and returns the path of its rejects.
  private func reject() throws -> String {
    let text = try String(contentsOfFile: Locations.repository + "/pipelines/bad-orders.yaml", encoding: .utf8)
      .replacingOccurrences("../fixtures", Locations.fixtures).replacingOccurrences("../build/", "")
    try folder.write(text, to: "bad.yaml")
    let run = try Command(["run", "bad.yaml", "--store", "s.sqlite", "--quiet"], in: folder.path)
    #expect(run.status == 1)
    return "bad-orders.rejects.ndjson"
  }

  private func rejects(_ arguments: String...) throws -> Command {
    try Command(["rejects"] + arguments, in: folder.path)
  }

  @Test("show prints the place, the reason and the record; filters and limits choose")
  func show() throws {
    let path = try reject()
    let all = try rejects("show", path)
    #expect(all.status == 0)
    #expect(
      all.output.contains("bad-orders.csv:3:28: \"two\" is not a whole number for Order.quantity [value.integer]"),
      "\(all.output)")
    #expect(all.output.contains("    A0002,2024-05-01T10:00:00Z,two,"))
    #expect(all.lines.count { !$0.hasPrefix(" ") } == 15)
    #expect(try rejects("show", path, "--code", "value").lines.count { !$0.hasPrefix(" ") } == 5)
    #expect(try rejects("show", path, "--code", "value.date", "--code", "key").lines.count { !$0.hasPrefix(" ") } == 2)
    #expect(try rejects("show", path, "--limit", "3").lines.count { !$0.hasPrefix(" ") } == 3)
    #expect(
      try rejects("show", path, "--field", "quantity", "--code", "value.integer", "--raw").output.hasPrefix("A0002,"))
    let json = try rejects("show", path, "--json", "--code", "value.integer").object()
    #expect(json["source_line"] as? Int == 3 && json["field"] as? String == "quantity")
    // What is no text comes out as it went in.
    let raw = try Command.shell(
      "\"$MERGEWALK\" rejects show \(path) --raw --code read.invalidText | od -An -c", in: folder.path)
    #expect(raw.output.contains("\\n") && raw.status == 0)
  }

  @Test("the first value of a record that a replay rejects proposes nothing", arguments: [false, true])
  func adviceOfReplay(isDryRun: Bool) throws {
    try folder.write(
      "model: M\nentities:\n  Item: { attributes: { code: string!, at: date }, unique: [code] }\n", to: "m.yaml")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      rejects: r.ndjson
      source: in.csv
      import: { entity: Item, find_by: [code], attributes: { at: { from: at, date: iso8601 } } }
      """, to: "p.yaml")
    try folder.write("code,at\n31.12.2024,x\n30.11.2024,y\n", to: "in.csv")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let options = ["r.ndjson", "--pipeline", "p.yaml"] + (isDryRun ? ["--dry-run"] : [])
    let replay = try Command(["rejects", "replay"] + options, in: folder.path)
    #expect(replay.words.contains("set how dates are written"), "\(replay.words)")
    #expect(!replay.words.contains("look like"), "\(replay.words)")
    guard !isDryRun else { return }
    let summary = try rejects("summary", "r.again.ndjson")
    #expect(!summary.output.contains("look like"), "\(summary.output)")
  }

  @Test("an object that may not be deleted has its URI for a place, a reason in words, and nothing to replay")
  func objects() throws {
    try folder.write(
      """
      model: M
      entities:
        Owner:
          attributes: { email: string! }
          relationships: { items: { to_many: Item, inverse: owner, delete: deny } }
          unique: [email]
        Item:
          attributes: { code: string! }
          relationships: { owner: { to_one: Owner, inverse: items } }
          unique: [code]
      """, to: "m.yaml")
    let head = "model: m.yaml\nstore: s.sqlite\nrejects: r.ndjson\n"
    try folder.write("code,owner\na,x\nb,y\n", to: "items.csv")
    try folder.write(
      head + "source: items.csv\nimport: { entity: Item, find_by: [code],"
        + " relationships: { owner: { find_by: { email: owner } } } }\n", to: "items.yaml")
    try folder.write("email\nx\n", to: "owners.csv")
    try folder.write(
      head + "source: owners.csv\nimport: { entity: Owner, find_by: [email], mode: sync }\n", to: "owners.yaml")
    #expect(try Command(["run", "items.yaml", "--quiet"], in: folder.path).status == 0)
    #expect(try Command(["run", "owners.yaml", "--quiet"], in: folder.path).status == 1)
    let shown = try rejects("show", "r.ndjson").output
    #expect(shown.hasPrefix("x-coredata://") && shown.contains("/Owner/p2: no record names Owner 2"), "\(shown)")
    #expect(shown.contains("“Owner.items” denies that while it has objects [delete.denied]"), "\(shown)")
    let summary = try rejects("summary", "r.ndjson").output
    #expect(summary.contains("delete.denied") && !summary.contains("(the whole record)"), "\(summary)")
    #expect((try rejects("show", "r.ndjson", "--json").object()["object"] as? String)?.hasSuffix("/Owner/p2") == true)
    let replay = try Command(
      ["rejects", "replay", "r.ndjson", "--pipeline", "owners.yaml", "--json", "--quiet"], in: folder.path)
    #expect(replay.status == 0, "\(replay.words)")
    #expect(try replay.object()["read"] as? Int == 0)
  }

  @Test("a record cannot speak to the terminal")
  func control() throws {
    try folder.write(
      #"{"file":"a","line":1,"column":1,"code":"value.date","message":"no","raw":"\u001b[2Jx\u0007"}"# + "\n",
      to: "r.ndjson")
    let shown = try rejects("show", "r.ndjson")
    #expect(shown.output.contains(#"\u{1B}[2Jx\u{7}"#) && !shown.output.contains("\u{1B}"))
  }

  @Test("summary counts by code, column and file, with samples")
  func summary() throws {
    let path = try reject()
    let text = try rejects("summary", path, "--samples", "1").output
    #expect(text.hasPrefix("15 rejects\n"))
    #expect(text.contains("read.fieldCount") && text.contains("quantity") && text.contains("bad-orders.csv"))
    let object = try rejects("summary", path, "--json").object()
    #expect(object["rejects"] as? Int == 15)
    #expect((object["codes"] as? [String: Int])?["read.fieldCount"] == 2)
    #expect(((object["samples"] as? [String: [Any]])?["read.fieldCount"])?.count == 2)
  }

  @Test("what cannot be read is said, with 2, and lines that are no rejects with 1")
  func unreadable() throws {
    let missing = try rejects("show", "none.ndjson")
    #expect(missing.status == 2 && missing.words.contains("none.ndjson"))
    try folder.write("{\"file\":\"a\",\"code\":\"value.date\"}\nnonsense\n", to: "half.ndjson")
    let half = try rejects("summary", "half.ndjson")
    #expect(half.status == 1 && half.words.contains("half.ndjson:2:") && half.output.hasPrefix("1 reject\n"))
  }

  @Test("a record of another width says what else is wrong with it, and a file that is not there has no rejects")
  func width() throws {
    try folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64, born: date }\n    unique: [email]\n",
      to: "m.yaml")
    try folder.write("email,age,born\na,1,2024-01-01,more\nb,x,never,more\nc,y\n", to: "in.csv")
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nsource: { files: in.csv, format: csv, delimiter: comma }\nrejects: r.ndjson\n"
        + "import: { entity: Person, find_by: [email], attributes: [age, born] }\n", to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    let lines = try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["code"] as? String } == Array(repeating: "read.fieldCount", count: 3))
    let also = lines.map { ($0["also"] as? [[String: Any]] ?? []).map { $0["code"] as? String ?? "" } }
    #expect(also == [[], ["value.integer", "value.date"], ["value.integer"]], "\(also)")
    let none = try rejects("summary", "none.ndjson", "--json")
    #expect(try none.status == 0 && none.object()["rejects"] as? Int == 0)
  }

  @Test("a value that neither an attribute nor “since” can read is one fault")
  func since() throws {
    try folder.write("entities: { K: { attributes: { k: string, n: integer64, m: integer64 } } }", to: "m.yaml")
    try folder.write("k,n,m\na,1,1\nb,x,y\n", to: "in.csv")
    try folder.write(
      "{ model: m.yaml, store: s.sqlite, source: in.csv, rejects: r.ndjson, since: { column: n, type: integer },"
        + " import: { entity: K, find_by: k, attributes: [n, m] } }", to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    let line = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let also = (line["also"] as? [[String: Any]] ?? []).map { $0["attribute"] as? String ?? "" }
    #expect(line["attribute"] as? String == "n" && also == ["m"], "\(text)")
  }

  @Test("repaired records are imported; those that fail again are in the next file, and nothing is lost")
  func replay() throws {
    let path = try reject()
    let text = try String(contentsOfFile: folder.file(path), encoding: .utf8)
    let first = try #require(text.split(separator: "\n").first)
    #expect(first.contains("A0002"))
    try folder.write(text.replacing(",two,", with: ",2,"), to: "mended.ndjson")
    let before = FileManager.default.contents(atPath: folder.file("mended.ndjson"))
    let dry = try Command(
      ["rejects", "replay", "mended.ndjson", "--pipeline", "bad.yaml", "--store", "s.sqlite", "--dry-run", "--json"],
      in: folder.path)
    #expect(try dry.object()["inserted"] as? Int == 1)
    let run = try Command(
      ["rejects", "replay", "mended.ndjson", "--pipeline", "bad.yaml", "--store", "s.sqlite", "--json"], in: folder.path
    )
    #expect(run.status == 1, "\(run.words)")
    let object = try run.object()
    #expect(object["read"] as? Int == 15 && object["inserted"] as? Int == 1 && object["rejected"] as? Int == 14)
    #expect(object["rejects"] as? String == "mended.again.ndjson")
    #expect(FileManager.default.contents(atPath: folder.file("mended.ndjson")) == before, "what is read stays as it is")
    let again = try rejects("show", "mended.again.ndjson", "--json")
    #expect(again.lines.count == 14)
    #expect(again.output.contains("\"file\": \"mended.ndjson\""))
    let runs = try Command(["runs", "s.sqlite", "--json", "--limit", "1"], in: folder.path)
    #expect(runs.output.contains("\"kind\": \"replay\""))
  }

  @Test("inputs may be gone, and a mode that deletes what is missing deletes nothing")
  func sync() throws {
    try folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64 }\n    unique: [email]\n",
      to: "m.yaml")
    try folder.write("email,age\na,1\nb,x\nc,3\n", to: "in.csv")
    let pipeline =
      "model: m.yaml\nstore: s.sqlite\nsource: in.csv\nrejects: { file: r.ndjson, ratio: 50% }\n"
      + "import: { entity: Person, mode: sync, find_by: [email], attributes: [age] }\n"
    try folder.write(pipeline, to: "p.yaml")
    #expect(try Command(["run", "p.yaml"], in: folder.path).status == 1)
    try FileManager.default.removeItem(atPath: folder.file("in.csv"))
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    try folder.write(text.replacing("b,x", with: "b,2") + text, to: "mended.ndjson")
    let run = try Command(["rejects", "replay", "mended.ndjson", "--pipeline", "p.yaml", "--json"], in: folder.path)
    #expect(run.status == 1, "\(run.words)")
    #expect(try run.object()["inserted"] as? Int == 1 && run.object()["rejected"] as? Int == 1)
    let emails = try PipelineSet.rows(folder.file("s.sqlite"), "SELECT ZEMAIL || ZAGE FROM ZPERSON")
    #expect(emails == ["a1", "b2", "c3"])
    try folder.write(pipeline.replacing("in.csv", with: "in.data"), to: "p.yaml")
    let unknown = try Command(["rejects", "replay", "mended.ndjson", "--pipeline", "p.yaml"], in: folder.path)
    #expect(unknown.status == 2 && unknown.words.contains("set “format”"), "\(unknown.words)")
  }

  @Test("the file that is read never takes the new rejects")
  func same() throws {
    let path = try reject()
    let before = FileManager.default.contents(atPath: folder.file(path))
    let link = folder.file("link.ndjson")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file(path))
    for target in [path, "./" + path, "link.ndjson"] {
      let command = try rejects("replay", path, "--pipeline", "bad.yaml", "--store", "s.sqlite", "--rejects", target)
      #expect(command.status == 2 && command.words.contains("--rejects"), "\(command.words)")
    }
    #expect(FileManager.default.contents(atPath: folder.file(path)) == before)
    #expect(try rejects("replay", path).status == 64)
  }
}
