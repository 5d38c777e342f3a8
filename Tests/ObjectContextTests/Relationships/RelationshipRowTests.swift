import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// The rows RL2 to RL17, AP3 and AP7 of the requirements.
@Suite("Rows of relationships")
struct RelationshipRowTests {
  /// Employee > Manager, Flunky, with departments, addresses and a tree of its own; Asset is abstract.
  private static func company(
    members: (inout RelationshipDescription) -> Void = { _ in }
  ) throws -> ManagedObjectModel {
    var list = Models.toMany("members", "Employee", inverse: "department")
    members(&list)
    var address = Models.toOne("address", "Address", inverse: "employee")
    address.isOptional = false
    return try Models.model(
      Models.entity(
        "Employee", attributes: [Models.attribute("name", .string)],
        relationships: [
          Models.toOne("department", "Department", inverse: "members"),
          Models.toOne("boss", "Employee", inverse: "reports"),
          Models.toMany("reports", "Employee", inverse: "boss", ordered: true),
          Models.toMany("assets", "Asset", inverse: "holders"),
        ]),
      Models.entity("Manager", parent: "Employee", attributes: [Models.attribute("bonus", .double)]),
      Models.entity("Flunky", parent: "Employee", relationships: [address]),
      Models.entity("Address", relationships: [Models.toOne("employee", "Flunky", inverse: "address")]),
      Models.entity("Department", attributes: [Models.attribute("name", .string)], relationships: [list]),
      Models.entity(
        "Asset", abstract: true, attributes: [Models.attribute("name", .string)],
        relationships: [Models.toMany("holders", "Employee", inverse: "assets", ordered: true)]),
      Models.entity("Car", parent: "Asset"), Models.entity("Phone", parent: "Asset"))
  }

  private func insert(_ context: ManagedObjectContext, _ entity: String, _ name: String) throws -> ManagedObject {
    let object = try context.insert(entity)
    try object.setValue(.string(name), forKey: "name")
    if entity == "Flunky" { try object.setObject(try context.insert("Address"), forKey: "address") }
    return object
  }

  /// The object with a name, by a fetch.
  private func find(_ context: ManagedObjectContext, _ entity: String, _ name: String) throws -> ManagedObject {
    try #require(try context.fetch(entity, where: ["name": .string(name)]).first)
  }

  @Test("RL2: the destination may be the entity itself, and an object may refer to itself")
  func rl2Reflexive() throws {
    let place = try Workplace(try Self.company())
    let a = try insert(place.context, "Employee", "a")
    let b = try insert(place.context, "Manager", "b")
    try a.setObject(a, forKey: "boss")
    #expect(try a.objects(forKey: "reports") == [a])
    try a.add(b, to: "reports")
    try place.context.save()
    try place.reopen()
    let saved = try find(place.context, "Employee", "a")
    #expect(try saved.objects(forKey: "reports").names() == ["a", "b"])
    #expect(try saved.object(forKey: "boss") === saved)
    try saved.remove(saved, from: "reports")
    #expect(try saved.object(forKey: "boss") == nil)
    try place.context.delete(saved)
    try place.context.save()
    #expect(try find(place.context, "Employee", "b").object(forKey: "boss") == nil)
    try place.verify()
  }

  @Test(
    "RL3: members of a relationship to a parent entity are of any entity below it, mixed", arguments: [false, true])
  func rl3Mixed(inChild: Bool) throws {
    let place = try Workplace(try Self.company())
    let context = inChild ? ManagedObjectContext(parent: place.context) : place.context
    let department = try insert(context, "Department", "d")
    for (kind, name) in [("Employee", "e"), ("Manager", "m"), ("Flunky", "f")] {
      try department.add(try insert(context, kind, name), to: "members")
    }
    #expect(try department.objects(forKey: "members").map(\.entity.name) == ["Employee", "Manager", "Flunky"])
    try context.save()
    if inChild { try place.context.save() }
    try place.reopen()
    let saved = try find(place.context, "Department", "d")
    // Objects that come as faults know their own entity too.
    let members = try saved.objects(forKey: "members")
    #expect(members.map { "\($0.entity.name)" } == ["Employee", "Manager", "Flunky"])
    #expect(try find(place.context, "Manager", "m").object(forKey: "department") === saved)
    let found = try place.context.fetch(
      FetchRequest("Manager", where: try ObjectPredicate(format: "department.name == 'd'")))
    #expect(found.names() == ["m"])
    #expect(objectErrorCode { try saved.add(saved, to: "members") } == .wrongEntity)
    try place.verify()
  }

  @Test("RL4: a relationship to an abstract entity has objects of entities below it, and the abstract one has none")
  func rl4Abstract() throws {
    let place = try Workplace(try Self.company())
    let context = place.context
    #expect(objectErrorCode { _ = try context.insert("Asset") } == .abstractEntity)
    let holder = try insert(context, "Employee", "h")
    try holder.setObjects([try insert(context, "Phone", "p"), try insert(context, "Car", "c")], forKey: "assets")
    try context.save()
    try place.reopen()
    let saved = try find(place.context, "Employee", "h")
    #expect(try saved.objects(forKey: "assets").map(\.entity.name) == ["Phone", "Car"])
    #expect(try find(place.context, "Asset", "c").entity.name == "Car")
    #expect(try find(place.context, "Asset", "c").objects(forKey: "holders") == [saved])
    #expect(objectErrorCode { try saved.add(saved, to: "assets") } == .wrongEntity)
    try place.verify()
  }

  @Test("RL6: what is added on one side appears on the other, in one row of the join table")
  func rl6ManyToMany() throws {
    let place = try Workplace(try Self.company())
    let (a, b) = (try insert(place.context, "Employee", "a"), try insert(place.context, "Manager", "b"))
    let car = try insert(place.context, "Car", "c")
    try a.add(car, to: "assets")
    try car.add(b, to: "holders")
    #expect(try car.objects(forKey: "holders") == [a, b])
    #expect(try b.objects(forKey: "assets") == [car])
    try place.context.save()
    let table = try #require(
      try place.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'").first)
    #expect(try place.rows("SELECT count(*) FROM \(table)") == ["2"])
    // Deleting one end takes its pairs, and no object.
    try place.context.delete(a)
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM \(table)") == ["1"])
    #expect(try car.objects(forKey: "holders") == [b])
    try place.verify()
  }

  @Test(
    "RL7, RL9: between a least and a greatest number; an optional relationship may be empty too",
    arguments: [true, false])
  func rl7Counts(isOptional: Bool) throws {
    let place = try Workplace(
      try Self.company {
        $0.minCount = 3
        $0.maxCount = 40
        $0.isOptional = isOptional
      })
    let department = try insert(place.context, "Department", "d")
    let people = try (0..<41).map { try insert(place.context, "Employee", "e\($0)") }
    for count in [0, 1, 2, 3, 40, 41] {
      try department.setObjects(Array(people.prefix(count)), forKey: "members")
      let expected: ObjectFailureCode? =
        count == 0 && isOptional ? nil : count < 3 ? .tooFewObjects : count > 40 ? .tooManyObjects : nil
      let error = saveError { try place.context.save() }
      #expect(error?.failures.map(\.code) == expected.map { [$0] }, "\(count)")
      if expected != nil {
        #expect(error?.failures.first?.property == "members")
        #expect(error?.failures.first?.objectID == department.objectID)
      }
    }
    try department.setObjects(Array(people.prefix(3)), forKey: "members")
    try place.context.save()
    try place.verify()
  }

  @Test("RL8: a mandatory to-one needs its object, also when that is deleted or taken by another")
  func rl8Mandatory() throws {
    let place = try Workplace(try Self.company())
    let context = place.context
    let flunky = try context.insert("Flunky")
    let error = try #require(saveError { try context.save() })
    #expect(error.failures.map(\.property) == ["address"])
    #expect(error.failures.first?.objectID == flunky.objectID)
    let address = try context.insert("Address")
    try flunky.setObject(address, forKey: "address")
    try context.save()
    try context.delete(address)
    #expect(saveError { try context.save() }?.failures.map(\.property) == ["address"])
    context.rollback()
    let thief = try context.insert("Flunky")
    try thief.setObject(address, forKey: "address")
    let taken = try #require(saveError { try context.save() })
    #expect(taken.failures.map(\.objectID) == [flunky.objectID])
    context.rollback()
    // Both go: nobody is left without.
    try context.delete(flunky)
    try context.delete(address)
    try context.save()
    try place.verify()
  }

  @Test("RL11: setting one side takes the object out of the old owner and puts it into the new one, at once")
  func rl11Inverse() throws {
    let place = try Workplace(try Self.company())
    let (one, two) = (try insert(place.context, "Department", "1"), try insert(place.context, "Department", "2"))
    let employee = try insert(place.context, "Employee", "e")
    try employee.setObject(one, forKey: "department")
    #expect(try one.objects(forKey: "members") == [employee])
    try place.context.save()
    try employee.setObject(two, forKey: "department")
    #expect(try one.objects(forKey: "members") == [])
    #expect(try two.objects(forKey: "members") == [employee])
    try one.add(employee, to: "members")
    #expect(try employee.object(forKey: "department") === one)
    #expect(try two.objects(forKey: "members") == [])
    try place.context.save()
    try place.verify()
  }

  @Test("RL14: deny is decided when the deletion is attempted by a save; the object stays in the store")
  func rl14Deny() throws {
    let place = try Workplace(try Self.company { $0.deleteRule = .deny })
    let department = try insert(place.context, "Department", "d")
    let employee = try insert(place.context, "Employee", "e")
    try department.add(employee, to: "members")
    try place.context.save()
    try place.context.delete(department)
    let error = try #require(saveError { try place.context.save() })
    #expect(error.failures.map(\.code) == [.deletionDenied])
    #expect(error.failures.first?.objectID == department.objectID)
    #expect(error.failures.first?.property == "members")
    #expect(try place.rows("SELECT count(*) FROM ZDEPARTMENT") == ["1"])
    // The member goes elsewhere: nothing denies the deletion any more.
    try employee.setObject(nil, forKey: "department")
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM ZDEPARTMENT") == ["0"])
    try place.verify()
  }

  @Test("RL17: rel == nil finds exactly the objects without a destination, saved or not")
  func rl17Nil() throws {
    let place = try Workplace(try Self.company())
    let department = try insert(place.context, "Department", "d")
    let people = try (0..<4).map { try insert(place.context, "Employee", "e\($0)") }
    try people[1].setObject(department, forKey: "department")
    try people[3].setObject(people[0], forKey: "boss")
    func found(_ format: String) throws -> [String] {
      try place.context.fetch(FetchRequest("Employee", where: try ObjectPredicate(format: format))).names().sorted()
    }
    func check() throws {
      #expect(try found("department == nil") == ["e0", "e2", "e3"])
      #expect(try found("department != nil") == ["e1"])
      #expect(try found("boss == nil AND department == nil") == ["e0", "e2"])
      #expect(try found("department.name == nil") == ["e0", "e2", "e3"])
      #expect(try found("reports.@count == 0") == ["e1", "e2", "e3"])
    }
    try check()
    try place.context.save()
    try check()
    try place.reopen()
    try check()
  }

  @Test("AP7: an order survives inserting at a place, moving, replacing, saving and going through child contexts")
  func ap7Ordered() throws {
    let place = try Workplace(try Self.company())
    let boss = try insert(place.context, "Manager", "boss")
    let people = try (0..<5).map { try insert(place.context, "Employee", "\($0)") }
    try boss.setObjects([people[2], people[0], people[1]], forKey: "reports")
    try boss.insert(people[3], into: "reports", at: 1)
    #expect(try boss.objects(forKey: "reports").names() == ["2", "3", "0", "1"])
    try place.context.save()
    let list: RelatedObjects<ManagedObject> = boss.relatedObjects("reports")
    list.move(from: 3, to: 0)
    list.replace(at: 2, with: people[4])
    #expect(list.map { $0 }.names() == ["1", "2", "4", "0"])
    #expect(try people[3].object(forKey: "boss") == nil)
    try place.context.save()
    try place.reopen()
    let child = ManagedObjectContext(parent: ManagedObjectContext(parent: place.context))
    let other = try find(child, "Manager", "boss")
    #expect(try other.objects(forKey: "reports").names() == ["1", "2", "4", "0"])
    try other.insert(try find(child, "Employee", "0"), into: "reports", at: 1)
    try other.add(try insert(child, "Flunky", "new"), to: "reports")
    var next: ManagedObjectContext? = child
    while let context = next {
      try context.save()
      next = context.parent
    }
    #expect(
      try find(place.context, "Manager", "boss").objects(forKey: "reports").names() == ["1", "0", "2", "4", "new"])
    try place.reopen()
    #expect(
      try find(place.context, "Manager", "boss").objects(forKey: "reports").names() == ["1", "0", "2", "4", "new"])
    try place.verify()
  }

  @Test("AP7: members of two ordered relationships change places in one save")
  func ap7Exchange() throws {
    let place = try Workplace(try Self.company())
    let bosses = try (0..<2).map { try insert(place.context, "Manager", "boss\($0)") }
    let people = try (0..<6).map { try insert(place.context, "Employee", "\($0)") }
    try bosses[0].setObjects(Array(people[..<3]), forKey: "reports")
    try bosses[1].setObjects(Array(people[3...]), forKey: "reports")
    try place.context.save()
    try bosses[0].insert(people[4], into: "reports", at: 1)
    try bosses[1].insert(people[1], into: "reports", at: 0)
    try bosses[1].insert(people[0], into: "reports", at: 3)
    #expect(try bosses[0].objects(forKey: "reports").names() == ["4", "2"])
    #expect(try bosses[1].objects(forKey: "reports").names() == ["1", "3", "5", "0"])
    try bosses[1].insert(bosses[0], into: "reports", at: 2)
    try bosses[0].insert(bosses[0], into: "reports", at: 0)
    try place.context.save()
    try place.reopen()
    #expect(try find(place.context, "Manager", "boss0").objects(forKey: "reports").names() == ["boss0", "4", "2"])
    #expect(try find(place.context, "Manager", "boss1").objects(forKey: "reports").names() == ["1", "3", "5", "0"])
    // The two lists as a whole.
    let (first, second) = (
      try find(place.context, "Manager", "boss0"), try find(place.context, "Manager", "boss1")
    )
    let (left, right) = (try first.objects(forKey: "reports"), try second.objects(forKey: "reports"))
    try first.setObjects(right.reversed(), forKey: "reports")
    try second.setObjects(left.reversed(), forKey: "reports")
    try place.context.save()
    try place.reopen()
    #expect(try find(place.context, "Manager", "boss0").objects(forKey: "reports").names() == ["0", "5", "3", "1"])
    #expect(try find(place.context, "Manager", "boss1").objects(forKey: "reports").names() == ["2", "4", "boss0"])
    try place.verify()
  }

  @Test("AP3: a deletion with nullify takes the pairs of a many-to-many relationship and nothing else")
  func ap3Pairs() throws {
    let place = try Workplace(try Self.company())
    let employee = try insert(place.context, "Employee", "e")
    let cars = try (0..<3).map { try insert(place.context, "Car", "c\($0)") }
    try employee.setObjects(cars, forKey: "assets")
    try place.context.save()
    try place.context.delete(cars[1])
    #expect(try employee.objects(forKey: "assets").names() == ["c0", "c2"])
    try place.context.save()
    #expect(try place.context.count("Asset") == 2)
    #expect(try place.context.count("Employee") == 1)
    try place.verify()
  }

  @Test("A large to-many relationship comes in one statement, whatever the number of members")
  func largeRelationship() throws {
    let place = try Workplace(try Self.company())
    let department = try insert(place.context, "Department", "d")
    for i in 0..<2000 { try insert(place.context, "Employee", "\(i)").setObject(department, forKey: "department") }
    try place.context.save()
    try place.reopen()
    let saved = try find(place.context, "Department", "d")
    let statements = try place.statements { () throws in
      #expect(try saved.objects(forKey: "members").count == 2000)
    }
    #expect(statements.count == 1, "\(statements.prefix(3))")
  }
  @Test("what is appended after a rollback comes behind members that are back")
  func appendedAfterRollback() throws {
    let place = try Workplace(
      try Models.model(
        Models.entity("Box", relationships: [Models.toMany("items", "Item", inverse: "box", ordered: true)]),
        Models.entity("Item", relationships: [Models.toOne("box", "Box", inverse: "items")])))
    let context = place.context
    let box = try context.insert("Box")
    let items = try (0..<3).map { _ in try context.insert("Item") }
    try box.add(items[1], to: "items")
    try box.add(items[2], to: "items")
    try context.save()
    try items[2].setObject(nil, forKey: "box")
    try box.insert(items[1], into: "items", at: 0)
    context.rollback()
    try box.add(items[0], to: "items")
    #expect(try box.objects(forKey: "items") == [items[1], items[2], items[0]])
  }
}
