import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Removal of the members that no list has any more.
extension ListImporter {
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
    if top.attempted > 1, top.movedRoots.contains(where: { $0 != root }) { throw top.retryAlone() }
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
