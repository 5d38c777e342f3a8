import MergewalkObjectContext
import MergewalkObjectModel

/// One direction of a relationship in a ``PlainGraph``.
struct GraphSide: Equatable, Sendable {
  var entity: String
  var name: String
  var destination: String
  var isToMany: Bool
  var isOrdered = false
  var rule = DeleteRule.nullify
  var minCount = 0
  var maxCount = 0
  /// The place of the other direction among the sides; its own for a relationship that is its own inverse.
  var inverse: Int

  /// The description for a model.
  func description(_ sides: [GraphSide]) -> RelationshipDescription {
    var result =
      isToMany
      ? Models.toMany(name, destination, inverse: sides[inverse].name, ordered: isOrdered)
      : Models.toOne(name, destination, inverse: sides[inverse].name)
    result.inverseEntityName = sides[inverse].entity
    result.deleteRule = rule
    if isToMany {
      result.minCount = minCount
      result.maxCount = maxCount
    }
    return result
  }
}

/// Objects and what they are related to, as plain lists of numbers: what the object layer is compared with.
///
/// Both directions of a relationship are kept as lists, so that nothing here is derived as it is there.
struct PlainGraph: Equatable {
  let sides: [GraphSide]
  /// The entity that an entity inherits from.
  let parents: [String: String]
  var kinds: [Int: String] = [:]
  var labels: [Int: Int] = [:]
  /// By side and object: the objects at the other end, also those that wait for their deletion.
  var links: [[Int: [Int]]]
  /// What waits for its deletion.
  var deleted: [Int: String] = [:]
  /// What was never saved.
  var unsaved = Set<Int>()

  init(sides: [GraphSide], parents: [String: String]) {
    self.sides = sides
    self.parents = parents
    links = Array(repeating: [:], count: sides.count)
  }

  func isKind(_ kind: String, _ entity: String) -> Bool {
    var next: String? = kind
    while let current = next {
      if current == entity { return true }
      next = parents[current]
    }
    return false
  }

  func all(_ entity: String) -> [Int] { kinds.filter { isKind($0.value, entity) }.keys.sorted() }

  /// The sides that an object has.
  func sides(of kind: String) -> [Int] { sides.indices.filter { isKind(kind, sides[$0].entity) } }

  /// The objects that can be seen at the other end: in order, or sorted.
  func partners(_ side: Int, _ object: Int) -> [Int] {
    let seen = (links[side][object] ?? []).filter { kinds[$0] != nil }
    return sides[side].isOrdered ? seen : seen.sorted()
  }

  mutating func insert(_ object: Int, _ kind: String) {
    kinds[object] = kind
    unsaved.insert(object)
  }

  mutating func connect(_ side: Int, _ one: Int, _ other: Int) {
    if links[side][one]?.contains(other) == true { return }
    let inverse = sides[side].inverse
    if !sides[side].isToMany, let former = links[side][one]?.first { disconnect(side, one, former) }
    if !sides[inverse].isToMany, let former = links[inverse][other]?.first { disconnect(inverse, other, former) }
    links[side][one, default: []].append(other)
    if side != inverse || one != other { links[inverse][other, default: []].append(one) }
  }

  mutating func disconnect(_ side: Int, _ one: Int, _ other: Int) {
    links[side][one]?.removeAll { $0 == other }
    links[sides[side].inverse][other]?.removeAll { $0 == one }
  }

  mutating func clear(_ side: Int, _ one: Int) {
    for other in links[side][one] ?? [] { disconnect(side, one, other) }
  }

  mutating func place(_ side: Int, _ one: Int, _ other: Int, at index: Int) {
    connect(side, one, other)
    guard sides[side].isOrdered else { return }
    var list = partners(side, one).filter { $0 != other }
    list.insert(other, at: min(index, list.count))
    arrange(side, one, list)
  }

  mutating func replace(_ side: Int, _ one: Int, _ others: [Int]) {
    for former in partners(side, one) where !others.contains(former) { disconnect(side, one, former) }
    for other in others { connect(side, one, other) }
    if sides[side].isOrdered { arrange(side, one, others) }
  }

  private mutating func arrange(_ side: Int, _ one: Int, _ list: [Int]) {
    let hidden = (links[side][one] ?? []).filter { kinds[$0] == nil }
    links[side][one] = list + hidden
  }

  /// Deletes an object as the rules say.
  mutating func delete(_ object: Int) {
    var waiting = [object]
    while let next = waiting.popLast() {
      guard let kind = kinds[next] else { continue }
      let isNew = unsaved.contains(next)
      for side in sides(of: kind) {
        let isPairs = sides[side].isToMany && sides[sides[side].inverse].isToMany
        switch sides[side].rule {
        case .cascade: waiting += partners(side, next).filter { $0 != next }
        case .nullify: clear(side, next)
        case .deny: if isNew { clear(side, next) }
        case .noAction: if isNew || isPairs { clear(side, next) }
        }
      }
      kinds[next] = nil
      labels[next] = nil
      if isNew {
        unsaved.remove(next)
        forget(next)
      } else {
        deleted[next] = kind
      }
    }
  }

  private mutating func forget(_ object: Int) {
    for side in links.indices {
      links[side][object] = nil
      for key in links[side].keys { links[side][key]?.removeAll { $0 == object } }
    }
  }

  /// What a save refuses.
  func failures() -> [(object: Int, kind: String, property: String, code: ObjectFailureCode)] {
    var found: [(object: Int, kind: String, property: String, code: ObjectFailureCode)] = []
    for (object, kind) in deleted {
      for side in sides(of: kind) where sides[side].rule == .deny && !partners(side, object).isEmpty {
        found.append((object, kind, sides[side].name, .deletionDenied))
      }
    }
    for (object, kind) in kinds {
      for side in sides(of: kind) where sides[side].isToMany {
        let count = partners(side, object).count
        if count > 0, count < sides[side].minCount { found.append((object, kind, sides[side].name, .tooFewObjects)) }
        if sides[side].maxCount > 0, count > sides[side].maxCount {
          found.append((object, kind, sides[side].name, .tooManyObjects))
        }
      }
    }
    return found
  }

  /// What is left when all is saved.
  mutating func save() {
    for object in deleted.keys { forget(object) }
    deleted.removeAll()
    unsaved.removeAll()
  }
}
