import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Saves that fail after a merge policy acted")
struct FailedResolutionTests {
  /// Resolves as a standard policy does, and makes the save fail then.
  private final class Failing: MergePolicy {
    override func resolve(
      optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext
    ) throws(SaveError) {
      try super.resolve(optimisticLockingConflicts: conflicts, in: context)
      throw SaveError(conflicts)
    }

    override func resolve(
      constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext
    ) throws(SaveError) {
      try super.resolve(constraintConflicts: conflicts, in: context)
      throw SaveError(conflicts)
    }
  }

  private static let acting = MergePolicy.Kind.allCases.filter { $0 != .error }

  @Test("rows that others changed are what they were before the policy acted", arguments: acting)
  func changedRows(kind: MergePolicy.Kind) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let both = try context.make("Item", ["name": .string("base"), "note": .string("base")])
    let goneThere = try context.make("Item", ["name": .string("base")])
    let goneHere = try context.make("Item", ["name": .string("base")])
    let box = try context.make("Box", ["size": .integer(1)])
    try both.setObject(box, forKey: "box")
    try context.save()
    let other = place.anotherContext()
    try other.own(both).setValue(.string("theirs"), forKey: "note")
    try other.own(both).setObject(nil, forKey: "box")
    try other.delete(try other.own(goneThere))
    try other.own(goneHere).setValue(.string("theirs"), forKey: "note")
    try other.save()

    context.undoManager = UndoManager()
    try both.setValue(.string("mine"), forKey: "name")
    try goneThere.setValue(.string("mine"), forKey: "name")
    try context.delete(goneHere)
    let new = try context.make("Item", ["name": .string("new")])
    context.mergePolicy = Failing(kind)
    #expect(saveError { try context.save() }?.code == .conflict)
    #expect(try both["name"] == .string("mine"))
    #expect(try both["note"] == .string("base"))
    #expect(try both.object(forKey: "box") === box)
    #expect(both.isUpdated && !box.hasChanges)
    #expect(goneThere.isValid && goneThere.isUpdated)
    #expect(try goneThere["name"] == .string("mine"))
    #expect(goneHere.isDeleted)
    #expect(new.isInserted && new.objectID.isTemporary)

    // The conflicts are those of the first time.
    context.mergePolicy = .error
    let conflicts = saveError { try context.save() }?.mergeConflicts ?? []
    #expect(conflicts.map(\.oldVersion) == [1, 1, 1])
    // Steps of undo are still there.
    #expect(context.undoManager?.canUndo == true)
    context.mergePolicy = .overwrite
    try context.save()
    #expect(
      try place.rows("SELECT ZNAME, ZNOTE FROM ZITEM ORDER BY Z_PK") == ["mine|base", "mine|null", "new|null"])
    #expect(both.isValid && goneThere.isValid && new.isValid && !goneHere.isValid)
    try place.verify()
  }

  @Test("a new object that became one with a stored record is itself again")
  func mergedObject() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let shop = try context.make("Shop", ["name": .string("s")])
    let tag = try context.make("Tag", ["title": .string("t")])
    try context.save()
    let other = place.anotherContext()
    _ = try other.make("Item", ["code": .string("a"), "name": .string("theirs")])
    try other.save()

    let new = try context.make("Item", ["code": .string("a"), "name": .string("mine")])
    let poster = try context.make("Poster", [:])
    try new.setObject(shop, forKey: "shop")
    try new.add(tag, to: "tags")
    try poster.setObject(new, forKey: "shows")
    context.mergePolicy = Failing(.mergeByPropertyObjectTrump)
    #expect(saveError { try context.save() }?.code == .constraint)
    #expect(new.isValid && new.isInserted && new.objectID.isTemporary)
    #expect(try new["name"] == .string("mine"))
    #expect(try new.object(forKey: "shop") === shop)
    #expect(try new.objects(forKey: "tags").first === tag)
    #expect(try poster.object(forKey: "shows") === new)
    #expect(try context.count("Item") == 2)
    #expect(try place.rows("SELECT ZNAME, Z_OPT FROM ZITEM") == ["theirs|1"])

    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(try place.rows("SELECT Z_PK, ZNAME, ZSHOP FROM ZITEM") == ["1|mine|1"])
    #expect(try place.rows("SELECT ZSHOWS FROM ZPOSTER") == ["1"])
    #expect(try tag.objects(forKey: "items").count == 1)
    try place.verify()
  }

  @Test("a new object that a rollback policy gave up is there again, and can get another value")
  func anotherValue() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let stored = try context.make("Item", ["code": .string("a"), "name": .string("stored")])
    try context.save()
    let new = try context.make("Item", ["code": .string("a"), "name": .string("new")])
    context.mergePolicy = Failing(.rollback)
    #expect(saveError { try context.save() }?.code == .constraint)
    #expect(new.isValid && new !== stored)
    try new.setValue(.string("b"), forKey: "code")
    try context.save()
    #expect(try place.rows("SELECT ZCODE, ZNAME FROM ZITEM ORDER BY Z_PK") == ["a|stored", "b|new"])
    try place.verify()
  }
}
