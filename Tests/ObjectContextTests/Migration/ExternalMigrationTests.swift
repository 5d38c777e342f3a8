import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Migrations of values in files beside the store")
struct ExternalMigrationTests {
  /// What the new version does with values in files.
  enum Change: CaseIterable { case none, intoRows, attributeGone, entityGone }

  private let folder = TemporaryFolder()
  private var path: String { folder.file("photos.sqlite") }
  private static let large = [UInt8](repeating: 7, count: 150_000)
  private static let other = [UInt8](repeating: 8, count: 150_000)

  /// Photos with an image, and notes with a scan.
  private static func version(_ change: Change) throws -> ModelVersionList.Version {
    var (image, scan) = (Models.attribute("image", .binary), Models.attribute("scan", .binary))
    image.allowsExternalBinaryDataStorage = change != .intoRows
    scan.allowsExternalBinaryDataStorage = true
    let name = Models.attribute("name", .string)
    var draft = ModelDraft()
    draft.name = "\(change)"
    draft.entities = [Models.entity("Photo", attributes: change == .attributeGone ? [name] : [name, image])]
    if change != .entityGone { draft.entities.append(Models.entity("Note", attributes: [scan])) }
    return ModelVersionList.Version(try ManagedObjectModel(draft))
  }

  /// A store with two photos and a note, whose values are in three files.
  private func fill() throws {
    let coordinator = PersistentStoreCoordinator(model: try Self.version(.none).model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    for (name, image) in [("a", Self.large), ("b", Self.other)] {
      let photo = try context.insert("Photo")
      try photo.setValue(.string(name), forKey: "name")
      try photo.setValue(.binary(image), forKey: "image")
    }
    let note = try context.insert("Note")
    try note.setValue(.binary(Self.large), forKey: "scan")
    try context.save()
    try coordinator.close()
    #expect(files().count == 3)
  }

  private func files() -> [String] { ExternalDataTests.names(in: folder.file(".photos_SUPPORT/_EXTERNAL_DATA")) }

  private func images(_ change: Change) throws -> [AttributeValue] {
    let coordinator = PersistentStoreCoordinator(model: try Self.version(change).model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    defer { withExtendedLifetime(context) {} }
    let photos = try context.fetchAll("Photo")
    let images = try ["a", "b"].map { name in
      try photos.first { try $0.value(forKey: "name") == .string(name) }?.value(forKey: "image") ?? .null
    }
    try coordinator.close()
    return images
  }

  private func findings(_ change: Change) throws -> [StoreFinding.Code] {
    try StoreVerifier.verify(path: path, model: try Self.version(change).model).findings
      .filter { $0.severity != .note }.map(\.code)
  }

  @Test(
    "files that no row names afterwards go, once that is committed; a copy of the store has its own",
    arguments: [(Change.intoRows, 2), (.attributeGone, 2), (.entityGone, 1)])
  func inferred(_ change: Change, _ removed: Int) throws {
    try fill()
    var options = StoreMigrator.Options()
    options.backupPath = folder.file("before.sqlite")
    let outcome = try StoreMigrator.migrate(
      path: path, to: try Self.version(change), in: ModelVersionList([]), options: options)
    #expect(outcome.removedFiles == removed && outcome.keptFiles == [])
    #expect(files().count == 3 - removed)
    if change != .attributeGone { #expect(try images(change) == [.binary(Self.large), .binary(Self.other)]) }
    #expect(try findings(change).isEmpty)
    #expect(ExternalDataTests.names(in: folder.file(".before_SUPPORT/_EXTERNAL_DATA")).count == 3)
  }

  @Test("they stay, and are named, where another store has the same folder")
  func shared() throws {
    try fill()
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("photos.db"))
    let outcome = try StoreMigrator.migrate(
      path: path, to: try Self.version(.entityGone), in: ModelVersionList([]))
    #expect(outcome.removedFiles == 0 && outcome.keptFiles.count == 1)
    #expect(files().count == 3)
  }

  @Test("they stay, and are named, also where a mapping model or stages make the store anew", arguments: [false, true])
  func sharedAndReplaced(isStaged: Bool) throws {
    try fill()
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("photos.db"))
    let former = files()
    let (old, new) = (try Self.version(.none), try Self.version(.entityGone))
    var kept: [String] = []
    if isStaged {
      var manager = StagedMigrationManager([LightweightMigrationStage([old, new])])
      manager.didKeepFiles = { kept = $0 }
      try manager.migrate(path)
    } else {
      let manager = MigrationManager(from: old.model, to: new.model)
      try manager.migrate(path)
      kept = manager.keptFiles
    }
    // A mapping model makes new objects, whose values are in new files.
    #expect(kept.count == (isStaged ? 1 : 3) && Set(kept).isSubset(of: former))
    #expect(Set(files()).isSuperset(of: former))
  }

  @Test("a value whose file is missing does not become the name of the file: nothing is migrated")
  func missing() throws {
    try fill()
    try FileManager.default.removeItem(atPath: folder.file(".photos_SUPPORT"))
    let path = path
    let error = #expect(throws: MigrationError.self) {
      try StoreMigrator.migrate(path: path, to: try Self.version(.intoRows).model)
    }
    #expect(error?.code == .store)
    #expect(try findings(.none) == [.missingFile])
  }

  @Test("a mapping model takes values in files along", arguments: [Change.none, .intoRows, .entityGone])
  func mapped(_ change: Change) throws {
    try fill()
    try MigrationManager(from: try Self.version(.none).model, to: try Self.version(change).model).migrate(path)
    #expect(try images(change) == [.binary(Self.large), .binary(Self.other)])
    #expect(files().count == (change == .none ? 3 : change == .intoRows ? 1 : 2))
    #expect(try findings(change).isEmpty)
  }

  @Test("work between stages may write values that go into files, and replace some", arguments: [false, true])
  func staged(hasMapping: Bool) throws {
    try fill()
    let (old, new) = (try Self.version(.none), try Self.version(.entityGone))
    let mapping = hasMapping ? MappingModel.inferred(from: old.model, to: new.model) : nil
    let stage = CustomMigrationStage(
      from: old, to: new, mapping: mapping,
      didMigrate: { context in
        for photo in try context.fetchAll("Photo") {
          guard try photo.value(forKey: "name") == .string("a") else { continue }
          try photo.setValue(.binary(Self.large + [1]), forKey: "image")
        }
      })
    try StagedMigrationManager([stage]).migrate(path)
    #expect(try images(.entityGone) == [.binary(Self.large + [1]), .binary(Self.other)])
    #expect(files().count == 2)
    #expect(try findings(.entityGone).isEmpty)
  }
}
