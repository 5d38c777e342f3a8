import Foundation
import MergewalkTestSupport
import Testing

/// What becomes of a rejects file that awaits its replay: nights, dry runs, replays, several pipelines with one file.
@Suite("Rejects that were not replayed")
struct EarlierRejectsTests {
  private let folder = TemporaryFolder()
  private static let head = "email,age\n"

  init() throws {
    try folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64 }\n    unique: [email]\n",
      to: "m.yaml")
    try pipeline("people")
  }

  private func pipeline(_ name: String, _ more: String = "") throws {
    try folder.write(
      "pipeline: \(name)\nmodel: m.yaml\nstore: s.sqlite\nsource: in.csv\nrejects: rejects/r.ndjson\nhistory: false\n"
        + "\(more)\nimport: { entity: Person, find_by: [email], attributes: [age] }\n", to: "\(name).yaml")
  }

  private func run(_ records: [String], _ options: String..., pipeline: String = "people") throws -> Command {
    try folder.write(Self.head + records.map { $0 + "\n" }.joined(), to: "in.csv")
    return try Command(["run", "\(pipeline).yaml", "--json"] + options, in: folder.path)
  }

  private func replay(_ file: String, _ options: String...) throws -> Command {
    try Command(["rejects", "replay", file, "--pipeline", "people.yaml", "--json"] + options, in: folder.path)
  }

  /// The files beside the rejects file and the records in them.
  private func files() throws -> [String: [String]] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.file("rejects"))
    var files: [String: [String]] = [:]
    for name in names ?? [] {
      let lines = try Command(["rejects", "show", "rejects/\(name)", "--raw"], in: folder.path)
      files[name] = lines.lines
    }
    return files
  }

  private func people() throws -> [String] {
    try PipelineSet.rows(folder.file("s.sqlite"), "SELECT ZEMAIL || ifnull(ZAGE, '') FROM ZPERSON ORDER BY 1")
  }

  @Test("go aside night after night, and the run says so") func nights() throws {
    #expect(try run(["a,1", "b,x"]).warnings() == [])
    #expect(try files() == ["r.ndjson": ["b,x"]])
    let second = try run(["b,2", "c,y"])
    #expect(second.status == 1)
    let aside = try #require(try files().keys.first { $0 != "r.ndjson" })
    #expect(try files() == ["r.ndjson": ["c,y"], aside: ["b,x"]])
    #expect(try second.object()["rejects"] as? String == "rejects/r.ndjson")
    let warning = try #require(try second.object()["warnings"] as? [[String: Any]]).first
    #expect(warning?["code"] as? String == "rejectsNotReplayed")
    #expect((warning?["file"] as? String)?.hasSuffix("rejects/\(aside)") == true)
    #expect(
      second.words.contains("\(aside): warning: the rejects of an earlier run were not replayed"), "\(second.words)")
    // A clean run makes no file, and keeps what waits.
    let third = try run(["c,3"])
    #expect(try third.status == 0 && third.warnings().count == 1)
    #expect(try files().count == 2 && files()["r.ndjson"] == nil)
    let summary = try Command(["rejects", "summary", "rejects/r.ndjson", "--json"], in: folder.path)
    #expect(summary.status == 0 && summary.words.contains("no such file"), "\(summary.words)")
    #expect(try summary.object()["rejects"] as? Int == 0)
    #expect((try summary.object()["earlier"] as? [String])?.count == 2)
    let words = try Command(["rejects", "summary", "rejects/r.ndjson"], in: folder.path).output
    #expect(words.contains("earlier runs\n") && words.contains(aside))
  }

  @Test("are told of by a run that is skipped, too") func skipped() throws {
    try pipeline("people", "again: skip")
    #expect(try run(["a,1", "b,x"]).status == 1)
    #expect(try run(["b,2", "c,y"]).warnings().count == 1)
    let skipped = try run(["b,2", "c,y"])
    #expect(try skipped.object()["status"] as? String == "skipped_again", "\(skipped.words)")
    #expect(try skipped.warnings().count == 1)
  }

  @Test("are kept once while the same records fail every night") func sameRecords() throws {
    for night in 1...3 {
      let command = try run(["a,\(night)", "b,x", "c,x"])
      #expect(try command.status == 1 && command.warnings() == [])
      #expect(try files() == ["r.ndjson": ["b,x", "c,x"]])
    }
  }

  @Test("are not touched by a dry run, which writes only what it is told to") func dryRun() throws {
    #expect(try run(["a,1", "b,x"]).status == 1)
    let before = FileManager.default.contents(atPath: folder.file("rejects/r.ndjson"))
    let dry = try run(["c,x", "d,x"], "--dry-run")
    #expect(try dry.status == 1 && dry.object()["rejected"] as? Int == 2)
    #expect(try dry.object()["rejects"] is NSNull)
    #expect(try files().count == 1 && FileManager.default.contents(atPath: folder.file("rejects/r.ndjson")) == before)
    #expect(try replay("rejects/r.ndjson", "--dry-run").status == 1)
    #expect(try files().count == 1 && FileManager.default.contents(atPath: folder.file("rejects/r.ndjson")) == before)
    let told = try run(["c,x", "d,x"], "--dry-run", "--rejects", "told/dry.ndjson")
    #expect(try told.object()["rejects"] as? String == "told/dry.ndjson")
    #expect(try Command(["rejects", "show", "told/dry.ndjson", "--raw"], in: folder.path).lines == ["c,x", "d,x"])
    #expect(try files().count == 1 && FileManager.default.contents(atPath: folder.file("rejects/r.ndjson")) == before)
  }

  @Test("leave nothing behind in a folder that a dry run does not find") func dryRunOfNew() throws {
    #expect(try run(["a,x"], "--dry-run").status == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["in.csv", "m.yaml", "people.yaml"])
  }

  @Test("do not wait any more when they were replayed") func replayed() throws {
    #expect(try run(["a,1", "b,x", "c,y"]).status == 1)
    let text = try String(contentsOfFile: folder.file("rejects/r.ndjson"), encoding: .utf8)
    try folder.write(text.replacing("b,x", with: "b,2"), to: "rejects/r.ndjson")
    #expect(try replay("rejects/r.ndjson", "--dry-run").object()["inserted"] as? Int == 1)
    let replay = try replay("rejects/r.ndjson")
    #expect(try replay.status == 1 && replay.object()["rejects"] as? String == "rejects/r.again.ndjson")
    #expect(try people() == ["a1", "b2"])
    #expect(try run(["d,x"]).warnings() == [])
    #expect(try files() == ["r.ndjson": ["d,x"], "r.again.ndjson": ["c,y"]])
    // What fails again is kept as well when the next replay has rejects.
    #expect(try self.replay("rejects/r.ndjson").status == 1)
    #expect(try files().values.sorted { $0[0] < $1[0] } == [["c,y"], ["d,x"], ["d,x"]])
  }

  @Test("wait again when they were changed after the replay") func changedAfterReplay() throws {
    #expect(try run(["a,1", "b,x"]).status == 1)
    #expect(try replay("rejects/r.ndjson").status == 1)
    let text = try String(contentsOfFile: folder.file("rejects/r.ndjson"), encoding: .utf8)
    try folder.write(text.replacing("b,x", with: "b,2"), to: "rejects/r.ndjson")
    #expect(try run(["c,x"]).warnings().count == 1)
    #expect(try files().values.contains(["b,2"]))
  }

  @Test("of one pipeline are kept by another one that writes to the same file") func severalPipelines() throws {
    try pipeline("others")
    #expect(try run(["a,x"]).status == 1)
    #expect(try run(["b,x"], pipeline: "others").status == 1)
    #expect(try run(["c,x"]).status == 1)
    #expect(try files().values.map { $0[0] }.sorted() == ["a,x", "b,x", "c,x"])
  }

  @Test("of a run that was taken back are kept, too") func breach() throws {
    try pipeline("strict", "anomalies: { runs: 0 }")
    let text = try String(contentsOfFile: folder.file("strict.yaml"), encoding: .utf8)
    try folder.write(
      text.replacing("rejects/r.ndjson", with: "{ file: rejects/r.ndjson, limit: 0 }"), to: "strict.yaml")
    #expect(try run(["a,x"]).status == 1)
    #expect(try run(["b,x"], pipeline: "strict").status == 3)
    #expect(try run(["c,1"]).status == 0)
    #expect(try files().values.map { $0[0] }.sorted() == ["a,x", "b,x"])
  }

  @Test("are never an input of the import") func input() throws {
    let text = try String(contentsOfFile: folder.file("people.yaml"), encoding: .utf8)
    try folder.write(text.replacing("rejects/r.ndjson", with: "in.csv"), to: "people.yaml")
    let command = try run(["a,1"])
    #expect(command.status == 2 && command.words.contains("is an input"), "\(command.words)")
    #expect(try String(contentsOfFile: folder.file("in.csv"), encoding: .utf8) == Self.head + "a,1\n")
  }

  @Test("are replayed by no other pipeline than their own", arguments: [false, true]) func otherPipeline(isAgain: Bool)
    throws
  {
    try pipeline("cities")
    #expect(try run(["a,x"]).status == 1)
    let file = isAgain ? "rejects/r.again.ndjson" : "rejects/r.ndjson"
    if isAgain { #expect(try replay("rejects/r.ndjson").status == 1) }
    let other = try Command(["rejects", "replay", file, "--pipeline", "cities.yaml", "--json"], in: folder.path)
    #expect(other.status == 2 && other.words.contains("[otherPipeline]"), "\(other.words)")
    #expect(other.words.contains("\(file):1:1: error: the record was rejected by the pipeline “people”"))
    #expect(try people() == [])
    // Its own has it fail again, and no more; a line of nobody is anybody's.
    #expect(try replay(file).status == 1)
    let text = try String(contentsOfFile: folder.file(file), encoding: .utf8)
    try folder.write(
      text.replacing("a,x", with: "a,1").replacing("\"run\":", with: "\"old\":"), to: "mended.ndjson")
    let mended = try Command(
      ["rejects", "replay", "mended.ndjson", "--pipeline", "cities.yaml", "--json"], in: folder.path)
    #expect(try mended.status == 0 && people() == ["a1"], "\(mended.words)")
  }

  @Test("of an import that the pipeline does not have are rejected again, not passed over") func otherImport() throws {
    try folder.write(
      "model: m.yaml\nstore: s.sqlite\nrejects: rejects/r.ndjson\nimports:\n"
        + "  - { name: one, source: in.csv, import: { entity: Person, find_by: [email], attributes: [age] } }\n"
        + "  - { name: two, source: in.csv, import: { entity: Person, find_by: [email], attributes: [age] } }\n",
      to: "people.yaml")
    #expect(try run(["a,x"]).object()["rejected"] as? Int == 2)
    let text = try String(contentsOfFile: folder.file("rejects/r.ndjson"), encoding: .utf8)
    try folder.write(
      text.replacing("a,x", with: "a,1").replacing("\"import\":\"two\"", with: "\"import\":\"three\""),
      to: "mended.ndjson")
    let replay = try replay("mended.ndjson")
    #expect(try replay.status == 1 && replay.object()["rejected"] as? Int == 1, "\(replay.words)")
    #expect(try people() == ["a1"])
    let again = try Command(["rejects", "show", "mended.again.ndjson"], in: folder.path).output
    #expect(again.contains("the record is of the import “three”"), "\(again)")
  }
}
