import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// A model for a ``PlainGraph``: entities with and without an abstract one above them, and relationships between them.
struct GraphModel {
  var sides: [GraphSide] = []
  var parents: [String: String] = [:]
  /// The entities, those that others inherit from first.
  var entities = ["Base", "Alpha", "Beta", "Gamma", "Delta"]
  var abstract = Set<String>()

  var concrete: [String] { entities.filter { !abstract.contains($0) } }

  func model() throws -> ManagedObjectModel {
    var draft = ModelDraft()
    draft.entities = entities.map { name in
      Models.entity(
        name, parent: parents[name], abstract: abstract.contains(name),
        attributes: parents[name] == nil ? [Models.attribute("label", .integer32)] : [],
        relationships: sides.filter { $0.entity == name }.map { $0.description(sides) })
    }
    return try ManagedObjectModel(draft)
  }

  /// Adds both directions of a relationship.
  mutating func relate(
    _ one: GraphSide, _ other: GraphSide
  ) {
    var (one, other) = (one, other)
    one.inverse = sides.count + 1
    other.inverse = sides.count
    sides += [one, other]
  }

  /// A model of a few entities with relationships of all kinds and rules.
  static func random(_ random: inout SeededGenerator) -> GraphModel {
    var result = GraphModel()
    result.parents = ["Alpha": "Base", "Beta": "Base", "Delta": "Beta"]
    if Bool.random(using: &random) { result.abstract = ["Base"] }
    let rules: [DeleteRule] = [.nullify, .nullify, .nullify, .nullify, .cascade, .deny, .deny, .noAction, .noAction]
    for number in 0..<Int.random(in: 4...7, using: &random) {
      func side(_ name: String, _ random: inout SeededGenerator) -> GraphSide {
        let isToMany = Int.random(in: 0..<5, using: &random) < 3
        var side = GraphSide(
          entity: "", name: name, destination: "", isToMany: isToMany,
          isOrdered: isToMany && Bool.random(using: &random),
          rule: rules.randomElement(using: &random) ?? .nullify, inverse: 0)
        if isToMany, Int.random(in: 0..<6, using: &random) == 0 {
          side.minCount = Int.random(in: 0...2, using: &random)
          side.maxCount = Int.random(in: 0...1, using: &random) * Int.random(in: 3...6, using: &random)
        }
        return side
      }
      let from = result.entities.randomElement(using: &random) ?? ""
      let to = result.entities.randomElement(using: &random) ?? ""
      var one = side("to\(number)", &random)
      (one.entity, one.destination) = (from, to)
      if from == to, Bool.random(using: &random) {
        one.inverse = result.sides.count
        result.sides.append(one)
        continue
      }
      var other = side("from\(number)", &random)
      (other.entity, other.destination) = (to, from)
      result.relate(one, other)
    }
    return result
  }
}

/// The object layer and a plain graph beside it, which do the same.
final class GraphPair {
  let name: String
  let place: Workplace
  let world: GraphModel
  var random: SeededGenerator
  var plain: PlainGraph
  var saved: PlainGraph
  var ids: [Int: ManagedObjectID] = [:]
  /// The objects whose IDs a save replaces.
  var unsaved: [Int: ManagedObject] = [:]
  /// Some objects are held, others come and go.
  var held: [Int: ManagedObject] = [:]
  var next = 1
  /// The context of the operations: that of the place, or a descendant of it.
  var context: ManagedObjectContext
  let depth: Int
  /// What the operations were, for whoever looks into a failure.
  var log: [String] = []

  /// Whether changes are taken back and made again in between.
  let undoes: Bool

  init(
    _ name: String, _ world: GraphModel, seed: UInt64, depth: Int = 0, kind: StoreKind = .sqlite, undoes: Bool = false
  ) throws {
    self.name = name
    self.undoes = undoes
    self.world = world
    self.depth = depth
    place = try Workplace(try world.model(), kind: kind)
    plain = PlainGraph(sides: world.sides, parents: world.parents)
    saved = plain
    context = place.context
    random = SeededGenerator(seed: seed)
    descend()
  }

  func descend() {
    context = place.context
    for _ in 0..<depth { context = ManagedObjectContext(parent: context) }
    if undoes { context.undoManager = UndoManager() }
  }

  func object(_ number: Int) throws -> ManagedObject {
    if let object = held[number], object.isValid { return object }
    let object = try context.object(with: try #require(ids[number]))
    held[number] = Bool.random(using: &random) ? object : nil
    return object
  }

  func pick(_ entity: String) -> Int? { plain.all(entity).randomElement(using: &random) }

  // MARK: Operations

  @discardableResult
  func insert(_ kind: String) throws -> Int {
    let object = try context.insert(kind)
    let number = next
    next += 1
    log.append("\(number) = insert \(kind)")
    try object.setValue(.integer(Int64(number)), forKey: "label")
    plain.insert(number, kind)
    plain.labels[number] = number
    ids[number] = object.objectID
    unsaved[number] = object
    if Bool.random(using: &random) { held[number] = object }
    return number
  }

  func delete(_ number: Int) throws {
    log.append("delete \(number)")
    try context.delete(try object(number))
    plain.delete(number)
  }

  func setToOne(_ side: Int, _ one: Int, _ other: Int?) throws {
    log.append("\(one).\(world.sides[side].name) = \(other ?? 0)")
    try object(one).setObject(try other.map { try object($0) }, forKey: world.sides[side].name)
    if let other { plain.connect(side, one, other) } else { plain.clear(side, one) }
  }

  func add(_ side: Int, _ one: Int, _ other: Int) throws {
    log.append("\(one).\(world.sides[side].name) += \(other)")
    try object(one).add(try object(other), to: world.sides[side].name)
    plain.connect(side, one, other)
  }

  func remove(_ side: Int, _ one: Int, _ other: Int) throws {
    log.append("\(one).\(world.sides[side].name) -= \(other)")
    #expect(try object(one).remove(try object(other), from: world.sides[side].name))
    plain.disconnect(side, one, other)
  }

  func place(_ side: Int, _ one: Int, _ other: Int, at index: Int) throws {
    log.append("\(one).\(world.sides[side].name)[\(index)] = \(other)")
    try object(one).insert(try object(other), into: world.sides[side].name, at: index)
    plain.place(side, one, other, at: index)
  }

  func replace(_ side: Int, _ one: Int, _ others: [Int]) throws {
    log.append("\(one).\(world.sides[side].name) = \(others)")
    try object(one).setObjects(try others.map { try object($0) }, forKey: world.sides[side].name)
    plain.replace(side, one, others)
  }

  func rollback() {
    log.append("rollback")
    context.rollback()
    plain = saved
  }

  /// Saves, or finds that both refuse for the same reasons and rolls back; returns whether it saved.
  @discardableResult
  func save(upTo levels: Int = .max) throws -> Bool {
    log.append("save")
    let expected = plain.failures().map { failure in
      "\(failure.kind) \(ids[failure.object]?.primaryKey ?? 0) \(failure.property) \(failure.code)"
    }
    guard expected.isEmpty else {
      let error = saveError { try context.save() }
      let found = error?.failures.map { "\($0.entity) \($0.primaryKey) \($0.property) \($0.code)" } ?? []
      if expected.contains(where: { $0.hasSuffix(" deletionDenied") }) {
        // The number of objects that would be left is counted where something else changed only.
        func denied(_ list: [String]) -> [String] { list.filter { $0.hasSuffix(" deletionDenied") }.sorted() }
        #expect(
          denied(found) == denied(expected) && Set(found).isSubset(of: expected),
          "\(name): \(found), not \(expected)\n\(recent)")
      } else {
        #expect(found.sorted() == expected.sorted(), "\(name)\n\(recent)")
      }
      rollback()
      return false
    }
    try context.save()
    var rest = levels
    var above: ManagedObjectContext? = context.parent
    while let current = above, rest > 0 {
      try current.save()
      above = current.parent
      rest -= 1
    }
    for (number, object) in unsaved where object.isValid { ids[number] = object.objectID }
    unsaved = unsaved.filter { $1.isValid && $1.objectID.isTemporary }
    plain.save()
    saved = plain
    return true
  }

  func reopen() throws {
    log.append("reopen")
    unsaved.removeAll()
    held.removeAll()
    try place.reopen()
    descend()
  }

  private var recent: String { log.suffix(60).joined(separator: "; ") }

  // MARK: Random operations

  func step() throws {
    let kind = Int.random(in: 0..<100, using: &random)
    switch kind {
    case ..<86: try change(kind)
    case ..<94: try save(upTo: Int.random(in: 0...2, using: &random))
    case ..<95: rollback()
    case ..<96: held.removeAll()
    case ..<97:
      log.append("reset")
      context.reset()
      plain = saved
      // What only the parents have has no other name yet.
      for (number, id) in ids where id.isTemporary && plain.kinds[number] != nil {
        unsaved[number] = try context.object(with: id)
      }
    default: if try save() { try reopen() }
    }
  }

  /// Makes some changes, takes them back, and perhaps makes them again.
  func undoableStep() throws {
    try context.processPendingChanges()
    guard let manager = context.undoManager else { return }
    let (count, before) = (manager.undoCount, plain)
    for _ in 0..<Int.random(in: 1...3, using: &random) { try change(Int.random(in: 0..<86, using: &random)) }
    try context.processPendingChanges()
    // What changed nothing is no step.
    guard manager.undoCount > count else { return }
    let after = plain
    log.append("undo")
    try context.undo()
    plain = before
    try findUnsaved()
    try compare("undone")
    guard Bool.random(using: &random) else { return }
    log.append("redo")
    try context.redo()
    plain = after
    try findUnsaved()
    try compare("made again")
  }

  private func findUnsaved() throws {
    for number in plain.unsaved { unsaved[number] = try context.object(with: try #require(ids[number])) }
  }

  /// Changes something; `kind` is below 86.
  private func change(_ kind: Int) throws {
    let side = world.sides.indices.randomElement(using: &random) ?? 0
    let (one, other) = (pick(world.sides[side].entity), pick(world.sides[side].destination))
    switch kind {
    case 0..<16: try insert(world.concrete.randomElement(using: &random) ?? "")
    case 16..<20:
      if let victim = plain.kinds.keys.sorted().randomElement(using: &random) { try delete(victim) }
    case 20..<64:
      guard let one, let other else { return }
      if !world.sides[side].isToMany {
        try setToOne(side, one, Int.random(in: 0..<5, using: &random) == 0 ? nil : other)
      } else if world.sides[side].isOrdered, Bool.random(using: &random) {
        try place(side, one, other, at: Int.random(in: 0..<4, using: &random))
      } else {
        try add(side, one, other)
      }
    case 64..<76:
      guard let one, world.sides[side].isToMany,
        let other = plain.partners(side, one).randomElement(using: &random)
      else { return }
      try remove(side, one, other)
    case 76..<84:
      guard let one, world.sides[side].isToMany else { return }
      let others = plain.all(world.sides[side].destination).shuffled(using: &random)
      try replace(side, one, Array(others.prefix(Int.random(in: 0...4, using: &random))))
    default:
      guard let one = plain.kinds.keys.sorted().randomElement(using: &random) else { return }
      log.append("\(one).label")
      try object(one).setValue(.integer(Int64(next)), forKey: "label")
      plain.labels[one] = next
      next += 1
    }
  }

  // MARK: Comparing

  /// Compares everything that can be asked.
  func compare(_ when: String) throws {
    var numbers: [String: Int] = [:]
    for (number, kind) in plain.kinds { numbers["\(kind) \(ids[number]?.primaryKey ?? 0)"] = number }
    func number(_ object: ManagedObject) -> Int {
      numbers["\(object.entity.name) \(object.objectID.primaryKey)"] ?? -1
    }
    for root in world.entities where world.parents[root] == nil {
      let objects = try context.fetchAll(root)
      #expect(objects.map(number).sorted() == plain.all(root), "\(name), \(when)\n\(recent)")
      for object in objects {
        let own = number(object)
        #expect(try object.value(forKey: "label") == .integer(Int64(plain.labels[own] ?? -1)), "\(name), \(when)")
        for side in plain.sides(of: object.entity.name) {
          let found = try others(object, side).map(number)
          let expected = plain.partners(side, own)
          #expect(
            (world.sides[side].isOrdered ? found : found.sorted()) == expected,
            "\(name), \(when): \(own).\(world.sides[side].name)\n\(recent)")
        }
      }
    }
  }

  /// The objects at the other end that are there.
  private func others(_ object: ManagedObject, _ side: Int) throws -> [ManagedObject] {
    let key = world.sides[side].name
    let found =
      world.sides[side].isToMany
      ? try object.objects(forKey: key) : try [object.object(forKey: key)].compactMap { $0 }
    // "No action" leaves references to what is gone.
    return try found.filter { try !$0.isFault || context.existingObject(with: $0.objectID) != nil }
  }

  /// Opens the store again, compares, takes away what "no action" has left and lets the store be checked.
  func finish() throws {
    if try !save() { try save() }
    try compare("saved")
    try reopen()
    try compare("opened again")
    for (number, kind) in plain.kinds {
      for side in plain.sides(of: kind) where !world.sides[side].isToMany && plain.partners(side, number).isEmpty {
        try object(number).setObject(nil, forKey: world.sides[side].name)
      }
    }
    try save()
    try place.verify()
  }
}
