import MergewalkTestSupport

/// A random model of few entities with relationships of every kind, and what an independent check has to know of it.
struct RelationShape {
  struct Entity {
    var name: String
    var parent: String?
  }

  struct Relation {
    var name: String
    var owner: String
    var destination: String
    var isToMany = false
    var isOrdered = false
    var inverse: String?
    var isRequired = false
    var deleteRule = "nullify"
  }

  var entities: [Entity] = []
  var relations: [Relation] = []
  /// The root entities whose keys are unique.
  var unique: Set<String> = []

  // MARK: Looking

  func parent(_ name: String) -> String? { entities.first { $0.name == name }?.parent }
  func root(_ name: String) -> String { parent(name).map(root) ?? name }
  func isKind(_ name: String, of ancestor: String) -> Bool {
    name == ancestor || (parent(name).map { isKind($0, of: ancestor) } ?? false)
  }
  func family(_ name: String) -> [String] { entities.map(\.name).filter { isKind($0, of: name) } }
  /// The relationships that objects of an entity have, its ancestors' included.
  func relations(of name: String) -> [Relation] { relations.filter { isKind(name, of: $0.owner) } }
  func inverse(of relation: Relation) -> Relation? {
    relations.first { $0.name == relation.inverse && $0.owner == relation.destination }
  }

  // MARK: Making

  init(_ random: inout SeededGenerator) {
    for root in ["A", "B", "C"].prefix([1, 1, 2, 2, 2, 3].randomElement(using: &random) ?? 1) {
      entities.append(Entity(name: root))
      if Int.random(in: 0..<20, using: &random) < 9 {
        entities.append(Entity(name: root + "1", parent: root))
        if Int.random(in: 0..<10, using: &random) < 3 { entities.append(Entity(name: root + "2", parent: root)) }
        if Int.random(in: 0..<4, using: &random) == 0 { entities.append(Entity(name: root + "11", parent: root + "1")) }
      }
      if Int.random(in: 0..<6, using: &random) > 0 { unique.insert(root) }
    }
    let names = entities.map(\.name)
    for number in 0..<Int.random(in: 1...5, using: &random) {
      let owner = names.randomElement(using: &random) ?? "A"
      let other = names.randomElement(using: &random) ?? "A"
      add(number, owner, Bool.random(using: &random) ? owner : other, &random)
    }
  }

  private mutating func add(
    _ number: Int, _ owner: String, _ destination: String, _ random: inout SeededGenerator
  ) {
    let (name, back) = ("r\(number)", "q\(number)")
    func rule() -> String { ["nullify", "nullify", "nullify", "cascade", "deny"].randomElement(using: &random) ?? "" }
    func chance(_ share: Int) -> Bool { Int.random(in: 0..<100, using: &random) < share }
    var own = Relation(name: name, owner: owner, destination: destination, deleteRule: rule())
    var other = Relation(name: back, owner: destination, destination: owner, inverse: name, deleteRule: rule())
    own.inverse = back
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<4: own.isRequired = chance(5)
    case 4:
      // Its own inverse.
      own.destination = owner
      own.inverse = name
    case 5..<7:
      own.isRequired = chance(5)
      other.isToMany = true
      other.isOrdered = chance(40)
    case 7:
      own.isToMany = true
      own.isOrdered = chance(40)
      other.isToMany = true
      other.isOrdered = chance(40)
    case 8:
      own.destination = owner
      own.inverse = name
      own.isToMany = true
      own.isOrdered = chance(40)
    case 9..<11:
      own.inverse = nil
      own.isRequired = chance(5)
    default:
      own.inverse = nil
      own.isToMany = true
      own.isOrdered = chance(40)
    }
    relations.append(own)
    if own.inverse == back { relations.append(other) }
  }

  /// The model as YAML.
  var text: String {
    var lines = ["model: Shape", "entities:"]
    for entity in entities {
      lines.append("  \(entity.name):")
      if let parent = entity.parent {
        lines.append("    parent: \(parent)")
      } else {
        lines.append("    attributes: { k: string!, v: string }")
      }
      let own = relations.filter { $0.owner == entity.name }
      if !own.isEmpty { lines.append("    relationships:") }
      for relation in own {
        var fields = ["\(relation.isToMany ? "to_many" : "to_one"): \(relation.destination)"]
        if let inverse = relation.inverse { fields.append("inverse: \(inverse)") }
        if relation.isOrdered { fields.append("ordered: true") }
        if relation.isRequired { fields.append("required: true") }
        fields.append("delete: \(relation.deleteRule)")
        lines.append("      \(relation.name): { \(fields.joined(separator: ", ")) }")
      }
      if unique.contains(entity.name) { lines.append("    unique: [k]") }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
