import Foundation
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Reads that fail, one at a time: nothing is taken for something else because it could not be read.
@Suite("Reads that fail", .enabled(if: Shim.isThere), .serialized)
struct ReadFaultTests {
  /// Runs a command once for each of its reads, which fails, in a copy of a folder.
  private func forEachRead(
    of arguments: [String], in folder: TemporaryFolder,
    _ check: (_ command: Command, _ folder: TemporaryFolder, _ place: Comment) throws -> Void
  ) throws {
    func copy() throws -> TemporaryFolder {
      let copy = TemporaryFolder()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
      }
      return copy
    }
    let (count, undisturbed) = (TemporaryFolder(), try copy())
    _ = try Command(arguments, in: undisturbed.path, environment: Shim.countingReads(into: count.file("count")))
    withExtendedLifetime(undisturbed) {}
    let reads = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(reads > 10)
    for read in 1...max(reads, 1) {
      let folder = try copy()
      let command = try Command(arguments, in: folder.path, environment: Shim.failingRead(at: read, EIO))
      try check(command, folder, "read \(read) of \(reads) fails, exit \(command.status): \(command.words)")
    }
  }

  private func number(_ sql: String, _ store: String, _ folder: TemporaryFolder) throws -> Int {
    let connection = try Connection(path: folder.file(store), mode: .readWrite)
    let number = try connection.integer(sql)
    try connection.close()
    return Int(number ?? -1)
  }

  @Test("a replay that is told as done is noted in the store")
  func replay() throws {
    let people = try People(3, more: "rejects: r.ndjson")
    try people.input(4...5, age: 2, bad: 1)
    #expect(try people.run().status == 1)
    let text = try String(contentsOfFile: people.folder.file("r.ndjson"), encoding: .utf8)
    try people.folder.write(text.replacing("example.com,x", with: "example.com,9"), to: "r.ndjson")
    let arguments = ["rejects", "replay", "r.ndjson", "--pipeline", "p.yaml", "--json"]
    try forEachRead(of: arguments, in: people.folder) { command, folder, place in
      let isNoted = try number(
        "SELECT count(*) FROM Z_METADATA WHERE instr(Z_PLIST, CAST('/replayed' AS BLOB)) > 0", "s.sqlite", folder)
      #expect(isNoted == (command.status == 0 ? 1 : 0), place)
    }
  }

  @Test("a rejects file that cannot be read is not taken for another file")
  func rejects() throws {
    let people = try People(3, more: "rejects: r.ndjson")
    try people.input(4...5, age: 2, bad: 1)
    #expect(try people.run().status == 1)
    var unread = 0
    try forEachRead(of: ["run", "p.yaml", "--quiet"], in: people.folder) { command, _, place in
      #expect(!command.words.contains("would take the place"), place)
      guard command.words.contains("rejects file"), command.words.contains("cannot be read: Input/output error") else {
        return
      }
      unread += 1
      #expect(command.status == 2, place)
    }
    #expect(unread > 0)
  }

  @Test("inputs are not imported twice because they could not be read", arguments: [false, true])
  func again(isImported: Bool) throws {
    let folder = TemporaryFolder()
    try folder.write("model: M\nentities:\n  Thing:\n    attributes: { name: string }\n", to: "m.yaml")
    try folder.write(
      "pipeline: things\nmodel: m.yaml\nstore: t.sqlite\nsource: in.csv\nhistory: false\n"
        + "import: { entity: Thing, mode: insert, attributes: [name] }\n", to: "p.yaml")
    try folder.write("name\na\nb\nc\n", to: "in.csv")
    let arguments = ["run", "p.yaml", "--quiet"]
    if isImported { #expect(try Command(arguments, in: folder.path).status == 0) }
    try forEachRead(of: arguments, in: folder) { _, folder, place in
      let next = try Command(arguments, in: folder.path)
      #expect(try number("SELECT count(*) FROM ZTHING", "t.sqlite", folder) == 3, "\(place)\n\(next.words)")
    }
  }
}
