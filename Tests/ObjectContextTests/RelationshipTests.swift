import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Relationships")
struct RelationshipTests {
  /// A store with people A, B, C, D, companies X, Y, desks 1, 2 and skills p, q, r; saved or not.
  final class Cast {
    let place: Workplace
    var context: ManagedObjectContext { place.context }
    var people: [String: ManagedObject] = [:]

    init(saved: Bool) throws {
      place = try Workplace(try Models.works())
      for name in ["A", "B", "C", "D"] { people[name] = try add("Person", name) }
      for name in ["X", "Y"] { people[name] = try add("Company", name) }
      for number in [1, 2] {
        let desk = try context.insert("Desk")
        try desk.setValue(.integer(Int64(number)), forKey: "number")
        people[String(number)] = desk
      }
      for title in ["p", "q", "r"] {
        let skill = try context.insert("Skill")
        try skill.setValue(.string(title), forKey: "title")
        people[title] = skill
      }
      if saved { try context.save() }
    }

    private func add(_ entity: String, _ name: String) throws -> ManagedObject {
      let object = try context.insert(entity)
      try object.setValue(.string(name), forKey: "name")
      return object
    }

    subscript(name: String) -> ManagedObject { get throws { try #require(people[name]) } }

    /// Finds everybody again after the store was reopened.
    func reopen() throws {
      try context.save()
      let ids = people.mapValues(\.objectID)
      people.removeAll()
      try place.reopen()
      for (name, id) in ids {
        let found: ManagedObject = try #require(try context.existingObject(with: id))
        people[name] = found
      }
    }

    /// The names of the objects in a to-many relationship.
    func list(_ name: String, _ key: String) throws -> String {
      let owner = try self[name]
      let others = try owner.objects(forKey: key)
      return try others.map { other in try #require(people.first { $0.value === other }).key }.joined()
    }

    /// The name of the object in a to-one relationship, or `-`.
    func one(_ name: String, _ key: String) throws -> String {
      let owner = try self[name]
      guard let other = try owner.object(forKey: key) else { return "-" }
      return try #require(people.first { $0.value === other }).key
    }
  }

  @Test("to-one and to-many sides follow each other before and after the save", arguments: [false, true])
  func toOneToMany(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    try cast["A"].setObject(cast["X"], forKey: "supplier")
    try cast["Y"].add(cast["B"], to: "clients")
    #expect(try cast.list("X", "clients") == "A")
    #expect(try cast.one("B", "supplier") == "Y")
    try cast["A"].setObject(cast["Y"], forKey: "supplier")
    #expect(try cast.list("X", "clients") == "")
    #expect(try cast.list("Y", "clients") == "AB")
    try cast.reopen()
    #expect(try cast.list("Y", "clients") == "AB")
    #expect(try cast.one("A", "supplier") == "Y")
    #expect(try cast["Y"].remove(cast["A"], from: "clients"))
    #expect(try !cast["Y"].remove(cast["A"], from: "clients"))
    #expect(try cast.one("A", "supplier") == "-")
    #expect(try cast.list("Y", "clients") == "B")
    try cast["B"].setObject(nil, forKey: "supplier")
    #expect(try cast.list("Y", "clients") == "")
    try cast.reopen()
    #expect(try cast.list("Y", "clients") == "")
    try cast.place.verify()
  }

  @Test("an object is in a to-many relationship once", arguments: [false, true])
  func duplicates(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    #expect(try cast["X"].add(cast["A"], to: "clients"))
    #expect(try !cast["X"].add(cast["A"], to: "clients"))
    #expect(try cast["A"].add(cast["B"], to: "friends"))
    #expect(try !cast["A"].add(cast["B"], to: "friends"))
    #expect(try !cast["B"].add(cast["A"], to: "friends"))
    try cast["A"].setObjects([cast["q"], cast["q"], cast["p"], cast["q"]], forKey: "skills")
    try cast.reopen()
    #expect(try cast.list("X", "clients") == "A")
    #expect(try cast.list("A", "friends") == "B")
    #expect(try cast.list("A", "skills") == "qp")
    #expect(try !cast["X"].add(cast["A"], to: "clients"))
    #expect(try !cast["B"].add(cast["A"], to: "friends"))
    #expect(!cast.context.hasChanges)
  }

  @Test("one-to-one: whoever had the partner before has none", arguments: [false, true])
  func oneToOne(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    try cast["A"].setObject(cast["1"], forKey: "desk")
    try cast["B"].setObject(cast["2"], forKey: "desk")
    if saved { try cast.reopen() }
    try cast["1"].setObject(cast["B"], forKey: "owner")
    #expect(try cast.one("A", "desk") == "-")
    #expect(try cast.one("B", "desk") == "1")
    #expect(try cast.one("2", "owner") == "-")
    try cast.reopen()
    #expect(try cast.one("1", "owner") == "B")
    #expect(try cast.one("A", "desk") == "-")
    try cast.place.verify()
  }

  @Test("a to-one that is its own inverse", arguments: [false, true])
  func spouses(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    try cast["A"].setObject(cast["B"], forKey: "spouse")
    try cast["C"].setObject(cast["D"], forKey: "spouse")
    if saved { try cast.reopen() }
    try cast["B"].setObject(cast["C"], forKey: "spouse")
    #expect(try ["A", "B", "C", "D"].map { try cast.one($0, "spouse") } == ["-", "C", "B", "-"])
    try cast["B"].setObject(cast["B"], forKey: "spouse")
    #expect(try ["A", "B", "C", "D"].map { try cast.one($0, "spouse") } == ["-", "B", "-", "-"])
    try cast.reopen()
    #expect(try ["A", "B", "C", "D"].map { try cast.one($0, "spouse") } == ["-", "B", "-", "-"])
    try cast["A"].setObject(cast["B"], forKey: "spouse")
    #expect(try ["A", "B", "C", "D"].map { try cast.one($0, "spouse") } == ["B", "A", "-", "-"])
    try cast.reopen()
    #expect(try ["A", "B", "C", "D"].map { try cast.one($0, "spouse") } == ["B", "A", "-", "-"])
    try cast.place.verify()
  }

  @Test("parents and children of one entity, an object that is its own parent included")
  func reflexiveTree() throws {
    let cast = try Cast(saved: true)
    try cast["A"].setObjects([cast["A"], cast["B"], cast["C"]], forKey: "children")
    #expect(try cast.one("A", "parent") == "A")
    try cast.reopen()
    #expect(try cast.list("A", "children") == "ABC")
    #expect(try cast.one("C", "parent") == "A")
    try cast.place.verify()
  }

  @Test("many-to-many: both sides, saved in one join table", arguments: [false, true])
  func manyToMany(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    try cast["A"].add(cast["B"], to: "likes")
    try cast["A"].add(cast["C"], to: "likes")
    try cast["A"].add(cast["D"], to: "likedBy")
    #expect(try cast.list("B", "likedBy") == "A")
    #expect(try cast.list("D", "likes") == "A")
    try cast.reopen()
    #expect(try cast.list("A", "likes") == "BC")
    #expect(try cast.list("A", "likedBy") == "D")
    try cast["C"].remove(cast["A"], from: "likedBy")
    #expect(try cast.list("A", "likes") == "B")
    try cast.reopen()
    #expect(try cast.list("A", "likes") == "B")
    #expect(try cast.list("C", "likedBy") == "")
    try cast.place.verify()
  }

  @Test("a many-to-many relationship that is its own inverse", arguments: [false, true])
  func friends(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    try cast["A"].add(cast["B"], to: "friends")
    try cast["C"].add(cast["A"], to: "friends")
    try cast["D"].add(cast["D"], to: "friends")
    #expect(try ["A", "B", "C", "D"].map { try cast.list($0, "friends") } == ["BC", "A", "A", "D"])
    try cast.reopen()
    #expect(try ["A", "B", "C", "D"].map { try cast.list($0, "friends") } == ["BC", "A", "A", "D"])
    try cast["A"].remove(cast["C"], from: "friends")
    try cast["B"].remove(cast["A"], from: "friends")
    try cast["D"].remove(cast["D"], from: "friends")
    #expect(try ["A", "B", "C", "D"].map { try cast.list($0, "friends") } == ["", "", "", ""])
    try cast.context.save()
    let join = try cast.place.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%REFLEXIVE%'")
    #expect(try cast.place.rows("SELECT count(*) FROM \(try #require(join.first))") == ["0"])
  }

  @Test("an ordered to-many keeps its order and numbers it as Core Data does")
  func orderedOneToMany() throws {
    let cast = try Cast(saved: true)
    for name in ["C", "A", "B"] { try cast["X"].add(cast[name], to: "staff") }
    #expect(try cast.list("X", "staff") == "CAB")
    try cast.reopen()
    #expect(try cast.list("X", "staff") == "CAB")
    let orders = "SELECT ZNAME, Z_FOK_EMPLOYER FROM ZPARTY WHERE ZEMPLOYER IS NOT NULL ORDER BY Z_FOK_EMPLOYER"
    #expect(try cast.place.rows(orders) == ["C|2048", "A|3072", "B|4096"])

    // D comes between C and A: only D is written.
    try cast["X"].insert(cast["D"], into: "staff", at: 1)
    #expect(try cast.list("X", "staff") == "CDAB")
    try cast.context.save()
    #expect(try cast.place.rows(orders) == ["C|2048", "D|2560", "A|3072", "B|4096"])

    try cast["X"].insert(cast["B"], into: "staff", at: 0)
    #expect(try cast.list("X", "staff") == "BCDA")
    try cast.context.save()
    #expect(
      try cast.place.rows("SELECT ZNAME, Z_OPT FROM ZPARTY WHERE ZEMPLOYER = 5 ORDER BY ZNAME")
        == ["A|2", "B|3", "C|2", "D|2"])
    try cast.reopen()
    #expect(try cast.list("X", "staff") == "BCDA")

    try cast["X"].setObjects([cast["A"], cast["B"], cast["C"]], forKey: "staff")
    #expect(try cast.one("D", "employer") == "-")
    try cast.reopen()
    #expect(try cast.list("X", "staff") == "ABC")
    try cast.place.verify()
  }

  @Test("a change of order alone is a change, and rollback takes it back")
  func orderRollback() throws {
    let cast = try Cast(saved: true)
    try cast["X"].setObjects([cast["A"], cast["B"], cast["C"]], forKey: "staff")
    try cast.context.save()
    try cast["X"].insert(cast["C"], into: "staff", at: 0)
    #expect(cast.context.hasChanges)
    #expect(try cast.list("X", "staff") == "CAB")
    cast.context.rollback()
    #expect(!cast.context.hasChanges)
    #expect(try cast.list("X", "staff") == "ABC")
    #expect(try cast.place.statements { try cast.context.save() } == [])
  }

  @Test("many-to-many with an order on both sides")
  func orderedManyToMany() throws {
    let cast = try Cast(saved: true)
    try cast["A"].setObjects([cast["r"], cast["p"]], forKey: "skills")
    try cast["B"].setObjects([cast["p"], cast["q"], cast["r"]], forKey: "skills")
    #expect(try cast.list("p", "people") == "AB")
    try cast["p"].insert(cast["B"], into: "people", at: 0)
    #expect(try cast.list("p", "people") == "BA")
    try cast.reopen()
    #expect(try cast.list("A", "skills") == "rp")
    #expect(try cast.list("B", "skills") == "pqr")
    #expect(try cast.list("p", "people") == "BA")
    #expect(try cast.list("r", "people") == "AB")
    try cast["B"].insert(cast["r"], into: "skills", at: 0)
    try cast["p"].insert(cast["C"], into: "people", at: 1)
    try cast.reopen()
    #expect(try cast.list("B", "skills") == "rpq")
    #expect(try cast.list("p", "people") == "BCA")
    try cast.place.verify()
  }

  @Test("a to-many relationship without an inverse gives each object to one owner", arguments: [false, true])
  func withoutInverse(saved: Bool) throws {
    let cast = try Cast(saved: saved)
    for text in ["m", "n"] {
      let memo = try cast.context.insert("Memo")
      try memo.setValue(.string(text), forKey: "text")
      cast.people[text] = memo
    }
    if saved { try cast.context.save() }
    try cast["A"].setObjects([cast["m"], cast["n"]], forKey: "memos")
    try cast["B"].add(cast["m"], to: "memos")
    #expect(try cast.list("A", "memos") == "n")
    try cast["m"].setObject(cast["X"], forKey: "about")
    try cast.reopen()
    #expect(try cast.list("A", "memos") == "n")
    #expect(try cast.list("B", "memos") == "m")
    #expect(try cast.one("m", "about") == "X")
    try cast["A"].add(cast["m"], to: "memos")
    #expect(try cast.list("B", "memos") == "")
    #expect(try cast.list("A", "memos") == "mn")
    try cast.reopen()
    #expect(try cast.list("A", "memos") == "mn")
    try cast.context.delete(cast["A"])
    try cast.context.save()
    try cast.place.verify()
  }

  @Test("changes of pairs alone leave the versions of both objects where they were")
  func linkVersions() throws {
    let cast = try Cast(saved: true)
    try cast["A"].add(cast["B"], to: "likes")
    #expect(try cast["A"].isUpdated)
    #expect(try cast["B"].hasChanges)
    #expect(Set(cast.context.updatedObjects) == [try cast["A"], try cast["B"]])
    let statements = try cast.place.statements { try cast.context.save() }
    #expect(statements.count == 3, "\(statements)")
    #expect(statements.first == "BEGIN IMMEDIATE" && statements.last == "COMMIT")
    #expect(try cast.place.rows("SELECT DISTINCT Z_OPT FROM ZPARTY") == ["1"])
    #expect(try !cast["A"].hasChanges)
    // Taking apart and relating again is nothing to write.
    try cast["A"].remove(cast["B"], from: "likes")
    try cast["A"].add(cast["B"], to: "likes")
    #expect(try cast.place.statements { try cast.context.save() } == [])
  }

  @Test("a destination entity accepts what inherits from it, and its column names the object's own entity")
  func subentities() throws {
    let cast = try Cast(saved: false)
    let boss = try cast.context.insert("Boss")
    try boss.setValue(.string("Z"), forKey: "name")
    cast.people["Z"] = boss
    try cast["A"].setObject(boss, forKey: "spouse")
    try cast["X"].setObjects([cast["A"], boss], forKey: "staff")
    try cast.reopen()
    #expect(try cast.list("X", "staff") == "AZ")
    #expect(try cast["A"].object(forKey: "spouse")?.entity.name == "Boss")
    let number = try #require(cast.place.model.entity(named: "Boss")).number
    let columns = try cast.place.rows(
      "SELECT name FROM pragma_table_info('ZPARTY') WHERE name LIKE 'Z%\\_SPOUSE' ESCAPE '\\'")
    let column = try #require(columns.first)
    #expect(try cast.place.rows("SELECT \(column) FROM ZPARTY WHERE ZNAME = 'A'") == ["\(number)"])
    #expect(objectErrorCode { try cast["A"].setObject(cast["X"], forKey: "spouse") } == .wrongEntity)
    #expect(objectErrorCode { try cast["X"].add(cast["1"], to: "staff") } == .wrongEntity)
    #expect(objectErrorCode { try cast["X"].setObject(cast["A"], forKey: "staff") } == .unknownKey)
    #expect(objectErrorCode { _ = try cast["X"].objects(forKey: "name") } == .unknownKey)
    try cast.place.verify()
  }

  @Test("objects of another context are refused")
  func otherContexts() throws {
    let cast = try Cast(saved: true)
    let other = cast.place.anotherContext()
    let foreign = try other.object(with: cast["X"].objectID)
    #expect(objectErrorCode { try cast["A"].setObject(foreign, forKey: "supplier") } == .otherContext)
    #expect(objectErrorCode { try cast["A"].add(foreign, to: "likes") } == .otherContext)
    #expect(objectErrorCode { try cast.context.delete(foreign) } == .otherContext)
  }

  @Test("a to-many relationship costs one statement, and none when it is read again")
  func statementsOfMembers() throws {
    let cast = try Cast(saved: true)
    try cast["X"].setObjects([cast["A"], cast["B"], cast["C"]], forKey: "clients")
    try cast.reopen()
    let context = cast.place.anotherContext()
    let company = try #require(try context.existingObject(with: cast["X"].objectID))
    var members: [ManagedObject] = []
    var statements = try cast.place.statements { members = try company.objects(forKey: "clients") }
    #expect(statements.count == 1, "\(statements)")
    statements = try cast.place.statements {
      #expect(members.names() == ["A", "B", "C"])
      members = try company.objects(forKey: "clients")
    }
    #expect(statements == [])
    // Nobody holds the members, so they are fetched again, all at once.
    members = []
    statements = try cast.place.statements { members = try company.objects(forKey: "clients") }
    #expect(statements.count == 1, "\(statements)")
    #expect(members.names() == ["A", "B", "C"])
  }

  @Test("rows that were filled column by column are seen by to-many relationships")
  func columnarRows() throws {
    let cast = try Cast(saved: true)
    let person = try #require(cast.place.model.entity(named: "Person"))
    let slot = try #require(person.relationship(named: "supplier")).slot
    let company = try cast["X"]
    #expect(try company.objects(forKey: "clients") == [])
    let first = cast.context.insertRows(person, count: 3)
    let buffer = cast.context.buffer(root: person.root)
    for row in first..<first + 3 {
      buffer.setReference(
        row: row, slot: slot, primaryKey: company.objectID.primaryKey, destinationEntity: Int32(company.entity.index))
    }
    #expect(try company.objects(forKey: "clients").count == 3)
  }

  @Test("appending to long relationships takes one step an object, not one for each that is there")
  func longRelationships() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let (person, company) = (try context.insert("Person"), try context.insert("Company"))
    for object in [person, company] { try object.setValue(.string("x"), forKey: "name") }
    try context.save()
    let count = 3000
    let statements = try place.statements {
      for i in 0..<count {
        try person.add(try context.insert("Skill"), to: "skills")
        let other = try context.insert("Person")
        try other.setValue(.string("\(i)"), forKey: "name")
        try company.add(other, to: "staff")
        try person.add(other, to: "likes")
      }
    }
    #expect(statements.count <= 3, "the ends of ordered relationships are looked up once: \(statements.prefix(10))")
    #expect(try person.objects(forKey: "skills").count == count)
    #expect(try company.objects(forKey: "staff").names() == (0..<count).map(String.init))
    try context.save()
    #expect(try person.objects(forKey: "likes").count == count)
    #expect(try place.rows("SELECT max(Z_FOK_EMPLOYER) FROM ZPARTY") == ["\(2048 + 1024 * (count - 1))"])
    try place.verify()
  }
}
