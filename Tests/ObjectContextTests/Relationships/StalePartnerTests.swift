import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// One-to-one partners that were read at different moments: one knows of the partnership that another context has made
/// since, the other one does not.
@Suite("Partners that were read at different moments")
struct StalePartnerTests {
  private let place: Workplace
  /// Three people; the context has read all of them.
  private let people: [ManagedObject]

  init() throws {
    let place = try Workplace(try Models.works())
    self.place = place
    place.context.mergePolicy = .mergeByPropertyObjectTrump
    people = try ["a", "b", "c"].map { try place.context.make("Person", ["name": .string($0)]) }
    try place.context.save()
  }

  /// How the context comes to know one end only.
  enum Other: CaseIterable {
    /// It has not changed the other end.
    case clean
    /// It has changed it otherwise.
    case changed
    /// That is undone before the save.
    case changedAndUndone
  }

  /// Has another context marry the first two, and this one read only the first of them again.
  private func marryBehindTheBack(_ state: Other) throws {
    if state != .clean { try people[1].setValue(.integer(30), forKey: "age") }
    let other = place.anotherContext()
    try other.own(people[0]).setObject(try other.own(people[1]), forKey: "spouse")
    try other.save()
    try place.context.refresh(people[0], mergingChanges: true)
    #expect(try people[0].objectIDs(forRelationshipNamed: "spouse") == [people[1].objectID])
  }

  private func finish(_ state: Other, spouses: [Int?]) throws {
    if state == .changedAndUndone { try people[1].setValue(.null, forKey: "age") }
    try place.context.save()
    let fresh = place.anotherContext()
    for (person, spouse) in zip(people, spouses) {
      let found = try fresh.own(person).object(forKey: "spouse")?.objectID
      #expect(found == spouse.map { people[$0].objectID })
    }
    #expect(try fresh.own(people[1]).value(forKey: "age") == (state == .changed ? .integer(30) : .null))
    try place.verify()
  }

  @Test("who ends the partnership at the end that is known ends it at the other one", arguments: Other.allCases)
  func ends(state: Other) throws {
    try marryBehindTheBack(state)
    try people[0].setObject(nil, forKey: "spouse")
    try finish(state, spouses: [nil, nil, nil])
  }

  @Test("who gives the known end another partner frees the other one", arguments: Other.allCases)
  func replaces(state: Other) throws {
    try marryBehindTheBack(state)
    try people[0].setObject(people[2], forKey: "spouse")
    try finish(state, spouses: [2, nil, 0])
  }

  @Test("who is made the partner of the known end frees the other one", arguments: Other.allCases)
  func isTaken(state: Other) throws {
    try marryBehindTheBack(state)
    try people[2].setObject(people[0], forKey: "spouse")
    try finish(state, spouses: [2, nil, 0])
  }

  @Test("the same in a child", arguments: Other.allCases)
  func inChild(state: Other) throws {
    try marryBehindTheBack(state)
    let child = ManagedObjectContext(parent: place.context)
    try child.own(people[2]).setObject(try child.own(people[0]), forKey: "spouse")
    try child.save()
    try finish(state, spouses: [2, nil, 0])
  }

  @Test("a child that has read one end before the parent got to know of the partnership", arguments: Other.allCases)
  func staleChild(state: Other) throws {
    let child = ManagedObjectContext(parent: place.context)
    let own = try people.map { try child.own($0) }
    for object in own { _ = try object.value(forKey: "name") }
    if state != .clean { try own[1].setValue(.integer(30), forKey: "age") }
    try people[0].setObject(people[1], forKey: "spouse")
    try child.refresh(own[0], mergingChanges: true)
    try own[2].setObject(own[0], forKey: "spouse")
    if state == .changedAndUndone { try own[1].setValue(.null, forKey: "age") }
    try child.save()
    try finish(state, spouses: [2, nil, 0])
  }

  /// What another context does to the first person between the reading and the refresh.
  enum Meanwhile: CaseIterable { case nothing, remarries, isWidowed, goes }

  @Test(
    "dropping an object's changes by a refresh gives its partners back", arguments: Meanwhile.allCases, [true, false])
  func refreshed(meanwhile: Meanwhile, isChild: Bool) throws {
    try people[0].setObject(people[2], forKey: "spouse")
    try place.context.save()
    let context = isChild ? ManagedObjectContext(parent: place.context) : place.context
    context.undoManager = UndoManager()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let own = try people.map { try context.own($0) }
    let third = try place.context.make("Person", ["name": .string("d")])
    try place.context.save()
    try own[0].setObject(own[1], forKey: "spouse")
    let other = isChild ? place.context : place.anotherContext()
    let first = try other.own(people[0])
    switch meanwhile {
    case .nothing: break
    case .remarries: try first.setObject(try other.own(third), forKey: "spouse")
    case .isWidowed: try other.delete(try other.own(people[2]))
    case .goes: try other.delete(first)
    }
    try other.save()
    do { try context.refresh(own[0], mergingChanges: false) } catch { #expect(meanwhile == .goes && isChild) }
    if meanwhile != .goes {
      let expected: ManagedObject? =
        meanwhile == .nothing ? people[2] : meanwhile == .remarries ? third : nil
      #expect(try own[0].object(forKey: "spouse")?.objectID == expected?.objectID)
    }
    #expect(try own[1].object(forKey: "spouse") == nil)
    try own[1].setValue(.integer(3), forKey: "age")
    if meanwhile == .isWidowed || meanwhile == .goes {
      do { try context.save() } catch { context.rollback() }
    } else {
      try context.save()
    }
    if isChild { try place.context.save() }
    try context.undo()
    try context.undo()
    do { try context.save() } catch { context.rollback() }
    if isChild { try place.context.save() }
    try place.verify()
  }

  @Test("a one-to-one relationship of an object that was fetched without it", arguments: [true, false], [true, false])
  func partial(isChild: Bool, isTaken: Bool) throws {
    try people[0].setObject(people[1], forKey: "spouse")
    try place.context.save()
    let root = place.anotherContext()
    let context = isChild ? ManagedObjectContext(parent: root) : root
    var request = FetchRequest("Person", sortedBy: [ObjectSortDescriptor("name")])
    request.propertiesToFetch = ["name"]
    let found = Array(try context.fetch(request))
    try (isTaken ? found[2] : found[0]).setObject(isTaken ? found[0] : found[2], forKey: "spouse")
    try context.save()
    if isChild { try root.save() }
    let fresh = place.anotherContext()
    #expect(try fresh.own(people[1]).object(forKey: "spouse") == nil)
    #expect(try fresh.own(people[0]).object(forKey: "spouse")?.objectID == people[2].objectID)
    try place.verify()
  }

  @Test("a policy that sets an object back frees its partner", arguments: MergePolicy.Kind.allCases, [true, false])
  func uniqueValues(kind: MergePolicy.Kind, hadPartner: Bool) throws {
    let shop = try Workplace(try ConflictModels.shop())
    let context = shop.context
    let boxes = try (1...2).map { try context.make("Box", ["size": .integer($0)]) }
    let mine = try context.make("Item", ["code": .string("b")])
    if hadPartner { try mine.setObject(boxes[1], forKey: "box") }
    let taken = try context.make("Item", ["code": .string("a")])
    try context.save()
    context.mergePolicy = MergePolicy(kind)
    try mine.setValue(.string("a"), forKey: "code")
    try mine.setObject(boxes[0], forKey: "box")
    let error = saveError { try context.save() }
    #expect((error?.code == .constraint) == (kind == .error))
    if kind == .rollback {
      #expect(try mine.object(forKey: "box") == (hadPartner ? boxes[1] : nil) && boxes[0].object(forKey: "item") == nil)
    }
    _ = taken
    if kind == .error { context.rollback() }
    try shop.verify()
  }
}
