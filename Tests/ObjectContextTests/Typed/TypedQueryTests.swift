import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Typed queries")
struct TypedQueryTests {
  @Test("conditions and orders find the objects, of their class")
  func fetching() throws {
    let place = try Tracker.place()
    let key = "B"
    let open = try place.context.fetch(
      Ticket.self, where: \.state != .done && \.project.key == key, sort: [.descending(\.createdAt)], limit: 20)
    #expect(open.map(\.title) == ["B2", "B1"])
    #expect(try place.context.first(Ticket.self, where: \.title == "A3")?.state == .done)
    #expect(
      try place.context.fetch(Ticket.self, sort: [.ascending(\.title)], limit: 2, offset: 1).map(\.title) == [
        "A2", "A3",
      ])
    #expect(try place.context.exists(Ticket.self, where: \.points > 3) == false)
    #expect(try place.context.count(Ticket.self) == 6)
  }

  @Test("values over the objects of a relationship are columns, conditions and orders")
  func relatedValues() throws {
    let place = try Tracker.place()
    let conditions: [(TypedPredicate<Project>, String)] = [
      (\.issues[sum: \.points] > 2, "issues.@sum.points > 2"),
      (\.issues[average: \.points] <= 2, "issues.@avg.points <= 2"),
      (\.issues[least: \.points] == 1, "issues.@min.points == 1"),
      (\.issues[greatest: \.title] == "B3", "issues.@max.title == 'B3'"),
    ]
    for (condition, format) in conditions {
      let found = try place.context.fetch(Project.self, where: condition).map(\.key)
      let request = FetchRequest("Project", where: try ObjectPredicate(format: format))
      #expect(!found.isEmpty)
      #expect(found == Array(try place.context.fetch(request)).names("key"))
    }
    let titles = try place.context.select(
      \.key, \.issues[greatest: \.title], from: Project.self, sort: [.descending(\.key)])
    #expect(titles.map { "\($0.0) \($0.1 ?? "")" } == ["B B3", "A A3"])
  }

  @Test("dictionaries without properties have all stored attributes and to-one relationships")
  func wholeDictionaries() throws {
    let place = try Tracker.place()
    let rows = try place.context.fetchDictionaries(FetchRequest("Ticket", where: Key("title") == "A1"))
    #expect(rows.keys == ["blob", "cost", "createdAt", "points", "project", "state", "title", "token"])
    let project = try #require(try place.context.first(Project.self, where: \.key == "A"))
    #expect(rows.first?["project"] == .objectID(project.objectID))
  }

  @Test(
    "each condition is the same statement as the predicate in words",
    arguments: [
      (\ObjectKeys<Ticket>.state != .done && \.project.key == "A", "state != 'done' AND project.key == 'A'"),
      (\.title == "A1" || !(\.points >= 2), "title == 'A1' OR NOT points >= 2"),
      (\.points == nil, "points == NULL"),
      (\.points < 2, "points < 2"), (\.points <= 2, "points <= 2"), (\.points > 2, "points > 2"),
      (.isIn(\.state, [.open, .done]), "state IN {'open', 'done'}"),
      (.between(\.points, 1, 2), "points BETWEEN {1, 2}"),
      (.contains(\.title, "a", [.caseInsensitive, .diacriticInsensitive]), "title CONTAINS[cd] 'a'"),
      (.beginsWith(\.title, "A"), "title BEGINSWITH 'A'"), (.endsWith(\.title, "1"), "title ENDSWITH '1'"),
      (.isLike(\.title, "?1"), "title LIKE '?1'"), (.matches(\.title, "[AB]1"), "title MATCHES '[AB]1'"),
      (.equals(\.title, "a1", .caseInsensitive), "title ==[c] 'a1'"),
      (.any(\.labels, \.name == "bug"), "ANY labels.name == 'bug'"),
      (.all(\.labels, \.name != "bug"), "ALL labels.name != 'bug'"),
      (.none(\.labels, \.name == "bug"), "NOT (ANY labels.name == 'bug')"),
      (\.labels.count == 1, "labels.@count == 1"),
      (\.project == nil, "project == NULL"), (\.title < \.title, "title < title"),
      (.that(\.project, .beginsWith(\.name, "Project")), "project.name BEGINSWITH 'Project'"),
    ] as [(TypedPredicate<Ticket>, String)])
  func statements(condition: TypedPredicate<Ticket>, format: String) throws {
    let place = try Tracker.place()
    var found: [[String]] = []
    let typed = try place.statements {
      found.append(try place.context.fetch(Ticket.self, where: condition).map(\.title))
    }
    let text = try place.statements {
      let objects = try place.context.fetch(FetchRequest("Ticket", where: try ObjectPredicate(format: format)))
      found.append(objects.compactMap { ($0 as? Ticket)?.title })
    }
    #expect(typed == text)
    #expect(found[0] == found[1])
  }

  @Test("relationships are compared with objects and with typed IDs, dates, UUIDs and bytes with what they are")
  func values() throws {
    let place = try Tracker.place()
    let project = try #require(try place.context.first(Project.self, where: \.key == "A"))
    #expect(try place.context.count(Ticket.self, where: \.project == project) == 3)
    #expect(try place.context.count(Ticket.self, where: \.project != ObjectID(project)) == 3)
    #expect(try place.context.count(Ticket.self, where: .isIn(\.project, [project])) == 3)
    #expect(
      try place.context.count(Ticket.self, where: \.createdAt > Timestamp(secondsSinceReferenceDate: 10)) == 3)
    let issue = try #require(try place.context.first(Ticket.self, where: \.title == "A1"))
    let token = UniqueID()
    try issue.setValue(token.attributeValue, forKey: "token")
    try issue.setValue([7, 8].attributeValue, forKey: "blob")
    try place.context.save()
    #expect(try place.context.fetch(Ticket.self, where: \.token == token && \.blob == [7, 8]) == [issue])
    let format = try ObjectPredicate(
      format: "token == %@ AND blob == %@ AND createdAt == %@", token, [7, 8] as [UInt8], issue.createdAt)
    #expect(try place.context.count(for: FetchRequest("Ticket", where: format)) == 1)
  }

  @Test("select gives tuples; a column over several objects makes groups of the others")
  func selecting() throws {
    let place = try Tracker.place()
    let rows = try place.context.select(
      \.title, \.project.name, \.points, from: Ticket.self, where: \.state == .done, sort: [.ascending(\.title)])
    #expect(rows.map { "\($0.0) \($0.1 ?? "none") \($0.2 ?? 0)" } == ["A3 Project A 3", "B3 Project B 3"])
    let groups = try place.context.select(
      \.project.key, \.objectCount, \.points.sum, \.points.average, from: Ticket.self)
    let texts = groups.map { "\($0.0 ?? "") \($0.1) \($0.2 ?? 0) \($0.3 ?? 0)" }
    #expect(texts.sorted() == ["A 3 6 2.0", "B 3 6 2.0"])
    let all = try place.context.select(\.objectCount, \.points.greatest, \.createdAt.least, from: Ticket.self)
    #expect(all.count == 1 && all[0].0 == 6 && all[0].1 == 3)
    let states = try place.context.select(\.state, from: Ticket.self, distinct: true)
    #expect(Set(states) == [.open, .done])
    let counts = try place.context.select(\.key, \.issues.count, from: Project.self, sort: [.ascending(\.key)])
    #expect(counts.map { "\($0.0) \($0.1)" } == ["A 3", "B 3"])
  }

  @Test("typed IDs lead to the class, in other contexts and tasks, and say so when they do not")
  func objectIDs() throws {
    let place = try Tracker.place()
    let issue = try #require(try place.context.first(Ticket.self, where: \.title == "A1"))
    let id = ObjectID(issue)
    #expect(try place.anotherContext().object(with: id).title == "A1")
    #expect(try place.context.existingObject(with: id) === issue)
    let wrong = ObjectID<Label>(issue.objectID)
    #expect(objectErrorCode { _ = try place.context.object(with: wrong) } == .wrongClass)
    try place.context.delete(issue)
    #expect(try place.context.existingObject(with: id) == nil)
  }

  @Test("values of dictionaries come as Swift types, or say why not")
  func dictionaries() throws {
    let place = try Tracker.place()
    var request = FetchRequest("Ticket", where: try ObjectPredicate(format: "title == 'A2'"))
    request.propertiesToFetch = ["title", "points", "state", "cost"]
    let row = try #require(try place.context.fetchDictionaries(request).first)
    #expect(try row.value(forKey: "title") == "A2")
    #expect(try row.value(forKey: "points", as: Int.self) == 2)
    #expect(try row.value(forKey: "state", as: IssueState.self) == .open)
    #expect(try row.value(forKey: "cost", as: DecimalNumber?.self) == nil)
    #expect(objectErrorCode { _ = try row.value(forKey: "title", as: Int.self) } == .unreadable)
    #expect(objectErrorCode { _ = try row.value(forKey: "nothing", as: Int.self) } == .unknownKey)
  }

  @Test("classes are registered with a model once, for all coordinators; wrong ones are refused")
  func registration() throws {
    let model = try Tracker.model()
    #expect(objectErrorCode { try model.register([Dog.self]) } == .unknownEntity)
    let context = ManagedObjectContext(coordinator: PersistentStoreCoordinator(model: model))
    #expect(context.objectClass(of: try #require(model.entity(named: "Ticket"))) == Ticket.self)
  }
}
