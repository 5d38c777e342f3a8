import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Nothing that lies at a path, and nothing in a store, keeps the command from coming to an end.
@Suite("Nothing hangs")
struct HangTests {
  @Test("a pipe without another end", arguments: ["store", "rejects", "include", "model", "report", "secret"])
  func pipes(place: String) throws {
    let people = try People()
    try people.input(1...3, age: 2, bad: 1)
    #expect(mkfifo(people.folder.file("pipe"), 0o600) == 0)
    var arguments = ["run", "p.yaml", "--quiet"]
    switch place {
    case "store": arguments += ["--store", "pipe"]
    case "rejects": arguments += ["--rejects", "pipe"]
    case "report": arguments += ["--report", "pipe"]
    case "include": try people.pipeline("include: pipe")
    case "secret": try people.pipeline("anomalies: { runs: \"${file:pipe}\" }")
    default:
      let text = try String(contentsOfFile: people.folder.file("p.yaml"), encoding: .utf8)
      try people.folder.write(text.replacing("model: m.yaml", with: "model: pipe"), to: "p.yaml")
    }
    let command = try Command(arguments, in: people.folder.path)
    // Of a run that is done only the report is lost; it has rejects.
    #expect(command.status == (place == "report" ? 1 : 2), "\(command.words)")
    #expect(command.words.contains("pipe"), "\(command.words)")
  }

  @Test("reading commands over a pipe", arguments: [["store", "info"], ["store", "verify"], ["fetch"], ["export"]])
  func readers(command: [String]) throws {
    let people = try People()
    #expect(mkfifo(people.folder.file("pipe"), 0o600) == 0)
    let more = command == ["fetch"] ? ["--entity", "Person"] : []
    let run = try Command(command + ["pipe"] + more, in: people.folder.path)
    #expect(run.status == 2)
    #expect(run.words.contains("it is a pipe"), "\(run.words)")
  }

  @Test("a pipe in the place of a store's log or journal", arguments: ["-wal", "-journal", "-shm"])
  func besideStore(suffix: String) throws {
    let people = try People(3)
    #expect(mkfifo(people.folder.file("s.sqlite" + suffix), 0o600) == 0)
    for command in [["run", "p.yaml", "--quiet"], ["store", "verify", "s.sqlite"], ["store", "info", "s.sqlite"]] {
      let run = try Command(command, in: people.folder.path)
      #expect(run.status == 2)
      #expect(run.words.contains("s.sqlite\(suffix) is a pipe"), "\(run.words)")
    }
  }

  @Test("a pipe with a writer is read to its end")
  func writtenPipe() throws {
    let people = try People()
    try people.input(1...3, age: 2)
    let command = try Command.shell(
      "$MERGEWALK run <(cat p.yaml | sed \"s|: m.yaml|: $PWD/m.yaml|;s|: in.csv|: $PWD/in.csv|;s|: s.sqlite|: "
        + "$PWD/s.sqlite|\") --quiet",
      in: people.folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try people.count(age: 2) == 3)
  }

  @Test("a trigger without end lets SIGTERM end a run", arguments: [SIGTERM, SIGINT, SIGHUP])
  func trigger(number: Int32) throws {
    let people = try People(4)
    let connection = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    try connection.execute(
      """
      CREATE TRIGGER forever AFTER UPDATE ON ZPERSON BEGIN
        SELECT count(*) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n);
      END
      """)
    try connection.close()
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: people.folder.path)
    try command.write("email,age\np1@example.com,2\n")
    try command.endInput()
    #expect(command.wait { command.processorSeconds > 0.4 })
    command.signal(number)
    let (status, _, words) = try command.end()
    #expect(status == 4, "\(words)")
    #expect(words.contains("interrupted"), "\(words)")
    #expect(try people.count(age: 2) == 0)
  }

  @Test("many unknown keys are found in time that grows with their number")
  func unknownKeys() throws {
    let people = try People()
    try people.input(1...3, age: 2)
    func seconds(_ count: Int) throws -> Double {
      try people.pipeline((0..<count).map { "key\($0): 1\n" }.joined())
      let before = ContinuousClock.now
      let lint = try people.command("lint", "p.yaml")
      #expect(lint.status == 1)
      #expect(lint.lines.count == count)
      return (ContinuousClock.now - before) / .seconds(1)
    }
    // Four times as many took sixteen times as long when every finding was compared with all others.
    let few = try seconds(5000)
    let many = try seconds(20_000)
    #expect(many < 10 * few, "\(few) s and \(many) s")
  }
}

extension RunningCommand {
  /// How long the command has kept a processor busy, in seconds.
  ///
  /// Source: proc(5), `/proc/PID/stat`.
  var processorSeconds: Double {
    let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let ticks = Double(fields[11]) else { return 0 }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
