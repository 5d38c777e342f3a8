import Foundation
import MergewalkTestSupport
import Testing

/// Sources may have columns that are called as those of the sheets that rejects are edited in.
@Suite("Editing rejects with columns of the sheet's names")
struct RejectsEditNamesTests {
  @Test(
    "a record with such a column is edited as a whole, and nothing of it is lost",
    arguments: ["_raw", "_reject", "_reason", "_Raw"], ["csv", "ndjson"])
  func names(name: String, format: String) throws {
    let folder = TemporaryFolder()
    try folder.write(
      "entities: { K: { attributes: { code: string!, n: integer64, own: string }, unique: [code] } }", to: "m.yaml")
    let text =
      format == "csv" ? "code,n,\(name)\na,zwei,mine\n" : "{\"code\":\"a\",\"n\":\"zwei\",\"\(name)\":\"mine\"}\n"
    try folder.write(text, to: "in.\(format)")
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      source: in.\(format)
      import: { entity: K, find_by: [code], attributes: { n: n, own: \(name) } }
      rejects: r.ndjson
      """, to: "p.yaml")
    func command(_ arguments: String...) throws -> Command { try Command(arguments, in: folder.path) }
    #expect(try command("run", "p.yaml").status == 1)
    #expect(try command("rejects", "edit", "r.ndjson", "--pipeline", "p.yaml", "--out", "sheet").status == 0)
    let sheet = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("sheet") })
    let edited = try String(contentsOfFile: folder.file(sheet), encoding: .utf8)
    // The reason names the value, too; only the record's own is put right.
    try folder.write(
      edited.replacingOccurrences(of: "a,zwei,", with: "a,2,")
        .replacingOccurrences(of: "\\\"n\\\":\\\"zwei\\\"", with: "\\\"n\\\":2")
        .replacingOccurrences(of: "\"n\":\"zwei\"", with: "\"n\":2"), to: sheet)
    let apply = try command("rejects", "edit", "r.ndjson", "--pipeline", "p.yaml", "--apply", sheet)
    #expect(apply.status == 0, "\(apply.words)")
    let replay = try command("rejects", "replay", "r.ndjson", "--pipeline", "p.yaml")
    #expect(replay.status == 0, "\(replay.words)")
    let rows = try command("fetch", "s.sqlite", "--entity", "K", "--columns", "code,n,own", "--format", "csv")
    #expect(rows.output == "code,n,own\na,2,mine\n")
  }
}
