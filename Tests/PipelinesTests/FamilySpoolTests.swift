import Foundation
import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines

@Suite("Families that are split and built in one process")
struct FamilySpoolTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      "entities:\n  Item:\n    attributes: { code: string!, country: string, amount: integer32 }\n    unique: [code]\n",
      to: "model.yaml")
    try folder.write(
      """
      pipeline: items
      model: model.yaml
      source: items.csv
      import: { entity: Item, find_by: code, attributes: { country: country, amount: amount } }
      stores: { by: country, missing: reject }
      """, to: "items.yaml")
    let rows = (0..<300).map { "a\($0),\(["DE", "FR", "NL"][$0 % 3]),\($0 == 7 ? "none" : "\($0)")\n" }
    try folder.write("code,country,amount\n" + rows.joined(), to: "items.csv")
  }

  private func plan(_ out: String) throws -> StoreFamily {
    let family = StoreFamily(folder: folder.file(out))
    _ = try family.plan(folder.file("items.yaml"))
    return family
  }

  private func code(_ body: () throws(FamilyError) -> Void) -> FamilyError.Code? {
    do throws(FamilyError) {
      try body()
      return nil
    } catch { return error.code }
  }

  @Test(
    "records and places that change between the split and the task are found, whatever time their file has",
    arguments: ["part.csv", "part.places"])
  func changed(file: String) throws {
    let family = try plan("out")
    let path = folder.file("out/_spool/by=FR/\(file)")
    let times = try FileManager.default.attributesOfItem(atPath: path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count - 3] ^= 1
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.write(contentsOf: bytes)
    try handle.close()
    let modified = try #require(times[.modificationDate])
    try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
    #expect(code { () throws(FamilyError) in _ = try family.task() } == .inputChanged)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/FR.sqlite")))
  }

  @Test("a spool that a copy of itself replaces is compared with the plan, and is as good")
  func copied() throws {
    let family = try plan("out")
    try FileManager.default.moveItem(atPath: folder.file("out/_spool"), toPath: folder.file("old"))
    try FileManager.default.copyItem(atPath: folder.file("old"), toPath: folder.file("out/_spool"))
    #expect(try family.task().built == 3)
  }

  @Test("what one process splits and builds has the bytes of what another one builds, through a link too")
  func sameBytes() throws {
    let family = try plan("one")
    #expect(try family.task(jobs: 2).built == 3)
    #expect(try family.commit().rejected == 1)
    try FileManager.default.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.file("two"), withDestinationPath: "real")
    _ = try plan("two")
    let other = StoreFamily(folder: folder.file("two"))
    #expect(try other.task().built == 3)
    _ = try other.commit()
    for name in ["DE.sqlite", "FR.sqlite", "NL.sqlite", "_SUCCESS", "_rejects.ndjson"] {
      let files = try ["one", "two", "real"].map {
        try Data(contentsOf: URL(fileURLWithPath: folder.file("\($0)/\(name)")))
      }
      #expect(files[0] == files[1] && files[1] == files[2], "\(name)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("two/_attempts")) == [])
  }

  @Test("a folder of one's own holds what is below it, and nothing beside it")
  func privateFolder() {
    #expect(!PrivateFolder.holds("/a/b/c"))
    PrivateFolder.$path.withValue("/a/b") {
      #expect(PrivateFolder.holds("/a/b/c") && PrivateFolder.holds("/a/b/c/d"))
      for path in ["/a/b", "/a/bc", "/a/b2/c", "a/b/c", "/a"] { #expect(!PrivateFolder.holds(path), "\(path)") }
    }
  }
}
