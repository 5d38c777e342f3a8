import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Fetches over several stores")
struct SeveralStoresFetchTests {
  @Test(
    "FP15: a fetched property finds objects of another store of the coordinator", arguments: SeveralStoresTests.pairs)
  func fp15(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    for (name, size) in [("Bergen", 3), ("Oslo", 7), ("Paris", 20)] {
      try atlas.insert("City", name).setValue(.integer(Int64(size)), forKey: "size")
    }
    let note = try atlas.insert("Note", "Oslo", key: "about")
    try note.setValue(.integer(10), forKey: "rank")
    func check(_ expected: [String]) throws {
      try atlas.context.refreshAll([note])
      let found = try note.fetchedObjects(forKey: "cities")
      #expect(found.names() == expected)
      #expect(found.allSatisfy { $0.objectID.storeUUID == atlas.stores[0].identifier })
    }
    // The source in its predicate is an object of another store: no city is that one.
    #expect(try note.fetchedObjects(forKey: "cities").names() == ["Oslo", "Paris"])
    try atlas.context.save()
    try check(["Oslo", "Paris"])
    try note.setValue(.integer(2), forKey: "rank")
    try check(["Bergen", "Oslo", "Paris"])
    try note.setValue(.string("nowhere"), forKey: "about")
    try note.setValue(.integer(100), forKey: "rank")
    try check([])
    // An entity that both stores have.
    for (store, name) in [(0, "Rome"), (1, "Roma"), (0, "Ro"), (1, "Oslo")] {
      _ = try atlas.insert("Tag", name, into: store)
    }
    try note.setValue(.string("Ro"), forKey: "about")
    #expect(try note.fetchedObjects(forKey: "tags").names() == ["Rome", "Roma", "Ro"])
    try atlas.context.save()
    try atlas.context.refreshAll([note])
    #expect(try note.fetchedObjects(forKey: "tags").names() == ["Rome", "Roma", "Ro"])
    // Predicates in memory, and children, go the same way.
    #expect(
      try [note].filtered(by: try ObjectPredicate(format: "tags.@count == 3 AND ANY tags.name == 'Roma'")).count == 1)
    let child = ManagedObjectContext(parent: atlas.context)
    #expect(try child.object(with: note.objectID).fetchedObjects(forKey: "tags").names() == ["Rome", "Roma", "Ro"])
  }

  @Test("FE5: closures and orders of one's own, in stores that are no SQLite stores")
  func fe5() throws {
    let isOdd = ObjectPredicate.closure(
      PredicateClosure { value in
        guard case .object(let object) = value,
          case .attribute(.integer(let weight)) = try? object.evaluatedValue(forKey: "weight")
        else { return false }
        return weight % 2 == 1
      })
    let backwards = ObjectSortDescriptor("weight", ascending: false)
    let byClosure = ObjectSortDescriptor(
      "name",
      comparison: .custom(
        SortClosure { left, right in
          guard case .attribute(.string(let left)) = left, case .attribute(.string(let right)) = right else { return 0 }
          return left < right ? 1 : left > right ? -1 : 0
        }))
    for types in [[PersistentStoreType.inMemory, .xml], [.inMemory, .sqlite], [.sqlite, .inMemory]] {
      let atlas = try Atlas(types)
      for i in 0..<8 {
        try atlas.insert("Tag", "t\(i)", into: i / 2 % 2).setValue(.integer(Int64(i)), forKey: "weight")
      }
      for saves in [false, true] {
        if saves { try atlas.context.save() }
        var request = FetchRequest("Tag", where: isOdd, sortedBy: [backwards])
        if types.contains(.sqlite) {
          #expect(predicateErrorCode { _ = try atlas.context.fetch(request) } == .notInSQL)
          #expect(predicateErrorCode { _ = try atlas.context.count(for: request) } == .notInSQL)
          #expect(predicateErrorCode { _ = try atlas.context.fetchObjectIDs(request) } == .notInSQL)
        } else {
          #expect(try atlas.context.fetch(request).names() == ["t7", "t5", "t3", "t1"])
          #expect(try atlas.context.count(for: request) == 4)
          let ids = try atlas.context.fetchObjectIDs(request)
          #expect(try ids.map { try atlas.context.object(with: $0) }.names() == ["t7", "t5", "t3", "t1"])
          let child = ManagedObjectContext(parent: atlas.context)
          #expect(try child.fetch(request).names() == ["t7", "t5", "t3", "t1"])
          request.fetchOffset = 1
          request.fetchLimit = 2
          #expect(try atlas.context.fetch(request).names() == ["t5", "t3"])
          #expect(try atlas.context.count(for: request) == 2)
          request.sortDescriptors = [byClosure]
          #expect(try atlas.context.fetch(request).names() == ["t5", "t3"])
          #expect(predicateErrorCode { _ = try atlas.context.fetchDictionaries(request) } != nil)
        }
        // The store that is asked decides.
        for (number, type) in types.enumerated() {
          request = FetchRequest("Tag", where: isOdd, sortedBy: [byClosure])
          request.affectedStores = [atlas.stores[number].identifier]
          if type == .sqlite {
            #expect(predicateErrorCode { _ = try atlas.context.fetch(request) } == .notInSQL)
          } else {
            let expected = number == 0 ? ["t5", "t1"] : ["t7", "t3"]
            #expect(try atlas.context.fetch(request).names() == expected)
            #expect(try atlas.context.count(for: request) == 2)
          }
        }
      }
    }
  }

  @Test("AP32: a request asks the stores it names", arguments: SeveralStoresTests.pairs)
  func ap32(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    for i in 0..<6 { _ = try atlas.insert("Tag", "t\(i)", into: i % 2) }
    try atlas.context.save()
    _ = try atlas.insert("Tag", "t6", into: 0)
    var request = FetchRequest("Tag", sortedBy: [ObjectSortDescriptor("name")])
    let uuids = atlas.stores.map(\.identifier)
    for (stores, expected) in [
      ([uuids[0]], [0, 2, 4, 6]), ([uuids[1]], [1, 3, 5]), (uuids, Array(0...6)), ([], []), (["nobody"], []),
    ] {
      request.affectedStores = stores
      #expect(try atlas.context.fetch(request).names() == expected.map { "t\($0)" })
      #expect(try atlas.context.fetchObjectIDs(request).count == expected.count)
      #expect(try atlas.context.count(for: request) == expected.count)
      let child = ManagedObjectContext(parent: atlas.context)
      #expect(try child.fetch(request).names() == expected.map { "t\($0)" })
    }
    request.affectedStores = nil
    #expect(try atlas.context.count(for: request) == 7)
  }

  @Test("IDs in predicates name objects of their own store only")
  func foreignIDs() throws {
    let atlas = try Atlas()
    let tags = try (0..<4).map { try atlas.insert("Tag", "t\($0)", into: $0 % 2) }
    try tags[2].setObject(tags[0], forKey: "parent")
    try tags[3].setObject(tags[1], forKey: "parent")
    try atlas.context.save()
    #expect(tags[0].objectID.primaryKey == tags[1].objectID.primaryKey)
    for clean in [false, true] {
      if !clean { try tags[0].setValue(.integer(1), forKey: "weight") }
      func names(_ predicate: ObjectPredicate) throws -> [String] {
        try atlas.context.fetch(FetchRequest("Tag", where: predicate, sortedBy: [ObjectSortDescriptor("name")])).names()
      }
      #expect(try names(try ObjectPredicate(format: "self == %@", tags[1])) == ["t1"])
      #expect(try names(try ObjectPredicate(format: "self == %@", tags[0])) == ["t0"])
      #expect(try names(try ObjectPredicate(format: "parent == %@", tags[0])) == ["t2"])
      #expect(try names(try ObjectPredicate(format: "parent == %@", tags[1])) == ["t3"])
      let both = ObjectPredicate.comparison(
        ComparisonPredicate(
          .evaluatedObject, .isIn, .constant(.collection([tags[0], tags[3]].map { .objectID($0.objectID) }))))
      #expect(try names(both) == ["t0", "t3"])
      try atlas.context.save()
    }
  }

  @Test("Dictionaries of several stores are one list; what would be an aggregate of each is refused")
  func dictionaries() throws {
    let atlas = try Atlas([.sqlite, .xml])
    for i in 0..<6 {
      let tag = try atlas.insert("Tag", "t\(i)", into: i % 2)
      try tag.setValue(.integer(Int64(10 - i / 2)), forKey: "weight")
    }
    let tags = try atlas.context.fetch(FetchRequest("Tag", sortedBy: [ObjectSortDescriptor("name")]))
    for i in 2..<6 { try tags[i].setObject(tags[i % 2], forKey: "parent") }
    try atlas.insert("City", "c").setValue(.integer(2), forKey: "size")
    try atlas.context.save()
    var request = FetchRequest(
      "Tag", sortedBy: [ObjectSortDescriptor("weight"), ObjectSortDescriptor("name", ascending: false)])
    request.propertiesToFetch = ["name"]
    func names() throws -> [String] {
      try atlas.context.fetchDictionaries(request).map { row in
        guard case .attribute(.string(let name)) = row["name"] else { return "?" }
        return name
      }
    }
    #expect(try names() == ["t5", "t4", "t3", "t2", "t1", "t0"])
    #expect(try atlas.context.fetchDictionaries(request).keys == ["name"])
    #expect(try atlas.context.fetchDictionaries(request)[0].dictionary == ["name": "t5"])
    request.fetchOffset = 1
    request.fetchLimit = 3
    #expect(try names() == ["t4", "t3", "t2"])
    request.fetchOffset = 9
    #expect(try names() == [])
    (request.fetchOffset, request.fetchLimit) = (0, 0)
    request.sortDescriptors = []
    #expect(try names() == ["t0", "t2", "t4", "t1", "t3", "t5"])
    request.predicate = try ObjectPredicate(format: "weight < 10")
    request.sortDescriptors = [ObjectSortDescriptor("parent.name"), ObjectSortDescriptor("name")]
    request.propertiesToFetch = ["name", "parent"]
    let rows = try atlas.context.fetchDictionaries(request)
    #expect(rows.keys == ["name", "parent"])
    #expect(try names() == ["t2", "t4", "t3", "t5"])
    for row in rows {
      guard case .objectID(let parent) = row["parent"], case .attribute(.string(let name)) = row["name"] else {
        Issue.record("no parent")
        continue
      }
      #expect(parent.storeUUID == atlas.stores[name == "t2" || name == "t4" ? 0 : 1].identifier)
    }
    request.propertiesToFetch = []
    #expect(predicateErrorCode { _ = try atlas.context.fetchDictionaries(request) } == .invalidRequest)
    for key in ["name", "SELF.name"] {
      request.sortDescriptors = [ObjectSortDescriptor(key)]
      #expect(try Set(atlas.context.fetchDictionaries(request).keys) == ["name", "weight", "parent"])
    }
    #expect(try names() == ["t2", "t3", "t4", "t5"])

    request.propertiesToFetch = ["name"]
    request.returnsDistinctResults = true
    let error = #expect(throws: ObjectError.self) { try atlas.context.fetchDictionaries(request) }
    #expect(error?.predicateError?.code == .invalidRequest)
    #expect(error?.message.contains("affectedStores") == true)
    request.affectedStores = [atlas.stores[1].identifier]
    #expect(try names() == ["t3", "t5"])
    request = FetchRequest("City")
    request.propertiesToFetch = ["name"]
    #expect(try atlas.context.fetchDictionaries(request).map(\.dictionary) == [["name": "c"]])
  }

  @Test(
    "Batch requests go to every store that has the entity, inserts to the first", arguments: SeveralStoresTests.pairs)
  func batches(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    let context = atlas.context
    let tags = try (0..<6).map { try atlas.insert("Tag", "t\($0)", into: $0 % 2) }
    try context.save()
    var insert = BatchInsertRequest("Tag", rows: [["name": "t6"], ["name": "t7"]])
    insert.resultType = .objectIDs
    let inserted = try context.execute(insert)
    #expect(inserted.insertedObjectIDs.allSatisfy { $0.storeUUID == atlas.stores[0].identifier })
    var other = BatchInsertRequest("Note", rows: [["about": "n"]])
    other.resultType = .count
    #expect(try context.execute(other).insertedCount == 1)
    #expect(try atlas.rows(1, "SELECT ZABOUT FROM ZNOTE") == ["n"])
    var update = BatchUpdateRequest(
      "Tag", where: try ObjectPredicate(format: "name < 't3' OR name > 't5'"), set: ["weight": 5])
    update.resultType = .objectIDs
    let updated = try context.execute(update)
    #expect(updated.updatedCount == 5)
    try context.mergeChanges(from: updated)
    #expect(try tags[1].value(forKey: "weight") == .integer(5))
    #expect(try tags[3].value(forKey: "weight") == .null)
    #expect(try context.count(for: FetchRequest("Tag", where: try ObjectPredicate(format: "weight == 5"))) == 5)
    var delete = BatchDeleteRequest(objectIDs: [tags[0].objectID, tags[3].objectID])
    delete.resultType = .objectIDs
    let deleted = try context.execute(delete)
    #expect(deleted.deletedCount == 2)
    #expect(Set(deleted.deletedObjectIDs) == [tags[0].objectID, tags[3].objectID])
    try context.mergeChanges(from: deleted)
    #expect(try context.fetch("Tag").names().sorted() == ["t1", "t2", "t4", "t5", "t6", "t7"])
    delete = BatchDeleteRequest("Tag", where: try ObjectPredicate(format: "weight == 5"))
    delete.resultType = .count
    let rest = try context.execute(delete)
    #expect(rest.deletedCount == 4)
    context.reset()
    #expect(try context.fetch("Tag").names().sorted() == ["t4", "t5"])
    try atlas.verify()
  }

  @Test("Batch inserts and updates keep to the stores that they name", arguments: SeveralStoresTests.pairs)
  func affectedBatches(types: [PersistentStoreType]) throws {
    let atlas = try Atlas(types)
    let context = atlas.context
    let ids = atlas.stores.map(\.identifier)
    var insert = BatchInsertRequest("Tag", rows: [["name": "a"], ["name": "b"]])
    insert.resultType = .objectIDs
    for id in ids {
      insert.affectedStores = [id]
      #expect(try context.execute(insert).insertedObjectIDs.map(\.storeUUID) == [id, id])
    }
    insert.affectedStores = ["another"]
    #expect(throws: BatchError.self) { try context.execute(insert) }
    var update = BatchUpdateRequest("Tag", set: ["weight": 5])
    update.resultType = .objectIDs
    update.affectedStores = [ids[1]]
    #expect(try context.execute(update).updatedObjectIDs.map(\.storeUUID) == [ids[1], ids[1]])
    update.affectedStores = ["another"]
    #expect(try context.execute(update).updatedObjectIDs.isEmpty)
    #expect(try context.count(for: FetchRequest("Tag", where: try ObjectPredicate(format: "weight == 5"))) == 2)
    try atlas.verify()
  }

  @Test("Batch requests use the numbers that entities have in the store")
  func batchNumbers() throws {
    let atlas = try Atlas()
    let context = atlas.context
    let (country, city) = (try atlas.insert("Country", "Norway"), try atlas.insert("City", "Oslo"))
    let tag = try atlas.insert("Tag", "top", into: 0)
    try context.save()
    _ = try context.execute(BatchInsertRequest("Tag", rows: [["name": "child", "parent": .objectID(tag.objectID)]]))
    #expect(try atlas.rows(0, "SELECT ZPARENT FROM ZTAG WHERE ZNAME = 'child'") == ["\(tag.objectID.primaryKey)"])
    _ = try context.execute(BatchUpdateRequest("City", set: ["region": country.objectID]))
    context.reset()
    let found = try context.existingObject(with: city.objectID)?.object(forKey: "region")
    #expect(found?.objectID == country.objectID && found?.entity.name == "Country")
    try atlas.verify()
  }

  @Test("A batch insert finds the object that has its unique value, whatever the number of its entity in the store")
  func upsertNumbers() throws {
    var town = Models.entity(
      "Town", attributes: [Models.attribute("name", .string), Models.attribute("size", .integer32)])
    town.uniquenessConstraints = [["name"]]
    var draft = ModelDraft()
    draft.entities = [Models.entity("Alley"), town]
    draft.configurations = [ModelConfiguration(name: "Towns", entityNames: ["Town"])]
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(draft))
    try coordinator.addStore(type: .sqlite, at: folder.file("towns"), configuration: "Towns")
    let context = ManagedObjectContext(coordinator: coordinator)
    for size in [1, 2] {
      let row: [String: ConstantValue] = ["name": "Oslo", "size": .attribute(.integer(Int64(size)))]
      _ = try context.execute(BatchInsertRequest("Town", rows: [row]))
    }
    #expect(try context.fetch("Town").map { try $0.value(forKey: "size") } == [.integer(2)])
    try coordinator.close()
  }

  @Test("An entity that no open store has is an error and never a trap, whatever is asked")
  func missingEntity() throws {
    let atlas = try Atlas([.sqlite])
    let context = atlas.context
    let city = try atlas.insert("City", "c")
    try context.save()
    #expect(objectErrorCode { _ = try context.fetch(FetchRequest("Note")) } == .closed)
    #expect(objectErrorCode { _ = try context.fetch("Note") } == .closed)
    #expect(objectErrorCode { _ = try context.count(for: FetchRequest("Note")) } == .closed)
    #expect(objectErrorCode { _ = try context.count("Note") } == .closed)
    #expect(objectErrorCode { _ = try context.fetchObjectIDs(FetchRequest("Note")) } == .closed)
    #expect(objectErrorCode { _ = try context.fetchDictionaries(FetchRequest("Note")) } == .closed)
    #expect(objectErrorCode { _ = try context.insert("Note") } == .closed)
    for run in [
      { _ = try context.execute(BatchUpdateRequest("Note", set: ["rank": 1])) },
      { _ = try context.execute(BatchDeleteRequest("Note")) },
      { _ = try context.execute(BatchInsertRequest("Note", rows: [["about": "x"]])) },
    ] as [() throws -> Void] {
      let error = #expect(throws: BatchError.self) { try run() }
      guard case .object(let cause) = error else { throw try #require(error) }
      #expect(cause.code == .closed)
    }
    // Relationships to it are empty; a request that follows them says so.
    #expect(try city.objects(forKey: "notes") == [])
    for format in ["ANY notes.about == 'x'", "notes.@count == 0", "notes.place == self"] {
      let request = FetchRequest("City", where: try ObjectPredicate(format: format))
      #expect(predicateErrorCode { _ = try context.fetch(request) } == .notInSQL, "\(format)")
    }
    var request = FetchRequest("City")
    request.relationshipKeyPathsForPrefetching = ["notes"]
    #expect(try context.fetch(request).names() == ["c"])
    try context.delete(city)
    try context.save()
    try atlas.verify()
  }

  // MARK: Property test

  /// A tag as a plain value.
  private struct PlainTag {
    var object: ManagedObject
    var store: Int
    var name: String?
    var weight: Int64?
  }

  @Test(
    "An entity in three stores is fetched as one list is sorted, filtered and cut", arguments: Soak.seeds(12, from: 1))
  func oracle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Atlas.model())
    let types: [PersistentStoreType] = [.sqlite, .inMemory, .xml, .binary].shuffled(using: &random)
    let stores = try (0..<3).map { i in
      let configuration = ["Places", "Notes", nil].randomElement(using: &random) ?? nil
      return try coordinator.addStore(type: types[i], at: folder.file("s\(i)"), configuration: configuration)
    }
    let root = ManagedObjectContext(coordinator: coordinator)
    let context = seed % 3 == 0 ? ManagedObjectContext(parent: root) : root
    var tags: [PlainTag] = []
    let alphabet = ["a", "B", "b", "ä", "z", "Z9", "", "é"]
    func change() throws {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let store = Int.random(in: 0..<3, using: &random)
        let object = try context.insert("Tag")
        try context.assign(object, to: stores[store])
        tags.append(PlainTag(object: object, store: store))
        fallthrough
      case 5..<8:
        guard !tags.isEmpty else { return }
        let index = Bool.random(using: &random) ? tags.count - 1 : Int.random(in: 0..<tags.count, using: &random)
        tags[index].name = Bool.random(using: &random) ? alphabet.randomElement(using: &random) : nil
        tags[index].weight = Bool.random(using: &random) ? Int64.random(in: 0..<4, using: &random) : nil
        try tags[index].object.setValue(tags[index].name.map { .string($0) } ?? .null, forKey: "name")
        try tags[index].object.setValue(tags[index].weight.map { .integer($0) } ?? .null, forKey: "weight")
      case 8:
        guard let index = tags.indices.randomElement(using: &random) else { return }
        try context.delete(tags[index].object)
        tags.remove(at: index)
      default:
        try context.save()
        if Bool.random(using: &random) { try root.save() }
      }
    }
    func ask() throws {
      let limits = (0..<3).map { _ in Int.random(in: 0..<4, using: &random) }
      var request = FetchRequest("Tag")
      var wanted = tags
      switch limits[0] {
      case 0: break
      case 1:
        request.predicate = try ObjectPredicate(format: "weight >= 2")
        wanted = wanted.filter { $0.weight ?? 0 >= 2 }
      case 2:
        request.predicate = try ObjectPredicate(format: "name == nil OR weight == 1")
        wanted = wanted.filter { $0.name == nil || $0.weight == 1 }
      default:
        request.predicate = try ObjectPredicate(format: "name == 'b' AND weight != nil")
        wanted = wanted.filter { $0.name == "b" && $0.weight != nil }
      }
      var descending: [Bool] = []
      if limits[1] > 0 {
        descending = (0..<2).map { _ in Bool.random(using: &random) }
        request.sortDescriptors = [
          ObjectSortDescriptor("weight", ascending: !descending[0]),
          ObjectSortDescriptor("name", ascending: !descending[1]),
        ]
      }
      if limits[2] > 0 {
        let asked = [0, 1, 2].filter { _ in Bool.random(using: &random) }
        request.affectedStores = asked.map { stores[$0].identifier }
        wanted = wanted.filter { asked.contains($0.store) }
      }
      request.fetchLimit = Int.random(in: 0..<5, using: &random)
      request.fetchOffset = Int.random(in: 0..<5, using: &random)
      request.fetchBatchSize = Int.random(in: 0..<3, using: &random)
      func key(_ tag: PlainTag) -> (Int64, Int64) {
        let key = tag.object.objectID.primaryKey
        // New records come after those in the stores, in the order of their inserts.
        return key < 0 ? (1, key) : (0, key)
      }
      func precedes(_ left: PlainTag, _ right: PlainTag) -> Bool {
        guard !descending.isEmpty else {
          return left.store == right.store ? key(left) < key(right) : left.store < right.store
        }
        if left.weight != right.weight {
          return ((left.weight ?? -1) < (right.weight ?? -1)) != descending[0]
        }
        let (one, other) = (left.name.map { Array($0.utf8) }, right.name.map { Array($0.utf8) })
        if one != other {
          let isBefore = one.map { one in other.map { one.lexicographicallyPrecedes($0) } ?? false } ?? true
          return isBefore != descending[1]
        }
        return key(left) == key(right) ? left.store < right.store : key(left) < key(right)
      }
      wanted.sort(by: precedes)
      var expected = Array(wanted.dropFirst(request.fetchOffset))
      if request.fetchLimit > 0 { expected = Array(expected.prefix(request.fetchLimit)) }
      let found = Array(try context.fetch(request))
      #expect(found.map(\.objectID) == expected.map(\.object.objectID), "seed \(seed): \(request)")
      #expect(found.elementsEqual(expected.map(\.object)) { $0 === $1 }, "seed \(seed)")
      #expect(try context.count(for: request) == expected.count, "seed \(seed): \(request)")
      #expect(try Array(context.fetchObjectIDs(request)) == expected.map(\.object.objectID), "seed \(seed)")
    }
    for step in 0..<120 {
      try change()
      if step % 3 == 0 { try ask() }
    }
    try context.save()
    try root.save()
    for _ in 0..<20 { try ask() }
    try coordinator.close()
    for (index, store) in stores.enumerated() where store.type == .sqlite {
      let report = try StoreVerifier.verify(
        path: folder.file("s\(index)"), model: coordinator.model, configuration: store.configuration)
      #expect(report.findings.filter { $0.severity != .note } == [], "seed \(seed)")
    }
  }
}

extension ManagedObjectContext {
  /// Refreshes objects and keeps what was set in them.
  fileprivate func refreshAll(_ objects: [ManagedObject]) throws {
    for object in objects { try refresh(object, mergingChanges: true) }
  }
}
