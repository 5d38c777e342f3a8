import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// Small programs in which several features meet: children, undo, ordered relationships, refreshes, delete rules.
@Suite("Programs: where features meet")
struct MeetingPrograms {
  /// A node with three tags, saved; no step is left.
  private func tagged() throws -> (Garden, node: ManagedObject, tags: [ManagedObject]) {
    let garden = try Garden()
    let node = try garden.insert("Node")
    let tags = try (0..<3).map { _ in try garden.insert("Tag") }
    try node.setObjects(tags, forKey: "tags")
    try garden.context.save()
    garden.manager.removeAllActions()
    return (garden, node, tags)
  }

  @Test(
    "a child moves and adds in an ordered relationship, refreshes, undoes, redoes and saves; the parent takes it back")
  func childUndoOrderedRefresh() throws {
    let (garden, node, tags) = try tagged()
    let parent = garden.context
    let child = ManagedObjectContext(parent: parent)
    child.undoManager = UndoManager()
    let twin = try child.own(node)
    let own = try tags.map { try child.own($0) }
    try twin.insert(own[2], into: "tags", at: 0)
    try child.processPendingChanges()
    let new = try child.insert("Tag")
    try new.setValue(.string("new"), forKey: "name")
    try twin.insert(new, into: "tags", at: 1)
    try child.processPendingChanges()
    try child.refresh(twin, mergingChanges: true)
    #expect(try twin.objects(forKey: "tags") == [own[2], new, own[0], own[1]])
    try child.undo()
    try child.refresh(twin, mergingChanges: true)
    #expect(try twin.objects(forKey: "tags") == [own[2], own[0], own[1]])
    try child.undo()
    #expect(try twin.objects(forKey: "tags") == own && !child.hasChanges)
    try child.redo()
    try child.redo()
    // Meanwhile the parent takes one away.
    try node.remove(tags[1], from: "tags")
    try child.refreshAllObjects()
    #expect(try twin.objects(forKey: "tags").map(\.objectID) == [own[2], new, own[0]].map(\.objectID))
    try child.save()
    #expect(try node.objects(forKey: "tags").names() == ["tag 4", "new", "tag 2"])
    try parent.save()
    try parent.undo()
    #expect(try node.objects(forKey: "tags").names().contains("new") == false)
    try parent.save()
    try child.refreshAllObjects()
    #expect(try twin.objects(forKey: "tags").names() == node.objects(forKey: "tags").names())
    try garden.place.verify()
  }

  @Test("a denied deletion in a child stays there; it is undone, or the pairs go first")
  func denyInChild() throws {
    let (garden, node, tags) = try tagged()
    let child = ManagedObjectContext(parent: garden.context)
    child.undoManager = UndoManager()
    let victim = try child.own(tags[0])
    try child.delete(victim)
    let error = saveError { try child.save() }
    #expect(error?.code == .validation && error?.failures.first?.code == .deletionDenied)
    #expect(!garden.context.hasChanges)
    try child.undo()
    #expect(!victim.isDeleted && !child.hasChanges)
    try child.own(node).remove(victim, from: "tags")
    try child.delete(victim)
    try child.save()
    #expect(tags[0].isDeleted)
    // The parent undoes what its child did, the deletion with its pair.
    try garden.context.undo()
    #expect(try node.objects(forKey: "tags") == tags && !tags[0].isDeleted)
    try garden.context.save()
    #expect(try garden.place.rows("SELECT count(*) FROM ZTAG") == ["3"])
    try garden.place.verify()
  }

  @Test(
    "a parent rolls back, or resets, under a child with changes: the child's save is an error, or writes nothing lost")
  func parentRollsBack() throws {
    for resets in [false, true] {
      let garden = try Garden()
      let parent = garden.context
      let saved = try garden.insert("Node")
      try parent.save()
      let unsaved = try garden.insert("Node")
      let child = ManagedObjectContext(parent: parent)
      let (twin, savedTwin) = (try child.own(unsaved), try child.own(saved))
      try twin.setValue(.string("x"), forKey: "text")
      try savedTwin.setObject(twin, forKey: "parent")
      let own = try child.insert("Node")
      try own.setValue(.string("own"), forKey: "name")
      try own.setObject(twin, forKey: "parent")
      if resets { parent.reset() } else { parent.rollback() }
      let error = saveError { try child.save() }
      if let error {
        #expect(error.code == .conflict, "\(error)")
        child.rollback()
      }
      _ = try? twin.value(forKey: "text")
      _ = try? savedTwin.object(forKey: "parent")
      try parent.save()
      _ = try parent.fetchAll("Node")
      try garden.place.verify()
    }
  }

  @Test("what a merge took away is not brought back by undo, and the steps around it still work")
  func undoAroundMergedDeletion() throws {
    let (garden, node, tags) = try tagged()
    let (context, manager) = (garden.context, garden.manager)
    try node.setValue(.string("one"), forKey: "text")
    try context.processPendingChanges()
    try node.insert(tags[2], into: "tags", at: 0)
    try context.save()
    let other = garden.place.anotherContext()
    let token = other.observe(.didSave) { event in
      #expect(throws: Never.self) { try context.mergeChanges(from: event) }
    }
    let theirs = try other.own(tags[2])
    for theirNode in try theirs.objects(forKey: "nodes") { try theirs.remove(theirNode, from: "nodes") }
    try other.delete(theirs)
    try other.save()
    token.cancel()
    #expect(try node.objects(forKey: "tags") == [tags[0], tags[1]] && tags[2].isDeleted)
    while manager.canUndo { try context.undo() }
    #expect(try node["text"] == .null)
    #expect(try node.objects(forKey: "tags") == [tags[0], tags[1]])
    try context.save()
    while manager.canRedo { try context.redo() }
    #expect(try node["text"] == .string("one"))
    try context.save()
    try garden.place.verify()
  }

  @Test("an object that another context deleted is edited here, undone and redone: a conflict until the merge")
  func undoOfLost() throws {
    let (garden, node, _) = try tagged()
    let context = garden.context
    try node.setValue(.integer(1), forKey: "number")
    try context.processPendingChanges()
    let other = garden.place.anotherContext()
    try other.delete(try other.own(node))
    try other.save()
    try context.undo()
    try context.redo()
    #expect(saveError { try context.save() }?.code == .conflict)
    context.mergePolicy = .mergeByPropertyStoreTrump
    try context.save()
    #expect(try context.fetchAll("Node").isEmpty)
    try context.undo()
    try? context.save()
    context.rollback()
    #expect(try context.fetchAll("Tag").count == 3)
    try garden.place.verify()
  }

  @Test("deletions that wait for the end of the event, in a child with undo, with a cascade over ordered members")
  func waitingDeletions() throws {
    let garden = try Garden()
    let (bed, root) = (try garden.insert("Bed"), try garden.insert("Node"))
    let leaves = try (0..<3).map { _ in try garden.insert("Node") }
    for node in [root] + leaves { try bed.add(node, to: "nodes") }
    for leaf in leaves { try root.add(leaf, to: "children") }
    try garden.context.save()
    garden.manager.removeAllActions()
    let child = ManagedObjectContext(parent: garden.context)
    child.undoManager = UndoManager()
    child.propagatesDeletesAtEndOfEvent = true
    let (twin, ownBed) = (try child.own(root), try child.own(bed))
    try child.delete(twin)
    #expect(try ownBed.objects(forKey: "nodes").count == 3)
    let saver = try child.own(leaves[0])
    try saver.setObject(nil, forKey: "parent")
    try child.processPendingChanges()
    #expect(try ownBed.objects(forKey: "nodes") == [saver])
    try child.undo()
    #expect(try ownBed.objects(forKey: "nodes").map(\.objectID) == ([root] + leaves).map(\.objectID))
    #expect(try twin.objects(forKey: "children").count == 3 && !child.hasChanges)
    try child.redo()
    try child.save()
    #expect(try bed.objects(forKey: "nodes") == [leaves[0]])
    try garden.context.save()
    try garden.context.undo()
    #expect(try bed.objects(forKey: "nodes") == [root] + leaves)
    #expect(try Set(root.objects(forKey: "children")) == Set(leaves))
    try garden.context.save()
    try garden.place.verify()
  }

  @Test("permanent IDs before the save, through a child, a rollback of the parent, and undo")
  func permanentIDs() throws {
    let garden = try Garden()
    let (parent, manager) = (garden.context, garden.manager)
    let child = ManagedObjectContext(parent: parent)
    let node = try child.insert("Node")
    try node.setValue(.string("n"), forKey: "name")
    try child.obtainPermanentIDs(for: [node])
    let id = node.objectID
    #expect(!id.isTemporary)
    try child.save()
    #expect(try parent.object(with: id).isInserted && node.objectID == id)
    try parent.processPendingChanges()
    try parent.undo()
    #expect(try parent.existingObject(with: id) == nil)
    #expect(manager.canRedo)
    try parent.redo()
    #expect(try parent.object(with: id)["name"] == .string("n"))
    try parent.save()
    #expect(try garden.place.anotherContext().object(with: id)["name"] == .string("n"))
    try node.setValue(.string("again"), forKey: "text")
    try child.save()
    parent.rollback()
    try child.refreshAllObjects()
    #expect(try node["text"] == .null)
    try garden.place.verify()
  }

  @Test("fetched properties, transient values and validation after a rollback, a refresh and an undo of a deletion")
  func firmLife() throws {
    let place = try Firm.place()
    let context = place.context
    context.undoManager = UndoManager()
    let searcher = try context.make("Searcher", ["searchTerm": .string("e3")])
    try context.save()
    #expect(try searcher.fetchedObjects(forKey: "literal").count == 1)
    let found = try #require(try Array(searcher.fetchedObjects(forKey: "literal")).first)
    try found.setValue(.string("nick"), forKey: "nickname")
    try context.delete(found)
    try context.refresh(searcher, mergingChanges: true)
    #expect(try searcher.fetchedObjects(forKey: "literal").isEmpty)
    try context.undo()
    try context.refresh(searcher, mergingChanges: true)
    #expect(try searcher.fetchedObjects(forKey: "literal").count == 1)
    #expect(!found.isDeleted)
    try context.delete(found)
    try context.save()
    try context.undo()
    #expect(try found.isInserted && found["name"] == .string("e3"))
    // Before the save it is a pending insertion, which fetches and fetched properties see.
    try context.refresh(searcher, mergingChanges: true)
    #expect(try searcher.fetchedObjects(forKey: "literal").count == 1)
    let request = FetchRequest(
      "Employee", where: try ObjectPredicate(format: "name == 'e3' AND department.name != nil"))
    #expect(try Array(context.fetch(request)) == [found] && context.count(for: request) == 1)
    try context.save()
    #expect(try Array(context.fetch(request)) == [found] && context.count(for: request) == 1)
    try place.verify()
  }

  /// People by name in a saved place.
  private func people(_ names: String...) throws -> (Workplace, [ManagedObject]) {
    let place = try Workplace(try Models.works())
    let people = try names.map { try place.context.make("Person", ["name": .string($0)]) }
    try place.context.save()
    return (place, people)
  }

  @Test("a partner that is set here takes the one that another context married meanwhile, by a merge or a refresh")
  func marriedMeanwhile() throws {
    for merges in [true, false] {
      let (place, people) = try people("a", "b", "c")
      let context = place.context
      try people[0].setObject(people[1], forKey: "spouse")
      let other = place.anotherContext()
      try other.own(people[0]).setObject(try other.own(people[2]), forKey: "spouse")
      let token = other.observe(.didSave) { event in
        #expect(throws: Never.self) { if merges { try context.mergeChanges(from: event) } }
      }
      try other.save()
      token.cancel()
      if !merges { for person in people { try context.refresh(person, mergingChanges: true) } }
      #expect(try people[0].object(forKey: "spouse") == people[1] && people[1].object(forKey: "spouse") == people[0])
      #expect(try people[2].object(forKey: "spouse") == nil)
      try context.save()
      try place.verify()
    }
  }

  @Test("a child's marriage ends the one that its parent has made meanwhile, saved or not")
  func marriedInChild() throws {
    for saves in [true, false] {
      let (place, people) = try people("a", "b", "c")
      let child = ManagedObjectContext(parent: place.context)
      try child.own(people[0]).setObject(try child.own(people[1]), forKey: "spouse")
      try people[0].setObject(people[2], forKey: "spouse")
      if saves { try place.context.save() }
      try child.save()
      #expect(try people[0].object(forKey: "spouse") == people[1] && people[1].object(forKey: "spouse") == people[0])
      #expect(try people[2].object(forKey: "spouse") == nil)
      try place.context.save()
      try place.verify()
    }
  }

  @Test("what a parent relates to an object that its child deletes: the delete rules see it, saved or not")
  func relatedMeanwhile() throws {
    for saves in [true, false] {
      let (place, people) = try people("a", "b")
      let context = place.context
      context.undoManager = UndoManager()
      let (skill, company) = (try skill("s", context), try context.make("Company", ["name": .string("co")]))
      try context.save()
      let child = ManagedObjectContext(parent: context)
      try child.delete(try child.own(people[0]))
      try child.delete(try child.own(company))
      try people[0].add(skill, to: "skills")
      try people[1].setObject(company, forKey: "employer")
      if saves { try context.save() }
      try child.save()
      try context.processPendingChanges()
      #expect(people[0].isDeleted && company.isDeleted)
      #expect(try skill.objects(forKey: "people").isEmpty && people[1].object(forKey: "employer") == nil)
      try context.save()
      try context.undo()
      if saves {
        #expect(try skill.objects(forKey: "people") == [people[0]] && people[1].object(forKey: "employer") == company)
      }
      try context.save()
      try place.verify()
    }
  }

  @Test("what a child relates to an object that its parent deleted meanwhile: the delete rules see it")
  func relatedToDeleted() throws {
    let (place, people) = try people("a", "b")
    let context = place.context
    let (skill, company) = (try skill("s", context), try context.make("Company", ["name": .string("co")]))
    try context.save()
    let child = ManagedObjectContext(parent: context)
    try child.own(people[0]).add(try child.own(skill), to: "skills")
    try child.own(people[1]).setObject(try child.own(company), forKey: "employer")
    try context.delete(skill)
    try context.delete(company)
    try child.save()
    try context.processPendingChanges()
    #expect(try people[0].objects(forKey: "skills").isEmpty && people[1].object(forKey: "employer") == nil)
    try context.save()
    try place.verify()
  }
}
