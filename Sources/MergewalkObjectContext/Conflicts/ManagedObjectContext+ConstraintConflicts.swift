import MergewalkObjectModel
import MergewalkObjectStore

/// A uniqueness constraint with the places of its properties.
private struct UniqueKey {
  var entity: EntityDescription
  var names: [String]
  var slots: [Int]
}

/// The records that have one key.
private struct KeyHolders {
  var rows: [Int] = []
  var stored: (primaryKey: Int64, entity: Int)?
}

/// Values that must be unique and would not be.
extension ManagedObjectContext {
  /// The constraints that what a plan writes would break.
  ///
  /// - Complexity: One SELECT a constraint, and one for the records of the store that are found.
  func constraintConflicts(_ plan: SavePlan) throws(SaveError) -> [ConstraintConflict] {
    var conflicts: [ConstraintConflict] = []
    for changes in plan.roots {
      for key in uniqueKeys(below: changes.buffer.rootEntity) {
        conflicts += try constraintConflicts(changes, key)
      }
    }
    return conflicts
  }

  /// The constraints of an entity and everything below it, each once.
  private func uniqueKeys(below root: RootIndex) -> [UniqueKey] {
    var keys: [UniqueKey] = []
    for entity in model.family(of: root) {
      for names in entity.uniquenessConstraints {
        let slots = names.compactMap { entity.attribute(named: $0)?.slot ?? entity.relationship(named: $0)?.slot }
        // What an entity inherits came with its ancestor.
        guard slots.count == names.count, !keys.contains(where: { $0.slots == slots }) else { continue }
        keys.append(UniqueKey(entity: entity, names: names, slots: slots))
      }
    }
    return keys
  }

  private func constraintConflicts(_ changes: ChangedRows, _ key: UniqueKey) throws(SaveError) -> [ConstraintConflict] {
    let buffer = changes.buffer
    let changed = changes.updated.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { _, rows in
      rows.filter { row in key.slots.contains { buffer.isDirty(row: Int(row), slot: $0) } }
    }
    let rows = ContiguousArray(
      (changed + changes.inserted).filter { row in
        !key.slots.contains { buffer.tags[$0][Int(row)] == CellTag.null }
          && model.entities[Int(buffer.entities[Int(row)])].isKind(of: key.entity)
      })
    var groups: [[KeyPart]: KeyHolders] = [:]
    var order: [[KeyPart]] = []
    for row in rows {
      let parts = parts(buffer, Int(row), key)
      if groups[parts] == nil { order.append(parts) }
      groups[parts, default: KeyHolders()].rows.append(Int(row))
    }
    // Records that go or get other values leave the key to others.
    let leaving = Set((changed + changes.deleted).map { buffer.primaryKeys[Int($0)] })
    let store = store(table: buffer.table)
    var found: [(row: Int, primaryKey: Int64, entity: Int)] = []
    try saveErrors { () throws(StoreError) in
      let access = try store.access(root: buffer.rootEntity)
      try rows.withUnsafeBufferPointer { rows throws(StoreError) in
        try access.findRows(
          keySlots: key.slots,
          keys: key.slots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) },
          positions: rows, arena: UnsafeRawPointer(buffer.arena.base)
        ) { row, primaryKey, number in
          if !leaving.contains(primaryKey) {
            found.append((row, primaryKey, store.schema.entityIndex(number: Int(number)) ?? buffer.rootEntity.index))
          }
        }
      }
    }
    for (row, primaryKey, entity) in found { groups[parts(buffer, row, key)]?.stored = (primaryKey, entity) }
    let stored = try storedRows(table: buffer.table, primaryKeys: Array(Set(found.map(\.primaryKey))))
    return order.compactMap { parts in
      guard let holders = groups[parts], holders.rows.count + (holders.stored == nil ? 0 : 1) > 1 else { return nil }
      return conflict(buffer, key, holders, stored)
    }
  }

  private func conflict(
    _ buffer: RowBuffer, _ key: UniqueKey, _ holders: KeyHolders, _ stored: RowBuffer
  ) -> ConstraintConflict {
    let snapshots = holders.rows.map { snapshot(buffer, table: buffer.table, row: $0) }
    var values: [String: ConstantValue] = [:]
    for name in key.names { values[name] = snapshots.first?[name] }
    return ConstraintConflict(
      constraint: key.names, constraintValues: values,
      databaseObjectID: holders.stored.map {
        objectID(table: buffer.table, entity: $0.entity, primaryKey: $0.primaryKey)
      },
      databaseSnapshot: holders.stored.flatMap { stored.row(primaryKey: $0.primaryKey) }
        .map { snapshot(stored, table: buffer.table, row: $0) },
      conflictingObjectIDs: holders.rows.map {
        objectID(table: buffer.table, entity: Int(buffer.entities[$0]), primaryKey: buffer.primaryKeys[$0])
      },
      conflictingSnapshots: snapshots)
  }

  /// The key of a row, comparable with others as the store compares.
  private func parts(_ buffer: RowBuffer, _ row: Int, _ key: UniqueKey) -> [KeyPart] {
    key.slots.map { slot in
      let (tag, payload) = (buffer.tags[slot][row], buffer.payloads[slot][row])
      switch tag {
      case CellTag.text, CellTag.blob:
        return .bytes(tag, Array(buffer.arena.bytes(ByteRange(payload: payload))))
      case CellTag.real: return .number(Double(bitPattern: payload))
      default: return .integer(Int64(bitPattern: payload))
      }
    }
  }
}

private enum KeyPart: Hashable {
  case integer(Int64)
  case number(Double)
  case bytes(UInt8, [UInt8])
}
