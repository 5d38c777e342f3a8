import MergewalkImporting
import MergewalkObjectModel

/// Relationships within the records' own hierarchy, whose targets may be records that come later.
extension ReferenceImporter {
  /// The relationships of the records' own entity within its hierarchy.
  func lateRelationships(_ part: EntityImport) -> [RelationshipImport] {
    part.relationships.filter { $0.list == nil && isLate($0, part) }
  }

  func isLate(_ relationship: RelationshipImport, _ part: EntityImport) -> Bool {
    model.entity(named: relationship.target.entityName)?.rootIndex == model.entity(named: part.entityName)?.rootIndex
  }

  /// Whether the import goes through its records twice.
  var hasTwoPasses: Bool {
    part.passes != .one && part.root.mode != .update && !lateRelationships(part.root).isEmpty
  }

  /// Whether a relationship that leads nowhere rejects its record.
  private func rejects(_ relationship: RelationshipImport, _ part: EntityImport) -> Bool {
    if creates(relationship) { return false }
    let description = model.entity(named: part.entityName)?.relationship(named: relationship.name)
    return relationship.missing == .reject || description?.isOptional == false
  }

  /// Whether a relationship may make its target.
  private func creates(_ relationship: RelationshipImport) -> Bool {
    relationship.missing == .create && relationship.target.mode != .update
  }

  /// Whether a record refers to an object of its own hierarchy that is not there and must be.
  func lacksLateTarget(_ record: ReadRecord, orOwn: Bool) -> Bool {
    let root = part.root
    return lateRelationships(root).contains { relationship in
      guard rejects(relationship, root), let key = key(record, relationship.target) else { return false }
      if orOwn, self.key(record, root) == key, root.mode != .update { return false }
      return find(relationship.target.entityName, relationship.target, key) == nil
    }
  }

  /// Whether the second pass may reject a record, so that its lists wait until it has not.
  var listsWait: Bool {
    let entity = model.entity(named: part.root.entityName)
    let hasRelatives = entity.map { model.entities[$0.rootIndex].hasSubentities } ?? false
    func isGuarded(_ target: EntityImport) -> Bool {
      let keys = Set(target.findBy.map(\.attributeName))
      return hasRelatives || entity?.uniquenessConstraints.contains { Set($0) != keys } ?? false
    }
    return lateRelationships(part.root).contains { rejects($0, part.root) || creates($0) && isGuarded($0.target) }
  }

  /// Sets the relationships of a record's object into its own hierarchy; whether one was another.
  mutating func link(_ record: ReadRecord, _ object: Int) -> Bool {
    var isChanged = false
    for relationship in lateRelationships(part.root) {
      let target = relationship.target
      guard let key = key(record, target) else {
        let isSilent = part.root.mode != .replace && isAbsent(record, target)
        if !isSilent, setToOne(object, relationship.name, 0) { isChanged = true }
        continue
      }
      var found = find(target.entityName, target, key)
      if let found {
        if target.mode != .createMissing { _ = update(record, target, found, [:]) }
      } else if creates(relationship) {
        let object = create(record, target, [:])
        if violatesUniqueness(object) { isRefused = true }
        found = object
      }
      if let found { named.insert(found) }
      if setToOne(object, relationship.name, found ?? 0) { isChanged = true }
    }
    return isChanged
  }

  // MARK: Two passes

  /// Imports the records of a part that refer to each other in any order: all objects first, then what they refer to.
  ///
  /// A record whose target will not be there is rejected, then those that refer to what it would have made, and so on.
  /// Where that may happen, the others fill their lists only then, and go like these when an element rejects them.
  /// Records whose object is there wait as a whole, unless what they refer to was there before the run, too; with them
  /// those that would be turned away because of them.
  mutating func runTwoPasses(_ files: [[ReadRecord]]) {
    known = Set(graph.objects.keys)
    var lost: [Place: String] = [:]
    while true {
      var attempt = self
      attempt.importAll(files, without: lost)
      var more: [Place: String] = [:]
      for entry in attempt.linking where attempt.lacksLateTarget(entry.record, orOwn: false) {
        more[entry.place] = "relationship.missingTarget"
      }
      let lacks = more
      attempt.isSecondPass = true
      for entry in attempt.linking where listsWait && lacks.isEmpty {
        let before = attempt
        guard attempt.relateLists(entry.record, part.root, entry.object) == nil else { continue }
        attempt = before
        more[entry.place] = "relationship.missingTarget"
      }
      for entry in attempt.linking where more.isEmpty {
        attempt.isRefused = false
        _ = attempt.link(entry.record, entry.object)
        if attempt.isRefused { more[entry.place] = "constraint.unique" }
      }
      if more.isEmpty {
        self = attempt
        break
      }
      lost.merge(more) { first, _ in first }
    }
    // Of those that wait none has named its key yet.
    for entry in waiting { seen.remove(key(entry.record, part.root) ?? []) }
    isImportingWaiting = true
    for entry in waiting { importWaiting(entry) }
    isImportingWaiting = false
  }

  /// Whether a record that finds its object waits.
  func waits(_ record: ReadRecord, _ object: Int) -> Bool {
    let mayGo = lateRelationships(part.root).contains { rejects($0, part.root) }
    return waitingObjects.contains(object) || mayGo && !known.contains(object) || isOpen(record)
  }

  /// Whether a record refers to an object of its own hierarchy that was not there before the run, or that nobody has
  /// looked for because no index leads to it.
  func isOpen(_ record: ReadRecord) -> Bool {
    lateRelationships(part.root).contains { key(record, $0.target) != nil && !isKnown(record, $0.target) }
  }

  /// Whether a record refers to an object of its own hierarchy that was there before the run and is looked for.
  func refersToKnown(_ record: ReadRecord) -> Bool {
    lateRelationships(part.root).contains { isKnown(record, $0.target) }
  }

  private func isKnown(_ record: ReadRecord, _ target: EntityImport) -> Bool {
    let keys = Set(target.findBy.map(\.attributeName))
    let entity = model.entity(named: target.entityName)
    guard entity?.uniquenessConstraints.contains(where: { Set($0) == keys }) ?? false, let key = key(record, target)
    else { return false }
    return find(target.entityName, target, key).map(known.contains) ?? false
  }

  private mutating func importWaiting(_ entry: Entry) {
    let (record, root) = (entry.record, part.root)
    let before = self
    isRefused = false
    let key = key(record, root) ?? []
    let isTurnedAway = find(root.entityName, root, key) != nil && turnsAway(key)
    guard isTurnedAway || !lacksLateTarget(record, orOwn: true) else {
      return refuse(entry, ["relationship.missingTarget"])
    }
    guard let result = settle(entry, key) else { return skip(entry) }
    finish(entry, result, before)
  }

  /// Where a record stands.
  struct Place: Hashable {
    var file: Int
    var number: Int
  }

  /// A record on its way.
  struct Entry {
    var place: Place
    var record: ReadRecord
    /// What its value is in the column that only grows.
    var moment: ReferenceSince.Moment
    /// The targets of its relationships.
    var targets: [String: Int] = [:]
    /// The object that it stands for.
    var object = 0
  }
}
