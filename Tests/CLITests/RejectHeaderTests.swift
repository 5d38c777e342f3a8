import Foundation
import MergewalkTestSupport
import Testing

/// What a replay knows of the columns of the files that its records are from.
@Suite("The columns of rejected records") struct RejectHeaderTests {
  private let folder = TemporaryFolder()
  private static let sources = ["files: [1.csv, 2.csv]", "files: all.tar, member: '*'"]

  /// Has a second pass reject a record of each of two files, whose columns have different orders.
  ///
  /// - Returns: the rejects, with the records put right.
  private func reject(_ source: String) throws -> String {
    try folder.write(
      """
      model: M
      entities:
        Item:
          attributes: { code: string!, amount: integer64 }
          relationships: { parent: { to_one: Item, inverse: children }, children: { to_many: Item, inverse: parent } }
          unique: [code]
      """, to: "m.yaml")
    try folder.write("code,parent,amount\na,,1\nb,x,2\n", to: "1.csv")
    try folder.write("amount,code,parent\n3,c,\n4,d,y\n", to: "2.csv")
    #expect(try Command.shell("tar -cf all.tar 1.csv 2.csv", in: folder.path).status == 0)
    try folder.write(
      """
      model: m.yaml
      store: s.sqlite
      rejects: r.ndjson
      source: { format: csv, \(source) }
      import:
        entity: Item
        find_by: [code]
        attributes: [amount]
        relationships: { parent: { find_by: { code: parent }, missing: reject } }
      """, to: "p.yaml")
    #expect(try Command(["run", "p.yaml", "--quiet"], in: folder.path).status == 1)
    let text = try String(contentsOfFile: folder.file("r.ndjson"), encoding: .utf8)
    return text.replacing("b,x,2", with: "b,a,2").replacing("4,d,y", with: "4,d,c")
  }

  private func replay(_ text: String) throws -> Command {
    try folder.write(text, to: "right.ndjson")
    return try Command(
      ["rejects", "replay", "right.ndjson", "--pipeline", "p.yaml", "--json", "--quiet"], in: folder.path)
  }

  @Test("what a second pass rejects can be replayed without its file", arguments: sources)
  func secondPass(source: String) throws {
    let text = try reject(source)
    for name in ["1.csv", "2.csv", "all.tar"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
    let replay = try replay(text)
    #expect(replay.status == 0, "\(replay.words)")
    #expect(try replay.object()["inserted"] as? Int == 2)
  }

  @Test("where no line has the columns, those of the record's own file are asked for", arguments: sources)
  func fromFile(source: String) throws {
    let text = try reject(source).replacing(",\"header\":\"code,parent,amount\"", with: "")
      .replacing(",\"header\":\"amount,code,parent\"", with: "")
    #expect(!text.contains("\"header\""))
    let replay = try replay(text)
    #expect(replay.status == 0, "\(replay.words)")
    #expect(try replay.object()["inserted"] as? Int == 2)
  }
}
