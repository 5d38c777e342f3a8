import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("AP52: the coordinator's stores")
struct CoordinatorStoreTests {
  /// Books in one configuration, notes in another.
  static func library() throws -> ManagedObjectModel {
    var draft = ModelDraft()
    draft.entities = [
      Models.entity(
        "Author", attributes: [Models.attribute("name", .string)],
        relationships: [Models.toMany("books", "Book", inverse: "author")]),
      Models.entity(
        "Book", attributes: [Models.attribute("title", .string)],
        relationships: [Models.toOne("author", "Author", inverse: "books")]),
      Models.entity("Note", attributes: [Models.attribute("text", .string)]),
    ]
    draft.configurations = [
      ModelConfiguration(name: "Catalogue", entityNames: ["Author", "Book"]),
      ModelConfiguration(name: "Private", entityNames: ["Note"]),
    ]
    return try ManagedObjectModel(draft)
  }

  @Test("MO19: by default every store holds all entities, and the first one takes new objects")
  func mo19() throws {
    let folder = TemporaryFolder()
    let model = try Self.library()
    let coordinator = PersistentStoreCoordinator(model: model)
    let first = try coordinator.addStore(type: .sqlite, at: folder.file("a.sqlite"))
    let second = try coordinator.addStore(type: .inMemory)
    let note = try #require(model.entity(named: "Note"))
    #expect(coordinator.stores(for: note).map(\.identifier) == [first.identifier, second.identifier])
    #expect(coordinator.store(for: note) === first)
    for store in [first, second] {
      #expect(model.entities.allSatisfy { store.contains($0) })
      #expect(store.schema.tables.map(\.name) == ["ZAUTHOR", "ZBOOK", "ZNOTE"])
    }
    let context = ManagedObjectContext(coordinator: coordinator)
    let object = try context.insert("Note")
    try context.save()
    #expect(object.objectID.storeUUID == first.identifier)
    #expect(coordinator.store(at: folder.file("a.sqlite")) === first)
    #expect(coordinator.store(identifier: second.identifier) === second)
  }

  @Test(
    "MO20: configurations place entities in different stores", arguments: [PersistentStoreType.sqlite, .xml, .binary])
  func mo20(type: PersistentStoreType) throws {
    let folder = TemporaryFolder()
    let model = try Self.library()
    func open() throws -> (PersistentStoreCoordinator, PersistentStore, PersistentStore) {
      let coordinator = PersistentStoreCoordinator(model: model)
      let notes = try coordinator.addStore(type: type, at: folder.file("notes"), configuration: "Private")
      let books = try coordinator.addStore(type: .sqlite, at: folder.file("books"), configuration: "Catalogue")
      return (coordinator, notes, books)
    }
    var (coordinator, notes, books) = try open()
    #expect(notes.schema.tables.map(\.name) == ["ZNOTE"])
    #expect(books.schema.tables.map(\.name) == ["ZAUTHOR", "ZBOOK"])
    #expect(coordinator.store(for: try #require(model.entity(named: "Book"))) === books)
    let context = ManagedObjectContext(coordinator: coordinator)
    let (note, book, author) = (try context.insert("Note"), try context.insert("Book"), try context.insert("Author"))
    try note.setValue(.string("n"), forKey: "text")
    try book.setValue(.string("b"), forKey: "title")
    try book.setObject(author, forKey: "author")
    try context.save()
    #expect(note.objectID.storeUUID == notes.identifier)
    #expect(book.objectID.storeUUID == books.identifier)
    try coordinator.close()
    (coordinator, notes, books) = try open()
    let again = ManagedObjectContext(coordinator: coordinator)
    #expect(try again.fetchAll("Note").names("text") == ["n"])
    #expect(try again.fetchAll("Author").first?.objects(forKey: "books").names("title") == ["b"])
    #expect(
      storeErrorCode { try coordinator.addStore(type: .sqlite, at: folder.file("c"), configuration: "Nothing") }
        == .notFound)
    try coordinator.close()
  }

  @Test("AP52: a removed store is closed, and the others go on")
  func ap52Remove() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Self.library())
    let first = try coordinator.addStore(type: .sqlite, at: folder.file("a"), configuration: "Private")
    try coordinator.addStore(type: .xml, at: folder.file("b"), configuration: "Catalogue")
    try coordinator.remove(first)
    #expect(coordinator.stores.map(\.type) == [.xml])
    #expect(try Bytes.names(folder.path) == ["a", "b"])
    let context = ManagedObjectContext(coordinator: coordinator)
    _ = try context.insert("Book")
    try context.save()
    #expect(try context.count("Book") == 1)
  }

  @Test("AP52: migrating keeps records, keys, order, versions and metadata through all types")
  func ap52Migrate() throws {
    let pair = try RandomOperationTests.Pair(seed: 7)
    for _ in 0..<250 { try pair.step() }
    try pair.saveAll()
    let place = pair.place
    func versions() throws -> [String] {
      try ["ZPARTY", "ZDESK", "ZSKILL", "ZMEMO"].flatMap { try place.rows("SELECT Z_PK, Z_ENT, Z_OPT FROM \($0)") }
    }
    let before = try versions()
    let maxima = try place.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    let store = try #require(place.coordinator.store)
    var metadata = store.metadata
    metadata["mine"] = .string("kept")
    try place.coordinator.setMetadata(metadata, for: store)
    let path = store.path
    var identifiers: Set<String> = [store.identifier]
    let way: [(PersistentStoreType, String?)] = [
      (.xml, "a.xml"), (.binary, "a.binary"), (.inMemory, nil), (.custom("Lines"), "a.lines"), (.sqlite, "a.sqlite"),
    ]
    for (type, name) in way {
      let old = try #require(place.coordinator.store)
      let new = try place.coordinator.migratePersistentStore(
        old, to: name.map { place.folder.file($0) }, type: type)
      #expect(place.coordinator.stores.map(\.identifier) == [new.identifier])
      #expect(identifiers.insert(new.identifier).inserted, "a new store has an identity of its own")
      #expect(new.type == type)
      #expect(new.metadata["mine"] == .string("kept"))
      #expect(new.metadata[StoreMetadata.Key.storeType] == .string(type.name))
      #expect(try versions() == before, "\(type)")
      #expect(try place.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY") == maxima, "\(type)")
      pair.ids = pair.ids.mapValues { id in
        place.coordinator.objectID(forURI: "x-coredata://\(new.identifier)/\(id.entity.name)/p\(id.primaryKey)") ?? id
      }
      pair.held.removeAll()
      pair.context = ManagedObjectContext(coordinator: place.coordinator)
      try compare(pair, "\(type)")
    }
    #expect(Bytes.exists(path), "the old store stays")
    #expect(
      storeErrorCode {
        let store = try #require(place.coordinator.store)
        try place.coordinator.migratePersistentStore(store, to: path, type: .sqlite)
      } == .alreadyExists)
    try place.coordinator.close()
    let report = try StoreVerifier.verify(path: place.folder.file("a.sqlite"), model: place.model)
    #expect(report.findings.filter { $0.severity == .error } == [])
  }

  /// Compares what a fresh context sees with the plain values.
  private func compare(_ pair: RandomOperationTests.Pair, _ comment: String) throws {
    for kind in PlainWorks.relationships.keys.sorted() {
      let objects = try pair.context.fetchAll(kind)
      #expect(objects.count == pair.plain.all(kind).count, "\(comment) \(kind)")
      for key in PlainWorks.relationships[kind] ?? [] {
        guard try #require(pair.place.model.entity(named: kind)?.relationship(named: key)).isToMany else { continue }
        for number in pair.plain.all(kind) {
          let object = try pair.context.object(with: try #require(pair.ids[number]))
          let keys = try object.objects(forKey: key).map(\.objectID.primaryKey)
          let expected = pair.plain.partners(number, key).map { pair.ids[$0]?.primaryKey ?? -1 }
          #expect(keys == expected, "\(comment) \(kind) \(number) \(key)")
        }
      }
    }
  }

  @Test("AP52: a context goes on with the store that its store was migrated to")
  func ap52MigrateLive() throws {
    let place = try Workplace(try Models.works())
    let skill = try place.context.insert("Skill")
    try skill.setValue(.string("a"), forKey: "title")
    try place.context.save()
    let store = try #require(place.coordinator.store)
    try place.coordinator.migratePersistentStore(store, to: place.folder.file("b.xml"), type: .xml)
    try skill.setValue(.string("b"), forKey: "title")
    _ = try place.context.insert("Skill")
    try place.context.save()
    try place.coordinator.close()
    let again = PersistentStoreCoordinator(model: place.model)
    try again.addStore(type: .xml, at: place.folder.file("b.xml"))
    #expect(try storedNames(again, "Skill", "title").sorted() == ["?", "b"])
  }

  @Test(
    "AP52: a store takes the place of another, log and all",
    arguments: StoreKind.persistent.filter { $0 != .incremental })
  func ap52Replace(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    try place.context.insert("Skill").setValue(.string("new"), forKey: "title")
    try place.context.save()
    let identifier = try #require(place.coordinator.store).identifier
    let target = place.folder.file("target")
    let other = kind.coordinator(place.model)
    try other.addStore(type: kind.type, at: target)
    if kind == .sqlite {
      #expect(
        storeErrorCode { try other.replacePersistentStore(at: target, withStoreFrom: place.path, type: kind.type) }
          == .busy)
    }
    try other.close()
    try other.replacePersistentStore(at: target, withStoreFrom: place.path, type: kind.type)
    let store = try other.addStore(type: kind.type, at: target)
    #expect(store.identifier == identifier)
    #expect(try storedNames(other, "Skill", "title") == ["new"])
    try other.close()
    #expect(
      storeErrorCode {
        try other.replacePersistentStore(at: target, withStoreFrom: place.folder.file("none"), type: kind.type)
      } == .notFound)
    #expect(Bytes.exists(target))
  }

  @Test(
    "AP52: destroying removes the file with log and external data",
    arguments: StoreKind.persistent.filter { $0 != .incremental })
  func ap52Destroy(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    _ = try place.context.insert("Skill")
    try place.context.save()
    #expect(storeErrorCode { try place.coordinator.destroyPersistentStore(at: place.path, type: kind.type) } == .busy)
    let other = kind.coordinator(place.model)
    if kind == .sqlite {
      #expect(storeErrorCode { try other.destroyPersistentStore(at: place.path) } == .busy)
    }
    try place.coordinator.close()
    try Bytes.write([1], to: place.folder.file("bystander"))
    try other.destroyPersistentStore(at: place.path, type: kind.type)
    #expect(try Bytes.names(place.folder.path) == ["bystander"])
    try other.destroyPersistentStore(at: place.path, type: kind.type)
    #expect(try other.addStore(type: kind.type, at: place.path).path == place.path)
  }

  @Test(
    "IM22: metadata are read from a file without asking for an object",
    arguments: StoreKind.persistent.filter { $0 != .incremental })
  func im22(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    _ = try place.context.insert("Skill")
    try place.context.save()
    let identifier = try #require(place.coordinator.store).identifier
    try place.coordinator.close()
    var registry = StoreTypeRegistry()
    registry.register(atomic: "Lines") { LinesStore() }
    if kind == .sqlite {
      // The tables of objects are not needed at all.
      let connection = try Connection(path: place.path, mode: .readWrite)
      for name in ["ZPARTY", "ZSKILL", "ZDESK", "ZMEMO"] { try connection.execute("DROP TABLE \(name)") }
      try connection.close()
    } else if kind != .binary {
      // Nor what comes after the metadata.
      let bytes = try Bytes.read(place.path)
      let end = kind == .xml ? try #require(bytes.firstRange(of: Array("<object".utf8))).lowerBound : bytes.count - 5
      try Bytes.write(Array(bytes[..<end]), to: place.path)
    }
    let type: PersistentStoreType? = kind == .customAtomic ? kind.type : nil
    let metadata = try PersistentStoreCoordinator.metadata(ofStoreAt: place.path, type: type, registry: registry)
    #expect(metadata.uuid == identifier)
    #expect(metadata[StoreMetadata.Key.storeType] == .string(kind.type.name))
    #expect(metadata.hashes.entities.count == place.model.entities.count)
  }

  @Test("AP52: metadata are set in a file that is not open", arguments: [StoreKind.sqlite, .xml, .binary])
  func ap52SetMetadata(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    try place.context.insert("Skill").setValue(.string("<metadata>"), forKey: "title")
    try place.context.save()
    try place.coordinator.close()
    var metadata = try PersistentStoreCoordinator.metadata(ofStoreAt: place.path)
    metadata["imported"] = .integer(3)
    metadata[StoreMetadata.Key.hashes] = .dictionary([])
    try PersistentStoreCoordinator.setMetadata(metadata, ofStoreAt: place.path)
    try place.reopen()
    #expect(try #require(place.coordinator.store).metadata["imported"] == .integer(3))
    #expect(try place.context.fetchAll("Skill").names("title") == ["<metadata>"])
    #expect(
      storeErrorCode { _ = try PersistentStoreCoordinator.metadata(ofStoreAt: place.folder.file("x")) } == .notFound)
  }
}
