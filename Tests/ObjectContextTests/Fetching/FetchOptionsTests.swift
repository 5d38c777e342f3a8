import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// The rows AP20 to AP32 of the requirements: the options of fetch requests.
@Suite struct FetchOptionsTests {
  private let bySalary = [ObjectSortDescriptor("salary")]

  @Test("AP20: limit and offset cut a window; an offset past the end gives nothing")
  func ap20Window() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.fetchLimit = 3
    request.fetchOffset = 10
    #expect(try place.context.fetch(request).names() == ["e10", "e11"])
    #expect(try place.context.count(for: request) == 2)
    request.fetchOffset = 12
    #expect(try place.context.fetch(request).isEmpty)
    #expect(try place.context.fetchObjectIDs(request).isEmpty)
    #expect(try place.context.count(for: request) == 0)
    request.fetchOffset = -1
    #expect(predicateErrorCode { _ = try place.context.fetch(request) } == .invalidRequest)
    request = FetchRequest("Employee")
    request.fetchLimit = -1
    #expect(predicateErrorCode { _ = try place.context.count(for: request) } == .invalidRequest)
  }

  @Test("objectID is the object in predicates, in SQL and in memory, and among fetched values")
  func objectIDKey() throws {
    let place = try Firm.place()
    let context = place.context
    let all = Array(try context.fetch(FetchRequest("Employee", sortedBy: bySalary)))
    let ids = [all[2], all[5]].map(\.objectID)
    var request = FetchRequest(
      "Employee", where: try ObjectPredicate(format: "objectID IN %@", ids), sortedBy: bySalary)
    #expect(try context.fetch(request).names() == ["e2", "e5"])
    try all[5].setValue(.double(1), forKey: "salary")
    #expect(try context.fetch(request).names() == ["e5", "e2"])
    context.rollback()
    request.propertiesToFetch = ["objectID"]
    let found = try context.fetchDictionaries(request).map { $0["objectID"] ?? .null }
    #expect(found == ids.map { ConstantValue.objectID($0) })
  }

  @Test("entity is the name of an object's own entity, in SQL and in memory, along relationships, and in groups")
  func entityKey() throws {
    let place = try Firm.place()
    let context = place.context
    let customer = try #require(context.model.entity(named: "Customer"))
    var request = FetchRequest(
      "Person", where: try ObjectPredicate(format: "entity == %@", customer), sortedBy: [ObjectSortDescriptor("name")])
    let names = ["c0", "c1", "c2"]
    #expect(try context.fetch(request).names() == names)
    let new = try context.insert("Person")
    try new.setValue(.string("p"), forKey: "name")
    let first = try #require(try context.fetch(request).first)
    try first.setValue(.string("a"), forKey: "name")
    #expect(try context.fetch(request).names() == ["a", "c1", "c2"])
    request.predicate = try ObjectPredicate(format: "NOT entity IN {'Customer', 'Employee'}")
    #expect(try context.fetch(request).names() == ["p"])
    context.rollback()
    for (format, count) in [
      ("manager.entity == nil", 1), ("manager.entity == 'Employee'", 11), ("department.entity == 'Department'", 12),
      ("ANY department.members.entity == 'Person'", 0),
      ("SUBQUERY(department.members, $m, $m.entity BEGINSWITH 'Emp').@count == 4", 12),
    ] {
      #expect(try context.count(for: FetchRequest("Employee", where: try ObjectPredicate(format: format))) == count)
    }
    var groups = FetchRequest("Person", sortedBy: [ObjectSortDescriptor("entity")])
    groups.propertiesToGroupBy = ["entity"]
    let count = ExpressionDescription(name: "count", expression: try ObjectExpression(format: "count:(SELF)"))
    groups.propertiesToFetch = ["entity", .expression(count)]
    let rows: [[ConstantValue]] = try context.fetchDictionaries(groups)
      .map { [$0["entity"] ?? .null, $0["count"] ?? .null] }
    #expect(
      rows == [
        [.attribute(.string("Customer")), .attribute(.integer(3))],
        [.attribute(.string("Employee")), .attribute(.integer(12))],
      ])
  }

  @Test("objects whose values a context has no room for are refused, by a fetch and by a fault")
  func noRoom() throws {
    let place = try Firm.place()
    let context = place.anotherContext()
    func first(_ name: String) throws -> ManagedObject {
      try context.object(with: try #require(try place.context.fetchObjectIDs(FetchRequest(name)).first))
    }
    let (employee, city) = (try first("Employee"), try first("City"))
    for name in ["Employee", "City"] {
      context.buffer(root: try #require(context.model.entity(named: name)).root).byteLimit = 0
    }
    #expect(predicateErrorCode { _ = try context.fetch(FetchRequest("Employee")) } == .tooLarge)
    #expect(objectErrorCode { _ = try employee.value(forKey: "name") } == .database)
    #expect(objectErrorCode { _ = try city.value(forKey: "name") } == .database)
    for buffer in context.allBuffers { buffer.byteLimit = 3 << 30 }
    #expect(try context.fetch(FetchRequest("Employee")).count == 12)
    #expect(try city.value(forKey: "name") != .null)
  }

  @Test("AP20: with pending changes the window is cut out of the merged result")
  func ap20WindowOfMergedResult() throws {
    let place = try Firm.place()
    let context = place.context
    let all = Array(try context.fetch(FetchRequest("Employee", sortedBy: bySalary)))
    let new = try context.insert("Employee")
    try new.setValue(.string("new"), forKey: "name")
    try new.setValue(.double(2500), forKey: "salary")
    try all[0].setValue(.double(7500), forKey: "salary")
    try context.delete(all[4])
    let merged = ["e1", "new", "e2", "e3", "e5", "e6", "e0", "e7", "e8", "e9", "e10", "e11"]
    #expect(try context.fetch(FetchRequest("Employee", sortedBy: bySalary)).names() == merged)
    for offset in 0...13 {
      for limit in 0...13 {
        var request = FetchRequest("Employee", sortedBy: bySalary)
        request.fetchOffset = offset
        request.fetchLimit = limit
        let expected = Array(merged.dropFirst(offset).prefix(limit == 0 ? 100 : limit))
        #expect(try context.fetch(request).names() == expected)
        #expect(try context.fetchObjectIDs(request).map { try context.object(with: $0) }.names() == expected)
        #expect(try context.count(for: request) == expected.count)
      }
    }
    var largest = FetchRequest("Employee", sortedBy: bySalary)
    largest.fetchOffset = 10
    largest.fetchLimit = .max
    #expect(try context.fetch(largest).names() == ["e10", "e11"])
  }

  @Test("AP21: with a batch size only IDs are fetched first, then one SELECT a batch, and the result is as an array")
  func ap21Batches() throws {
    let place = try Firm.place(employees: 1000, customers: 0)
    let context = place.context
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.fetchBatchSize = 100
    var found: FetchedObjects?
    var selects = try place.selects { found = try context.fetch(request) }
    #expect(selects == ["SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.Z_ENT = 9 ORDER BY t0.ZSALARY, t0.Z_PK"])
    let objects = try #require(found)
    #expect(objects.count == 1000)
    #expect(context.allBuffers.allSatisfy { $0.count == 0 })
    selects = try place.selects { () throws in
      for (i, object) in objects.enumerated() {
        let salary = try object.value(forKey: "salary")
        #expect(salary == .double(Double(i + 1) * 1000))
      }
    }
    #expect(selects.count == 10)
    let rows = try #require(context.allBuffers.first { $0.columnCount > 5 })
    #expect(rows.count <= 300, "batches are let go: \(rows.count) places")
    #expect(objects[17].objectID == objects.objectIDs[17])
    #expect(objects.reversed().names().prefix(2) == ["e999", "e998"])
    #expect(objects.map(\.objectID) == Array(objects.objectIDs))
  }

  @Test("AP21: walking over the border between two batches does not fetch them again and again")
  func ap21BorderOfBatches() throws {
    let place = try Firm.place(employees: 40, customers: 0)
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.fetchBatchSize = 10
    let objects = try place.context.fetch(request)
    let selects = try place.selects { () throws in
      for _ in 0..<5 { for index in [9, 10] { _ = try objects[index].value(forKey: "name") } }
    }
    #expect(selects.count == 2)
  }

  @Test("AP21: a batch that cannot be fetched has faults, whose values say why")
  func ap21BatchWithoutStore() throws {
    let place = try Firm.place(employees: 40, customers: 0)
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.fetchBatchSize = 10
    let objects = try place.context.fetch(request)
    try place.coordinator.close()
    #expect(objects.count == 40)
    #expect(objects[5].isFault)
    #expect(objectErrorCode { _ = try objects[5].value(forKey: "name") } == .closed)
  }

  @Test("AP22: one request gives objects, IDs, dictionaries or a count")
  func ap22ResultTypes() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee", where: try ObjectPredicate(format: "salary > 9000"), sortedBy: bySalary)
    guard case .objects(let objects) = try place.context.execute(request) else { throw WrongResult() }
    request.resultType = .objectIDs
    guard case .objectIDs(let ids) = try place.context.execute(request) else { throw WrongResult() }
    #expect(objects.map(\.objectID) == Array(ids))
    #expect(objects.objectIDs.map(\.uri) == ids.map(\.uri))
    request.resultType = .count
    guard case .count(let count) = try place.context.execute(request) else { throw WrongResult() }
    #expect(count == 3)
    request.resultType = .dictionaries
    request.propertiesToFetch = ["name"]
    guard case .dictionaries(let rows) = try place.context.execute(request) else { throw WrongResult() }
    #expect(rows.map(\.dictionary) == [["name": "e9"], ["name": "e10"], ["name": "e11"]])
  }

  @Test("AP23: dictionaries have the properties that were asked for; a to-one relationship gives an ID")
  func ap23DictionaryProperties() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee", where: try ObjectPredicate(format: "name == 'e4'"))
    request.propertiesToFetch = ["name", "hired", "department", "manager", "department.city.name", "note"]
    var rows: FetchedDictionaries?
    let selects = try place.selects { rows = try place.context.fetchDictionaries(request) }
    #expect(selects.count == 1)
    let row = try #require(rows?.first)
    #expect(row["name"] == "e4")
    #expect(row[1] == .attribute(.date(4 * 86_400)))
    #expect(row["department.city.name"] == "Durham")
    #expect(row["note"] == .null)
    #expect(row["salary"] == nil)
    guard case .objectID(let department) = row["department"], case .objectID(let manager) = row["manager"] else {
      throw WrongResult()
    }
    #expect(try place.context.object(with: department).value(forKey: "name") == .string("d1"))
    #expect(manager.entity.name == "Employee")
    #expect(try place.context.object(with: manager).value(forKey: "name") == .string("e0"))
    #expect(row.dictionary.keys.sorted() == ["department", "department.city.name", "hired", "manager", "name"])
    #expect(row.double(1) == 345_600)
    #expect(row.integer(2) == department.primaryKey)
    #expect(row.integer(0) == nil)

    request.propertiesToFetch = ["skills"]
    #expect(predicateErrorCode { _ = try place.context.fetchDictionaries(request) } == .invalidRequest)
    request.propertiesToFetch = ["nickname"]
    #expect(predicateErrorCode { _ = try place.context.fetchDictionaries(request) } == .notInSQL)
    request.propertiesToFetch = []
    let all = try place.context.fetchDictionaries(request)
    #expect(Set(all.keys) == ["name", "age", "note", "favoriteColor", "salary", "hired", "department", "manager"])
  }

  @Test("AP23: objects fetched with some properties are partial faults; the rest comes in one SELECT at the first use")
  func ap23PartialObjects() throws {
    let place = try Firm.place()
    let context = place.context
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.propertiesToFetch = ["name", "department"]
    var objects: [ManagedObject] = []
    var selects = try place.selects { objects = Array(try context.fetch(request)) }
    #expect(
      selects == [
        "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZDEPARTMENT, t0.ZNAME FROM ZPERSON AS t0 WHERE t0.Z_ENT = 9 "
          + "ORDER BY t0.ZSALARY, t0.Z_PK"
      ])
    selects = try place.selects { () throws in
      #expect(objects.names() == (0..<12).map { "e\($0)" })
      for object in objects { #expect(try object.object(forKey: "department") != nil) }
      #expect(objects.allSatisfy { $0.isFault })
    }
    #expect(selects.isEmpty)
    selects = try place.selects { () throws in
      #expect(try objects[3].value(forKey: "salary") == .double(4000))
      #expect(try objects[3].value(forKey: "age") == .integer(23))
    }
    #expect(selects.count == 1)
    #expect(!objects[3].isFault)
    #expect(objects[4].isFault)
    // A change of a partial object keeps what nobody fetched.
    try objects[4].setValue(.string("changed"), forKey: "name")
    try context.save()
    #expect(try place.rows("SELECT ZNAME, ZSALARY, ZAGE FROM ZPERSON WHERE ZSALARY = 5000.0") == ["changed|5000.0|24"])

    request.propertiesToFetch = ["skills"]
    #expect(predicateErrorCode { _ = try context.fetch(request) } == .invalidRequest)
    request.propertiesToFetch = ["nothing"]
    #expect(predicateErrorCode { _ = try context.fetch(request) } == .unknownKey)
    let description = ExpressionDescription(name: "x", expression: try ObjectExpression(format: "salary * 2"))
    request.propertiesToFetch = [.expression(description)]
    #expect(predicateErrorCode { _ = try context.fetch(request) } == .invalidRequest)
  }

  @Test("AP24: groups have aggregates and grouped values; HAVING chooses among them")
  func ap24Groups() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee")
    let total = ExpressionDescription(name: "total", expression: try ObjectExpression(format: "sum:(salary)"))
    request.propertiesToFetch = ["department.name", .expression(total)]
    request.propertiesToGroupBy = ["department.name"]
    request.sortDescriptors = [ObjectSortDescriptor("department.name")]
    let rows = try place.context.fetchDictionaries(request)
    #expect(rows.map { $0["department.name"] } == ["d0", "d1", "d2"])
    #expect(rows.map { $0.double(1) } == [22_000, 26_000, 30_000])
    request.havingPredicate = try ObjectPredicate(format: "total > 25000")
    #expect(try place.context.fetchDictionaries(request).map { $0["department.name"] } == ["d1", "d2"])
    request.propertiesToFetch.append("name")
    #expect(predicateErrorCode { _ = try place.context.fetchDictionaries(request) } == .invalidRequest)
  }

  @Test("AP25: equal dictionaries come once when distinct ones are asked for")
  func ap25Distinct() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("favoriteColor")])
    request.propertiesToFetch = ["favoriteColor"]
    #expect(try place.context.fetchDictionaries(request).count == 12)
    request.returnsDistinctResults = true
    #expect(try place.context.fetchDictionaries(request).map { $0[0] } == ["Blue", "Green"])
  }

  @Test("AP26: without sub-entities only the entity's own objects come, also pending ones")
  func ap26SubEntities() throws {
    let place = try Firm.place()
    let context = place.context
    var request = FetchRequest("Person")
    request.includesSubentities = false
    #expect(try context.fetch(request).isEmpty)
    let person = try context.insert("Person")
    _ = try context.insert("Employee")
    #expect(Array(try context.fetch(request)) == [person])
    #expect(try context.count(for: request) == 1)
    request.includesSubentities = true
    #expect(try context.count(for: request) == 17)
  }

  @Test("AP27: unsaved inserts, updates and deletes are reflected, except in dictionaries")
  func ap27PendingChanges() throws {
    let place = try Firm.place()
    let context = place.context
    var request = FetchRequest("Employee", where: try ObjectPredicate(format: "salary >= 11000"), sortedBy: bySalary)
    let found = Array(try context.fetch(request))
    #expect(found.names() == ["e10", "e11"])
    let new = try context.insert("Employee")
    try new.setValue(.string("new"), forKey: "name")
    try new.setValue(.double(11_500), forKey: "salary")
    try found[0].setValue(.double(1), forKey: "salary")
    let raised = try #require(try context.fetch("Employee", where: ["name": .string("e2")]).first)
    try raised.setValue(.double(99_000), forKey: "salary")
    #expect(try context.fetch(request).names() == ["new", "e11", "e2"])
    #expect(try context.count(for: request) == 3)
    try context.delete(found[1])
    #expect(try context.fetch(request).names() == ["new", "e2"])
    var selects = try place.selects { () throws in
      let value = try context.fetch(request).count
      #expect(value == 2)
    }
    #expect(selects.count == 1)
    selects = try place.selects { () throws in
      let value = try context.count(for: request)
      #expect(value == 2)
    }
    #expect(selects.count == 1)
    request.includesPendingChanges = false
    #expect(Set(try context.fetchObjectIDs(request)) == Set(found.map(\.objectID)))
    #expect(try context.count(for: request) == 2)
    request.includesPendingChanges = true
    request.propertiesToFetch = ["name"]
    #expect(try context.fetchDictionaries(request).map { $0[0] } == ["e10", "e11"])
    try context.save()
    #expect(try context.fetchDictionaries(request).map { $0[0] } == ["new", "e2"])
  }

  @Test("AP27: an object is judged here when its relationships changed, also from the other side")
  func ap27PendingRelationships() throws {
    let place = try Firm.place()
    let context = place.context
    let request = FetchRequest("Department", where: try ObjectPredicate(format: "members.@count > 4"))
    let crowded = FetchRequest("Department", where: try ObjectPredicate(format: "ANY members.name == 'e0'"))
    #expect(try context.fetch(request).isEmpty)
    let employee = try #require(try context.fetch("Employee", where: ["name": .string("e0")]).first)
    let other = try #require(try context.fetch("Department", where: ["name": .string("d2")]).first)
    try employee.setObject(other, forKey: "department")
    #expect(try context.fetch(request).names() == ["d2"])
    #expect(try context.fetch(crowded).names() == ["d2"])
    #expect(try context.count(for: crowded) == 1)
    let skilled = FetchRequest("Skill", where: try ObjectPredicate(format: "people.@count == 0"))
    #expect(try context.fetch(skilled).isEmpty)
    let skill = try #require(try context.fetch("Skill", where: ["title": .string("C")]).first)
    try skill.setObjects([], forKey: "people")
    #expect(try context.fetch(skilled).names("title") == ["C"])
    try context.save()
    #expect(try context.fetch(request).names() == ["d2"])
    #expect(try context.fetch(skilled).names("title") == ["C"])
  }

  @Test("AP28: without property values only IDs are fetched, and the first use of each object asks the store")
  func ap28PropertyValues() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.includesPropertyValues = false
    var objects: [ManagedObject] = []
    var selects = try place.selects { objects = Array(try place.context.fetch(request)) }
    #expect(selects == ["SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON AS t0 WHERE t0.Z_ENT = 9 ORDER BY t0.ZSALARY, t0.Z_PK"])
    #expect(objects.allSatisfy { $0.isFault })
    selects = try place.selects { () throws in #expect(objects[..<3].names() == ["e0", "e1", "e2"]) }
    #expect(selects.count == 3)
  }

  @Test("AP29: objects say that they are faults until they are used, which asks nobody; without faults they do not")
  func ap29Faults() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee", sortedBy: bySalary)
    var objects = Array(try place.context.fetch(request))
    #expect(objects.allSatisfy { $0.isFault })
    var selects = try place.selects { () throws in
      #expect(try objects[1].value(forKey: "name") == .string("e1"))
      #expect(try objects[2].object(forKey: "department")?.isFault == true)
      try objects[3].setValue(.string("x"), forKey: "name")
    }
    #expect(selects.isEmpty)
    #expect(objects[0].isFault && !objects[1].isFault && objects[3].isUpdated)
    objects = []
    place.context.reset()
    request.returnsObjectsAsFaults = false
    objects = Array(try place.context.fetch(request))
    #expect(objects.allSatisfy { !$0.isFault })
    selects = try place.selects { () throws in #expect(objects.names().count == 12) }
    #expect(selects.isEmpty)
  }

  @Test("AP30: key paths for prefetching take one SELECT a step, over every kind of relationship")
  func ap30Prefetching() throws {
    let place = try Firm.place(employees: 60)
    let context = place.context
    var request = FetchRequest("Department", sortedBy: [ObjectSortDescriptor("name")])
    request.relationshipKeyPathsForPrefetching = ["members.skills", "members.manager", "city"]
    var found: FetchedObjects?
    var selects = try place.selects { found = try context.fetch(request) }
    // The manager is a member, so the step to the managers finds everybody here.
    #expect(selects.count == 4)
    selects = try place.selects { () throws in
      var names: [String] = []
      for department in try #require(found) {
        names.append(contentsOf: [try #require(try department.object(forKey: "city"))].names())
        for member in try department.objects(forKey: "members") {
          names += [member].names() + (try member.objects(forKey: "skills").names("title"))
          if let manager = try member.object(forKey: "manager") { names += [manager].names() }
        }
      }
      #expect(names.count == 3 + 60 + 60 + 59)
      #expect(!names.contains("?"))
    }
    #expect(selects.isEmpty)

    found = nil
    context.reset()
    var people = FetchRequest("Skill", sortedBy: [ObjectSortDescriptor("title")])
    people.relationshipKeyPathsForPrefetching = ["people"]
    selects = try place.selects { () throws in
      let skills = try context.fetch(people)
      #expect(try skills.map { try $0.objects(forKey: "people").count } == [20, 20, 20])
    }
    #expect(selects.count == 2)
    context.reset()
    people.relationshipKeyPathsForPrefetching = ["SELF.people"]
    people.propertiesToFetch = ["self.title"]
    #expect(try context.fetch(people).names("title") == ["C", "SQL", "Swift"])

    request.relationshipKeyPathsForPrefetching = ["members.name"]
    #expect(predicateErrorCode { _ = try context.fetch(request) } == .unknownKey)
    request.relationshipKeyPathsForPrefetching = ["nothing"]
    #expect(predicateErrorCode { _ = try context.fetch(request) } == .unknownKey)
  }

  @Test("AP30: with batches each batch prefetches for itself, and what is pending counts")
  func ap30PrefetchingBatches() throws {
    let place = try Firm.place(employees: 40, customers: 0)
    let context = place.context
    var request = FetchRequest("Employee", sortedBy: bySalary)
    request.fetchBatchSize = 20
    request.relationshipKeyPathsForPrefetching = ["department"]
    let objects = try context.fetch(request)
    let selects = try place.selects { () throws in
      for object in objects { #expect(try object.object(forKey: "department")?.value(forKey: "name") != nil) }
    }
    // Two batches with their departments, which stay for the second one.
    #expect(selects.count == 3)
  }

  @Test("AP31: objects that are known take the store's values when asked to, unless they have changes")
  func ap31Refresh() throws {
    let place = try Firm.place()
    let context = place.context
    var request = FetchRequest("Employee", sortedBy: bySalary)
    let objects = Array(try context.fetch(request))
    #expect(objects[..<3].names() == ["e0", "e1", "e2"])
    try objects[1].setValue(.string("here"), forKey: "name")
    let other = place.anotherContext()
    for object in try other.fetch(FetchRequest("Employee")) { try object.setValue(.string("there"), forKey: "name") }
    try other.save()
    #expect(try context.fetch(request).names().prefix(2) == ["e0", "here"])
    request.shouldRefreshRefetchedObjects = true
    let again = Array(try context.fetch(request))
    #expect(again == objects)
    #expect(again.names().prefix(3) == ["there", "here", "there"])
    #expect(objects[0].isUpdated == false)
    // The refreshed version is the store's: a save is no conflict.
    try objects[0].setValue(.string("mine"), forKey: "name")
    context.rollback()
    try objects[0].setValue(.string("mine"), forKey: "name")
    try context.save()
  }

  @Test("AP32: a request for other stores finds nothing and asks nobody")
  func ap32AffectedStores() throws {
    let place = try Firm.place()
    let context = place.context
    let uuid = try #require(place.coordinator.store).file.metadata.uuid
    _ = try context.insert("Employee")
    var request = FetchRequest("Employee")
    request.affectedStores = [uuid]
    #expect(try context.count(for: request) == 13)
    request.affectedStores = ["00000000-0000-0000-0000-000000000000"]
    let statements = try place.statements { () throws in
      #expect(try context.fetch(request).isEmpty)
      #expect(try context.fetchObjectIDs(request).isEmpty)
      #expect(try context.fetchDictionaries(request).isEmpty)
      #expect(try context.count(for: request) == 0)
    }
    #expect(statements.isEmpty)
  }

  private struct WrongResult: Error {}
}
