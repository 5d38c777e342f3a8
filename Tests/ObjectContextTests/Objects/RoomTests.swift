import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// Texts and bytes for which a context has no room: errors, with nothing changed.
@Suite("A context without room for more bytes")
struct RoomTests {
  private let long = AttributeValue.string(String(repeating: "x", count: 400))

  private func limit(_ context: ManagedObjectContext, _ bytes: Int) {
    for entity in context.model.entities where entity.isRoot { context.buffer(root: entity.root).byteLimit = bytes }
  }

  @Test("a value is refused when it is set, whatever way, and fits when there is room again")
  func setting() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let skill = try skill("s", context)
    try context.save()
    limit(context, 600)
    try skill.setValue(long, forKey: "title")
    #expect(
      objectErrorCode { try skill.setValue(.string(String(repeating: "y", count: 700)), forKey: "title") }
        == .notStorable)
    #expect(
      objectErrorCode { try skill.setPrimitiveValue(.string(String(repeating: "y", count: 700)), forKey: "title") }
        == .notStorable)
    #expect(try skill.value(forKey: "title") == long)
    skill.set("title", String(repeating: "z", count: 700))
    #expect(saveError { try context.save() }?.code == .validation)
    try skill.setValue(.string("short"), forKey: "title")
    try context.save()
    #expect(try storedNames(place.coordinator, "Skill", "title") == ["short"])
    // What is replaced makes room: the bytes of old values are garbage.
    for number in 0..<20 {
      try skill.setValue(.string("\(number)" + String(repeating: "x", count: 200)), forKey: "title")
    }
    limit(context, 3 << 30)
    try context.save()
  }

  @Test("a child neither reads nor saves what there is no room for")
  func children() throws {
    let place = try Workplace(try Models.works())
    let first = try skill("s", place.context)
    try first.setValue(long, forKey: "title")
    let child = ManagedObjectContext(parent: place.context)
    limit(child, 100)
    let twin = try child.object(with: first.objectID)
    #expect(objectErrorCode { _ = try twin.value(forKey: "title") } == .notStorable)
    limit(child, 3 << 30)
    #expect(try twin.value(forKey: "title") == long)
    try twin.setValue(.string(String(repeating: "y", count: 500)), forKey: "title")
    _ = try skill(String(repeating: "n", count: 500), child)
    limit(place.context, 600)
    #expect(saveError { try child.save() } != nil)
    #expect(try first.value(forKey: "title") == long && place.context.insertedObjects.count == 1)
    limit(place.context, 3 << 30)
    try child.save()
    try place.context.save()
    #expect(try storedNames(place.coordinator, "Skill", "title").map(\.count).sorted() == [500, 500])
  }

  @Test("an undo that has no room is refused and can be made later")
  func undo() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    context.undoManager = UndoManager()
    let skill = try skill("s", context)
    try skill.setValue(long, forKey: "title")
    try context.save()
    try context.processPendingChanges()
    try skill.setValue(.string("b"), forKey: "title")
    try context.save()
    limit(context, 0)
    #expect(objectErrorCode { try context.undo() } == .notStorable)
    #expect(try skill.value(forKey: "title") == .string("b"))
    limit(context, 3 << 30)
    try context.undo()
    #expect(try skill.value(forKey: "title") == long)
  }
}
