import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Other programs that have the store open while a run goes on.
@Suite("Neighbours of a run")
struct NeighbourTests {
  @Test("others read the old state during the whole run, and the new one after it")
  func readers() throws {
    let people = try People(40, more: "batch: { records: 5 }")
    let reader = try Connection(path: people.folder.file("s.sqlite"), mode: .readOnly)
    #expect(try reader.integer("SELECT count(*) FROM ZPERSON") == 40)
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: people.folder.path)
    try command.waitUntilItReads("email,age\n" + (1...60).map { "p\($0)@example.com,2\n" }.joined())
    #expect(try reader.integer("SELECT count(*) FROM ZPERSON WHERE ZAGE = 1") == 40)
    let fetch = try people.command("fetch", "s.sqlite", "--entity", "Person", "--count")
    #expect(fetch.output == "40\n", "\(fetch.words)")
    #expect(try people.command("store", "verify", "s.sqlite").status == 0)
    try command.endInput()
    let (status, _, words) = try command.end()
    #expect(status == 0, "\(words)")
    #expect(try reader.integer("SELECT count(*) FROM ZPERSON WHERE ZAGE = 2") == 60)
    try reader.close()
    #expect(try people.files().filter { $0.contains("mergewalk") } == [])
  }

  @Test("what another one writes meanwhile stays, and a run that cannot read its input again says so")
  func writer() throws {
    let people = try People(40)
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: people.folder.path)
    try command.waitUntilItReads("email,age\n")
    let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    try writer.execute("UPDATE ZPERSON SET ZAGE = 7 WHERE ZEMAIL = 'p1@example.com'")
    try writer.close()
    try command.write((1...60).map { "p\($0)@example.com,2\n" }.joined())
    try command.endInput()
    let (status, _, words) = try command.end()
    #expect(status == 6, "\(words)")
    #expect(words.contains("another program has written to the store"), "\(words)")
    #expect(try people.count(age: 7) == 1)
    #expect(try people.count(age: 2) == 0)
    #expect(try people.files().filter { $0.contains("plan") } == [])
  }

  @Test(
    "a killed run leaves nothing in the store; the next one goes on, or anew when somebody has written",
    arguments: [false, true])
  func killed(isChanged: Bool) throws {
    let people = try People(40, more: "batch: { records: 5 }")
    let text = "email,age\n" + (1...60).map { "p\($0)@example.com,2\n" }.joined()
    let arguments = ["run", "p.yaml", "-", "--json", "--quiet"]
    let command = try RunningCommand(arguments, in: people.folder.path)
    try command.write(String(text.prefix(900)))
    #expect(command.wait { people.hasPlan })
    command.signal(SIGKILL)
    #expect(try command.end().status == -SIGKILL)
    #expect(try people.count(age: 2) == 0)
    #expect(try people.command("store", "verify", "s.sqlite").output.contains("[unfinishedRun]"))
    if isChanged {
      let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
      try writer.execute("UPDATE ZPERSON SET ZAGE = 7 WHERE ZEMAIL = 'p40@example.com'")
      try writer.close()
    }
    // Another pipeline's run does not touch it, nor does a dry run.
    #expect(try Command(arguments + ["--dry-run"], in: people.folder.path, input: text).status == 0)
    let next = try Command(arguments, in: people.folder.path, input: text)
    #expect(next.status == 0, "\(next.words)")
    let resumed = try next.object()["resumed_after"] as? Int
    #expect(isChanged ? resumed == nil : resumed ?? 0 > 0)
    #expect(try next.warnings().contains { $0.hasPrefix("unfinishedDropped") } == isChanged)
    #expect(try people.files().filter { $0.contains("s.sqlite") } == ["s.sqlite"])
    #expect(try people.count(age: 2) == 60)
  }
}

extension People {
  /// Whether a run has planned something.
  fileprivate var hasPlan: Bool {
    (try? files())?.contains {
      $0.hasPrefix(".s.sqlite.mergewalk-plan-") && $0.hasSuffix("-wal")
        && (try? bytes($0).count) ?? 0 > 5000
    } ?? false
  }
}
