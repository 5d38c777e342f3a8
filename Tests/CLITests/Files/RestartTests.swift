import Foundation
import MergewalkTestSupport
import Testing

/// Commands that are killed at their writes: the same command, given again, does its work, and nothing is left lying about.
@Suite("Killed commands start over", .enabled(if: Shim.isThere), .serialized)
struct RestartTests {
  /// What is killed.
  enum Work: String, CaseIterable, Sendable {
    case seed, replacingSeed, copyingSeed, export, exportIntoFolder, replacingExport, migrate, migrateSeed, objects

    var arguments: [String] {
      switch self {
      case .seed: ["seed", "p.yaml", "--store", "new.sqlite"]
      case .replacingSeed: ["seed", "p.yaml", "--store", "old.sqlite", "--force"]
      case .copyingSeed: ["seed", "--from", "s.sqlite", "--store", "new.sqlite"]
      case .export: ["export", "s.sqlite", "--out", "out"]
      case .exportIntoFolder: ["export", "s.sqlite", "--out", "there"]
      case .replacingExport: ["export", "s.sqlite", "--out", "full", "--force"]
      case .migrate: ["store", "migrate", "s.sqlite", "--to", "m2.yaml"]
      // With a rollback journal.
      case .migrateSeed: ["store", "migrate", "old.sqlite", "--to", "m2.yaml"]
      case .objects: ["run", "full/pipeline.yaml", "--store", "new.sqlite", "--quiet", "--no-history"]
      }
    }
  }

  /// A folder with everything that the commands need.
  private func template() throws -> People {
    let people = try People(30)
    try people.folder.write(
      "model: M\nentities:\n  Person:\n    attributes: { email: string!, age: integer64, note: string }\n"
        + "    unique: [email]\n", to: "m2.yaml")
    #expect(try people.command("seed", "p.yaml", "--store", "old.sqlite").status == 0)
    #expect(try people.command("export", "s.sqlite", "--out", "full").status == 0)
    try people.folder.write("mine", to: "there/notes.txt")
    return people
  }

  private func copy(_ template: People) throws -> TemporaryFolder {
    let copy = TemporaryFolder()
    for name in try template.files() {
      try FileManager.default.copyItem(atPath: template.folder.file(name), toPath: copy.file(name))
    }
    return copy
  }

  /// The paths of all files and folders.
  private func files(_ folder: TemporaryFolder) -> [String] {
    (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []).sorted()
  }

  @Test("and come to the same end", arguments: Work.allCases)
  func restart(work: Work) throws {
    let template = try template()
    let count = TemporaryFolder()
    let whole = try copy(template)
    let command = try Command(
      work.arguments, in: whole.path, environment: Shim.counting(into: count.file("count")))
    #expect(command.status == 0, "\(command.words)")
    let wanted = files(whole)
    let writes = try #require(Int(String(contentsOfFile: count.file("count"), encoding: .utf8)))
    #expect(writes > 3)
    // All of the last ones, where names are given; of those before a part.
    let step = Soak.isOn ? 1 : max(1, writes / 6)
    let early = Array(stride(from: 1, to: max(2, writes - 16), by: step))
    for call in early + Array(max(1, writes - 16)...writes) {
      let folder = try copy(template)
      let killed = try Command(work.arguments, in: folder.path, environment: Shim.killing(at: call))
      let place: Comment = "killed before the write \(call) of \(writes)"
      #expect(killed.status == -9, place)
      let next = try Command(work.arguments, in: folder.path)
      #expect(next.status == 0, "\(place): \(next.words)")
      #expect(files(folder) == wanted, place)
      for name in ["s.sqlite", "old.sqlite", "new.sqlite"] where wanted.contains(name) {
        let verify = try Command(["store", "verify", name], in: folder.path)
        #expect(verify.status == 0, "\(place): \(verify.words)")
      }
    }
  }

  @Test("but what somebody has changed meanwhile stays")
  func changed() throws {
    let template = try template()
    let count = TemporaryFolder()
    let whole = try copy(template)
    _ = try Command(Work.seed.arguments, in: whole.path, environment: Shim.counting(into: count.file("count")))
    let writes = try #require(Int(String(contentsOfFile: count.file("count"), encoding: .utf8)))
    var isTested = false
    for call in (1...writes).reversed() {
      let folder = try copy(template)
      _ = try Command(Work.seed.arguments, in: folder.path, environment: Shim.killing(at: call))
      guard FileManager.default.fileExists(atPath: folder.file("new.sqlite")) else { break }
      guard files(folder).contains(where: { $0.contains("mergewalk-work") }) else { continue }
      isTested = true
      try folder.write("email,age\np1@example.com,99\n", to: "in.csv")
      #expect(try Command(["run", "p.yaml", "--store", "new.sqlite", "--quiet"], in: folder.path).status == 0)
      let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("new.sqlite")))
      let next = try Command(Work.seed.arguments, in: folder.path)
      #expect(next.status == 2 && next.words.contains("alreadyExists"), "\(next.words)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("new.sqlite"))) == before)
    }
    #expect(isTested)
  }

  @Test("what a reader that was killed has left goes with the next one")
  func readers() throws {
    let people = try People(5)
    for suffix in ["-shm", "-wal"] { try people.folder.write("", to: "s.sqlite" + suffix) }
    let before = try People(5).files()
    #expect(try people.command("store", "verify", "s.sqlite").status == 0)
    #expect(try people.files() == before)
  }
}
