import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Checks of real stores", .enabled(if: Locations.shared != nil))
struct RealVerifyTests {
  private let folder = TemporaryFolder()

  @Test("real stores pass, with their models", arguments: RealStore.withModel)
  func withModel(_ real: RealStore) throws {
    let report = try StoreVerifier.verify(path: try real.copy(to: folder), model: try real.readModel())
    #expect(report.findings.filter { $0.code != .log } == [])
    #expect(report.modelSource == .given)
  }

  @Test("real stores pass, with the copies of their models that they carry", arguments: RealStore.all)
  func withCache(_ real: RealStore) throws {
    let path = try real.copy(to: folder)
    let before = try FileContents.read(path)
    let report = try StoreVerifier.verify(path: path)
    #expect(report.findings.filter { $0.code != .log } == [])
    #expect(report.modelSource == .cache)
    #expect(try FileContents.read(path) == before)
  }

  @Test("the copy of the model has the hashes and the layout of the store", arguments: RealStore.all)
  func cache(_ real: RealStore) throws {
    let connection = try Connection(path: try real.copy(to: folder), mode: .readWrite)
    let model = try #require(try ModelCache.read(connection))
    let schema = StoreSchema(model: model)
    #expect(try StoreMetadata.read(connection).hashes == ModelHashes(schema))
    let select = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%' AND name NOT IN"
        + " ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')")
    var tables = Set<String>()
    while try select.step() { tables.insert(select.text(0)) }
    #expect(tables == Set(schema.createTableStatements()))
  }

  @Test("indexes regenerated from the copy of the model equal the store's", arguments: RealStore.all)
  func cachedIndexes(_ real: RealStore) throws {
    let connection = try Connection(path: try real.copy(to: folder), mode: .readWrite)
    let schema = StoreSchema(model: try #require(try ModelCache.read(connection)))
    let version = try StoreMetadata.read(connection).frameworkVersion ?? 0
    let select = try connection.prepare("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    var found = Set<String>()
    while try select.step() { found.insert(select.text(0)) }
    let expected = schema.indexes.map { index in
      guard version <= 754, index.origin == .attribute else { return index.sql }
      return "CREATE INDEX \(index.table)_\(index.columns[0])_INDEX ON \(index.table) (\(index.columns[0]))"
    }
    #expect(found == Set(expected))
  }

  @Test(
    "compiled models have the hashes of their sources",
    arguments: [
      ("swiftgen/Model.momd/Model.mom", "swiftgen/Model.xcdatamodeld", "Model"),
      ("swiftgen/Model.momd/Model 2.mom", "swiftgen/Model.xcdatamodeld", "Model 2"),
      (
        "xcserver/XCServerCoreData.momd/XCServerCoreData.mom", "xcserver/XCServerCoreData.xcdatamodeld",
        "XCServerCoreData"
      ),
      (
        "xcserver/XCServerCoreData.momd/XCServerCoreData1.2.0.mom", "xcserver/XCServerCoreData.xcdatamodeld",
        "XCServerCoreData1.2.0"
      ),
    ])
  func compiled(_ archive: String, _ source: String, _ version: String) throws {
    let bytes = Array(try FileContents.read(Locations.shared("coredata/" + archive)))
    let compiled = StoreSchema(model: try ManagedObjectModel(try #require(ArchivedModel.read(bytes))))
    let model = try ManagedObjectModel(ModelReader.read(Locations.shared("coredata/" + source), version: version))
    #expect(ModelHashes(compiled) == ModelHashes(StoreSchema(model: model)))
    #expect(compiled.createTableStatements() == StoreSchema(model: model).createTableStatements())
    // What only programs use comes along: requests, fetched properties, the classes of transformable values.
    let (read, written) = (compiled.model.draft, model.draft)
    func texts(_ requests: [FetchRequestTemplate]) -> Set<String> {
      Set(
        requests.map { request in
          let predicate = request.predicateText.flatMap { try? ObjectPredicate(format: $0) }
          return "\(request.name) \(request.entityName) \(request.resultType) \(predicate?.description ?? "all")"
        })
    }
    #expect(texts(read.fetchRequestTemplates) == texts(written.fetchRequestTemplates))
    for entity in written.entities {
      let other = try #require(read.entities.first { $0.name == entity.name })
      #expect(other.fetchedProperties.map(\.name) == entity.fetchedProperties.map(\.name))
      #expect(texts(other.fetchedProperties.map(\.fetchRequest)) == texts(entity.fetchedProperties.map(\.fetchRequest)))
      func classes(_ entity: EntityDraft) -> [String: String] {
        let named = entity.attributes.filter { $0.type == .transformable && $0.customClassName != nil }
        return Dictionary(named.map { ($0.name, $0.customClassName ?? "") }) { first, _ in first }
      }
      #expect(classes(other) == classes(entity))
    }
  }

  @Test("the numbers of a real store are read without a model")
  func info() throws {
    let real = try #require(RealStore.all.first { $0.store == "duckduckgo/Bookmarks_V4.sqlite" })
    let path = try real.copy(to: folder)
    let info = try StoreInfo.read(path: path)
    #expect(info.entities.map(\.name) == ["BookmarkEntity"])
    #expect(info.entities.map(\.objects) == [10])
    #expect(info.entities.map(\.maximum) == [10])
    #expect(info.metadata.frameworkVersion == 1333)
    #expect(info.hasModelCache)
    #expect(info.isWriteAhead)
    #expect(info.logBytes == 41232)
    #expect(!info.hasHistory)
  }
}
