import MergewalkBytes
import MergewalkObjectModel
import MergewalkObjectStore

/// The objects of a request that have changes here and are judged here: those that match, in the request's order.
struct PendingMatches {
  /// The records that the store must not judge, as it knows their old values.
  var excluded: [ManagedObjectID] = []
  var matches: [Match] = []
  /// Whether nothing here takes part.
  var isEmpty: Bool { excluded.isEmpty && matches.isEmpty }

  /// An object with the values of the sort keys.
  struct Match {
    var object: ManagedObject
    var sortKeys: [EvaluatedValue]
  }

  /// The request that finds what is not judged here, with room for the window of the merged result.
  func storeRequest(_ request: FetchRequest) -> FetchRequest {
    var result = request.withRoomForWindow
    if !excluded.isEmpty {
      let known = ObjectPredicate.not(
        .comparison(
          ComparisonPredicate(
            .evaluatedObject, .isIn, .constant(.collection(excluded.map { .objectID($0) })))))
      result.predicate = request.predicate.map { .and([$0, known]) } ?? known
    }
    return result
  }
}

extension ManagedObjectContext {
  /// The records that a request's result may miss when only the store is asked: those that are inserted, changed or
  /// deleted here, and, when the request looks at relationships, those whose members changed.
  ///
  /// - Returns: Primary keys in ascending order.
  func changedKeys(_ request: FetchRequest, _ entity: EntityDescription, _ table: TableID) -> [Int64] {
    let buffer = buffer(table: table)
    func isMeant(_ index: Int32) -> Bool {
      let index = Int(index)
      return request.includesSubentities
        ? index >= entity.index && index <= entity.lastDescendantIndex : index == entity.index
    }
    var keys: [Int64] = []
    for touched in buffer.touchedRows {
      let row = Int(touched)
      if RowState.isChange(buffer.states[row]), isMeant(buffer.entities[row]) { keys.append(buffer.primaryKeys[row]) }
    }
    let names = request.propertyNames
    let root = entity.root
    let hierarchy = model.family(of: root)
    let asksMembers = hierarchy.contains { entity in
      entity.relationships.contains { names.contains($0.name) && ($0.isToMany || $0.inverseSlot >= 0) }
    }
    guard asksMembers else { return keys.sortedUnique() }
    keys += pendingLinks.changedObjects().filter { $0.table == table }.map(\.primaryKey)
    for other in allBuffers where other.table.store == table.store {
      keys += changedOwners(other, root: root)
    }
    return keys.sortedUnique()
  }

  /// The objects of a hierarchy that changed rows refer to, or referred to.
  private func changedOwners(_ buffer: RowBuffer, root: RootIndex) -> [Int64] {
    var slots = Set<Int>()
    for entity in model.family(of: buffer.rootEntity) {
      for relationship in entity.relationships where !relationship.isToMany && relationship.inverseSlot >= 0 {
        if model.entities[relationship.destinationEntity].root == root { slots.insert(relationship.slot) }
      }
    }
    guard !slots.isEmpty else { return [] }
    var keys: [Int64] = []
    for touched in buffer.touchedRows where RowState.isChange(buffer.states[Int(touched)]) {
      for slot in slots where buffer.tags[slot][Int(touched)] == CellTag.integer {
        keys.append(Int64(bitPattern: buffer.payloads[slot][Int(touched)]))
      }
    }
    for snapshot in buffer.snapshots where snapshot.tag == CellTag.integer && slots.contains(Int(snapshot.slot)) {
      keys.append(Int64(bitPattern: snapshot.payload))
    }
    return keys
  }

  /// Judges changed objects of all stores that a request asks.
  func pendingMatches(_ request: FetchRequest) throws(ObjectError) -> PendingMatches {
    var all = PendingMatches()
    guard request.includesPendingChanges, let entity = model.entity(named: request.entityName) else { return all }
    for number in affectedStores(request) {
      let table = table(entity, store: number)
      let found = try pendingMatches(request, entity, table, changedKeys(request, entity, table))
      all.excluded += found.excluded
      all.matches += found.matches
    }
    return all
  }

  /// Judges changed objects by what they are here.
  ///
  /// - Parameter keys: Those of ``changedKeys(_:_:)``.
  func pendingMatches(
    _ request: FetchRequest, _ entity: EntityDescription, _ table: TableID, _ keys: [Int64]
  ) throws(ObjectError) -> PendingMatches {
    var result = PendingMatches()
    guard !keys.isEmpty else { return result }
    // One evaluator, so that `now` is one value for all.
    var evaluator = PredicateEvaluator()
    evaluator.readsBeyondEnd = true
    for object in try objects(table: table, primaryKeys: keys) {
      object.learnEntity(Int(buffer(table: object.table).entities[object.row]))
      guard request.includesSubentities ? object.entity.isKind(of: entity) : object.entity === entity else { continue }
      let matches = try predicateErrors { () throws(PredicateError) in
        if let predicate = request.predicate { try evaluator.evaluate(predicate, with: .object(object)) } else { true }
      }
      if matches { result.matches.append(.init(object: object, sortKeys: [])) }
    }
    result.excluded = storedIDs(entity, table, keys)
    try sort(&result.matches, by: request.sortDescriptors)
    return result
  }

  /// The IDs of those records that the store may have.
  func storedIDs(_ entity: EntityDescription, _ table: TableID, _ keys: [Int64]) -> [ManagedObjectID] {
    let buffer = buffer(table: table)
    return keys.compactMap { key in
      if let row = buffer.row(primaryKey: key), buffer.states[row] == RowState.inserted { return nil }
      return objectID(table: table, entity: entity.rootIndex, primaryKey: key)
    }
  }

  private func sort(_ matches: inout [PendingMatches.Match], by descriptors: [ObjectSortDescriptor]) throws(ObjectError)
  {
    let list = matches
    matches = try predicateErrors { () throws(PredicateError) in
      let order = try SortOrder(descriptors)
      var sorted = try order.sorted(list) { .object($0.object) }
      for index in sorted.indices { sorted[index].sortKeys = try order.keys(of: .object(sorted[index].object)) }
      return sorted
    }
  }
}

extension PendingMatches {
  /// An element of a merged result.
  enum Place {
    /// A record that the store found, by its place there.
    case stored(Int)
    /// A record that is judged here, by its place in ``matches``.
    case pending(Int)
  }

  /// Merges the store's result with what is judged here and cuts out the request's window.
  ///
  /// - Parameter storedKeys: The sort keys of a record of the store's result.
  /// - Complexity: O(matches × log(stored) + window).
  func merged(
    _ request: FetchRequest, stored: FetchedKeys, storedKeys: (Int) -> [EvaluatedValue]
  ) throws(PredicateError) -> [Place] {
    let end = request.fetchLimit > 0 ? request.fetchOffset.addingReportingOverflow(request.fetchLimit) : (0, true)
    let limit = end.1 ? Int.max : end.0
    let order = try SortOrder(request.sortDescriptors)
    var result: [Place] = []
    var total = 0
    func add(_ place: Place) {
      if total >= request.fetchOffset, total < limit { result.append(place) }
      total += 1
    }
    var next = 0
    for (index, match) in matches.enumerated() {
      // The first of the store's records that comes after the match.
      let place = try (next..<stored.count).first(fromWhich: { (middle) throws(PredicateError) in
        let difference = try order.compare(storedKeys(middle), match.sortKeys)
        // What all criteria find equal comes by primary key.
        return difference == 0 ? !stored.keys[middle].comesBefore(match.object.primaryKey) : difference > 0
      })
      while next < place, total < limit {
        add(.stored(next))
        next += 1
      }
      if total >= limit { return result }
      add(.pending(index))
    }
    while next < stored.count, total < limit {
      add(.stored(next))
      next += 1
    }
    return result
  }
}
