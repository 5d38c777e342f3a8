import MergewalkObjectModel
import MergewalkObjectStore

/// Writes the rows of a batch insert, a chunk at a time, within the transaction that is open.
///
/// The chunk's rows become rows of a context of their own, which writes them as every save is written: with the model's
/// rules, both ends of relationships, positions in ordered ones. So what comes out is what objects made one by one would
/// have left.
final class BatchInserter {
  /// How many rows a chunk has at most.
  static let chunkRows = 4096

  let entity: EntityDescription
  let columns: [BatchColumn]
  let stage: BatchStage
  let scratch: ManagedObjectContext
  var result = BatchResult()

  /// How many columns the request has; those behind them are only there because a uniqueness constraint needs them.
  let givenCount: Int
  /// The columns of each uniqueness constraint.
  let constraints: [[Int]]
  let seed = CellHash.randomSeed()
  /// The defaults of columns that are part of a constraint.
  let keyDefaults: [StoredCell]

  // What is known of the rows of the chunk.
  /// The primary keys of the objects in the store that rows found; 0 for none.
  var existing: ContiguousArray<Int64>
  /// For rows that found none: the first row with the same unique values, which makes the object.
  var leaders: ContiguousArray<Int32>
  /// The rows in the buffer.
  var places: ContiguousArray<Int32>
  /// Positions for look-ups, used again.
  var positions = ContiguousArray<Int32>()
  /// Hashes of keys, used again.
  var hashes: [KeyHash] = []

  struct KeyHash {
    var hash: UInt64
    var row: Int32
  }

  private let storeUUID: String
  private let returnsIDs: Bool
  private let firstKeys: [Int64]
  /// How many rows came before the chunk.
  private(set) var rowsBefore = 0
  private var insertedKeys = ContiguousArray<Int64>()
  private var updated = Set<ManagedObjectID>()

  init(
    _ request: BatchInsertRequest, entity: EntityDescription, store: PersistentStore, storeUUID: String, chunkRows: Int
  ) throws(ObjectError) {
    guard !entity.isAbstract else {
      throw ObjectError(.abstractEntity, "\(entity.name) is abstract and has no objects of its own")
    }
    self.entity = entity
    self.storeUUID = storeUUID
    returnsIDs = request.resultType == .objectIDs
    scratch = ManagedObjectContext(store: store)
    var columns: [BatchColumn] = []
    var numbers: [String: Int] = [:]
    for name in request.properties {
      let column = try BatchColumn(entity, name, store.model)
      guard numbers.updateValue(columns.count, forKey: name) == nil else {
        throw ObjectError(.unknownKey, "the request names \(entity.name).\(name) twice")
      }
      columns.append(column)
    }
    givenCount = columns.count
    var constraints: [[Int]] = []
    for constraint in entity.uniquenessConstraints {
      var key: [Int] = []
      for name in constraint {
        if numbers[name] == nil {
          numbers[name] = columns.count
          columns.append(try BatchColumn(entity, name, store.model))
        }
        key.append(numbers[name] ?? 0)
      }
      if !constraints.contains(key) { constraints.append(key) }
    }
    self.constraints = constraints
    self.columns = columns
    keyDefaults = columns.map { column in
      guard let value = entity.attribute(named: column.name)?.defaultValue else { return .null }
      return StoredCell(value) ?? .null
    }
    stage = BatchStage(columnCount: columns.count, capacity: chunkRows)
    existing = ContiguousArray(repeating: 0, count: chunkRows)
    leaders = ContiguousArray(repeating: 0, count: chunkRows)
    places = ContiguousArray(repeating: 0, count: chunkRows)
    firstKeys = store.model.entities.map { $0.isRoot ? store.maximum(root: $0.root) : 0 }
  }

  /// The handle on the row that is filled next.
  var row: BatchRow {
    BatchRow(stage: stage, columns: columns, count: givenCount, entity: entity, storeUUID: storeUUID)
  }

  /// The row's number in the request, from 1, for messages.
  func number(_ row: Int) -> Int { rowsBefore + row + 1 }

  /// Writes the rows of the chunk and forgets them.
  ///
  /// - Complexity: A constant number of statements; see ``process(_:)`` for entities with several constraints.
  func flush() throws(BatchError) {
    guard stage.count > 0 else { return }
    let all = 0..<stage.count
    if try find(all) {
      try write(all)
    } else {
      // With several constraints, what one row writes can decide what the next one finds.
      for row in all {
        _ = try find(row..<row + 1)
        try write(row..<row + 1)
      }
    }
    rowsBefore += stage.count
    stage.removeAll()
  }

  /// Places the rows in the buffer, sets their cells and writes them.
  private func write(_ rows: Range<Int>) throws(BatchError) {
    let buffer = scratch.buffer(root: entity.root)
    let first = try place(rows, buffer)
    setAttributes(rows, buffer, firstNew: first)
    try setReferences(rows, buffer)
    if returnsIDs { noteIDs() }
    do {
      try scratch.writeChanges(order: nil)
    } catch {
      throw .save(naming(error, rows))
    }
    scratch.reset()
  }

  /// Gives every row a place in the buffer; returns the first place of new objects.
  private func place(_ rows: Range<Int>, _ buffer: RowBuffer) throws(BatchError) -> Int {
    let model = scratch.model
    var keys: [Int64] = []
    var newCount = 0
    for row in rows {
      if existing[row] != 0 { keys.append(existing[row]) } else if Int(leaders[row]) == row { newCount += 1 }
    }
    if !keys.isEmpty {
      keys.sort()
      var last: Int64 = 0
      keys.removeAll { key in
        defer { last = key }
        return key == last
      }
      try batchErrors { () throws(StoreError) in
        try scratch.store.access(root: entity.root).fetchRows(primaryKeys: keys, into: buffer)
      }
    }
    let first = newCount > 0 ? scratch.insertRows(entity, count: newCount) : buffer.count
    var next = first
    for row in rows {
      if existing[row] != 0 {
        guard let place = buffer.row(primaryKey: existing[row]) else {
          // An index that names a row which the table does not have: the file is damaged.
          throw .object(
            ObjectError(
              .notFound,
              "an index names \(model.entities[entity.rootIndex].name) \(existing[row]), which the table does not have; "
                + "run `mergewalk store verify`"))
        }
        places[row] = Int32(place)
      } else if Int(leaders[row]) == row {
        places[row] = Int32(next)
        next += 1
      } else {
        places[row] = places[Int(leaders[row])]
      }
    }
    result.insertedCount += newCount
    result.updatedCount += rows.count - newCount
    return first
  }

  /// Sets the attributes that the rows give, a column at a time and in the order of the rows: the last one wins.
  private func setAttributes(_ rows: Range<Int>, _ buffer: RowBuffer, firstNew: Int) {
    // The bytes of the whole chunk move in one piece; cells of new objects then only need another offset.
    let bytes = stage.arena.bytes(ByteRange(offset: 0, length: stage.arena.count))
    let takesAll = rows.count == stage.count
    let shift = takesAll ? UInt64(buffer.arena.append(bytes).offset) << 32 : 0
    for column in 0..<givenCount where columns[column].reference == nil {
      let slot = columns[column].slot
      let tags = stage.tags(column)
      let payloads = stage.payloads(column)
      let newTags = buffer.tags[slot]
      let newPayloads = buffer.payloads[slot]
      for row in rows where tags[row] != CellTag.absent {
        let place = Int(places[row])
        let hasBytes = tags[row] == CellTag.text || tags[row] == CellTag.blob
        if place >= firstNew, Int(leaders[row]) == row, takesAll || !hasBytes {
          newTags[place] = tags[row]
          newPayloads[place] = hasBytes ? payloads[row] &+ shift : payloads[row]
        } else {
          buffer.set(row: place, slot: slot, tag: tags[row], payload: payloads[row], arena: stage.arena.base)
        }
      }
    }
  }

  // MARK: What happened

  /// Remembers the objects that the rows of the chunk are going to write.
  private func noteIDs() {
    for buffer in scratch.allBuffers {
      buffer.dropRevertedChanges()
      for touched in buffer.touchedRows {
        let row = Int(touched)
        let key = buffer.primaryKeys[row]
        if buffer.states[row] == RowState.inserted {
          insertedKeys.append(key)
        } else if buffer.states[row] == RowState.updated, key <= firstKeys[buffer.rootEntity.index],
          (0..<buffer.columnCount).contains(where: { buffer.isDirty(row: row, slot: $0) })
        {
          let own = scratch.model.entities[Int(buffer.entities[row])]
          updated.insert(ManagedObjectID(storeUUID: storeUUID, entity: own, primaryKey: key))
        }
      }
    }
  }

  /// The result of the request, when all rows are written.
  func finish(_ type: BatchResultType) -> BatchResult {
    var result = result
    if type == .status {
      result.insertedCount = 0
      result.updatedCount = 0
    }
    result.insertedObjectIDs = insertedKeys.map {
      ManagedObjectID(storeUUID: storeUUID, entity: entity, primaryKey: $0)
    }
    result.updatedObjectIDs = updated.sorted {
      ($0.entity.root, $0.primaryKey) < ($1.entity.root, $1.primaryKey)
    }
    return result
  }

  /// The same error with the numbers of the rows in front of what is wrong with them.
  private func naming(_ error: SaveError, _ rows: Range<Int>) -> SaveError {
    guard error.code == .validation else { return error }
    let lines = error.failures.map { failure in
      let row = rows.first { failure.table.root == entity.root && places[$0] == failure.row }
      return (row.map { "row \(number($0)): " } ?? "") + failure.description
    }
    return SaveError(code: error.code, message: lines.joined(separator: "\n"), failures: error.failures)
  }
}
