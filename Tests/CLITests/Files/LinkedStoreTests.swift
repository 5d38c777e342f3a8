import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Stores that are reached by other names than their own.
@Suite("Stores behind links")
struct LinkedStoreTests {
  /// The ways that lead to the store `s.sqlite` in the folder.
  enum Way: String, CaseIterable, Sendable {
    case symbolic, chain, folder, hard

    /// Makes the way, and returns the path by which the store is named.
    func make(_ people: People) throws -> String {
      let files = FileManager.default
      let other = people.folder.file("other")
      try files.createDirectory(atPath: other, withIntermediateDirectories: true)
      switch self {
      case .symbolic:
        try files.createSymbolicLink(atPath: other + "/link.sqlite", withDestinationPath: "../s.sqlite")
        return "other/link.sqlite"
      case .chain:
        try files.createSymbolicLink(atPath: other + "/one.sqlite", withDestinationPath: people.folder.file("s.sqlite"))
        try files.createSymbolicLink(atPath: other + "/two.sqlite", withDestinationPath: "one.sqlite")
        return "other/two.sqlite"
      case .folder:
        try files.createSymbolicLink(atPath: people.folder.file("linked"), withDestinationPath: ".")
        return "linked/s.sqlite"
      case .hard:
        try files.linkItem(atPath: people.folder.file("s.sqlite"), toPath: other + "/hard.sqlite")
        return "other/hard.sqlite"
      }
    }
  }

  @Test("a dry run writes nothing", arguments: Way.allCases)
  func dryRun(way: Way) throws {
    let people = try People(40)
    let path = try way.make(people)
    let before = try (people.bytes("s.sqlite"), people.files())
    try people.input(1...60, age: 2)
    let command = try people.run("--store", path, "--dry-run")
    #expect(command.status == 0, "\(command.words)")
    #expect(try people.bytes("s.sqlite") == before.0)
    #expect(try people.files() == before.1)
    #expect(try people.count(age: 2) == 0)
  }

  @Test("a run over its limit leaves nothing", arguments: Way.allCases)
  func limit(way: Way) throws {
    let people = try People(40, more: "rejects: { limit: 3 }\nbatch: { records: 10 }")
    let path = try way.make(people)
    let before = try people.bytes("s.sqlite")
    try people.input(1...60, age: 2, bad: 9)
    let command = try people.run("--store", path)
    #expect(command.status == 3, "\(command.words)")
    #expect(try people.bytes("s.sqlite") == before)
    #expect(try people.count(age: 2) == 0)
  }

  @Test("a run writes the store itself, and beside it", arguments: Way.allCases)
  func run(way: Way) throws {
    let people = try People(40)
    let path = try way.make(people)
    try people.input(1...60, age: 2)
    #expect(try people.run("--store", path).status == 0)
    #expect(try people.count(age: 2) == 60)
    let info = try people.command("store", "info", path, "--json")
    #expect(try info.object()["log_bytes"] as? Int == 0)
  }

  @Test("what the log holds is read", arguments: [Way.symbolic, .chain, .folder])
  func reading(way: Way) throws {
    let people = try People(10)
    let path = try way.make(people)
    let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    try writer.execute("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; UPDATE ZPERSON SET ZAGE = 7")
    for hasIndex in [true, false] {
      if !hasIndex {
        writer.keepLogOnClose()
        try writer.close()
      }
      let fetch = try people.command("fetch", path, "--entity", "Person", "--predicate", "age == 7", "--count")
      #expect(fetch.output == "10\n", "\(fetch.words)")
      let verify = try people.command("store", "verify", path)
      #expect(verify.status == 0, "\(verify.words)")
      let info = try people.command("store", "info", path, "--json")
      #expect(try info.object()["log_bytes"] as? Int ?? 0 > 0)
    }
  }

  @Test("a link that leads to nothing gives the place of a new store")
  func newStore() throws {
    let people = try People()
    try people.input(1...5, age: 3)
    try FileManager.default.createDirectory(atPath: people.folder.file("data"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: people.folder.file("s.sqlite"), withDestinationPath: "data/real.sqlite")
    let command = try people.run()
    #expect(command.status == 0, "\(command.words)")
    #expect(try people.count(age: 3, store: "data/real.sqlite") == 5)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: people.folder.file("s.sqlite")) == "data/real.sqlite")
  }

  @Test("a second name is refused while the log of the first is there")
  func hardLinkWithLog() throws {
    let people = try People(10)
    try FileManager.default.linkItem(
      atPath: people.folder.file("s.sqlite"), toPath: people.folder.file("second.sqlite"))
    let writer = try Connection(path: people.folder.file("s.sqlite"), mode: .readWrite)
    try writer.execute("PRAGMA journal_mode=WAL; UPDATE ZPERSON SET ZAGE = 7")
    writer.keepLogOnClose()
    try writer.close()
    for arguments in [["run", "p.yaml", "--store", "second.sqlite"], ["store", "verify", "second.sqlite"]] {
      let command = try Command(arguments, in: people.folder.path)
      #expect(command.status == 2)
      #expect(command.words.contains("s.sqlite-wal belongs to it"), "\(command.words)")
    }
  }

  @Test("a store that is moved away during a run is an error, and has nothing of the run")
  func moved() throws {
    let people = try People(10, more: "batch: { records: 2 }")
    let command = try RunningCommand(["run", "p.yaml", "-", "--quiet"], in: people.folder.path)
    try command.waitUntilItReads("email,age\n")
    try FileManager.default.moveItem(
      atPath: people.folder.file("s.sqlite"), toPath: people.folder.file("moved.sqlite"))
    try command.write((1...10).map { "p\($0)@example.com,9\n" }.joined())
    try command.endInput()
    let (status, _, words) = try command.end()
    #expect(status == 2)
    #expect(words.contains("moved or replaced"), "\(words)")
    #expect(try people.count(age: 9, store: "moved.sqlite") == 0)
    #expect(try people.command("store", "verify", "moved.sqlite").status == 0)
    #expect(try !people.files().contains { $0.hasPrefix("s.sqlite") })
  }

  @Test("a store may be called like SQLite's memory")
  func memory() throws {
    let people = try People()
    try people.input(1...5, age: 3)
    let command = try people.run("--store", ":memory:")
    #expect(command.status == 0, "\(command.words)")
    let fetch = try people.command("fetch", ":memory:", "--entity", "Person", "--count")
    #expect(fetch.output == "5\n", "\(fetch.words)")
    #expect(try people.run("--store", ":memory:").status == 0)
    #expect(try people.files().filter { $0.contains("memory") } == [":memory:"])
    #expect(try people.count(age: 3, store: "./:memory:") == 5)
  }
}
