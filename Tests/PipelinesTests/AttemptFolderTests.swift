import Foundation
import MergewalkTestSupport
import Synchronization
import Testing

@testable import MergewalkPipelines

@Suite("Folders of attempts")
struct AttemptFolderTests {
  private final class Found: Sendable {
    let isOver = Mutex(false)
    let lost = Mutex(0)
  }

  @Test("an attempt has its folder to its end, however often others sweep what attempts have left")
  func swept() throws {
    let folder = TemporaryFolder()
    let files = FamilyFiles(folder: folder.path)
    try files.make()
    let found = Found()
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      guard number == 0 else {
        while !found.isOver.withLock({ $0 }) { AttemptFolder.sweep(files) }
        return
      }
      for _ in 0..<2000 {
        let attempt = try? AttemptFolder(files)
        AttemptFolder.sweep(files)
        let isThere = attempt.map { FamilyFiles.identity($0.path) != nil } ?? false
        if !isThere { found.lost.withLock { $0 += 1 } }
      }
      found.isOver.withLock { $0 = true }
    }
    #expect(found.lost.withLock { $0 } == 0)
  }
}
