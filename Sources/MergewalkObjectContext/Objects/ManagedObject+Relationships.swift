import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObject {
  // MARK: To-one

  /// The object that a to-one relationship refers to; `nil` for none, or when it is deleted in this context.
  ///
  /// The other object is a fault unless the context knows it: this queries the store only for this object's own values.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, `notFound`, `closed` or `database`.
  public final func object(forKey key: String) throws(ObjectError) -> ManagedObject? {
    try object(by: try relationship(key, isToMany: false))
  }

  /// The object that a to-one relationship refers to.
  final func object(by relationship: RelationshipDescription) throws(ObjectError) -> ManagedObject? {
    let context = try validContext
    let target = try context.referenced(by: self, relationship)
    guard target != 0 else { return nil }
    let slot = relationship.slot
    let entity = context.buffer(table: table).destinationEntities[slot].map { Int($0[row]) } ?? -1
    let destination = link.model.entities[relationship.destinationEntity]
    let other = context.object(
      table: context.destinationTable(relationship, from: table), primaryKey: target,
      entity: entity >= 0 ? entity : destination.index, isExact: entity >= 0)
    return other.isDeleted ? nil : other
  }

  /// Makes a to-one relationship refer to an object, or to none.
  ///
  /// The inverse is updated: a to-one inverse is set, and both former partners are cleared; a to-many inverse loses or
  /// gains this object, at the end if it is ordered.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, `wrongEntity`, `otherContext`, `deleted`, `notFound`, `closed` or
  ///   `database`.
  public final func setObject(_ other: ManagedObject?, forKey key: String) throws(ObjectError) {
    try setObject(other, by: try relationship(key, isToMany: false))
  }

  /// Makes a to-one relationship refer to an object, or to none.
  final func setObject(_ other: ManagedObject?, by relationship: RelationshipDescription) throws(ObjectError) {
    let context = try validContext
    try context.checkChangeable(self)
    if let other { try check(other, for: relationship) }
    try changing(relationship.name) { () throws(ObjectError) in try context.refer(self, to: other, by: relationship) }
  }

  // MARK: To-many

  /// The objects that a to-many relationship refers to: in their order when it is ordered, else by primary key.
  ///
  /// Unsaved changes in the context are taken into account; objects deleted here are left out.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, `transient`, `notFound`, `closed` or `database`.
  /// - Complexity: At most two statements, whatever the number of objects.
  public final func objects(forKey key: String) throws(ObjectError) -> [ManagedObject] {
    try objects(by: try relationship(key, isToMany: true))
  }

  /// The objects that a to-many relationship refers to.
  final func objects(by relationship: RelationshipDescription) throws(ObjectError) -> [ManagedObject] {
    try validContext.members(of: self, relationship)
  }

  /// Adds an object to a to-many relationship; does nothing if it is already there.
  ///
  /// The inverse is updated. In an ordered relationship the object comes last.
  ///
  /// - Returns: Whether anything changed.
  /// - Throws: ``ObjectError`` as ``setObject(_:forKey:)`` does, or `transient`.
  @discardableResult
  public final func add(_ other: ManagedObject, to key: String) throws(ObjectError) -> Bool {
    let relationship = try relationship(key, isToMany: true)
    try validContext.checkChangeable(self)
    try check(other, for: relationship)
    return try changing(key) { () throws(ObjectError) in try insert(other, relationship) }
  }

  /// Inserts an object at a position of an ordered relationship; an object that is already there moves.
  ///
  /// - Parameter index: From 0 to the number of other objects in the relationship; larger ones mean the end, negative
  ///   ones the beginning.
  /// - Complexity: O(objects in the relationship); one row is written unless there is no room between its neighbours.
  public final func insert(_ other: ManagedObject, into key: String, at index: Int) throws(ObjectError) {
    let relationship = try relationship(key, isToMany: true)
    try validContext.checkChangeable(self)
    try check(other, for: relationship)
    try changing(key) { () throws(ObjectError) in
      let isNew = try insert(other, relationship)
      guard relationship.isOrdered else { return isNew }
      var members = try validContext.members(of: self, relationship).filter { $0 !== other }
      members.insert(other, at: max(0, min(index, members.count)))
      try validContext.arrange(members, in: self, relationship)
      return true
    }
  }

  /// Removes an object from a to-many relationship and updates the inverse.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: ``ObjectError`` as ``add(_:to:)`` does.
  @discardableResult
  public final func remove(_ other: ManagedObject, from key: String) throws(ObjectError) -> Bool {
    let relationship = try relationship(key, isToMany: true)
    let context = try validContext
    try context.checkChangeable(self)
    try context.check(other)
    // An object of another entity or store is no member, and its row has no place for the relationship back.
    guard other.table.store == table.store, try isPossible(other, in: relationship) else { return false }
    return try changing(key) { () throws(ObjectError) in
      let isChange = try context.remove(other, from: self, relationship)
      if isChange { holdLinked(other, relationship, context) }
      return isChange
    }
  }

  /// Makes a to-many relationship refer to exactly these objects, in this order if it is ordered.
  ///
  /// A repeated object counts once.
  ///
  /// - Throws: ``ObjectError`` as ``add(_:to:)`` does.
  public final func setObjects(_ others: [ManagedObject], forKey key: String) throws(ObjectError) {
    let relationship = try relationship(key, isToMany: true)
    let context = try validContext
    try context.checkChangeable(self)
    for other in others { try check(other, for: relationship) }
    var wanted = Set<ManagedObject>()
    let list = others.filter { wanted.insert($0).inserted }
    try changing(key) { () throws(ObjectError) in
      var isChange = false
      for member in try context.members(of: self, relationship) where !wanted.contains(member) {
        isChange = try context.remove(member, from: self, relationship) || isChange
        holdLinked(member, relationship, context)
      }
      for other in list { isChange = try insert(other, relationship) || isChange }
      if relationship.isOrdered { try context.arrange(list, in: self, relationship) }
      return isChange
    }
  }

  // MARK: Hooks

  /// Changes a relationship, with the hooks around it.
  @discardableResult
  private func changing(_ key: String, _ body: () throws(ObjectError) -> Bool) throws(ObjectError) -> Bool {
    if let context = link.context, context.hasAccessFailures { context.forgetFailures(of: self, key) }
    let notifies = notifiesChanges
    if notifies { willChangeValue(forKey: key) }
    defer { if notifies { didChangeValue(forKey: key) } }
    // The hook may have done anything to the object.
    if notifies { try validContext.fire(self) }
    let isChange = try body()
    if isChange { flags.insert(.wasSet) }
    return isChange
  }

  /// Puts an object into a to-many relationship.
  private func insert(_ other: ManagedObject, _ relationship: RelationshipDescription) throws(ObjectError) -> Bool {
    let context = try validContext
    let isNew = try context.add(other, to: self, relationship)
    if isNew { holdLinked(other, relationship, context) }
    return isNew
  }

  /// Keeps the objects of a changed pair alive: pairs are in no row that would.
  private func holdLinked(
    _ other: ManagedObject, _ relationship: RelationshipDescription, _ context: ManagedObjectContext
  ) {
    guard relationship.inverseSlot < 0 || relationship.isInverseToMany else { return }
    context.hold(self)
    context.hold(other)
  }

  // MARK: Checks

  final func relationship(_ slot: PropertySlot, isToMany: Bool) throws(ObjectError) -> RelationshipDescription {
    if let found = slot.relationship(link, entity: entityIndex), found.isToMany == isToMany { return found }
    return try relationship(slot.key, isToMany: isToMany)
  }

  private func relationship(_ key: String, isToMany: Bool) throws(ObjectError) -> RelationshipDescription {
    let context = try validContext
    if entity.relationship(named: key) == nil, isFault { try context.fire(self) }
    guard let relationship = entity.relationship(named: key) else {
      let kind = entity.attribute(named: key) == nil ? "" : "; it is an attribute"
      throw ObjectError(.unknownKey, "\(entity.name) has no relationship \"\(key)\"\(kind)")
    }
    guard relationship.isToMany == isToMany else {
      throw ObjectError(
        .unknownKey, "\(entity.name).\(key) is a \(relationship.isToMany ? "to-many" : "to-one") relationship")
    }
    return relationship
  }

  /// Whether an object is of an entity that a relationship refers to.
  private func isPossible(
    _ other: ManagedObject, in relationship: RelationshipDescription
  ) throws(ObjectError) -> Bool {
    let destination = link.model.entities[relationship.destinationEntity]
    if !other.entity.isKind(of: destination), other.isFault { try validContext.fire(other) }
    return other.entity.isKind(of: destination)
  }

  private func check(_ other: ManagedObject, for relationship: RelationshipDescription) throws(ObjectError) {
    let context = try validContext
    try context.check(other)
    try context.checkChangeable(other)
    let isPossible = try isPossible(other, in: relationship)
    guard other.table.store == table.store else {
      throw ObjectError(
        .otherStore,
        "\(entity.name).\(relationship.name): \(other.objectID) is in another store than \(objectID); "
          + "assign new objects to a store before they are related, or use a fetched property")
    }
    guard isPossible else {
      throw ObjectError(
        .wrongEntity,
        "\(entity.name).\(relationship.name) refers to \(relationship.destinationEntityName), not to "
          + other.entity.name)
    }
  }
}
