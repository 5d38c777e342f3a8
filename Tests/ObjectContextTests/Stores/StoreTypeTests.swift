import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("AP50: store types")
struct StoreTypeTests {
  static let values: [(key: String, value: AttributeValue)] =
    ValueRoundTripTests.cases.map { ($0.key, $0.value) } + [
      ("double", .double(.infinity)), ("double", .double(-.infinity)), ("double", .double(-0.0)),
      ("double", .double(0.1)), ("double", .double(-.leastNonzeroMagnitude)),
      ("double", .double(1.7976931348623157e308)),
      ("float", .double(Double(Float.leastNonzeroMagnitude))), ("date", .date(-0.1)),
      ("date", .date(645_123_456.123_456_7)), ("date", .date(1e300)), ("date", .date(.infinity)),
      ("decimal", .decimal(DecimalNumber(significand: 123_456_789_012_345, exponent: -20))),
      ("decimal", .decimal(DecimalNumber(significand: 1, exponent: 100))),
      ("decimal", .decimal(DecimalNumber(significand: -1, exponent: -120))),
      ("string", .string("\u{0}")), ("string", .string("a\u{1}b\u{1F}\u{7F}\u{85}")),
      ("string", .string("\r\n\t \u{FFFE}\u{FFFF}")), ("string", .string("  <&>\"']]>&#0;  ")),
      ("string", .string("\r")), ("string", .string("e\u{301}\u{E9}")), ("string", .string("\u{10FFFF}\u{FFFD}")),
      ("string", .string(String(repeating: "ü<", count: 100_000))), ("uri", .uri("file:///a b\u{2}")),
      ("binary", .binary((0...255).map { UInt8($0) })), ("external", .binary([])), ("external", .binary([2, 1, 0])),
      ("external", .binary([UInt8](repeating: 7, count: 300_000))), ("uuid", .uuid(0, 0)), ("uuid", .uuid(.max, .max)),
      ("boolean", .boolean(false)), ("int64", .integer(0)), ("int64", .integer(-1)),
    ]

  @Test("AP50: every value of every type comes back bit by bit", arguments: StoreKind.allCases)
  func ap50Values(kind: StoreKind) throws {
    let place = try Workplace(try Models.types(), kind: kind)
    var ids: [(id: ManagedObjectID, key: String, value: AttributeValue)] = []
    var objects: [ManagedObject] = []
    for (key, value) in Self.values {
      let object = try place.context.insert("Thing")
      try object.setValue(value, forKey: key)
      objects.append(object)
    }
    try place.context.save()
    for (object, (key, value)) in zip(objects, Self.values) { ids.append((object.objectID, key, value)) }
    for round in 0..<2 {
      try place.reopen()
      for (id, key, value) in ids {
        let object = try place.context.object(with: id)
        let found = try object.value(forKey: key)
        #expect(found == value, "round \(round): \(key)")
        switch (found, value) {
        case (.double(let one), .double(let other)), (.date(let one), .date(let other)):
          #expect(one.bitPattern == other.bitPattern || value == .double(0) || value == .date(0), "\(key) \(one)")
        default: break
        }
        for attribute in object.entity.attributes where attribute.name != key {
          #expect(try object.value(forKey: attribute.name) == .null)
        }
      }
      // The next save writes what was read, so that both ways are seen twice.
      try place.context.insert("Thing").setValue(.integer(1), forKey: "int16")
      try place.context.save()
    }
    try place.verify()
  }

  @Test("AP50: inserts, updates, deletes and fetches", arguments: StoreKind.allCases)
  func ap50Objects(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    let people = try (0..<20).map { number in
      let person = try place.context.insert(number % 5 == 0 ? "Boss" : "Person")
      try person.setValue(.string("p\(number)"), forKey: "name")
      try person.setValue(.integer(Int64(number)), forKey: "age")
      return person
    }
    try place.context.save()
    let uris = people.map(\.objectID.uri)
    try place.reopen()
    #expect(try place.context.count("Person") == 20)
    #expect(try place.context.count("Boss") == 4)
    var request = FetchRequest("Person", where: try ObjectPredicate(format: "age >= 10 AND name LIKE 'p1*'"))
    request.sortDescriptors = [ObjectSortDescriptor("age", ascending: false)]
    let found = Array(try place.context.fetch(request))
    #expect(try found.map { try $0.value(forKey: "age") } == (10..<20).reversed().map { .integer(Int64($0)) })
    for person in found { try person.setValue(.string("changed"), forKey: "name") }
    for person in found.prefix(3) { try place.context.delete(person) }
    try place.context.save()
    try place.reopen()
    #expect(try place.context.count("Person") == 17)
    #expect(try place.context.fetchAll("Person").names().filter { $0 == "changed" }.count == 7)
    if kind.isPersistent {
      let id = try #require(place.coordinator.objectID(forURI: uris[0]))
      #expect(try place.context.object(with: id).value(forKey: "name") == .string("p0"))
      #expect(try place.context.object(with: id).entity.name == "Boss")
    }
    try place.verify()
  }

  @Test("AP50: keys are never given out twice", arguments: StoreKind.persistent)
  func ap50Keys(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    let skills = try (0..<5).map { _ in try place.context.insert("Skill") }
    try place.context.save()
    let last = try #require(skills.map(\.objectID.primaryKey).max())
    for skill in skills { try place.context.delete(skill) }
    try place.context.save()
    try place.reopen()
    let skill = try place.context.insert("Skill")
    try place.context.save()
    #expect(skill.objectID.primaryKey == last + 1)
  }

  @Test("AP50: versions count saves and guard against lost updates", arguments: StoreKind.allCases)
  func ap50Versions(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    let skill = try place.context.insert("Skill")
    try place.context.save()
    try skill.setValue(.string("a"), forKey: "title")
    try place.context.save()
    try place.reopen()
    #expect(try place.context.fetchAll("Skill").count == 1)
    #expect(try place.rows("SELECT Z_OPT FROM ZSKILL") == ["2"])
    let (one, other) = (place.context, place.anotherContext())
    try #require(try one.fetchAll("Skill").first).setValue(.string("b"), forKey: "title")
    let late = try #require(try other.fetchAll("Skill").first)
    try late.setValue(.string("c"), forKey: "title")
    try one.save()
    #expect(saveError { try other.save() }?.code == .conflict)
    try place.reopen()
    #expect(try place.context.fetchAll("Skill").names("title") == ["b"])
  }

  @Test("AP50: uniqueness constraints hold, and a save that breaks one changes nothing", arguments: StoreKind.allCases)
  func ap50Unique(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    try place.context.insert("Desk").setValue(.integer(7), forKey: "number")
    try place.context.save()
    let before = kind.isAtomic ? try Bytes.read(place.path) : []
    try place.context.insert("Desk").setValue(.integer(7), forKey: "number")
    #expect(saveError { try place.context.save() }?.code == .constraint)
    if kind.isAtomic { #expect(try Bytes.read(place.path) == before) }
    try place.reopen()
    #expect(try place.context.count("Desk") == 1)
  }

  @Test("AP50: batch requests reach the file", arguments: StoreKind.allCases.filter { $0 != .incremental })
  func ap50Batches(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    let rows: [[String: ConstantValue]] = (0..<10).map { ["title": .attribute(.string("s\($0)"))] }
    _ = try place.context.execute(BatchInsertRequest("Skill", rows: rows))
    try place.reopen()
    #expect(try place.context.count("Skill") == 10)
    _ = try place.context.execute(BatchDeleteRequest("Skill", where: try ObjectPredicate(format: "title > 's4'")))
    try place.reopen()
    #expect(try place.context.fetchAll("Skill").names("title") == (0..<5).map { "s\($0)" })
    try place.verify()
  }

  @Test("AP50: metadata of users and of others are kept by every save", arguments: StoreKind.persistent)
  func ap50Metadata(kind: StoreKind) throws {
    let place = try Workplace(try Models.works(), kind: kind)
    let store = try #require(place.coordinator.store)
    var metadata = place.coordinator.metadata(for: store)
    let mine: [(String, PropertyList)] = [
      ("flag", .boolean(true)), ("text", .string("a\u{1}<b>&\r\n")), ("number", .integer(-5)),
      ("large", .unsigned(.max)), ("real", .real(0.1)), ("date", .date(0.25)), ("data", .data([0, 255])),
      ("nested", .array([.dictionary([PropertyList.Entry("k", .uid(7))]), .string("")])),
    ]
    for (key, value) in mine { metadata[key] = value }
    metadata[StoreMetadata.Key.storeType] = .string("Nonsense")
    try place.coordinator.setMetadata(metadata, for: store)
    try place.context.insert("Skill").setValue(.string("x"), forKey: "title")
    try place.context.save()
    try place.reopen()
    let read = place.coordinator.metadata(for: try #require(place.coordinator.store))
    for (key, value) in mine { #expect(read[key] == value, "\(key)") }
    #expect(read.uuid == metadata.uuid)
    #expect(read[StoreMetadata.Key.storeType] == .string(kind.type.name))
    #expect(try place.context.count("Skill") == 1)
  }

  @Test("AP50: a store in memory leaves nothing behind and forgets")
  func ap50InMemory() throws {
    let folder = TemporaryFolder()
    let model = try Models.works()
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try coordinator.addStore(type: .inMemory)
    let context = ManagedObjectContext(coordinator: coordinator)
    _ = try context.insert("Skill")
    try context.save()
    #expect(try ManagedObjectContext(coordinator: coordinator).count("Skill") == 1)
    #expect(store.metadata[StoreMetadata.Key.storeType] == .string("InMemory"))
    try coordinator.remove(store)
    try coordinator.addStore(type: .inMemory)
    #expect(try ManagedObjectContext(coordinator: coordinator).count("Skill") == 0)
    #expect(try Bytes.names(folder.path) == [])
  }

  @Test("AP50: types that nobody registered are refused")
  func ap50Unknown() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Models.works())
    #expect(storeErrorCode { try coordinator.addStore(type: .custom("Lines"), at: folder.file("a")) } == .invalidOption)
    #expect(storeErrorCode { try coordinator.addStore(type: .xml) } == .notFound)
    #expect(coordinator.stores.isEmpty)
  }
}

func storeErrorCode(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    return error.code
  } catch {
    Issue.record("an error that is no StoreError: \(error)")
    return nil
  }
}
