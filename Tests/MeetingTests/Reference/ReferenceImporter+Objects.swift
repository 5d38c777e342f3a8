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
    let number = graph.add(object)
    for field in part.findBy + part.attributes {
      guard case .value(let value) = convert(record, field, part) else { continue }
      graph.objects[number]?.attributes[field.attributeName] = value
      _ = isLast(number, field.attributeName, part)
    }
    for (name, target) in targets where target != 0 { _ = setToOne(number, name, target) }
    outcome.entities[part.entityName, default: .init()].inserted += 1
    return number
  }

  /// Changes an object as a record says; whether anything differs.
  mutating func update(
    _ record: ReadRecord, _ part: EntityImport, _ number: Int, _ targets: [String: Int], isOwn: Bool = false
  ) -> Bool {
    guard let entity = model.entity(named: part.entityName) else { return false }
    var isChanged = false
    func set(_ name: String, _ value: ReferenceValue) {
      if graph.objects[number]?.attributes[name] != value { isChanged = true }
      graph.objects[number]?.attributes[name] = value
    }
    for field in part.attributes where !(isOwn && saysMoreOfItself(record, field.attributeName)) {
      guard case .value(let value) = convert(record, field, part), isLast(number, field.attributeName, part) else {
        continue
      }
      set(field.attributeName, value)
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
}
