import CoreData
import MergewalkTestSupport
import Testing

/// Small programs as people write them for Core Data: values, validation, unique values, merging, lifetime.
@Suite("Programs: values, validation, merging")
struct ValuePrograms {
  @Test("a transformable attribute keeps plain values, notices another value, and is null again")
  func transformable() throws {
    let place = try Workplace(try Models.types())
    let thing = try place.context.insert("Thing")
    let value: [String: Any] = ["list": ["a", "b"], "number": 7, "inner": ["on": true]]
    try thing.setTransformedValue(value, forKey: "transformable")
    try place.context.save()
    try thing.setTransformedValue(value, forKey: "transformable")
    #expect(!thing.hasPersistentChangedValues, "the same value is no change")
    try place.reopen()
    let again = try #require(try place.context.fetchAll("Thing").first)
    let read = try #require(try again.transformedValue(forKey: "transformable") as? [String: Any])
    #expect(read["list"] as? [String] == ["a", "b"] && read["number"] as? Int == 7)
    #expect((read["inner"] as? [String: Any])?["on"] as? Bool == true)
    try again.setTransformedValue(nil, forKey: "transformable")
    try place.context.save()
    #expect(try place.rows("SELECT ZTRANSFORMABLE FROM ZTHING") == ["null"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
    request.predicate = NSPredicate(format: "transformable == nil")
    #expect(try place.context.count(for: request) == 1)
  }

  @Test("what a save refuses is a sentence with the object's name and the value, all of it at once")
  func sentences() throws {
    var name = Models.attribute("name", .string, optional: false)
    name.validation.maximumLength = 8
    var age = Models.attribute("age", .integer16)
    age.validation.minimumValue = .integer(18)
    var code = Models.attribute("code", .string)
    code.validation.regularExpression = "[A-Z]+"
    let place = try Workplace(
      try Models.model(
        Models.entity("Person", attributes: [name, age, code, Models.attribute("score", .double, optional: false)])))
    let person = try place.context.insert("Person")
    try person.setValue(.string("Ada Lovelace"), forKey: "name")
    try person.setValue(.integer(7), forKey: "age")
    try person.setValue(.string("abc"), forKey: "code")
    let second = try place.context.insert("Person")
    try second.setValue(.double(1), forKey: "score")
    let error = try #require(saveError { try place.context.save() })
    let found = Set(error.failures.map(\.sentence))
    #expect(found.count == 5 && error.message.split(separator: "\n").count == 5)
    #expect(found.contains("Person “Ada Lovelace”: score is required"))
    #expect(found.contains("new Person 2: name is required"))
    for (key, value) in [("age", "7"), ("code", "“abc”"), ("name", "“Ada Lovelace”")] {
      #expect(found.contains { $0.hasPrefix("Person “Ada Lovelace”: \(key) \(value) ") }, "\(found)")
    }
    #expect(error.failures.allSatisfy { $0.code.coreDataErrorNumber >= 1550 })
    // Nothing was lost: what is mended is saved.
    for (key, value) in [("name", "Ada"), ("code", "ADA")] { try person.setValue(.string(value), forKey: key) }
    try person.setValue(.integer(36), forKey: "age")
    try person.setValue(.double(2), forKey: "score")
    try place.context.delete(second)
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZAGE, ZCODE FROM ZPERSON") == ["Ada|36|ADA"])
  }

  @Test(
    "two new objects with one unique value in one save, and one that comes from a child",
    arguments: MergePolicy.Kind.allCases)
  func uniqueInOneSave(kind: MergePolicy.Kind) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    context.mergePolicy = MergePolicy(kind)
    _ = try context.make("Item", ["code": .string("a"), "name": .string("parent")])
    let child = ManagedObjectContext(parent: context)
    _ = try child.make("Item", ["code": .string("a"), "name": .string("child")])
    // A child's save goes to its parent, where nothing is unique yet.
    try child.save()
    #expect(try context.count("Item") == 2)
    let error = saveError { try context.save() }
    #expect((error?.code == .constraint) == (kind == .error))
    #expect(try place.rows("SELECT count(*) FROM ZITEM") == [kind == .error ? "0" : "1"])
    if kind == .error {
      #expect(error?.constraintConflicts.first?.conflictingObjectIDs.count == 2)
      try context.delete(try #require(try context.fetch("Item", where: ["name": .string("child")]).first))
      try context.save()
    }
    #expect(!context.hasChanges)
    #expect(try context.count("Item") == 1 && place.rows("SELECT ZCODE FROM ZITEM") == ["a"])
    try place.verify()
  }

  @Test("an object is one instance in its context; after a reset it is another, and the old one is of no use")
  func identity() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let item = try context.make("Item", ["code": .string("a")])
    #expect(context.registeredObject(with: item.objectID) === item)
    try context.save()
    let id = item.objectID
    #expect(try context.fetchAll("Item").first === item && context.object(with: id) === item)
    #expect(try context.existingObject(with: id) === item)
    let other = place.anotherContext()
    #expect(other.registeredObject(with: id) == nil)
    #expect(try other.object(with: id) !== item)
    context.reset()
    #expect(!item.isValid && item.context == nil && context.registeredObject(with: id) == nil)
    #expect(objectErrorCode { _ = try item.value(forKey: "code") } == .invalid)
    let again = try context.object(with: id)
    #expect(again !== item && again.isFault)
    #expect(try again["code"] == .string("a"))
    #expect(!again.isFault && !context.hasChanges)
  }

  @Test("permanent IDs that are rolled back leave nothing, and are not given out again")
  func permanentIDs() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let first = try context.make("Item", ["code": .string("a")])
    try context.obtainPermanentIDs(for: [first])
    let id = first.objectID
    context.rollback()
    #expect(try context.existingObject(with: id) == nil && place.rows("SELECT count(*) FROM ZITEM") == ["0"])
    let second = try context.make("Item", ["code": .string("b")])
    try context.save()
    #expect(second.objectID != id && !second.objectID.isTemporary)
    try place.verify()
  }

  @Test("a context that merges by itself follows saves and deletions of another, and keeps what was changed here")
  func following() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    context.automaticallyMergesChangesFromParent = true
    let items = try ["a", "b", "c"].map { try context.make("Item", ["code": .string($0), "name": .string($0)]) }
    try context.save()
    let other = place.anotherContext()
    try items[1].setValue(.string("mine"), forKey: "note")
    try other.own(items[0]).setValue(.string("theirs"), forKey: "name")
    try other.own(items[1]).setValue(.string("theirs"), forKey: "name")
    try other.delete(try other.own(items[2]))
    _ = try other.make("Item", ["code": .string("d")])
    try other.save()
    #expect(try items[0]["name"] == .string("theirs") && !items[0].hasChanges)
    #expect(try items[1]["name"] == .string("theirs") && items[1]["note"] == .string("mine"))
    #expect(items[2].isDeleted && context.deletedObjects.isEmpty)
    #expect(try context.count("Item") == 3)
    try context.save()
    #expect(try place.rows("SELECT ZNAME, ZNOTE FROM ZITEM WHERE ZCODE = 'b'") == ["theirs|mine"])
  }

  @Test("prefetched relationships take one statement each, however many objects there are")
  func prefetching() throws {
    let place = try Workplace(try ConflictModels.shop())
    let shops = try (0..<4).map { try place.context.make("Shop", ["name": .string("s\($0)")]) }
    let tag = try place.context.make("Tag", ["title": .string("t")])
    for number in 0..<20 {
      let item = try place.context.make("Item", ["code": .string("\(number)")])
      try item.setObject(shops[number % 4], forKey: "shop")
      try item.add(tag, to: "tags")
    }
    try place.context.save()
    try place.reopen()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.relationshipKeyPathsForPrefetching = ["shop", "tags"]
    request.sortDescriptors = [
      NSSortDescriptor(key: "shop.name", ascending: true), NSSortDescriptor(key: "code", ascending: false),
    ]
    var names: [String] = []
    let statements = try place.statements {
      for item in try place.context.fetch(request) {
        names += [try item.object(forKey: "shop")].compactMap { $0 }.names()
        #expect(try item.objects(forKey: "tags").names("title") == ["t"])
      }
    }
    #expect(names == (0..<20).map { "s\($0 / 5)" })
    #expect(statements.filter { $0.hasPrefix("SELECT") }.count <= 4, "\(statements)")
  }

  @Test("expressions in memory: arithmetic, functions, conditions, collections")
  func expressions() throws {
    let place = try Workplace(try ConflictModels.shop())
    let shop = try place.context.make("Shop", ["name": .string("Corner")])
    for number in 1...3 {
      let item = try place.context.make("Item", ["code": .string("c\(number)"), "amount": .integer(Int64(number))])
      try item.setObject(shop, forKey: "shop")
    }
    func value(_ format: String) throws -> AttributeValue {
      guard case .attribute(let value) = try NSExpression(format: format).evaluate(with: .object(shop)) else {
        return .null
      }
      return value
    }
    #expect(try value("1 + 2 * 3") == .integer(7))
    #expect(try value("items.@count + items.@max.amount") == .integer(6))
    #expect(try value("uppercase:(name)") == .string("CORNER"))
    #expect(try value("length:(name)") == .integer(6))
    #expect(try value("TERNARY(items.@count > 2, 'many', 'few')") == .string("many"))
    #expect(try value("items.@avg.amount") == .double(2))
    #expect(try value("name") == .string("Corner"))
    #expect(try NSPredicate(format: "items.@sum.amount == 6 AND name ==[c] 'corner'").evaluate(with: shop))
    #expect(try !NSPredicate(format: "ANY items.amount > 3").evaluate(with: shop))
  }

  @Test("what two contexts add to one relationship is all there; what one deletes leaves the other's list")
  func sharedRelationship() throws {
    let place = try Workplace(try ConflictModels.shop())
    let (context, other) = (place.context, place.anotherContext())
    let tags = try (0..<3).map { try context.make("Tag", ["title": .string("t\($0)")]) }
    let item = try context.make("Item", ["code": .string("a")])
    try item.add(tags[0], to: "tags")
    try context.save()
    let theirs = try other.own(item)
    #expect(try theirs.objects(forKey: "tags").count == 1)
    try item.add(tags[1], to: "tags")
    try theirs.add(try other.own(tags[2]), to: "tags")
    try context.save()
    try other.save()
    try context.refresh(item, mergingChanges: false)
    #expect(Set(try item.objects(forKey: "tags")) == Set(tags))
    try other.delete(try other.own(tags[0]))
    try other.save()
    try context.refreshAllObjects()
    #expect(Set(try item.objects(forKey: "tags")) == Set(tags.dropFirst()))
    try place.verify()
  }

  @Test("a results controller without sections follows a predicate over a relationship, and a limit")
  func resultsOverRelationships() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let shops = try ["x", "y"].map { try context.make("Shop", ["name": .string($0)]) }
    let items = try (0..<4).map { try context.make("Item", ["code": .string("\($0)")]) }
    for item in items { try item.setObject(shops[0], forKey: "shop") }
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
    request.predicate = NSPredicate(format: "shop.name == %@", "x")
    request.fetchLimit = 3
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    #expect(controller.fetchedObjects == Array(items.prefix(3)) && controller.sections?.count == 1)
    try items[1].setObject(shops[1], forKey: "shop")
    try context.processPendingChanges()
    #expect(controller.fetchedObjects == [items[0], items[2], items[3]])
    try context.delete(items[0])
    try context.save()
    #expect(controller.fetchedObjects == [items[2], items[3]])
    // Another object's value decides: the next save tells.
    try shops[0].setValue(.string("z"), forKey: "name")
    try shops[1].setValue(.string("x"), forKey: "name")
    try context.save()
    #expect(controller.fetchedObjects == [items[1]])
  }
}
