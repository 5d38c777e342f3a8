import MergewalkObjectStore
import MergewalkPropertyLists
import Testing

@Suite("What imports remember in a store's metadata")
struct MergewalkStateTests {
  @Test("what is set is there, by kind and by pipeline")
  func setting() {
    var metadata = StoreMetadata(uuid: "U", entries: [])
    metadata.mergewalk.cursors["orders"] = .string("2024-05-01")
    metadata.mergewalk.runs["orders"] = .integer(1)
    metadata.mergewalk.cursors["customers"] = .integer(7)
    #expect(metadata.mergewalk.cursors["orders"] == .string("2024-05-01"))
    #expect(metadata.mergewalk.runs["orders"] == .integer(1))
    #expect(metadata.mergewalk.runs["customers"] == nil)
    #expect(metadata.mergewalk.cursors.names == ["orders", "customers"])
  }

  @Test("a store that has nothing to remember does not have the key")
  func emptying() {
    var metadata = StoreMetadata(uuid: "U", entries: [])
    metadata.mergewalk.finished["orders"] = .integer(1)
    #expect(metadata[MergewalkState.key] != nil)
    metadata.mergewalk.finished["orders"] = nil
    #expect(metadata.entries.isEmpty)
  }

  @Test("what is not known is kept, and what is no dictionary is not trusted")
  func strangers() {
    var metadata = StoreMetadata(uuid: "U", entries: [])
    metadata[MergewalkState.key] = .dictionary([PropertyList.Entry("later", .integer(3))])
    metadata.mergewalk.runs["orders"] = .integer(1)
    metadata.mergewalk.runs["orders"] = nil
    #expect(metadata[MergewalkState.key] == .dictionary([PropertyList.Entry("later", .integer(3))]))
    metadata[MergewalkState.key] = .string("nonsense")
    #expect(metadata.mergewalk.runs.names.isEmpty)
  }
}
