import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Stores in rollback mode, such as seeds: they keep their mode, and a crash leaves none of them stuck.
@Suite("Stores with a rollback journal", .enabled(if: Shim.isThere), .serialized)
struct JournalTests {
  private func people() throws -> People {
    let people = try People(more: "batch: { records: 20 }")
    try people.input(1...60, age: 1)
    #expect(try people.command("seed", "p.yaml", "--store", "s.sqlite").status == 0)
    return people
  }

  private func mode(_ people: People) throws -> String? {
    try Connection(path: people.folder.file("s.sqlite"), mode: .readOnly).text("PRAGMA journal_mode")
  }

  @Test("a killed run leaves a store that every command can use, and the next run leaves its mode")
  func kills() throws {
    let template = try people()
    try template.input(1...120, age: 2)
    let count = TemporaryFolder()
    func copy() throws -> People {
      let copy = try People(more: "batch: { records: 20 }")
      for name in ["s.sqlite", "in.csv"] {
        try FileManager.default.copyItem(atPath: template.folder.file(name), toPath: copy.folder.file(name))
      }
      return copy
    }
    let whole = try copy()
    #expect(try whole.run(environment: Shim.counting(into: count.file("count"))).status == 0)
    #expect(try mode(whole) == "delete")
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 20)
    var hot = 0
    // All of the first ones, where the mode is switched, and of the last ones, where it is switched back.
    for call in Array(1...20) + Array(writes - 12...writes) {
      let people = try copy()
      #expect(try people.run(environment: Shim.killing(at: call)).status == -9, "\(call) of \(writes)")
      if FileManager.default.fileExists(atPath: people.folder.file("s.sqlite-journal")) { hot += 1 }
      for arguments in [["store", "verify"], ["store", "info"], ["fetch", "--entity", "Person", "--count"]] {
        let options = arguments[0] == "fetch" ? arguments.dropFirst() : []
        let words = arguments[0] == "fetch" ? ["fetch"] : arguments
        let command = try Command(words + ["s.sqlite"] + options, in: people.folder.path)
        #expect(command.status == 0, "\(call) of \(writes), \(arguments): \(command.words)")
      }
      let next = try people.run()
      #expect(next.status == 0, "\(call) of \(writes): \(next.words)")
      #expect(try people.count(age: 2) == 120, "\(call) of \(writes)")
      #expect(try mode(people) == "delete", "\(call) of \(writes)")
      #expect(try people.files() == whole.files(), "\(call) of \(writes)")
    }
    #expect(hot > 0, "no kill left a journal")
  }

  @Test("a journal is played back before anything is read")
  func hotJournal() throws {
    let people = try people()
    let journal = TemporaryFolder()
    let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    try writer.execute("PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN; UPDATE ZPERSON SET ZAGE = 5")
    // As a process leaves it that dies in the middle of its transaction: pages are in the file, the journal beside it.
    try writer.execute("CREATE TABLE filler (x); INSERT INTO filler SELECT zeroblob(100000)")
    for name in ["s.sqlite", "s.sqlite-journal"] {
      try FileManager.default.copyItem(atPath: people.folder.file(name), toPath: journal.file(name))
    }
    try writer.execute("ROLLBACK")
    try writer.close()
    for name in ["s.sqlite", "s.sqlite-journal"] {
      try? FileManager.default.removeItem(atPath: people.folder.file(name))
      try FileManager.default.copyItem(atPath: journal.file(name), toPath: people.folder.file(name))
    }
    let verify = try people.command("store", "verify", "s.sqlite")
    #expect(verify.status == 0, "\(verify.words)")
    #expect(try people.count(age: 1) == 60)
    #expect(try !people.files().contains("s.sqlite-journal"))
  }

  @Test("a writer that waits for the run goes first, and the run is planned again")
  func waitingWriter() throws {
    let people = try people()
    try people.input(1...60, age: 2)
    let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    writer.setBusyTimeout(milliseconds: 60_000)
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZPERSON SET ZAGE = 7 WHERE ZEMAIL = 'p1@example.com'")
    let command = try RunningCommand(
      ["run", "p.yaml", "--quiet", "--json", "--lock-wait", "2s"], in: people.folder.path)
    let hasPlan = command.wait {
      (try? people.files())?.contains { $0.hasPrefix(".s.sqlite.mergewalk-plan-") } ?? false
    }
    #expect(hasPlan)
    // The run has its snapshot, so this waits for the run, which waits for this.
    try writer.execute("COMMIT")
    try writer.close()
    let (status, output, words) = try command.end()
    #expect(status == 0, "\(words)")
    #expect(output.contains("plannedAgain"), "\(output)")
    #expect(try people.count(age: 2) == 60)
    #expect(try mode(people) == "delete")
  }

  @Test("a run that cannot read its input again lets the writer go first too, and says so")
  func waitingWriterAndPipe() throws {
    let people = try people()
    let command = try RunningCommand(
      ["run", "p.yaml", "-", "--quiet", "--lock-wait", "2s"], in: people.folder.path)
    try command.waitUntilItReads("email,age\n" + (1...60).map { "p\($0)@example.com,2\n" }.joined())
    let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    writer.setBusyTimeout(milliseconds: 60_000)
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZPERSON SET ZAGE = 7 WHERE ZEMAIL = 'p1@example.com'")
    try command.endInput()
    try writer.execute("COMMIT")
    try writer.close()
    let (status, _, words) = try command.end()
    #expect(status == 6, "\(words)")
    #expect(words.contains("another program has written to the store"), "\(words)")
    #expect(try people.count(age: 7) == 1)
    #expect(try people.count(age: 2) == 0)
    #expect(try people.files().filter { $0.contains("plan") } == [])
  }

  @Test("a reader that stays is waited for and named, and the same command applies the plan")
  func reader() throws {
    let people = try people()
    try people.input(1...60, age: 2)
    let reader = try Connection(path: people.folder.file("s.sqlite"), mode: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM ZPERSON")
    let refused = try people.run("--lock-wait", "1s")
    #expect(refused.status == 6, "\(refused.words)")
    let words = "another program is reading the store, even after 1 s of waiting; the run is planned"
    #expect(refused.words.contains(words), "\(refused.words)")
    #expect(try reader.integer("SELECT count(*) FROM ZPERSON WHERE ZAGE = 1") == 60)
    try reader.execute("COMMIT")
    try reader.close()
    let next = try people.run()
    #expect(next.status == 0, "\(next.words)")
    #expect(try people.count(age: 2) == 60)
  }
}
