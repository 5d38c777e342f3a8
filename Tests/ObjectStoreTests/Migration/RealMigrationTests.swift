import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// The model versions of `../shared/coredata`, migrated one to the next.
@Suite("Real models migrate", .enabled(if: Locations.shared != nil))
struct RealMigrationTests {
  /// Two versions of a model, and what stands in the way of going from one to the other.
  struct Hop: Sendable, CustomTestStringConvertible {
    var model: String
    var from: String
    var to: String
    var refused: Set<String> = []
    var testDescription: String { "\(from) to \(to)" }
  }

  private static func hops(_ model: String, _ versions: [String], refused: [Int: Set<String>] = [:]) -> [Hop] {
    zip(versions, versions.dropFirst()).enumerated().map { index, pair in
      Hop(model: model, from: pair.0, to: pair.1, refused: refused[index] ?? [])
    }
  }

  static let all: [Hop] =
    hops(
      "kodeco/UnCloudNotesDataModel.xcdatamodeld",
      ["UnCloudNotesDataModel", "UnCloudNotesDataModel v2", "UnCloudNotesDataModel v3", "UnCloudNotesDataModel v4"])
    + hops(
      "moody/Moody.xcdatamodeld", ["Moody", "Moody 2", "Moody 3", "Moody 4", "Moody 5", "Moody 6"])
    + hops(
      "duckduckgo/BookmarksModel.xcdatamodeld",
      ["BookmarksModel", "BookmarksModel 2", "BookmarksModel 3", "BookmarksModel 4"])
    + hops(
      "duckduckgo/SyncMetadata.xcdatamodeld", ["SyncMetadata", "SyncMetadata 2", "SyncMetadata 3", "SyncMetadata 4"])
    + hops(
      "xcserver/XCServerCoreData.xcdatamodeld",
      ["XCServerCoreData", "XCServerCoreData1.1.0", "XCServerCoreData1.2.0"])
    + hops("swiftgen/Model.xcdatamodeld", ["Model", "Model 2"], refused: [0: ["SecondaryEntity.name missingDefault"]])
    + hops("momcom/momcomTests.xcdatamodeld", ["momcTests", "momcTests 2"])

  private static func model(_ path: String, _ version: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(ModelReader.read(Locations.shared("coredata/" + path), version: version))
  }

  @Test("one version to the next, with random stores", arguments: all, [UInt64(1), 2])
  func oneToTheNext(_ hop: Hop, seed: UInt64) throws {
    let (old, new) = (try Self.model(hop.model, hop.from), try Self.model(hop.model, hop.to))
    let mapping = InferredMapping(from: old, to: new)
    let found = Set(mapping.findings.map { "\($0.entity).\($0.property ?? "") \($0.code.rawValue)" })
    #expect(found == hop.refused, "\(mapping.findings)")
    guard found.isEmpty else { return }
    let bench = try MigrationBench(old, new, seed: seed)
    let after = try bench.migrate()
    #expect(bench.differences(after) == [], "seed \(seed)")
  }

  /// Each version of a model with each other one, there and back.
  static let pairs: [Hop] = Dictionary(grouping: all, by: \.model).sorted { $0.key < $1.key }.flatMap { model, hops in
    let versions = Set(hops.flatMap { [$0.from, $0.to] }).sorted()
    return versions.flatMap { from in
      versions.filter { $0 != from }.map { Hop(model: model, from: from, to: $0) }
    }
  }

  @Test("every pair of versions migrates, or is refused with a reason")
  func allPairs() throws {
    var clean = 0
    var refused: [String: Int] = [:]
    for pair in Self.pairs {
      let (old, new) = (try Self.model(pair.model, pair.from), try Self.model(pair.model, pair.to))
      let mapping = InferredMapping(from: old, to: new)
      guard mapping.findings.isEmpty else {
        refused[mapping.findings[0].code.rawValue, default: 0] += 1
        continue
      }
      let bench = try MigrationBench(old, new, seed: 3)
      do throws(MigrationError) {
        try StoreMigrator.migrate(path: bench.path, to: new)
        clean += 1
      } catch {
        #expect(error.code == .data && !error.findings.isEmpty, "\(pair): \(error)")
        refused[error.findings.first?.code.rawValue ?? "none", default: 0] += 1
        continue
      }
      try MigrationBench.expectFresh(bench.path, new)
    }
    let reasons = refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print("version pairs: \(Self.pairs.count), migrated \(clean), refused \(refused.values.reduce(0, +)) (\(reasons))")
    #expect(Self.pairs.count == 76)
    #expect(clean >= 40)
    #expect(refused["none"] == nil)
  }

  @Test("the stores of DuckDuckGo go to the last version and say what they said", arguments: ["1", "2", "3"])
  func bookmarks(version: String) throws {
    let folder = TemporaryFolder()
    let store = try RealStore(store: "duckduckgo/Bookmarks_V\(version).sqlite").copy(to: folder)
    let name = version == "1" ? "BookmarksModel" : "BookmarksModel \(version)"
    let path = "duckduckgo/BookmarksModel.xcdatamodeld"
    let (old, new) = (try Self.model(path, name), try Self.model(path, "BookmarksModel 4"))
    let before = try StoreDump(store, old)
    let list = try ModelVersionList(
      [name, "BookmarksModel 4"].map { ModelVersionList.Version(try Self.model(path, $0)) })
    let outcome = try StoreMigrator.migrate(path: store, to: ModelVersionList.Version(new), in: list)
    #expect(outcome.versions == [name, "BookmarksModel 4"])
    try MigrationBench.expectFresh(store, new)
    let after = try StoreDump(store, new)
    for property in ["title", "url", "uuid", "isFolder", "parent", "children", "favorites"] {
      #expect(after.values("BookmarkEntity", property) == before.values("BookmarkEntity", property), "\(property)")
    }
    #expect(after.values("BookmarkEntity", "favoriteFolders") == before.values("BookmarkEntity", "favoriteFolder"))
    #expect(after.values("BookmarkEntity", "favorites").values.contains { !$0.isEmpty })
  }

  @Test("a store of Xcode Server goes back a version and forth again")
  func xcodeServer() throws {
    let folder = TemporaryFolder()
    let store = try RealStore(store: "xcserver/XCServerCoreData_1.2.0.sqlite").copy(to: folder)
    let path = "xcserver/XCServerCoreData.xcdatamodeld"
    let (old, new) = (try Self.model(path, "XCServerCoreData1.2.0"), try Self.model(path, "XCServerCoreData1.1.0"))
    let before = try StoreDump(store, old)
    try StoreMigrator.migrate(path: store, to: new, from: old)
    try MigrationBench.expectFresh(store, new)
    try StoreMigrator.migrate(path: store, to: old, from: new)
    try MigrationBench.expectFresh(store, old)
    let after = try StoreDump(store, old)
    for (entity, objects) in before.objects {
      for (key, object) in objects {
        for (property, value) in object {
          let isLost =
            new.entity(named: entity)?.attribute(named: property) == nil
            && new.entity(named: entity)?.relationship(named: property) == nil
          #expect(after.objects[entity]?[key]?[property] == (isLost ? "NULL" : value), "\(entity).\(property)")
        }
      }
    }
  }
}
