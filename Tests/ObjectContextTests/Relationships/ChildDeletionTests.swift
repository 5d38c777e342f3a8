import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// Deny in child contexts: what is judged is what the child has, whatever its parent or the store has.
@Suite("Denied deletions in child contexts") struct ChildDeletionTests {
  private func workplace(isToMany: Bool) throws -> Workplace {
    var members = Models.toMany("items", "Item", inverse: "boxes")
    members.deleteRule = .noAction
    var boxes = Models.toMany("boxes", "Box", inverse: "items")
    if !isToMany { boxes = Models.toOne("boxes", "Box", inverse: "items") }
    boxes.deleteRule = .deny
    return try Workplace(
      try Models.model(
        Models.entity("Box", relationships: [members]),
        Models.entity("Item", attributes: [Models.attribute("name", .string)], relationships: [boxes])))
  }

  @Test(
    "a reference that is made in the child denies the deletion, also of an object that only the parent has",
    arguments: [false, true], [false, true])
  func denied(isToMany: Bool, isStored: Bool) throws {
    let place = try workplace(isToMany: isToMany)
    let child = ManagedObjectContext(parent: place.context)
    let (box, item) = (try child.insert("Box"), try child.insert("Item"))
    try child.save()
    if isStored { try place.context.save() }
    try box.add(item, to: "items")
    try child.delete(item)
    #expect(saveError { try child.save() }?.failures.map(\.code) == [.deletionDenied])
    child.rollback()
    #expect(try box.objects(forKey: "items") == [])
    try child.delete(item)
    try child.save()
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM ZITEM") == ["0"])
    try place.verify()
  }

  @Test(
    "a reference that the child has cleared does not deny the deletion when the parent saves", arguments: [false, true])
  func cleared(isToMany: Bool) throws {
    let place = try workplace(isToMany: isToMany)
    let child = ManagedObjectContext(parent: place.context)
    let (box, item) = (try child.insert("Box"), try child.insert("Item"))
    try box.add(item, to: "items")
    try child.save()
    try place.context.save()
    #expect(try box.remove(item, from: "items"))
    try child.delete(item)
    try child.save()
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM ZITEM") == ["0"])
    try place.verify()
  }
}
