import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Coordinator")
struct CoordinatorTests {
  @Test("a new store is there at once, whole, and holds what was saved when its coordinator just goes away")
  func newStore() throws {
    let folder = TemporaryFolder()
    let model = try Models.works()
    let path = folder.file("new.sqlite")
    do {
      let coordinator = PersistentStoreCoordinator(model: model)
      try coordinator.addSQLiteStore(at: path)
      #expect(try StoreVerifier.verify(path: path, model: model).findings.filter { $0.severity == .error } == [])
      let context = ManagedObjectContext(coordinator: coordinator)
      try context.insert("Skill").setValue(.string("kept"), forKey: "title")
      try context.save()
      try context.insert("Skill").setValue(.string("lost"), forKey: "title")
    }
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(try context.fetchAll("Skill").names("title") == ["kept"])
    try coordinator.close()
    try coordinator.close()
    #expect(try StoreInfo.read(path: path).logBytes == 0)
  }

  @Test("a context keeps its coordinator, and with it the store, open")
  func contextKeepsCoordinator() throws {
    let folder = TemporaryFolder()
    let model = try Models.works()
    var coordinator: PersistentStoreCoordinator? = PersistentStoreCoordinator(model: model)
    try #require(coordinator).addSQLiteStore(at: folder.file("a.sqlite"))
    let context = ManagedObjectContext(coordinator: try #require(coordinator))
    coordinator = nil
    _ = try context.insert("Skill")
    try context.save()
    #expect(try context.count("Skill") == 1)
  }

  @Test("after close, contexts throw and keep their changes")
  func closed() throws {
    let place = try Workplace(try Models.works())
    let skill = try place.context.insert("Skill")
    try place.context.save()
    try skill.setValue(.string("a"), forKey: "title")
    try place.coordinator.close()
    #expect(saveError { try place.context.save() }?.code == .database)
    #expect(skill.isUpdated)
    #expect(objectErrorCode { _ = try place.context.fetch("Skill") } == .closed)
    #expect(objectErrorCode { _ = try skill.objects(forKey: "people") } == .closed)
    #expect(objectErrorCode { _ = try place.context.count("Skill") } == .closed)
    #expect(place.coordinator.store == nil)
  }

  @Test("a coordinator that has had all the stores it can number refuses another one, and goes on")
  func storeNumbers() throws {
    let model = try Models.works()
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try coordinator.addStore(type: .inMemory, at: nil)
    while coordinator.list.hasRoom(for: model) { coordinator.list.append(store) }
    // All of them at once: the coordinator has none when it goes away.
    coordinator.list.remove(store)
    #expect(coordinator.list.all.count == 1 << 16)
    let error = #expect(throws: StoreError.self) { try coordinator.addStore(type: .inMemory, at: nil) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("65536 stores") == true, "\(String(describing: error))")
    #expect(!coordinator.list.hasRoom(for: model))
  }

  @Test("a store of another model is refused, and so is one with the same identity")
  func refusals() throws {
    let place = try Workplace(try Models.works())
    try place.coordinator.close()
    let other = PersistentStoreCoordinator(model: try Models.types())
    var code: StoreError.Code?
    do { try other.addSQLiteStore(at: place.path) } catch { code = error.code }
    #expect(code == .incompatibleModel)
    #expect(other.stores.isEmpty)
    try other.addSQLiteStore(at: place.folder.file("other.sqlite"))
    do { try other.addSQLiteStore(at: place.folder.file("other.sqlite")) } catch { code = error.code }
    #expect(code == .unsupported)
    #expect(other.stores.count == 1)
  }

  @Test(
    "URIs that name no record of the store",
    arguments: [
      "", "x-coredata://", "http://UUID/Skill/p1", "x-coredata://UUID/Skill/1", "x-coredata://UUID/Skill/p",
      "x-coredata://UUID/Skill/p0", "x-coredata://UUID/Skill/p-1", "x-coredata://UUID/Skill/p1/",
      "x-coredata://UUID/p1",
      "x-coredata://UUID/Skil/p1", "x-coredata:///Skill/p1", "x-coredata://UUID/Skill/p99999999999999999999",
      "x-coredata://UUID/Skill/tAB-12", "x-coredata://00000000-0000-4000-8000-000000000000/Skill/p1",
    ])
  func badURIs(text: String) throws {
    let place = try Workplace(try Models.works())
    let uuid = try #require(place.coordinator.store).file.metadata.uuid
    #expect(place.coordinator.objectID(forURI: text.replacing("UUID", with: uuid)) == nil)
  }

  @Test("an ID goes through its URI unchanged")
  func goodURI() throws {
    let place = try Workplace(try Models.works())
    let skill = try place.context.insert("Skill")
    #expect(skill.objectID.uri == "x-coredata:///Skill/t1")
    #expect(place.coordinator.objectID(forURI: skill.objectID.uri) == nil)
    try place.context.save()
    let id = skill.objectID
    let uuid = try #require(place.coordinator.store).file.metadata.uuid
    #expect(id.uri == "x-coredata://\(uuid)/Skill/p1")
    #expect(place.coordinator.objectID(forURI: id.uri) == id)
    #expect(Set([id, try #require(place.coordinator.objectID(forURI: id.uri))]).count == 1)
  }

  @Test("the number of related objects is checked at both ends", arguments: [true, false])
  func counts(isOptional: Bool) throws {
    var members = Models.toMany("members", "Member", inverse: "team")
    members.minCount = 2
    members.maxCount = 3
    members.isOptional = isOptional
    let place = try Workplace(
      try Models.model(
        Models.entity("Team", relationships: [members]),
        Models.entity("Member", relationships: [Models.toOne("team", "Team", inverse: "members")])))
    let team = try place.context.insert("Team")
    let people = try (0..<4).map { _ in try place.context.insert("Member") }
    func codes() -> [ObjectFailureCode] { saveError { try place.context.save() }?.failures.map(\.code) ?? [] }
    #expect(codes() == (isOptional ? [] : [.tooFewObjects]))
    try team.add(people[0], to: "members")
    #expect(codes() == [.tooFewObjects])
    try team.add(people[1], to: "members")
    #expect(codes() == [])
    try people[2].setObject(team, forKey: "team")
    #expect(codes() == [])
    try people[3].setObject(team, forKey: "team")
    #expect(codes() == [.tooManyObjects])
    for person in people[1...] { try person.setObject(nil, forKey: "team") }
    #expect(codes() == [.tooFewObjects])
    try place.context.delete(people[0])
    #expect(codes() == (isOptional ? [] : [.tooFewObjects]))
    if isOptional { try place.verify() }
  }
}
