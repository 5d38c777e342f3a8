import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// The second pass of one part, or of several that refer to each other.
///
/// 1. Set the relationships that can reject (``ImportRelationship/Stage``) of the objects that the first pass created.
///    Remove objects that lack a required target, then the objects that refer to these, until nothing refers to a
///    removed object. Waiting records take the places of removed ones (``Vacancies``) before any missing target is
///    created, and the references to these objects are checked again.
/// 2. Fill the lists of the remaining objects, write what their records say of the targets of step 1, and set their other
///    relationships, one stage after the other. If that rejects a record, roll back the whole step, remove the object as in
///    step 1, and begin again with the others: so nothing remains of what a rejected record lists or says, whatever the
///    order.
/// 3. Import the records whose objects existed before.
///
/// Until step 3, an object from before the run refers to nothing that the run created, so removals never change it.
///
/// All of it is one transaction: a process that resumes the run has the whole first pass, and begins here.
struct SecondPass {
  let parts: [PartImport]
  let file: StoreFile
  let store: PersistentStore
  /// Turns the rejects file to a part.
  let beginRejects: (Int) -> Void

  /// Runs the pass.
  ///
  /// - Parameter ledger: what became of all records so far; goes on.
  func run(_ ledger: inout RecordLedger) throws(ImportError) {
    do { try file.begin() } catch { throw ImportError(error) }
    try forgetKeys()
    try settleRejecting(&ledger)
    // What may fail behind the lists is rolled back with them.
    if parts.contains(where: { $0.importer.linksMayFail || $0.importer.listsWait }) {
      while try !settleRest(&ledger) { try settleRejecting(&ledger) }
    } else {
      for stage in ImportRelationship.Stage.behindLists {
        try forEach(&ledger) { (part) throws(ImportError) in try part.linkReferences(stage) }
      }
    }
    try forEach(&ledger) { (part) throws(ImportError) in try part.importWaiting() }
  }

  /// Has parts look in the store, not in the memory of the first pass, for objects that others of the group may have made
  /// since, or their lists deleted.
  private func forgetKeys() throws(ImportError) {
    for (index, part) in parts.enumerated() where part.hasSecondPass {
      var roots = part.importer.shrunkRoots
      for (other, filling) in parts.enumerated() where other != index {
        roots.formUnion(filling.importer.allNodes.filter { $0.role != .given }.map(\.plan.rootEntity))
      }
      try part.forgetKeys(of: roots)
    }
  }

  /// Sets the relationships that reject, and has records that wait take the place of those that go, until none goes any
  /// more.
  private func settleRejecting(_ ledger: inout RecordLedger) throws(ImportError) {
    _ = try replace(&ledger)
    repeat {
      repeat { try link(&ledger, isLast: false) } while try replace(&ledger)
      // What is still due refers to records that wait, which none makes room for any more.
      try link(&ledger, isLast: true)
    } while try replace(&ledger)
  }

  /// Fills the lists, writes what is said of targets and sets the other relationships; whether no record was rejected,
  /// otherwise nothing is left of it.
  private func settleRest(_ ledger: inout RecordLedger) throws(ImportError) -> Bool {
    let before = parts.map(\.lost)
    let attempt = try SecondPassAttempt(parts, file, store)
    try forEach(&ledger) { (part) throws(ImportError) in try part.fillLists() }
    for stage in ImportRelationship.Stage.behindLists where parts.map(\.lost) == before {
      try forEach(&ledger) { (part) throws(ImportError) in try part.linkReferences(stage) }
    }
    if parts.map(\.lost) == before {
      try attempt.keep()
      return true
    }
    try attempt.rollBack()
    try settle(before, &ledger)
    return false
  }

  /// Sets the relationships that reject, as far as they are due.
  private func link(_ ledger: inout RecordLedger, isLast: Bool) throws(ImportError) {
    let before = parts.map(\.lost)
    try forEach(&ledger) { (part) throws(ImportError) in try part.linkReferences(.rejecting, isLast: isLast) }
    try settle(before, &ledger)
  }

  /// Imports the waiting records that take the place of those that were taken out; whether there may be some.
  private func replace(_ ledger: inout RecordLedger) throws(ImportError) -> Bool {
    let due = parts.indices.filter { parts[$0].hasVacancies }
    for index in due {
      beginRejects(index)
      try parts[index].settle(&ledger) { () throws(ImportError) in try parts[index].importReplacements() }
    }
    return !due.isEmpty
  }

  /// Takes out the objects that were lost, with those that refer to them, and counts them.
  ///
  /// - Parameter before: For each part those that were taken out before.
  private func settle(_ before: [[Int64: Int32]], _ ledger: inout RecordLedger) throws(ImportError) {
    let rejected = zip(parts, before).map { $0.lost.count - $1.count }
    let further = try takeOut(before)
    for (index, part) in parts.enumerated() where rejected[index] > 0 || !further[index].isEmpty {
      beginRejects(index)
      try part.settle(&ledger) { () throws(ImportError) in try part.takeBack(rejected[index], further[index]) }
    }
  }

  private func forEach(
    _ ledger: inout RecordLedger, _ body: (PartImport) throws(ImportError) -> Void
  ) throws(ImportError) {
    for (index, part) in parts.enumerated() where part.hasSecondPass {
      beginRejects(index)
      try part.settle(&ledger) { () throws(ImportError) in try body(part) }
    }
  }

  // MARK: Taking out

  /// Takes out the objects that cannot stay.
  ///
  /// - Parameter gone: For each part those that were taken out before.
  /// - Returns: For each part those whose records are not rejected yet, with the field to blame.
  private func takeOut(_ gone: [[Int64: Int32]]) throws(ImportError) -> [[Int64: Int32]] {
    var lost = parts.enumerated().map { index, part in part.lost.filter { gone[index][$0.key] == nil } }
    let before = lost
    guard lost.contains(where: { !$0.isEmpty }) else { return lost }
    defer { noteVacancies(lost) }
    do {
      for root in Set(parts.map(\.rootEntity)) { try parts[0].importer.buildIndexes(file, referringTo: root) }
      var others: [RootIndex: Set<Int64>] = [:]
      let cleared = try spread(&lost, &others)
      try clear(cleared)
      for (index, part) in parts.enumerated() { others[part.rootEntity, default: []].formUnion(lost[index].keys) }
      try delete(others)
    } catch let error as ImportError {
      throw error
    } catch let error as StoreError {
      throw ImportError(error)
    } catch let error as SaveError {
      throw ImportError(error)
    } catch {
      throw ImportError(code: .database, message: "\(error)")
    }
    return lost.enumerated().map { index, keys in keys.filter { before[index][$0.key] == nil } }
  }

  /// Whether a waiting record takes the place of an object that goes.
  private func isClaimed(_ key: Int64, _ root: RootIndex) -> Bool {
    parts.contains { $0.rootEntity == root && $0.importer.vacancies.claims(key) }
  }

  /// Has the parts try their waiting records again that may take the place of lost ones.
  private func noteVacancies(_ lost: [[Int64: Int32]]) {
    for part in parts where part.hasSecondPass && !part.hasVacancies {
      part.hasVacancies =
        !part.importer.vacancies.parkedKeys.isEmpty
        || zip(parts, lost).contains { other, lost in
          other.rootEntity == part.rootEntity && lost.keys.contains { part.importer.vacancies.claims($0) }
        }
    }
  }

  /// A relationship that refers to nothing any more.
  private struct Reference {
    var part: Int
    var key: Int64
    var relationship: ImportRelationship
  }

  /// Adds the objects that refer to lost ones and cannot be without, unless a waiting record may take the place.
  ///
  /// - Parameter others: Takes, by root entity, those that no record stands for: lists and references made them.
  /// - Returns: The relationships of those that can, as far as records set them; deleting looks after the rest.
  private func spread(_ lost: inout [[Int64: Int32]], _ others: inout [RootIndex: Set<Int64>]) throws -> [Reference] {
    var cleared: [Reference] = []
    var frontier: [RootIndex: [Int64]] = [:]
    for (index, part) in parts.enumerated() { frontier[part.rootEntity, default: []] += lost[index].keys }
    while !frontier.isEmpty {
      var next: [RootIndex: [Int64]] = [:]
      let claimed = Dictionary(
        uniqueKeysWithValues: frontier.map { root, keys in (root, keys.filter { isClaimed($0, root) }) })
      let free = Dictionary(
        uniqueKeysWithValues: frontier.map { root, keys in (root, keys.filter { !isClaimed($0, root) }) })
      for (index, part) in parts.enumerated() {
        for relationship in part.plan.postponed {
          let field = part.plan.nodes[relationship.target].keyFields.first.map(Int32.init) ?? -1
          let mustGo = relationship.missing == .reject || !relationship.isOptional
          for isClaimed in [false, true] {
            try forEachReferrer(part.rootEntity, relationship.description, isClaimed ? claimed : free) { key in
              guard part.importer.referenceOwners.contains(key), lost[index][key] == nil, part.lost[key] == nil else {
                return
              }
              if mustGo, !isClaimed {
                lost[index][key] = field
                next[part.rootEntity, default: []].append(key)
              } else {
                cleared.append(Reference(part: index, key: key, relationship: relationship))
                part.importer.vacancies.addDue(key)
              }
            }
          }
        }
      }
      for entity in store.model.entities {
        for relationship in entity.relationships
        where relationship.declaringEntity == entity.index && !relationship.isToMany && !relationship.isOptional {
          let root = entity.root
          try forEachReferrer(root, relationship, frontier) { key in
            guard wasMadeBeside(key, root), others[root, default: []].insert(key).inserted else { return }
            next[root, default: []].append(key)
          }
        }
      }
      frontier = next
    }
    return cleared.filter { lost[$0.part][$0.key] == nil }
  }

  /// Calls `body` with the objects that refer to one of some objects, which are named by root entity.
  private func forEachReferrer(
    _ root: RootIndex, _ relationship: RelationshipDescription, _ targets: [RootIndex: [Int64]], _ body: (Int64) -> Void
  ) throws {
    guard let keys = targets[store.model.entities[relationship.destinationEntity].root],
      store.schema.table(forRoot: root).columnName(slot: relationship.slot) != nil
    else { return }
    let buffer = parts[0].importer.context.buffer(root: root)
    try store.access(root: root).forEachMember(slot: relationship.slot, of: keys.sorted(), buffer) { _, key, _ in
      body(key)
    }
  }

  /// Whether the run has made an object that no record stands for.
  private func wasMadeBeside(_ key: Int64, _ root: RootIndex) -> Bool {
    wasMade(key, root)
      && !parts.contains { $0.rootEntity == root && $0.importer.referenceOwners.contains(key) }
  }

  /// Whether the run has made an object.
  private func wasMade(_ key: Int64, _ root: RootIndex) -> Bool {
    parts.contains { key >= $0.importer.firstKeys[root] ?? .max }
  }

  private func clear(_ references: [Reference]) throws {
    for (index, part) in parts.enumerated() {
      for relationship in part.plan.postponed {
        let keys = Set(
          references.lazy.filter { $0.part == index && $0.relationship.slot == relationship.slot }.map(\.key))
        guard !keys.isEmpty else { continue }
        let context = part.importer.context
        let buffer = context.buffer(root: part.rootEntity)
        try store.fetch(keys.sorted(), of: part.rootEntity, into: buffer)
        for key in keys.sorted() {
          guard let row = buffer.row(primaryKey: key) else { continue }
          _ = try context.setToOne(
            table: TableID(root: part.rootEntity), row: row, relationship: relationship.description, target: 0,
            targetEntity: -1)
        }
        try context.writeChanges(order: nil)
        context.reset()
      }
    }
  }

  /// Deletes objects, by root entity: they were made a moment ago, so what has been related to them since is not what
  /// the rule "deny" is for, and of what the rule "cascade" names only what the run has made for them goes along.
  private func delete(_ keys: [RootIndex: Set<Int64>]) throws {
    // With those that delete rules take along.
    var gone: [RootIndex: Set<Int64>] = [:]
    let context = parts[0].importer.context
    for (root, keys) in keys.sorted(by: { $0.key < $1.key }) where !keys.isEmpty {
      _ = try context.deleteRecords(
        table: TableID(root: root), primaryKeys: keys.sorted(), overrulesDenials: true,
        each: { entity, key in gone[store.model.entities[entity].root, default: []].insert(key) },
        cascading: { entity, key in wasMadeBeside(key, store.model.entities[entity].root) })
    }
    // Together: some may be all that others need.
    do {
      try context.writeChanges(order: nil)
    } catch {
      guard let failure = error.failures.first else { throw error }
      throw ImportError(
        code: .database,
        message:
          "“\(failure.property)” of \(failure.entity) \(failure.primaryKey), which was there before, must not be empty, "
          + "and a record that was later rejected had taken its object; nothing was kept: set “passes: one”")
    }
    context.reset()
    for part in parts { try part.forgetObjects(of: Set(gone.keys)) }
    parts[0].importer.sample?.forget(gone)
  }
}
