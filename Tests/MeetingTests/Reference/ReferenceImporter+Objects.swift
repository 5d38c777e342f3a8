import MergewalkImporting
import MergewalkObjectModel

extension ReferenceImporter {
  // MARK: What is wrong

  /// All reasons against a record that can be told without a store.
  func reasons(_ record: ReadRecord, _ root: EntityImport) -> [String] {
    let codes = failures(record, root)
    if !codes.isEmpty { return codes }
    if !root.findBy.isEmpty, key(record, root) == nil {
      let values = root.findBy.map { convert(record, $0, root) }
      return [values.contains(.value(.text([]))) && !values.contains(.value(.null)) ? "key.empty" : "key.null"]
    }
    return needsTarget(record, root) ? ["relationship.missingTarget"] : listReasons(record, root)
  }

  /// Fields of an entity and its targets that do not convert, or that the model does not allow.
  func failures(_ record: ReadRecord, _ part: EntityImport) -> [String] {
    var codes: [String] = []
    for relationship in part.relationships where relationship.list == nil {
      codes += failures(record, relationship.target)
    }
    let namesObject = part.findBy.isEmpty || key(record, part) != nil
    for field in part.findBy + part.attributes {
      switch convert(record, field, part) {
      case .keep: break
      case .failed(let code): codes.append(code)
      case .value(let value):
        guard namesObject,
          let attribute = model.entity(named: part.entityName)?.attribute(named: field.attributeName)
        else { continue }
        if let code = ReferenceConversion.violation(value, attribute) { codes.append(code) }
      }
    }
    return codes
  }

  /// What else is wrong with a record that the reader refuses but whose values can be read: those that are taken as they
  /// are.
  func furtherFailures(_ record: ReadRecord, _ part: EntityImport) -> [String] {
    var codes: [String] = []
    for relationship in part.relationships where relationship.list == nil {
      codes += furtherFailures(record, relationship.target)
    }
    for field in part.findBy + part.attributes
    where !isMade(field, record) && !isShared(field.column)
      && (record.cells[field.column] ?? .absent) != .absent
    {
      switch convert(record, field, part) {
      case .keep: break
      case .failed(let code): codes.append(code)
      case .value(let value):
        let attribute = model.entity(named: part.entityName)?.attribute(named: field.attributeName)
        if let code = attribute.flatMap({ ReferenceConversion.violation(value, $0) }) { codes.append(code) }
      }
    }
    return codes
  }

  /// Whether a program or a hook may change a column.
  private func isShared(_ column: String) -> Bool {
    twinsOfPart.contains { $0.columns.isEmpty || $0.columns.contains(column) }
  }

  /// Whether a mandatory relationship of an object that the record names has no key.
  private func needsTarget(_ record: ReadRecord, _ part: EntityImport) -> Bool {
    for relationship in part.relationships where relationship.list == nil {
      if needsTarget(record, relationship.target) { return true }
      let description = model.entity(named: part.entityName)?.relationship(named: relationship.name)
      guard description?.isOptional == false, key(record, relationship.target) == nil else { continue }
      if part.mode == .update, isAbsent(record, relationship.target) { continue }
      return true
    }
    return false
  }

  /// Whether a record says nothing about a target: a part of the key is absent and the others are values.
  func isAbsent(_ record: ReadRecord, _ part: EntityImport) -> Bool {
    let values = part.findBy.map { convert(record, $0, part) }
    return values.contains(.keep)
      && values.allSatisfy { if case .value(let value) = $0 { !value.isEmpty } else { true } }
  }

  // MARK: Targets

  /// The targets of a record's to-one relationships, 0 for none; nil when one is missing that must not be.
  ///
  /// A relationship that the record says nothing about is left out.
  mutating func relate(_ record: ReadRecord, _ part: EntityImport) -> [String: Int]? {
    var targets: [String: Int] = [:]
    for relationship in part.relationships where relationship.list == nil && !isLate(relationship, part) {
      let target = relationship.target
      guard let inner = relate(record, target) else { return nil }
      guard let key = key(record, target) else {
        if part.mode == .replace || !isAbsent(record, target) { targets[relationship.name] = 0 }
        continue
      }
      if let object = find(target.entityName, target, key) {
        if target.mode != .createMissing { _ = update(record, target, object, inner) }
        named.insert(object)
        targets[relationship.name] = object
        continue
      }
      if target.mode == .update || relationship.missing != .create {
        let description = model.entity(named: part.entityName)?.relationship(named: relationship.name)
        if relationship.missing == .reject || description?.isOptional == false { return nil }
        targets[relationship.name] = 0
        continue
      }
      let object = create(record, target, inner)
      if violatesUniqueness(object) { isRefused = true }
      named.insert(object)
      targets[relationship.name] = object
    }
    return targets
  }

  /// Notes what a rejected record names: a bad record is not a missing one.
  mutating func noteNamed(_ record: ReadRecord, _ part: EntityImport) {
    let own = part.findBy.isEmpty ? nil : key(record, part).flatMap { find(part.entityName, part, $0) }
    if let own { named.insert(own) }
    for relationship in part.relationships {
      if let list = relationship.list {
        noteNamed(record, part, relationship, list, own)
      } else {
        noteNamed(record, relationship.target)
      }
    }
  }

  // MARK: Objects

  /// Makes an object of a record.
  mutating func create(_ record: ReadRecord, _ part: EntityImport, _ targets: [String: Int]) -> Int {
    var object = ObjectGraph.Object(entity: part.entityName)
    for attribute in model.entity(named: part.entityName)?.attributes ?? [] {
      object.attributes[attribute.name] = ReferenceValue(attribute.defaultValue)
    }
    for field in part.findBy + part.attributes {
      if case .value(let value) = convert(record, field, part) { object.attributes[field.attributeName] = value }
    }
    let number = graph.add(object)
    for (name, target) in targets where target != 0 { _ = setToOne(number, name, target) }
    outcome.entities[part.entityName, default: .init()].inserted += 1
    return number
  }

  /// Changes an object as a record says; whether anything differs.
  mutating func update(
    _ record: ReadRecord, _ part: EntityImport, _ number: Int, _ targets: [String: Int]
  ) -> Bool {
    guard let entity = model.entity(named: part.entityName) else { return false }
    var isChanged = false
    func set(_ name: String, _ value: ReferenceValue) {
      if graph.objects[number]?.attributes[name] != value { isChanged = true }
      graph.objects[number]?.attributes[name] = value
    }
    for field in part.attributes {
      if case .value(let value) = convert(record, field, part) { set(field.attributeName, value) }
    }
    var targets = targets
    if part.mode == .replace {
      let filled = Set((part.findBy + part.attributes).map(\.attributeName))
      for attribute in entity.attributes
      where !filled.contains(attribute.name) && attribute.name != part.sync.softDelete {
        set(attribute.name, ReferenceValue(attribute.defaultValue))
      }
      let related = Set(part.relationships.map(\.name))
      for relationship in entity.relationships
      where !relationship.isToMany && relationship.isOptional && !related.contains(relationship.name) {
        targets[relationship.name] = 0
      }
    }
    for (name, target) in targets where setToOne(number, name, target) { isChanged = true }
    if let soft = part.sync.softDelete, graph.objects[number]?.attributes[soft] == .boolean(true) {
      set(soft, .boolean(false))
    }
    if isChanged {
      outcome.entities[part.entityName, default: .init()].updated += 1
      updates[number, default: []].append(part.entityName)
    } else {
      outcome.entities[part.entityName, default: .init()].unchanged += 1
    }
    return isChanged
  }

  /// Sets a to-one relationship, 0 for nothing; whether it was another one.
  mutating func setToOne(_ number: Int, _ name: String, _ target: Int) -> Bool {
    let old = graph.objects[number]?.toOne[name] ?? 0
    guard old != target else { return false }
    graph.objects[number]?.toOne[name] = target == 0 ? nil : target
    // An ordered relationship at the other end has a place for each member.
    let entity = graph.objects[number].flatMap { model.entity(named: $0.entity) }
    guard let inverse = entity?.relationship(named: name)?.inverseName else { return true }
    graph.objects[old]?.toMany[inverse]?.removeAll { $0 == number }
    let other = graph.objects[target].flatMap { model.entity(named: $0.entity) }
    if other?.relationship(named: inverse)?.isOrdered == true {
      graph.objects[target]?.toMany[inverse, default: []].append(number)
    }
    return true
  }

  // MARK: Those that no record names

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
      let held = others.filter { takesAlong($0, root.entityName, besides: Set(others)) }
      outcome.denied += held.count
      for number in others.sorted() where !held.contains(number) { delete(number) }
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
    var (taken, waiting) = (Set([number]), [number])
    while let next = waiting.popLast() {
      for other in companions(of: next) where taken.insert(other).inserted { waiting.append(other) }
    }
    return taken.contains {
      named.contains($0) || graph.objects[$0]?.entity == entity && !others.contains($0)
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
  mutating func delete(_ number: Int) {
    guard let object = graph.objects[number] else { return }
    for companion in companions(of: number) { delete(companion) }
    graph.remove(number)
    outcome.deleted += 1
    if outcome.entities[object.entity] != nil { outcome.entities[object.entity]?.deleted += 1 }
  }

  /// The objects that delete rules take along with an object at once.
  private func companions(of number: Int) -> [Int] {
    guard let object = graph.objects[number], let entity = model.entity(named: object.entity) else { return [] }
    var companions: [Int] = []
    for relationship in entity.relationships where relationship.deleteRule == .cascade {
      guard let inverse = relationship.inverseName else { continue }
      let destination = model.entities[relationship.destinationEntity].name
      let members = graph.objects.filter { $0.value.toOne[inverse] == number && isOf($0.value.entity, destination) }
      companions += members.keys.sorted()
    }
    return companions
  }
}
