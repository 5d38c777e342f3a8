import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Lifetime of objects")
struct LifetimeTests {
  @Test("there is one object a record in a context, however it is found")
  func uniquing() throws {
    let place = try Workplace(try Models.works())
    let inserted = try skill("a", place.context)
    #expect(try place.context.fetch("Skill").first === inserted)
    try place.context.save()
    #expect(try place.context.fetch("Skill", where: ["title": .string("a")]).first === inserted)
    #expect(try place.context.object(with: inserted.objectID) === inserted)
    #expect(try place.context.existingObject(with: inserted.objectID) === inserted)
    let other = place.anotherContext()
    let twin = try other.object(with: inserted.objectID)
    #expect(twin !== inserted)
    #expect(twin.objectID == inserted.objectID)
    #expect(twin.isFault)
    #expect(try twin.value(forKey: "title") == .string("a"))
    #expect(!twin.isFault)
  }

  @Test("an object without changes goes away with the last reference, and its row too")
  func release() throws {
    let place = try Workplace(try Models.works())
    var held: ManagedObject? = try skill("a", place.context)
    weak let watched = held
    let temporary = try #require(held).objectID
    #expect(temporary.isTemporary)
    let buffer = place.context.buffer(root: temporary.entity.root)
    // The context keeps the object because of its change, and lets it go with that.
    held = nil
    #expect(watched != nil)
    #expect(place.context.hasChanges)
    #expect(place.context.insertedObjects.names("title") == ["a"])
    try place.context.save()
    #expect(watched == nil)
    #expect(buffer.freeRows.count == buffer.count)
    let id = try #require(try place.context.fetch("Skill").first).objectID
    #expect(buffer.freeRows.count == buffer.count)
    held = try place.context.object(with: id)
    #expect(try #require(held).isFault)
    #expect(try #require(held).value(forKey: "title") == .string("a"))
    #expect(buffer.freeRows.count == buffer.count - 1)
    held = nil
    #expect(buffer.freeRows.count == buffer.count)
  }

  @Test("objects and their context do not keep each other alive, and an object that is held has one")
  func contextGoes() throws {
    let place = try Workplace(try Models.works())
    var context: ManagedObjectContext? = place.anotherContext()
    weak let watched = context
    var object: ManagedObject? = try skill("a", try #require(context))
    #expect(object?.context === context)
    context = nil
    #expect(watched == nil)
    #expect(object?.isValid == true && object?.hasChanges == true)
    #expect(object?.objectID.uri == "x-coredata:///Skill/t1")
    weak let left = object
    weak let successor = object?.context
    #expect(successor == nil, "it goes to the objects again as soon as nobody has it")
    object = nil
    #expect(left == nil)
  }

  @Test("reset forgets everything at once; older objects are not valid, also when their rows are taken again")
  func reset() throws {
    let place = try Workplace(try Models.works())
    let old = try skill("old", place.context)
    try place.context.save()
    let unsaved = try skill("never", place.context)
    try old.setValue(.string("changed"), forKey: "title")
    place.context.reset()
    #expect(!old.isValid && !unsaved.isValid)
    #expect(!old.hasChanges && !place.context.hasChanges)
    let new = try skill("new", place.context)
    #expect(!old.isValid)
    #expect(new.objectID.isTemporary)
    let again = try place.context.object(with: old.objectID)
    #expect(again !== old)
    #expect(try again.value(forKey: "title") == .string("old"))
    try place.context.save()
    #expect(try place.rows("SELECT Z_PK, ZTITLE FROM ZSKILL") == ["1|old", "2|new"])
  }

  @Test("using an object after a reset stops the program")
  func staleObjects() async {
    await #expect(processExitsWith: .failure) {
      let place = try Workplace(try Models.works())
      let object = try place.context.insert("Skill")
      place.context.reset()
      _ = try object.value(forKey: "title")
    }
  }

  @Test("inserting, saving and letting go, 20,000 times, takes no more rows and bytes than once")
  func rowsAreUsedAgain() throws {
    let place = try Workplace(try Models.works())
    let text = String(repeating: "x", count: 100)
    let root = try #require(place.model.entity(named: "Skill")).root
    for round in 0..<200 {
      for i in 0..<100 { _ = try skill("\(text) \(round) \(i)", place.context) }
      try place.context.save()
      let buffer = place.context.buffer(root: root)
      #expect(buffer.count <= 100)
      #expect(buffer.arena.count <= 200 * 1024)
    }
    #expect(try place.context.count("Skill") == 20_000)
  }

  @Test("walking through many objects holds a batch of them")
  func walking() throws {
    let place = try Workplace(try Models.works())
    let entity = try #require(place.model.entity(named: "Skill"))
    _ = place.context.insertRows(entity, count: 5000)
    try place.context.save()
    place.context.reset()
    let buffer = place.context.buffer(root: entity.root)
    var keys: [Int64] = []
    var most = 0
    try place.context.forEachObject(of: "Skill", batchSize: 128) { object in
      keys.append(object.objectID.primaryKey)
      most = max(most, buffer.count - buffer.freeRows.count)
    }
    #expect(keys == Array(1...5000))
    #expect(most <= 128)
    #expect(buffer.count <= 256)
  }

  @Test("changing one long text over and over does not fill the arena")
  func arenaIsCompacted() throws {
    let place = try Workplace(try Models.works())
    let object = try skill("", place.context)
    let other = try skill("stays", place.context)
    try place.context.save()
    let buffer = place.context.buffer(root: object.entity.root)
    for i in 0..<500 {
      try object.setValue(.string(String(repeating: "y", count: 4000) + "\(i)"), forKey: "title")
      try place.context.save()
    }
    #expect(buffer.arena.count < 160 * 1024)
    #expect(try object.value(forKey: "title") == .string(String(repeating: "y", count: 4000) + "499"))
    #expect(try other.value(forKey: "title") == .string("stays"))
    #expect(try place.rows("SELECT Z_OPT FROM ZSKILL ORDER BY Z_PK") == ["501", "1"])
  }

  @Test("an object keeps its row while it is referred to, through deletion, rollback and refresh")
  func refresh() throws {
    let place = try Workplace(try Models.works())
    let object = try skill("a", place.context)
    #expect(objectErrorCode { try place.context.refresh(object, mergingChanges: false) } == .deleted)
    try place.context.save()
    try object.setValue(.string("b"), forKey: "title")
    try place.context.refresh(object, mergingChanges: false)
    #expect(object.isFault && !object.hasChanges)
    #expect(try place.context.object(with: object.objectID) === object)
    #expect(try object.value(forKey: "title") == .string("a"))
    #expect(try place.statements { try place.context.save() } == [])
  }
}
