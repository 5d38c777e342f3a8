import MergewalkObjectModel
import MergewalkSQLite

/// Writes the rows of ``HistoryTables/changes``, thousands with one statement.
///
/// The rows reach SQL through a row source, so nothing is bound one by one. Deletions of records whose values are kept
/// have a statement of their own for each set of columns, which reads the values from the records' table.
final class HistoryRows {
  private let source: CellSource
  private let connection: Connection
  private let layout: HistoryLayout
  private let schema: StoreSchema
  private let plain: HistoryBatch
  private var entities: [Int: Entity] = [:]
  /// The batches of deletions whose values are kept, in the order in which they were first needed.
  private var tombstoneBatches: [HistoryBatch] = []
  /// The bit sets of the transaction that is written.
  private var bits = ContiguousArray<UInt8>()
  private var bitRanges: [UInt64: UInt64] = [:]

  /// The data for recording changes of an entity.
  private struct Entity {
    let history: EntityHistory
    let number: Int64
    /// Where deletions go; ``plain`` when nothing is kept.
    let deletions: HistoryBatch
  }

  init(_ store: PersistentStore, _ layout: HistoryLayout) throws(StoreError) {
    self.layout = layout
    connection = store.connection
    schema = store.schema
    source = try CellSource(
      name: "mergewalk_history", columnCount: HistoryBatch.columnCount, connection: connection)
    plain = HistoryBatch(try connection.prepare(Self.insertion(layout, source.name, table: nil, tombstones: [])))
    plain.statement.use = .bookkeeping
  }

  /// Records the deletions of a transaction, or everything but them, in order.
  ///
  /// - Parameter first: The number of the first change.
  /// - Returns: The number of the next one.
  func insert(
    _ changes: StoreChanges, deletions: Bool, transaction: Int64, first: Int64
  ) throws(StoreError) -> Int64 {
    bits.removeAll(keepingCapacity: true)
    bitRanges.removeAll(keepingCapacity: true)
    // What a transaction that failed has left.
    plain.clear()
    for batch in tombstoneBatches { batch.clear() }
    var number = first
    var lastEntity = -1
    var entity: Entity?
    // Changes of one entity with the same slots usually follow one another.
    var lastSet: (entity: Int, set: Int32, payload: UInt64)?
    for change in changes.changes where (change.kind == .delete) == deletions {
      if change.entity != lastEntity || entity == nil {
        entity = try self.entity(change.entity)
        lastEntity = change.entity
      }
      guard let entity else { continue }
      var payload: UInt64?
      if change.kind == .update, change.slotSet >= 0 {
        if let last = lastSet, last.entity == change.entity, last.set == change.slotSet {
          payload = last.payload
        } else if Int(change.slotSet) < changes.slotSets.count {
          let range = bitRange(change, changes.slotSets[Int(change.slotSet)], entity.history)
          lastSet = (change.entity, change.slotSet, range)
          payload = range
        }
      }
      let batch = change.kind == .delete ? entity.deletions : plain
      batch.append(
        number: number, kind: Int64(change.kind.rawValue), entity: entity.number, primaryKey: change.primaryKey,
        bits: payload)
      number += 1
      if batch.isFull { try flush(batch, transaction) }
    }
    try flush(plain, transaction)
    for batch in tombstoneBatches { try flush(batch, transaction) }
    return number
  }

  private func bitRange(_ change: StoreChanges.Change, _ slots: [UInt64], _ history: EntityHistory) -> UInt64 {
    let key = UInt64(UInt32(truncatingIfNeeded: change.entity)) << 32 | UInt64(UInt32(bitPattern: change.slotSet))
    if let known = bitRanges[key] { return known }
    let range = ByteRange(offset: bits.count, length: history.byteCount).payload
    history.appendBits(ofSlots: slots, to: &bits)
    bitRanges[key] = range
    return range
  }

  private func flush(_ batch: HistoryBatch, _ transaction: Int64) throws(StoreError) {
    guard batch.count > 0 else { return }
    defer {
      batch.clear()
      source.clear()
    }
    batch.statement.bind(1, transaction)
    try bits.withUnsafeBufferPointer { bits throws(StoreError) in
      source.fill(
        rows: batch.rows, columns: batch.columns, arena: bits.baseAddress.map { UnsafeRawPointer($0) } ?? noBytes)
      try batch.statement.run()
    }
  }

  // MARK: Entities

  private func entity(_ index: Int) throws(StoreError) -> Entity? {
    if let known = entities[index] { return known }
    guard schema.model.entities.indices.contains(index), schema.entityNumbers[index] > 0 else { return nil }
    let description = schema.model.entities[index]
    let history = EntityHistory(description, in: schema.model)
    let table = schema.table(forRoot: description.root)
    let kept = history.tombstones.prefix(layout.tombstones).map { attribute in
      // Bytes that may be in files are not kept, not even when they are few.
      attribute.allowsExternalBinaryDataStorage ? nil : table.columnName(slot: attribute.slot)
    }
    let entity = Entity(
      history: history, number: Int64(schema.entityNumbers[index]),
      deletions: kept.contains { $0 != nil } ? try tombstoneBatch(table.name, Array(kept)) : plain)
    entities[index] = entity
    return entity
  }

  private func tombstoneBatch(_ table: String, _ columns: [String?]) throws(StoreError) -> HistoryBatch {
    let sql = Self.insertion(layout, source.name, table: table, tombstones: columns)
    if let known = tombstoneBatches.first(where: { $0.statement.sql == sql }) { return known }
    let batch = HistoryBatch(try connection.prepare(sql))
    tombstoneBatches.append(batch)
    return batch
  }

  /// The statement that writes changes, with the values of columns of the records' table when there are any.
  private static func insertion(
    _ layout: HistoryLayout, _ source: String, table: String?, tombstones: [String?]
  ) -> String {
    var columns = [
      ("Z_PK", "s.c0"), ("Z_ENT", "\(HistoryTables.Number.change)"), ("ZCHANGETYPE", "s.c1"), ("ZENTITY", "s.c2"),
      ("ZENTITYPK", "s.c3"), ("ZTRANSACTIONID", "?1"), ("ZCOLUMNS", "s.c4"),
    ].filter { layout.changes.contains($0.0) }
    for (n, column) in tombstones.enumerated() {
      if let column { columns.append((HistoryTables.tombstoneColumn(n), "t.\(column)")) }
    }
    let join = table.map { " LEFT JOIN \($0) AS t ON t.Z_PK = s.c3" } ?? ""
    return "INSERT INTO ACHANGE (\(columns.map(\.0).joined(separator: ", "))) "
      + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(source) AS s\(join)"
  }
}

/// Changes that wait for their statement: columns of plain memory.
final class HistoryBatch {
  static let columnCount = 5
  private static let capacity = 1024

  let statement: Statement
  private(set) var count = 0
  private let integers: UnsafeMutablePointer<Int64>
  private let tags: UnsafeMutablePointer<UInt8>
  private let payloads: UnsafeMutablePointer<UInt64>
  private let order: UnsafeMutablePointer<Int32>

  init(_ statement: Statement) {
    self.statement = statement
    integers = .allocate(capacity: 4 * Self.capacity)
    tags = .allocate(capacity: Self.capacity)
    payloads = .allocate(capacity: Self.capacity)
    order = .allocate(capacity: Self.capacity)
    for i in 0..<Self.capacity { order[i] = Int32(i) }
  }

  deinit {
    integers.deallocate()
    tags.deallocate()
    payloads.deallocate()
    order.deallocate()
  }

  var isFull: Bool { count == Self.capacity }

  /// Adds a change; there must be room.
  func append(number: Int64, kind: Int64, entity: Int64, primaryKey: Int64, bits: UInt64?) {
    integers[count] = number
    integers[Self.capacity + count] = kind
    integers[2 * Self.capacity + count] = entity
    integers[3 * Self.capacity + count] = primaryKey
    tags[count] = bits == nil ? CellTag.null : CellTag.blob
    payloads[count] = bits ?? 0
    count += 1
  }

  func clear() { count = 0 }

  /// The rows in order, for a row source.
  var rows: UnsafeBufferPointer<Int32> { UnsafeBufferPointer(start: order, count: count) }

  /// The columns, for a row source.
  var columns: [CellSource.Column] {
    (0..<4).map { .integers(UnsafePointer(integers + $0 * Self.capacity)) } + [
      .cells(UnsafePointer(tags), UnsafePointer(payloads))
    ]
  }
}
