import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// A record as plain values, and what each policy makes of two versions of it.
private struct PlainItem: Equatable {
  static let keys = ["name", "note", "amount"]
  var values: [String: AttributeValue]

  enum Outcome: Equatable {
    case fails
    case stored(PlainItem?)
  }

  /// What Apple documents: `nil` is a deleted record.
  static func outcome(
    _ policy: MergePolicy.Kind, base: PlainItem, mine: PlainItem?, theirs: PlainItem?
  ) -> Outcome {
    func combined(_ first: PlainItem, _ second: PlainItem) -> PlainItem {
      // What `first` changed counts, else what `second` has.
      var result = second
      for key in keys where first.values[key] != base.values[key] { result.values[key] = first.values[key] }
      return result
    }
    switch policy {
    case .error: return .fails
    case .overwrite: return .stored(mine)
    case .rollback: return .stored(theirs)
    case .mergeByPropertyStoreTrump:
      guard let mine, let theirs else { return .stored(theirs) }
      return .stored(combined(theirs, mine))
    case .mergeByPropertyObjectTrump:
      guard let mine, let theirs else { return .stored(mine) }
      return .stored(combined(mine, theirs))
    }
  }
}

@Suite("Merge policies")
struct MergePolicyTests {
  private static let base = PlainItem(values: ["name": .string("base"), "note": .string("base"), "amount": .integer(1)])

  private func with(_ values: [String: AttributeValue]) -> PlainItem {
    PlainItem(values: Self.base.values.merging(values) { $1 })
  }

  /// Two contexts change one record; returns what became of it.
  private func check(
    _ policy: MergePolicy.Kind, mine: PlainItem?, theirs: PlainItem?, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let item = try context.make("Item", Self.base.values)
    try context.save()
    let other = place.anotherContext()
    func apply(_ version: PlainItem?, _ object: ManagedObject, _ context: ManagedObjectContext) throws {
      guard let version else { return try context.delete(object) }
      for key in PlainItem.keys { try object.setValue(version.values[key] ?? .null, forKey: key) }
    }
    try apply(mine, item, context)
    try apply(theirs, try other.own(item), other)
    try other.save()
    context.mergePolicy = MergePolicy(policy)
    let error = saveError { try context.save() }
    func read(_ context: ManagedObjectContext) throws -> PlainItem? {
      guard let object = try context.fetchAll("Item").first else { return nil }
      var values: [String: AttributeValue] = [:]
      for key in PlainItem.keys { values[key] = try object.value(forKey: key) }
      return PlainItem(values: values)
    }
    let fresh = place.anotherContext()
    switch PlainItem.outcome(policy, base: Self.base, mine: mine, theirs: theirs) {
    case .fails:
      #expect(error?.code == .conflict, sourceLocation: sourceLocation)
      #expect(error?.mergeConflicts.count == 1, sourceLocation: sourceLocation)
      #expect(try read(fresh) == theirs, sourceLocation: sourceLocation)
      #expect(context.hasChanges, sourceLocation: sourceLocation)
    case .stored(let expected):
      #expect(error == nil, "\(error?.message ?? "")", sourceLocation: sourceLocation)
      #expect(try read(fresh) == expected, sourceLocation: sourceLocation)
      #expect(try read(context) == expected, sourceLocation: sourceLocation)
      #expect(!context.hasChanges, sourceLocation: sourceLocation)
      #expect(item.isValid == (expected != nil), sourceLocation: sourceLocation)
      let statements = try place.statements { try context.save() }
      #expect(statements == [], sourceLocation: sourceLocation)
      // The version is known: the next change is no conflict.
      if expected != nil {
        context.mergePolicy = .error
        try item.setValue(.string("after"), forKey: "name")
        try context.save()
        #expect(try place.rows("SELECT ZNAME FROM ZITEM") == ["after"], sourceLocation: sourceLocation)
      }
    }
    context.rollback()
    try place.verify(sourceLocation: sourceLocation)
  }

  @Test("AP44: each policy, where both sides changed the same property", arguments: MergePolicy.Kind.allCases)
  func ap44SameProperty(policy: MergePolicy.Kind) throws {
    try check(policy, mine: with(["name": .string("mine")]), theirs: with(["name": .string("theirs")]))
  }

  @Test("AP44: each policy, where the sides changed different properties", arguments: MergePolicy.Kind.allCases)
  func ap44DifferentProperties(policy: MergePolicy.Kind) throws {
    try check(policy, mine: with(["name": .string("mine")]), theirs: with(["note": .string("theirs")]))
  }

  @Test("AP44: each policy, where the store's record was deleted", arguments: MergePolicy.Kind.allCases)
  func ap44DeletedThere(policy: MergePolicy.Kind) throws {
    try check(policy, mine: with(["name": .string("mine")]), theirs: nil)
  }

  @Test("AP44: each policy, where a record that is deleted here was changed", arguments: MergePolicy.Kind.allCases)
  func ap44DeletedHere(policy: MergePolicy.Kind) throws {
    try check(policy, mine: nil, theirs: with(["name": .string("theirs")]))
  }

  @Test("AP44: each policy, where both sides deleted the record", arguments: MergePolicy.Kind.allCases)
  func ap44DeletedTwice(policy: MergePolicy.Kind) throws { try check(policy, mine: nil, theirs: nil) }

  @Test("trap 17: with store-trump the store's value wins where both changed it, with object-trump this context's")
  func trap17Names() throws {
    for (policy, expected) in [
      (MergePolicy.mergeByPropertyStoreTrump, "theirs|mine"), (.mergeByPropertyObjectTrump, "mine|mine"),
    ] {
      let place = try Workplace(try ConflictModels.shop())
      let item = try place.context.make("Item", ["name": .string("base"), "note": .string("base")])
      try place.context.save()
      let other = place.anotherContext()
      try other.own(item).setValue(.string("theirs"), forKey: "name")
      try other.save()
      for key in ["name", "note"] { try item.setValue(.string("mine"), forKey: key) }
      place.context.mergePolicy = policy
      try place.context.save()
      #expect(try place.rows("SELECT ZNAME, ZNOTE FROM ZITEM") == [expected])
    }
  }

  @Test("AP44: random versions end as the rules say", arguments: MergePolicy.Kind.allCases)
  func ap44Random(policy: MergePolicy.Kind) throws {
    let seed = Soak.seed(4116)
    var random = SeededGenerator(seed: seed)
    print("merge policies: seed \(seed)")
    for _ in 0..<12 {
      func version() -> PlainItem? {
        if Int.random(in: 0..<6, using: &random) == 0 { return nil }
        var result = Self.base
        while result == Self.base {
          if Bool.random(using: &random) {
            result.values["name"] = [.string("x"), .string("y"), .null].randomElement(using: &random)
          }
          if Bool.random(using: &random) {
            result.values["note"] = [.string("x"), .string("y"), .null].randomElement(using: &random)
          }
          if Bool.random(using: &random) { result.values["amount"] = .integer(Int64.random(in: 1...3, using: &random)) }
        }
        return result
      }
      try check(policy, mine: version(), theirs: version())
    }
  }

  @Test("AP45: a conflict has the versions and what object, context and store hold")
  func ap45Details() throws {
    let place = try Workplace(try ConflictModels.shop())
    let shop = try place.context.make("Shop", ["name": .string("s")])
    let items = try (0..<3).map { try place.context.make("Item", ["name": .string("\($0)")]) }
    for item in items { try item.setObject(shop, forKey: "shop") }
    try place.context.save()
    let other = place.anotherContext()
    let theirs = try items.map { try other.own($0) }
    try theirs[0].setValue(.string("theirs"), forKey: "note")
    try other.delete(theirs[1])
    try theirs[2].setValue(.string("theirs"), forKey: "note")
    try other.save()
    try items[0].setValue(.string("mine"), forKey: "name")
    try items[0].setObject(nil, forKey: "shop")
    try items[1].setValue(.string("mine"), forKey: "name")
    try place.context.delete(items[2])
    let error = try #require(saveError { try place.context.save() })
    #expect(error.code == .conflict)
    #expect(error.conflicts == items.map(\.objectID))
    let conflicts = error.mergeConflicts
    try #require(conflicts.count == 3)
    #expect(conflicts.map(\.oldVersion) == [1, 1, 1])
    #expect(conflicts.map(\.newVersion) == [2, 0, 2])
    #expect(conflicts[0].objectSnapshot?["name"] == .attribute(.string("mine")))
    #expect(conflicts[0].objectSnapshot?["shop"] == .null)
    #expect(conflicts[0].cachedSnapshot["name"] == .attribute(.string("0")))
    #expect(conflicts[0].cachedSnapshot["shop"] == .objectID(shop.objectID))
    #expect(conflicts[0].cachedSnapshot["note"] == .null)
    #expect(conflicts[0].persistedSnapshot?["note"] == .attribute(.string("theirs")))
    #expect(conflicts[0].persistedSnapshot?["shop"] == .objectID(shop.objectID))
    #expect(conflicts[1].persistedSnapshot == nil)
    #expect(conflicts[1].objectSnapshot != nil)
    #expect(conflicts[2].objectSnapshot == nil)
    #expect(conflicts[2].persistedSnapshot != nil)
    #expect(error.message.contains("Item 2: version 1 here, deleted in the store"))
  }

  @Test("AP45: the context keeps its changes when a save fails, and they are saved once the policy is another one")
  func ap45Again() throws {
    let place = try Workplace(try ConflictModels.shop())
    let item = try place.context.make("Item", ["name": .string("base")])
    try place.context.save()
    let other = place.anotherContext()
    try other.own(item).setValue(.string("theirs"), forKey: "note")
    try other.save()
    try item.setValue(.string("mine"), forKey: "name")
    let new = try place.context.make("Item", ["name": .string("new")])
    #expect(saveError { try place.context.save() }?.code == .conflict)
    #expect(new.objectID.isTemporary)
    #expect(new.isInserted && item.isUpdated)
    place.context.mergePolicy = .mergeByPropertyObjectTrump
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZNOTE FROM ZITEM ORDER BY Z_PK") == ["mine|theirs", "new|null"])
    try place.verify()
  }

  @Test("AP44: a policy of one's own changes the objects of the conflicts, and a standard one does the rest")
  func ap44Custom() throws {
    final class Summing: MergePolicy {
      var seen: [MergeConflict] = []
      override func resolve(
        optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext
      ) throws(SaveError) {
        seen += conflicts
        for conflict in conflicts {
          guard case .attribute(.integer(let mine)) = conflict.objectSnapshot?["amount"],
            case .attribute(.integer(let base)) = conflict.cachedSnapshot["amount"],
            case .attribute(.integer(let theirs)) = conflict.persistedSnapshot?["amount"]
          else { continue }
          do {
            try context.object(with: conflict.objectID).setValue(.integer(mine + theirs - base), forKey: "amount")
          } catch {
            throw SaveError(conflicts)
          }
        }
        try super.resolve(optimisticLockingConflicts: conflicts, in: context)
      }
    }
    let place = try Workplace(try ConflictModels.shop())
    let item = try place.context.make("Item", ["amount": .integer(10)])
    try place.context.save()
    let other = place.anotherContext()
    try other.own(item).setValue(.integer(15), forKey: "amount")
    try other.save()
    try item.setValue(.integer(12), forKey: "amount")
    let policy = Summing(.mergeByPropertyObjectTrump)
    place.context.mergePolicy = policy
    try place.context.save()
    #expect(policy.seen.map(\.objectID) == [item.objectID])
    #expect(try place.rows("SELECT ZAMOUNT, Z_OPT FROM ZITEM") == ["17|3"])

    // One that resolves nothing fails the save instead of going round for ever.
    final class Idle: MergePolicy {
      override func resolve(
        optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext
      ) throws(SaveError) {}
    }
    try other.own(item).setValue(.integer(1), forKey: "amount")
    other.mergePolicy = .overwrite
    try other.save()
    try item.setValue(.integer(2), forKey: "amount")
    place.context.mergePolicy = Idle(.rollback)
    #expect(saveError { try place.context.save() }?.mergeConflicts.count == 1)
    #expect(try place.rows("SELECT ZAMOUNT FROM ZITEM") == ["1"])
  }

  @Test("AP44: what is stored again refers to nothing that is gone")
  func ap44StoredAgain() throws {
    let place = try Workplace(try ConflictModels.shop())
    let shop = try place.context.make("Shop", ["name": .string("s")])
    let item = try place.context.make("Item", ["name": .string("i")])
    try item.setObject(shop, forKey: "shop")
    try place.context.save()
    let other = place.anotherContext()
    try other.delete(try other.own(item))
    try other.delete(try other.own(shop))
    try other.save()
    try item.setValue(.string("mine"), forKey: "name")
    place.context.mergePolicy = .overwrite
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZSHOP FROM ZITEM") == ["mine|null"])
    try place.verify()
  }

  @Test("a save without conflicts runs the statements that it ran before there were policies")
  func costsNothing() throws {
    let place = try Workplace(try ConflictModels.shop())
    let item = try place.context.make("Item", ["code": .string("a")])
    try place.context.save()
    place.context.mergePolicy = .mergeByPropertyObjectTrump
    try item.setValue(.string("b"), forKey: "code")
    let statements = try place.statements { try place.context.save() }
    #expect(statements.filter { !$0.hasPrefix("PRAGMA") }.count == 3, "\(statements)")
  }

  @Test("OL16: refreshing with merging reads the store and keeps what was set here")
  func ol16RefreshMerging() throws {
    let place = try Workplace(try ConflictModels.shop())
    let item = try place.context.make("Item", ["name": .string("base"), "note": .string("base")])
    try place.context.save()
    let other = place.anotherContext()
    try other.own(item).setValue(.string("theirs"), forKey: "note")
    try other.save()
    try item.setValue(.string("mine"), forKey: "name")
    try place.context.refresh(item, mergingChanges: true)
    #expect(try item["name"] == .string("mine"))
    #expect(try item["note"] == .string("theirs"))
    #expect(item.isUpdated)
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZNOTE FROM ZITEM") == ["mine|theirs"])
  }

  @Test("OL17: refreshing without merging drops what was set here")
  func ol17RefreshDropping() throws {
    let place = try Workplace(try ConflictModels.shop())
    let item = try place.context.make("Item", ["name": .string("base")])
    try place.context.save()
    try item.setValue(.string("mine"), forKey: "name")
    try place.context.refresh(item, mergingChanges: false)
    #expect(!item.hasChanges && !place.context.hasChanges)
    #expect(try item["name"] == .string("base"))
  }

  @Test("OL23: a thousand contexts on one coordinator are made within a second")
  func ol23ManyContexts() throws {
    let place = try Workplace(try ConflictModels.shop())
    var contexts: [ManagedObjectContext] = []
    let time = ProcessorTime.measure { for _ in 0..<1000 { contexts.append(place.anotherContext()) } }
    #expect(time < .seconds(1))
    #expect(contexts.count == 1000)
  }

  @Test("OL24: the coordinator is obtainable from another context")
  func ol24Coordinator() throws {
    let place = try Workplace(try ConflictModels.shop())
    let coordinator = try #require(place.context.coordinator)
    #expect(ManagedObjectContext(coordinator: coordinator).coordinator === place.coordinator)
  }
}
