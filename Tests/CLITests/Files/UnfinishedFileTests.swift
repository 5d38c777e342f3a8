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

  /// The files in a folder with what they hold; `nil` when there is none.
  private func tree(_ path: String) -> [String: Data]? {
    guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else { return nil }
    var tree: [String: Data] = [:]
    for name in names { tree[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data() }
    return tree
  }

  @Test(
    "a model that is a folder is there as a whole or not at all, wherever the command is killed",
    arguments: [["out.xcdatamodeld"], ["out.xcdatamodel"], ["out.momd", "--to", "mom"]])
  func killedFolder(arguments: [String]) throws {
    let people = try People(3)
    let out = people.folder.file(arguments[0])
    let before = try people.files()
    let convert = ["model", "convert", "m.yaml", "--output"] + arguments
    let count = TemporaryFolder()
    let first = try Command(convert, in: people.folder.path, environment: Shim.counting(into: count.file("count")))
    #expect(first.status == 0, "\(first.words)")
    let whole = try #require(tree(out))
    #expect(!whole.isEmpty)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 1)
    for call in 1...max(writes, 1) {
      try FileManager.default.removeItem(atPath: out)
      #expect(try people.files() == before, "\(call) of \(writes)")
      let killed = try Command(convert, in: people.folder.path, environment: Shim.killing(at: call))
      #expect(killed.status == -9, "\(call) of \(writes): \(killed.words)")
      let left = tree(out)
      #expect(left == nil || left == whole, "\(call) of \(writes)")
      let next = try Command(convert, in: people.folder.path)
      // One that was killed when all was done has made it; what it has left is gone in any case.
      #expect(next.status == (left == nil ? 0 : 2), "\(call) of \(writes): \(next.words)")
      #expect(tree(out) == whole, "\(call) of \(writes)")
      #expect(try people.files() == (before + [arguments[0]]).sorted(), "\(call) of \(writes)")
    }
  }

  @Test("a version that comes into a folder with others is there as a whole or not at all")
  func killedVersion() throws {
    let people = try People(3)
    let convert = ["model", "convert", "m.yaml", "--output", "out.xcdatamodeld"]
    try FileManager.default.createDirectory(
      atPath: people.folder.file("out.xcdatamodeld/Old.xcdatamodel"), withIntermediateDirectories: true)
    let killed = try Command(convert, in: people.folder.path, environment: Shim.killing(at: 1))
    #expect(killed.status == -9)
    #expect(tree(people.folder.file("out.xcdatamodeld/M.xcdatamodel")) == nil)
    let next = try Command(convert, in: people.folder.path)
    #expect(next.status == 0, "\(next.words)")
    let names = try FileManager.default.contentsOfDirectory(atPath: people.folder.file("out.xcdatamodeld")).sorted()
    #expect(names == ["M.xcdatamodel", "Old.xcdatamodel"])
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
