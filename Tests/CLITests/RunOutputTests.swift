import Foundation
import MergewalkTestSupport
import Testing

/// What a run tells beside its summary: logs, metrics, progress, and exit codes when telling fails.
@Suite("What a run tells")
struct RunOutputTests {
  let folder = TemporaryFolder()

  private func prepare(_ records: Int, faulty: Int = 0) throws {
    try folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64 }\n    unique: [email]\n",
      to: "m.yaml")
    var text = "email,age\n"
    for index in 0..<records { text += "p\(index),\(index < faulty ? "x" : "1")\n" }
    try folder.write(text, to: "in.csv")
    try folder.write(
      "pipeline: 'the \"people\"'\nmodel: m.yaml\nstore: s.sqlite\nsource: in.csv\nrejects: r.ndjson\n"
        + "import: { entity: Person, find_by: [email], attributes: [age] }\n", to: "p.yaml")
  }

  private func run(_ more: String...) throws -> Command { try Command(["run", "p.yaml"] + more, in: folder.path) }

  private func log(_ command: Command) throws -> [[String: Any]] {
    try command.words.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }

  @Test("the JSON log is one object a line, with numbers as numbers")
  func jsonLog() throws {
    try prepare(50, faulty: 2)
    let command = try run("--log", "json", "--json")
    #expect(command.status == 1)
    let lines = try log(command)
    #expect(lines.map { $0["message"] as? String } == ["run started", "records rejected", "run finished"])
    #expect(lines.map { $0["level"] as? String } == ["info", "warning", "warning"])
    for line in lines {
      #expect((line["time"] as? String)?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
      #expect(line["pipeline"] as? String == "the \"people\"")
    }
    #expect(lines[1]["codes"] as? [String: Int] == ["value.integer": 2])
    #expect(lines[2]["inserted"] as? Int == 48 && lines[2]["exit_code"] as? Int == 1)
    #expect(try lines[2]["run"] as? String == command.object()["run"] as? String)
  }

  @Test("a name with a line break does not break the lines of messages")
  func lineBreaks() throws {
    try prepare(3, faulty: 1)
    let name = "a\nb.csv"
    try folder.write("email,age\np0,x\n", to: name)
    let command = try run("a\nb.csv", "--store", "s\nt.sqlite", "--rejects", "r\ns.ndjson")
    #expect(command.status == 1)
    #expect(command.words.contains("\na\\u{A}b.csv:2:4: "), "\(command.words)")
    #expect(command.words.contains("store    s\\u{A}t.sqlite (new)\n"), "\(command.words)")
    #expect(command.words.contains("rejects  r\\u{A}s.ndjson"))
    let shown = try Command(["rejects", "show", "r\ns.ndjson"], in: folder.path)
    #expect(shown.output.hasPrefix("a\\u{A}b.csv:2:4: "), "\(shown.output)")
    let other = try Command(["rejects", "show", name], in: folder.path)
    #expect(other.words.hasPrefix("a\\u{A}b.csv:1:1: error: "), "\(other.words)")
  }

  @Test("thousands of rejects are counts in the log, not lines")
  func flood() throws {
    try prepare(30_000, faulty: 30_000)
    let command = try run("--log", "json", "--batch", "1000")
    #expect(command.status == 1)
    let lines = try log(command)
    #expect(lines.count <= 12, "\(lines.count)")
    let counted = lines.compactMap { $0["codes"] as? [String: Int] }.reduce(0) { $0 + ($1["value.integer"] ?? 0) }
    #expect(counted == 30_000)
  }

  @Test("the first reject of each code is shown with its place and cure, also when no file takes the rejects")
  func withoutRejectsFile() throws {
    try prepare(300, faulty: 200)
    let pipeline = try String(contentsOfFile: folder.file("p.yaml"), encoding: .utf8)
    try folder.write(pipeline.replacing("rejects: r.ndjson\n", with: ""), to: "p.yaml")
    let kept = "in.csv:2:4: \"x\" is not a whole number for Person.age; "
    for more in [[], ["--dry-run"]] {
      let command = try Command(["run", "p.yaml"] + more, in: folder.path)
      #expect(
        command.status == 1 && command.words.contains("rejects  not kept (value.integer 200)"), "\(command.words)")
      let lines = command.words.split(separator: "\n").filter { $0.hasPrefix("in.csv:") }
      #expect(
        lines.count == 1 && lines[0].hasPrefix(kept) && lines[0].hasSuffix(" [value.integer]"), "\(command.words)")
    }
  }

  @Test("the level decides what is logged, and text is one line an event")
  func levels() throws {
    try prepare(5)
    #expect(try run("--log", "json", "--log-level", "error").words == "")
    #expect(try log(run("--log", "json", "--log-level", "debug")).contains { $0["level"] as? String == "debug" })
    #expect(try run("--log-level", "debug").status == 64, "without --log there is nothing that it would change")
    let text = try run("--log", "text")
    #expect(text.words.split(separator: "\n").count == 2)
    #expect(text.words.contains(" info run finished "), "\(text.words)")
    try folder.write("email,years\n", to: "in.csv")
    let failed = try run("--log", "json")
    #expect(failed.status == 2)
    let lines = try log(failed)
    #expect(lines.first?["code"] as? String == "unknownColumn")
    #expect(lines.last?["message"] as? String == "run failed" && lines.last?["exit_code"] as? Int == 2)
  }

  // MARK: Metrics

  @Test("the metrics file is OpenMetrics, and says how the run ended")
  func metrics() throws {
    try prepare(50, faulty: 2)
    #expect(try run("--metrics", "m.prom").status == 1)
    let families = try OpenMetricsText.parse(String(contentsOfFile: folder.file("m.prom"), encoding: .utf8))
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
      families.flatMap(\.samples).first { sample in
        sample.name == name && sample.labels["pipeline"] == "the \"people\""
          && labels.allSatisfy { sample.labels[$0.key] == $0.value }
      }?.value
    }
    #expect(value("mergewalk_run_records", ["outcome": "read"]) == 50)
    #expect(value("mergewalk_run_records", ["outcome": "rejected"]) == 2)
    #expect(value("mergewalk_run_rejected_records", ["code": "value.integer"]) == 2)
    #expect(value("mergewalk_run_objects", ["entity": "Person", "action": "inserted"]) == 48)
    #expect(value("mergewalk_run_status", ["status": "completed_with_rejects"]) == 1)
    #expect(value("mergewalk_run_status", ["status": "completed"]) == 0)
    #expect(value("mergewalk_run_exit_code") == 1)
    #expect(try #require(value("mergewalk_run_duration_seconds")) > 0)
    #expect(try #require(value("mergewalk_run_peak_memory_bytes")) > 1_048_576)
    let success = try #require(value("mergewalk_run_last_success_timestamp_seconds"))
    #expect(abs(success - Date().timeIntervalSince1970) < 600)
    #expect(Set(families.map(\.type)) == ["gauge"], "node_exporter's older format knows no more")
    for family in families where family.name.hasSuffix("_seconds") { #expect(family.unit == "seconds") }
    for family in families where family.name.hasSuffix("_bytes") { #expect(family.unit == "bytes") }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.hasSuffix(".tmp") })

    // A later run that fails keeps the time of the last success.
    try FileManager.default.removeItem(atPath: folder.file("s.sqlite"))
    try folder.write("no store, but something of that name that is long enough to be looked at", to: "s.sqlite")
    #expect(try run("--metrics", "m.prom").status == 2)
    let after = try OpenMetricsText.parse(String(contentsOfFile: folder.file("m.prom"), encoding: .utf8))
    let samples = after.flatMap(\.samples)
    #expect(samples.first { $0.name == "mergewalk_run_status" && $0.labels["status"] == "failed" }?.value == 1)
    #expect(samples.first { $0.name == "mergewalk_run_exit_code" }?.value == 2)
    let kept = try #require(samples.first { $0.name == "mergewalk_run_last_success_timestamp_seconds" }?.value)
    #expect(abs(kept - success) < 0.01)
  }

  @Test(
    "what is no OpenMetrics is found",
    arguments: [
      "a 1\n", "# TYPE a gauge\na 1\n", "# TYPE a gauge\na 1\n# EOF\nb 2\n", "# TYPE a gauge\n\na 1\n# EOF\n",
      "# TYPE a gauge\nb 1\n# EOF\n", "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
      "# TYPE a gauge\na{x=\"1} 1\n# EOF\n", "# TYPE a gauge\na{x=\"1\"} one\n# EOF\n",
      "# TYPE a gauge\na 1\na 1\n# EOF\n", "# TYPE a gauge\na 1\n# EOF",
    ])
  func badMetrics(_ text: String) {
    #expect(throws: OpenMetricsText.Fault.self) { try OpenMetricsText.parse(text) }
  }

  // MARK: Exit codes

  @Test("a result, metrics or a report that cannot be written do not exit with 0")
  func lost() throws {
    try prepare(5)
    let full = try Command.shell("\"$MERGEWALK\" run p.yaml --json > /dev/full", in: folder.path)
    #expect(full.status == 7)
    #expect(full.words.contains("cannot write to standard output: No space left on device"), "\(full.words)")
    for option in ["--metrics", "--report"] {
      let command = try run(option, "/proc/mergewalk.out")
      #expect(command.status == 7 && command.words.contains("error: "), "\(command.words)")
    }
    try FileManager.default.createDirectory(atPath: folder.file("taken"), withIntermediateDirectories: true)
    let taken = try run("--report", "taken")
    #expect(taken.status == 2 && taken.words.contains("is a folder"), "\(taken.words)")
    #expect(try Command.shell("\"$MERGEWALK\" runs s.sqlite > /dev/full", in: folder.path).status == 2)
    // A reader that goes away takes nothing from the outcome.
    try prepare(5, faulty: 1)
    let gone = try Command.shell(
      "set +o pipefail; (\"$MERGEWALK\" run p.yaml --json; echo $? > status) | true", in: folder.path)
    #expect(gone.status == 0)
    #expect(try String(contentsOfFile: folder.file("status"), encoding: .utf8) == "1\n")
  }

  @Test("work that is done but whose result cannot be written ends with 7, and a refusal with its own code")
  func lostResults() throws {
    try prepare(5)
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 0)
    func status(_ arguments: String) throws -> Int32 {
      let command = try Command.shell("\"$MERGEWALK\" \(arguments) > /dev/full", in: folder.path)
      #expect(command.words.contains("cannot write to standard output"), "\(command.words)")
      return command.status
    }
    #expect(try status("seed p.yaml --store seed.sqlite --json") == 7)
    #expect(try Command(["seed", "--check", "--store", "seed.sqlite"], in: folder.path).status == 0)
    #expect(try status("seed p.yaml --store seed.sqlite --json") == 2)
    #expect(try status("seed --from seed.sqlite --store copy.sqlite --json") == 7)
    #expect(try status("export s.sqlite --out out --json") == 7)
    #expect(FileManager.default.fileExists(atPath: folder.file("out/pipeline.yaml")))
    #expect(try status("store clean s.sqlite --json") == 7)
    #expect(try status("store clean s.sqlite --dry-run --json") == 2)
    // Nothing was done, so nothing but the output counts.
    #expect(try status("seed --check --store seed.sqlite") == 2)
  }

  @Test("a log has what was lost as lines of its own, and the exit code that follows")
  func lostInLog() throws {
    try prepare(5)
    let full = try log(Command.shell("\"$MERGEWALK\" run p.yaml --json --log json > /dev/full", in: folder.path))
    #expect(full.map { $0["level"] as? String } == ["info", "warning", "error"])
    #expect(full[1]["message"] as? String == "cannot write to standard output: No space left on device")
    #expect(full[2]["exit_code"] as? Int == 7)
    // Of a run that fails, too: every line of standard error is one of the log.
    let failed = try run("--log", "json", "--metrics", "/proc/mergewalk.out", "--expect-records", "9")
    #expect(failed.status == 2)
    let messages = try log(failed).compactMap { $0["message"] as? String }
    #expect(messages.contains { $0.hasPrefix("the metrics cannot be written") }, "\(failed.words)")
  }

  @Test("every exit code is in the help and on the page")
  func exitCodes() throws {
    let help = try Command(["run", "--help"], in: folder.path).output
    let page = try String(contentsOfFile: Locations.repository + "/docs/exit-codes.md", encoding: .utf8)
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 64] {
      #expect(help.contains(try Regex("(?m)^ +\(code)  +[a-z]")), "\(code)")
      #expect(page.contains("| \(code) |"), "\(code)")
    }
  }

  // MARK: Progress

  @Test("the line on a terminal has a bar, rates and what is left, and is never wider than the terminal")
  func terminal() throws {
    // To write the records takes as long as to import them.
    try prepare(150_000 * Command.speed)
    for columns in [40, 80, 200] {
      let shown = try Terminal.errors(
        ["run", "p.yaml", "--store", "\(columns).sqlite"], in: folder.path, columns: columns)
      let lines = shown.split(whereSeparator: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }).map(String.init)
        .map { $0.replacing("\u{1B}[K", with: "") }
      let drawn = lines.filter { $0.contains("%") }
      #expect(!drawn.isEmpty, "\(shown)")
      #expect(drawn.allSatisfy { $0.count < columns }, "\(drawn)")
      #expect(drawn.contains { $0.contains("/s") }, "\(drawn)")
      #expect(drawn.contains { $0.contains("[#") || $0.contains("[.") } == (columns > 64), "\(columns) columns")
      if columns > 64 { #expect(lines.contains { $0.contains("finishing") }, "\(columns) columns") }
      if columns > 100 { #expect(drawn.contains { $0.contains(" left  ") && $0.contains("convert ") }) }
    }
  }

  @Test("nothing is drawn on a terminal that cannot erase")
  func dumb() throws {
    try prepare(100)
    let shown = try Terminal.errors(["run", "p.yaml"], in: folder.path, columns: 80, type: "dumb")
    #expect(shown.contains("100 records imported"))
    #expect(!shown.contains("\u{1B}") && !shown.contains("opening the store"), "\(shown)")
    #expect(try Terminal.errors(["run", "p.yaml"], in: folder.path, columns: 80).contains("opening the store"))
  }

  @Test("what is no terminal gets nothing, or whole lines when it asks")
  func plain() throws {
    try prepare(100)
    for style in ["auto", "plain", "none"] {
      let words = try run("--progress", style).words
      #expect(!words.contains("\r") && !words.contains("\u{1B}"))
    }
  }
}
