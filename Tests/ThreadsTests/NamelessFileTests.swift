import MergewalkSystem
import MergewalkTestSupport
import MergewalkThreads
import Testing

@Suite("Files without names")
struct NamelessFileTests {
  @Test("a file has no name, and keeps what is written to it")
  func make() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.file("folder")
    #expect(mkdir(folder, 0o700) == 0)
    let file = NamelessFile.make(in: folder)
    #expect(file >= 0)
    // Only an empty folder can be removed.
    #expect(rmdir(folder) == 0)
    var bytes: [UInt8] = [1, 2, 3]
    #expect(pwrite(file, bytes, 3, 7) == 3)
    #expect(pread(file, &bytes, 3, 6) == 3)
    #expect(bytes == [0, 1, 2])
    #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
    close(file)
    #expect(NamelessFile.make(in: folder) == -1)
  }
}
