import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// How long rows, objects and collections of fetches live, and that pending changes merge as in memory.
@Suite struct FetchedObjectsTests {
  @Test("A collection keeps rows, not objects, and the rows go with it")
  func rowsGoWithTheCollection() throws {
    let place = try Firm.place(employees: 100, customers: 0)
    let context = place.context
    let buffer = { context.allBuffers.first { $0.columnCount > 5 } }
    var found: FetchedObjects? = try context.fetch(FetchRequest("Employee"))
    weak let object = found?[5]
    #expect(object == nil)
    #expect(buffer()?.count == 100)
    let held = found?[7]
    let second = try context.fetch(FetchRequest("Employee", where: try ObjectPredicate(format: "salary <= 2000")))
    found = nil
    #expect(buffer().map { $0.count - $0.freeRows.count } == 3)
    #expect(try held?.value(forKey: "name") == .string("e7"))
    #expect(Set(second.names()) == ["e0", "e1"])
  }

  @Test("An element is the same object for as long as somebody holds it, in all collections")
  func identity() throws {
    let place = try Firm.place()
    let request = FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")])
    let (first, second) = (try place.context.fetch(request), try place.context.fetch(request))
    #expect(first[3] === second[3])
    var batched = request
    batched.fetchBatchSize = 2
    #expect(try place.context.fetch(batched)[3] === first[3])
    #expect(try place.context.object(with: first.objectIDs[3]) === first[3])
  }

  @Test("A place is not used again while a collection knows a record that is gone")
  func goneRecords() throws {
    let place = try Firm.place(employees: 4, customers: 0)
    let context = place.context
    let inserted = try context.insert("Employee")
    let found = try context.fetch(FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")]))
    #expect(found.count == 5 && found[0] === inserted)
    let ids = Array(found.objectIDs)
    try context.delete(inserted)
    try context.delete(found[2])
    try context.save()
    for _ in 0..<5 { try context.insert("Employee").setValue(.string("new"), forKey: "name") }
    #expect(found.map(\.isValid) == [false, true, false, true, true])
    #expect(found.map(\.objectID) == ids)
    #expect(found.filter(\.isValid).names() == ["e0", "e2", "e3"])
    context.reset()
    #expect(found.map(\.isValid) == [false, false, false, false, false])
    #expect(found.map(\.objectID) == ids)
  }

  @Test("Rows of a collection whose objects changed stay until the save")
  func changedRowsStay() throws {
    let place = try Firm.place(employees: 10, customers: 0)
    let context = place.context
    do {
      let found = try context.fetch(FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")]))
      try found[4].setValue(.string("changed"), forKey: "name")
    }
    #expect(context.updatedObjects.names() == ["changed"])
    try context.save()
    #expect(context.allBuffers.filter { $0.columnCount > 5 }.allSatisfy { $0.holdsNothing || $0.count == 0 })
    #expect(try place.rows("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'changed'") == ["1"])
  }

  @Test("A fetch that fails leaves nothing behind")
  func failures() throws {
    let place = try Firm.place()
    let context = place.context
    let request = FetchRequest("Employee", where: try ObjectPredicate(format: "name MATCHES '('"))
    #expect(predicateErrorCode { _ = try context.fetch(request) } == .pattern)
    #expect(context.allBuffers.allSatisfy { $0.holdsNothing || $0.count == 0 })
    try place.coordinator.close()
    #expect(objectErrorCode { _ = try context.fetch(FetchRequest("Employee")) } == .closed)
    #expect(objectErrorCode { _ = try context.fetchObjectIDs(FetchRequest("Employee")) } == .closed)
    #expect(objectErrorCode { _ = try context.fetchDictionaries(FetchRequest("Employee")) } == .closed)
    #expect(objectErrorCode { _ = try context.count(for: FetchRequest("Employee")) } == .closed)
  }

  @Test("Relationships, saves and deletions work on objects whose values were never looked at")
  func unseenValues() throws {
    let place = try Firm.place()
    let context = place.context
    let people = try context.fetch(FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")]))
    let departments = try context.fetch(FetchRequest("Department", sortedBy: [ObjectSortDescriptor("name")]))
    #expect(try departments[0].objects(forKey: "members").names().sorted() == ["e0", "e3", "e6", "e9"])
    try departments[0].add(people[1], to: "members")
    try people[2].setObject(people[5], forKey: "manager")
    try context.delete(people[7])
    try context.save()
    #expect(try departments[0].objects(forKey: "members").count == 5)
    #expect(try place.rows("SELECT count(*) FROM ZPERSON WHERE Z_OPT = 2") == ["2"])
    try place.verify()
  }

  @Test("Requests with pending changes find what a search in memory finds", arguments: 0..<30)
  func pendingChangesAgainstMemory(round: UInt64) throws {
    var random = SeededGenerator(seed: 4000 + round)
    let place = try Firm.place(employees: 40, customers: 10)
    let context = place.context
    let formats = [
      "TRUEPREDICATE", "salary > 15000", "age BETWEEN {25, 40}", "name BEGINSWITH 'e1'", "favoriteColor != 'Green'",
      "note == nil", "department.name == 'd1'", "department.city.name == 'Durham' OR salary < 5000",
      "ANY reports.age > 30", "skills.@count == 2", "manager == nil",
      "manager.name == 'e0' AND NOT favoriteColor == 'Blue'",
    ]
    let orders: [[ObjectSortDescriptor]] = [
      [ObjectSortDescriptor("salary")], [ObjectSortDescriptor("age", ascending: false), ObjectSortDescriptor("name")],
      [ObjectSortDescriptor("department.name"), ObjectSortDescriptor("salary", ascending: false)],
      [ObjectSortDescriptor("favoriteColor", comparison: .folded(.caseInsensitive))],
    ]
    for _ in 0..<4 {
      var everything = try context.fetchAll("Employee")
      for _ in 0..<Int.random(in: 0...10, using: &random) {
        let object = everything.randomElement(using: &random) ?? everything[0]
        if object.isDeleted || !object.isValid { continue }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try context.delete(object)
        case 1:
          let new = try context.insert("Employee")
          try new.setValue(.string("e1x"), forKey: "name")
          try new.setValue(.double(Double.random(in: 0...40_000, using: &random)), forKey: "salary")
          try new.setObject(object, forKey: "manager")
        case 2: try object.setValue(.double(Double(Int.random(in: 0...40, using: &random)) * 1000), forKey: "salary")
        case 3: try object.setValue(Bool.random(using: &random) ? .null : .integer(33), forKey: "age")
        case 4: try object.setObject(everything.first { $0.isValid && !$0.isDeleted }, forKey: "manager")
        default: try object.setObjects([], forKey: "skills")
        }
      }
      everything = try context.fetchAll("Employee")
      for format in formats {
        var request = FetchRequest(
          "Employee", where: try ObjectPredicate(format: format), sortedBy: orders.randomElement(using: &random) ?? [])
        let all = try everything.filtered(by: try #require(request.predicate)).sorted(by: request.sortDescriptors)
        request.fetchOffset = Int.random(in: 0...3, using: &random)
        request.fetchLimit = Int.random(in: 0...12, using: &random)
        request.fetchBatchSize = [0, 0, 3].randomElement(using: &random) ?? 0
        let expected = all.dropFirst(request.fetchOffset).prefix(request.fetchLimit == 0 ? .max : request.fetchLimit)
        let found = try context.fetch(request)
        #expect(found.map(\.objectID) == expected.map(\.objectID), "seed \(4000 + round): \(request)")
        #expect(Array(try context.fetchObjectIDs(request)) == expected.map(\.objectID), "seed \(4000 + round)")
        #expect(try context.count(for: request) == expected.count, "seed \(4000 + round): \(format)")
      }
      if Bool.random(using: &random) { try context.save() } else if Bool.random(using: &random) { context.rollback() }
    }
  }
}
