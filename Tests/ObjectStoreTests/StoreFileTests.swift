import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Store files")
struct StoreFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("zoo.sqlite") }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func bytes(_ suffix: String = "") throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path + suffix))
  }

  private func insertZoo(_ file: StoreFile, _ key: Int, _ city: String) throws {
    try file.connection.execute("INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT, ZCITY) VALUES (\(key), 5, 1, '\(city)')")
  }

  /// A finished store with one zoo.
  private func makeStore() throws {
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    try file.begin()
    try insertZoo(file, 1, "Wien")
    try file.commit()
    try file.finish()
  }

  private func cities() throws -> [String] {
    let connection = try Connection(path: path, mode: .immutable)
    let select = try connection.prepare("SELECT ZCITY FROM ZZOO ORDER BY Z_PK")
    var result: [String] = []
    while try select.step() { result.append(select.text(0)) }
    return result
  }

  // MARK: - New stores

  @Test("a new store is one file in Core Data's format")
  func newStore() throws {
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    #expect(file.isNew)
    #expect(try names() == [".zoo.sqlite.mergewalk-\(getpid())"])
    try file.begin()
    try insertZoo(file, 7, "Wien")
    try file.commit()
    try file.buildIndexes { $0.origin == .unique }
    #expect(!file.unbuiltIndexes.contains { $0.origin == .unique })
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
    let header = try bytes().prefix(100)
    #expect(header[18] == 2 && header[19] == 2)

    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.text("PRAGMA journal_mode") == "wal")
    #expect(try connection.integer("PRAGMA page_size") == 4096)
    #expect(try connection.integer("PRAGMA auto_vacuum") == 2)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    let rows = try PrimaryKeyRow.read(connection)
    #expect(rows.map(\.name) == ["Animal", "Bird", "Person", "Warden", "Zoo"])
    #expect(rows.map(\.superNumber) == [0, 1, 0, 3, 0])
    #expect(rows.map(\.maximum) == [0, 0, 0, 0, 7])
    let list = try connection.prepare("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    var indexes: [String] = []
    while try list.step() { indexes.append(list.text(0)) }
    #expect(Set(indexes) == Set(file.schema.createIndexStatements()))
  }

  @Test("stores of one model differ in their identity only, and have the tables of their own configuration")
  func manyNewStores() throws {
    let model = try Models.zoo()
    func make(_ name: String, _ configuration: String? = nil) throws -> (bytes: [UInt8], uuid: String, tables: [String])
    {
      let path = folder.file(name)
      let file = try StoreFile.create(path: path, model: model, configuration: configuration)
      let uuid = file.metadata.uuid
      try file.finish()
      let connection = try Connection(path: path, mode: .immutable)
      let list = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
      var tables: [String] = []
      while try list.step() { tables.append(list.text(0)) }
      #expect(try connection.text("SELECT Z_UUID FROM Z_METADATA") == uuid)
      #expect(try connection.integer("SELECT count(*) FROM Z_MODELCACHE WHERE Z_CONTENT NOT NULL") == 1)
      return (try Array(Data(contentsOf: URL(fileURLWithPath: path))), uuid, tables)
    }
    let (first, second) = (try make("1.sqlite"), try make("2.sqlite"))
    let places = try make("places.sqlite", "Places")
    let third = try make("3.sqlite")
    #expect(Set([first.uuid, second.uuid, third.uuid, places.uuid]).count == 4)
    func general(_ store: (bytes: [UInt8], uuid: String, tables: [String])) -> [UInt8] {
      let (uuid, none) = (Array(store.uuid.utf8), Array(repeating: UInt8(0), count: 36))
      var bytes = store.bytes
      for start in bytes.indices.dropLast(35) where bytes[start] == uuid[0] && Array(bytes[start..<start + 36]) == uuid
      {
        bytes.replaceSubrange(start..<start + 36, with: none)
      }
      return bytes
    }
    #expect(general(first) == general(second))
    #expect(general(first) == general(third))
    let bookkeeping = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    #expect(places.tables == ["ZZOO"] + bookkeeping)
    #expect(first.tables.suffix(3) == bookkeeping && first.tables.contains("ZANIMAL"))
  }

  @Test("a store that was made does not hold its model")
  func freedModel() throws {
    weak var model: ManagedObjectModel?
    do {
      let made = try Models.zoo()
      model = made
      try StoreFile.create(path: path, model: made).finish()
    }
    #expect(model == nil)
  }

  @Test("the metadata name the hashes, the digest and the identifier")
  func metadata() throws {
    try makeStore()
    let model = try Models.zoo()
    let metadata = try StoreMetadata.read(path: path)
    #expect(metadata.hashes.entities.map(\.hash) == model.versionHashes.map(\.hash))
    #expect(metadata.digest == model.versionHashesDigest)
    // Framework versions before 1321 have none.
    #expect(metadata.checksum == nil)
    #expect(metadata.versionIdentifiers == ["zoo 1"])
    #expect(metadata.frameworkVersion == 977)
    #expect(UUID(uuidString: metadata.uuid)?.uuidString == metadata.uuid)
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test("a discarded or forgotten new store leaves nothing")
  func discard() throws {
    try StoreFile.create(path: path, model: try Models.zoo()).rollBackRun()
    #expect(try names() == [])
    do {
      let file = try StoreFile.create(path: path, model: try Models.zoo())
      try insertZoo(file, 1, "Wien")
    }
    #expect(try names() == [])
  }

  @Test("what a crashed run left is removed, what a living one is building stays")
  func leftovers() throws {
    let dead = ".zoo.sqlite.mergewalk-4194300"
    try folder.write("x", to: dead)
    try folder.write("x", to: dead + "-wal")
    try folder.write("x", to: ".zoo.sqlite.mergewalk-1")
    try folder.write("x", to: ".zoo.sqlite.mergewalk-\(getpid())")
    try folder.write("x", to: ".other.sqlite.mergewalk-4194300")
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    #expect(
      try names() == [
        ".other.sqlite.mergewalk-4194300", ".zoo.sqlite.mergewalk-1", ".zoo.sqlite.mergewalk-\(getpid())",
      ])
    let error = try #require(throws: StoreError.self) { try StoreFile.create(path: path, model: try Models.zoo()) }
    #expect(error.code == .busy)
    try file.finish()
    #expect(try StoreMetadata.read(path: path).frameworkVersion == 977)
  }

  @Test("a copy of a half-built store is not taken for the store when it comes into the folder's place")
  func folderReplaced() throws {
    let files = FileManager.default
    let (place, away) = (folder.file("sub"), folder.file("away"))
    try files.createDirectory(atPath: place, withIntermediateDirectories: false)
    let file = try StoreFile.create(path: place + "/zoo.sqlite", model: try Models.zoo())
    try file.begin()
    try insertZoo(file, 1, "Wien")
    try file.commit()
    try files.copyItem(atPath: place, toPath: folder.file("copy"))
    try files.moveItem(atPath: place, toPath: away)
    try files.moveItem(atPath: folder.file("copy"), toPath: place)
    let error = try #require(throws: StoreError.self) { try file.finish() }
    #expect(error.code == .inputOutput && error.description.contains("was moved or replaced"), "\(error)")
    #expect(!files.fileExists(atPath: place + "/zoo.sqlite") && !files.fileExists(atPath: away + "/zoo.sqlite"))
  }

  @Test("an existing file is never replaced", arguments: ["", "-wal", "-journal"])
  func noReplacement(_ suffix: String) throws {
    try folder.write("x", to: "zoo.sqlite" + suffix)
    let error = try #require(throws: StoreError.self) { try StoreFile.create(path: path, model: try Models.zoo()) }
    #expect(error.code == .alreadyExists)
    try FileManager.default.removeItem(atPath: path + suffix)

    let file = try StoreFile.create(path: path, model: try Models.zoo())
    try folder.write("x", to: "zoo.sqlite" + suffix)
    let late = try #require(throws: StoreError.self) { try file.finish() }
    #expect(late.code == .alreadyExists)
    #expect(try names() == ["zoo.sqlite" + suffix])
  }

  @Test("rows that break a uniqueness constraint end the store, with SQLite's reason")
  func uniqueness() throws {
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    for key in 1...2 {
      try file.connection.execute(
        "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN) VALUES (\(key), 1, 1, 'Ann', 0)")
    }
    let error = try #require(throws: StoreError.self) { try file.finish() }
    #expect(error.cause?.kind == .unique)
    #expect(try names() == [])
  }

  @Test("a new store may keep a journal in memory while it is built")
  func memoryJournal() throws {
    let file = try StoreFile.create(path: path, model: try Models.zoo())
    try file.connection.execute("COMMIT; PRAGMA journal_mode=MEMORY")
    try file.begin()
    try insertZoo(file, 1, "Wien")
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
    #expect(try bytes()[18] == 2)
    #expect(try cities() == ["Wien"])
  }

  @Test("rolling back after the end does nothing")
  func endedTwice() throws {
    let failing = try StoreFile.create(path: path, model: try Models.zoo())
    try folder.write("x", to: "zoo.sqlite")
    #expect(throws: StoreError.self) { try failing.finish() }
    try failing.rollBackRun()
    try FileManager.default.removeItem(atPath: path)
    try makeStore()
    let file = try StoreFile.open(path: path, model: try Models.zoo())
    try file.begin()
    try insertZoo(file, 2, "Graz")
    try file.commit()
    try file.finish()
    try file.rollBackRun()
    #expect(try cities() == ["Wien", "Graz"])
  }

  // MARK: - Existing stores

  @Test("a finished run leaves one checkpointed file", arguments: ["wal", "delete"])
  func existing(_ journalMode: String) throws {
    try makeStore()
    try setJournalMode(journalMode)
    let file = try StoreFile.open(path: path, model: try Models.zoo())
    #expect(!file.isNew)
    #expect(try file.maximumPrimaryKey(forRoot: RootIndex(4)) == 1)
    try file.begin()
    try insertZoo(file, 2, "Graz")
    try file.writeMaxima([(rootEntity: RootIndex(4), maximum: 2)])
    try file.commit()
    try file.begin()
    try insertZoo(file, 9, "Steyr")
    try file.commit()
    try file.finish()
    #expect(try names() == ["zoo.sqlite"])
    #expect(try cities() == ["Wien", "Graz", "Steyr"])
    #expect(try bytes()[18] == (journalMode == "wal" ? 2 : 1))
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 5") == 9)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  @Test("a rolled back run leaves the file byte for byte as it was", arguments: ["wal", "delete"])
  func rollBack(_ journalMode: String) throws {
    try makeStore()
    try setJournalMode(journalMode)
    let before = try bytes()
    for isForgotten in [false, true] {
      let file = try StoreFile.open(path: path, model: try Models.zoo())
      for batch in 0..<20 {
        try file.begin()
        for i in 0..<200 { try insertZoo(file, 2 + batch * 200 + i, String(repeating: "x", count: 300)) }
        if batch < 19 { try file.commit() }
      }
      if !isForgotten { try file.rollBackRun() }
    }
    #expect(try names() == ["zoo.sqlite"])
    #expect(try bytes() == before)
    #expect(try cities() == ["Wien"])
  }

  @Test("a rolled back run keeps the log that was beside the store")
  func rollBackWithLog() throws {
    try makeStore()
    try leaveLog()
    let before = (try bytes(), try bytes("-wal"))
    let file = try StoreFile.open(path: path, model: try Models.zoo())
    #expect(try file.maximumPrimaryKey(forRoot: RootIndex(4)) == 2)
    try file.begin()
    for i in 0..<2000 { try insertZoo(file, 10 + i, String(repeating: "x", count: 300)) }
    try file.commit()
    try file.rollBackRun()
    #expect(try bytes() == before.0)
    #expect(try bytes("-wal") == before.1)
    #expect(try StoreMetadata.read(path: path).frameworkVersion == 977)
    #expect(try names() == ["zoo.sqlite", "zoo.sqlite-wal"])
    try StoreFile.open(path: path, model: try Models.zoo()).finish()
    #expect(try names() == ["zoo.sqlite"])
    #expect(try cities() == ["Wien", "Salzburg"])
  }

  /// Leaves a committed row in a log that nobody has open.
  private func leaveLog() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA locking_mode=EXCLUSIVE; INSERT INTO ZZOO VALUES (2, 5, 1, 'Salzburg')")
    connection.keepLogOnClose()
    try connection.close()
  }

  private func setJournalMode(_ mode: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode=\(mode)")
    try connection.close()
  }

  @Test("a store of another model is refused and the entities are named")
  func otherModel() throws {
    try makeStore()
    let before = try bytes()
    var draft = try Models.zoo().draft
    draft.entities[0].attributes.append(Models.attribute("area", .double))
    draft.entities.removeAll { $0.name == "Bird" }
    draft.entities.append(EntityDraft(name: "Ticket"))
    let error = try #require(throws: StoreError.self) {
      try StoreFile.open(path: path, model: try ManagedObjectModel(draft))
    }
    #expect(error.code == .incompatibleModel)
    #expect(error.differences?.differing == ["Zoo"])
    #expect(error.differences?.missingInStore == ["Ticket"])
    #expect(error.differences?.missingInModel == ["Bird"])
    #expect(error.description.contains("Ticket"))
    #expect(try bytes() == before)
  }

  @Test("files that are no store are refused untouched")
  func noStore() throws {
    let model = try Models.zoo()
    #expect(try #require(throws: StoreError.self) { try StoreFile.open(path: path, model: model) }.code == .notFound)
    try folder.write(String(repeating: "no database ", count: 100), to: "zoo.sqlite")
    #expect(
      try #require(throws: StoreError.self) { try StoreFile.open(path: path, model: model) }.code == .notADatabase)
    try folder.write("", to: "zoo.sqlite")
    #expect(
      try #require(throws: StoreError.self) { try StoreFile.open(path: path, model: model) }.code == .notADatabase)
    try FileManager.default.removeItem(atPath: path)
    try Connection(path: path, mode: .create).execute("CREATE TABLE t (a)")
    #expect(
      try #require(throws: StoreError.self) { try StoreFile.open(path: path, model: model) }.code == .notACoreDataStore)
    #expect(try names() == ["zoo.sqlite"])
  }

  @Test("while a store is open nobody else gets in, and nobody's log is cut")
  func locking() throws {
    try makeStore()
    let other = try Connection(path: path, mode: .readWrite)
    try other.execute("INSERT INTO ZZOO VALUES (2, 5, 1, 'Bregenz')")
    let log = try bytes("-wal")
    let error = try #require(throws: StoreError.self) { try StoreFile.open(path: path, model: try Models.zoo()) }
    #expect(error.code == .busy)
    #expect(try bytes("-wal") == log)
    try other.close()

    let file = try StoreFile.open(path: path, model: try Models.zoo())
    let late = try Connection(path: path, mode: .readWrite)
    try late.execute("PRAGMA busy_timeout=0")
    #expect(throws: SQLiteError.self) { try late.integer("SELECT count(*) FROM ZZOO") }
    // Reading the header of a store that is open must not drop its locks.
    #expect(throws: StoreError.self) { try StoreFile.open(path: path, model: try Models.zoo()) }
    #expect(throws: SQLiteError.self) { try late.integer("SELECT count(*) FROM ZZOO") }
    try file.finish()
    #expect(try late.integer("SELECT count(*) FROM ZZOO") == 2)
  }

  @Test("triggers of Core Data run, and their store is warned about")
  func triggers() throws {
    try makeStore()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(
      """
      CREATE TRIGGER Z_DA_ZZOO AFTER INSERT ON ZZOO FOR EACH ROW BEGIN
        UPDATE ZZOO SET ZCITY = upper(ZCITY) WHERE Z_PK = NEW.Z_PK;
        SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZZOO', Z_ENT, Z_PK, 'city', ZCITY)
          FROM ZZOO WHERE Z_PK = NEW.Z_PK;
      END;
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY);
      """)
    try connection.close()
    let file = try StoreFile.open(path: path, model: try Models.zoo())
    #expect(file.warnings == [.history, .coreDataTriggers])
    try file.begin()
    try insertZoo(file, 2, "Graz")
    try file.commit()
    try file.finish()
    #expect(try cities() == ["Wien", "GRAZ"])
  }

  @Test("a store that is mirrored to CloudKit without a history is warned about, and its history is not made up")
  func mirroredWithoutHistory() throws {
    try makeStore()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(
      """
      CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER, ZENTITYPK INTEGER);
      INSERT INTO Z_PRIMARYKEY VALUES (17012, 'NSCKRecordMetadata', 0, 0);
      """)
    try connection.close()
    func warnings() throws -> [StoreWarning] {
      let file = try StoreFile.open(path: path, model: try Models.zoo())
      try file.finish()
      return file.warnings
    }
    #expect(try warnings() == [.cloudWithoutHistory])
    let info = try StoreInfo.read(path: path)
    #expect(!info.hasHistory)
    #expect(info.cloudNote?.contains("tracks no history") == true)
    #expect(!info.entities.contains { $0.name == "NSCKRecordMetadata" })
    let other = try Connection(path: path, mode: .readWrite)
    try other.execute("CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY)")
    try other.close()
    #expect(try warnings() == [.history])
    #expect(try StoreInfo.read(path: path).cloudNote?.contains("what the history records") == true)
  }

  @Test("unknown metadata survive a rewrite")
  func metadataRewrite() throws {
    try makeStore()
    let file = try StoreFile.open(path: path, model: try Models.zoo())
    var metadata = file.metadata
    metadata["AppVersion"] = .integer(12)
    try file.begin()
    try file.writeMetadata(metadata)
    try file.commit()
    try file.finish()
    let again = try StoreMetadata.read(path: path)
    #expect(again == metadata)
    #expect(again["AppVersion"]?.integer == 12)
  }
}
