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
    return lateRelationships(part.root).contains { relationship in
      // What a record says of its target may be refused, too.
      let isWritten = creates(relationship) || !relationship.target.attributes.isEmpty
      return rejects(relationship, part.root) || isWritten && isGuarded(relationship.target)
    }
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

  /// Whether a record's value of an attribute is written, which is noted.
  ///
  /// What records say of an object as a target in their own hierarchy is written later than what they say of their own
  /// one, but the last in the input counts.
  mutating func isLast(_ object: Int, _ attribute: String, _ part: EntityImport) -> Bool {
    let hierarchies = [part, self.part.root].map { model.entity(named: $0.entityName)?.rootIndex }
    guard hierarchies[0] == hierarchies[1] else { return true }
    if let last = said[object]?[attribute], place < last { return false }
    said[object, default: [:]][attribute] = place
    return true
  }

  /// Whether a record that waits names itself as a target, of which it says more than of its own object.
  func saysMoreOfItself(_ record: ReadRecord, _ attribute: String) -> Bool {
    guard isImportingWaiting else { return false }
    return lateRelationships(part.root).contains { relationship in
      let target = relationship.target
      guard target.mode != .createMissing, let key = key(record, target), key == self.key(record, part.root),
        target.findBy.map(\.attributeName) == part.root.findBy.map(\.attributeName),
        let field = target.attributes.first(where: { $0.attributeName == attribute })
      else { return false }
      if case .value = convert(record, field, target) { return true }
      return false
    }
  }

  // MARK: Two passes

  /// Imports the records of a part that refer to each other in any order: all objects first, then what they refer to.
  ///
  /// A record whose target is not there is taken out again, then those that refer to what it has made, and so on; those that
  /// wait take the places of what has gone. Then the others fill their lists and refer to what is made for them; as long as
  /// that rejects some, these are taken out and the others begin anew. Records wait whose object is there, unless what they
  /// refer to was there before the run, too; with them those that would be turned away because of one that may go, and
  /// those that are refused for a value that such a record has.
  mutating func runTwoPasses(_ files: [[ReadRecord]]) {
    known = Set(graph.objects.keys)
    importAll(files)
    while true {
      settleLinks()
      var attempt = self
      attempt.isSecondPass = true
      let lost = attempt.fillLinked()
      if lost.isEmpty {
        self = attempt
        break
      }
      if takeOut(lost) { replace() }
    }
    for entry in linking { since?.noteSettled(entry.moment.value) }
    seen = imported
    isImportingWaiting = true
    for entry in waiting { importWaiting(entry) }
    isImportingWaiting = false
  }

  /// Takes out what lacks its target, until nothing does.
  private mutating func settleLinks() {
    func lacking(orWaiting: Bool) -> [Place: String] {
      var lost: [Place: String] = [:]
      for entry in linking where lacksLateTarget(entry.record, orOwn: false) {
        if orWaiting || !refersToWaiting(entry.record) { lost[entry.place] = "relationship.missingTarget" }
      }
      return lost
    }
    while true {
      var isVacant = false
      // With those that refer to what has just gone.
      while case let lost = lacking(orWaiting: false), !lost.isEmpty { if takeOut(lost) { isVacant = true } }
      if !isVacant, case let lost = lacking(orWaiting: true) {
        if lost.isEmpty { return }
        isVacant = takeOut(lost)
      }
      if isVacant { replace() }
    }
  }

  /// Fills the lists of the records that are linked later, and makes what they refer to; those that this rejects.
  private mutating func fillLinked() -> [Place: String] {
    var lost: [Place: String] = [:]
    for entry in linking where listsWait {
      let before = self
      guard relateLists(entry.record, part.root, entry.object) == nil else { continue }
      self = before
      lost[entry.place] = "relationship.missingTarget"
    }
    for entry in linking where lost.isEmpty {
      (isRefused, place) = (false, entry.place)
      _ = link(entry.record, entry.object)
      if isRefused { lost[entry.place] = "constraint.unique" }
    }
    return lost
  }

  /// Takes records out that the first pass has imported; whether one that waits may take a place.
  private mutating func takeOut(_ lost: [Place: String]) -> Bool {
    var isVacant = !parked.isEmpty
    for entry in linking {
      guard let code = lost[entry.place] else { continue }
      let key = key(entry.record, part.root) ?? []
      if waiting.contains(where: { self.key($0.record, part.root) == key }) { isVacant = true }
      imported.remove(key)
      graph.remove(entry.object)
      outcome.entities[part.root.entityName]?.inserted -= 1
      counts.inserted -= 1
      refuse(entry, [code])
    }
    linking.removeAll { lost[$0.place] != nil }
    return isVacant
  }

  /// Imports those of the waiting records that need not wait any more.
  private mutating func replace() {
    let entries = waiting
    (waiting, parked, seen) = ([], [], imported)
    for entry in entries {
      place = entry.place
      let before = self
      isRefused = false
      guard let result = settle(entry, key(entry.record, part.root) ?? []) else {
        skip(entry)
        continue
      }
      finish(entry, result, before)
    }
  }

  /// Has a record wait.
  mutating func wait(_ entry: Entry) -> Settled {
    waiting.append(entry)
    return .waiting
  }

  /// Has a record wait that is refused for a value which a record has that may be rejected itself.
  mutating func park(
    _ entry: Entry, _ key: [ReferenceValue], _ result: Settled, _ before: ReferenceImporter
  ) -> Settled {
    guard case .rejected("constraint.unique") = result, hasTwoPasses, !isImportingWaiting, listsWait else {
      return result
    }
    self = before
    parked.insert(key)
    return wait(entry)
  }

  /// Whether a record that is turned away for an object may take its place: the record that has it may be rejected.
  func mayTakePlace(of object: Int) -> Bool {
    guard hasTwoPasses, !isImportingWaiting else { return false }
    let isWaiting = waitingObjects.contains(object)
    if known.contains(object) { return isWaiting }
    return lateRelationships(part.root).contains { rejects($0, part.root) } || listsWait && isWaiting
  }

  /// Whether the target that a record lacks may be one that waits.
  private func refersToWaiting(_ record: ReadRecord) -> Bool {
    lateRelationships(part.root).contains { relationship in
      guard rejects(relationship, part.root), let key = key(record, relationship.target) else { return false }
      return find(relationship.target.entityName, relationship.target, key) == nil
        && waiting.contains { self.key($0.record, part.root) == key }
    }
  }

  /// Whether a record that finds its object waits.
  func waits(_ record: ReadRecord, _ object: Int) -> Bool {
    let mayGo = lateRelationships(part.root).contains { rejects($0, part.root) }
    return waitingObjects.contains(object) || mayGo && !known.contains(object) || isOpen(record)
  }

  /// Whether a record refers to an object of its own hierarchy that was not there before the run, or that nobody has
  /// looked for because no index leads to it or because it is to be filled, too.
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
    guard !isNewStore, target.attributes.isEmpty,
      entity?.uniquenessConstraints.contains(where: { Set($0) == keys }) ?? false, let key = key(record, target)
    else { return false }
    return find(target.entityName, target, key).map(known.contains) ?? false
  }

  private mutating func importWaiting(_ entry: Entry) {
    let (record, root) = (entry.record, part.root)
    place = entry.place
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
  struct Place: Hashable, Comparable {
    var file: Int
    var number: Int

    static func < (left: Place, right: Place) -> Bool { (left.file, left.number) < (right.file, right.number) }
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
