import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// XML and binary stores migrate as SQLite stores do: when they are opened, in stages, and by a mapping.
@Suite struct FileStoreMigrationTests {
  private let folder = TemporaryFolder()

  // 1: a text. 2: a title too. 3: the note is called Memo, and its title is required.
  private static func model(_ number: Int) throws -> ManagedObjectModel {
    var note = Models.entity(
      number < 3 ? "Note" : "Memo", attributes: [Models.attribute("text", .string)],
      relationships: [Models.toMany("tags", "Tag", inverse: "notes", ordered: true)])
    if number >= 2 {
      var title = Models.attribute("title", .string, optional: number < 3)
      title.defaultValue = .string("untitled")
      note.attributes.append(title)
    }
    if number >= 3 { note.renamingIdentifier = "Note" }
    var draft = ModelDraft()
    draft.name = "V\(number)"
    draft.entities = [
      note,
      Models.entity(
        "Tag", attributes: [Models.attribute("name", .string)],
        relationships: [Models.toMany("notes", number < 3 ? "Note" : "Memo", inverse: "tags")]),
    ]
    return try ManagedObjectModel(draft)
  }

  /// A store of version 1 with three notes and a tag; the URI of a note comes back.
  private func fill(_ path: String, _ type: PersistentStoreType) throws -> String {
    let coordinator = PersistentStoreCoordinator(model: try Self.model(1))
    try coordinator.addStore(type: type, at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    let tag = try context.insert("Tag")
    try tag.setValue(.string("t"), forKey: "name")
    var last: ManagedObject?
    for number in 0..<3 {
      let note = try context.insert("Note")
      try note.setValue(.string("text \(number)"), forKey: "text")
      try note.add(tag, to: "tags")
      last = note
    }
    try context.save()
    let uri = try #require(last).objectID.uri
    try coordinator.close()
    return uri
  }

  /// What the store holds, opened with a version of the model and without migrating.
  private func check(_ path: String, _ type: PersistentStoreType, _ number: Int, title: String?, uri: String) throws {
    let coordinator = PersistentStoreCoordinator(model: try Self.model(number))
    try coordinator.addStore(type: type, at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    let notes = try context.fetchAll(number < 3 ? "Note" : "Memo")
    #expect(notes.names("text") == ["text 0", "text 1", "text 2"])
    if let title { #expect(notes.names("title") == [title, title, title]) }
    #expect(notes.last?.objectID.uri.split(separator: "/").last == uri.split(separator: "/").last)
    #expect(notes.last.map { uri.contains($0.objectID.storeUUID) } == true)
    #expect(try notes.map { try $0.objects(forKey: "tags").names() } == [["t"], ["t"], ["t"]])
    try coordinator.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
  }

  @Test(arguments: [PersistentStoreType.xml, .binary])
  func automatic(_ type: PersistentStoreType) throws {
    let path = folder.file("store")
    let uri = try fill(path, type)
    var options = PersistentStoreOptions()
    let coordinator = PersistentStoreCoordinator(model: try Self.model(2))
    #expect(throws: StoreError.self) { try coordinator.addStore(type: type, at: path, options: options) }
    options.migratesAutomatically = true
    options.infersMapping = true
    try coordinator.addStore(type: type, at: path, options: options)
    try coordinator.close()
    try check(path, type, 2, title: "untitled", uri: uri)
  }

  @Test(
    "a store that is migrated when it is opened says what is removed",
    arguments: [PersistentStoreType.sqlite, .xml, .binary])
  func removed(_ type: PersistentStoreType) throws {
    let path = folder.file("store")
    _ = try fill(path, type)
    var draft = try Self.model(2).draft
    draft.entities[0].attributes.removeAll { $0.name == "text" }
    let model = try ManagedObjectModel(draft)
    var options = PersistentStoreOptions()
    (options.migratesAutomatically, options.infersMapping) = (true, true)
    for expected in [["attribute Note.text 3"], nil] {
      let coordinator = PersistentStoreCoordinator(model: model)
      let store = try coordinator.addStore(type: type, at: path, options: options)
      #expect(store.migration?.removed.map { "\($0.kind.rawValue) \($0.name) \($0.count ?? -1)" } == expected)
      try coordinator.close()
    }
  }

  @Test("a copy of the store is not written over, but by the same copy", arguments: [PersistentStoreType.xml, .binary])
  func copies(_ type: PersistentStoreType) throws {
    let path = folder.file("store")
    _ = try fill(path, type)
    let store = try Data(contentsOf: URL(fileURLWithPath: path))
    let copy = try folder.write("mine", to: "copy")
    var options = StoreMigrator.Options()
    options.backupPath = copy
    let versions = ModelVersionList([ModelVersionList.Version(try Self.model(1))])
    let wanted = ModelVersionList.Version(try Self.model(2))
    #expect(throws: MigrationError.self) {
      try StoreMigrator.migrate(path: path, to: wanted, in: versions, options: options)
    }
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == store)
    try store.write(to: URL(fileURLWithPath: copy))
    try StoreMigrator.migrate(path: path, to: wanted, in: versions, options: options)
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == store)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != store)
  }

  @Test(arguments: [PersistentStoreType.xml, .binary])
  func staged(_ type: PersistentStoreType) throws {
    let path = folder.file("store")
    let uri = try fill(path, type)
    let versions = try (1...3).map { ModelVersionList.Version(try Self.model($0)) }
    let manager = StagedMigrationManager([
      LightweightMigrationStage([versions[0], versions[1]]),
      CustomMigrationStage(
        from: versions[1], to: versions[2],
        willMigrate: { context in
          for note in try context.fetchAll("Note") { try note.setValue(.string("own"), forKey: "title") }
        }),
    ])
    #expect(try manager.migrate(path) == ["V1", "V2", "V3"])
    try check(path, type, 3, title: "own", uri: uri)
    #expect(try manager.migrate(path).isEmpty)
  }

  @Test(arguments: [PersistentStoreType.xml, .binary])
  func mapping(_ type: PersistentStoreType) throws {
    let path = folder.file("store")
    let uri = try fill(path, type)
    try MigrationManager(from: try Self.model(1), to: try Self.model(2)).migrate(path)
    try check(path, type, 2, title: nil, uri: uri)
  }

  @Test("a mapping that fails leaves no copy", arguments: [PersistentStoreType.xml, .binary])
  func failedMapping(_ type: PersistentStoreType) throws {
    let path = folder.file("store")
    _ = try fill(path, type)
    let (old, new) = (try Self.model(1), try Self.model(2))
    var mapping = MappingModel.inferred(from: old, to: new)
    mapping["NoteToNote"]?.attributes["text"] = .compute { _, _ in throw CancellationError() }
    let manager = MigrationManager(from: old, to: new, mapping: mapping)
    #expect(throws: CancellationError.self) { try manager.migrate(path, backupPath: folder.file("copy")) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
  }

  @Test("a store whose version nobody knows says so and stays as it is")
  func unknownVersion() throws {
    let path = folder.file("store")
    _ = try fill(path, .xml)
    let before = FileManager.default.contents(atPath: path)
    let versions = [ModelVersionList.Version(try Self.model(2)), ModelVersionList.Version(try Self.model(3))]
    #expect(throws: MigrationError.self) {
      try StagedMigrationManager([LightweightMigrationStage(versions)]).migrate(path)
    }
    #expect(FileManager.default.contents(atPath: path) == before)
  }
}
