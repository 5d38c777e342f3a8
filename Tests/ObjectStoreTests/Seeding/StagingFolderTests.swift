import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkObjectStore

@Suite("Folders in which files are made ready")
struct StagingFolderTests {
  @Test("what was published is taken back, unless it has replaced something")
  func takingBack() throws {
    let folder = TemporaryFolder()
    try folder.write("old", to: "kept")
    let staging = try StagingFolder(forStore: folder.file("store"))
    let names = ["kept", "new"]
    for name in names { try Data("new".utf8).write(to: URL(fileURLWithPath: staging.file(name))) }
    let moves = names.map { (from: staging.file($0), to: folder.file($0)) }
    try staging.note(published: moves)
    for (from, to) in moves { try FileSystem.rename(from, to: to) }
    staging.takeBackPublished()
    #expect(try String(contentsOfFile: folder.file("kept"), encoding: .utf8) == "new")
    #expect(!FileManager.default.fileExists(atPath: folder.file("new")))
  }

  @Test("the files that a store names are taken back with it only", arguments: [false, true])
  func storeInUse(isChanged: Bool) throws {
    let folder = TemporaryFolder()
    let data = folder.file(".store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let staging = try StagingFolder(forStore: folder.file("store"))
    for name in ["file", "sqlite"] { try Data(name.utf8).write(to: URL(fileURLWithPath: staging.file(name))) }
    let moves = [
      (from: staging.file("file"), to: data + "/file"), (from: staging.file("sqlite"), to: folder.file("store")),
    ]
    try staging.note(published: moves)
    for (from, to) in moves { try FileSystem.rename(from, to: to) }
    if isChanged { try folder.write("changed by its user", to: "store") }
    staging.takeBackPublished()
    #expect(FileManager.default.fileExists(atPath: folder.file("store")) == isChanged)
    #expect(FileManager.default.fileExists(atPath: data + "/file") == isChanged)
    #expect(FileManager.default.fileExists(atPath: folder.file(".store_SUPPORT")) == isChanged)
  }

  @Test("the folder around external data goes, where a process was killed when it had taken back the data alone")
  func emptySupportFolder() throws {
    let folder = TemporaryFolder()
    let support = folder.file(".store_SUPPORT")
    try FileManager.default.createDirectory(atPath: support, withIntermediateDirectories: false)
    let staging = try StagingFolder(forStore: folder.file("store"))
    try FileManager.default.createDirectory(atPath: staging.file("files"), withIntermediateDirectories: false)
    try staging.note(published: [(from: staging.file("files"), to: support + "/_EXTERNAL_DATA")])
    staging.takeBackPublished()
    #expect(!FileManager.default.fileExists(atPath: support))
  }
}
