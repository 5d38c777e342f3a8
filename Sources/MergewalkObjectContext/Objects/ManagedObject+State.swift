public import MergewalkObjectModel
import MergewalkObjectStore

/// The value of a property of any kind, as ``ManagedObject/changedValues()`` and
/// ``ManagedObject/committedValues(forKeys:)`` report it.
public enum PropertyValue: Sendable, Hashable {
  /// The value of an attribute.
  case attribute(AttributeValue)
  /// The object of a to-one relationship, or `nil`.
  case object(ManagedObjectID?)
  /// The objects of a to-many relationship, in the order of an ordered one, else by primary key.
  case objects([ManagedObjectID])
}

/// Values that an object has now, had when it was fetched or saved, and knows without the store.
extension ManagedObject {
  /// The properties whose values differ from those fetched or last saved, with their current values; for an object that
  /// was never saved, the properties with a value.
  ///
  /// Relationships without a column in this object's row are included if members were added or removed here.
  /// Transient properties are not.
  ///
  /// - Throws: ``ObjectError`` as ``objects(forKey:)`` does.
  public final func changedValues() throws(ObjectError) -> [String: PropertyValue] {
    let context = try validContext
    let buffer = context.buffer(table: table)
    var values: [String: PropertyValue] = [:]
    // A fault has no changed values of its own, but may have gained or lost members that were set at their end.
    if isFault, !context.hasChanges { return values }
    for attribute in entity.attributes where !attribute.isTransient && isChanged(slot: attribute.slot, buffer) {
      values[attribute.name] = .attribute(try storedValue(forKey: attribute.name))
    }
    for relationship in entity.relationships where !relationship.isTransient {
      if relationship.isToMany {
        let now = try objectIDs(forRelationshipNamed: relationship.name)
        if now != (try committedIDs(relationship)) { values[relationship.name] = .objects(now) }
      } else if isChanged(slot: relationship.slot, buffer) {
        values[relationship.name] = .object(try objectIDs(forRelationshipNamed: relationship.name).first)
      }
    }
    return values
  }

  /// The values that properties had when they were fetched or last saved; an object that was never saved has none.
  ///
  /// - Parameter keys: The properties; `nil` for all that are stored.
  /// - Throws: ``ObjectError`` with `unknownKey`, or as ``value(forKey:)`` does.
  public final func committedValues(forKeys keys: [String]? = nil) throws(ObjectError) -> [String: PropertyValue] {
    let context = try validContext
    try context.fire(self)
    var values: [String: PropertyValue] = [:]
    let all =
      entity.attributes.filter { !$0.isTransient }.map(\.name)
      + entity.relationships.filter { !$0.isTransient }.map(\.name)
    for key in keys ?? all {
      if let attribute = entity.attribute(named: key) {
        values[key] = .attribute(try committedValue(attribute))
      } else if let relationship = entity.relationship(named: key) {
        let ids = try committedIDs(relationship)
        values[key] = relationship.isToMany ? .objects(ids) : .object(ids.first)
      } else {
        throw ObjectError(.unknownKey, "\(entity.name) has no attribute or relationship \"\(key)\"")
      }
    }
    return values
  }

  /// Whether the next save writes anything for the object: changes of transient attributes alone do not count.
  public final var hasPersistentChangedValues: Bool {
    guard isValid, let context = link.context else { return false }
    let buffer = context.buffer(table: table)
    switch state {
    case RowState.inserted, RowState.deleted: return true
    case RowState.updated:
      let hasChangedValue =
        entity.attributes.contains { !$0.isTransient && isChanged(slot: $0.slot, buffer) }
        || entity.relationships.contains { !$0.isTransient && !$0.isToMany && isChanged(slot: $0.slot, buffer) }
      return hasChangedValue || context.hasLinkChanges(self)
    default: return context.hasLinkChanges(self)
    }
  }

  /// Whether the objects of a relationship would have to be fetched: `false` for the relationships of an object that
  /// was never saved, and for an empty to-one relationship.
  ///
  /// This does not query a store.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`.
  public final func hasFault(forRelationshipNamed key: String) throws(ObjectError) -> Bool {
    let context = try validContext
    guard let relationship = entity.relationship(named: key) else {
      throw ObjectError(.unknownKey, "\(entity.name) has no relationship \"\(key)\"")
    }
    if isInserted { return false }
    if relationship.isToMany { return extras?.storedMembers[relationship.slot]?.version != context.storedVersion }
    let buffer = context.buffer(table: table)
    if isFault, !buffer.isKnown(row: row, slot: relationship.slot) { return true }
    guard buffer.tags[relationship.slot][row] == CellTag.integer else { return false }
    let other = context.buffer(table: context.destinationTable(relationship, from: table))
    let key = Int64(bitPattern: buffer.payloads[relationship.slot][row])
    return other.row(primaryKey: key).map { other.states[$0] == RowState.fault } ?? true
  }

  /// The IDs of the objects that a relationship refers to, at most one for a to-one; the objects are not kept alive.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, or as ``objects(forKey:)`` does.
  public final func objectIDs(forRelationshipNamed key: String) throws(ObjectError) -> [ManagedObjectID] {
    let context = try validContext
    if entity.relationship(named: key) == nil, isFault { try context.fire(self) }
    guard let relationship = entity.relationship(named: key) else {
      throw ObjectError(.unknownKey, "\(entity.name) has no relationship \"\(key)\"")
    }
    if relationship.isToMany { return try context.memberIDs(of: self, relationship) }
    let target = try context.referenced(by: self, relationship)
    guard target != 0 else { return [] }
    let other = context.destinationTable(relationship, from: table)
    let known = context.buffer(table: other)
    if let place = known.row(primaryKey: target) {
      if known.states[place] == RowState.deleted { return [] }
      return [context.objectID(table: other, entity: Int(known.entities[place]), primaryKey: target)]
    }
    let own = context.buffer(table: table).destinationEntities[relationship.slot].map { Int($0[row]) } ?? -1
    return [
      context.objectID(table: other, entity: own >= 0 ? own : relationship.destinationEntity, primaryKey: target)
    ]
  }

  /// 0 for an object with its values, or an idle fault; 1 while a hook runs that loads or discards values.
  public final var faultingState: Int { flags.contains(.isInTransition) ? 1 : 0 }

  // MARK: Committed values

  private func isChanged(slot: Int, _ buffer: RowBuffer) -> Bool {
    if buffer.states[row] == RowState.inserted { return buffer.tags[slot][row] != CellTag.null }
    guard buffer.states[row] == RowState.updated, buffer.isDirty(row: row, slot: slot),
      let old = snapshot(slot: slot, buffer)
    else { return false }
    return !buffer.equals(row: row, slot: slot, tag: old.tag, payload: old.payload, arena: buffer.arena.base)
  }

  private func snapshot(slot: Int, _ buffer: RowBuffer) -> CellSnapshot? {
    buffer.snapshots.first { Int($0.row) == row && Int($0.slot) == slot }
  }

  private func committedValue(_ attribute: AttributeDescription) throws(ObjectError) -> AttributeValue {
    let context = try validContext
    let buffer = context.buffer(table: table)
    if isInserted { return .null }
    guard buffer.isDirty(row: row, slot: attribute.slot), let old = snapshot(slot: attribute.slot, buffer) else {
      return try storedValue(forKey: attribute.name)
    }
    guard attribute.allowsExternalBinaryDataStorage, old.tag == CellTag.blob else {
      return attribute.type.value(tag: old.tag, payload: old.payload, buffer.arena)
    }
    return try context.externalValue(buffer.arena.bytes(ByteRange(payload: old.payload)), table: table)
  }

  private func committedIDs(_ relationship: RelationshipDescription) throws(ObjectError) -> [ManagedObjectID] {
    let context = try validContext
    if isInserted { return [] }
    let other = context.destinationTable(relationship, from: table)
    func id(_ key: Int64, _ entity: Int) -> ManagedObjectID {
      context.objectID(table: other, entity: entity >= 0 ? entity : relationship.destinationEntity, primaryKey: key)
    }
    if relationship.isToMany {
      return try context.storedMemberKeys(of: self, relationship).map { id($0, context.knownEntity($0, other)) }
    }
    let buffer = context.buffer(table: table)
    if buffer.isDirty(row: row, slot: relationship.slot), let old = snapshot(slot: relationship.slot, buffer) {
      return old.tag == CellTag.integer ? [id(Int64(bitPattern: old.payload), Int(old.destinationEntity))] : []
    }
    // Also one that is deleted here, which is not among the objects that the relationship shows.
    let target = try context.referenced(by: self, relationship)
    guard target != 0 else { return [] }
    let known = context.knownEntity(target, other)
    return [id(target, known >= 0 ? known : buffer.destinationEntities[relationship.slot].map { Int($0[row]) } ?? -1)]
  }
}

extension ManagedObjectContext {
  func memberIDs(
    of object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) -> [ManagedObjectID] {
    // Members that are not held are made and go again one after the other; their rows were fetched in one statement.
    try members(of: object, relationship).map(\.objectID)
  }

  /// The primary keys of the members that the store names for a to-many relationship, in their order.
  func storedMemberKeys(
    of object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) -> [Int64] {
    if object.extras?.storedMembers[relationship.slot]?.version != storedVersion {
      _ = try members(of: object, relationship)
    }
    var partners = object.extras?.storedMembers[relationship.slot]?.partners ?? []
    if relationship.isOrdered, let inverse = model.inverse(of: relationship), !inverse.isToMany {
      // The members' own rows keep the order.
      let buffer = buffer(table: destinationTable(relationship, from: object.table))
      for i in partners.indices {
        guard let row = buffer.row(primaryKey: partners[i].primaryKey) else { continue }
        let old = buffer.snapshots.first { Int($0.row) == row && Int($0.slot) == inverse.slot }
        partners[i].order = old?.orderKey ?? buffer.orderKeys[inverse.slot]?[row] ?? 0
      }
    }
    return partners.sorted { $0.order == $1.order ? $0.primaryKey < $1.primaryKey : $0.order < $1.order }
      .map(\.primaryKey)
  }

  /// The entity of a record as far as it is known here, else -1.
  func knownEntity(_ key: Int64, _ table: TableID) -> Int {
    let buffer = buffer(table: table)
    return buffer.row(primaryKey: key).map { Int(buffer.entities[$0]) } ?? -1
  }

  /// Fetches the values of all faults among some objects, with one statement per table, instead of one by one on first
  /// use.
  ///
  /// A fetch with the predicate `SELF IN …` does the same.
  ///
  /// - Throws: ``ObjectError`` with `otherContext`, `closed` or `database`. Records that the store does not have stay
  ///   faults.
  public func fetchValues(of objects: [ManagedObject]) throws(ObjectError) {
    var keys: [TableID: [Int64]] = [:]
    for object in objects where object.isFault {
      try check(object)
      keys[object.table, default: []].append(object.primaryKey)
    }
    for (table, keys) in keys.sorted(by: { $0.key < $1.key }) { try fetchMissing(buffer(table: table), keys) }
  }
}
