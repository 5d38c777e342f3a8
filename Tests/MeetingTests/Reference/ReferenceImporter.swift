import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats

/// The importer that cannot be wrong: one record after the other, everything in dictionaries, no batch, no thread.
///
/// It takes a definition as the pipeline says it and the records as a reader should give them, and says what the store,
/// the counts and the rejects must be. Of the real importer it uses only the types of the definition.
struct ReferenceImporter {
  let model: ManagedObjectModel
  /// The objects of the store.
  var graph = ObjectGraph()
  /// What columns that only grow have reached, by import.
  var cursors: [String: CursorValue] = [:]

  // MARK: The current run

  var outcome = RunOutcome()
  var definition: ImportDefinition
  /// The import that runs.
  var part: ImportPart
  var number = 0
  var counts = ImportSummary.PartCounts()
  var rejects: [RunOutcome.Reject] = []
  /// Keys of the import's own entity that records have named, for the policies about duplicates.
  var seen: Set<[ReferenceValue]> = []
  /// The objects when the import began, which steps look up.
  var lookedUp = ObjectGraph()
  /// What is agreed about the source.
  var contract: ReferenceContract?
  /// Where the source tells names that the import may not know.
  var names = ReferenceContract.Names.untold
  /// The kinds of the first values of each file, by import, where the run sees only some of the records.
  var firstKinds: [[[String: Int]]] = []
  /// What programs and hooks do, in their order.
  var twins: [Twin] = []
  /// Those that see the records of the import that runs: programs and hooks are the first one's.
  var twinsOfPart: [Twin] { number == 0 ? twins : [] }
  /// Objects that records of the run have named.
  var named: Set<Int> = []
  /// Records of the import whose key cannot be read.
  var unreadable = 0
  /// Whether more objects would go than may.
  var isBreached = false
  /// What columns that only grow have reached, by import.
  private var cursorsNow: [CursorValue?] = []
  /// Whether an object that the current record has made as a target has values that must be others' alone.
  var isRefused = false
  /// The object that the current record stands for.
  var settled = 0
  /// Where the record stands whose values are written.
  var place = Place(file: 0, number: 0)
  /// Where the record stands that has said last what an attribute of an object of the own hierarchy is.
  var said: [Int: [String: Place]] = [:]
  /// Records whose relationships are set when all objects are there.
  var linking: [Entry] = []
  /// Records that are imported when all others are.
  var waiting: [Entry] = []
  /// The objects about which something waits.
  var waitingObjects: Set<Int> = []
  /// The objects that were there before the run.
  var known: Set<Int> = []
  /// Whether the run makes the store: what an earlier import has made is not looked for then, as no index leads to it.
  var isNewStore = false
  /// Keys of records that were refused for a value which another one has that may be rejected itself, so that they wait.
  var parked: Set<[ReferenceValue]> = []
  /// Keys of the records that were imported.
  var imported: Set<[ReferenceValue]> = []
  /// Whether all objects are there.
  var isSecondPass = false
  /// Whether the records are imported that wait.
  var isImportingWaiting = false
  /// How far the records have come in the column that only grows.
  var since: ReferenceSince?
  /// The objects as they were before the run.
  var first = ObjectGraph()
  /// The changes of objects by records of the import: the entities under which they count.
  var updates: [Int: [String]] = [:]
  /// How many records of the import have changed the object that they stand for.
  private var ownUpdates: [Int: Int] = [:]
  /// What the import counts of values, list elements and names.
  var tally = ReferenceTally()

  init(_ definition: ImportDefinition) {
    model = definition.model
    self.definition = definition
    part = definition.parts[0]
  }

  /// Runs an import of the files of its parts.
  ///
  /// - Parameter inputs: for each part of the definition its files with their records.
  mutating func run(_ definition: ImportDefinition, _ inputs: [[[ReadRecord]]]) -> RunOutcome {
    let before = self
    self.definition = definition
    outcome = RunOutcome()
    first = graph
    rejects = []
    named = []
    isBreached = false
    tally = ReferenceTally()
    var done: [Int: (counts: ImportSummary.PartCounts, unreadable: Int)] = [:]
    isNewStore = graph.objects.isEmpty
    cursorsNow = Array(repeating: nil, count: definition.parts.count)
    for index in order(definition.parts) {
      let part = definition.parts[index]
      self.part = part
      number = index
      counts = ImportSummary.PartCounts()
      counts.entity = part.root.entityName
      counts.name = definition.parts.count > 1 ? part.name : ""
      seen = []
      unreadable = 0
      note(part.root)
      tally.startPart()
      runPart(inputs[index])
      outcome.parts.append(counts)
      outcome.entities[part.root.entityName]?.duplicates += tally.duplicates
      done[index] = (counts, unreadable)
    }
    for index in order(definition.parts).reversed() where definition.parts[index].root.mode.removesOthers {
      guard let (counts, unreadable) = done[index] else { continue }
      removeOthers(definition.parts[index].root, counts, unreadable: unreadable)
    }
    outcome.cursors = cursorsNow
    outcome.links = tally.links
    outcome.rejects = rejects.sorted()
    let rejected = outcome.parts.reduce(0) { $0 + $1.rejected }
    outcome.status = rejected + outcome.denied > 0 ? "completed_with_rejects" : "completed"
    if outcome.failure != nil {
      let outcome = outcome
      self = before
      self.outcome = outcome
    } else if isBreached || isOverLimit(rejected) {
      let outcome = outcome
      self = before
      self.outcome = outcome
      self.outcome.cursors = definition.parts.map { $0.since == nil ? nil : cursors[$0.name] }
      self.outcome.status = "limit_breached"
    } else if definition.isDryRun {
      let outcome = outcome
      self = before
      self.outcome = outcome
      self.outcome.cursors = definition.parts.map { $0.since == nil ? nil : cursors[$0.name] }
      self.outcome.status = "dry_run"
    }
    return self.outcome
  }

  /// The parts in the order in which they run: those that look objects up come behind those that make them.
  private func order(_ parts: [ImportPart]) -> [Int] {
    func makes(_ part: ImportPart) -> Int? {
      part.root.mode == .update ? nil : model.entity(named: part.root.entityName)?.rootIndex
    }
    func needs(_ entity: EntityImport) -> Set<Int> {
      var roots: Set<Int> = []
      // What is only updated is made before.
      if entity.mode == .update, let root = model.entity(named: entity.entityName)?.rootIndex { roots.insert(root) }
      for relationship in entity.relationships {
        let target = relationship.target
        if relationship.missing != .create || target.mode == .update,
          let root = model.entity(named: target.entityName)?.rootIndex
        {
          roots.insert(root)
        }
        roots.formUnion(needs(target))
      }
      return roots
    }
    func runsBehind(_ part: ImportPart, _ other: ImportPart) -> Bool {
      if let root = makes(other), needs(part.root).contains(root) { return true }
      return looksUp(part, in: other)
    }
    var left = Array(parts.indices)
    var order: [Int] = []
    while !left.isEmpty {
      let place =
        left.firstIndex { index in left.allSatisfy { $0 == index || !runsBehind(parts[index], parts[$0]) } } ?? 0
      order.append(left.remove(at: place))
    }
    return order
  }

  /// Whether there are more rejects than the definition allows.
  private func isOverLimit(_ rejected: Int) -> Bool {
    let policy = definition.rejects
    if let limit = policy.limit, rejected > limit { return true }
    // A record with several reasons counts under one of them; codes with limits are the only ones of their records.
    for limit in policy.codes
    where rejects.count(where: { $0.codes.contains { limit.matches($0) } }) > limit.limit { return true }
    let read = outcome.parts.reduce(0) { $0 + $1.read }
    if let ratio = policy.ratio, Double(rejected) > ratio * Double(read) { return true }
    return false
  }

  /// Sees to it that all entities are counted.
  private mutating func note(_ entity: EntityImport) {
    if outcome.entities[entity.entityName] == nil { outcome.entities[entity.entityName] = .init() }
    for relationship in entity.relationships { note(relationship.target) }
  }

  private mutating func runPart(_ files: [[ReadRecord]]) {
    // What mode “insert” reads again would be there twice; a rejects file has it.
    let holds = part.root.mode != .insert || definition.rejects.path == nil
    since = part.since.map { ReferenceSince($0, stored: cursors[part.name], holds: holds) }
    (linking, waiting, waitingObjects, isSecondPass) = ([], [], [], false)
    (parked, imported, said) = ([], [], [:])
    lookedUp = graph
    var lists: Set<String> = []
    if case .xml = part.format { lists = Set(part.root.relationships.compactMap { $0.list?.column }) }
    contract = part.contract.map { ReferenceContract($0, columns: sourceColumns, names: names, lists: lists) }
    (updates, ownUpdates) = ([:], [:])
    if hasTwoPasses { runTwoPasses(files) } else { importAll(files) }
    if !hasTwoPasses { takeBackUpdates() }
    if let since { cursors[part.name] = since.cursor }
    if since != nil { cursorsNow[number] = cursors[part.name] }
  }

  /// Imports records, one after the other.
  mutating func importAll(_ files: [[ReadRecord]]) {
    for (file, records) in files.enumerated() {
      contract?.startFile(firstKinds.isEmpty ? [:] : firstKinds[number][file])
      var origin: Int?
      for record in records {
        if record.origin != origin { contract?.startFile() }
        origin = record.origin
        counts.read += 1
        let place = Place(file: file, number: record.number)
        guard let fault = record.fault else {
          importRecord(record, place)
          continue
        }
        unreadable += 1
        let moment = since?.value(of: record) ?? .none
        since?.noteRejected(nil)
        reject(place, [fault] + (moment.isFailure ? [moment.failure] : []) + furtherFailures(record, part.root))
      }
    }
  }

  /// Rejects a record.
  mutating func reject(_ place: Place, _ codes: [String]) {
    counts.rejected += 1
    rejects.append(
      RunOutcome.Reject(part: number, file: place.file, record: place.number, codes: Set(codes).sorted()))
  }

  // MARK: One record

  private mutating func importRecord(_ read: ReadRecord, _ place: Place) {
    let root = part.root
    self.place = place
    let (record, verdict) = transform(read)
    let moment = since?.value(of: record) ?? .none
    if let since, since.isBeforeCursor(moment) { return counts.skipped += 1 }
    var entry = Entry(place: place, record: record, moment: moment)
    if case .skipped = verdict {
      since?.noteSettled(moment.value)
      return counts.skipped += 1
    }
    let ownKey = key(record, root)
    if ownKey == nil, !root.findBy.isEmpty { unreadable += 1 }
    var reasons: [String] = []
    if case .refused(let codes) = verdict { reasons = codes }
    if moment.isFailure { reasons.append(moment.failure) }
    reasons += reasons.isEmpty ? self.reasons(record, root) : failures(record, root)
    guard reasons.isEmpty else { return refuse(entry, reasons) }
    let before = self
    isRefused = false
    guard hasTwoPasses || !lacksLateTarget(record, orOwn: true), let targets = relate(record, root) else {
      self = before
      return refuse(entry, ["relationship.missingTarget"])
    }
    if isRefused {
      self = before
      return refuse(entry, ["constraint.unique"])
    }
    entry.targets = targets
    guard let result = settle(entry, ownKey ?? []) else { return skip(entry) }
    finish(entry, result, before)
  }

  /// Passes a record over.
  mutating func skip(_ entry: Entry) {
    since?.noteSettled(entry.moment.value)
    noteNamed(entry.record, part.root)
    counts.skipped += 1
  }

  /// Rejects a record.
  mutating func refuse(_ entry: Entry, _ codes: [String]) {
    since?.noteRejected(entry.moment.value)
    noteNamed(entry.record, part.root)
    reject(entry.place, codes)
  }

  /// Counts what became of a record, and fills what is left of its object.
  mutating func finish(_ entry: Entry, _ result: Settled, _ before: ReferenceImporter) {
    let root = part.root
    switch result {
    case .waiting: return
    case .rejected(let code):
      let after = self
      self = before
      // It has named its key all the same.
      if code == "key.duplicate" { (seen, tally, since) = (after.seen, after.tally, after.since) }
      return refuse(entry, [code])
    case .inserted, .updated, .unchanged: break
    }
    let object = settled
    var isChanged = false
    var isLinkedLater = false
    if case .inserted = result { isLinkedLater = hasTwoPasses && !isSecondPass && isOpen(entry.record) }
    if isLinkedLater {
      var entry = entry
      entry.object = object
      linking.append(entry)
      waitingObjects.insert(object)
    } else if link(entry.record, object) {
      isChanged = true
    }
    if isRefused {
      self = before
      return refuse(entry, ["constraint.unique"])
    }
    guard let listsChanged = isLinkedLater && listsWait ? false : relateLists(entry.record, root, object) else {
      self = before
      return refuse(entry, ["relationship.missingTarget"])
    }
    isChanged = isChanged || listsChanged
    if !isLinkedLater { since?.noteSettled(entry.moment.value) }
    if let key = key(entry.record, root) { imported.insert(key) }
    if !root.findBy.isEmpty { tally.note(object) }
    switch result {
    case .inserted: counts.inserted += 1
    case .unchanged where !isChanged: counts.unchanged += 1
    case .unchanged:
      outcome.entities[root.entityName]?.unchanged -= 1
      outcome.entities[root.entityName]?.updated += 1
      updates[object, default: []].append(root.entityName)
      counts.updated += 1
      ownUpdates[object, default: 0] += 1
    default:
      counts.updated += 1
      ownUpdates[object, default: 0] += 1
    }
  }

  /// Counts changes as none that others have changed back.
  private mutating func takeBackUpdates() {
    // Where lists take members from each other, that may change an object back, too.
    let isAny = takesMembers(part.root)
    for (object, entities) in updates where (entities.count > 1 || isAny) && isAsBefore(object) {
      for entity in entities { outcome.entities[entity]?.updated -= 1 }
      let count = ownUpdates[object] ?? 0
      counts.updated -= count
      counts.unchanged += count
      outcome.entities[part.root.entityName]?.unchanged += count
      tally.takeBack(object)
    }
  }

  /// Whether an object is what it was before the run, with the lists that the import fills.
  private func isAsBefore(_ object: Int) -> Bool {
    guard let before = first.objects[object], let now = graph.objects[object], before.attributes == now.attributes,
      before.toOne == now.toOne
    else { return false }
    return lists(part.root).allSatisfy { entity, relationship in
      guard isOf(now.entity, entity) else { return true }
      let (old, new) = (members(object, relationship, in: first), members(object, relationship, in: graph))
      let isOrdered = model.entity(named: entity)?.relationship(named: relationship.name)?.isOrdered ?? false
      return isOrdered ? old == new : Set(old) == Set(new)
    }
  }

  enum Settled {
    case inserted, updated, unchanged
    /// The object is there, and the record waits until all others are.
    case waiting
    case rejected(String)
  }

  /// What becomes of a record that can be imported; nil when it is skipped.
  mutating func settle(_ entry: Entry, _ key: [ReferenceValue]) -> Settled? {
    let (record, root, targets) = (entry.record, part.root, entry.targets)
    guard !root.findBy.isEmpty else { return make(record, root, targets) }
    if !isImportingWaiting, parked.contains(key) { return wait(entry) }
    let before = self
    guard let object = find(root.entityName, root, key) else {
      if root.mode == .update { return nil }
      seen.insert(key)
      return park(entry, key, make(record, root, targets), before)
    }
    settled = object
    named.insert(object)
    if turnsAway(key) {
      // What becomes of the record that has the object is not known yet.
      return mayTakePlace(of: object) ? wait(entry) : turnAway(entry, key, object)
    }
    seen.insert(key)
    if hasTwoPasses, !isImportingWaiting, waits(record, object) {
      waitingObjects.insert(object)
      return wait(entry)
    }
    let isChanged = update(record, root, object, targets, isOwn: true)
    if isChanged, violatesUniqueness(object) {
      return park(entry, key, refusal(record, object, isUpdate: true), before)
    }
    return isChanged ? .updated : .unchanged
  }

  /// Whether a record whose object is there is not imported.
  func turnsAway(_ key: [ReferenceValue]) -> Bool {
    let root = part.root
    return root.mode == .insert || root.mode == .createMissing || root.duplicates != .last && seen.contains(key)
  }

  /// Rejects a record whose object is there, or says by nil that it is skipped.
  mutating func turnAway(_ entry: Entry, _ key: [ReferenceValue], _ object: Int) -> Settled? {
    let root = part.root
    // Where only new objects are wanted, it is rejected, and a rejected record is none to be repeated.
    let isFirst = root.mode == .insert ? !seen.contains(key) : seen.insert(key).inserted
    let isSkipped = !isFirst && root.duplicates == .first
    let isRefused = !isFirst && root.duplicates == .reject || root.mode == .insert
    if !isFirst, root.mode != .insert, root.mode != .createMissing { since?.noteRepeated(entry.moment) }
    if isRefused, root.mode == .insert { tally.noteRejected(object) } else { tally.note(object) }
    return isRefused && !isSkipped ? .rejected("key.duplicate") : nil
  }

  /// Makes the object of a record, unless another one has the same values of a uniqueness constraint.
  mutating func make(_ record: ReadRecord, _ root: EntityImport, _ targets: [String: Int]) -> Settled {
    let object = create(record, root, targets)
    if violatesUniqueness(object) { return refusal(record, object) }
    settled = object
    named.insert(object)
    return .inserted
  }

  /// Why an object cannot stay that has values that must be others' alone: what can be told before a row is written is
  /// told first; a relationship in its own hierarchy needs the row.
  private mutating func refusal(_ record: ReadRecord, _ object: Int, isUpdate: Bool = false) -> Settled {
    let root = part.root
    let isWritten =
      !lateRelationships(root).isEmpty && (!hasTwoPasses || isSecondPass || isUpdate || refersToKnown(record))
    let hasLists = !(hasTwoPasses && !isSecondPass && listsWait && isOpen(record))
    let isLost = !isWritten && hasLists && relateLists(record, root, object) == nil
    return .rejected(isLost ? "relationship.missingTarget" : "constraint.unique")
  }

  func violatesUniqueness(_ number: Int) -> Bool {
    guard let object = graph.objects[number], let entity = model.entity(named: object.entity) else { return false }
    // A constraint holds for all objects of the entity that declares it, whatever inherits from it.
    return model.entities.filter { entity.isKind(of: $0) }.contains { ancestor in
      ancestor.declaration.uniquenessConstraints.contains { names in
        let values = names.map { object.attributes[$0] ?? .null }
        guard !values.contains(.null) else { return false }
        return graph.objects.contains { other in
          other.key != number && isOf(other.value.entity, ancestor.name)
            && names.map { other.value.attributes[$0] ?? .null } == values
        }
      }
    }
  }

  /// Whether an entity is another one or inherits from it.
  func isOf(_ name: String, _ other: String) -> Bool {
    guard let entity = model.entity(named: name), let ancestor = model.entity(named: other) else { return false }
    return entity.isKind(of: ancestor)
  }

  /// The first object with a key.
  func find(_ entity: String, _ part: EntityImport, _ key: [ReferenceValue]) -> Int? {
    graph.objects.filter { number, object in
      isOf(object.entity, entity) && part.findBy.map { object.attributes[$0.attributeName] ?? .null } == key
    }.keys.min()
  }

  /// The key that a record has for an entity; nil when a part of it is null, absent, empty or no value.
  func key(_ record: ReadRecord, _ part: EntityImport) -> [ReferenceValue]? {
    var key: [ReferenceValue] = []
    for field in part.findBy {
      guard case .value(let value) = convert(record, field, part), !value.isEmpty else { return nil }
      key.append(value)
    }
    return key
  }

  /// What a record says about an attribute.
  func convert(_ record: ReadRecord, _ field: FieldImport, _ part: EntityImport) -> ReferenceConversion.Result {
    guard let attribute = model.entity(named: part.entityName)?.attribute(named: field.attributeName) else {
      preconditionFailure("\(part.entityName) has no \(field.attributeName)")
    }
    if let made = record.made[field.position.byteOffset] { return made }
    return ReferenceConversion(field: field, attribute: attribute).convert(
      record.cells[field.column] ?? .absent, replaces: part.mode == .replace)
  }
}
