import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("AP50: what an incremental store has brought")
struct IncrementalStoreTests {
  /// Two people and two skills; the people of the first skill are in the order q, p.
  private func place() throws -> Workplace {
    let place = try Workplace(try Models.works(), kind: .incremental)
    var skills: [ManagedObject] = []
    for title in ["a", "b"] {
      let skill = try place.context.insert("Skill")
      try skill.setValue(.string(title), forKey: "title")
      skills.append(skill)
    }
    for name in ["p", "q"] {
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try person.insert(skills[0], into: "skills", at: 0)
      try person.insert(skills[1], into: "skills", at: 0)
      try skills[0].insert(person, into: "people", at: 0)
    }
    try place.context.save()
    try place.reopen()
    return place
  }

  private func named(_ name: String, _ place: Workplace) throws -> ManagedObject {
    let request = FetchRequest("Person", where: try ObjectPredicate(format: "name == '\(name)'"))
    return try #require(try place.context.fetch(request).first)
  }

  @Test("AP50: both sides of a relationship keep their order, whichever is brought first", arguments: [false, true])
  func ap50BothOrders(peopleFirst: Bool) throws {
    let place = try place()
    let skill = try #require(try place.context.fetchAll("Skill").first)
    let person = try named("p", place)
    if peopleFirst { #expect(try skill.objects(forKey: "people").names() == ["q", "p"]) }
    #expect(try person.objects(forKey: "skills").names("title") == ["b", "a"])
    #expect(try skill.objects(forKey: "people").names() == ["q", "p"])
    // A move on one side leaves the other one alone, in the store too.
    try person.insert(skill, into: "skills", at: 0)
    try place.context.save()
    try place.reopen()
    #expect(try named("p", place).objects(forKey: "skills").names("title") == ["a", "b"])
    let again = try #require(try place.context.fetchAll("Skill").first)
    #expect(try again.objects(forKey: "people").names() == ["q", "p"])
  }

  @Test("AP50: members that a save brought are asked for again when the save is refused")
  func ap50RolledBack() throws {
    let place = try place()
    let server = Server.at(place.path)
    let person = try named("p", place)
    try person.setValue(.string("x"), forKey: "name")
    server.refusesSaves = true
    server.calls = []
    #expect(saveError { try place.context.save() }?.code == .store)
    #expect(server.calls.contains("newValue skills"), "what is saved is whole: \(server.calls)")
    server.refusesSaves = false
    #expect(try person.objects(forKey: "skills").names("title") == ["b", "a"])
    try place.context.save()
    try place.reopen()
    #expect(try named("x", place).objects(forKey: "skills").names("title") == ["b", "a"])
  }

  @Test("AP50: records that were evicted are changed and deleted as if they were here")
  func ap50Evicted() throws {
    let place = try place()
    let server = Server.at(place.path)
    let (changed, deleted) = (try named("p", place), try named("q", place))
    try changed.setValue(.string("x"), forKey: "name")
    try place.context.delete(deleted)
    let store = try #require(place.coordinator.store)
    try store.evictCachedRecords()
    try place.context.save()
    #expect(server.records["Party"]?.values.map { $0.values["name"] } == [.string("x")])
    // Somebody else's change is noticed although the record is not here.
    let key = changed.objectID.primaryKey
    server.records["Party"]?[key]?.version += 1
    try store.evictCachedRecords()
    try changed.setValue(.string("y"), forKey: "name")
    #expect(saveError { try place.context.save() }?.code == .conflict)
    server.records["Party"]?[key] = nil
    try store.evictCachedRecords()
    #expect(saveError { try place.context.save() }?.code == .conflict)
  }

  /// A company with the staff c, b, a, opened again: nothing of it is in the tables.
  private func companyPlace() throws -> Workplace {
    let place = try Workplace(try Models.works(), kind: .incremental)
    let company = try place.context.insert("Company")
    try company.setValue(.string("co"), forKey: "name")
    for name in ["a", "b", "c"] {
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try company.insert(person, into: "staff", at: 0)
    }
    try place.context.save()
    try place.reopen()
    return place
  }

  private func staff(_ place: Workplace) throws -> [String] {
    try place.reopen()
    let company = try #require(try place.context.fetchAll("Company").first)
    return try company.objects(forKey: "staff").names()
  }

  @Test("AP50: a member that changes leaves the order of the others alone, although their owner is not here")
  func ap50MemberAlone() throws {
    let place = try companyPlace()
    let key = try named("b", place).objectID
    try place.reopen()
    try place.context.object(with: key).setValue(.string("B"), forKey: "name")
    try place.context.save()
    #expect(try staff(place) == ["c", "B", "a"])
  }

  @Test("AP50: members of an owner that was evicted are joined, left and deleted, and the others keep their order")
  func ap50EvictedOwner() throws {
    let place = try companyPlace()
    let company = try #require(try place.context.fetchAll("Company").first)
    let key = company.objectID
    let store = try #require(place.coordinator.store)
    try store.evictCachedRecords()
    let new = try place.context.insert("Person")
    try new.setValue(.string("d"), forKey: "name")
    try new.setObject(company, forKey: "employer")
    try place.context.save()
    #expect(try staff(place) == ["c", "b", "a", "d"])
    let left = try named("b", place)
    try #require(place.coordinator.store).evictCachedRecords()
    try left.setObject(nil, forKey: "employer")
    try place.context.save()
    #expect(try staff(place) == ["c", "a", "d"])
    let deleted = try named("c", place)
    try #require(place.coordinator.store).evictCachedRecords()
    try place.context.delete(deleted)
    try place.context.save()
    #expect(try staff(place) == ["a", "d"])
    let back = try named("b", place)
    try #require(place.coordinator.store).evictCachedRecords()
    try back.setObject(try place.context.object(with: key), forKey: "employer")
    try place.context.save()
    #expect(try staff(place) == ["a", "d", "b"])
  }

  /// A company with the staff c, a, b, d in the tables, whose positions are not the usual ones.
  private func moved() throws -> (Workplace, ManagedObject) {
    let place = try companyPlace()
    let company = try #require(try place.context.fetchAll("Company").first)
    let new = try place.context.insert("Person")
    try new.setValue(.string("d"), forKey: "name")
    try company.add(new, to: "staff")
    try company.insert(try named("a", place), into: "staff", at: 1)
    try place.context.save()
    #expect(try company.objects(forKey: "staff").names() == ["c", "a", "b", "d"])
    return (place, company)
  }

  @Test("AP50: after an eviction an ordered relationship is saved in the order that the context shows")
  func ap50MovedAfterEviction() throws {
    let (place, company) = try moved()
    let last = try named("d", place)
    try #require(place.coordinator.store).evictCachedRecords()
    try company.insert(last, into: "staff", at: 2)
    #expect(try company.objects(forKey: "staff").names() == ["c", "a", "d", "b"])
    try place.context.save()
    #expect(try company.objects(forKey: "staff").names() == ["c", "a", "d", "b"])
    #expect(try staff(place) == ["c", "a", "d", "b"])
  }

  @Test("AP50: a member that is read again alone after an eviction stands where it stood")
  func ap50RefreshedAlone() throws {
    let (place, company) = try moved()
    let member = try named("b", place)
    try #require(place.coordinator.store).evictCachedRecords()
    try place.context.refresh(member, mergingChanges: false)
    #expect(try member.value(forKey: "name") == .string("b"))
    #expect(try company.objects(forKey: "staff").names() == ["c", "a", "b", "d"])
    try company.insert(try named("d", place), into: "staff", at: 0)
    try place.context.save()
    #expect(try staff(place) == ["d", "c", "a", "b"])
  }

  @Test("AP50: the same for a relationship whose members have several owners")
  func ap50ManyMovedAfterEviction() throws {
    let place = try place()
    let skill = try #require(try place.context.fetchAll("Skill").first)
    for name in ["r", "s"] {
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try skill.add(person, to: "people")
    }
    try skill.insert(try named("r", place), into: "people", at: 1)
    try place.context.save()
    #expect(try skill.objects(forKey: "people").names() == ["q", "r", "p", "s"])
    let last = try named("s", place)
    try #require(place.coordinator.store).evictCachedRecords()
    try skill.insert(last, into: "people", at: 2)
    try place.context.save()
    #expect(try skill.objects(forKey: "people").names() == ["q", "r", "s", "p"])
    try place.reopen()
    let again = try #require(try place.context.fetchAll("Skill").first)
    #expect(try again.objects(forKey: "people").names() == ["q", "r", "s", "p"])
  }

  @Test("AP50: an order that changed elsewhere is seen after an eviction")
  func ap50ReorderedElsewhere() throws {
    let (place, company) = try moved()
    let server = Server.at(place.path)
    let key = company.objectID.primaryKey
    let list = try #require(server.records["Party"]?[key]?.references["staff"])
    server.records["Party"]?[key]?.references["staff"] = list.reversed()
    try #require(place.coordinator.store).evictCachedRecords()
    place.context.reset()
    let again = try #require(try place.context.fetchAll("Company").first)
    #expect(try again.objects(forKey: "staff").names() == ["d", "b", "a", "c"])
  }

  @Test("AP50: who refers to a deleted record without a way back does so no more, although it was not here")
  func ap50Unpaired() throws {
    let place = try place()
    let memo = try place.context.insert("Memo")
    try memo.setObject(try named("p", place), forKey: "about")
    try place.context.save()
    try place.reopen()
    try place.context.delete(try named("p", place))
    try place.context.save()
    let server = Server.at(place.path)
    #expect(server.records["Memo"]?.values.map { $0.references["about"] ?? [] } == [[]])
    try place.reopen()
    #expect(try #require(try place.context.fetchAll("Memo").first).object(forKey: "about") == nil)
    try place.verify()
  }

  @Test("AP51: a store that is read only brings records and members as they are asked for")
  func ap51ReadOnlyMembers() throws {
    let place = try place()
    try place.coordinator.close()
    var options = PersistentStoreOptions()
    options.isReadOnly = true
    let coordinator = StoreKind.incremental.coordinator(place.model)
    let store = try coordinator.addStore(type: StoreKind.incremental.type, at: place.path, options: options)
    let context = ManagedObjectContext(coordinator: coordinator)
    try withExtendedLifetime(context) {
      let skill = try #require(try context.fetchAll("Skill").first)
      #expect(try skill.objects(forKey: "people").names() == ["q", "p"])
      try store.evictCachedRecords()
      #expect(try context.count(for: FetchRequest("Person")) == 2)
    }
  }
}
