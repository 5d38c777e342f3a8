import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Conflicts, random")
struct RandomConflictTests {
  /// Changes items and boxes, and which belong to each other.
  private func act(
    _ items: [ManagedObject], _ boxes: [ManagedObject], in context: ManagedObjectContext,
    _ random: inout SeededGenerator
  ) throws {
    for step in 0..<Int.random(in: 1...6, using: &random) {
      let item = try context.own(items[Int.random(in: items.indices, using: &random)])
      let box = try context.own(boxes[Int.random(in: boxes.indices, using: &random)])
      guard !item.isDeleted, !box.isDeleted else { continue }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try item.setValue(.string("\(step)"), forKey: "name")
      case 1: try context.delete(item)
      case 2: try context.delete(box)
      case 3: try box.setObject(nil, forKey: "item")
      case 4: try box.setValue(.integer(Int64(step)), forKey: "size")
      default: try item.setObject(box, forKey: "box")
      }
    }
  }

  @Test("RL16: a reference to a record that somebody else deleted is a conflict", arguments: MergePolicy.Kind.allCases)
  func rl16MissingTargets(kind: MergePolicy.Kind) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let shop = try context.make("Shop", ["name": .string("s")])
    let tag = try context.make("Tag", ["title": .string("t")])
    let item = try context.make("Item", ["code": .string("a")])
    try context.save()
    let other = place.anotherContext()
    let (shopID, tagID) = (shop.objectID, tag.objectID)
    try other.delete(try other.own(shop))
    try other.delete(try other.own(tag))
    try other.save()
    try item.setObject(shop, forKey: "shop")
    try item.add(tag, to: "tags")
    _ = try context.make("Item", ["code": .string("b")]).setObject(shop, forKey: "shop")
    context.mergePolicy = MergePolicy(kind)
    let error = saveError { try context.save() }
    if kind == .error {
      #expect(Set(error?.conflicts ?? []) == [shopID, tagID])
      #expect(error?.mergeConflicts.allSatisfy { $0.newVersion == 0 } == true)
      context.rollback()
    } else {
      #expect(error == nil)
      #expect(!shop.isValid && !tag.isValid)
      #expect(try place.rows("SELECT ZCODE, ZSHOP FROM ZITEM ORDER BY ZCODE") == ["a|null", "b|null"])
      #expect(try context.fetchAll("Item")[0].objects(forKey: "tags").isEmpty)
    }
    try place.verify()
  }

  @Test(
    "RL16: the deletion of a record that somebody else began to refer to is a conflict",
    arguments: MergePolicy.Kind.allCases)
  func rl16UnseenReferences(kind: MergePolicy.Kind) throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let shop = try context.make("Shop", ["name": .string("s")])
    let tag = try context.make("Tag", ["title": .string("t")])
    let item = try context.make("Item", ["code": .string("a")])
    let shown = try context.make("Item", ["code": .string("b")])
    try context.save()
    let other = place.anotherContext()
    let theirs = try other.own(item)
    let deleted = [shop, tag, shown]
    let ids = Set(deleted.map(\.objectID))
    for object in deleted { try context.delete(object) }
    try theirs.setObject(try other.own(shop), forKey: "shop")
    try theirs.add(try other.own(tag), to: "tags")
    try other.make("Poster", [:]).setObject(try other.own(shown), forKey: "shows")
    try other.save()
    context.mergePolicy = MergePolicy(kind)
    let error = saveError { try context.save() }
    let isKept = kind != .mergeByPropertyObjectTrump && kind != .overwrite
    if kind == .error {
      #expect(error?.code == .conflict)
      #expect(Set(error?.conflicts ?? []) == ids)
      #expect(error?.mergeConflicts.allSatisfy { $0.referringIDs.count == 1 } == true)
      context.rollback()
    } else {
      #expect(error == nil)
      #expect(deleted.allSatisfy { $0.isValid == isKept })
    }
    let isGone = isKept ? "0" : "1"
    #expect(try place.rows("SELECT ZSHOP IS NULL FROM ZITEM WHERE ZCODE = 'a'") == [isGone])
    #expect(try place.rows("SELECT ZSHOWS IS NULL FROM ZPOSTER") == [isGone])
    #expect(try place.anotherContext().own(item).objects(forKey: "tags").count == (isKept ? 1 : 0))
    try place.verify()
  }

  @Test(
    "RL16: whatever two contexts do to one-to-one relationships, both ends agree under every policy",
    arguments: MergePolicy.Kind.allCases)
  func rl16OneToOne(kind: MergePolicy.Kind) throws {
    let seed = Soak.seed(4117)
    print("random conflicts: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let place = try Workplace(try ConflictModels.shop())
      let context = place.context
      let items = try (0..<4).map { try context.make("Item", ["code": .string("\($0)")]) }
      let boxes = try (0..<4).map { _ in try context.make("Box", [:]) }
      for (item, box) in zip(items, boxes).prefix(3) { try item.setObject(box, forKey: "box") }
      try context.save()
      let other = place.anotherContext()
      for object in try other.fetchAll("Item") + other.fetchAll("Box") {
        _ = try other.existingObject(with: object.objectID)
      }
      try act(items, boxes, in: other, &random)
      try act(items, boxes, in: context, &random)
      try other.save()
      context.mergePolicy = MergePolicy(kind)
      let error = saveError { try context.save() }
      if let error {
        #expect(kind == .error && error.code == .conflict, "seed \(seed): \(error)")
        context.rollback()
      }
      let fresh = place.anotherContext()
      for item in try fresh.fetchAll("Item") {
        guard let box = try item.object(forKey: "box") else { continue }
        #expect(try box.object(forKey: "item") === item, "seed \(seed)")
      }
      for box in try fresh.fetchAll("Box") {
        guard let item = try box.object(forKey: "item") else { continue }
        #expect(try item.object(forKey: "box") === box, "seed \(seed)")
      }
      try place.verify()
    }
  }

  /// Deletes shops, tags, items and posters, and relates them in every way.
  private func relate(
    _ all: [ManagedObject], in context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let own = try all.map { try context.own($0) }
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let live = own.filter { $0.isValid && !$0.isDeleted }
      var picked: [String: ManagedObject] = [:]
      for object in live.shuffled(using: &random) { picked[object.entity.name] = object }
      guard let item = picked["Item"] else { return }
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: if let any = live.randomElement(using: &random) { try context.delete(any) }
      case 3: try item.setObject(nil, forKey: "shop")
      case 4: if let tag = picked["Tag"] { try item.add(tag, to: "tags") }
      case 5: if let poster = picked["Poster"] { try poster.setObject(item, forKey: "shows") }
      default: try item.setObject(picked["Shop"], forKey: "shop")
      }
    }
  }

  @Test(
    "RL16: whatever two contexts delete and relate, no reference leads nowhere under any policy",
    arguments: MergePolicy.Kind.allCases)
  func rl16TwoContexts(kind: MergePolicy.Kind) throws {
    let seed = Soak.seed(4118)
    print("random deletions: seed \(seed)")
    try twoContexts(kind, seed, rounds: Soak.isOn ? 1000 : 25)
  }

  private func twoContexts(_ kind: MergePolicy.Kind, _ seed: UInt64, rounds: Int) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<rounds {
      let place = try Workplace(try ConflictModels.shop())
      let context = place.context
      var all: [ManagedObject] = []
      for number in 0..<3 {
        all.append(try context.make("Shop", ["name": .string("\(number)")]))
        all.append(try context.make("Item", ["code": .string("\(number)")]))
        for entity in ["Tag", "Poster"] { all.append(try context.make(entity, [:])) }
      }
      try context.save()
      let other = place.anotherContext()
      try relate(all, in: other, &random)
      try relate(all, in: context, &random)
      try other.save()
      context.mergePolicy = MergePolicy(kind)
      if let error = saveError({ try context.save() }) {
        #expect(kind == .error && error.code == .conflict, "seed \(seed): \(error)")
        context.rollback()
      }
      try place.verify()
    }
  }
}
