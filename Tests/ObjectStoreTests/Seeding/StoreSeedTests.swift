import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkTestSupport
import Testing

@Suite("The mark of default data")
struct StoreSeedTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  @Test("IM22: a mark that is not complete, or not one at all, counts for nothing")
  func im22Damaged() throws {
    try StoreFile.create(path: path, model: try Models.zoo()).finish()
    var metadata = try StoreMetadata.read(path: path)
    metadata[StoreSeed.key] = .array([
      .dictionary([.init("identity", .string("a")), .init("complete", .boolean(false))]),
      .dictionary([.init("identity", .string("a"))]), .string("a"), .integer(1),
    ])
    #expect(metadata.seeds == [])
    metadata[StoreSeed.key] = .string("a")
    #expect(!metadata.hasSeed("a"))
  }

  @Test("IM22: marks are kept in order beside the keys that are not ours, and none leaves no key")
  func im22Several() throws {
    try StoreFile.create(path: path, model: try Models.zoo()).finish()
    let file = try StoreFile.open(path: path, model: try Models.zoo())
    var metadata = file.metadata
    metadata["MyApp"] = .string("kept")
    metadata.seeds = [StoreSeed(identity: "a", digest: "00"), StoreSeed(identity: "b")]
    try file.begin()
    try file.writeMetadata(metadata)
    try file.finish()
    var found = try StoreMetadata.read(path: path)
    #expect(found.seeds == [StoreSeed(identity: "a", digest: "00"), StoreSeed(identity: "b")])
    #expect(found["MyApp"] == .string("kept"))
    #expect(found.hasSeed("b"))
    found.seeds = []
    #expect(found[StoreSeed.key] == nil)
  }
}
