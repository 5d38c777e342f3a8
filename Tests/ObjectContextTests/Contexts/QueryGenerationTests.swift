import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Query generations")
struct QueryGenerationTests {
  @Test("AP48: a pinned context reads the moment of its token, whatever is saved meanwhile, until it is let go")
  func ap48Pinned() throws {
    let place = try Workplace(try Models.works())
    let first = try skill("a", place.context)
    let person = try place.context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    try person.add(first, to: "skills")
    try place.context.save()
    let reader = place.anotherContext()
    reader.setQueryGeneration(from: try place.coordinator.currentQueryGeneration())

    try first.setValue(.string("changed"), forKey: "title")
    try person.add(try skill("b", place.context), to: "skills")
    try place.context.save()

    #expect(try reader.count("Skill") == 1)
    #expect(try reader.fetch("Skill").map { try $0.value(forKey: "title") } == [.string("a")])
    let twin = try reader.object(with: person.objectID)
    #expect(try twin.objects(forKey: "skills").count == 1)
    #expect(try reader.count(for: FetchRequest("Skill", where: try ObjectPredicate(format: "title == 'b'"))) == 0)

    reader.setQueryGeneration(from: nil)
    #expect(try reader.count("Skill") == 2)
    #expect(try twin.objects(forKey: "skills").count == 2)
    try place.verify()
  }

  @Test("AP48: a pinned context saves into the store as it is; stale objects are conflicts, its own save moves it on")
  func ap48Saving() throws {
    let place = try Workplace(try Models.works())
    let first = try skill("a", place.context)
    try place.context.save()
    let pinned = place.anotherContext()
    pinned.setQueryGeneration(from: try place.coordinator.currentQueryGeneration())
    try first.setValue(.string("theirs"), forKey: "title")
    try place.context.save()

    let mine = try pinned.object(with: first.objectID)
    try mine.setValue(.string("mine"), forKey: "title")
    #expect(saveError { try pinned.save() }?.code == .conflict)
    pinned.rollback()
    _ = try skill("new", pinned)
    try pinned.save()
    #expect(try pinned.count("Skill") == 2)
    try pinned.refresh(mine, mergingChanges: false)
    #expect(try mine.value(forKey: "title") == .string("theirs"))
  }
}
