import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// Undoing a deletion brings back references; those to objects whose own deletion is saved lead nowhere until that is
/// undone, too.
@Suite struct SavedDeletionUndoTests {
  private static func model() throws -> ManagedObjectModel {
    func ruled(_ relationship: RelationshipDescription, _ rule: DeleteRule) -> RelationshipDescription {
      var relationship = relationship
      relationship.deleteRule = rule
      return relationship
    }
    return try Models.model(
      Models.entity(
        "Box",
        relationships: [
          ruled(Models.toMany("denied", "Item", inverse: "box"), .deny),
          ruled(Models.toMany("left", "Item", inverse: "shelf"), .noAction),
          ruled(Models.toMany("marked", "Item", inverse: "marks"), .deny),
          ruled(Models.toOne("lid", "Item", inverse: "lidded"), .deny),
        ]),
      Models.entity(
        "Item",
        relationships: [
          Models.toOne("box", "Box", inverse: "denied"), Models.toOne("shelf", "Box", inverse: "left"),
          Models.toMany("marks", "Box", inverse: "marked"), Models.toOne("lidded", "Box", inverse: "lid"),
        ]))
  }

  @Test(
    "a reference to an object whose deletion is saved is cleared, and is there again with the object",
    arguments: ["box", "shelf", "marks", "lidded"], [true, false])
  func reference(key: String, savesBetween: Bool) throws {
    let place = try Workplace(try Self.model())
    let (context, manager) = (place.context, UndoManager())
    context.undoManager = manager
    let (box, item) = (try context.insert("Box"), try context.insert("Item"))
    if key == "marks" { try item.add(box, to: key) } else { try item.setObject(box, forKey: key) }
    try context.save()
    try context.delete(box)
    try context.processPendingChanges()
    try context.delete(item)
    try context.save()
    func others() throws -> [ManagedObject] {
      if key == "marks" { return try item.objects(forKey: key) }
      return try item.object(forKey: key).map { [$0] } ?? []
    }
    for _ in 0..<2 {
      try context.undo()
      #expect(item.isInserted && !box.isValid)
      #expect(try others().isEmpty)
      if savesBetween { try context.save() }
      #expect(try others().isEmpty)
      try context.undo()
      #expect(box.isInserted)
      #expect(try others() == [box], "\(key) is there again")
      try context.save()
      #expect(manager.undoCount == 1 && manager.redoCount == 2)
      try context.redo()
      try context.redo()
      try context.save()
      #expect(try context.fetchAll("Item").isEmpty && context.fetchAll("Box").isEmpty)
    }
    try context.undo()
    try context.save()
    try place.verify()
  }

  @Test("what is cleared is no step of its own when there is none before it")
  func noStep() throws {
    let place = try Workplace(try Self.model())
    let (context, manager) = (place.context, UndoManager())
    context.undoManager = manager
    let (box, item) = (try context.insert("Box"), try context.insert("Item"))
    try item.add(box, to: "marks")
    try context.save()
    try context.delete(box)
    try context.processPendingChanges()
    try context.delete(item)
    try context.save()
    manager.levelsOfUndo = 1
    try context.undo()
    #expect(try item.isInserted && item.objects(forKey: "marks").isEmpty)
    #expect(!manager.canUndo && manager.canRedo)
    try context.save()
    #expect(!manager.canUndo && manager.canRedo && !context.hasChanges)
    try place.verify()
  }
}
