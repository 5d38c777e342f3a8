import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Models of stores, found without naming them")
struct StoreModelTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.sqlite") }

  /// Makes an empty store.
  private func make(_ model: ManagedObjectModel, configuration: String? = nil) throws {
    try StoreFile.create(path: path, model: model, configuration: configuration).finish()
  }

  /// Changes the metadata of the store, and takes the other copy of the model away.
  private func edit(_ change: (inout StoreMetadata) -> Void) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    var metadata = try StoreMetadata.read(connection)
    change(&metadata)
    try metadata.write(connection)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()
  }

  private func hashes(_ model: ManagedObjectModel) -> ModelHashes { ModelHashes(StoreSchema(model: model)) }

  @Test("a store that we made says what its model is, word by word")
  func own() throws {
    let model = try Models.zoo()
    try make(model)
    let found = try StoreModel.find(path: path)
    #expect(found.source == .metadata)
    #expect(found.configuration == nil)
    #expect(ModelWriter.yaml(found.model.draft) == ModelWriter.yaml(model.draft))
    #expect(try StoreInfo.read(path: path).hasModelCopy)
  }

  @Test("a short model is kept as text, a long one compressed, and both come back")
  func lengths() throws {
    for count in [1, 5, 400] {
      var draft = ModelDraft()
      var entity = EntityDraft(name: "Thing")
      entity.isSyncable = true
      for i in 0..<count {
        var attribute = AttributeDescription(name: "größe\(i)", type: .string)
        attribute.isOptional = true
        entity.attributes.append(attribute)
      }
      draft.entities = [entity]
      let model = try ManagedObjectModel(draft)
      try make(model)
      let value = try StoreMetadata.read(path: path)["MergewalkModel"]
      #expect((value?.string != nil) == (count < 400))
      #expect((value?.data != nil) == (count == 400))
      #expect(try hashes(StoreModel.find(path: path).model) == hashes(model))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("a store of one configuration is found with it")
  func configuration() throws {
    var draft = ModelDraft()
    for name in ["Cloud", "Place"] {
      var entity = EntityDraft(name: name)
      entity.attributes = [AttributeDescription(name: "label", type: .string)]
      draft.entities.append(entity)
    }
    draft.configurations = [ModelConfiguration(name: "Places", entityNames: ["Place"])]
    let model = try ManagedObjectModel(draft)
    try make(model, configuration: "Places")
    let found = try StoreModel.find(path: path)
    #expect(found.configuration == "Places")
    #expect(found.model.entity(named: "Cloud") != nil)
    #expect(try StoreVerifier.verify(path: path).findings == [])
  }

  @Test("a copy with other hashes than the data's is not trusted")
  func stale() throws {
    try make(try Models.zoo())
    try edit { $0["MergewalkModel"] = .string("entities:\n  Other:\n    attributes: { a: string }\n") }
    let error = try #require(throws: StoreError.self) { try StoreModel.find(path: path) }
    #expect(error.code == .noModel)
    #expect(error.message.contains("--model"))
  }

  @Test(
    "a copy that is none is no crash",
    arguments: [
      PropertyList.string(""), .string("{"), .data([1, 2, 3]), .data([]), .integer(7), .array([]),
      .string(String(repeating: "[", count: 100_000)),
    ])
  func broken(_ value: PropertyList) throws {
    try make(try Models.zoo())
    try edit { $0["MergewalkModel"] = value }
    #expect(try #require(throws: StoreError.self) { try StoreModel.find(path: path) }.code == .noModel)
  }

  @Test("a store without a copy says what to do")
  func none() throws {
    let model = try Models.zoo()
    try make(model)
    try edit { $0["MergewalkModel"] = nil }
    let error = try #require(throws: StoreError.self) { try StoreModel.find(path: path) }
    #expect(error.code == .noModel)
    #expect(
      error.message
        == "the store carries no copy of its model; name the model with --model (an .xcdatamodeld or a YAML model)")
    #expect(try StoreModel.find(path: path, explicit: model).source == .given)
  }

  @Test("a given model that is another one is refused with the entities that differ")
  func other() throws {
    try make(try Models.zoo())
    var draft = try Models.zoo().draft
    draft.entities[0].versionHashModifier = "2"
    let other = try ManagedObjectModel(draft)
    let error = try #require(throws: StoreError.self) { try StoreModel.find(path: path, explicit: other) }
    #expect(error.code == .incompatibleModel)
    #expect(error.differences?.differing.contains(draft.entities[0].name) == true)
    try folder.write(ModelWriter.yaml(draft), to: "other.yaml")
    let list = try #require(throws: DiagnosticList.self) {
      try StoreModel.find(path: path, modelAt: folder.file("other.yaml"))
    }
    #expect(list.diagnostics.map(\.code) == ["incompatibleModel"])
    #expect(list.diagnostics.map(\.path) == [path])
  }

  @Test("what is no store is refused as elsewhere")
  func noStore() throws {
    #expect(try #require(throws: StoreError.self) { try StoreModel.find(path: path) }.code == .notFound)
    try folder.write("text", to: "store.sqlite")
    #expect(try #require(throws: StoreError.self) { try StoreModel.find(path: path) }.code == .notADatabase)
  }

  @Test(
    "stores that apps wrote say what their models are", .enabled(if: Locations.shared != nil), arguments: RealStore.all)
  func real(_ real: RealStore) throws {
    let path = try real.copy(to: folder)
    let found = try StoreModel.find(path: path)
    #expect(found.source == .cache)
    #expect(try hashes(found.model) == StoreMetadata.read(path: path).hashes)
    // The copy becomes YAML and back without loss.
    let text = ModelWriter.yaml(found.model.draft)
    let again = try ManagedObjectModel(ModelReader.parse(Array(text.utf8), path: "model.yaml"))
    #expect(hashes(again) == hashes(found.model))
    #expect(ModelWriter.yaml(again.draft) == text)
  }

  @Test(
    "of the versions of a model the one that fits the store is taken", .enabled(if: Locations.shared != nil),
    arguments: RealStore.withModel)
  func versions(_ real: RealStore) throws {
    let path = try real.copy(to: folder)
    let model = Locations.shared("coredata/" + (real.model ?? ""))
    let found = try StoreModel.find(path: path, modelAt: model)
    #expect(found.source == .given)
    #expect(try hashes(found.model) == StoreMetadata.read(path: path).hashes)
  }

  @Test(
    "the copies of apps have the defaults of their models", .enabled(if: Locations.shared != nil),
    arguments: RealStore.withModel)
  func defaults(_ real: RealStore) throws {
    let path = try real.copy(to: folder)
    let source = try #require(try real.readModel())
    let found = try StoreModel.find(path: path).model
    for entity in source.entities {
      let copy = try #require(found.entity(named: entity.name))
      for attribute in entity.attributes {
        #expect(
          copy.attribute(named: attribute.name)?.defaultValue == attribute.defaultValue,
          "\(entity.name).\(attribute.name)")
      }
    }
  }
}
