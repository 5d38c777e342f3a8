/// Resolves the names of a draft that has no errors: numbers entities, gives out slots, links inverses.
struct ModelResolver {
  private let draft: ModelDraft
  private(set) var entities: [EntityDescription] = []
  private(set) var slotCounts: [Int] = []
  private(set) var columnSlotCounts: [Int] = []

  init(_ draft: ModelDraft) { self.draft = draft }

  mutating func resolve() {
    let order = EntityOrder(draft)
    let ordered = Self.understood(order.entities.map { draft.entities[$0] }, order.parents)
    let indexOf = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.name, $0) })
    // A composite attribute is there as its elements, under dotted names.
    let composites = CompositeElements(draft)
    var ownAttributes = ordered.map { entity in
      entity.attributes.flatMap { composites.flattened($0) ?? [$0] }
        .sorted { CodePointOrder.precedes($0.name, $1.name) }
    }
    let ownComposites = ordered.map { entity in entity.attributes.filter { composites.flattened($0) != nil } }
    var ownRelationships = ordered.map { $0.relationships.sorted { CodePointOrder.precedes($0.name, $1.name) } }
    slotCounts = Array(repeating: 0, count: ordered.count)
    columnSlotCounts = slotCounts

    var roots = Array(ordered.indices)
    for i in ordered.indices { if let parent = order.parents[i] { roots[i] = roots[parent] } }

    // Columns first, in the order in which Core Data names them; then what has no column of its own.
    for i in ordered.indices {
      let root = roots[i]
      for a in ownAttributes[i].indices {
        ownAttributes[i][a].slot = slotCounts[root]
        ownAttributes[i][a].declaringEntity = i
        slotCounts[root] += 1
      }
      for r in ownRelationships[i].indices where !ownRelationships[i][r].isToMany {
        ownRelationships[i][r].slot = slotCounts[root]
        slotCounts[root] += 1
      }
    }
    columnSlotCounts = slotCounts
    for i in ordered.indices {
      for r in ownRelationships[i].indices {
        ownRelationships[i][r].declaringEntity = i
        ownRelationships[i][r].destinationEntity = indexOf[ownRelationships[i][r].destinationEntityName] ?? -1
        guard ownRelationships[i][r].isToMany else { continue }
        ownRelationships[i][r].slot = slotCounts[roots[i]]
        slotCounts[roots[i]] += 1
      }
    }
    let relationshipIndex = ownRelationships.map { relationships in
      Dictionary(uniqueKeysWithValues: relationships.enumerated().map { ($1.name, $0) })
    }
    for i in ordered.indices {
      for r in ownRelationships[i].indices {
        guard let inverse = ownRelationships[i][r].inverseName else { continue }
        // The inverse may be declared by an ancestor of the destination.
        var holder: Int? = ownRelationships[i][r].destinationEntity
        while let h = holder, h >= 0 {
          if let found = relationshipIndex[h][inverse].map({ ownRelationships[h][$0] }) {
            ownRelationships[i][r].inverseSlot = found.slot
            ownRelationships[i][r].inverseDeclaringEntity = h
            ownRelationships[i][r].isInverseToMany = found.isToMany
            break
          }
          holder = order.parents[h]
        }
      }
    }

    for i in ordered.indices {
      var attributes = ownAttributes[i]
      var compositeAttributes = ownComposites[i]
      var relationships = ownRelationships[i]
      var fetched = ordered[i].fetchedProperties
      var constraints = ordered[i].uniquenessConstraints
      var ancestor = order.parents[i]
      while let a = ancestor {
        attributes += ownAttributes[a]
        compositeAttributes += ownComposites[a]
        relationships += ownRelationships[a]
        fetched += ordered[a].fetchedProperties
        constraints = ordered[a].uniquenessConstraints + constraints
        ancestor = order.parents[a]
      }
      var last = i
      while last + 1 < ordered.count, isDescendant(last + 1, of: i, parents: order.parents) { last += 1 }
      entities.append(
        EntityDescription(
          declaration: ordered[i], index: i, superentityIndex: order.parents[i], rootIndex: roots[i],
          lastDescendantIndex: last,
          attributes: attributes.sorted { CodePointOrder.precedes($0.name, $1.name) },
          relationships: relationships.sorted { CodePointOrder.precedes($0.name, $1.name) },
          fetchedProperties: fetched.sorted { CodePointOrder.precedes($0.name, $1.name) },
          uniquenessConstraints: Self.fitting(constraints, attributes, relationships),
          compositeAttributes: compositeAttributes.sorted { CodePointOrder.precedes($0.name, $1.name) }))
    }
  }

  /// The entities with what Core Data's model compiler makes of declarations that model lint warns about.
  ///
  /// Of a property that is declared again like the inherited one the inherited one counts.
  private static func understood(_ entities: [EntityDraft], _ parents: [Int?]) -> [EntityDraft] {
    var result = entities
    for i in entities.indices {
      result[i].relationships = entities[i].relationships.map(\.withUnderstoodCounts)
      var inherited: Set<String> = []
      var ancestor = parents[i]
      while let a = ancestor {
        inherited.formUnion(entities[a].attributes.map(\.name))
        inherited.formUnion(entities[a].relationships.map(\.name))
        inherited.formUnion(entities[a].fetchedProperties.map(\.name))
        ancestor = parents[a]
      }
      guard !inherited.isEmpty else { continue }
      result[i].attributes.removeAll { inherited.contains($0.name) }
      result[i].relationships.removeAll { inherited.contains($0.name) }
      result[i].fetchedProperties.removeAll { inherited.contains($0.name) }
    }
    return result
  }

  /// The constraints that a store can hold; the others count in the version hash only.
  private static func fitting(
    _ constraints: [[String]], _ attributes: [AttributeDescription], _ relationships: [RelationshipDescription]
  ) -> [[String]] {
    guard !constraints.isEmpty else { return [] }
    let names = Set(
      attributes.filter { !$0.isTransient }.map(\.name)
        + relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name))
    return constraints.filter { !$0.isEmpty && $0.allSatisfy(names.contains) }
  }

  private func isDescendant(_ entity: Int, of ancestor: Int, parents: [Int?]) -> Bool {
    var current = parents[entity]
    while let c = current {
      if c == ancestor { return true }
      current = parents[c]
    }
    return false
  }
}

/// The order that gives entities their numbers: depth first, roots and children by name without case.
///
/// Source: `docs/coredata-layout.md`, "Entity numbers".
struct EntityOrder {
  /// Positions in the draft's list, in number order.
  private(set) var entities: [Int] = []
  /// For each number-order index, the index of the parent, or `nil`.
  private(set) var parents: [Int?] = []

  init(_ draft: ModelDraft) {
    var children: [String: [Int]] = [:]
    var roots: [Int] = []
    for (i, entity) in draft.entities.enumerated() {
      if let parent = entity.parentName { children[parent, default: []].append(i) } else { roots.append(i) }
    }
    func sorted(_ list: [Int]) -> [Int] {
      list.sorted {
        let (left, right) = (draft.entities[$0].name, draft.entities[$1].name)
        let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
        if foldedLeft != foldedRight { return CodePointOrder.precedes(foldedLeft, foldedRight) }
        return CodePointOrder.precedes(left, right)
      }
    }
    var pending = sorted(roots).reversed().map { (entity: $0, parent: Int?.none) }
    while let next = pending.popLast() {
      let index = entities.count
      entities.append(next.entity)
      parents.append(next.parent)
      for child in sorted(children[draft.entities[next.entity].name] ?? []).reversed() {
        pending.append((child, index))
      }
    }
  }
}

/// The order of names by Unicode code points, which is the order of their UTF-8 bytes.
package enum CodePointOrder {
  /// Whether `left` comes before `right`.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
