import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines

@Suite struct NamesInUseTests {
  @Test("a name in other letters is in use where its file is that of one in use")
  func letters() throws {
    let folder = TemporaryFolder()
    for name in ["DE", "fr", "FR"] { try folder.write(name, to: name) }
    #expect(link(folder.file("DE"), folder.file("de")) == 0)
    let names = NamesInUse(["DE", "FR", "gone"])
    for name in ["DE", "FR", "de", "gone"] { #expect(names.contains(name, file: folder.file), "\(name)") }
    for name in ["fr", "dE", "GONE", "other"] { #expect(!names.contains(name, file: folder.file), "\(name)") }
  }
}
