import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("AP51: store options, and who may open a store")
struct StoreOptionTests {
  @Test("AP51: a store that is read only is read, and every save is refused", arguments: StoreKind.persistent)
  func ap51ReadOnly(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    try place.context.insert("Skill").setValue(.string("a"), forKey: "title")
    try place.context.save()
    try place.coordinator.close()
    let before = kind == .incremental ? [] : try Bytes.read(place.path)
    var options = PersistentStoreOptions()
    options.isReadOnly = true
    let coordinator = kind.coordinator(place.model)
    let store = try coordinator.addStore(type: kind.type, at: place.path, options: options)
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(try context.fetchAll("Skill").names("title") == ["a"])
    try #require(try context.fetchAll("Skill").first).setValue(.string("b"), forKey: "title")
    #expect(saveError { try context.save() }?.code == .readOnly)
    #expect(context.hasChanges)
    #expect(storeErrorCode { try coordinator.setMetadata(store.metadata, for: store) } == .readOnly)
    #expect(throws: BatchError.self) { try context.execute(BatchDeleteRequest("Skill")) }
    #expect(throws: SQLiteError.self) { try store.connection.execute("DELETE FROM ZSKILL") }
    try coordinator.close()
    if kind != .incremental {
      #expect(try Bytes.read(place.path) == before)
      #expect(
        storeErrorCode { try coordinator.addStore(type: kind.type, at: place.folder.file("none"), options: options) }
          == .notFound)
    }
  }

  @Test("AP51: pragmas are set in their order, and what is not known is refused")
  func ap51Pragmas() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Models.works())
    var options = PersistentStoreOptions()
    options.pragmas = [
      PersistentStoreOptions.Pragma("synchronous", "off"), PersistentStoreOptions.Pragma("Synchronous", "NORMAL"),
      PersistentStoreOptions.Pragma("journal_mode", "DELETE"), PersistentStoreOptions.Pragma("cache_size", "-123"),
    ]
    let store = try coordinator.addStore(type: .sqlite, at: folder.file("a"), options: options)
    #expect(try store.connection.integer("PRAGMA synchronous") == 1)
    #expect(try store.connection.text("PRAGMA journal_mode") == "delete")
    #expect(try store.connection.integer("PRAGMA cache_size") == -123)
    for (name, value) in [
      ("writable_schema", "ON"), ("synchronous", "FULL; DROP TABLE ZSKILL"), ("cache_size", "many"), ("", ""),
      ("mmap_size", "-1"), ("key", "x"), ("synchronous=OFF; PRAGMA x", "1"),
    ] {
      options.pragmas = [PersistentStoreOptions.Pragma(name, value)]
      #expect(
        storeErrorCode { try coordinator.addStore(type: .sqlite, at: folder.file("b"), options: options) }
          == .invalidOption, "\(name)=\(value)")
    }
  }

  @Test("AP51: the timeout says how long a statement waits for a lock")
  func ap51Timeout() throws {
    let place = try Workplace(try Models.works())
    let other = try Connection(path: place.path, mode: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    var options = PersistentStoreOptions()
    options.timeout = 0.05
    let coordinator = PersistentStoreCoordinator(model: place.model)
    try coordinator.addStore(type: .sqlite, at: place.path, options: options)
    let context = ManagedObjectContext(coordinator: coordinator)
    _ = try context.insert("Skill")
    #expect(try coordinator.store?.connection.integer("PRAGMA busy_timeout") == 50)
    #expect(saveError { try context.save() }?.code == .database)
    try other.execute("ROLLBACK")
    try other.close()
    try context.save()
  }

  @Test("AP51: versions are ignored only when that is asked for", arguments: StoreKind.atomic + [.sqlite])
  func ap51IgnoresVersioning(kind: StoreKind) throws {
    let place = try Workplace(
      try Models.model(Models.entity("A", attributes: [Models.attribute("x", .string)])), kind: kind)
    try place.context.insert("A").setValue(.string("v"), forKey: "x")
    try place.context.save()
    try place.coordinator.close()
    var attribute = Models.attribute("x", .string)
    attribute.versionHashModifier = "other"
    let model = try Models.model(Models.entity("A", attributes: [attribute]))
    let coordinator = kind.coordinator(model)
    #expect(storeErrorCode { try coordinator.addStore(type: kind.type, at: place.path) } == .incompatibleModel)
    var options = PersistentStoreOptions()
    options.ignoresVersioning = true
    try coordinator.addStore(type: kind.type, at: place.path, options: options)
    #expect(try storedNames(coordinator, "A", "x") == ["v"])
  }

  @Test("AP51: a store is migrated when it is opened, if that is asked for")
  func ap51Migrates() throws {
    let place = try Workplace(try Models.model(Models.entity("A", attributes: [Models.attribute("x", .string)])))
    try place.context.insert("A").setValue(.string("v"), forKey: "x")
    try place.context.save()
    try place.coordinator.close()
    let model = try Models.model(
      Models.entity("A", attributes: [Models.attribute("x", .string), Models.attribute("y", .integer16)]))
    let coordinator = PersistentStoreCoordinator(model: model)
    #expect(storeErrorCode { try coordinator.addStore(type: .sqlite, at: place.path) } == .incompatibleModel)
    var options = PersistentStoreOptions()
    options.migratesAutomatically = true
    #expect(
      storeErrorCode { try coordinator.addStore(type: .sqlite, at: place.path, options: options) } == .incompatibleModel
    )
    options.infersMapping = true
    try coordinator.addStore(type: .sqlite, at: place.path, options: options)
    let reader = ManagedObjectContext(coordinator: coordinator)
    let object = try #require(try reader.fetchAll("A").first)
    #expect(try object.value(forKey: "x") == .string("v"))
    #expect(try object.value(forKey: "y") == .null)
  }

  @Test("AP51: a file is rebuilt and its indexes counted when it is opened")
  func ap51Vacuum() throws {
    let place = try Workplace(try Models.works())
    for _ in 0..<2000 {
      try place.context.insert("Skill").setValue(.string(String(repeating: "x", count: 500)), forKey: "title")
    }
    try place.context.save()
    _ = try place.context.execute(BatchDeleteRequest("Skill"))
    try place.context.insert("Desk").setValue(.integer(1), forKey: "number")
    try place.context.save()
    try place.coordinator.close()
    let before = try Bytes.read(place.path).count
    var options = PersistentStoreOptions()
    options.vacuums = true
    options.analyzes = true
    let coordinator = PersistentStoreCoordinator(model: place.model)
    let store = try coordinator.addStore(type: .sqlite, at: place.path, options: options)
    #expect(try store.connection.integer("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'ZDESK'") ?? 0 > 0)
    try coordinator.close()
    #expect(try Bytes.read(place.path).count < before / 4)
  }

  @Test("several coordinators share a store: saves are seen, keys differ, conflicts are found, one file is left")
  func shared() throws {
    let place = try Workplace(try Models.works())
    let second = PersistentStoreCoordinator(model: place.model)
    try second.addSQLiteStore(at: place.path)
    let (one, other) = (place.context, ManagedObjectContext(coordinator: second))
    var keys: [Int64] = []
    for round in 0..<6 {
      let context = round % 2 == 0 ? one : other
      let skills = try (0...round).map { _ in try context.insert("Skill") }
      try context.save()
      keys += skills.map(\.objectID.primaryKey)
    }
    #expect(keys == Array(1...Int64(keys.count)))
    #expect(try one.count("Skill") == keys.count)
    let mine = try #require(try one.fetchAll("Skill").first)
    let theirs = try #require(try other.fetchAll("Skill").first)
    try mine.setValue(.string("mine"), forKey: "title")
    try theirs.setValue(.string("theirs"), forKey: "title")
    try one.save()
    #expect(saveError { try other.save() }?.code == .conflict)
    other.rollback()
    try place.coordinator.close()
    _ = try other.insert("Skill")
    try other.save()
    try second.close()
    #expect(try Bytes.names(place.folder.path) == ["store.sqlite"])
    try place.reopen()
    #expect(try place.context.count("Skill") == keys.count + 1)
    try place.verify()
  }

  @Test("an import needs a store alone, and nobody opens one while an import runs")
  func imports() throws {
    let place = try Workplace(try Models.works())
    _ = try place.context.insert("Skill")
    try place.context.save()
    #expect(storeErrorCode { _ = try StoreFile.open(path: place.path, model: place.model) } == .busy)
    _ = try place.context.insert("Skill")
    try place.context.save()
    try place.coordinator.close()
    let file = try StoreFile.open(path: place.path, model: place.model)
    var options = PersistentStoreOptions()
    options.timeout = 0.05
    let coordinator = PersistentStoreCoordinator(model: place.model)
    #expect(storeErrorCode { try coordinator.addStore(type: .sqlite, at: place.path, options: options) } == .busy)
    try file.finish()
    try coordinator.addStore(type: .sqlite, at: place.path, options: options)
    #expect(try ManagedObjectContext(coordinator: coordinator).count("Skill") == 2)
  }

  @Test("AP48: a query generation sees one moment of all stores, whatever is saved")
  func ap48() throws {
    let place = try Workplace(try Models.works())
    try place.context.insert("Skill").setValue(.string("old"), forKey: "title")
    try place.context.save()
    let store = try #require(place.coordinator.store)
    var token: QueryGenerationToken? = try place.coordinator.currentQueryGeneration()
    let skill = try #require(try place.context.fetchAll("Skill").first)
    try skill.setValue(.string("new"), forKey: "title")
    _ = try place.context.insert("Skill")
    try place.context.save()
    let reader = try #require(token?.reader(identifier: store.identifier))
    let pinned = ManagedObjectContext(store: reader)
    #expect(try pinned.fetchAll("Skill").names("title") == ["old"])
    _ = try pinned.insert("Skill")
    #expect(saveError { try pinned.save() }?.code == .readOnly)
    let later = try place.coordinator.currentQueryGeneration()
    let now = ManagedObjectContext(store: try #require(later.reader(identifier: store.identifier)))
    #expect(try now.fetchAll("Skill").names("title").sorted() == ["?", "new"])
    #expect(token?.reader(identifier: "other") == nil)
    token = nil
    try store.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    try place.reopen()
    #expect(try place.context.count("Skill") == 2)
  }

  @Test(
    "AP48: stores without write-ahead log have no query generations", arguments: [StoreKind.inMemory, .xml, .binary])
  func ap48Unsupported(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    #expect(storeErrorCode { _ = try place.coordinator.currentQueryGeneration() } == .unsupported)
  }
}
