import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// Fetches while changes wait for the save: what is judged here and what the store judges have one meaning.
@Suite("Fetches beside pending changes")
struct PendingFetchTests {
  typealias M = Models

  /// People with a number that never changes, with relationships of every kind, some without an inverse.
  private static func model() throws -> ManagedObjectModel {
    let key = M.attribute("key", .integer64)
    return try M.model(
      M.entity(
        "Person", attributes: [key, M.attribute("name", .string), M.attribute("age", .integer16)],
        relationships: [
          M.toOne("boss", "Person", inverse: "reports"), M.toMany("reports", "Person", inverse: "boss"),
          M.toOne("spouse", "Person", inverse: "spouse"), M.toMany("friends", "Person", inverse: "friends"),
          M.toMany("tags", "Tag", inverse: "people", ordered: true), M.toOne("favorite", "Tag"),
          M.toMany("notes", "Note"), M.toMany("steps", "Note", ordered: true),
        ]),
      M.entity("Chief", parent: "Person", attributes: [M.attribute("level", .integer32)]),
      M.entity("Tag", attributes: [key], relationships: [M.toMany("people", "Person", inverse: "tags")]),
      M.entity("Note", attributes: [key]))
  }

  private static func keys(_ objects: some Sequence<ManagedObject>) throws -> [AttributeValue] {
    try objects.map { try $0.value(forKey: "key") }
  }

  private func request(_ format: String, _ sort: String...) throws -> FetchRequest {
    FetchRequest(
      "Person", where: try ObjectPredicate(format: format),
      sortedBy: (sort + ["key"]).map { ObjectSortDescriptor($0) })
  }

  @Test("members of a to-many relationship without an inverse count before the save", arguments: ["notes", "steps"])
  func inverseless(_ name: String) throws {
    let place = try Workplace(try Self.model())
    let context = place.context
    let (first, second, note) = (try context.insert("Person"), try context.insert("Person"), try context.insert("Note"))
    for (number, object) in [first, second, note].enumerated() {
      try object.setValue(.integer(Int64(number)), forKey: "key")
    }
    try context.save()
    let some = try request("\(name).@count > 0")
    func found() throws -> [AttributeValue] {
      let keys = try Self.keys(try context.fetch(some))
      #expect(try context.count(for: some) == keys.count)
      #expect(try context.fetchObjectIDs(some).count == keys.count)
      return keys
    }
    #expect(try found() == [])
    try first.add(note, to: name)
    #expect(try found() == [.integer(0)])
    try context.save()
    try second.add(note, to: name)
    #expect(try found() == [.integer(1)], "the note has moved")
    let child = ManagedObjectContext(parent: context)
    #expect(try Self.keys(try child.fetch(some)) == [.integer(1)])
    try context.save()
    try second.remove(note, from: name)
    #expect(try found() == [])
    context.rollback()
    #expect(try found() == [.integer(1)])
    try place.verify()
  }

  @Test("an index beyond the end of a relationship is nothing, whether the object has changes or not")
  func index() throws {
    let place = try Workplace(try Self.model())
    let context = place.context
    let (one, other, tag) = (try context.insert("Person"), try context.insert("Person"), try context.insert("Tag"))
    for (number, object) in [one, other, tag].enumerated() {
      try object.setValue(.integer(Int64(number)), forKey: "key")
    }
    try one.add(tag, to: "tags")
    let formats = ["tags[0].key == 2", "tags[1].key == nil", "NOT tags[1].key == 2", "tags[LAST].key == 2"]
    for (number, format) in formats.enumerated() {
      let request = try request(format)
      let pending = try Self.keys(try context.fetch(request))
      try context.save()
      #expect(try Self.keys(try context.fetch(request)) == pending, "\(format)")
      try other.setValue(.integer(Int64(number)), forKey: "age")
      #expect(try Self.keys(try context.fetch(request)) == pending, "\(format)")
    }
    // Judged on its own a missing element is a mistake.
    let alone = try ObjectPredicate(format: "tags[3].key == 2")
    #expect(predicateErrorCode { _ = try alone.evaluate(with: .object(one)) } == .indexOutOfRange)
  }

  @Test("what a fetch finds before a save it finds after the save", arguments: Soak.seeds(12, from: 1))
  func random(_ seed: UInt64) throws {
    let place = try Workplace(try Self.model())
    var random = SeededGenerator(seed: seed)
    var contexts = [place.context]
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      contexts.append(ManagedObjectContext(parent: contexts[contexts.count - 1]))
    }
    var next: Int64 = 0
    for round in 0..<4 {
      for context in contexts { try change(context, &next, &random) }
      let context = try #require(contexts.last)
      var requests: [(FetchRequest, [AttributeValue])] = []
      for format in Self.formats {
        var request = try request(
          format, ["key", "age", "name", "boss.key", "favorite.key"].randomElement(using: &random) ?? "")
        if Bool.random(using: &random) { request.entityName = "Chief" }
        if Bool.random(using: &random) { request.fetchLimit = Int.random(in: 1..<5, using: &random) }
        if Int.random(in: 0..<3, using: &random) == 0 { request.fetchOffset = Int.random(in: 0..<4, using: &random) }
        if Int.random(in: 0..<4, using: &random) == 0 { request.fetchBatchSize = 2 }
        let found = try Self.keys(try context.fetch(request))
        #expect(try context.count(for: request) == found.count, "seed \(seed), round \(round): \(request)")
        requests.append((request, found))
      }
      for context in contexts.reversed() { try context.save() }
      for (request, found) in requests {
        #expect(try Self.keys(try context.fetch(request)) == found, "seed \(seed), round \(round): \(request)")
        let fresh = place.anotherContext()
        #expect(try Self.keys(try fresh.fetch(request)) == found, "seed \(seed), round \(round): \(request)")
      }
    }
    try place.verify()
  }

  /// Conditions on objects themselves, on what they refer to, and on keys of those, which never change: what else changes
  /// in an object that another one refers to does not change that one.
  private static let formats = [
    "age > 1", "NOT age > 1", "name == nil", "name != 'a'", "boss == nil", "boss.key > 4", "ANY reports.key > 5",
    "ALL reports.key > 3", "NONE reports.key == 3", "reports.@count > 1", "reports.@sum.key > 12", "ANY tags.key > 5",
    "tags.@count == 0", "tags[0].key > 4", "tags[1].key == nil", "SUBQUERY(tags, $t, $t.key > 6).@count > 0",
    "SELF IN friends", "boss IN friends", "notes.@count > 0", "ANY notes.key > 6", "NONE notes.key > 0",
    "steps[0].key > 3", "steps.@max.key > 7", "favorite != nil AND age < 2", "favorite.key > 4", "spouse.key > 3",
    "friends.@count > 1", "friends.@avg.key > 5", "SUBQUERY(friends, $f, $f.key > key).@count > 0",
    "SUBQUERY(notes, $n, $n.key > key).@count > 0", "TRUEPREDICATE",
  ]

  private func change(
    _ context: ManagedObjectContext, _ next: inout Int64, _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<12 {
      let (people, tags, notes) = (
        try context.fetchAll("Person"), try context.fetchAll("Tag"), try context.fetchAll("Note")
      )
      let kind = Int.random(in: 0..<11, using: &random)
      if kind < 3 {
        next += 1
        let object = try context.insert(["Person", "Chief", "Tag", "Note"].randomElement(using: &random) ?? "")
        try object.setValue(.integer(next), forKey: "key")
        continue
      }
      guard let person = people.randomElement(using: &random) else { continue }
      let other = people.randomElement(using: &random) ?? person
      let some = notes.shuffled(using: &random).prefix(Int.random(in: 0..<3, using: &random))
      switch kind {
      case 3:
        // Deleting a note does not change the person who has it: the relationship has no inverse.
        if let victim = (people + tags).randomElement(using: &random) { try context.delete(victim) }
      case 4:
        try person.setValue([.null, .integer(0), .integer(2)].randomElement(using: &random) ?? .null, forKey: "age")
      case 5:
        try person.setValue([.null, .string("a"), .string("")].randomElement(using: &random) ?? .null, forKey: "name")
      case 6: try person.setObject(Bool.random(using: &random) ? other : nil, forKey: "boss")
      case 7: try person.setObject(Bool.random(using: &random) ? other : nil, forKey: "spouse")
      case 8:
        _ =
          Bool.random(using: &random) ? try person.add(other, to: "friends") : try person.remove(other, from: "friends")
      case 9: try person.setObjects(Array(tags.shuffled(using: &random).prefix(2)), forKey: "tags")
      default:
        try person.setObjects(Array(some), forKey: Bool.random(using: &random) ? "notes" : "steps")
        try other.setObject(tags.randomElement(using: &random), forKey: "favorite")
      }
    }
  }
}

@Suite("Refreshing all objects")
struct RefreshAllTests {
  @Test("objects without changes are read again, changes stay, and what is gone stops nothing")
  func refresh() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let people = try ["a", "b", "c", "d"].map { name in
      let person = try context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      return person
    }
    try context.save()
    let other = place.anotherContext()
    func own(_ number: Int) throws -> ManagedObject { try other.object(with: people[number].objectID) }
    for number in 0..<4 { try own(number).setValue(.integer(Int64(number + 1)), forKey: "age") }
    try other.delete(try own(3))
    try other.save()
    // Here one object has a change, one is deleted, one is new, and one is changed and gone.
    try people[1].setValue(.string("mine"), forKey: "name")
    try context.delete(people[2])
    try people[3].setValue(.string("gone"), forKey: "name")
    let new = try context.insert("Person")
    try new.setValue(.string("new"), forKey: "name")
    var heard: Set<ManagedObjectID> = []
    let token = context.observe(.objectsDidChange) { heard.formUnion($0.refreshedObjectIDs) }
    try context.refreshAllObjects()
    token.cancel()
    #expect(people[0].isFault)
    #expect(try people[0].value(forKey: "age") == .integer(1))
    #expect(try people[1].value(forKey: "age") == .integer(2))
    #expect(try people[1].value(forKey: "name") == .string("mine"))
    #expect(people[2].isDeleted && new.isInserted)
    #expect(heard.contains(people[0].objectID) && heard.contains(people[1].objectID))
    #expect(saveError { try context.save() }?.code == .conflict)
    context.rollback()
    #expect(try Set(context.fetchAll("Person").names()) == ["a", "b", "c"])
  }
}
