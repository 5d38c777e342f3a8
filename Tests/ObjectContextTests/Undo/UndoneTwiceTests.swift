import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// What undo brings back may be there again already, and partners may have found others meanwhile.
@Suite("Undo of what others have brought back or changed meanwhile")
struct UndoneTwiceTests {
  private func people(_ names: String...) throws -> (Workplace, [ManagedObject]) {
    let place = try Workplace(try Models.works())
    let people = try names.map { try place.context.make("Person", ["name": .string($0)]) }
    try place.context.save()
    place.context.undoManager = UndoManager()
    return (place, people)
  }

  private func names(_ place: Workplace) throws -> [String] {
    try place.anotherContext().fetchAll("Person").names("name").sorted()
  }

  @Test(
    "a deletion undone in a context and in its child brings back one record, in any order",
    arguments: [true, false], [true, false])
  func inParentAndChild(childFirst: Bool, savesBetween: Bool) throws {
    let (place, people) = try people("a", "b")
    let context = place.context
    try people[0].setObject(people[1], forKey: "spouse")
    try context.save()
    let child = ManagedObjectContext(parent: context)
    child.undoManager = UndoManager()
    let own = try child.own(people[0])
    try child.delete(own)
    try child.save()
    try context.save()
    #expect(try names(place) == ["b"])
    if childFirst { try child.undo() }
    try context.undo()
    if savesBetween { try context.save() }
    if !childFirst { try child.undo() }
    try own.setValue(.string("c"), forKey: "name")
    try child.save()
    try context.save()
    #expect(try names(place) == ["b", "c"])
    let found = try #require(try context.fetchAll("Person").first { try $0["name"] == .string("c") })
    #expect(try found.object(forKey: "spouse") == people[1] && people[1].object(forKey: "spouse") == found)
    try context.undo()
    try context.save()
    #expect(try names(place).contains("b") && !context.hasChanges)
    try place.verify()
  }

  @Test(
    "a deletion undone when another context has stored the record again is a conflict, or a change when that is known",
    arguments: [
      MergePolicy.Kind.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ],
    [true, false])
  func storedAgain(kind: MergePolicy.Kind, isKnown: Bool) throws {
    let (place, people) = try people("a")
    let (context, other) = (place.context, place.anotherContext())
    context.mergePolicy = MergePolicy(kind)
    other.mergePolicy = MergePolicy(.mergeByPropertyObjectTrump)
    try other.own(people[0]).setValue(.string("b"), forKey: "name")
    try context.delete(people[0])
    try context.save()
    if isKnown { try other.save() }
    try context.undo()
    #expect(try people[0]["name"] == .string("a") && people[0].isInserted == !isKnown)
    try other.save()
    if kind == .error, !isKnown {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .conflict && error?.message.contains("inserted here, in the store already") == true)
      #expect(try people[0].isInserted && people[0]["name"] == .string("a"))
      context.rollback()
      #expect(try names(place) == ["b"])
    } else {
      try context.save()
      let isTheirs = !isKnown && (kind == .mergeByPropertyStoreTrump || kind == .rollback)
      #expect(try names(place) == [isTheirs ? "b" : "a"])
      #expect(try people[0]["name"] == .string(isTheirs ? "b" : "a"))
    }
    #expect(!context.hasChanges)
    try place.verify()
  }

  @Test("a marriage that is undone ends the one that another context has made since", arguments: [true, false])
  func remarried(divorces: Bool) throws {
    let (place, people) = try people("a", "b", "c")
    let context = place.context
    if divorces {
      try people[0].setObject(people[1], forKey: "spouse")
      try context.processPendingChanges()
    }
    try people[0].setObject(divorces ? nil : people[1], forKey: "spouse")
    try context.save()
    let other = place.anotherContext()
    try other.own(people[0]).setObject(try other.own(people[2]), forKey: "spouse")
    let token = other.observe(.didSave) { event in
      #expect(throws: Never.self) { try context.mergeChanges(from: event) }
    }
    try other.save()
    token.cancel()
    try context.undo()
    #expect(try people[0].object(forKey: "spouse") == (divorces ? people[1] : nil))
    #expect(try people[1].object(forKey: "spouse") == (divorces ? people[0] : nil))
    #expect(try people[2].object(forKey: "spouse") == nil)
    try context.save()
    try context.redo()
    try context.save()
    try place.verify()
  }

  @Test("a child that gives many records other partners saves in time that grows with their number")
  func manyPartners() throws {
    let place = try Workplace(try Models.works())
    let people = try (0..<4000).map { try place.context.make("Person", ["name": .string("\($0)")]) }
    for number in stride(from: 0, to: people.count, by: 2) {
      try people[number].setObject(people[number + 1], forKey: "spouse")
    }
    try place.context.save()
    func remarry(_ range: Range<Int>, distance: Int) throws -> Duration {
      let child = ManagedObjectContext(parent: place.context)
      for number in range where number % 2 == 0 {
        let other = range.lowerBound + (number - range.lowerBound + distance) % range.count
        try child.own(people[number]).setObject(child.own(people[other]), forKey: "spouse")
      }
      let time = try ProcessorTime.measure { try child.save() }
      try place.context.save()
      for number in range where number % 2 == 0 {
        let other = people[range.lowerBound + (number - range.lowerBound + distance) % range.count]
        #expect(try people[number].object(forKey: "spouse") == other)
        #expect(try other.object(forKey: "spouse") == people[number])
      }
      return time
    }
    let few = try remarry(0..<500, distance: 3)
    let many = try remarry(0..<4000, distance: 5)
    #expect(many < few * 32, "\(few) for 250 couples, \(many) for 2,000")
    try place.verify()
  }

  @Test(
    "a pair that is again what it was is shown as the parent, or the store after a merge, has it",
    arguments: [true, false])
  func revertedPair(inChild: Bool) throws {
    let (place, people) = try people("a")
    let skill = try place.context.make("Skill", ["title": .string("s")])
    try people[0].add(skill, to: "skills")
    try place.context.save()
    let context = inChild ? ManagedObjectContext(parent: place.context) : place.anotherContext()
    context.undoManager = UndoManager()
    let (own, ownSkill) = (try context.own(people[0]), try context.own(skill))
    try own.remove(ownSkill, from: "skills")
    try context.undo()
    #expect(try own.objects(forKey: "skills") == [ownSkill] && !context.hasChanges)
    try people[0].remove(skill, from: "skills")
    let token = place.context.observe(.didSave) { event in
      #expect(throws: Never.self) { try context.mergeChanges(from: event) }
    }
    if inChild { try context.refreshAllObjects() } else { try place.context.save() }
    token.cancel()
    #expect(try own.objects(forKey: "skills").isEmpty && ownSkill.objects(forKey: "people").isEmpty)
    try context.redo()
    try context.save()
    try place.context.save()
    try place.verify()
  }
}
