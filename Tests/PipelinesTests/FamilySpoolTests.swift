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
    arguments: ["by=NL/part.csv", "part.places", "by=NL/part.places"])
  func changed(file: String) throws {
    if file == "by=NL/part.places" {
      // More places than a buffer has room for.
      let rows = (0..<70_000).map { "b\($0),NL,\($0)\n" }
      try folder.write("code,country,amount\nx,DE,1\n" + rows.joined(), to: "items.csv")
    }
    let family = try plan("out")
    let path = folder.file("out/_spool/\(file)")
    let times = try FileManager.default.attributesOfItem(atPath: path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count - 3] ^= 1
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.write(contentsOf: bytes)
    try handle.close()
    let modified = try #require(times[.modificationDate])
    try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
    #expect(code { () throws(FamilyError) in _ = try family.task() } == .inputChanged)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/NL.sqlite")))
  }

  @Test(
    "a store, or rejects, that change between the task and the commit of one process are found",
    arguments: ["FR.sqlite", "_parts/NL.rejects.ndjson"])
  func altered(file: String) throws {
    try folder.write("code,country,amount\na0,FR,1\na1,NL,none\na2,DE,2\n", to: "items.csv")
    let family = try plan("out")
    #expect(try family.task().built == 3)
    let path = folder.file("out/\(file)")
    let before = FileState(path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count - 3] ^= 1
    // Times of files are those of the kernel's clock, which ticks some hundred times per second.
    repeat {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.write(contentsOf: bytes)
      try handle.close()
    } while FileState(path) == before
    #expect(code { () throws(FamilyError) in _ = try family.commit() } == .incomplete)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/_SUCCESS")))
    #expect(try family.task().built == 1)
    #expect(try family.commit().rejected == 1)
  }

  @Test("a digest is known as long as the file is the same, under another name too")
  func knownDigests() throws {
    let known = KnownFiles()
    let path = folder.file("a")
    try folder.write("one", to: "a")
    let first = try #require(known.digest(path))
    #expect(first == FamilyFiles.digest(path))
    try FileManager.default.moveItem(atPath: path, toPath: folder.file("b"))
    known.move(path, to: folder.file("b"))
    #expect(known.digest(folder.file("b")) == first)
    #expect(known.digest(path) == nil)
    try folder.write("two", to: "c")
    try FileManager.default.removeItem(atPath: folder.file("b"))
    try FileManager.default.moveItem(atPath: folder.file("c"), toPath: folder.file("b"))
    #expect(known.digest(folder.file("b")) == FamilyFiles.digest(folder.file("b")))
    #expect(known.digest(folder.file("b")) != first)
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
