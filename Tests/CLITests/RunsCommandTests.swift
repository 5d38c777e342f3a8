import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("mergewalk runs")
struct RunsCommandTests {
  let folder = TemporaryFolder()

  /// Imports people, one for each of the ages, into `s.sqlite`.
  @discardableResult
  private func run(_ ages: [String], _ more: [String] = [], pipeline: String = "") throws -> Command {
    try folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64 }\n    unique: [email]\n",
      to: "m.yaml")
    try folder.write("email,age\n" + ages.enumerated().map { "p\($0.offset),\($0.element)\n" }.joined(), to: "in.csv")
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nsource: in.csv\nimport: { entity: Person, find_by: [email], attributes: [age] }\n"
        + pipeline, to: "people.yaml")
    return try Command(["run", "people.yaml"] + more, in: folder.path)
  }

  private func runs(_ arguments: String...) throws -> Command {
    try Command(["runs", "s.sqlite"] + arguments, in: folder.path)
  }

  private func objects(_ arguments: String...) throws -> [[String: Any]] {
    let command = try Command(["runs", "s.sqlite", "--json"] + arguments, in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    return try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [[String: Any]] ?? []
  }

  @Test("a narrow terminal gets fewer columns and hears which; a pipe gets all of them", arguments: [60, 80, 120, 200])
  func width(columns: Int) throws {
    #expect(try run(["1", "2", "3"]).status == 0)
    let whole = try runs()
    #expect(whole.lines[0].hasSuffix("inputs") && whole.lines[1].hasSuffix("in.csv") && whole.words.isEmpty)
    let lines = try Terminal.run(["runs", "s.sqlite"], in: folder.path, columns: columns)
    #expect(lines.count == 2)
    for line in lines { #expect(Terminal.width(line) <= max(columns, 80), "\(line)") }
    for title in ["run", "pipeline", "started (UTC)", "read", "rejected", "status"] {
      #expect(lines[0].contains(title), "\(lines[0])")
    }
    #expect(lines[0].contains("slow stage") == (columns == 200), "\(lines[0])")
  }

  @Test("runs of several stores name their stores")
  func severalStores() throws {
    #expect(try run(["1"]).status == 0)
    #expect(try run(["1"], ["--store", "日本.sqlite"]).status == 0)
    let lines = try Command(["runs", "."], in: folder.path).lines
    #expect(lines.count == 3 && lines[0].contains("  store  "))
    #expect(lines.contains { $0.contains("日本.sqlite") } && lines.contains { $0.contains("  s.sqlite ") })
    // What stands behind the store begins at one place, however wide its letters are.
    #expect(Set(lines.dropFirst().map { Terminal.width($0.components(separatedBy: "people")[0]) }).count == 1)
  }

  @Test("each real run is listed with its inputs, counts, times and slow stage; dry runs are not")
  func list() throws {
    #expect(try run(["1", "2", "3"]).status == 0)
    #expect(try run(["1", "x", "4"]).status == 1)
    #expect(try run(["9"], ["--dry-run"]).status == 0)
    #expect(try run(["9"], ["--no-history"]).status == 0)
    #expect(try run(["y", "y"], pipeline: "rejects: { limit: 0 }\n").status == 3)
    let runs = try objects()
    #expect(runs.map { $0["number"] as? Int } == [3, 2, 1])
    #expect(runs.map { $0["status"] as? String } == ["limit_breached", "completed_with_rejects", "completed"])
    #expect(runs.map { $0["exit_code"] as? Int } == [3, 1, 0])
    #expect(runs.allSatisfy { $0["balanced"] as? Bool == true })
    let counts = try #require(runs[1]["counts"] as? [String: Int])
    #expect(counts == ["read": 3, "inserted": 0, "updated": 1, "unchanged": 1, "skipped": 0, "rejected": 1])
    #expect(runs[1]["reject_codes"] as? [String: Int] == ["value.integer": 1])
    let input = try #require((runs[2]["inputs"] as? [[String: Any]])?.first)
    #expect(input["path"] as? String == "in.csv")
    #expect(input["bytes"] as? Int == 25)
    #expect(try #require(runs[2]["seconds"] as? Double) > 0)
    #expect(try #require(runs[2]["slow_stage"] as? String) != "")
    let table = try self.runs()
    #expect(table.lines.count == 4)
    #expect(table.lines[0].contains("slow stage"))
    #expect(table.lines[2].contains("completed_with_rejects") && table.lines[2].contains("in.csv"))
    #expect(try self.runs("--limit", "1").lines.count == 2)
    #expect(try self.runs("--pipeline", "others").lines.count == 1)
    #expect(try self.runs("--pipeline", "people").lines.count == 4)
  }

  @Test("one run is shown whole, by its number, its name, or as the last")
  func one() throws {
    let first = try run(["1", "x"], ["--json"])
    let name = try #require(first.object()["run"] as? String)
    #expect(try first.object()["number"] as? Int == 1)
    #expect(name.hasPrefix("people@20"))
    for key in ["1", name, "last"] {
      let text = try runs(key).output
      #expect(
        text.contains(name) && text.contains("2 read = 1 inserted + 0 updated + 0 unchanged + 0 skipped + 1 rejected"))
      #expect(text.contains("value.integer") && text.contains("in.csv") && text.contains("Person"))
      #expect(text.contains("exit code 1"))
    }
    #expect(try runs("1", "--json").object()["run"] as? String == name)
    let missing = try runs("7")
    #expect(missing.status == 2 && missing.words.contains("there is no run “7”"))
    // The rejects of a run carry its name.
    try run(["x"], pipeline: "rejects: r.ndjson\n")
    let line = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    #expect(line.contains("\"run\":\"\(try #require(try objects()[0]["run"] as? String))\""))
  }

  @Test("where nothing was noted, or the table is somebody else's, that is said and nothing is changed")
  func nothing() throws {
    let none = try runs()
    #expect(none.status == 2 && none.words.contains("there is no such store"))
    try folder.write(
      "not a database at all, however long this text may be: \(String(repeating: "x", count: 600))",
      to: "s.sqlite-mergewalk")
    let foreign = try runs()
    #expect(foreign.status == 2 && foreign.words.contains("[foreignFile]"), "\(foreign.words)")
    let command = try run(["1"])
    #expect(command.status == 0)
    #expect(command.words.contains("warning: this run is not in the table of runs"), "\(command.words)")
  }

  @Test("a run that fails is noted with its reason, and the store keeps its own tables only")
  func failure() throws {
    try run(["1"])
    try folder.write("email,age\na,\"1\n", to: "in.csv")
    try FileManager.default.removeItem(atPath: folder.file("in.csv"))
    try FileManager.default.createDirectory(atPath: folder.file("in.csv"), withIntermediateDirectories: false)
    let command = try Command(["run", "people.yaml", "--json"], in: folder.path)
    #expect(command.status == 2)
    // What is not known of a run that never began is null.
    #expect(try command.object()["load"] is NSNull)
    let unread = try Command(["run", "none.yaml", "--json"], in: folder.path)
    #expect(try unread.status == 2 && unread.object()["store"] is NSNull)
    let store = try Connection(path: folder.file("s.sqlite"), mode: .readOnly)
    #expect(try store.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%run%'") == 0)
  }

  @Test(
    "a run into what is no store leaves nothing beside it",
    arguments: ["in.csv", "people.yaml", "empty.txt", "plain.db", "folder"])
  func noStore(_ store: String) throws {
    try folder.write("", to: "empty.txt")
    let plain = try Connection(path: folder.file("plain.db"), mode: .create)
    try plain.execute("CREATE TABLE a(b)")
    try plain.close()
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    let command = try run(["1"], ["--store", store])
    #expect(command.status == 2, "\(command.words)")
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == [
        "empty.txt", "folder", "in.csv", "m.yaml", "people.yaml", "plain.db",
      ])
  }

  @Test("a run that is far from the earlier ones is warned of, in words, in JSON and in the log")
  func anomalies() throws {
    let usual = (0..<20).map { String($0) }
    for _ in 0..<3 { #expect(try !run(usual).words.contains("unusual")) }
    let short = try run(["1", "2"], ["--json"])
    #expect(short.status == 0)
    #expect(
      short.words.contains("people: warning: unusual run: 2 records were read, 20 in the last 3 runs (median)"))
    let anomaly = try #require((short.object()["anomalies"] as? [[String: Any]])?.first)
    #expect(anomaly["measure"] as? String == "records" && anomaly["usual"] as? Double == 20)
    #expect(try run(["1", "2"], ["--log", "json"]).words.contains("\"measure\": \"records\""))
    #expect(try !run(["1"], pipeline: "anomalies: { runs: 0 }\n").words.contains("unusual"))
    #expect(
      try run(usual + ["1"] + usual, pipeline: "anomalies: { records: 10% }\n").words.contains(
        "unusual run: 41 records"))
  }

  @Test("what a pipeline says of history, metrics and reports is obeyed, and the command line comes before it")
  func fields() throws {
    #expect(try run(["1"], pipeline: "history: false\nmetrics: m.prom\nreport: r.html\n").status == 0)
    let exists = { FileManager.default.fileExists(atPath: self.folder.file($0)) }
    #expect(!exists("s.sqlite-mergewalk") && exists("m.prom") && exists("r.html"))
    #expect(try run(["1"], ["--metrics", "out/n.prom"], pipeline: "metrics: other.prom\n").status == 0)
    #expect(exists("out/n.prom") && !exists("other.prom"))
    #expect(try run(["1"], ["--dry-run"], pipeline: "metrics: dry.prom\nreport: dry.html\n").status == 0)
    #expect(!exists("dry.prom") && !exists("dry.html"), "what the last real run told stays")
    #expect(try run(["1"], ["--dry-run", "--report", "dry.html"]).status == 0)
    #expect(exists("dry.html"))
    let lint = try run(["1"], pipeline: "anomalies: { duration: 1 }\n")
    #expect(lint.status == 2 && lint.words.contains("people.yaml:5:"), "\(lint.words)")
  }

  @Test("metrics and reports go to a pipe or a device that is named, and never take its place")
  func pipes() throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let descriptor = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(descriptor) }
    #expect(try run(["1"], ["--metrics", "pipe"]).status == 0)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).hasSuffix("# EOF\n"))
    #expect(try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType == .typeUnknown)
    let full = try run(["1"], ["--report", "/dev/full"])
    #expect(full.status == 7, "\(full.words)")
    #expect(full.words.contains("No space left on device"))
  }
}
