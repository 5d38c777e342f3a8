import MergewalkObjectModel
import MergewalkObjectStore

/// To-one relationships of the rows.
extension BatchInserter {
  /// Sets the relationships that the rows give, in the order of the rows, and keeps their other ends.
  func setReferences(_ rows: Range<Int>, _ buffer: RowBuffer) throws(BatchError) {
    var twoSided: [(column: Int, relationship: RelationshipDescription)] = []
    for column in 0..<givenCount {
      guard let relationship = columns[column].reference else { continue }
      try checkTargets(rows, column, relationship)
      let inverse = scratch.model.inverse(of: relationship)
      if let inverse, !inverse.isToMany || inverse.isOrdered {
        twoSided.append((column, relationship))
        continue
      }
      let tags = stage.tags(column)
      for row in rows where tags[row] != CellTag.absent {
        let isNull = tags[row] == CellTag.null
        buffer.setReference(
          row: Int(places[row]), slot: relationship.slot,
          primaryKey: isNull ? 0 : Int64(bitPattern: stage.payloads(column)[row]),
          destinationEntity: isNull ? -1 : stage.entities(column)[row])
      }
    }
    guard !twoSided.isEmpty else { return }
    for (column, relationship) in twoSided { try prefetch(rows, column, relationship, buffer) }
    // Row by row, as one object after the other would do it: relationships of one row can touch those of the next.
    try batchErrors { () throws(StoreError) in
      for row in rows {
        for (column, relationship) in twoSided where stage.tags(column)[row] != CellTag.absent {
          let isNull = stage.tags(column)[row] == CellTag.null
          try scratch.setToOne(
            table: TableID(root: entity.root), row: Int(places[row]), relationship: relationship,
            target: isNull ? 0 : Int64(bitPattern: stage.payloads(column)[row]),
            targetEntity: isNull ? -1 : stage.entities(column)[row])
        }
      }
    }
  }

  /// Ensures that the objects at the other end are in the store, and notes their entities; one statement.
  private func checkTargets(
    _ rows: Range<Int>, _ column: Int, _ relationship: RelationshipDescription
  ) throws(BatchError) {
    let tags = stage.tags(column)
    let entities = stage.entities(column)
    collect(rows, column)
    guard !positions.isEmpty else { return }
    for position in positions { entities[Int(position)] = -1 }
    let view = CellColumnView(tags: tags, payloads: stage.payloads(column))
    let schema = scratch.store.schema
    try batchErrors { () throws(StoreError) in
      try positions.withUnsafeBufferPointer { positions throws(StoreError) in
        try scratch.store.access(root: columns[column].destinationRoot).findRows(
          keySlots: [], keys: [view], positions: positions, arena: stage.arena.base
        ) { row, _, number in entities[row] = Int32(schema.entityIndex(number: Int(number)) ?? -1) }
      }
    }
    let destination = scratch.model.entities[relationship.destinationEntity]
    for position in positions {
      let row = Int(position)
      let found = Int(entities[row])
      let key = Int64(bitPattern: stage.payloads(column)[row])
      guard scratch.model.entities.indices.contains(found) else {
        throw .object(
          ObjectError(
            .notFound,
            "row \(number(row)): \(entity.name).\(relationship.name) refers to \(destination.name) \(key), "
              + "which is not in the store"))
      }
      guard scratch.model.entities[found].isKind(of: destination) else {
        throw .object(
          ObjectError(
            .wrongEntity,
            "row \(number(row)): \(entity.name).\(relationship.name) refers to \(destination.name), "
              + "and \(key) is of \(scratch.model.entities[found].name)"))
      }
    }
  }

  /// Fetches what setting a relationship with two ends will look at, so that it asks nothing row by row.
  private func prefetch(
    _ rows: Range<Int>, _ column: Int, _ relationship: RelationshipDescription, _ buffer: RowBuffer
  ) throws(BatchError) {
    guard let inverse = scratch.model.inverse(of: relationship) else { return }
    if inverse.isToMany {
      try prefetchPositions(rows, column, relationship)
      return
    }
    let targetRoot = columns[column].destinationRoot
    let targets = scratch.buffer(root: targetRoot)
    // The new targets and those that found objects have now; then whoever the new targets belong to.
    let tags = stage.tags(column)
    var keys = Set<Int64>()
    for row in rows where tags[row] != CellTag.absent {
      if tags[row] == CellTag.integer { keys.insert(Int64(bitPattern: stage.payloads(column)[row])) }
      if let old = reference(buffer, Int(places[row]), relationship.slot) { keys.insert(old) }
    }
    try fetch(keys, targetRoot, targets)
    var owners = Set<Int64>()
    for key in keys {
      if let place = targets.row(primaryKey: key), let owner = reference(targets, place, inverse.slot) {
        owners.insert(owner)
      }
    }
    try fetch(owners, entity.root, buffer)
  }

  /// Learns the last position in each owner's ordered relationship, in one statement.
  private func prefetchPositions(
    _ rows: Range<Int>, _ column: Int, _ relationship: RelationshipDescription
  ) throws(BatchError) {
    let payloads = stage.payloads(column)
    collect(rows, column)
    positions.sort { payloads[Int($0)] < payloads[Int($1)] }
    var kept = 0
    for i in positions.indices {
      if i > 0, payloads[Int(positions[i])] == payloads[Int(positions[kept - 1])] { continue }
      positions[kept] = positions[i]
      kept += 1
    }
    positions.removeLast(positions.count - kept)
    let table = TableID(root: entity.root)
    for position in positions {
      let owner = OrderedOwner(table: table, slot: relationship.slot, owner: Int64(bitPattern: payloads[Int(position)]))
      // An owner without members gets the first position next.
      scratch.lastOrderKeys[owner] = OrderKey.beforeFirst
    }
    try batchErrors { () throws(StoreError) in
      try positions.withUnsafeBufferPointer { positions throws(StoreError) in
        try scratch.store.access(root: table.root).lastOrderKeys(
          slot: relationship.slot, targets: CellColumnView(tags: stage.tags(column), payloads: payloads),
          positions: positions, arena: stage.arena.base
        ) { scratch.lastOrderKeys[OrderedOwner(table: table, slot: relationship.slot, owner: $0)] = $1 }
      }
    }
  }

  /// Puts the rows that give a relationship an object into ``positions``.
  private func collect(_ rows: Range<Int>, _ column: Int) {
    let tags = stage.tags(column)
    positions.removeAll(keepingCapacity: true)
    for row in rows where tags[row] == CellTag.integer { positions.append(Int32(row)) }
  }

  private func reference(_ buffer: RowBuffer, _ row: Int, _ slot: Int) -> Int64? {
    buffer.tags[slot][row] == CellTag.integer ? Int64(bitPattern: buffer.payloads[slot][row]) : nil
  }

  private func fetch(_ keys: Set<Int64>, _ root: RootIndex, _ buffer: RowBuffer) throws(BatchError) {
    let missing = keys.filter { buffer.row(primaryKey: $0) == nil }.sorted()
    guard !missing.isEmpty else { return }
    try batchErrors { () throws(StoreError) in
      try scratch.store.access(root: root).fetchRows(primaryKeys: missing, into: buffer)
    }
  }
}
