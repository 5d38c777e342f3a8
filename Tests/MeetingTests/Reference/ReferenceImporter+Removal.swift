import MergewalkImporting
import MergewalkObjectModel

/// Objects go that no record of the run names.
extension ReferenceImporter {
  /// Lets the objects go that no record of the run has named.
  mutating func removeOthers(_ root: EntityImport, _ counts: ImportSummary.PartCounts, unreadable: Int) {
    guard counts.read > counts.rejected || root.sync.allowsEmpty,
      unreadable == 0 || root.sync.unreadable == .delete
    else { return }
    let scope = graph.objects.filter { $0.value.entity == root.entityName && isInScope($0.value, root.sync) }.keys
    let others = scope.filter { !named.contains($0) }
    let total = scope.count
    if let limit = root.sync.limit, others.count > limit { return isBreached = true }
    if let ratio = root.sync.ratio, Double(others.count) > ratio * Double(total) { return isBreached = true }
    guard root.sync.deletion == .mark, let soft = root.sync.softDelete else {
      let before = outcome.deleted
      let going = unprotected(others.filter { !takesAlong($0, root.entityName, besides: Set(others)) })
      outcome.denied += others.count - going.count
      for number in going.sorted() { delete(number, countsAll: true) }
      if let limit = root.sync.limit, outcome.deleted - before > limit { isBreached = true }
      return
    }
    for number in others.sorted() {
      graph.objects[number]?.attributes[soft] = .boolean(true)
      outcome.marked += 1
      outcome.entities[root.entityName]?.marked += 1
    }
  }

  /// Whether delete rules would take along with an object one that a record names, or one of its entity that is not among
  /// those that are to go.
  private func takesAlong(_ number: Int, _ entity: String, besides others: Set<Int>) -> Bool {
    taken(with: number).contains {
      named.contains($0) || graph.objects[$0]?.entity == entity && !others.contains($0)
    }
  }

  /// Those of some objects that may go, all of them together, with what delete rules take along.
  private func unprotected(_ objects: [Int]) -> Set<Int> {
    var going = Set(objects)
    while true {
      var gone: Set<Int> = []
      for number in going { gone.formUnion(taken(with: number)) }
      let kept = going.filter { number in taken(with: number).contains { isProtected($0, besides: gone) } }
      if kept.isEmpty { return going }
      going.subtract(kept)
    }
  }

  /// Whether a delete rule or a mandatory relationship protects an object, as one stays that it has to do with.
  private func isProtected(_ number: Int, besides gone: Set<Int>) -> Bool {
    let isDenied = relationships(of: number).contains { relationship in
      relationship.deleteRule == .deny && members(of: number, relationship).contains { !gone.contains($0) }
    }
    if isDenied { return true }
    return graph.objects.contains { other in
      guard !gone.contains(other.key) else { return false }
      return relationships(of: other.key).contains { relationship in
        !relationship.isToMany && !relationship.isOptional && other.value.toOne[relationship.name] == number
      }
    }
  }

  /// Whether an object may go.
  private func isInScope(_ object: ObjectGraph.Object, _ policy: SyncPolicy) -> Bool {
    // Those that are marked already are no news.
    if policy.deletion == .mark, let soft = policy.softDelete, object.attributes[soft] == .boolean(true) {
      return false
    }
    guard let scope = policy.scope else { return true }
    let expression = ReferenceExpression { name in
      switch object.attributes[name] ?? .null {
      case .integer(let number): .integer(number)
      case .boolean(let truth): .boolean(truth)
      case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
      default: .null
      }
    }
    return (try? expression.holds(scope)) ?? false
  }

  /// Deletes an object as the delete rules say; what refers to it refers to nothing.
  ///
  /// - Parameter countsAll: whether objects count of entities that the run does not fill.
  mutating func delete(_ number: Int, countsAll: Bool = false) {
    for other in taken(with: number) {
      guard let entity = graph.objects[other]?.entity else { continue }
      graph.remove(other)
      guard countsAll || outcome.entities[entity] != nil else { continue }
      outcome.deleted += 1
      outcome.entities[entity, default: .init()].deleted += 1
    }
  }

  /// An object and those that delete rules take along with it.
  private func taken(with number: Int) -> Set<Int> {
    var (taken, waiting) = (Set([number]), [number])
    while let next = waiting.popLast() {
      for relationship in relationships(of: next) where relationship.deleteRule == .cascade {
        for other in members(of: next, relationship) where taken.insert(other).inserted { waiting.append(other) }
      }
    }
    return taken
  }

  private func relationships(of number: Int) -> [RelationshipDescription] {
    graph.objects[number].flatMap { model.entity(named: $0.entity) }?.relationships ?? []
  }

  /// The objects at the other end of a relationship to many.
  private func members(of number: Int, _ relationship: RelationshipDescription) -> [Int] {
    guard let inverse = relationship.inverseName else { return [] }
    if relationship.isInverseToMany { return graph.objects[number]?.toMany[relationship.name] ?? [] }
    let destination = model.entities[relationship.destinationEntity].name
    let members = graph.objects.filter { $0.value.toOne[inverse] == number && isOf($0.value.entity, destination) }
    return members.keys.sorted()
  }
}
