import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite("Undo of random operations")
struct RandomUndoTests {
  /// A garden, and what it was after each step.
  final class Walk {
    let garden: Garden
    var random: SeededGenerator
    let seed: UInt64
    /// Whether saves come in between.
    let saves: Bool
    /// By number of steps that can be undone.
    var contents: [[String]] = []

    init(seed: UInt64) throws {
      self.seed = seed
      saves = seed % 2 == 0
      garden = try Garden()
      random = SeededGenerator(seed: seed)
      contents = [try garden.contents()]
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick(_ kind: String) throws -> ManagedObject? {
      try garden.context.fetchAll(kind).randomElement(using: &random)
    }

    func saveSometimes() throws {
      guard saves, chance(15) else { return }
      let before = try garden.contents()
      do { try garden.context.save() } catch {
        // A tag with nodes was deleted.
        guard error.code == .validation else { throw error }
      }
      #expect(try garden.contents() == before, "seed \(seed): a save changed something")
    }

    func operate() throws {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<20:
        let kind = ["Node", "Node", "Tree", "Bed", "Tag", "Note"].randomElement(using: &random) ?? ""
        try garden.insert(kind)
      case 20..<30:
        let kind = ["Node", "Bed", "Tag", "Note"].randomElement(using: &random) ?? ""
        if let victim = try pick(kind) { try garden.context.delete(victim) }
      case 30..<45:
        guard let node = try pick("Node") else { return }
        let value = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try node.setValue(value == 0 ? .null : .string("text \(value)"), forKey: "text")
        case 1: try node.setValue(.integer(Int64(-value)), forKey: "number")
        case 2: try node.setValue(.binary([UInt8](repeating: 7, count: value)), forKey: "data")
        default: try node.setValue(.string("new \(value) \(Int.random(in: 0..<1000, using: &random))"), forKey: "text")
        }
      case 45..<65:
        let key = ["parent", "partner", "bed"].randomElement(using: &random) ?? ""
        guard let node = try pick("Node") else { return }
        let other = chance(25) ? nil : try pick(key == "bed" ? "Bed" : "Node")
        try node.setObject(other, forKey: key)
      case 65..<85:
        let (kind, key, other) =
          [
            ("Node", "children", "Node"), ("Node", "friends", "Node"), ("Node", "tags", "Tag"),
            ("Tag", "nodes", "Node"),
            ("Node", "notes", "Note"), ("Bed", "nodes", "Node"),
          ].randomElement(using: &random) ?? ("", "", "")
        guard let owner = try pick(kind), let member = try pick(other) else { return }
        if chance(30) { try owner.remove(member, from: key) } else { try owner.add(member, to: key) }
      default:
        let (kind, key, other) =
          [("Node", "tags", "Tag"), ("Tag", "nodes", "Node"), ("Bed", "nodes", "Node")].randomElement(using: &random)
          ?? ("", "", "")
        guard let owner = try pick(kind), let member = try pick(other) else { return }
        try owner.insert(member, into: key, at: Int.random(in: 0..<4, using: &random))
      }
    }

    func event() throws {
      for _ in 0..<Int.random(in: 1..<4, using: &random) { try operate() }
      try garden.context.processPendingChanges()
      let now = try garden.contents()
      let steps = garden.manager.undoCount
      contents.removeLast(max(0, contents.count - steps - (steps == 0 ? 1 : 0)))
      if steps == contents.count { contents.append(now) }
      #expect(contents.last == now, "seed \(seed): step \(steps)")
    }

    func check(_ what: String) throws {
      let (now, steps) = (try garden.contents(), garden.manager.undoCount)
      #expect(
        steps + garden.manager.redoCount == contents.count - 1, "seed \(seed), \(what) to step \(steps): a step is lost"
      )
      guard now != contents[steps] else { return }
      let missing = contents[steps].filter { !now.contains($0) }
      let surplus = now.filter { !contents[steps].contains($0) }
      Issue.record("seed \(seed), \(what) to step \(steps): missing \(missing), too many \(surplus)")
    }
  }

  @Test(
    "takes every step back and makes it again, across saves, and leaves a sound store",
    arguments: Array(Soak.seeds(12, from: 1, long: 1200)) + [9_200_128, 61_510_304])
  func agree(seed: UInt64) throws {
    let walk = try Walk(seed: seed)
    let (manager, context) = (walk.garden.manager, walk.garden.context)
    for _ in 0..<60 {
      try walk.event()
      try walk.saveSometimes()
    }
    for round in 0..<2 {
      while manager.canUndo {
        try context.undo()
        try walk.check("undone")
        if round == 1 { try walk.saveSometimes() }
      }
      #expect(manager.undoCount == 0)
      #expect(walk.saves || !context.hasChanges, "seed \(seed): everything is undone")
      while manager.canRedo {
        try context.redo()
        try walk.check("redone")
        if round == 1 { try walk.saveSometimes() }
      }
      #expect(manager.undoCount == walk.contents.count - 1)
    }
    for _ in 0..<60 {
      if walk.chance(60) { try context.undo() } else { try context.redo() }
      try walk.check("walked")
    }
    // Tags that have nodes cannot be deleted.
    var final: [String]?
    while final == nil {
      do {
        try context.save()
        final = try walk.garden.contents()
      } catch let error as SaveError {
        guard error.code == .validation, manager.canUndo else { throw error }
        try context.undo()
      }
    }
    try walk.garden.place.reopen()
    let stored = try walk.garden.contents()
    #expect(stored == final, "seed \(seed): opened again")
    try walk.garden.place.verify()
  }
}
