import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// Small programs as people write them for Core Data, with what its documentation says about child contexts and copies.
@Suite("Programs: child contexts, ordered relationships, copies")
struct ChildPrograms {
  @Test("a child's save is the parent's change, and permanent IDs stay the same through both saves")
  func permanentIDs() throws {
    let place = try Workplace(try Models.works())
    let child = ManagedObjectContext(parent: place.context)
    let (kept, plain) = (try skill("kept", child), try skill("plain", child))
    try child.obtainPermanentIDs(for: [kept])
    let id = kept.objectID
    #expect(!id.isTemporary && plain.objectID.isTemporary && kept.isInserted)
    #expect(try place.anotherContext().existingObject(with: id) == nil)
    try child.save()
    #expect(!child.hasChanges && place.context.insertedObjects.count == 2)
    #expect(try place.context.object(with: id)["title"] == .string("kept"))
    #expect(try place.anotherContext().count("Skill") == 0)
    try place.context.save()
    #expect(kept.objectID == id && !plain.objectID.isTemporary)
    #expect(try place.anotherContext().object(with: id)["title"] == .string("kept"))
    #expect(try place.anotherContext().object(with: plain.objectID)["title"] == .string("plain"))
    // The child goes on with its objects.
    try plain.setValue(.string("changed"), forKey: "title")
    try child.save()
    try place.context.save()
    #expect(try storedNames(place.coordinator, "Skill", "title").sorted() == ["changed", "kept"])
  }

  @Test("a child sees what its parent has not saved, by every kind of request, and rolls back to it")
  func seesParent() throws {
    let place = try Workplace(try Models.works())
    for name in ["a", "b", "c"] { _ = try skill(name, place.context) }
    try place.context.save()
    let all = FetchRequest("Skill", sortedBy: [ObjectSortDescriptor("title")])
    let first = try #require(try place.context.fetch(all).first)
    try first.setValue(.string("z"), forKey: "title")
    _ = try skill("bb", place.context)
    try place.context.delete(try #require(try place.context.fetch(all).first))
    let child = ManagedObjectContext(parent: place.context)
    #expect(try Array(child.fetch(all)).names("title") == ["bb", "c", "z"])
    #expect(try child.count("Skill") == 3)
    var request = FetchRequest(
      "Skill", where: try ObjectPredicate(format: "title > 'b'"), sortedBy: all.sortDescriptors)
    request.fetchOffset = 1
    request.fetchLimit = 1
    #expect(try Array(child.fetch(request)).names("title") == ["c"])
    #expect(try child.fetchObjectIDs(all).count == 3)
    let twin = try child.object(with: first.objectID)
    try twin.setValue(.string("y"), forKey: "title")
    try child.delete(try #require(try child.fetch(all).first))
    child.rollback()
    #expect(try Array(child.fetch(all)).names("title") == ["bb", "c", "z"] && twin["title"] == .string("z"))
    // What the child deletes of the parent's new objects is gone there too.
    try child.delete(try #require(try child.fetch(all).first))
    try child.save()
    #expect(try Array(place.context.fetch(all)).names("title") == ["c", "z"] && place.context.insertedObjects.isEmpty)
    try place.context.save()
    #expect(try storedNames(place.coordinator, "Skill", "title").sorted() == ["c", "z"])
  }

  @Test("siblings: the later save wins in the parent, property by property; a deletion there is a conflict")
  func siblings() throws {
    let place = try Workplace(try Models.works())
    let person = try place.context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    try place.context.save()
    let (one, two) = (ManagedObjectContext(parent: place.context), ManagedObjectContext(parent: place.context))
    let (a, b) = (try one.own(person), try two.own(person))
    try a.setValue(.string("one"), forKey: "name")
    try b.setValue(.integer(7), forKey: "age")
    try one.save()
    try two.save()
    #expect(try person["name"] == .string("one") && person["age"] == .integer(7))
    try two.refresh(b, mergingChanges: true)
    #expect(try b["name"] == .string("one"))
    try one.delete(a)
    try one.save()
    try b.setValue(.integer(8), forKey: "age")
    #expect(saveError { try two.save() }?.code == .conflict)
    two.rollback()
    try place.context.save()
    #expect(try place.anotherContext().count("Person") == 0)
  }

  @Test("grandchildren save step by step, with relationships between objects of different levels")
  func grandchildren() throws {
    let place = try Workplace(try Models.works())
    let child = ManagedObjectContext(parent: place.context)
    let grandchild = ManagedObjectContext(parent: child)
    let company = try place.context.insert("Company")
    try company.setValue(.string("co"), forKey: "name")
    let first = try child.insert("Person")
    try first.setValue(.string("first"), forKey: "name")
    try first.setObject(try child.own(company), forKey: "employer")
    let second = try grandchild.insert("Person")
    try second.setValue(.string("second"), forKey: "name")
    let theirs = try grandchild.own(company)
    #expect(try theirs.objects(forKey: "staff").names() == ["first"])
    try theirs.insert(second, into: "staff", at: 0)
    try second.setObject(try grandchild.own(first), forKey: "spouse")
    try grandchild.save()
    #expect(try first.object(forKey: "spouse")?.objectID == second.objectID)
    #expect(try company.objects(forKey: "staff").isEmpty)
    try child.save()
    #expect(try company.objects(forKey: "staff").names() == ["second", "first"])
    try place.context.save()
    try place.reopen()
    let again = try #require(try place.context.fetchAll("Company").first)
    #expect(try again.objects(forKey: "staff").names() == ["second", "first"])
    try place.verify()
  }

  @Test("ordered relationships: inserting, moving, replacing, removing; an object is a member once")
  func ordered() throws {
    let place = try Workplace(try Models.works())
    let person = try place.context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    let skills = try ["a", "b", "c", "d"].map { try skill($0, place.context) }
    func order() throws -> [String] { try person.objects(forKey: "skills").names("title") }
    for one in skills { try person.add(one, to: "skills") }
    #expect(try order() == ["a", "b", "c", "d"])
    #expect(try !person.add(skills[0], to: "skills"), "it is there")
    #expect(try order() == ["a", "b", "c", "d"])
    try person.insert(skills[3], into: "skills", at: 0)
    #expect(try order() == ["d", "a", "b", "c"])
    try place.context.save()
    try person.setObjects([skills[2], skills[1], skills[2]], forKey: "skills")
    #expect(try order() == ["c", "b"])
    try person.insert(skills[0], into: "skills", at: 1)
    #expect(try person.changedValues().keys.sorted() == ["skills"])
    try place.context.save()
    try place.reopen()
    let again = try #require(try place.context.fetchAll("Person").first)
    #expect(try again.objects(forKey: "skills").names("title") == ["c", "a", "b"])
    #expect(try again.remove(try #require(try again.objects(forKey: "skills").first), from: "skills"))
    place.context.rollback()
    #expect(try again.objects(forKey: "skills").names("title") == ["c", "a", "b"])
    try place.verify()
  }

  /// Copies objects with everything that they are related to, as the usual recipe does.
  private func copy(
    _ object: ManagedObject, into context: ManagedObjectContext, _ copies: inout [ManagedObjectID: ManagedObject]
  ) throws -> ManagedObject {
    if let known = copies[object.objectID] { return known }
    let copy = try context.insert(object.entity.name)
    copies[object.objectID] = copy
    for attribute in object.entity.attributes {
      try copy.setValue(try object.value(forKey: attribute.name), forKey: attribute.name)
    }
    for relationship in object.entity.relationships {
      if relationship.isToMany {
        var members: [ManagedObject] = []
        for member in try object.objects(forKey: relationship.name) {
          members.append(try self.copy(member, into: context, &copies))
        }
        try copy.setObjects(members, forKey: relationship.name)
      } else if let other = try object.object(forKey: relationship.name) {
        try copy.setObject(try self.copy(other, into: context, &copies), forKey: relationship.name)
      }
    }
    return copy
  }

  @Test("a graph is copied into a store of another type, object by object", arguments: StoreKind.allCases)
  func copies(kind: StoreKind) throws {
    let garden = try Garden()
    let context = garden.context
    let tree = try garden.insert("Tree")
    let nodes = try (0..<5).map { _ in try garden.insert("Node") }
    let tags = try (0..<3).map { _ in try garden.insert("Tag") }
    try tree.setObjects(nodes, forKey: "children")
    for node in nodes { try node.setObjects(tags.shuffled(), forKey: "tags") }
    try nodes[0].setObject(nodes[1], forKey: "partner")
    try nodes[0].add(nodes[2], to: "friends")
    let bed = try garden.insert("Bed")
    try bed.setObjects(nodes.reversed(), forKey: "nodes")
    try nodes[3].add(try garden.insert("Note"), to: "notes")
    try context.save()
    let target = try Workplace(try Garden.model(), kind: kind)
    var copies: [ManagedObjectID: ManagedObject] = [:]
    _ = try copy(tree, into: target.context, &copies)
    #expect(copies.count == 11)
    try target.context.save()
    try target.reopen()
    let again = try #require(try target.context.fetchAll("Bed").first)
    #expect(try again.objects(forKey: "nodes").names() == nodes.reversed().names())
    for node in nodes {
      let name = try #require([node].names().first)
      let found = try #require(
        try target.context.fetch(FetchRequest("Node", where: try ObjectPredicate(format: "name == '\(name)'"))).first)
      for key in ["tags", "friends", "notes"] {
        let (old, new) = (try node.objects(forKey: key).names(), try found.objects(forKey: key).names())
        #expect(key == "tags" ? old == new : Set(old) == Set(new), "\(key)")
      }
    }
    try target.verify()
  }
}
