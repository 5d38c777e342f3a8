import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Undo")
struct UndoTests {
  @Test("OL6: an object is released when its change is undone, and the store need not be written")
  func ol6ReleaseAfterUndo() throws {
    let garden = try Garden()
    var node: ManagedObject? = try garden.insert("Node")
    try garden.context.save()
    garden.manager.removeAllActions()
    weak let watched = node
    try #require(node).setValue(.string("changed"), forKey: "text")
    try garden.context.processPendingChanges()
    let id = try #require(node).objectID
    node = nil
    #expect(watched != nil, "the manager holds it")
    #expect(garden.context.hasChanges)
    try garden.context.undo()
    #expect(!garden.context.hasChanges)
    #expect(watched?.hasChanges == false)
    #expect(try garden.place.statements { try garden.context.save() } == [])
    // The way forward still holds it.
    #expect(watched != nil)
    garden.manager.removeAllActions()
    #expect(watched == nil)
    let buffer = garden.context.buffer(root: id.entity.root)
    #expect(buffer.count == 0, "its row is free")
  }

  @Test("OL7: after a save, an object survives with the undo manager until all actions are removed")
  func ol7ManagerHoldsObjects() throws {
    let garden = try Garden()
    var node: ManagedObject? = try garden.insert("Node")
    weak let watched = node
    node = nil
    try garden.context.save()
    #expect(watched != nil)
    garden.manager.removeAllActions()
    #expect(watched == nil)
  }

  @Test("OL19: 10,000 changes are all undone, and redone")
  func ol19Unlimited() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try garden.context.save()
    #expect(garden.manager.levelsOfUndo == 0)
    for i in 1...10_000 {
      try node.setValue(.integer(Int64(i)), forKey: "number")
      try garden.context.processPendingChanges()
    }
    #expect(garden.manager.undoCount == 10_001)
    for i in (0..<10_000).reversed() {
      try garden.context.undo()
      let value = try node.value(forKey: "number")
      if value != (i == 0 ? .null : .integer(Int64(i))) { Issue.record("\(i): \(value)") }
    }
    #expect(!garden.context.hasChanges)
    try garden.context.undo()
    #expect(node.isDeleted)
    while garden.manager.canRedo { try garden.context.redo() }
    #expect(try node.value(forKey: "number") == .integer(10_000))
  }

  @Test("OL20: removing all actions leaves nothing to undo, and frees what the steps held")
  func ol20RemoveAllActions() throws {
    let garden = try Garden()
    var watched: [Weak] = []
    for _ in 0..<100 { watched.append(Weak(try garden.insert("Node"))) }
    try garden.context.save()
    for entry in watched {
      try #require(entry.object).setValue(.string("x"), forKey: "text")
      try garden.context.processPendingChanges()
    }
    try garden.context.undo()
    try garden.context.save()
    #expect(garden.manager.canUndo && garden.manager.canRedo)
    #expect(watched.allSatisfy { $0.object != nil })
    garden.manager.removeAllActions()
    #expect(!garden.manager.canUndo && !garden.manager.canRedo)
    #expect(watched.allSatisfy { $0.object == nil })
    let root = try #require(garden.place.model.entity(named: "Node")).root
    #expect(garden.context.buffer(root: root).count == 0, "no row is left")
    try garden.context.undo()
    #expect(!garden.context.hasChanges)
  }

  private struct Weak {
    weak var object: ManagedObject?
    init(_ object: ManagedObject) { self.object = object }
  }

  @Test("OL21: the undo manager goes with its context unless somebody else holds it")
  func ol21Lifetime() throws {
    let place = try Workplace(try Garden.model())
    var context: ManagedObjectContext? = place.anotherContext()
    weak let lonely = {
      let manager = UndoManager()
      context?.undoManager = manager
      return manager
    }()
    #expect(lonely != nil)
    let node = try #require(try context?.insert("Node"))
    try context?.processPendingChanges()
    weak let watched = context
    context = nil
    #expect(watched == nil && lonely == nil)
    #expect(node.isValid && node.context?.undoManager == nil)

    let held = UndoManager()
    var other: ManagedObjectContext? = place.anotherContext()
    other?.undoManager = held
    _ = try other?.insert("Node")
    try other?.processPendingChanges()
    #expect(held.canUndo)
    other = nil
    #expect(!held.canUndo, "what concerned the context is gone")
    try held.undo()
  }

  @Test("OL22: without an undo manager, the default, nothing is recorded and undo does nothing")
  func ol22NoManager() throws {
    let place = try Workplace(try Garden.model())
    let context = place.context
    #expect(context.undoManager == nil)
    var node: ManagedObject? = try context.insert("Node")
    weak let watched = node
    try #require(node).setValue(.string("a"), forKey: "name")
    try context.processPendingChanges()
    try context.undo()
    try context.redo()
    #expect(try #require(node).value(forKey: "name") == .string("a"))
    node = nil
    try context.save()
    #expect(watched == nil, "nobody holds it")
    // A manager that comes later knows nothing of what was before.
    let manager = UndoManager()
    context.undoManager = manager
    #expect(!manager.canUndo)
    try context.insert("Node").setValue(.string("b"), forKey: "name")
    #expect(manager.canUndo)
    context.undoManager = nil
    #expect(!manager.canUndo)
    try manager.undo()
    try context.save()
    #expect(try place.rows("SELECT ZNAME FROM ZNODE ORDER BY Z_PK") == ["a", "b"])
  }

  @Test("AP47: undo, redo, rollback and reset")
  func ap47UndoRedoRollbackReset() throws {
    let garden = try Garden()
    let context = garden.context
    let node = try garden.insert("Node")
    try context.processPendingChanges()
    try node.setValue(.string("a"), forKey: "text")
    try context.processPendingChanges()
    try context.undo()
    #expect(try node.value(forKey: "text") == .null)
    try context.undo()
    #expect(!node.isValid && !context.hasChanges)
    try context.redo()
    try context.redo()
    #expect(node.isValid && node.isInserted, "it is the same object")
    #expect(try context.fetchAll("Node") == [node])
    #expect(try node.value(forKey: "text") == .string("a"))
    #expect(!garden.manager.canRedo)
    // A change after an undo takes the way forward away.
    try context.undo()
    try node.setValue(.string("b"), forKey: "text")
    #expect(!garden.manager.canRedo)
    try context.processPendingChanges()
    try context.redo()
    #expect(try node.value(forKey: "text") == .string("b"))
    context.rollback()
    #expect(!garden.manager.canUndo && !garden.manager.canRedo)
    try garden.insert("Node")
    #expect(garden.manager.canUndo)
    context.reset()
    #expect(!garden.manager.canUndo)
    try context.undo()
    #expect(!context.hasChanges)
  }

  @Test("AP47: groups are one step, may hold groups, and say what they do")
  func ap47Grouping() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let node = try garden.insert("Node")
    try context.save()
    manager.removeAllActions()
    func text() throws -> AttributeValue { try node.value(forKey: "text") }
    try node.setValue(.string("before"), forKey: "text")
    manager.beginUndoGrouping()
    #expect(manager.groupingLevel == 1)
    manager.setActionName("Write")
    try node.setValue(.string("1"), forKey: "text")
    try context.processPendingChanges()
    manager.beginUndoGrouping()
    try node.setValue(.string("2"), forKey: "text")
    manager.endUndoGrouping()
    #expect(try text() == .string("2"))
    try manager.undoNestedGroup()
    #expect(try text() == .string("1"))
    try node.setValue(.string("3"), forKey: "text")
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 0)
    // A group without changes is no step.
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    #expect(manager.undoCount == 2)
    #expect(manager.undoMenuItemTitle == "Undo Write" && manager.redoMenuItemTitle == "Redo")
    try context.undo()
    #expect(try text() == .string("before"))
    #expect(manager.undoMenuItemTitle == "Undo" && manager.redoMenuItemTitle == "Redo Write")
    try context.redo()
    #expect(try text() == .string("3"))
    try context.undo()
    try context.undo()
    #expect(try text() == .null)
    #expect(!context.hasChanges && !manager.canUndo)
  }

  @Test("AP47: processPendingChanges and save end an event; what was set back within one is no step")
  func ap47ProcessPendingChanges() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let node = try garden.insert("Node")
    try node.setValue(.string("a"), forKey: "text")
    #expect(manager.undoCount == 0 && manager.canUndo)
    try context.processPendingChanges()
    #expect(manager.undoCount == 1)
    try context.processPendingChanges()
    #expect(manager.undoCount == 1)
    try node.setValue(.string("b"), forKey: "text")
    try context.save()
    #expect(manager.undoCount == 2)
    try node.setValue(.string("c"), forKey: "text")
    try node.setValue(.string("b"), forKey: "text")
    try garden.context.delete(try garden.insert("Bed"))
    try context.processPendingChanges()
    #expect(manager.undoCount == 2)
  }

  @Test("AP47: with propagatesDeletesAtEndOfEvent delete rules wait for the end of the event; by default they do not")
  func ap47PropagatesDeletes() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    #expect(!context.propagatesDeletesAtEndOfEvent)
    let parent = try garden.insert("Node")
    let child = try garden.insert("Node")
    let grandchild = try garden.insert("Tree")
    try child.setObject(parent, forKey: "parent")
    try grandchild.setObject(child, forKey: "parent")
    let bed = try garden.insert("Bed")
    try parent.setObject(bed, forKey: "bed")
    try context.save()
    let before = try garden.contents()
    try context.delete(parent)
    #expect(child.isDeleted && grandchild.isDeleted)
    try context.undo()
    #expect(try garden.contents() == before)

    context.propagatesDeletesAtEndOfEvent = true
    try context.delete(parent)
    #expect(parent.isDeleted && !child.isDeleted)
    try context.processPendingChanges()
    #expect(child.isDeleted && grandchild.isDeleted)
    try context.undo()
    #expect(try garden.contents() == before)
    #expect(!context.hasChanges)
    // A group ends with its cascades.
    manager.beginUndoGrouping()
    try context.delete(parent)
    manager.endUndoGrouping()
    #expect(grandchild.isDeleted)
    try context.undo()
    #expect(try garden.contents() == before)
    try context.delete(parent)
    context.rollback()
    try context.processPendingChanges()
    #expect(!context.hasChanges)
    try context.delete(parent)
    try context.save()
    #expect(try context.fetchAll("Node").isEmpty)
    #expect(try bed.objects(forKey: "nodes").isEmpty)
    try context.undo()
    #expect(try garden.contents() == before)
    try context.save()
    try garden.place.reopen()
    #expect(try garden.contents() == before)
    try garden.place.verify()
  }

  @Test("AP7: the order of a relationship survives undo and redo")
  func ap7Order() throws {
    let garden = try Garden()
    let context = garden.context
    let (bed, tag) = (try garden.insert("Bed"), try garden.insert("Tag"))
    let nodes = try (0..<4).map { _ in try garden.insert("Node") }
    try bed.setObjects(nodes, forKey: "nodes")
    try tag.setObjects(nodes, forKey: "nodes")
    try context.save()
    for owner in [bed, tag] {
      try owner.insert(nodes[3], into: "nodes", at: 0)
      try context.processPendingChanges()
      try owner.setObjects([nodes[2], nodes[0], nodes[1]], forKey: "nodes")
      try context.processPendingChanges()
      try context.undo()
      #expect(try owner.objects(forKey: "nodes") == [nodes[3], nodes[0], nodes[1], nodes[2]])
      try context.undo()
      #expect(try owner.objects(forKey: "nodes") == nodes)
      #expect(!context.hasChanges)
      try context.redo()
      try context.redo()
      #expect(try owner.objects(forKey: "nodes") == [nodes[2], nodes[0], nodes[1]])
      try context.save()
      try context.undo()
      // What comes after an undo comes last.
      let late = try garden.insert("Node")
      try owner.add(late, to: "nodes")
      #expect(try owner.objects(forKey: "nodes") == [nodes[3], nodes[0], nodes[1], nodes[2], late])
      try context.save()
    }
    try garden.place.verify()
  }

  /// A node whose mood is kept as a Swift value that no column holds.
  final class Moody: ManagedObject {
    var setCount = 0
    var events: [SnapshotEvents] = []

    func setMood(_ mood: [String]) throws {
      setCount += 1
      willChangeValue(forKey: "mood")
      try setPrimitiveTransient(mood, forKey: "mood")
      didChangeValue(forKey: "mood")
    }

    func mood() throws -> [String]? { try primitiveTransient(forKey: "mood") as? [String] }

    override func awake(fromSnapshotEvents events: SnapshotEvents) { self.events.append(events) }
  }

  @Test("NS12: undo of a transient value of unmodelled data does not call the setter")
  func ns12Snapshot() throws {
    let garden = try Garden()
    try garden.place.coordinator.setClass(Moody.self, forEntity: "Node")
    let node = try #require(try garden.insert("Node") as? Moody)
    try node.setMood(["calm"])
    try garden.context.save()
    try node.setMood(["wild", "loud"])
    try garden.context.processPendingChanges()
    #expect(node.setCount == 2)
    try garden.context.undo()
    #expect(try node.mood() == ["calm"])
    #expect(node.events == [.undoUpdate])
    try garden.context.redo()
    #expect(try node.mood() == ["wild", "loud"])
    #expect(node.setCount == 2)
    // An object that is gone and comes back has its values.
    try garden.context.undo()
    try garden.context.undo()
    #expect(node.isDeleted)
    try garden.context.redo()
    #expect(try node.mood() == ["calm"])
    #expect(node.setCount == 2)
  }

  @Test("handlers of one's own are in the same steps, and go with their targets")
  func handlers() throws {
    final class Counter {
      let manager: UndoManager
      var count = 0
      init(_ manager: UndoManager) { self.manager = manager }
      func add(_ number: Int) {
        count += number
        manager.registerUndo(withTarget: self) { $0.add(-number) }
      }
    }
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let counter = Counter(manager)
    let node = try garden.insert("Node")
    try context.save()
    manager.removeAllActions()
    try node.setValue(.string("a"), forKey: "text")
    counter.add(5)
    try context.processPendingChanges()
    counter.add(1)
    try context.processPendingChanges()
    #expect(manager.undoCount == 2)
    try context.undo()
    #expect(counter.count == 5)
    try context.undo()
    #expect(counter.count == 0)
    #expect(!context.hasChanges)
    try context.redo()
    #expect(counter.count == 5)
    #expect(try node.value(forKey: "text") == .string("a"))
    manager.removeAllActions(withTarget: counter)
    #expect(manager.undoCount == 1 && manager.redoCount == 0)
    var gone: Counter? = Counter(manager)
    gone?.add(1)
    gone = nil
    try context.undo()
    #expect(try node.value(forKey: "text") == .string("a"))
  }

  @Test("changes made while registration is disabled are not undone, and the number of steps can be limited")
  func disabledAndLimited() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let node = try garden.insert("Node")
    manager.disableUndoRegistration()
    let other = try garden.insert("Node")
    try other.setObject(node, forKey: "parent")
    manager.enableUndoRegistration()
    #expect(manager.undoCount == 1)
    // What refers to the object that goes does not afterwards, although that was not recorded: it is deleted with it.
    try context.undo()
    #expect(!node.isValid && !other.isValid)
    try context.save()
    manager.levelsOfUndo = 3
    let last = try garden.insert("Node")
    for i in 0..<10 {
      try last.setValue(.integer(Int64(i)), forKey: "number")
      try context.processPendingChanges()
    }
    #expect(manager.undoCount == 3)
    while manager.canUndo { try context.undo() }
    #expect(try last.value(forKey: "number") == .integer(6))
    try context.save()
    try garden.place.verify()
  }

  @Test("what a child context saves is a step of its parent")
  func childContexts() throws {
    let garden = try Garden()
    let parent = try garden.insert("Node")
    let (tag, note) = (try garden.insert("Tag"), try garden.insert("Note"))
    try garden.context.save()
    let before = try garden.contents()
    let child = ManagedObjectContext(parent: garden.context)
    let mine = try child.object(with: parent.objectID)
    try mine.setValue(.string("by the child"), forKey: "text")
    try mine.add(try child.object(with: tag.objectID), to: "tags")
    let new = try child.insert("Tree")
    try new.setValue(.string("new"), forKey: "name")
    try new.setObject(mine, forKey: "parent")
    try child.delete(try child.object(with: note.objectID))
    try child.save()
    let after = try garden.contents()
    #expect(after != before)
    try garden.context.undo()
    #expect(try garden.contents() == before)
    #expect(!garden.context.hasChanges)
    try garden.context.redo()
    #expect(try garden.contents() == after)
    try garden.context.save()
    try garden.context.undo()
    try garden.context.save()
    try garden.place.reopen()
    #expect(try garden.contents() == before)
    try garden.place.verify()
  }

  @Test("NS11: a transient attribute that was set is what it was after undo, and again after redo")
  func ns11Transient() throws {
    let garden = try Garden()
    let node = try garden.insert("Node")
    try node.setValue(.string("calm"), forKey: "mood")
    try garden.context.save()
    try node.setValue(.string("wild"), forKey: "mood")
    try garden.context.undo()
    #expect(try node.value(forKey: "mood") == .string("calm"))
    try garden.context.redo()
    #expect(try node.value(forKey: "mood") == .string("wild"))
  }

  @Test("what is taken out of a relationship and put back in one event is no step")
  func putBack() throws {
    let garden = try Garden()
    let (one, two) = (try garden.insert("Node"), try garden.insert("Node"))
    let note = try garden.insert("Note")
    try one.add(two, to: "friends")
    try one.add(note, to: "notes")
    try garden.context.save()
    garden.manager.removeAllActions()
    for (member, key) in [(two, "friends"), (note, "notes")] {
      try one.remove(member, from: key)
      try one.add(member, to: key)
      try garden.context.processPendingChanges()
      #expect(garden.manager.undoCount == 0, "\(key)")
    }
  }

  @Test("a step whose undoing turns out to change nothing is redone and undone in its turn")
  func emptyOnUndo() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let node = try garden.insert("Node")
    try context.save()
    manager.removeAllActions()
    try node.setValue(.string("a"), forKey: "text")
    try context.processPendingChanges()
    try node.setValue(.integer(1), forKey: "number")
    try context.processPendingChanges()
    // It is what it was before already.
    manager.disableUndoRegistration()
    try node.setValue(.null, forKey: "number")
    manager.enableUndoRegistration()
    try context.undo()
    #expect(manager.undoCount == 1 && manager.redoCount == 1)
    try context.undo()
    #expect(try node["text"] == .null && manager.redoCount == 2)
    try context.redo()
    #expect(try node["text"] == .string("a") && node["number"] == .null && manager.undoCount == 1)
    try context.redo()
    #expect(manager.undoCount == 2 && !manager.canRedo)
    try context.undo()
    try context.undo()
    #expect(try node["text"] == .null && manager.undoCount == 0)
  }

  @Test("a member without a way back that is taken out, saved and put back by undo has its owner's entity in its row")
  func ownersEntity() throws {
    let garden = try Garden()
    let (tree, note) = (try garden.insert("Tree"), try garden.insert("Note"))
    try tree.add(note, to: "notes")
    try garden.context.save()
    let columns = try garden.place.rows("SELECT name FROM pragma_table_info('ZNOTE') WHERE name <> 'Z_OPT'")
    let query = "SELECT \(columns.joined(separator: ", ")) FROM ZNOTE"
    let before = try garden.place.rows(query)
    #expect(before.count == 1 && before.first?.contains("null") == false, "\(columns): \(before)")
    try garden.place.reopen()
    garden.context.undoManager = garden.manager
    let again = try #require(try garden.context.fetchAll("Tree").first)
    try again.remove(try #require(try again.objects(forKey: "notes").first), from: "notes")
    try garden.context.save()
    #expect(try garden.place.rows(query) != before)
    try garden.context.undo()
    try garden.context.save()
    #expect(try garden.place.rows(query) == before)
  }

  @Test("groupsByEvent decides whether what is registered outside of groups is one step an event, or one each")
  func groupsByEvent() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    try context.save()
    manager.removeAllActions()
    for (groups, steps) in [(true, 1), (false, 3)] {
      manager.groupsByEvent = groups
      for _ in 0..<2 { manager.registerUndo(withTarget: garden) { _ in } }
      try garden.insert("Node")
      try context.processPendingChanges()
      #expect(manager.undoCount == steps, "\(groups)")
      manager.removeAllActions()
    }
  }
}
