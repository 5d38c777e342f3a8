import Foundation
import MergewalkTestSupport
import Testing

/// Stores whose names leave little room for those of the files beside them: a file system takes 255 bytes.
@Suite("Long names of stores")
struct LongNameTests {
  @Test("are made, changed, and tried, and nothing stays beside them", arguments: [150, 200, 201, 216, 237])
  func possible(count: Int) throws {
    let people = try People()
    let name = String(repeating: "n", count: count - 7) + ".sqlite"
    for age in 1...2 {
      try people.input(1...40, age: age)
      let trial = try people.run("--store", name, "--dry-run")
      #expect(trial.status == 0, "\(trial.words)")
      let command = try people.run("--store", name)
      #expect(command.status == 0, "\(command.words)")
      // Looked at first: whoever only reads a store leaves its log's files there.
      #expect(try people.files() == ["in.csv", "m.yaml", name, "p.yaml"].sorted())
      #expect(try people.count(age: age, store: name) == 40)
    }
  }

  @Test("files of other kinds may have the longest names, which leave room for nothing beside them")
  func outputs() throws {
    let people = try People(3)
    let name = String(repeating: "n", count: 251) + ".csv"
    let rows = try people.command("fetch", "s.sqlite", "--entity", "Person", "--output", name)
    #expect(rows.status == 0, "\(rows.words)")
    #expect(try people.files().filter { $0.hasSuffix(".csv") || $0.contains("mergewalk-") } == ["in.csv", name])
  }

  @Test("that are too long are refused before anything is made", arguments: [false, true], [238, 255])
  func impossible(isThere: Bool, count: Int) throws {
    let people = try People(isThere ? 3 : 0)
    let name = String(repeating: "n", count: count - 7) + ".sqlite"
    if isThere {
      try FileManager.default.moveItem(atPath: people.folder.file("s.sqlite"), toPath: people.folder.file(name))
    }
    try people.input(1...40, age: 2)
    let before = try people.files()
    let command = try people.run("--store", name)
    #expect(command.status == 2)
    #expect(command.words.contains("has \(count) bytes"), "\(command.words)")
    #expect(command.words.contains("at most 237"), "\(command.words)")
    #expect(try people.files() == before)
  }
}
