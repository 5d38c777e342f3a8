import MergewalkImporting
import MergewalkObjectModel

/// What a made-up record says about a column.
enum CellText: Hashable {
  case absent
  case null
  case text(String)
}

/// A made-up record.
typealias MadeRecord = [String: CellText]

/// The importer that cannot be wrong: one record after the other, one look-up an object, everything in dictionaries.
struct NaiveImporter {
  /// An object, wherever it is.
  struct Object {
    var attributes: [String: Value]
    var targets: [String: Int] = [:]
    /// Whether a run has changed it after it was created.
    var wasUpdated = false
    /// Whether a run has deleted it.
    var isGone = false
  }

  /// Counts of one run.
  struct Counts: Equatable {
    var read = 0
    var inserted = 0
    var updated = 0
    var unchanged = 0
    var skipped = 0
    var rejected = 0
  }

  let model: ManagedObjectModel
  /// The objects of each entity; an object's place never changes.
  private(set) var objects: [String: [Object]] = [:]
  /// The place of each key.
  private var places: [String: [[Value]: Int]] = [:]
  private(set) var counts = Counts()
  private(set) var entityCounts: [String: ImportSummary.EntityCounts] = [:]
  private var seen: Set<[Value]> = []
  /// The keys of records that have made or named an object.
  private var imported: Set<[Value]> = []
  /// How many objects of each entity there were before the run, and which of them records have referred to.
  private var before: [String: Int] = [:]
  private var referredTo: [String: Set<Int>] = [:]
  /// The keys of the run's records, and how many have none that can be read.
  private var named: Set<[Value]> = []
  private var unreadable = 0
  /// How many records of the run have changed each object, and what the objects were before.
  private var changes: [String: [Int: Int]] = [:]
  private var first: [String: [Object]] = [:]
  /// The objects that the first record which refers to them has changed.
  private var uncounted: [String: Set<Int>] = [:]
  /// Whether fields that a record does not have go to their defaults.
  private var replaces = false

  init(model: ManagedObjectModel) { self.model = model }

  mutating func run(_ records: [MadeRecord], _ root: EntityImport) {
    counts = Counts()
    entityCounts = [:]
    (seen, imported) = ([], [])
    before = objects.mapValues(\.count)
    referredTo = [:]
    (changes, first, uncounted) = ([:], objects, [:])
    named = []
    unreadable = 0
    replaces = root.mode == .replace
    for name in Self.names(root) { entityCounts[name] = ImportSummary.EntityCounts() }
    for record in records {
      counts.read += 1
      if let key = key(record, root) { named.insert(key) } else { unreadable += 1 }
      importRecord(record, root)
    }
    for name in changes.keys { takeBackChanges(name, isRoot: name == root.entityName) }
    if root.mode.removesOthers { removeOthers(root) }
  }

  /// Records that have changed an object and changed it back have changed nothing.
  private mutating func takeBackChanges(_ name: String, isRoot: Bool) {
    let before = first[name] ?? []
    for (place, count) in changes[name] ?? [:] where count > 1 && place < before.count {
      guard let now = objects[name]?[place], now.attributes == before[place].attributes,
        now.targets == before[place].targets
      else { continue }
      objects[name]?[place] = before[place]
      entityCounts[name]?.updated -= count
      if isRoot {
        counts.updated -= count
        counts.unchanged += count
        entityCounts[name]?.unchanged += count
      } else if uncounted[name]?.contains(place) ?? false {
        entityCounts[name]?.unchanged += 1
      }
    }
  }

  /// The attribute and the value of the scope `amount == 7`, which is the only one that is known here.
  static let scope = "amount == 7"

  private mutating func removeOthers(_ root: EntityImport) {
    let name = root.entityName
    guard counts.read > counts.rejected || root.sync.allowsEmpty,
      unreadable == 0 || root.sync.unreadable == .delete
    else { return }
    for (key, place) in places[name] ?? [:] where !named.contains(key) {
      if root.sync.scope != nil, objects[name]?[place].attributes["amount"] != .integer(7) { continue }
      objects[name]?[place].isGone = true
      places[name]?[key] = nil
      entityCounts[name]?.deleted += 1
    }
  }

  private static func names(_ part: EntityImport) -> [String] {
    [part.entityName] + part.relationships.flatMap { names($0.target) }
  }

  /// What became of finding an object.
  private enum Found {
    case none
    case object(Int)
    case rejected
  }

  private mutating func importRecord(_ record: MadeRecord, _ root: EntityImport) {
    guard converts(record, root), let key = key(record, root), namesWhatIsNeeded(record, root) else {
      counts.rejected += 1
      return
    }
    let before = self
    let name = root.entityName
    guard let targets = relate(record, root) else { return reject(name, before) }
    guard let place = places[name]?[key] else {
      guard root.mode != .update else {
        counts.skipped += 1
        return
      }
      create(record, root, key, targets)
      seen.insert(key)
      imported.insert(key)
      counts.inserted += 1
      return
    }
    // An import of new objects rejects what names one of before, and a rejected record is none to be repeated.
    let isFirst = root.mode == .insert ? !seen.contains(key) : seen.insert(key).inserted
    // An import of new objects turns away what names one of before, and names none with that.
    let isRepeated = root.mode == .insert ? imported.contains(key) : !imported.insert(key).inserted
    if isRepeated { entityCounts[name]?.duplicates += 1 }
    if !isFirst, root.duplicates == .first {
      counts.skipped += 1
    } else if !isFirst, root.duplicates == .reject {
      reject(name, before)
    } else if root.mode == .insert {
      reject(name, before)
    } else if root.mode == .createMissing {
      counts.skipped += 1
    } else if update(record, root, place, targets) {
      counts.updated += 1
    } else {
      counts.unchanged += 1
      entityCounts[name]?.unchanged += 1
    }
  }

  /// Rejects a record: nothing is left of it but that it has named its key.
  private mutating func reject(_ name: String, _ before: NaiveImporter) {
    let after = self
    self = before
    (seen, imported) = (after.seen, after.imported)
    entityCounts[name]?.duplicates = after.entityCounts[name]?.duplicates ?? 0
    counts.rejected += 1
  }

  /// The targets of a record's relationships; `nil` when one is missing and the record is to be rejected.
  ///
  /// A relationship whose key is absent has no entry: it stays as it is, but for mode `replace`.
  private mutating func relate(_ record: MadeRecord, _ part: EntityImport) -> [String: Int]? {
    var targets: [String: Int] = [:]
    for relationship in part.relationships {
      let isOptional = model.entity(named: part.entityName)?.relationship(named: relationship.name)?.isOptional ?? true
      switch find(record, relationship, isOptional: isOptional) {
      case .none:
        if part.mode == .replace || !isAbsent(record, relationship.target) { targets[relationship.name] = -1 }
      case .object(let place): targets[relationship.name] = place
      case .rejected: return nil
      }
    }
    return targets
  }

  private mutating func find(
    _ record: MadeRecord, _ relationship: RelationshipImport, isOptional: Bool
  ) -> Found {
    let part = relationship.target
    // The targets' own targets are found first, whether or not the record names this one.
    guard let targets = relate(record, part) else { return .rejected }
    guard let key = key(record, part) else { return .none }
    let name = part.entityName
    if let place = places[name]?[key] {
      if part.mode != .createMissing {
        let isFirst = place < before[name] ?? 0 && referredTo[name, default: []].insert(place).inserted
        let isChanged = update(record, part, place, targets)
        if isFirst, isChanged { uncounted[name, default: []].insert(place) }
        if isFirst, !isChanged { entityCounts[name]?.unchanged += 1 }
      }
      return .object(place)
    }
    if part.mode == .update || relationship.missing != .create {
      return relationship.missing == .reject || !isOptional ? .rejected : .none
    }
    create(record, part, key, targets)
    return .object(places[name]?[key] ?? -1)
  }

  private mutating func create(
    _ record: MadeRecord, _ part: EntityImport, _ key: [Value], _ targets: [String: Int]
  ) {
    let name = part.entityName
    var object = Object(attributes: [:])
    for attribute in model.entity(named: name)?.attributes ?? [] {
      object.attributes[attribute.name] = defaultValue(name, attribute.name)
    }
    for field in part.findBy + part.attributes {
      if case .value(let value) = convert(record, field, name) { object.attributes[field.attributeName] = value }
    }
    for (relationship, target) in targets where target >= 0 { object.targets[relationship] = target }
    places[name, default: [:]][key] = objects[name]?.count ?? 0
    objects[name, default: []].append(object)
    entityCounts[name]?.inserted += 1
  }

  private mutating func update(
    _ record: MadeRecord, _ part: EntityImport, _ place: Int, _ targets: [String: Int]
  ) -> Bool {
    let name = part.entityName
    guard var object = objects[name]?[place] else { return false }
    var isChanged = false
    if part.mode == .replace {
      let filled = (part.findBy + part.attributes).map(\.attributeName)
      for attribute in model.entity(named: name)?.attributes ?? [] where !filled.contains(attribute.name) {
        let value = defaultValue(name, attribute.name)
        if object.attributes[attribute.name] != value { isChanged = true }
        object.attributes[attribute.name] = value
      }
      for relationship in model.entity(named: name)?.relationships ?? []
      where !part.relationships.contains(where: { $0.name == relationship.name }) && relationship.isOptional {
        if object.targets.removeValue(forKey: relationship.name) != nil { isChanged = true }
      }
    }
    for field in part.attributes {
      guard case .value(let value) = convert(record, field, name), object.attributes[field.attributeName] != value
      else { continue }
      object.attributes[field.attributeName] = value
      isChanged = true
    }
    for (relationship, target) in targets where (object.targets[relationship] ?? -1) != target {
      object.targets[relationship] = target < 0 ? nil : target
      isChanged = true
    }
    if isChanged {
      object.wasUpdated = true
      objects[name]?[place] = object
      entityCounts[name]?.updated += 1
      changes[name, default: [:]][place, default: 0] += 1
    }
    return isChanged
  }

  // MARK: Fields

  private enum Converted {
    case keep
    case value(Value)
    case failed
  }

  private func converts(_ record: MadeRecord, _ part: EntityImport) -> Bool {
    for field in part.findBy + part.attributes {
      if case .failed = convert(record, field, part.entityName) { return false }
    }
    return part.relationships.allSatisfy { converts(record, $0.target) }
  }

  private func convert(_ record: MadeRecord, _ field: FieldImport, _ entity: String) -> Converted {
    let type = model.entity(named: entity)?.attribute(named: field.attributeName)?.type
    func substitute(_ policy: FieldImport.Substitute) -> Converted {
      switch policy {
      case .keep: .keep
      case .null: .value(.null)
      case .useDefault: .value(defaultValue(entity, field.attributeName))
      case .empty: .value(type == .string ? .text([]) : .null)
      case .reject: .failed
      }
    }
    switch record[field.column] ?? .absent {
    case .absent where replaces && entity == "Item" && field.whenAbsent == .keep: return substitute(.useDefault)
    case .absent: return substitute(field.whenAbsent)
    case .null: return substitute(field.whenNull)
    case .text(let text) where text.isEmpty: return substitute(field.whenEmpty ?? .empty)
    case .text(let text):
      if type == .string { return .value(.text(text)) }
      return Int64(text).map { .value(.integer($0)) } ?? .failed
    }
  }

  private func defaultValue(_ entity: String, _ attribute: String) -> Value {
    switch model.entity(named: entity)?.attribute(named: attribute)?.defaultValue {
    case .string(let text): .text(text)
    case .integer(let number): .integer(number)
    default: .null
    }
  }

  /// The key of a record's object; `nil` when a part of it is null, absent or empty.
  private func key(_ record: MadeRecord, _ part: EntityImport) -> [Value]? {
    var key: [Value] = []
    for field in part.findBy {
      guard case .value(let value) = convert(record, field, part.entityName), value != .null, value != .text([]) else {
        return nil
      }
      key.append(value)
    }
    return key
  }

  /// Whether a record says nothing about a target: a part of the key is absent and the others are values.
  private func isAbsent(_ record: MadeRecord, _ part: EntityImport) -> Bool {
    var isAbsent = false
    for field in part.findBy {
      switch convert(record, field, part.entityName) {
      case .keep: isAbsent = true
      case .value(.null), .value(.text([])): return false
      default: break
      }
    }
    return isAbsent
  }

  /// Whether every mandatory relationship of the objects that the record names has a key.
  private func namesWhatIsNeeded(_ record: MadeRecord, _ part: EntityImport) -> Bool {
    let entity = model.entity(named: part.entityName)
    for relationship in part.relationships {
      let isOptional = entity?.relationship(named: relationship.name)?.isOptional ?? true
      if !isOptional, key(record, relationship.target) == nil {
        guard part.mode == .update, isAbsent(record, relationship.target) else { return false }
      }
      guard namesWhatIsNeeded(record, relationship.target) else { return false }
    }
    return true
  }

  // MARK: The result

  /// The objects as ``StoreDump`` shows them.
  func dump(keys: [String: [String]]) -> [String: [String]] {
    var result: [String: [String]] = [:]
    for entity in model.entities {
      result[entity.name] = (objects[entity.name] ?? []).filter { !$0.isGone }.map { line($0, entity, keys) }.sorted()
    }
    return result
  }

  /// The lines of objects that no run has changed since they were created, with the entity's name before them.
  func untouched(keys: [String: [String]]) -> [String] {
    model.entities.flatMap { entity in
      (objects[entity.name] ?? []).filter { !$0.wasUpdated && !$0.isGone }.map {
        "\(entity.name) \(line($0, entity, keys))"
      }
    }
  }

  private func line(_ object: Object, _ entity: EntityDescription, _ keys: [String: [String]]) -> String {
    var parts = object.attributes.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    for relationship in entity.relationships.filter({ !$0.isToMany }).sorted(by: { $0.name < $1.name }) {
      var name = "null"
      if let place = object.targets[relationship.name] {
        let other = model.entities[relationship.destinationEntity].name
        let target = objects[other]?[place].attributes ?? [:]
        name = "(" + (keys[other] ?? []).map { (target[$0] ?? .null).description }.joined(separator: ",") + ")"
      }
      parts.append("\(relationship.name)→\(name)")
    }
    return parts.joined(separator: " ")
  }
}
