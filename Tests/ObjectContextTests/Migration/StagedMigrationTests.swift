import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Staged migration")
struct StagedMigrationTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("notes.sqlite") }

  // 1: text. 2: a title, optional. 3: the title is required. 4: the note is called Memo and has a length.
  private static func version(_ number: Int) throws -> ModelVersionList.Version {
    let text = Models.attribute("text", .string)
    var entity = Models.entity("Note", attributes: [text])
    if number >= 2 { entity.attributes.append(Models.attribute("title", .string, optional: number < 3)) }
    if number >= 4 {
      entity.name = "Memo"
      entity.renamingIdentifier = "Note"
      entity.attributes.append(Models.attribute("length", .integer32))
    }
    var draft = ModelDraft()
    draft.name = "V\(number)"
    draft.entities = [entity]
    return ModelVersionList.Version(try ManagedObjectModel(draft))
  }

  /// Versions 1 to 4 by inference, all of one name, in two stages.
  private static func alike() throws -> [any MigrationStage] {
    let versions = try (1...4).map { ModelVersionList.Version(try version($0).model, name: "Notes") }
    return [LightweightMigrationStage(Array(versions[..<2])), LightweightMigrationStage(Array(versions[1...]))]
  }

  private func fill(_ version: ModelVersionList.Version) throws {
    let coordinator = PersistentStoreCoordinator(model: version.model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    for i in 0..<9 {
      let note = try context.insert("Note")
      try note.setValue(.string("text \(i)"), forKey: "text")
      if version.name != "V1", i == 4 { try note.setValue(.string("own"), forKey: "title") }
    }
    try context.save()
    try coordinator.close()
  }

  private static func stages(_ log: @escaping (String) -> Void = { _ in }) throws -> [any MigrationStage] {
    [
      LightweightMigrationStage([try version(1), try version(2)], label: "titles"),
      CustomMigrationStage(
        from: try version(2), to: try version(3), label: "titles for all",
        willMigrate: { context in
          log("will")
          try context.forEachObject(of: "Note") { note in
            if try note.value(forKey: "title") == .null {
              try note.setValue(note.value(forKey: "text"), forKey: "title")
            }
          }
        }, didMigrate: { _ in log("did") }),
      CustomMigrationStage(
        from: try version(3), to: try version(4), label: "memos",
        didMigrate: { context in
          try context.forEachObject(of: "Memo") { memo in
            guard case .string(let text) = try memo.value(forKey: "text") else { return }
            try memo.setValue(.integer(Int64(text.utf16.count)), forKey: "length")
          }
        }),
    ]
  }

  private func titles() throws -> [AttributeValue] {
    let coordinator = PersistentStoreCoordinator(model: try Self.version(4).model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    let memos = try context.fetchAll("Memo")
    #expect(try memos.allSatisfy { try $0.value(forKey: "length") == .integer(6) })
    let result = try memos.map { try $0.value(forKey: "title") }
    try coordinator.close()
    return result
  }

  @Test("versions may be called alike")
  func calledAlike() throws {
    try fill(Self.version(2))
    let path = path
    let manager = StagedMigrationManager(try Self.alike())
    let error = #expect(throws: MigrationError.self) { try manager.migrate(path) }
    #expect(error?.code == .data)
    let coordinator = PersistentStoreCoordinator(model: try Self.version(2).model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    for note in try context.fetchAll("Note") { try note.setValue(.string("same"), forKey: "title") }
    try context.save()
    try coordinator.close()
    #expect(try manager.migrate(path) == ["Notes", "Notes"])
    #expect(try StoreVerifier.verify(path: path, model: try Self.version(4).model).isSound)
  }

  @Test("AP13: version 1 goes to 4 through lightweight and custom stages with work before and after")
  func ap13OneToFour() throws {
    try fill(Self.version(1))
    var log: [String] = []
    var manager = StagedMigrationManager(try Self.stages { log.append($0) })
    manager.progress = { log.append($0.label) }
    #expect(try manager.migrate(path, backupPath: folder.file("before.sqlite")) == ["V1", "V2", "V3", "V4"])
    #expect(log == ["titles", "titles for all", "will", "did", "memos"])
    #expect(try titles() == (0..<9).map { .string("text \($0)") })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["before.sqlite", "notes.sqlite"])
    #expect(try StoreVerifier.verify(path: path, model: try Self.version(4).model).isSound)
    #expect(try manager.migrate(path) == [])
  }

  @Test("AP13: a store begins with the stage that knows its version")
  func ap13FromTheMiddle() throws {
    try fill(Self.version(2))
    #expect(try StagedMigrationManager(try Self.stages()).migrate(path) == ["V2", "V3", "V4"])
    #expect(try titles() == (0..<9).map { .string($0 == 4 ? "own" : "text \($0)") })
  }

  @Test("AP13: an error in the last stage leaves the store as it was")
  func ap13Failure() throws {
    struct Stop: Error {}
    try fill(Self.version(1))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    var stages = try Self.stages()
    stages[2] = CustomMigrationStage(
      from: try Self.version(3), to: try Self.version(4), didMigrate: { _ in throw Stop() })
    #expect(throws: Stop.self) { try StagedMigrationManager(stages).migrate(path) }
    // Without the handler some titles are missing.
    stages[1] = LightweightMigrationStage([try Self.version(3)])
    let error = #expect(throws: MigrationError.self) { try StagedMigrationManager(stages).migrate(path) }
    #expect(error?.findings.map(\.code) == [.missingValues])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["notes.sqlite"])
  }

  @Test("AP13: a store of a version that no stage has is refused")
  func ap13Unknown() throws {
    try fill(Self.version(1))
    let manager = StagedMigrationManager([LightweightMigrationStage([try Self.version(2), try Self.version(3)])])
    let error = #expect(throws: MigrationError.self) { try manager.migrate(path) }
    #expect(error?.code == .noSourceModel)
  }

  /// A stage from version 1 to 3 with a mapping model, and the last one.
  private static func mapped() throws -> [any MigrationStage] {
    var mapping = MappingModel.inferred(from: try version(1).model, to: try version(3).model)
    mapping["NoteToNote"]?.attributes["title"] = try .format("uppercase:($source.text)")
    return [CustomMigrationStage(from: try version(1), to: try version(3), mapping: mapping), try stages()[2]]
  }

  @Test("AP13: a custom stage may have a mapping model")
  func ap13Mapping() throws {
    try fill(Self.version(1))
    #expect(try StagedMigrationManager(try Self.mapped()).migrate(path) == ["V1", "V3", "V4"])
    #expect(try titles() == (0..<9).map { .string("TEXT \($0)") })
  }

  @Test("the data that a stage by inference removes are named in the end")
  func removed() throws {
    try fill(Self.version(1))
    var draft = try Self.version(2).model.draft
    draft.name = "V2"
    draft.entities[0].attributes.removeAll { $0.name == "text" }
    let without = ModelVersionList.Version(try ManagedObjectModel(draft))
    var removed: [String] = []
    var manager = StagedMigrationManager([LightweightMigrationStage([try Self.version(1), without])])
    manager.didRemove = { removed.append("\($0.kind.rawValue) \($0.name) \($0.count ?? -1)") }
    try manager.migrate(path)
    #expect(removed == ["attribute Note.text 9"])
  }

  @Test("what an app has added and a stage does not keep is named in the end", arguments: [false, true])
  func additions(hasMapping: Bool) throws {
    try fill(Self.version(1))
    let app = try Connection(path: path, mode: .readWrite)
    try app.execute(
      "CREATE TABLE app_log (t); CREATE VIEW texts AS SELECT ZTEXT FROM ZNOTE; ALTER TABLE ZNOTE ADD COLUMN mine")
    try app.close()
    var lost: [String] = []
    var manager = StagedMigrationManager(try hasMapping ? Self.mapped() : Self.stages())
    manager.didLose = { lost.append("\($0.kind.rawValue) \($0.name)") }
    try manager.migrate(path)
    #expect(lost == ["column ZNOTE.MINE", "view texts"])
    let after = try Connection(path: path, mode: .readOnly)
    #expect(try after.integer("SELECT count(*) FROM app_log") == 0)
  }
}
