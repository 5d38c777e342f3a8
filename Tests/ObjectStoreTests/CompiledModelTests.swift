import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Compiled models: as files, and as the copy that stores carry.
@Suite("Compiled models")
struct CompiledModelTests {
  private let folder = TemporaryFolder()

  /// `A` with a text and whatever a test adds.
  private func archive(_ add: (inout ModelArchive, inout ModelArchive.Entity) -> Void) -> [UInt8] {
    var archive = ModelArchive()
    var entity = ModelArchive.Entity(name: "A")
    entity.properties.append(archive.attribute("name"))
    add(&archive, &entity)
    var other = ModelArchive.Entity(name: "B")
    other.properties.append(archive.attribute("title"))
    return archive.bytes([entity, other])
  }

  private func model(_ bytes: [UInt8]) throws -> ManagedObjectModel {
    try ManagedObjectModel(try #require(ArchivedModel.read(bytes)))
  }

  /// A store of a model with a cache of Apple's kind; the hashes of some entities are not those of the model.
  private func store(_ model: ManagedObjectModel, cache: [UInt8], changed: Set<String> = []) throws -> String {
    let path = folder.file("store.sqlite")
    let file = try StoreFile.create(path: path, model: model)
    try file.connection.execute("INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'x')")
    try file.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'A'")
    try file.finish()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    let insert = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?)")
    insert.bind(1, copying: try Deflate.deflate(cache))
    try insert.run()
    var metadata = try StoreMetadata.read(connection)
    metadata["MergewalkModel"] = nil
    let hashes = metadata.hashes.entities.map { entity in
      PropertyList.Entry(
        entity.name, .data(changed.contains(entity.name) ? [UInt8](repeating: 7, count: 32) : entity.hash))
    }
    metadata[StoreMetadata.Key.hashes] = .dictionary(hashes)
    metadata[StoreMetadata.Key.digest] = .string(metadata.hashes.digest)
    try metadata.write(connection)
    try connection.close()
    return path
  }

  @Test("a fetched property whose request is not understood is left out of a file, and said")
  func strangeRequest() throws {
    let bytes = archive { archive, entity in
      let request = archive.object("NSFetchRequest", [("NSResultType", .integer(77))])
      entity.properties.append(
        (
          "others",
          archive.object(
            "NSFetchedPropertyDescription", [("NSPropertyName", archive.text("others")), ("NSFetchRequest", request)])
        ))
    }
    let draft = try #require(ArchivedModel.read(bytes))
    #expect(draft.readerFindings.contains { $0.message.contains("“A.others”") })
    #expect(draft.incompleteEntities.isEmpty)
    #expect(try #require(ArchivedModel.read(bytes, for: .cache)).readerFindings.isEmpty)
  }

  @Test("an element of an index that is an expression is no property")
  func expressionIndex() throws {
    let bytes = archive { archive, entity in
      let path = archive.object("NSKeyPathSpecifierExpression", [("NSKeyPath", archive.text("entity"))])
      let arguments = archive.list([path])
      let expression = archive.object("NSKeyPathExpression", [("NSArguments", arguments)])
      let property = archive.object("NSExpressionDescription", [("NSExpression", expression)])
      let element = archive.object(
        "NSFetchIndexElementDescription",
        [
          ("NSPropertyName", archive.text("expression1")), ("NSIndexedProperty", property),
          ("NSAscending", .boolean(true)),
        ])
      let plain = archive.object(
        "NSFetchIndexElementDescription", [("NSPropertyName", archive.text("name")), ("NSAscending", .boolean(true))])
      entity.indexes.append(
        archive.object(
          "NSFetchIndexDescription",
          [("NSIndexName", archive.text("byKind")), ("NSIndexElements", archive.list([element, plain]))]))
    }
    let draft = try #require(ArchivedModel.read(bytes))
    #expect(draft.entities[0].fetchIndexes.first?.elements.map(\.propertyName) == [nil, "name"])
    #expect(draft.entities[0].fetchIndexes.first?.elements.first?.expression == "entity")
    #expect(draft.readerFindings.isEmpty)
    let path = try store(try model(bytes), cache: bytes)
    #expect(try StoreModel.find(path: path).source == .cache)
    #expect(try StoreInfo.read(path: path).modelProblem == nil)
  }

  @Test("a maximum of -1 is none, and stays in the hash")
  func negativeMaximum() throws {
    func bytes(_ maximum: Int64) -> [UInt8] {
      archive { archive, entity in entity.properties.append(archive.relationship("bs", to: "B", maximum: maximum)) }
    }
    let model = try model(bytes(-1))
    #expect(model.entities[0].relationships[0].isToMany)
    #expect(model.versionChecksum != (try self.model(bytes(0)).versionChecksum))
    let path = try store(model, cache: bytes(-1))
    #expect(try StoreModel.find(path: path).source == .cache)
  }

  /// What a later framework could put into a cache; the entity `B` stays as it is.
  private static let unknowns: [(String, @Sendable (inout ModelArchive, inout ModelArchive.Entity) -> Void)] = [
    ("type", { $1.properties.append($0.attribute("odd", type: 4711)) }),
    ("kind", { $1.properties.append($0.attribute("odd", kind: "NSQuantumDescription")) }),
    ("composite", { $1.properties.append($0.attribute("odd", type: 2100, kind: "NSCompositeAttributeDescription")) }),
    ("derived", { $1.properties.append($0.attribute("odd", kind: "NSDerivedAttributeDescription")) }),
    ("destination", { $1.properties.append($0.relationship("odd", to: "Nowhere")) }),
    ("inverse", { $1.properties.append($0.relationship("odd", to: "B", inverse: "gone", maximum: 1)) }),
  ]

  @Test("what is unknown in a cache is left out and said; the rest serves", arguments: unknowns.map(\.0))
  func unknown(name: String) throws {
    let add = try #require(Self.unknowns.first { $0.0 == name }).1
    let bytes = archive(add)
    let known = try model(archive { _, _ in })
    let read = try model(bytes)
    #expect(read.entities.map(\.name) == ["A", "B"])
    #expect(read.draft.readerFindings.contains { $0.message.contains("A.odd") }, "\(read.draft.readerFindings)")
    #expect(read.draft.readerFindings.allSatisfy { $0.severity == .warning })
    let path = try store(name == "inverse" ? read : known, cache: bytes, changed: ["A"])
    let found = try StoreModel.find(path: path)
    #expect(found.source == .cache)
    #expect(!found.notes.isEmpty)
    let info = try StoreInfo.read(path: path)
    #expect(info.modelProblem == nil)
    #expect(info.modelNotes == found.notes)
    let report = try StoreVerifier.verify(path: path)
    #expect(report.isSound, "\(report.findings)")
    #expect(report.findings.contains { $0.code == .modelCache && $0.message.contains("A.odd") })
  }

  @Test("a cache that differs in an entity without gaps is not trusted")
  func stale() throws {
    let bytes = archive { $1.properties.append($0.attribute("odd", type: 4711)) }
    let path = try store(try model(archive { _, _ in }), cache: bytes, changed: ["B"])
    #expect(try #require(throws: StoreError.self) { try StoreModel.find(path: path) }.code == .noModel)
    let info = try StoreInfo.read(path: path)
    #expect(info.modelProblem?.contains("not that of its data") == true)
  }

  @Test("a name that the compiler has taken is read")
  func reserved() throws {
    let model = try model(archive { $1.properties.append($0.attribute("description")) })
    #expect(model.entities[0].attribute(named: "description") != nil)
  }

  @Test("compiled models are read like others: file, folder, version, and the optimised form by its neighbour")
  func files() throws {
    let bytes = archive { _, _ in }
    let newer = archive { $1.properties.append($0.attribute("more")) }
    for (name, content) in [("Shop.mom", bytes), ("Shop 2.mom", newer), ("Shop 2.omo", Array("momv2$x".utf8))] {
      try folder.write(content, to: "Shop.momd/" + name)
    }
    let list = PropertyList.dictionary([
      PropertyList.Entry("NSManagedObjectModel_CurrentVersionName", .string("Shop 2"))
    ])
    try folder.write(BinaryPropertyListWriter.write(list), to: "Shop.momd/VersionInfo.plist")
    let path = folder.file("Shop.momd")
    #expect(try ModelReader.read(path).name == "Shop 2")
    #expect(try ModelReader.read(path).entities[0].attributes.map(\.name) == ["name", "more"])
    #expect(try ModelReader.read(path, version: "Shop").entities[0].attributes.map(\.name) == ["name"])
    #expect(try ModelReader.read(path + "/Shop.mom").name == "Shop")
    #expect(try ModelReader.read(path + "/Shop 2.omo").entities[0].attributes.count == 2)
    #expect(try ModelVersionList(path: path).versions.map(\.name) == ["Shop", "Shop 2"])
    #expect(try ManagedObjectModel(mergingFilesAt: [folder.path]).entities.count == 2)
    // A store finds its version in the folder.
    let store = try store(try model(bytes), cache: [])
    #expect(try StoreModel.find(path: store, modelAt: path).model.draft.name == "Shop")
    try folder.write(Array("momv2$x".utf8), to: "Alone.omo")
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.read(folder.file("Alone.omo")) }
    #expect(error?.diagnostics.map(\.code) == ["compiledModel"])
  }
}

@Suite("Real libraries of Photos", .enabled(if: Locations.shared != nil))
struct PhotosLibraryTests {
  @Test(
    "their models are read from the stores, and nothing that Apple wrote is an error",
    arguments: [("Test-Empty-Library-Ventura-13-5", 61), ("Test-RAW-10.15.1", 53)])
  func photos(name: String, entities: Int) throws {
    let folder = TemporaryFolder()
    for suffix in ["", "-wal"] {
      let bytes = try FileContents.read(Locations.shared("coredata-more/photos/\(name).sqlite\(suffix)"))
      try folder.write(Array(bytes), to: "store.sqlite" + suffix)
    }
    let found = try StoreModel.find(path: folder.file("store.sqlite"))
    #expect(found.source == .cache)
    #expect(found.notes == [])
    #expect(found.model.entities.count == entities)
    let info = try StoreInfo.read(path: folder.file("store.sqlite"))
    #expect(info.modelProblem == nil)
    #expect(info.entities.count == entities)
    let report = try StoreVerifier.verify(path: folder.file("store.sqlite"))
    #expect(report.isSound, "\(report.findings)")
    #expect(report.checksRelationships)
  }
}
