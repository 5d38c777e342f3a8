import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Parts of saves over several stores")
struct PartialSaveTests {
  static let pairs: [[PersistentStoreType]] = [[.sqlite, .sqlite], [.xml, .sqlite], [.sqlite, .binary]]

  private func save(_ atlas: Atlas, _ name: String) throws {
    _ = try atlas.insert("City", name)
    _ = try atlas.insert("Note", name, key: "about")
    try atlas.context.save()
  }

  @Test("the store that lacks a save is named until both are saved together", arguments: pairs, [0, 1])
  func missing(types: [PersistentStoreType], behind: Int) throws {
    let atlas = try Atlas(types)
    try save(atlas, "a")
    try atlas.coordinator.close()
    let former = try Bytes.read(atlas.path(behind))
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try save(atlas, "b")
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try atlas.coordinator.close()
    // As a machine leaves the files that stops between the two commits.
    try Bytes.write(former, to: atlas.path(behind))
    try atlas.reopen()
    let found = atlas.coordinator.partialSaves
    #expect(found.map(\.missingPath) == [atlas.path(behind)])
    #expect(found.map(\.path) == [atlas.path(1 - behind)])
    #expect(found.map(\.count) == [1])
    #expect(found.first?.description.hasPrefix("\(atlas.path(behind)) lacks 1 of the saves") == true)

    _ = try atlas.insert("City", "c")
    try atlas.context.save()
    #expect(atlas.coordinator.partialSaves == found, "a save to one of them brings nothing of the other")
    try save(atlas, "d")
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try atlas.verify()
  }

  @Test("what a store could not commit after another one is missing until it is saved")
  func failedCommit() throws {
    let atlas = try Atlas()
    try save(atlas, "a")
    // A deferred foreign key is checked when the transaction ends. The first store commits last.
    let connection = atlas.stores[0].connection
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE target (x PRIMARY KEY);
      CREATE TABLE reference (x REFERENCES target DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER bad AFTER INSERT ON ZPLACE BEGIN INSERT INTO reference VALUES (1); END
      """)
    #expect(throws: SaveError.self) { try save(atlas, "b") }
    #expect(atlas.coordinator.partialSaves.map(\.missingPath) == [atlas.path(0)])
    try connection.execute("DROP TRIGGER bad; DROP TABLE reference; DROP TABLE target")
    // Only the first store has changes left.
    try atlas.context.save()
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.isEmpty)
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZPLACE ORDER BY 1") == ["a", "b"])
    #expect(try atlas.rows(1, "SELECT ZABOUT FROM ZNOTE ORDER BY 1") == ["a", "b"])
    try atlas.verify()
  }

  @Test("a save that is refused is missing nowhere", arguments: pairs)
  func refused(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    try save(atlas, "a")
    #expect(throws: SaveError.self) { try save(atlas, "a") }
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try atlas.reopen()
    #expect(atlas.coordinator.partialSaves.isEmpty)
    try atlas.verify()
  }

  @Test("a file is not written before SQLite has accepted the rows of other stores")
  func filesLast() throws {
    let atlas = try Atlas([.xml, .sqlite])
    try save(atlas, "a")
    let number = Bytes.number(atlas.path(0))
    #expect(number > 0)
    try Bytes.link(atlas.path(0), atlas.folder.file("first.xml"))
    #expect(throws: SaveError.self) { try save(atlas, "a") }
    #expect(Bytes.number(atlas.path(0)) == number)
    atlas.context.rollback()
    try save(atlas, "b")
    #expect(Bytes.number(atlas.path(0)) != number)
    try atlas.verify()
  }

  @Test("with rollback journals, a reader that stays makes the save fail before the first commit")
  func reader() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Atlas.model())
    var options = PersistentStoreOptions()
    options.timeout = 0.1
    options.pragmas = [PersistentStoreOptions.Pragma("journal_mode", "DELETE")]
    for configuration in Atlas.configurations {
      try coordinator.addStore(
        type: .sqlite, at: folder.file(configuration), configuration: configuration, options: options)
    }
    let context = ManagedObjectContext(coordinator: coordinator)
    let (city, note) = (try context.insert("City"), try context.insert("Note"))
    let reader = try Connection(path: folder.file("Places"), mode: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM ZPLACE")
    #expect(throws: SaveError.self) { try context.save() }
    #expect(city.isInserted && note.isInserted)
    #expect(try coordinator.stores[1].connection.integer("SELECT count(*) FROM ZNOTE") == 0)
    try reader.execute("COMMIT")
    try reader.close()
    try context.save()
    #expect(!city.hasChanges && !note.hasChanges)
    #expect(coordinator.partialSaves.isEmpty)
    try coordinator.close()
  }
}
