import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// Changes that were taken back before the save, while another context made the same ones: nothing of them is written, so
/// no version tells of them.
@Suite("What was set back meets what others did")
struct SetBackTests {
  private let place: Workplace
  private let shop: ManagedObject
  private let tag: ManagedObject
  private let item: ManagedObject

  init() throws {
    place = try Workplace(try ConflictModels.shop())
    shop = try place.context.make("Shop", ["name": .string("s")])
    tag = try place.context.make("Tag", ["title": .string("t")])
    item = try place.context.make("Item", ["code": .string("a")])
    try place.context.save()
  }

  private func save(_ kind: MergePolicy.Kind) throws {
    place.context.mergePolicy = MergePolicy(kind)
    let error = saveError { try place.context.save() }
    #expect((error?.code == .conflict) == (kind == .error), "\(String(describing: error))")
    if kind == .error { place.context.rollback() }
    try place.verify()
  }

  @Test("a record whose values were set back refers to one that is deleted here", arguments: MergePolicy.Kind.allCases)
  func reference(kind: MergePolicy.Kind) throws {
    let other = place.anotherContext()
    try other.own(item).setObject(try other.own(shop), forKey: "shop")
    try item.setValue(.string("x"), forKey: "name")
    try item.setValue(.null, forKey: "name")
    try place.context.delete(shop)
    try other.save()
    try save(kind)
  }

  @Test(
    "a pair that was made and taken apart, and an end of it that is deleted", arguments: MergePolicy.Kind.allCases,
    [true, false])
  func pair(kind: MergePolicy.Kind, deletesItem: Bool) throws {
    let other = place.anotherContext()
    try other.own(item).add(try other.own(tag), to: "tags")
    try item.add(tag, to: "tags")
    try item.remove(tag, from: "tags")
    try place.context.delete(deletesItem ? item : tag)
    try other.save()
    try save(kind)
  }

  @Test("a pair that was made and taken apart here is there when another context made it, and can be taken apart again")
  func pairOfOthers() throws {
    let other = place.anotherContext()
    try item.add(tag, to: "tags")
    try item.remove(tag, from: "tags")
    try other.own(item).add(try other.own(tag), to: "tags")
    try other.save()
    try place.context.refresh(item, mergingChanges: true)
    #expect(try item.objects(forKey: "tags") == [tag] && tag.objects(forKey: "items") == [item])
    #expect(try item.remove(tag, from: "tags"))
    try place.context.save()
    #expect(try place.anotherContext().own(item).objects(forKey: "tags").isEmpty)
    try place.verify()
  }
}
