import Foundation
import MergewalkTestSupport
import Testing

/// A limit that is exceeded in the middle, by records that would be few among all: a kill must not make the run forget it.
@Suite("Limits of runs that are killed", .enabled(if: Shim.isThere))
struct KilledLimitTests {
  private static let more = "batch: { records: 20 }\nrejects: { file: rejects.ndjson, ratio: 10%, minimum: 60 }"

  @Test("a run over its ratio that is killed anywhere is over it when it is started again")
  func ratio() throws {
    let template = try People(300, more: Self.more)
    let lines = (1...300).map { "p\($0)@example.com,\((61...100).contains($0) && $0 % 2 == 0 ? "x" : "2")\n" }
    try template.folder.write("email,age\n" + lines.joined(), to: "in.csv")
    func copy() throws -> People {
      let copy = try People(more: Self.more)
      for name in ["s.sqlite", "in.csv"] {
        try FileManager.default.copyItem(atPath: template.folder.file(name), toPath: copy.folder.file(name))
      }
      return copy
    }
    let count = TemporaryFolder()
    let whole = try copy()
    let undisturbed = try whole.run("--json", environment: Shim.counting(into: count.file("count")))
    #expect(undisturbed.status == 3)
    let read = try undisturbed.object()["read"] as? Int
    #expect(try whole.bytes("s.sqlite") == template.bytes("s.sqlite"))
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 10)
    for call in Set(stride(from: 1, through: writes, by: 6)).union(max(1, writes - 6)...writes).sorted() {
      let people = try copy()
      #expect(try people.run(environment: Shim.killing(at: call)).status == -9, "\(call) of \(writes)")
      let next = try people.run("--json")
      #expect(next.status == 3, "\(call) of \(writes): \(next.words)")
      #expect(try next.object()["read"] as? Int == read, "\(call) of \(writes): it reads no further than the other one")
      #expect(try people.bytes("s.sqlite") == template.bytes("s.sqlite"), "\(call) of \(writes)")
      #expect(try people.files().filter { $0.hasPrefix(".") } == [], "\(call) of \(writes)")
    }
  }
}
