import Foundation
import MergewalkTestSupport
import Testing

/// Files that commands write as a whole: a process that is killed leaves none under its name, and the next one removes
/// what was left.
@Suite("Unfinished files", .enabled(if: Shim.isThere))
struct UnfinishedFileTests {
  @Test(
    "a killed command is given again",
    arguments: [
      ["fetch", "s.sqlite", "--entity", "Person", "--output", "out"], ["schema", "--for", "pipeline", "--out", "out"],
      ["model", "convert", "m.yaml", "--to", "yaml", "--output", "out"],
    ])
  func killed(arguments: [String]) throws {
    let people = try People(40)
    let before = try people.files()
    let killed = try Command(arguments, in: people.folder.path, environment: Shim.killing(at: 1))
    #expect(killed.status == -9, "\(killed.words)")
    #expect(try !people.files().contains("out"))
    #expect(try people.files() != before)
    let command = try Command(arguments, in: people.folder.path)
    #expect(command.status == 0, "\(command.words)")
    #expect(try people.files() == (before + ["out"]).sorted())
    #expect(try people.bytes("out").count > 50)
  }

  @Test("what another process is writing stays")
  func living() throws {
    let people = try People(3)
    let name = ".out.mergewalk-\(getpid()).tmp"
    try people.folder.write("half", to: name)
    #expect(try people.command("schema", "--for", "pipeline", "--out", "out").status == 0)
    #expect(try people.files().contains(name) && people.files().contains("out"))
  }
}
