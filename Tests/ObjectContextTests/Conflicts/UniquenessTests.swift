import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Unique values")
struct UniquenessTests {
  @Test(
    "AP4: a new object with the key of a stored one, under each policy",
    arguments: [
      (MergePolicy.Kind.mergeByPropertyStoreTrump, "a|stored|kept|5"), (.rollback, "a|stored|kept|5"),
      (.mergeByPropertyObjectTrump, "a|new|kept|5"), (.overwrite, "a|new|null|0"),
    ], [true, false])
  func ap4Stored(policy: (kind: MergePolicy.Kind, row: String), isHeld: Bool) throws {
    let place = try Workplace(try ConflictModels.shop())
    let maker = place.anotherContext()
    let stored = try maker.make(
      "Item",
      ["code": .string("a"), "name": .string("stored"), "note": .string("kept"), "amount": .integer(5)])
    try maker.save()
    let context = place.context
    let known = isHeld ? try context.own(stored) : nil
    let new = try context.make("Item", ["code": .string("a"), "name": .string("new")])
    let bystander = try context.make("Item", ["code": .string("b")])
    context.mergePolicy = MergePolicy(policy.kind)
    try context.save()
    #expect(
      try place.rows("SELECT ZCODE, ZNAME, ZNOTE, ZAMOUNT FROM ZITEM ORDER BY ZCODE") == [policy.row, "b|null|null|0"])
    #expect(!context.hasChanges)
    #expect(bystander.isValid)
    #expect(try context.fetchAll("Item").count == 2)
    if let known {
      #expect(!new.isValid)
      #expect(try known["name"] == .string(policy.row.contains("new") ? "new" : "stored"))
    } else {
      // The new object stands for the stored record.
      #expect(new.isValid && new.objectID == stored.objectID)
      #expect(try context.existingObject(with: stored.objectID) === new)
      try new.setValue(.string("later"), forKey: "note")
      try context.save()
      #expect(try place.rows("SELECT ZNOTE FROM ZITEM WHERE ZCODE = 'a'") == ["later"])
    }
    try place.verify()
  }

  @Test("AP4: the error policy refuses the save and names every conflict")
  func ap4Error() throws {
    let place = try Workplace(try ConflictModels.shop())
    let maker = place.anotherContext()
    let stored = try maker.make("Item", ["code": .string("a"), "name": .string("stored")])
    _ = try maker.make("Slot", ["row": .integer(1), "column": .integer(2)])
    try maker.save()
    let context = place.context
    let new = try ["a", "x", "x"].map { try context.make("Item", ["code": .string($0)]) }
    let slot = try context.make("Slot", ["row": .integer(1), "column": .integer(2)])
    _ = try context.make("Slot", ["row": .integer(1)])
    _ = try context.make("Slot", ["row": .integer(1)])
    let error = try #require(saveError { try context.save() })
    #expect(error.code == .constraint)
    #expect(error.databaseFailure != nil)
    let conflicts = error.constraintConflicts
    try #require(conflicts.count == 3)
    #expect(conflicts[0].constraint == ["code"])
    #expect(conflicts[0].constraintValues == ["code": .attribute(.string("a"))])
    #expect(conflicts[0].databaseObjectID == stored.objectID)
    #expect(conflicts[0].databaseSnapshot?["name"] == .attribute(.string("stored")))
    #expect(conflicts[0].conflictingObjectIDs == [new[0].objectID])
    #expect(conflicts[1].databaseObjectID == nil && conflicts[1].databaseSnapshot == nil)
    #expect(conflicts[1].conflictingObjectIDs == [new[1].objectID, new[2].objectID])
    #expect(conflicts[2].constraint == ["row", "column"])
    #expect(conflicts[2].conflictingObjectIDs == [slot.objectID])
    #expect(conflicts[2].conflictingSnapshots.first?["column"] == .attribute(.integer(2)))
    #expect(error.message.contains("Item: code = "))
    #expect(context.insertedObjects.count == 6)
    #expect(new.allSatisfy { $0.objectID.isTemporary })
    #expect(try place.rows("SELECT count(*) FROM ZITEM") == ["1"])
  }

  @Test(
    "AP4: new objects of one save with one key become one",
    arguments: [
      (MergePolicy.Kind.mergeByPropertyStoreTrump, "a|first|one|0"), (.rollback, "a|first|one|0"),
      (.mergeByPropertyObjectTrump, "a|third|one|7"), (.overwrite, "a|third|null|0"),
    ])
  func ap4AmongNew(kind: MergePolicy.Kind, row: String) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let first = try context.make("Item", ["code": .string("a"), "name": .string("first"), "note": .string("one")])
    let second = try context.make("Item", ["code": .string("a"), "amount": .integer(7)])
    let third = try context.make("Item", ["code": .string("a"), "name": .string("third")])
    context.mergePolicy = MergePolicy(kind)
    try context.save()
    #expect(try place.rows("SELECT ZCODE, ZNAME, ZNOTE, ZAMOUNT FROM ZITEM") == [row])
    #expect(first.isValid && !second.isValid && !third.isValid)
    try place.verify()
  }

  @Test("AP4: what refers to a new object refers to the stored one afterwards", arguments: MergePolicy.Kind.allCases)
  func ap4Relationships(kind: MergePolicy.Kind) throws {
    if kind == .error { return }
    let place = try Workplace(try ConflictModels.shop())
    let maker = place.anotherContext()
    let oldItem = try maker.make("Item", ["code": .string("a")])
    let oldShop = try maker.make("Shop", ["name": .string("s")])
    let oldTag = try maker.make("Tag", ["title": .string("old")])
    try oldItem.add(oldTag, to: "tags")
    try maker.save()
    let context = place.context
    let shop = try context.make("Shop", ["name": .string("s"), "city": .string("Graz")])
    let item = try context.make("Item", ["code": .string("a")])
    let tag = try context.make("Tag", ["title": .string("new")])
    let box = try context.make("Box", ["size": .integer(1)])
    let poster = try context.insert("Poster")
    try item.setObject(shop, forKey: "shop")
    try item.setObject(box, forKey: "box")
    try item.add(tag, to: "tags")
    try item.add(try context.own(oldTag), to: "tags")
    try poster.setObject(item, forKey: "shows")
    let another = try context.make("Item", ["code": .string("z")])
    try another.setObject(shop, forKey: "shop")
    context.mergePolicy = MergePolicy(kind)
    try context.save()
    let fresh = place.anotherContext()
    let foundShop = try #require(try fresh.existingObject(with: oldShop.objectID))
    let foundItem = try #require(try fresh.existingObject(with: oldItem.objectID))
    #expect(try fresh.fetchAll("Shop").count == 1)
    #expect(try fresh.fetchAll("Item").count == 2)
    let wins = kind == .mergeByPropertyObjectTrump || kind == .overwrite
    #expect(try foundShop["city"] == (wins ? .string("Graz") : .null))
    #expect(try Set(foundItem.objects(forKey: "tags").names("title")) == ["old", "new"])
    #expect(try fresh.own(poster).object(forKey: "shows") === foundItem)
    #expect(try fresh.own(another).object(forKey: "shop") === foundShop)
    #expect(try fresh.own(box).object(forKey: "item") === (wins ? foundItem : nil))
    try place.verify()
  }

  @Test("AP4: a record that takes the value of another one, under each policy", arguments: MergePolicy.Kind.allCases)
  func ap4Changed(kind: MergePolicy.Kind) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let one = try context.make("Item", ["code": .string("a"), "name": .string("one")])
    let two = try context.make("Item", ["code": .string("b"), "name": .string("two")])
    try context.save()
    try two.setValue(.string("a"), forKey: "code")
    try two.setValue(.string("changed"), forKey: "name")
    context.mergePolicy = MergePolicy(kind)
    let error = saveError { try context.save() }
    let rows = try place.rows("SELECT ZCODE, ZNAME FROM ZITEM ORDER BY Z_PK")
    switch kind {
    case .error:
      #expect(error?.constraintConflicts.first?.databaseObjectID == one.objectID)
      #expect(rows == ["a|one", "b|two"])
    case .mergeByPropertyObjectTrump, .overwrite:
      #expect(rows == ["a|changed"])
      #expect(!one.isValid)
    case .mergeByPropertyStoreTrump: #expect(rows == ["a|one", "b|changed"])
    case .rollback: #expect(rows == ["a|one", "b|two"])
    }
    #expect((error == nil) == (kind != .error))
    #expect(context.hasChanges == (kind == .error))
    context.rollback()
    try place.verify()
  }

  @Test("unique values are exchanged in one save, among two, in a ring, with new and with deleted objects")
  func exchange() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let items = try ["a", "b", "c", "d"].map { try context.make("Item", ["code": .string($0)]) }
    try context.save()
    func codes() throws -> [String] { try place.rows("SELECT ZCODE FROM ZITEM ORDER BY Z_PK") }
    func set(_ index: Int, _ code: String) throws { try items[index].setValue(.string(code), forKey: "code") }
    try set(0, "b")
    try set(1, "a")
    try context.save()
    #expect(try codes() == ["b", "a", "c", "d"])
    try set(0, "a")
    try set(1, "c")
    try set(2, "d")
    try set(3, "b")
    try context.save()
    #expect(try codes() == ["a", "c", "d", "b"])
    #expect(try place.rows("SELECT Z_OPT FROM ZITEM ORDER BY Z_PK") == ["3", "3", "2", "2"])
    // A new object takes a value that another one gives up, which takes that of a deleted one.
    try context.delete(items[3])
    try set(0, "b")
    _ = try context.make("Item", ["code": .string("a")])
    try context.save()
    #expect(try codes() == ["b", "c", "d", "a"])
    try place.verify()
  }

  @Test("values that are unique together are exchanged too")
  func exchangeCompound() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let slots = try [(1, 1), (1, 2), (2, 1)].map {
      try context.make("Slot", ["row": .integer(Int64($0.0)), "column": .integer(Int64($0.1))])
    }
    try context.save()
    try slots[0].setValue(.integer(2), forKey: "column")
    try slots[1].setValue(.integer(2), forKey: "row")
    try slots[1].setValue(.integer(1), forKey: "column")
    try slots[2].setValue(.integer(1), forKey: "row")
    try context.save()
    #expect(try place.rows("SELECT ZROW, ZCOLUMN FROM ZSLOT ORDER BY Z_PK") == ["1|2", "2|1", "1|1"])
    try place.verify()
  }

  @Test("AP4: random keys, changes and deletions end with each key once, and with object-trump the last writer's value")
  func ap4Random() throws {
    let seed = Soak.seed(4115)
    var random = SeededGenerator(seed: seed)
    print("unique values: seed \(seed)")
    for _ in 0..<12 {
      let place = try Workplace(try ConflictModels.shop())
      let context = place.context
      context.mergePolicy = .mergeByPropertyObjectTrump
      var names: [String: String] = [:]
      var count = 0
      for _ in 0..<4 {
        // Only inserts: upserts by key.
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let code = String("abcde".randomElement(using: &random) ?? "a")
          count += 1
          names[code] = "n\(count)"
          _ = try context.make("Item", ["code": .string(code), "name": .string("n\(count)")])
        }
        try context.save()
        #expect(
          try place.rows("SELECT ZCODE, ZNAME FROM ZITEM ORDER BY ZCODE")
            == names.sorted { $0.key < $1.key }.map { "\($0.key)|\($0.value)" })
        if Bool.random(using: &random) { context.reset() }
      }
      // A permutation of all keys, with some given up.
      let items = try context.fetchAll("Item")
      let keys = names.keys.sorted().shuffled(using: &random)
      for (item, key) in zip(items, keys) { try item.setValue(.string(key), forKey: "code") }
      if items.count > 1 { try context.delete(items[0]) }
      try context.save()
      #expect(
        try place.rows("SELECT ZCODE FROM ZITEM ORDER BY ZCODE")
          == keys.dropFirst(items.count > 1 ? 1 : 0).sorted())
      try place.verify()
    }
  }
}
