import MergewalkObjectModel

/// The order in which the imports of a definition run.
///
/// An import that only looks objects up, by a relationship or a step, runs after those that create them; ties keep the
/// file's order. Imports that look up each other's objects run one after the other and are related in a second pass.
struct PartOrder {
  /// The numbers of the parts in the order in which they run, in groups that refer to each other.
  private(set) var groups: [[Int]] = []
  /// Relationships of parts' roots that wait for a part that runs later: the part's number and the relationship's.
  private var postponed: [(part: Int, relationship: Int)] = []
  private(set) var findings: FindingList
  private let definition: ImportDefinition

  /// Orders the parts of a definition.
  ///
  /// - Parameter path: the path that findings carry; `nil` for the definition's name.
  init(_ definition: ImportDefinition, path: String? = nil) {
    self.definition = definition
    findings = FindingList(path: path ?? definition.name)
    let count = definition.parts.count
    guard count > 1 else {
      groups = count == 1 ? [[0]] : []
      return
    }
    let needs = withDerived((0..<count).map { part in (0..<count).map { $0 != part && depends(part, on: $0) } })
    if definition.keepsOrder {
      groups = group((0..<count).map { [$0] }, needs)
    } else {
      groups = sorted(components(needs), needs)
    }
    for group in groups where group.count > 1 { postpone(group) }
  }

  /// The groups as ranges of the parts in their new order.
  var ranges: [Range<Int>] {
    var start = 0
    return groups.map { group in
      defer { start += group.count }
      return start..<start + group.count
    }
  }

  /// The definition with its parts in the order in which they run.
  func apply(to definition: ImportDefinition) -> ImportDefinition {
    guard definition.parts.count > 1 else { return definition }
    var parts = definition.parts
    for (part, relationship) in postponed { parts[part].root.relationships[relationship].isPostponed = true }
    var result = definition
    result.parts = groups.flatMap { $0 }.map { parts[$0] }
    return result
  }

  // MARK: Dependencies

  private func depends(_ part: Int, on other: Int) -> Bool {
    let names = definition.parts[part].after
    if names.contains(definition.parts[other].name) || readsStepwise(part, of: other) { return true }
    guard let made = made(other) else { return false }
    if definition.parts[part].root.mode == .update, isSame(definition.parts[part].root.entityName, made) { return true }
    return lookUps(definition.parts[part].root).contains { isSame($0, made) }
  }

  /// Whether steps of a part look up what another one writes.
  private func readsStepwise(_ part: Int, of other: Int) -> Bool { looksUp(part, in: other) { [$0.entity] } }

  /// Whether steps of a part look up some of the entities that `read` gives, of which another part writes objects.
  ///
  /// An import that writes such objects itself may want to see them as they were: then the file's order decides, as it
  /// does with `order: file`.
  private func looksUp(_ part: Int, in other: Int, _ read: (StoreLookup) -> [String]) -> Bool {
    let entities = [other, part].map { definition.model.entity(named: definition.parts[$0].root.entityName) }
    guard !definition.keepsOrder, let written = entities[0], let own = entities[1] else { return false }
    return definition.parts[part].lookups.contains { lookup in
      !isSame(lookup.entity, own) && read(lookup).contains { isSame($0, written) && !isSame($0, own) }
    }
  }

  /// The dependencies with those on parts that write what derived attributes are made of which steps look up.
  ///
  /// Such an attribute has a value without these, too: where they need the part in turn, they run after it.
  private func withDerived(_ dependencies: [[Bool]]) -> [[Bool]] {
    var needs = dependencies
    for part in needs.indices {
      for other in needs.indices where other != part && !needs[part][other] && looksUp(part, in: other, sources) {
        needs[part][other] = !Self.reaches(part, from: other, needs)
      }
    }
    return needs
  }

  /// Whether one part needs another one, perhaps through others.
  private static func reaches(_ part: Int, from start: Int, _ needs: [[Bool]]) -> Bool {
    var (waiting, seen) = ([start], Set([start]))
    while let next = waiting.popLast() {
      if needs[next][part] { return true }
      waiting += needs.indices.filter { needs[next][$0] && seen.insert($0).inserted }
    }
    return false
  }

  /// The entities of whose objects derived attributes are made that a look-up reads.
  private func sources(_ lookup: StoreLookup) -> [String] {
    let model = definition.model
    guard let entity = model.entity(named: lookup.entity) else { return [] }
    var names: [String] = []
    var waiting = [lookup.findBy, lookup.take].map { (entity: entity, name: $0) }
    var seen: Set<[String]> = []
    while let next = waiting.popLast() {
      guard seen.insert([next.entity.name, next.name]).inserted,
        let text = next.entity.attribute(named: next.name)?.derivationExpression, let derivation = DerivationText(text)
      else { continue }
      var end = next.entity
      for step in derivation.path {
        if let relationship = end.relationship(named: step) {
          end = model.entities[relationship.destinationEntity]
          names.append(end.name)
        } else {
          // It may be derived itself.
          waiting.append((entity: end, name: step))
        }
      }
    }
    return names
  }

  /// The entity of which a part creates objects.
  private func made(_ part: Int) -> EntityDescription? {
    let root = definition.parts[part].root
    return root.mode == .update ? nil : definition.model.entity(named: root.entityName)
  }

  /// Whether objects of one entity may be found as objects of another one.
  private func isSame(_ name: String, _ made: EntityDescription) -> Bool {
    guard let entity = definition.model.entity(named: name) else { return false }
    return made.isKind(of: entity) || entity.isKind(of: made)
  }

  /// The entities of which objects are looked up and not created.
  private func lookUps(_ part: EntityImport) -> [String] {
    part.relationships.flatMap { relationship in
      (isLookUp(relationship) ? [relationship.target.entityName] : []) + lookUps(relationship.target)
    }
  }

  private func isLookUp(_ relationship: RelationshipImport) -> Bool {
    relationship.missing != .create || relationship.target.mode == .update
  }

  // MARK: Sorting

  /// The parts in groups that depend on each other, each group in the file's order.
  private func components(_ needs: [[Bool]]) -> [[Int]] {
    var reaches = needs
    let all = needs.indices
    for middle in all {
      for from in all where reaches[from][middle] {
        for to in all where reaches[middle][to] { reaches[from][to] = true }
      }
    }
    var groups: [[Int]] = []
    for part in all where !groups.joined().contains(part) {
      groups.append(all.filter { $0 == part || (reaches[part][$0] && reaches[$0][part]) })
    }
    return groups
  }

  /// Groups in an order in which each comes after those that it needs, ties in the file's order.
  private func sorted(_ groups: [[Int]], _ needs: [[Bool]]) -> [[Int]] {
    var waiting = groups
    var result: [[Int]] = []
    while !waiting.isEmpty {
      let next =
        waiting.firstIndex { group in
          let others = waiting.joined().filter { !group.contains($0) }
          return !group.contains { part in others.contains { needs[part][$0] } }
        } ?? 0
      result.append(waiting.remove(at: next))
    }
    return result
  }

  /// The file's order, in groups that end where nothing before needs anything behind.
  private func group(_ parts: [[Int]], _ needs: [[Bool]]) -> [[Int]] {
    var result: [[Int]] = []
    var open: [Int] = []
    for part in parts.indices {
      open.append(part)
      let needsLater = open.contains { earlier in needs.indices.contains { $0 > part && needs[earlier][$0] } }
      if !needsLater {
        result.append(open)
        open = []
      }
    }
    return open.isEmpty ? result : result + [open]
  }

  // MARK: Cycles

  /// Postpones the relationships of a group's parts that lead to parts behind them.
  private mutating func postpone(_ group: [Int]) {
    // An object that was there when it was looked up may be taken out later, so that all that they look up of each other
    // waits.
    for (place, part) in group.enumerated() {
      for (otherPlace, other) in group.enumerated() where other != part && depends(part, on: other) {
        guard !postpone(part, other, runsLater: otherPlace > place) else { continue }
        let (name, needed) = (title(part), title(other))
        findings.report(
          .cyclicImports, at: definition.parts[part].position,
          "the import “\(name)” needs objects of “\(needed)”, which "
            + (otherPlace > place ? "runs after it" : "needs others in turn"),
          hint: definition.keepsOrder
            ? "put “\(needed)” first, or leave “order: file” out"
            : definition.parts[part].after.contains(definition.parts[other].name)
              && definition.parts[other].after.contains(definition.parts[part].name)
              ? "each is “after” the other: remove one of the two"
              : readsStepwise(part, of: other)
                ? "put “\(needed)” first, or look up what the store has before the run with “order: file”"
                : "only relationships of the records' own entity, to one object each, can wait for a later import")
      }
    }
  }

  /// Postpones what a part looks up of another one; whether that was all that it needs of it.
  private mutating func postpone(_ part: Int, _ other: Int, runsLater: Bool) -> Bool {
    let root = definition.parts[part].root
    if runsLater, definition.parts[part].after.contains(definition.parts[other].name) { return false }
    if runsLater, readsStepwise(part, of: other) { return false }
    guard let made = made(other) else { return !runsLater }
    if runsLater, root.mode == .update, isSame(root.entityName, made) { return false }
    guard definition.parts[part].passes != .one else { return false }
    for (index, relationship) in root.relationships.enumerated() {
      if lookUps(relationship.target).contains(where: { isSame($0, made) }) { return false }
      guard isLookUp(relationship), isSame(relationship.target.entityName, made) else { continue }
      guard relationship.list == nil else { return false }
      if !postponed.contains(where: { $0 == (part, index) }) { postponed.append((part, index)) }
    }
    return true
  }

  private func title(_ part: Int) -> String {
    let name = definition.parts[part].name
    return name.isEmpty ? definition.parts[part].root.entityName : name
  }
}

extension ImportPart {
  /// What the steps of the part look up.
  fileprivate var lookups: [StoreLookup] {
    (columns.flatMap(\.steps) + root.allSteps).compactMap { ($0.action.step as? LookupStep)?.lookup }
  }
}

extension EntityImport {
  /// The steps of all fields, with those of the targets.
  fileprivate var allSteps: [TransformStep] {
    (findBy + attributes).flatMap(\.steps) + relationships.flatMap { $0.target.allSteps }
  }
}
