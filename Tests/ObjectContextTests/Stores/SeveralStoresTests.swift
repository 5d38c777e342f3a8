import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Several stores")
struct SeveralStoresTests {
  static let pairs: [[PersistentStoreType]] = [
    [.sqlite, .sqlite], [.sqlite, .inMemory], [.inMemory, .sqlite], [.xml, .sqlite], [.binary, .xml],
  ]

  @Test("MO19: without configurations every store has all entities, and the first one takes new objects")
  func mo19() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Models.works())
    let stores = try ["a", "b"].map { try coordinator.addStore(type: .sqlite, at: folder.file($0)) }
    let context = ManagedObjectContext(coordinator: coordinator)
    for store in stores {
      #expect(coordinator.model.entities.allSatisfy { store.contains($0) })
      let statement = try store.connection.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'ZPARTY'")
      #expect(try statement.step() && statement.integer(0) == 1)
    }
    let skill = try context.insert("Skill")
    try context.save()
    #expect(skill.objectID.storeUUID == stores[0].identifier)
    try coordinator.close()
  }

  @Test("MO20: each store has the tables of its configuration, and inserts go to the right one", arguments: pairs)
  func mo20(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    #expect(
      try atlas.rows(0, "SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY 1")
        == ["City", "Country", "Place", "Region", "Tag"])
    #expect(
      try atlas.rows(1, "SELECT name FROM sqlite_master WHERE name IN ('ZPLACE', 'ZNOTE', 'ZDIARY', 'ZTAG') ORDER BY 1")
        == ["ZDIARY", "ZNOTE", "ZTAG"])
    let city = try atlas.insert("City", "Oslo")
    let country = try atlas.insert("Country", "Norway")
    let note = try atlas.insert("Note", "Oslo", key: "about")
    let tag = try atlas.insert("Tag", "first")
    let other = try atlas.insert("Tag", "second", into: 1)
    try country.add(city, to: "cities")
    try city.setObject(city, forKey: "twin")
    try country.add(country, to: "neighbours")
    try note.add(note, to: "seeAlso")
    try other.setObject(other, forKey: "parent")
    #expect(try atlas.context.count("Tag") == 2)
    try atlas.context.save()
    for (object, store) in [(city, 0), (country, 0), (note, 1), (tag, 0), (other, 1)] {
      #expect(object.objectID.storeUUID == atlas.stores[store].identifier)
      #expect(object.objectID.uri.hasPrefix("x-coredata://\(atlas.stores[store].identifier)/\(object.entity.name)/p"))
      #expect(atlas.coordinator.objectID(forURI: object.objectID.uri) == object.objectID)
      #expect(try ManagedObjectContext(coordinator: atlas.coordinator).existingObject(with: object.objectID) != nil)
    }
    #expect(tag.objectID.primaryKey == other.objectID.primaryKey)
    #expect(tag.objectID != other.objectID)
    // A store numbers its own entities: City, Region, Country below Place; then Tag.
    #expect(try atlas.rows(1, "SELECT count(*) FROM ZNOTE") == ["1"])
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZTAG") == ["first"])
    #expect(try atlas.rows(1, "SELECT ZNAME FROM ZTAG") == ["second"])
    #expect(
      try atlas.rows(
        0, "SELECT Z_NAME FROM ZPLACE JOIN Z_PRIMARYKEY ON ZPLACE.Z_ENT = Z_PRIMARYKEY.Z_ENT ORDER BY ZPLACE.ZNAME")
        == ["Country", "City"])
    try atlas.verify()
  }

  @Test("an object that was assigned to a store is kept by its context when it is changed after its save")
  func assignedObjectsAreKept() throws {
    let atlas = try Atlas()
    weak var watched: ManagedObject?
    do {
      let tag = try atlas.insert("Tag", "a", into: 1)
      try atlas.context.save()
      try tag.setValue(.string("b"), forKey: "name")
      watched = tag
    }
    #expect(watched != nil && atlas.context.updatedObjects.first === watched)
    try atlas.context.save()
    #expect(watched == nil)
    #expect(try atlas.rows(1, "SELECT ZNAME FROM ZTAG") == ["b"])
  }

  @Test("MO20: reading, changing, deleting and rolling back over two stores", arguments: pairs)
  func mo20Changes(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    let region = try atlas.insert("Region", "r")
    let cities = try ["a", "b", "c"].map { try atlas.insert("City", $0) }
    try region.setObjects(cities.reversed(), forKey: "cities")
    let notes = try ["x", "y"].map { try atlas.insert("Note", $0, key: "about") }
    let diary = try atlas.context.insert("Diary")
    try diary.setObjects(notes.reversed(), forKey: "notes")
    try notes[0].add(notes[1], to: "seeAlso")
    try atlas.context.save()
    if !types.contains(.inMemory) { try atlas.reopen() } else { atlas.context.reset() }
    let context = atlas.context
    let saved = try #require(try context.fetch("Region").first)
    #expect(try saved.objects(forKey: "cities").names() == ["c", "b", "a"])
    let book = try #require(try context.fetch("Diary").first)
    #expect(try book.objects(forKey: "notes").names("about") == ["y", "x"])
    // Changes in both stores, taken back.
    let city = try saved.objects(forKey: "cities")[0]
    try city.setValue(.string("changed"), forKey: "name")
    try context.delete(try book.objects(forKey: "notes")[1])
    _ = try atlas.insert("Note", "new", key: "about")
    #expect(try context.count("Note") == 2)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(try city.value(forKey: "name") == .string("c"))
    #expect(try book.objects(forKey: "notes").names("about") == ["y", "x"])
    // And saved.
    try city.setValue(.string("changed"), forKey: "name")
    try context.delete(try book.objects(forKey: "notes")[1])
    try context.save()
    if !types.contains(.inMemory) { try atlas.reopen() } else { atlas.context.reset() }
    #expect(try atlas.context.fetch("City").names().sorted() == ["a", "b", "changed"])
    let note = try #require(try atlas.context.fetch("Note").first)
    #expect(try note.value(forKey: "about") == .string("y"))
    #expect(try note.objects(forKey: "seeAlso") == [])
    try atlas.verify()
  }

  @Test("MO20: a hierarchy whose entities are in different stores is fetched as one")
  func mo20SplitHierarchy() throws {
    let folder = TemporaryFolder()
    var draft = try Atlas.model().draft
    draft.configurations = [
      ModelConfiguration(name: "Cities", entityNames: ["City"]),
      ModelConfiguration(name: "Rest", entityNames: ["Region", "Country", "Note", "Diary", "Tag"]),
    ]
    let model = try ManagedObjectModel(draft)
    let coordinator = PersistentStoreCoordinator(model: model)
    for name in ["Cities", "Rest"] {
      try coordinator.addStore(type: .sqlite, at: folder.file(name), configuration: name)
    }
    let context = ManagedObjectContext(coordinator: coordinator)
    for (kind, name) in [("City", "b"), ("Country", "a"), ("Region", "c"), ("City", "d")] {
      try context.insert(kind).setValue(.string(name), forKey: "name")
    }
    let request = FetchRequest("Place", sortedBy: [ObjectSortDescriptor("name")])
    #expect(try context.fetch(request).map(\.entity.name) == ["Country", "City", "Region", "City"])
    try context.save()
    context.reset()
    #expect(try context.fetch(request).map(\.entity.name) == ["Country", "City", "Region", "City"])
    #expect(try context.fetch(request).names() == ["a", "b", "c", "d"])
    #expect(try context.fetch(FetchRequest("City")).count == 2)
    #expect(try context.fetch(FetchRequest("Region")).count == 2)
    #expect(try context.count("Place") == 4)
    let (city, region) = (
      try #require(try context.fetch("City").first), try #require(try context.fetch("Region").first)
    )
    #expect(objectErrorCode { try city.setObject(region, forKey: "region") } == .otherStore)
    // Relationships to entities that the store does not have are empty.
    #expect(try city.object(forKey: "region") == nil)
    #expect(try region.objects(forKey: "cities") == [])
    try context.delete(city)
    try context.delete(region)
    try context.save()
    try coordinator.close()
    for name in ["Cities", "Rest"] {
      let report = try StoreVerifier.verify(path: folder.file(name), model: model, configuration: name)
      #expect(report.findings.filter { $0.severity != .note } == [])
    }
  }

  @Test("RL15: a relationship between objects in different stores is refused, and so is leaving a store")
  func rl15() throws {
    let atlas = try Atlas()
    let (here, there) = (try atlas.insert("Tag", "here"), try atlas.insert("Tag", "there", into: 1))
    #expect(objectErrorCode { try here.setObject(there, forKey: "parent") } == .otherStore)
    #expect(objectErrorCode { try here.add(there, to: "children") } == .otherStore)
    #expect(objectErrorCode { try here.add(there, to: "related") } == .otherStore)
    #expect(objectErrorCode { try here.setObjects([here, there], forKey: "related") } == .otherStore)
    let (city, note) = (try atlas.insert("City", "c"), try atlas.insert("Note", "n", key: "about"))
    #expect(objectErrorCode { try note.setObject(city, forKey: "place") } == .otherStore)
    #expect(objectErrorCode { try city.add(note, to: "notes") } == .otherStore)
    #expect(try note.object(forKey: "place") == nil)
    #expect(try city.objects(forKey: "notes") == [])
    // What is related stays where it is.
    let child = try atlas.insert("Tag", "child")
    try child.setObject(here, forKey: "parent")
    #expect(objectErrorCode { try atlas.context.assign(here, to: atlas.stores[1]) } == .assigned)
    #expect(objectErrorCode { try atlas.context.assign(child, to: atlas.stores[1]) } == .assigned)
    try child.setObject(nil, forKey: "parent")
    try atlas.context.assign(child, to: atlas.stores[1])
    try child.setObject(there, forKey: "parent")
    #expect(objectErrorCode { try atlas.context.assign(city, to: atlas.stores[1]) } == .unknownEntity)
    try atlas.context.save()
    #expect(objectErrorCode { try atlas.context.assign(here, to: atlas.stores[1]) } == .assigned)
    #expect(objectErrorCode { try here.setObject(there, forKey: "parent") } == .otherStore)
    #expect(child.objectID.storeUUID == atlas.stores[1].identifier)
    #expect(try child.object(forKey: "parent") === there)
    try atlas.context.delete(note)
    try atlas.context.delete(city)
    try atlas.context.save()
    try atlas.verify()
  }

  @Test("A save of two stores that one of them refuses changes neither", arguments: pairs)
  func failingSave(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    let context = atlas.context
    let city = try atlas.insert("City", "old")
    _ = try atlas.insert("Note", "taken", key: "about")
    try context.save()
    // The second store has the name already.
    try city.setValue(.string("new"), forKey: "name")
    let town = try atlas.insert("City", "town")
    let twin = try atlas.insert("Note", "taken", key: "about")
    let isFile = types[0] == .xml || types[0] == .binary
    let before = isFile ? try Bytes.read(atlas.path(0)) : []
    let error = saveError { try context.save() }
    #expect(error?.code == .constraint)
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZPLACE ORDER BY 1") == ["old"])
    #expect(try atlas.rows(1, "SELECT count(*) FROM ZNOTE") == ["1"])
    if isFile { #expect(try Bytes.read(atlas.path(0)) == before) }
    #expect(city.isUpdated && town.isInserted && twin.isInserted && town.objectID.isTemporary)
    try twin.setValue(.string("free"), forKey: "about")
    try context.save()
    #expect(try atlas.rows(0, "SELECT ZNAME, Z_OPT FROM ZPLACE ORDER BY 1") == ["new|2", "town|1"])
    #expect(try atlas.rows(1, "SELECT ZABOUT FROM ZNOTE ORDER BY 1") == ["free", "taken"])
    if isFile { #expect(try Bytes.read(atlas.path(0)) != before) }
    if !types.contains(.inMemory) {
      try atlas.reopen()
      #expect(try atlas.context.fetch("City").names() == ["new", "town"])
    }
    try atlas.verify()
  }

  @Test("A store that cannot commit after another one has leaves no duplicates: what is saved is no change any more")
  func failingCommit() throws {
    let atlas = try Atlas()
    let context = atlas.context
    let city = try atlas.insert("City", "old")
    let note = try atlas.insert("Note", "old", key: "about")
    try context.save()
    // A deferred foreign key is checked when the transaction ends. The first store commits last.
    let connection = atlas.stores[0].connection
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE target (x PRIMARY KEY);
      CREATE TABLE reference (x REFERENCES target DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER bad AFTER INSERT ON ZPLACE BEGIN INSERT INTO reference VALUES (1); END
      """)
    try city.setValue(.string("new"), forKey: "name")
    try note.setValue(.string("new"), forKey: "about")
    let town = try atlas.insert("City", "town")
    let second = try atlas.insert("Note", "second", key: "about")
    let error = try #require(saveError { try context.save() })
    #expect(error.code == .database)
    #expect(error.message.contains(atlas.path(1)), "it says what is saved: \(error.message)")
    #expect(try atlas.rows(0, "SELECT ZNAME, Z_OPT FROM ZPLACE") == ["old|1"])
    #expect(try atlas.rows(1, "SELECT ZABOUT, Z_OPT FROM ZNOTE ORDER BY Z_PK") == ["new|2", "second|1"])
    #expect(city.isUpdated && town.isInserted && town.objectID.isTemporary)
    #expect(!note.hasChanges && !second.hasChanges && !second.objectID.isTemporary)

    try connection.execute("DROP TRIGGER bad; DROP TABLE reference; DROP TABLE target")
    try second.setValue(.string("third"), forKey: "about")
    try context.save()
    #expect(try atlas.rows(0, "SELECT ZNAME, Z_OPT FROM ZPLACE ORDER BY Z_PK") == ["new|2", "town|1"])
    #expect(try atlas.rows(1, "SELECT ZABOUT, Z_OPT FROM ZNOTE ORDER BY Z_PK") == ["new|2", "third|2"])
    try atlas.verify()
  }

  @Test("A conflict in one store leaves the other one alone too")
  func conflict() throws {
    let atlas = try Atlas()
    let (city, note) = (try atlas.insert("City", "c"), try atlas.insert("Note", "n", key: "about"))
    try atlas.context.save()
    let other = ManagedObjectContext(coordinator: atlas.coordinator)
    try other.object(with: note.objectID).setValue(.integer(7), forKey: "rank")
    try other.save()
    try city.setValue(.string("d"), forKey: "name")
    try note.setValue(.integer(8), forKey: "rank")
    let error = saveError { try atlas.context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts == [note.objectID])
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZPLACE") == ["c"])
    try atlas.context.refresh(note, mergingChanges: true)
    try atlas.context.save()
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZPLACE") == ["d"])
    #expect(try atlas.rows(1, "SELECT ZRANK FROM ZNOTE") == ["8"])
    try atlas.verify()
  }

  @Test("A store that was removed: its objects throw, the other store goes on")
  func removed() throws {
    let atlas = try Atlas()
    let context = atlas.context
    let (city, note) = (try atlas.insert("City", "c"), try atlas.insert("Note", "n", key: "about"))
    let tags = [try atlas.insert("Tag", "a"), try atlas.insert("Tag", "b", into: 1)]
    try context.save()
    let id = note.objectID
    try context.refresh(note, mergingChanges: false)
    try atlas.coordinator.remove(atlas.stores[1])
    #expect(objectErrorCode { _ = try note.value(forKey: "about") } == .closed)
    #expect(objectErrorCode { _ = try note.objects(forKey: "seeAlso") } == .closed)
    #expect(objectErrorCode { _ = try context.insert("Note") } == .closed)
    #expect(objectErrorCode { _ = try context.fetch("Note") } == .closed)
    #expect(objectErrorCode { _ = try context.object(with: id) } == .otherContext)
    #expect(try context.fetch("Tag").names() == ["a"])
    #expect(try context.fetch(FetchRequest("Tag")).names() == ["a"])
    #expect(try context.count(for: FetchRequest("Tag")) == 1)
    #expect(note.objectID == id)
    try city.setValue(.string("d"), forKey: "name")
    try context.save()
    // A change of what is in the store that is gone cannot be saved, and can be taken back.
    try tags[1].setValue(.string("z"), forKey: "name")
    #expect(saveError { try context.save() }?.code == .database)
    context.rollback()
    try context.save()
    // The same file comes as a new store.
    try atlas.coordinator.addStore(type: .sqlite, at: atlas.path(1), configuration: "Notes")
    #expect(try context.fetch("Note").names("about") == ["n"])
    #expect(try context.object(with: id) !== note)
    #expect(try context.existingObject(with: id)?.value(forKey: "about") == .string("n"))
    #expect(try context.fetch("Tag").names() == ["a", "b"])
  }

  @Test("A store that is added after the context was made is asked from then on, also by children")
  func added() throws {
    let atlas = try Atlas([.sqlite])
    let child = ManagedObjectContext(parent: atlas.context)
    #expect(objectErrorCode { _ = try atlas.context.insert("Note") } == .closed)
    #expect(objectErrorCode { _ = try child.insert("Note") } == .closed)
    _ = try atlas.insert("City", "c")
    let store = try atlas.coordinator.addStore(type: .inMemory, configuration: "Notes")
    let note = try child.insert("Note")
    try note.setValue(.string("n"), forKey: "about")
    #expect(try child.fetch("City").names() == ["c"])
    try child.save()
    try atlas.context.save()
    #expect(note.objectID.storeUUID == store.identifier)
    #expect(try atlas.context.fetch("Note").names("about") == ["n"])
    #expect(try child.existingObject(with: note.objectID) === note)
  }

  @Test("AP43: a child of a context over two stores", arguments: pairs)
  func children(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    for store in 0..<2 { for name in ["a", "b"] { _ = try atlas.insert("Tag", "\(name)\(store)", into: store) } }
    try atlas.context.save()
    let child = ManagedObjectContext(parent: ManagedObjectContext(parent: atlas.context))
    let tags = try child.fetch(FetchRequest("Tag", sortedBy: [ObjectSortDescriptor("name", ascending: false)]))
    #expect(tags.names() == ["b1", "b0", "a1", "a0"])
    try tags[0].setObject(tags[2], forKey: "parent")
    try tags[1].add(tags[3], to: "related")
    #expect(objectErrorCode { try tags[0].setObject(tags[1], forKey: "parent") } == .otherStore)
    let new = try child.insert("Tag")
    try child.assign(new, to: atlas.stores[1])
    try new.setValue(.string("c1"), forKey: "name")
    try tags[2].add(new, to: "children")
    try child.delete(tags[1])
    #expect(
      try child.fetch(FetchRequest("Tag", sortedBy: [ObjectSortDescriptor("name")])).names() == [
        "a0", "a1", "b1", "c1",
      ])
    #expect(try child.count("Tag") == 4)
    var next: ManagedObjectContext? = child
    while let context = next {
      try context.save()
      next = context.parent
    }
    #expect(new.objectID.storeUUID == atlas.stores[1].identifier)
    #expect(!new.objectID.isTemporary)
    atlas.context.reset()
    #expect(
      try atlas.context.fetch("Tag", where: ["name": .string("a1")]).first?.objects(forKey: "children").names()
        == ["b1", "c1"])
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZTAG") == ["a0"])
    try atlas.verify()
  }
}
