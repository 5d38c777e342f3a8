import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// The rows FE1 to FE17 of the requirements: fetching as the programming guide describes it.
@Suite struct FetchGuideTests {
  @Test("FE1: an entity is enough; all its objects come")
  func fe1EntityOnly() throws {
    let place = try Firm.place()
    let found = try place.context.fetch(FetchRequest("Employee"))
    #expect(found.count == 12)
    #expect(Set(found.names()) == Set((0..<12).map { "e\($0)" }))
  }

  @Test("FE2: predicate, order, limit and offset, each alone and together")
  func fe2OptionsAloneAndTogether() throws {
    let place = try Firm.place()
    let context = place.context
    var request = FetchRequest("Employee", where: try ObjectPredicate(format: "salary > 9000"))
    #expect(Set(try context.fetch(request).names()) == ["e9", "e10", "e11"])
    request = FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary", ascending: false)])
    #expect(try context.fetch(request).names().first == "e11")
    request = FetchRequest("Employee")
    request.fetchLimit = 5
    #expect(try context.fetch(request).count == 5)
    request = FetchRequest("Employee")
    request.fetchOffset = 5
    #expect(try context.fetch(request).count == 7)
    request = FetchRequest(
      "Employee", where: try ObjectPredicate(format: "salary > 3000"), sortedBy: [ObjectSortDescriptor("salary")])
    request.fetchLimit = 2
    request.fetchOffset = 1
    #expect(try context.fetch(request).names() == ["e4", "e5"])
  }

  @Test("FE3: an unknown entity is an error that names it")
  func fe3UnknownEntity() throws {
    let place = try Firm.place(employees: 0, customers: 0)
    let error = #expect(throws: ObjectError.self) { try place.context.fetch(FetchRequest("Employe")) }
    #expect(error?.code == .unknownEntity)
    #expect(error?.predicateError?.code == .unknownEntity)
    #expect(error?.message.contains("Employe") ?? false)
  }

  @Test("FE4: a transient property cannot be used in a store fetch, and filters in memory")
  func fe4TransientProperties() throws {
    let place = try Firm.place()
    let context = place.context
    let predicate = try ObjectPredicate(format: "nickname == 'Bob'")
    let seen = try place.statements { () throws in
      #expect(predicateErrorCode { _ = try context.fetch(FetchRequest("Employee", where: predicate)) } == .notInSQL)
      let order = FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("nickname")])
      #expect(predicateErrorCode { _ = try context.fetch(order) } == .notInSQL)
    }
    #expect(seen.isEmpty)
    let all = Array(try context.fetch(FetchRequest("Employee")))
    try all[3].setValue(.string("Bob"), forKey: "nickname")
    #expect(try all.filtered(by: predicate) == [all[3]])
  }

  @Test("FE5: closures are refused by SQLite with advice, and work on results")
  func fe5Closures() throws {
    let place = try Firm.place()
    let context = place.context
    let isOdd = ObjectPredicate.closure(
      PredicateClosure { value in
        guard case .object(let object) = value,
          case .attribute(.integer(let age)) = try? object.evaluatedValue(forKey: "age")
        else { return false }
        return age % 2 == 1
      })
    let seen = try place.statements { () throws in
      let error = #expect(throws: ObjectError.self) { try context.fetch(FetchRequest("Employee", where: isOdd)) }
      #expect(error?.predicateError?.code == .notInSQL)
      #expect(error?.predicateError?.hint != nil)
      let comparator = ObjectSortDescriptor("name", comparison: .custom(SortClosure { _, _ in 0 }))
      #expect(
        predicateErrorCode { _ = try context.fetch(FetchRequest("Employee", sortedBy: [comparator])) } == .notInSQL)
    }
    #expect(seen.isEmpty)
    #expect(try context.fetch(FetchRequest("Employee")).filtered(by: isOdd).count == 6)
  }

  @Test("FE6: self == %@ with an object's ID tests whether it exists, in one SELECT")
  func fe6SelfEquals() throws {
    let place = try Firm.place()
    let context = place.context
    let all = Array(try context.fetch(FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("name")])))
    let id = all[2].objectID
    for argument in [all[2] as any PredicateArgument, id] {
      let request = FetchRequest("Employee", where: try ObjectPredicate(format: "self == %@", argument))
      let selects = try place.selects { () throws in
        let found = try context.fetch(request)
        #expect(found.map(\.objectID) == [id])
      }
      #expect(selects.count == 1)
    }
    let request = FetchRequest("Employee", where: try ObjectPredicate(format: "self == %@", id))
    try context.delete(all[2])
    #expect(try context.count(for: request) == 0)
    #expect(try context.fetch(request).isEmpty)
    try context.save()
    #expect(try context.fetch(request).isEmpty)
  }

  @Test("FE7: self IN %@ finds a thousand IDs in one SELECT; missing ones are absent")
  func fe7SelfIn() throws {
    let place = try Firm.place(employees: 1200, customers: 0)
    let context = place.context
    let ids = try context.fetchObjectIDs(FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")]))
    var wanted = Array(ids[..<1000])
    for id in ids[..<10] { try context.delete(try context.object(with: id)) }
    try context.save()
    context.reset()
    let request = FetchRequest("Employee", where: try ObjectPredicate(format: "self IN %@", wanted))
    let selects = try place.selects { () throws in
      let found = try context.fetchObjectIDs(request)
      #expect(Set(found) == Set(wanted[10...]))
    }
    #expect(selects.count == 1)
    wanted.removeLast(wanted.count - 12)
    let objects = try wanted.compactMap { try context.existingObject(with: $0) }
    #expect(objects.count == 2)
    let some = FetchRequest("Employee", where: try ObjectPredicate(format: "self IN %@", objects))
    #expect(Set(try context.fetch(some)) == Set(objects))
  }

  @Test("FE8: a maximum comes as one dictionary, and no object is made")
  func fe8Maximum() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee")
    request.propertiesToFetch = [.expression(try expression("best", "max:(salary)", .double))]
    let found = try place.context.fetchDictionaries(request)
    #expect(found.count == 1)
    #expect(found[0]["best"] == .attribute(.double(12_000)))
    #expect(found[0].dictionary == ["best": .attribute(.double(12_000))])
    #expect(place.context.allBuffers.allSatisfy { $0.count == 0 })
  }

  @Test("FE9: an expression's name is the key; two of one name are an error")
  func fe9Names() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee")
    request.propertiesToFetch = [
      .expression(try expression("value", "max:(salary)")), .expression(try expression("value", "min:(salary)")),
    ]
    let seen = try place.statements { () throws in
      #expect(predicateErrorCode { _ = try place.context.fetchDictionaries(request) } == .invalidRequest)
    }
    #expect(seen.isEmpty)
    request.propertiesToFetch.removeLast()
    #expect(try place.context.fetchDictionaries(request).keys == ["value"])
  }

  @Test("FE10: several values come in one SELECT and one row")
  func fe10SeveralValues() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee")
    request.propertiesToFetch = [
      .expression(try expression("least", "min:(salary)")), .expression(try expression("most", "max:(salary)")),
    ]
    let selects = try place.selects { () throws in
      let found = try place.context.fetchDictionaries(request)
      #expect(found.map(\.dictionary) == [["least": .attribute(.double(1000)), "most": .attribute(.double(12_000))]])
    }
    #expect(selects == ["SELECT min(t0.ZSALARY), max(t0.ZSALARY) FROM ZPERSON AS t0 WHERE t0.Z_ENT = 9"])
  }

  @Test("FE11: an aggregate of an empty table is one dictionary: without values, but for a count of 0")
  func fe11EmptyTable() throws {
    let place = try Firm.place(employees: 0, customers: 0)
    var request = FetchRequest("Employee")
    request.propertiesToFetch = [
      .expression(try expression("most", "max:(salary)")), .expression(try expression("mean", "average:(salary)")),
      .expression(try expression("number", "count:(SELF)")),
    ]
    let found = try place.context.fetchDictionaries(request)
    #expect(found.count == 1)
    #expect(found[0]["most"] == .null)
    #expect(found[0].isNull(1))
    #expect(found[0].dictionary == ["number": .attribute(.integer(0))])
  }

  @Test("FE12: the least date is a date")
  func fe12LeastDate() throws {
    let place = try Firm.place()
    var request = FetchRequest("Employee")
    request.propertiesToFetch = [
      .expression(try expression("first", "min:(hired)", .date)),
      .expression(try expression("inferred", "min:(hired)")),
    ]
    let row = try #require(try place.context.fetchDictionaries(request).first)
    #expect(row["first"] == .attribute(.date(0)))
    #expect(row["inferred"] == .attribute(.date(0)))
  }

  @Test("FE13: a fetch of an entity finds those of all entities below it")
  func fe13SubEntities() throws {
    let place = try Firm.place()
    let found = try place.context.fetch(FetchRequest("Person"))
    #expect(Set(found.map(\.entity.name)) == ["Employee", "Customer"])
    #expect(found.count == 15)
    let ids = try place.context.fetchObjectIDs(FetchRequest("Person"))
    #expect(Set(ids.map(\.entity.name)) == ["Employee", "Customer"])
  }

  @Test("FE14: a fetch of an abstract entity finds those of its concrete sub-entities")
  func fe14AbstractEntity() throws {
    let place = try Firm.place(employees: 0, customers: 0)
    for name in ["Circle", "TextBox", "Line"] { _ = try place.context.insert(name) }
    #expect(Set(try place.context.fetch(FetchRequest("Graphic")).map(\.entity.name)) == ["Circle", "TextBox", "Line"])
    try place.context.save()
    place.context.reset()
    #expect(Set(try place.context.fetch(FetchRequest("Graphic")).map(\.entity.name)) == ["Circle", "TextBox", "Line"])
  }

  @Test("FE16: a template is bound as often as wanted and stays a template; a missing variable is an error")
  func fe16Templates() throws {
    let place = try Firm.place()
    let template = try ObjectPredicate(format: "name == $NAME")
    for name in ["e3", "e7"] {
      let bound = try template.substituting(["NAME": ConstantValue.attribute(.string(name))])
      #expect(try place.context.fetch(FetchRequest("Employee", where: bound)).names() == [name])
    }
    let unbound = FetchRequest("Employee", where: template)
    #expect(predicateErrorCode { _ = try place.context.fetch(unbound) } == .missingVariable)
  }

  @Test("FE17: a value with quotation marks is a parameter and never text of the statement")
  func fe17QuotesBind() throws {
    let place = try Firm.place()
    let name = "O'Hara\" OR 1 = 1; --"
    let employee = try place.context.insert("Employee")
    try employee.setValue(.string(name), forKey: "name")
    try place.context.save()
    let request = FetchRequest("Employee", where: try ObjectPredicate(format: "name == %@", name))
    #expect(try place.context.fetch(request).names() == [name])
  }

  private func expression(
    _ name: String, _ format: String, _ type: AttributeType = .undefined
  ) throws -> ExpressionDescription {
    ExpressionDescription(name: name, expression: try ObjectExpression(format: format), resultType: type)
  }
}
