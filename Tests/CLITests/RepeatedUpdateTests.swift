import Foundation
import MergewalkTestSupport
import Testing

/// Records that change an object and change it back, with the policy `duplicates: last`.
@Suite("Records that change an object and change it back")
struct RepeatedUpdateTests {
  let folder = TemporaryFolder()

  private func write(_ rows: [String], mode: String = "upsert", to pipeline: String = "p.yaml") throws {
    try folder.write(
      """
      entities:
        Item:
          attributes: { code: string!, name: string, n: integer32 }
          unique: [code]
      """, to: "model.yaml")
    try folder.write("code,name,n\n" + rows.map { $0 + "\n" }.joined(), to: "items.csv")
    try folder.write(
      """
      pipeline: items
      model: model.yaml
      store: s.sqlite
      source: items.csv
      import: { entity: Item, find_by: code, mode: \(mode), attributes: { name: name, n: n } }
      """, to: pipeline)
  }

  private func run(_ arguments: [String] = [], _ pipeline: String = "p.yaml") throws -> [Int] {
    let command = try Command(["run", pipeline, "--json", "--quiet"] + arguments, in: folder.path)
    #expect(command.status == 0, "\(command.words)")
    let object = try command.object()
    let entity = (object["entities"] as? [String: [String: Any]])?["Item"] ?? [:]
    for name in ["updated", "unchanged"] { #expect(entity[name] as? Int == object[name] as? Int) }
    return ["inserted", "updated", "unchanged"].map { object[$0] as? Int ?? -1 }
  }

  private func rows() throws -> [String] {
    try PipelineSet.rows(
      folder.file("s.sqlite"), "SELECT ZCODE || ' ' || ZNAME || ' ' || ZN || ' ' || Z_OPT FROM ZITEM ORDER BY ZCODE")
  }

  private static let items = ["a,one,1", "b,one,1", "a,two,2", "c,one,1", "a,three,1", "c,one,2"]

  @Test(
    "each further run leaves the store alone, whatever the batches are",
    arguments: ["upsert", "update", "sync", "replace"], ["1", "2", "100"])
  func again(mode: String, batch: String) throws {
    try write(Self.items)
    #expect(try run(["--batch", batch]) == [3, 3, 0])
    try write(Self.items, mode: mode)
    let before = try rows()
    #expect(before.map { $0.prefix(9) } == ["a three 1", "b one 1 1", "c one 2 1"].map { $0.prefix(9) })
    for _ in 0..<2 {
      #expect(try run(["--batch", batch]) == [0, 0, 6])
      #expect(try rows() == before)
    }
  }

  @Test("what differs at the end is updated, and only that")
  func changed() throws {
    try write(Self.items)
    _ = try run()
    try write(["a,one,1", "a,three,9", "c,one,1", "c,one,2", "b,one,2"])
    #expect(try run(["--batch", "1"]) == [0, 3, 2])
    #expect(try rows().map { $0.dropLast(2) } == ["a three 9", "b one 2", "c one 2"])
  }

  @Test("a dry run says the same, and its sample of changes has none of them")
  func dry() throws {
    try write(Self.items)
    _ = try run()
    let command = try Command(
      ["run", "p.yaml", "--json", "--quiet", "--dry-run", "--diff", "5", "--batch", "1"], in: folder.path)
    let object = try command.object()
    #expect(object["updated"] as? Int == 0 && object["unchanged"] as? Int == 6, "\(command.words)")
    #expect((object["changes"] as? [Any])?.isEmpty == true)
  }

  @Test(
    "large values in files are compared by what they are: rows name the files of before, and no other stays",
    arguments: ["1", "100"], [false, true])
  func files(batch: String, hasSecondImport: Bool) throws {
    try folder.write(
      """
      entities:
        Item:
          attributes: { code: string!, name: string, photo: { type: binary, external_storage: true } }
          unique: [code]
      """, to: "model.yaml")
    let item = "entity: Item, find_by: code"
    let second =
      "\n  - { name: names, source: names.csv, import: { \(item), mode: update, attributes: { name: name } } }"
    try folder.write(
      """
      pipeline: items
      model: model.yaml
      store: s.sqlite
      imports:
        - { name: items, source: items.csv, import: { \(item), attributes: { photo: photo } } }\(hasSecondImport ? second : "")
      """, to: "p.yaml")
    // The value of before, one that is short, one of the same length, and that of before again.
    let first = "AQID" + String(repeating: "QUJD", count: 36_000)
    let other = "BAUG" + String(repeating: "QUJD", count: 36_000)
    try folder.write("code,name\na,x\na,y\na,x\n", to: "names.csv")
    func run(_ photos: [String]) throws -> [Int] {
      try folder.write("code,photo\n" + photos.map { "a,\($0)\n" }.joined(), to: "items.csv")
      return try self.run(["--batch", batch])
    }
    func photo() throws -> [String] { try PipelineSet.rows(folder.file("s.sqlite"), "SELECT hex(ZPHOTO) FROM ZITEM") }
    _ = try run([first])
    _ = try run([first])
    let before = try photo()
    let names = hasSecondImport ? 3 : 0
    for photos in [["AQID", first], [other, first], [other, "AQID", other, first]] {
      #expect(try run(photos) == [0, 0, photos.count + names])
      #expect(try photo() == before)
      #expect(try files() == 1)
    }
    // What differs at the end differs for all records that have changed the object.
    #expect(try run([first, other])[1] == (hasSecondImport ? 3 : 1))
    #expect(try photo() != before)
    #expect(try files() == 1)
    let verified = try Command(["store", "verify", "s.sqlite"], in: folder.path)
    #expect(verified.status == 0 && !verified.words.contains("orphan"), "\(verified.words)")
  }

  private func files() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder.file(".s_SUPPORT/_EXTERNAL_DATA")).count
  }
}
