import Foundation
import MergewalkTestSupport
import Testing

/// Families whose stores have files beside them.
@Suite("Families with files beside their stores", .enabled(if: Shim.isThere, "there is no C compiler to fail with"))
struct StoresFilesTests {
  private static let countries = ["DE", "FR"]

  private func family() throws -> Family {
    let family = try Family()
    try family.folder.write(
      """
      entities:
        Item:
          attributes:
            code: string!
            country: string
            photo: { type: binary, external_storage: true }
          unique: [code]
      """, to: "model.yaml")
    let pipeline = try family.text("items.yaml").replacing("amount: amount", with: "photo: photo")
    try family.folder.write(pipeline, to: "items.yaml")
    return family
  }

  /// Writes items with photos of a kind; those of one country have two files, those of the other one.
  private func write(_ family: Family, kind: UInt8) throws {
    let rows = [["a1", "DE"], ["a2", "FR"], ["a3", "DE"]].enumerated().map { number, row in
      row + [Data(repeating: kind + UInt8(number), count: 150_000).base64EncodedString()]
    }
    try family.folder.write(Family.csv(rows, header: "code,country,photo"), to: "items.csv")
  }

  /// All files of a family that are published.
  private func everything(_ family: Family, _ out: String) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: family.folder.file(out)) {
      let isOurs = ["_plan", "_spool", "_parts", "_attempts"].contains { name.hasPrefix($0) }
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: family.folder.file("\(out)/\(name)"), isDirectory: &isFolder)
      if !isOurs, !isFolder.boolValue { result[name] = try family.bytes("\(out)/\(name)") }
    }
    return result
  }

  @Test("files that no store names any more go when a family takes the place of another")
  func replaced() throws {
    let family = try family()
    for kind in [UInt8(1), 10, 10] {
      try write(family, kind: kind)
      #expect(try family.build().status == 0)
      #expect(try everything(family, "out").keys.filter { $0.contains("_EXTERNAL_DATA/") }.count == 3)
    }
    for country in Self.countries {
      let check = try Command(
        ["store", "verify", "\(country).sqlite", "--model", "../model.yaml"], in: family.folder.file("out"))
      #expect(
        check.status == 0 && !(check.output + check.words).contains("orphanFile"), "\(check.output)\(check.words)")
    }
    // What nobody named before goes too.
    let stray = "out/.DE_SUPPORT/_EXTERNAL_DATA/00000000-0000-4000-8000-000000000001"
    try family.folder.write("x", to: stray)
    #expect(try family.stores("commit", "out").status == 0)
    #expect(!family.exists(stray))
  }

  @Test(
    "empty folders that a process has left which was killed while it removed them go with the next commit",
    arguments: [".DE_SUPPORT", ".DE_SUPPORT/_EXTERNAL_DATA"])
  func emptyFolders(name: String) throws {
    let family = try family()
    let rows = [["a1", "DE", "AQID"], ["a2", "FR", "AQID"]]
    try family.folder.write(Family.csv(rows, header: "code,country,photo"), to: "items.csv")
    #expect(try family.build().status == 0)
    try FileManager.default.createDirectory(
      atPath: family.folder.file("out/" + name), withIntermediateDirectories: true)
    #expect(try family.stores("commit", "out").status == 0)
    #expect(!family.exists("out/.DE_SUPPORT"))
  }

  @Test("a commit that fails at any write is given again, without any task")
  func commits() throws {
    let family = try family()
    try write(family, kind: 1)
    #expect(try family.build().status == 0)
    try write(family, kind: 10)
    #expect(try family.stores("plan", "items.yaml", "--out", "out").status == 0)
    #expect(try family.stores("task", "out").status == 0)
    func copy(_ name: String) throws {
      try FileManager.default.copyItem(atPath: family.folder.file("out"), toPath: family.folder.file(name))
    }
    try copy("wanted")
    let count = TemporaryFolder()
    #expect(
      try family.stores("commit", "wanted", environment: Shim.counting(into: count.file("count"))).status == 0)
    let writes = Int(try String(contentsOfFile: count.file("count"), encoding: .utf8)) ?? 0
    #expect(writes > 10)
    let wanted = try everything(family, "wanted")
    for point in 1...writes {
      try copy("failing")
      let first = try family.stores("commit", "failing", environment: Shim.failing(at: point, EIO))
      let place: Comment = "write \(point) of \(writes): \(first.words)"
      #expect([0, 2].contains(first.status), place)
      let second = try family.stores("commit", "failing")
      #expect(second.status == 0, "\(place): \(second.words)")
      #expect(try everything(family, "failing") == wanted, place)
      try family.remove("failing")
    }
  }
}
