import ObjectContext
import ObjectModel
import ObjectStore

/// The second pass of one part, or of several that refer to each other.
///
/// 1. The relationships of the objects that the first pass created are set, one ``ImportRelationship/Stage`` after the
///    other. After each, objects whose targets are missing and that cannot be without are taken out, and then those that
///    refer to these, until nothing refers to what is gone.
/// 2. Records whose objects were there before are imported.
///
/// An object that was there before the run refers to nothing that the run made until step 2, so taking out never
/// changes it.
struct SecondPass {
  let parts: [PartImport]
  let file: StoreFile
  let store: PersistentStore
  /// Turns the rejects file to a part.
  let turn: (Int) -> Void

  /// Runs the pass.
  ///
  /// - Parameter ledger: what became of all records so far; goes on.
  func run(_ ledger: inout RecordLedger) throws(ImportError) {
    for stage in ImportRelationship.Stage.allCases {
      let before = parts.map(\.lost)
      try forEach(&ledger) { (part) throws(ImportError) in try part.linkReferences(stage) }
      let further = try takeOut(before)
      for (index, part) in parts.enumerated() where !further[index].isEmpty {
        turn(index)
        try part.settle(&ledger) { () throws(ImportError) in try part.reject(further[index]) }
      }
    }
    try forEach(&ledger) { (part) throws(ImportError) in try part.importWaiting() }
  }

  private func forEach(
    _ ledger: inout RecordLedger, _ body: (PartImport) throws(ImportError) -> Void
  ) throws(ImportError) {
    for (index, part) in parts.enumerated() where part.hasSecondPass {
      turn(index)
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
    do {
      try buildIndexes()
      let cleared = try spread(&lost)
      // The transaction that the first pass began is still open.
      try file.begin()
      try clear(cleared)
      try delete(lost)
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

  private func buildIndexes() throws {
    guard file.isNew else { return }
    for part in parts {
      let table = store.schema.table(forRoot: part.rootEntity)
      let columns = Set(part.plan.postponed.compactMap { table.columnName(slot: $0.slot) })
      try file.buildIndexes { $0.table == table.name && $0.columns.first.map(columns.contains) ?? false }
    }
  }

  /// A relationship that refers to nothing any more.
  private struct Reference {
    var part: Int
    var key: Int64
    var relationship: ImportRelationship
  }

  /// Adds the objects that refer to lost ones and cannot be without.
  ///
  /// - Returns: The relationships of those that can.
  private func spread(_ lost: inout [[Int64: Int32]]) throws -> [Reference] {
    var cleared: [Reference] = []
    var frontier: [Int: [Int64]] = [:]
    for (index, part) in parts.enumerated() { frontier[part.rootEntity, default: []] += lost[index].keys }
    while !frontier.isEmpty {
      var next: [Int: [Int64]] = [:]
      for (index, part) in parts.enumerated() {
        let access = try store.access(root: part.rootEntity)
        let buffer = part.importer.context.buffer(root: part.rootEntity)
        for relationship in part.plan.postponed {
          let root = store.model.entities[relationship.description.destinationEntity].rootIndex
          guard let keys = frontier[root] else { continue }
          let field = part.plan.nodes[relationship.target].keyFields.first.map(Int32.init) ?? -1
          let mustGo = relationship.missing == .reject || !relationship.isOptional
          try access.forEachMember(slot: relationship.slot, of: keys.sorted(), buffer) { _, key, _ in
            guard part.created(key), lost[index][key] == nil, part.lost[key] == nil else { return }
            if mustGo {
              lost[index][key] = field
              next[part.rootEntity, default: []].append(key)
            } else {
              cleared.append(Reference(part: index, key: key, relationship: relationship))
            }
          }
        }
      }
      frontier = next
    }
    return cleared.filter { lost[$0.part][$0.key] == nil }
  }

  private func clear(_ references: [Reference]) throws {
    for (index, part) in parts.enumerated() {
      for relationship in part.plan.postponed {
        let keys = Set(
          references.lazy.filter { $0.part == index && $0.relationship.slot == relationship.slot }.map(\.key))
        guard !keys.isEmpty else { continue }
        let context = part.importer.context
        let buffer = context.buffer(root: part.rootEntity)
        let access = try store.access(root: part.rootEntity)
        try keys.sorted().withUnsafeBufferPointer { keys throws(StoreError) in
          try access.fetch(primaryKeys: keys, slots: access.storedSlots, into: buffer)
        }
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

  private func delete(_ lost: [[Int64: Int32]]) throws {
    for (index, part) in parts.enumerated() where !lost[index].isEmpty {
      let context = part.importer.context
      // They were made a moment ago: what has been related to them since is not what the rule "deny" is for.
      _ = try context.deleteRecords(
        table: TableID(root: part.rootEntity), primaryKeys: lost[index].keys.sorted(), overrulesDenials: true)
      try context.writeChanges(order: nil)
      context.reset()
    }
  }
}
