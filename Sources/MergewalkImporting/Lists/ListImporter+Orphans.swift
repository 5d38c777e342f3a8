import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// A member that a list leaves out and that is to be deleted.
struct Orphan {
  var key: Int64
  /// Whose list leaves it out.
  var owner: Int64
  var list: ListImporter
  /// The list's number and the record that it belongs to, and so on for the lists around it, of which the records are
  /// elements; the last one is a record of the run.
  var trail: [(list: Int, record: Int)]
}

/// Deleting what lists have left out, when all lists of an attempt are filled: what other lists, or the references of
/// elements, name stays.
extension BatchImporter {
  /// Whether there are such members in the attempt.
  var holdsOrphans: Bool { !orphans.isEmpty || (owner?.holdsOrphans ?? false) }

  /// Keeps members that a later element with the same owner names again.
  func keepOrphans(of list: ListImporter, _ owner: Int64, _ keys: Set<Int64>) {
    orphans.removeAll { $0.list === list && $0.owner == owner && keys.contains($0.key) }
  }

  /// Takes over those of the lists within a list.
  func takeOrphans(ofList index: Int, _ batch: ListBatch) {
    let inner = lists[index].importer
    for var orphan in inner.orphans {
      guard let element = orphan.trail.last?.record else { continue }
      orphan.trail.append((index, batch.owner(element)))
      orphans.append(orphan)
    }
    inner.orphans.removeAll(keepingCapacity: true)
  }

  /// Deletes those that nothing in the attempt names; the others only lose their owner.
  func removeOrphans(_ view: BatchView, _ batches: [ListBatch]) throws {
    guard !orphans.isEmpty else { return }
    var named: [RootIndex: Set<Int64>] = [:]
    for state in nodes {
      let targets = view.nodes[state.node].targets
      for record in view.records where view.outcomes[record].takesLists && targets[record] > 0 {
        named[state.plan.rootEntity, default: []].insert(targets[record])
      }
    }
    for (list, batch) in zip(lists, batches) {
      let records = view.records.filter { view.outcomes[$0].takesLists && batch.hasList[$0] }
      list.collectNamed(batch, records, &named)
    }
    while let list = orphans.first?.list {
      let own = orphans.filter { $0.list === list }
      orphans.removeAll { $0.list === list }
      try remove(own, of: list, named, batches)
    }
  }

  private func remove(
    _ orphans: [Orphan], of list: ListImporter, _ named: [RootIndex: Set<Int64>], _ batches: [ListBatch]
  ) throws {
    let root = list.target.plan.rootEntity
    let buffer = context.buffer(root: root)
    // Another list, or a reference of an element, may have fetched a part of their rows.
    try flush(root)
    try list.fetch(orphans.map(\.key))
    var left: [Int64: Orphan] = [:]
    for orphan in orphans {
      // Another list may have taken it, and it may have gone with another object.
      guard let row = buffer.row(primaryKey: orphan.key), list.owns(buffer, row, list.list.inverseSlot, orphan.owner)
      else { continue }
      guard named[root]?.contains(orphan.key) ?? false else {
        left[orphan.key] = orphan
        continue
      }
      // Another record of the attempt may come after the one whose list leaves the object out.
      guard attempted == 1 else { throw retryAlone() }
      list.unlink(row, buffer)
    }
    for (key, reason) in try list.delete(left.keys.sorted(), root, named: named) {
      guard let orphan = left[key] else { continue }
      elementRejects.append(reject(orphan, orphan.trail[...], reason, batches))
    }
  }

  /// The reject of a record whose list, or a list within it, leaves out an object that may not go.
  private func reject(
    _ orphan: Orphan, _ trail: ArraySlice<(list: Int, record: Int)>, _ message: String, _ batches: [ListBatch]
  ) -> RecordReject {
    let (index, record) = trail[trail.endIndex - 1]
    let list = lists[index]
    guard trail.count > 1 else {
      return ListRejects.reject(
        record, .deleteDenied, list.list, index, element: nil, names: nil, inner: "", message: message, offset: 0)
    }
    let inner = list.importer.reject(orphan, trail.dropLast(), message, batches[index].batch.lists)
    return ownReject(inner, list.list, index, batches[index])
  }
}

/// Removal of the members that no list has any more.
extension ListImporter {
  /// Adds the objects that the elements of some records name, and those of their own lists.
  func collectNamed(_ batch: ListBatch, _ records: [Int], _ named: inout [RootIndex: Set<Int64>]) {
    let elements = records.flatMap(batch.range)
    for state in importer.nodes where state.role != .given {
      let targets = batch.batch.nodes[state.node].targets
      for element in elements where targets[element] > 0 {
        named[state.plan.rootEntity, default: []].insert(targets[element])
      }
    }
    for (list, inner) in zip(importer.lists, batch.batch.lists) {
      list.collectNamed(inner, elements.filter { inner.hasList[$0] }, &named)
    }
  }

  /// Deletes those that no list has any more.
  ///
  /// - Parameter named: objects, by root entity, that the records name, so that they must not go along.
  /// - Returns: Those that may not go, with the reasons; then all that was done with the batch has to be rolled back.
  func delete(
    _ keys: [Int64], _ root: RootIndex, named: [RootIndex: Set<Int64>]
  ) throws -> [(key: Int64, reason: String)] {
    guard !keys.isEmpty else { return [] }
    let top = importer.top
    // What other records have taken from these objects counts only for those that come later.
    let isMoved = top.hasMovedReferences || top.movedEntities.contains { $0 != target.entity.index }
    if top.attempted > 1, isMoved { throw top.retryAlone() }
    top.hasLetGo = true
    // What the rules look at has to be whole, and in the store.
    try importer.writeChanges()
    try importer.buildIndexes(importer.store.file, referringTo: root)
    importer.context.buffer(root: root).removeAll()
    let nodes = top.countedNodes
    var along: (entity: Int, key: Int64)?
    let model = importer.store.model
    let denied = try importer.context.deleteRecords(table: TableID(root: root), primaryKeys: keys) { entity, key in
      // Of what goes along, entities that the run does not fill are not counted.
      nodes.first { $0.entity.index == entity }?.counts.deleted += 1
      guard named[model.entities[entity].root]?.contains(key) ?? false else { return }
      // The same one, whatever the order of the deletions.
      if along.map({ (entity, key) < ($0.entity, $0.key) }) ?? true { along = (entity, key) }
    }
    if let along {
      guard top.attempted == 1 else { throw top.retryAlone() }
      importer.context.reset()
      return [
        (
          keys[0],
          "\(target.entity.name) \(keys[0]) is no longer listed and cannot be deleted: \(model.entities[along.entity].name) "
            + "\(along.key), which the record names, would go with it; list it, or set “orphans: unlink”"
        )
      ]
    }
    guard !denied.isEmpty else { return [] }
    // What is in the way may be what another record of the batch did, which comes later or is rejected itself.
    guard top.attempted == 1 else { throw top.retryAlone() }
    importer.context.reset()
    var reasons: [(key: Int64, reason: String)] = []
    try blame(keys, Set(denied.map(Obstacle.init)), root, &reasons)
    guard reasons.isEmpty else { return reasons }
    throw ImportError(
      code: .database,
      message: "\(denied[0].entity) \(denied[0].primaryKey) is no longer listed, but a relationship keeps it")
  }

  /// An obstacle to deleting an object.
  private struct Obstacle: Hashable {
    var table: TableID
    var key: Int64
    var relationship: String

    init(_ failure: ObjectValidationFailure) {
      (table, key, relationship) = (failure.table, failure.primaryKey, failure.property)
    }
  }

  /// Finds out which of the objects are in whose way, by halves: some are kept by what would go along with them.
  private func blame(
    _ keys: [Int64], _ obstacles: Set<Obstacle>, _ root: RootIndex, _ reasons: inout [(key: Int64, reason: String)]
  ) throws {
    let entity = importer.store.model.entities[root.index]
    let failures = try importer.context.deleteRows(entity, primaryKeys: keys) { _ in }
    guard let failure = failures.first(where: { obstacles.contains(Obstacle($0)) }) else { return }
    guard keys.count == 1 else {
      try blame(Array(keys[..<(keys.count / 2)]), obstacles, root, &reasons)
      return try blame(Array(keys[(keys.count / 2)...]), obstacles, root, &reasons)
    }
    let isOwn = failure.table.root == root && failure.primaryKey == keys[0]
    reasons.append(
      (
        keys[0],
        "\(target.entity.name) \(keys[0]) is no longer listed and cannot be deleted: "
          + (isOwn ? "" : "\(failure.entity) \(failure.primaryKey) would go with it, and ")
          + "“\(failure.entity).\(failure.property)” denies that while it has objects; list it, or set “orphans: unlink”"
      ))
  }
}
