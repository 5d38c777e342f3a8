import Foundation
import MergewalkTestSupport
import Testing

/// Inputs that are edited between a kill and the next run, behind the place up to which they were read.
@Suite("Inputs that are edited under an unfinished run", .enabled(if: Shim.isThere))
struct EditedInputTests {
  private func unfinished() throws -> People {
    let people = try People(10, more: "batch: { records: 500 }")
    try people.input(1...20_000, age: 2)
    let count = TemporaryFolder()
    let whole = try People(10, more: "batch: { records: 500 }")
    try whole.input(1...20_000, age: 2)
    #expect(try whole.run(environment: Shim.counting(into: count.file("count"))).status == 0)
    let writes = try #require(Int(String(contentsOfFile: count.file("count"), encoding: .utf8)))
    #expect(try people.run(environment: Shim.killing(at: writes / 3)).status == -9)
    return people
  }

  /// Changes one byte far behind the place, and far from the end.
  private func edit(_ people: People) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: people.folder.file("in.csv")))
    let bytes = try people.bytes("in.csv")
    let place = try #require(bytes.range(of: Data(",2\n".utf8), in: bytes.count * 3 / 4..<bytes.count))
    try file.seek(toOffset: UInt64(place.lowerBound + 1))
    try file.write(contentsOf: Data("3".utf8))
    try file.close()
  }

  @Test("are refused, also when the file's time was set back", arguments: [false, true])
  func refused(setsBack: Bool) throws {
    let people = try unfinished()
    let path = people.folder.file("in.csv")
    let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    try edit(people)
    if setsBack, let before {
      try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: path)
    }
    let command = try people.run()
    #expect(command.status == 5, "\(command.words)")
    #expect(command.words.contains("inputChanged"), "\(command.words)")
    #expect(try people.run("--restart").status == 0)
    #expect(try people.count(age: 3) == 1)
  }

  @Test("are those that they were when nobody has written to them")
  func same() throws {
    let people = try unfinished()
    let command = try people.run("--json")
    #expect(command.status == 0, "\(command.words)")
    #expect(try command.object()["resumed_after"] as? Int ?? 0 > 0)
  }
}
