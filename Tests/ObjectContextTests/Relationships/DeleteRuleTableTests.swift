import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// AP3 as a table: every rule on either side of every kind of relationship, against plain lists.
@Suite("Delete rules, all combinations")
struct DeleteRuleTableTests {
  /// What the two sides are.
  enum Shape: String, CaseIterable, Sendable {
    case oneToOne, oneToMany, oneToOrdered, manyToOne, orderedToOne, manyToMany, orderedToMany, orderedToOrdered
    /// Relationships that are their own inverse.
    case spouses, friends, orderedFriends

    var isOwnInverse: Bool { self == .spouses || self == .friends || self == .orderedFriends }
    /// Cardinality and order of the side that refers, and of the side back.
    var sides: (one: (many: Bool, ordered: Bool), other: (many: Bool, ordered: Bool)) {
      switch self {
      case .oneToOne, .spouses: ((false, false), (false, false))
      case .oneToMany: ((true, false), (false, false))
      case .oneToOrdered: ((true, true), (false, false))
      case .manyToOne: ((false, false), (true, false))
      case .orderedToOne: ((false, false), (true, true))
      case .manyToMany, .friends: ((true, false), (true, false))
      case .orderedToMany: ((true, true), (true, false))
      case .orderedToOrdered, .orderedFriends: ((true, true), (true, true))
      }
    }
  }
  /// Where the two sides are.
  enum Ends: String, CaseIterable, Sendable { case different, same, inherited, abstract }

  struct Row: Sendable, CustomTestStringConvertible {
    var rule: DeleteRule
    var inverseRule: DeleteRule
    var shape: Shape
    var ends: Ends
    var testDescription: String { "\(shape), \(rule) and \(inverseRule), \(ends)" }
  }

  static let rows: [Row] = DeleteRule.allCases.flatMap { rule in
    DeleteRule.allCases.flatMap { inverseRule in
      Shape.allCases.flatMap { shape in
        Ends.allCases.compactMap { ends in
          if shape.isOwnInverse, inverseRule != rule || ends == .different { return nil }
          return Row(rule: rule, inverseRule: inverseRule, shape: shape, ends: ends)
        }
      }
    }
  }

  private func world(_ row: Row) -> GraphModel {
    var result = GraphModel()
    let (from, to) =
      switch row.ends {
      case .different: ("Alpha", "Gamma")
      case .same: ("Alpha", "Alpha")
      case .inherited: row.shape.isOwnInverse ? ("Base", "Base") : ("Alpha", "Base")
      case .abstract: ("Base", "Base")
      }
    result.parents = ["Alpha": "Base", "Beta": "Base", "Delta": "Beta"]
    if row.ends == .abstract { result.abstract = ["Base"] }
    let (one, other) = row.shape.sides
    let side = GraphSide(
      entity: from, name: "others", destination: to, isToMany: one.many, isOrdered: one.ordered, rule: row.rule,
      inverse: 0)
    if row.shape.isOwnInverse {
      result.sides = [side]
    } else {
      result.relate(
        side,
        GraphSide(
          entity: to, name: "owners", destination: from, isToMany: other.many, isOrdered: other.ordered,
          rule: row.inverseRule, inverse: 0))
    }
    // A second relationship, so that cascades have somewhere to go on to.
    result.relate(
      GraphSide(entity: to, name: "parts", destination: "Delta", isToMany: true, rule: .cascade, inverse: 0),
      GraphSide(entity: "Delta", name: "whole", destination: to, isToMany: false, inverse: 0))
    return result
  }

  @Test("AP3: each rule at each end of each kind of relationship", arguments: rows)
  func ap3(row: Row) throws {
    let world = world(row)
    // One scene a rule and shape, the same in every run.
    let seed = UInt64(row.testDescription.utf8.reduce(7) { ($0 &* 31 &+ UInt64($1)) & 0xFFFF_FFFF })
    let pair = try GraphPair(row.testDescription, world, seed: seed, kind: .inMemory)
    func add(_ entity: String, _ count: Int) throws {
      let kinds = world.concrete.filter { pair.plain.isKind($0, entity) }
      for i in 0..<count { try pair.insert(kinds[i % kinds.count]) }
    }
    func relate() throws {
      for side in world.sides.indices {
        for one in pair.plain.all(world.sides[side].entity) where Int.random(in: 0..<3, using: &pair.random) > 0 {
          guard let other = pair.pick(world.sides[side].destination) else { continue }
          if world.sides[side].isToMany {
            try pair.add(side, one, other)
          } else {
            try pair.setToOne(side, one, other)
          }
        }
      }
    }
    try add(world.sides[0].entity, 4)
    try add(world.sides[0].destination, 3)
    try add("Delta", 2)
    try relate()
    try pair.save()
    try pair.reopen()
    // Deletions of what is saved, alone and two at once, refused or not; then with new objects among them.
    for round in 0..<6 {
      if round == 4 {
        try add(world.sides[0].entity, 3)
        try relate()
      }
      for _ in 0...round % 2 {
        if let victim = pair.plain.kinds.keys.sorted().randomElement(using: &pair.random) { try pair.delete(victim) }
      }
      try pair.compare("round \(round), before the save")
      try pair.save()
      try pair.compare("round \(round), after the save")
    }
    try pair.finish()
  }
}
