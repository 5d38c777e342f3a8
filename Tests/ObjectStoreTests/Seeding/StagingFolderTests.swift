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
}
