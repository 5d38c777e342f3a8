import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct VersionHashTests {
  @Test func `the hash of Xcode's template entity is the known one`() throws {
    var entity = EntityDraft(name: "Event")
    var timeStamp = AttributeDescription(name: "timeStamp", type: .date)
    timeStamp.isOptional = true
    entity.attributes = [timeStamp]
    var draft = ModelDraft()
    draft.entities = [entity]
    let model = try ManagedObjectModel(draft)
    #expect(
      model.versionHash(of: model.entities[0]).hexadecimal
        == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
  }

  @Test(
    .enabled(if: Locations.shared != nil),
    arguments: [
      (
        "xcserver/XCServerCoreData.xcdatamodeld/XCServerCoreData1.2.0.xcdatamodel", "CommitChange",
        "bb5015e7cc5926ee57fc07084bc87b4239d96f7cf47fddee6961c7cf81002fcb"
      ),
      (
        "duckduckgo/SyncMetadata.xcdatamodeld/SyncMetadata 3.xcdatamodel", "SyncableSettingsMetadata",
        "d3b4d556db699538ab922ef424e5a35caa7ed626f29a1d8f03bf509c3d737c2d"
      ),
      (
        "duckduckgo/SyncMetadata.xcdatamodeld/SyncMetadata 3.xcdatamodel", "SyncFeatureEntity",
        "289b89703a3216afe973a07e1889534d8650777e44ef899930569c6721eac357"
      ),
      (
        "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel", "BookmarkEntity",
        "6a086c9544c0adc6674e37b1a2cd4bc7edcd94de224c61fc603864844cb5f8f6"
      ),
      (
        "swiftgen/Model.xcdatamodeld/Model 2.xcdatamodel", "ChildEntity",
        "96fa39f22126c3dfca07e8b20088bf7b3a1fb3a6842d2a9e1b603312eff96f07"
      ),
      (
        "swiftgen/Model.xcdatamodeld/Model 2.xcdatamodel", "NewEntity",
        "a1d2c1d335618c265d2ffbd01c2bafe655aa0e0a82bc9f1ceba0c8b5b1d73264"
      ),
    ])
  func `published hashes come out`(model: String, entity: String, expected: String) throws {
    let model = try Examples.freeze(model)
    let description = try #require(model.entity(named: entity))
    #expect(model.versionHash(of: description).hexadecimal == expected)
  }

  @Test func `digest and checksum follow the hashes in name order`() throws {
    // Grocery-Dude's published hashes cannot be rebuilt without its model; the rule is checked on a store below.
    var draft = ModelDraft()
    draft.entities = ["b", "B", "a"].map { EntityDraft(name: $0) }
    let model = try ManagedObjectModel(draft)
    #expect(model.versionHashes.map(\.name) == ["B", "a", "b"])
  }

  @Test(.enabled(if: Locations.shared != nil))
  func `the published digest and checksum come out`() throws {
    let model = try Examples.freeze("duckduckgo/SyncMetadata.xcdatamodeld/SyncMetadata 3.xcdatamodel")
    #expect(
      model.versionHashesDigest
        == "7JWfU0xmS3IPFF52TGXSFXUZa1Qep5S4UrWN5w+CErIaLxp0rYoMraOHWZodtjiMa3Og/MwRJeXpB4IQKrWvYQ==")
    #expect(model.versionChecksum == "GuHTA/HnFj+qOrWtQ82hDdTCKqWSki1JPVIij/T8COs=")
  }

  /// Every store with a model in the examples.
  @Test(
    .enabled(if: Locations.shared != nil),
    arguments: [
      ("duckduckgo/Bookmarks_V1.sqlite", "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel"),
      ("duckduckgo/Bookmarks_V2.sqlite", "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 2.xcdatamodel"),
      ("duckduckgo/Bookmarks_V3.sqlite", "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 3.xcdatamodel"),
      ("duckduckgo/Bookmarks_V4.sqlite", "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel"),
      ("duckduckgo/SyncMetadata_V3.sqlite", "duckduckgo/SyncMetadata.xcdatamodeld/SyncMetadata 3.xcdatamodel"),
      (
        "xcserver/XCServerCoreData_1.2.0.sqlite",
        "xcserver/XCServerCoreData.xcdatamodeld/XCServerCoreData1.2.0.xcdatamodel"
      ),
      (
        "xcserver/XCServerCoreData_1.2.0_empty.sqlite",
        "xcserver/XCServerCoreData.xcdatamodeld/XCServerCoreData1.2.0.xcdatamodel"
      ),
    ])
  func `a model's hashes equal those of its real store`(store: String, model: String) throws {
    let metadata = try Examples.metadata(ofStore: store)
    let model = try Examples.freeze(model)
    let expected = Examples.hashes(metadata["NSStoreModelVersionHashes"])
    #expect(!expected.isEmpty)
    #expect(model.hashesByName.mapValues(\.hexadecimal) == expected.mapValues(\.hexadecimal))
    if let digest = metadata["NSStoreModelVersionHashesDigest"] as? String {
      #expect(model.versionHashesDigest == digest)
    }
    if let checksum = metadata["NSStoreModelVersionChecksumKey"] as? String {
      #expect(model.versionChecksum == checksum)
    }
  }

  @Test func `the list beside a compiled model has its hashes and its checksum`() throws {
    let text = "entities: { A: { attributes: { k: string } }, B: {} }"
    let model = try ManagedObjectModel(ModelReader.parse(Array(text.utf8), path: "m.yaml"))
    let list =
      try PropertyListSerialization.propertyList(
        from: Data(ModelWriter.versionInfo(model, version: "V")), format: nil) as? [String: Any]
    let checksums = list?["NSManagedObjectModel_VersionChecksums"] as? [String: String]
    #expect(checksums == ["V": model.versionChecksum])
    let hashes = list?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
    #expect(
      hashes?["V"]?.mapValues { Array($0) }
        == Dictionary(uniqueKeysWithValues: model.versionHashes.map { ($0.name, $0.hash) }))
  }

  @Test(.enabled(if: Locations.shared != nil), arguments: ["xcserver/XCServerCoreData", "swiftgen/Model"])
  func `all versions in a compiled model's VersionInfo agree`(base: String) throws {
    let data = try Data(
      contentsOf: URL(fileURLWithPath: Locations.shared("coredata/\(base).momd/VersionInfo.plist")))
    let list = try Examples.propertyList(data)
    let versions = try #require(list["NSManagedObjectModel_VersionHashes"] as? [String: Any])
    let sources = Set(try ModelReader.versions(Locations.shared("coredata/\(base).xcdatamodeld")).names)
    var compared = 0
    for (version, hashes) in versions where sources.contains(version) {
      let model = try Examples.freeze("\(base).xcdatamodeld/\(version).xcdatamodel")
      let expected = Examples.hashes(hashes)
      #expect(model.hashesByName.mapValues(\.hexadecimal) == expected.mapValues(\.hexadecimal), "version \(version)")
      compared += 1
    }
    #expect(compared == sources.count, "every version whose source is there is in VersionInfo: \(versions.keys)")
  }

  @Test(.enabled(if: Locations.shared != nil), arguments: Examples.models)
  func `every example model freezes without errors`(path: String) throws {
    let draft = try ModelReader.read(Locations.shared("coredata/" + path))
    let findings = ModelLint.check(draft)
    let errors = findings.filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(DiagnosticList(errors))")
    let model = try ManagedObjectModel(draft)
    #expect(model.entities.count == draft.entities.count)
    #expect(path.contains(draft.name))
  }
}
