import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// Small programs as people write them for Core Data, with what its documentation says about undo, refreshing and faults.
@Suite("Programs: undo, refreshing, faults")
struct UndoPrograms {
  @Test("a group is one step; undo and redo lead back and forth over saves")
  func groups() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let node = try garden.insert("Node")
    try context.save()
    manager.beginUndoGrouping()
    try node.setValue(.string("one"), forKey: "text")
    let child = try garden.insert("Node")
    try node.add(child, to: "children")
    manager.endUndoGrouping()
    try node.setValue(.string("two"), forKey: "text")
    try context.save()
    try context.undo()
    #expect(try node["text"] == .string("one") && node.objects(forKey: "children").count == 1)
    try context.undo()
    #expect(try node["text"] == .null && node.objects(forKey: "children").isEmpty)
    #expect(context.deletedObjects.map(\.objectID) == [child.objectID])
    try context.save()
    #expect(try garden.place.anotherContext().count("Node") == 1)
    try context.redo()
    try context.redo()
    #expect(try node["text"] == .string("two") && node.objects(forKey: "children").count == 1)
    try context.save()
    #expect(try garden.place.anotherContext().count("Node") == 2)
    try garden.place.verify()
  }

  @Test("rollback and reset empty the undo stack")
  func emptied() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try garden.context.save()
    try node.setValue(.integer(1), forKey: "number")
    try garden.context.processPendingChanges()
    #expect(garden.manager.canUndo)
    garden.context.rollback()
    #expect(!garden.manager.canUndo && !garden.manager.canRedo)
    try garden.insert("Node")
    try garden.context.processPendingChanges()
    garden.context.reset()
    #expect(!garden.manager.canUndo && !garden.context.hasChanges)
  }

  @Test("undoing a deletion brings back places in ordered relationships and everything that was cascaded")
  func deletion() throws {
    let garden = try Garden()
    let context = garden.context
    let bed = try garden.insert("Bed")
    let nodes = try (0..<4).map { _ in try garden.insert("Node") }
    for node in nodes { try bed.add(node, to: "nodes") }
    let note = try garden.insert("Note")
    try nodes[1].add(note, to: "notes")
    try nodes[1].add(try garden.insert("Node"), to: "children")
    try nodes[1].setObject(nodes[2], forKey: "partner")
    try context.save()
    try context.processPendingChanges()
    try context.delete(nodes[1])
    #expect(note.isDeleted)
    #expect(try nodes[2].object(forKey: "partner") == nil && bed.objects(forKey: "nodes").count == 3)
    try context.undo()
    #expect(try bed.objects(forKey: "nodes") == nodes && nodes[2].object(forKey: "partner") === nodes[1])
    #expect(try nodes[1].objects(forKey: "notes") == [note] && !note.isDeleted && !context.hasChanges)
    try context.redo()
    try context.save()
    try context.undo()
    try context.save()
    try garden.place.reopen()
    let again = try #require(try garden.context.fetchAll("Bed").first)
    #expect(try again.objects(forKey: "nodes").names() == ["node 2", "node 3", "node 4", "node 5"])
    #expect(try garden.context.count("Note") == 1 && garden.context.count("Node") == 5)
    try garden.place.verify()
  }

  @Test("what is done without registration is no step, and older steps still work around it")
  func withoutRegistration() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try garden.context.save()
    garden.manager.removeAllActions()
    try node.setValue(.integer(1), forKey: "number")
    garden.manager.disableUndoRegistration()
    try node.setValue(.string("silent"), forKey: "text")
    garden.manager.enableUndoRegistration()
    try node.setValue(.integer(2), forKey: "number")
    try garden.context.undo()
    #expect(try node["number"] == .integer(1) && node["text"] == .string("silent"))
    try garden.context.undo()
    #expect(try node["number"] == .null && node["text"] == .string("silent"))
    #expect(!garden.manager.canUndo && garden.manager.canRedo)
    try node.setValue(.integer(7), forKey: "number")
    #expect(!garden.manager.canRedo, "a new change ends what could be made again")
  }

  @Test("only so many steps are kept")
  func levels() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try garden.context.processPendingChanges()
    garden.manager.removeAllActions()
    garden.manager.levelsOfUndo = 2
    for number in 1...4 {
      try node.setValue(.integer(Int64(number)), forKey: "number")
      try garden.context.processPendingChanges()
    }
    while garden.manager.canUndo { try garden.context.undo() }
    #expect(try node["number"] == .integer(2))
  }

  @Test("a child has its own undo manager; its steps stop at its own context")
  func child() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try garden.context.save()
    garden.manager.removeAllActions()
    let child = ManagedObjectContext(parent: garden.context)
    child.undoManager = UndoManager()
    let twin = try child.object(with: node.objectID)
    try twin.setValue(.string("child"), forKey: "text")
    try child.save()
    try garden.context.processPendingChanges()
    #expect(garden.manager.canUndo)
    try child.undo()
    #expect(try twin["text"] == .null && node["text"] == .string("child") && child.hasChanges)
    try garden.context.undo()
    #expect(try node["text"] == .null && !garden.context.hasChanges)
  }

  @Test("refreshing with merging keeps what was set here and takes the rest; without it nothing stays")
  func refreshing() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try node.setValue(.string("old"), forKey: "text")
    try node.setValue(.integer(1), forKey: "number")
    try garden.context.save()
    garden.context.undoManager = nil
    let other = garden.place.anotherContext()
    let theirs = try other.own(node)
    try theirs.setValue(.string("theirs"), forKey: "text")
    try theirs.setValue(.integer(9), forKey: "number")
    try other.save()
    try node.setValue(.string("mine"), forKey: "text")
    try garden.context.refresh(node, mergingChanges: true)
    #expect(try node["text"] == .string("mine") && node["number"] == .integer(9) && node.hasChanges)
    try garden.context.save()
    try node.setValue(.string("later"), forKey: "text")
    try garden.context.refresh(node, mergingChanges: false)
    #expect(node.isFault && !garden.context.hasChanges)
    #expect(try node["text"] == .string("mine"))
    // An object that was never saved has nothing to be refreshed from: that is said, and it keeps what it has.
    let new = try garden.insert("Node")
    #expect(objectErrorCode { try garden.context.refresh(new, mergingChanges: true) } == .deleted)
    #expect(try new["name"] == .string("node 2") && new.isInserted)
  }

  @Test("objects that are deleted, and then saved, and their IDs")
  func deletedObjects() throws {
    let garden = try Garden()
    let (context, place) = (garden.context, garden.place)
    let node = try garden.insert("Node")
    try context.save()
    let id = node.objectID
    try context.delete(node)
    #expect(node.isDeleted && node.context === context && context.deletedObjects == [node])
    // The values can be read until the deletion is saved.
    #expect(try node["name"] == .string("node 1"))
    #expect(try context.fetchAll("Node").isEmpty && context.count("Node") == 0)
    let other = place.anotherContext()
    #expect(try other.existingObject(with: id) != nil)
    try context.save()
    #expect(node.context == nil && !context.hasChanges)
    #expect(try context.existingObject(with: id) == nil)
    let fault = try context.object(with: id)
    #expect(fault.isFault && objectErrorCode { _ = try fault.value(forKey: "name") } == .notFound)
    // An inserted object that is deleted was never there.
    let new = try garden.insert("Node")
    try context.delete(new)
    #expect(!context.hasChanges && context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
    // Deleting twice is deleting once.
    let last = try garden.insert("Node")
    try context.save()
    try context.delete(last)
    try context.delete(last)
    try context.save()
    #expect(try place.anotherContext().count("Node") == 0)
  }

  @Test("setting a value that is there already, or back, is no persistent change")
  func sameValue() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try garden.context.save()
    try node.setValue(.string("node 1"), forKey: "name")
    #expect(!node.hasPersistentChangedValues)
    #expect(try node.changedValues().isEmpty)
    try node.setValue(.string("x"), forKey: "name")
    #expect(try node.changedValues() == ["name": .attribute(.string("x"))])
    #expect(try node.committedValues()["name"] == .attribute(.string("node 1")))
    try node.setValue(.string("node 1"), forKey: "name")
    #expect(!node.hasPersistentChangedValues)
    try node.setValue(.string("mood"), forKey: "mood")
    #expect(!node.hasPersistentChangedValues && node.hasChanges)
    let statements = try garden.place.statements { try garden.context.save() }
    #expect(!statements.contains { $0.hasPrefix("UPDATE ZNODE") })
  }
}
