public import ObjectModel
import ObjectStore

extension ManagedObjectContext {
  /// The objects of an entity, and of everything that inherits from it, whose attributes have given values; by primary
  /// key.
  ///
  /// What was inserted, changed or deleted here and not saved is taken into account. Values are compared as they are
  /// stored: text byte for byte; `.null` finds objects without a value.
  ///
  /// - Parameter keys: Attributes and their values; none for all objects.
  /// - Throws: ``ObjectError`` with `unknownEntity`, `unknownKey`, `typeMismatch`, `notStorable`, `transient`, `closed` or
  ///   `database`.
  /// - Complexity: One statement: a seek when an index covers the keys, else a scan; plus O(changed rows).
  public func fetch(
    _ entityName: String, where keys: [String: AttributeValue] = [:]
  ) throws(ObjectError) -> [ManagedObject] {
    let entity = try entity(named: entityName)
    let cells = try cells(entity, keys)
    var found: [ManagedObject] = []
    for table in try tables(entity) {
      if let parent {
        found += try fetch(entity, keys, cells, table, from: parent)
      } else {
        found += try fetch(entity, cells, table)
      }
    }
    return found
  }

  /// The tables of an entity, one in each store that has it.
  private func tables(_ entity: EntityDescription) throws(ObjectError) -> [Int] {
    let numbers = storeNumbers(entity)
    // A store that cannot be asked says why.
    if numbers.isEmpty { try openStore(table: tableForInsert(entity)) }
    return numbers.map { table(entity, store: $0) }
  }

  private func fetch(
    _ entity: EntityDescription, _ cells: [(slot: Int, cell: StoredCell)], _ table: Int
  ) throws(ObjectError) -> [ManagedObject] {
    let buffer = buffer(table: table)
    buffer.compactIfWorthwhile()
    let access = try access(table: table)
    var rows: [Int] = []
    var seen = Set<Int>()
    try objectErrors { () throws(StoreError) in
      try access.fetchRows(
        entity: entity, keys: cells.map { ($0.slot, $0.cell.tag == CellTag.null) }, into: buffer,
        bind: { statement in
          var index: Int32 = 1
          for (_, cell) in cells where cell.tag != CellTag.null {
            cell.bind(statement, index)
            index += 1
          }
        },
        body: { row in
          // A row that was changed here is judged by what it is here.
          let state = buffer.states[row]
          let isThere = state == RowState.updated ? matches(buffer, row, cells) : state == RowState.clean
          if isThere, seen.insert(row).inserted { rows.append(row) }
        })
    }
    return objects(entity, cells, buffer, rows, seen)
  }

  /// The objects of an entity that the parent finds, with the changes of this context.
  private func fetch(
    _ entity: EntityDescription, _ keys: [String: AttributeValue], _ cells: [(slot: Int, cell: StoredCell)],
    _ table: Int, from parent: ManagedObjectContext
  ) throws(ObjectError) -> [ManagedObject] {
    let found = try parent.fetch(entity.name, where: keys).filter { $0.table == table }
    try inherit(parent, table: table, primaryKeys: found.map(\.primaryKey))
    let buffer = buffer(table: table)
    var rows: [Int] = []
    for object in found {
      guard let row = buffer.row(primaryKey: object.primaryKey) else { continue }
      let state = buffer.states[row]
      if state == RowState.updated ? matches(buffer, row, cells) : state == RowState.clean { rows.append(row) }
    }
    return objects(entity, cells, buffer, rows, Set(rows))
  }

  /// The objects of rows that were found, and of changed rows that match, by primary key.
  private func objects(
    _ entity: EntityDescription, _ cells: [(slot: Int, cell: StoredCell)], _ buffer: RowBuffer, _ found: [Int],
    _ known: Set<Int>
  ) -> [ManagedObject] {
    var (rows, seen) = (found, known)
    for touched in buffer.touchedRows {
      let (row, state) = (Int(touched), buffer.states[Int(touched)])
      guard state == RowState.inserted || state == RowState.updated,
        model.entities[Int(buffer.entities[row])].isKind(of: entity), !seen.contains(row), matches(buffer, row, cells)
      else { continue }
      seen.insert(row)
      rows.append(row)
    }
    let primaryKeys = buffer.primaryKeys
    rows.sort { primaryKeys[$0].comesBefore(primaryKeys[$1]) }
    let objects = rows.map { object(buffer, row: $0) }
    for object in objects { object.learnEntity(Int(buffer.entities[object.row])) }
    return objects
  }

  /// All objects of an entity and of everything that inherits from it, by primary key.
  ///
  /// For many objects see ``forEachObject(of:batchSize:_:)``.
  public func fetchAll(_ entityName: String) throws(ObjectError) -> [ManagedObject] { try fetch(entityName) }

  /// Walks through all objects of an entity, and of everything that inherits from it, by primary key.
  ///
  /// Objects are fetched in batches and let go when nobody else holds them, so memory does not grow with their number.
  /// `body` may change, save and fetch; objects inserted meanwhile come at the end. It must not reset the context.
  ///
  /// - Parameter batchSize: How many records one statement fetches.
  /// - Throws: ``ObjectError``, or what `body` throws wrapped in nothing.
  public func forEachObject(
    of entityName: String, batchSize: Int = 500, _ body: (ManagedObject) throws -> Void
  ) throws {
    precondition(batchSize > 0, "a batch has at least one object")
    let entity = try entity(named: entityName)
    if parent != nil {
      for object in try fetch(entity.name) where object.isValid && !object.isDeleted { try body(object) }
      return
    }
    for table in try tables(entity) { try forEachObject(of: entity, table, batchSize: batchSize, body) }
  }

  private func forEachObject(
    of entity: EntityDescription, _ table: Int, batchSize: Int, _ body: (ManagedObject) throws -> Void
  ) throws {
    let buffer = buffer(table: table)
    var last: Int64 = 0
    // Objects that had no permanent key when they were visited: a save gives them one, and the table has them then.
    var visited = Set<ManagedObject>()
    while true {
      let access = try access(table: table)
      buffer.compactIfWorthwhile()
      var batch: [ManagedObject] = []
      var fetched = 0
      try access.fetchPage(entity: entity, after: last, limit: batchSize, into: buffer) { row in
        fetched += 1
        last = max(last, buffer.primaryKeys[row])
        let state = buffer.states[row]
        guard state == RowState.clean || state == RowState.updated else { return }
        let object = object(buffer, row: row)
        if !visited.contains(object) { batch.append(object) }
      }
      if fetched < batchSize {
        let inserted = Set(buffer.touchedRows.map(Int.init)).filter { row in
          buffer.states[row] == RowState.inserted && model.entities[Int(buffer.entities[row])].isKind(of: entity)
        }
        let keys = buffer.primaryKeys
        for row in inserted.sorted(by: { keys[$0].comesBefore(keys[$1]) }) {
          let object = object(buffer, row: row)
          if visited.insert(object).inserted { batch.append(object) }
        }
      }
      if batch.isEmpty, fetched < batchSize { return }
      for object in batch where object.isValid && !object.isDeleted {
        object.learnEntity(Int(buffer.entities[object.row]))
        try body(object)
      }
    }
  }

  /// The number of objects of an entity and of everything that inherits from it, with what was changed here.
  ///
  /// - Parameter keys: As for ``fetch(_:where:)``; with keys the objects are fetched, without them the store counts.
  public func count(
    _ entityName: String, where keys: [String: AttributeValue] = [:]
  ) throws(ObjectError) -> Int {
    guard keys.isEmpty else { return try fetch(entityName, where: keys).count }
    let entity = try entity(named: entityName)
    if parent != nil { return try self.count(for: FetchRequest(entity.name)) }
    var count = 0
    for table in try tables(entity) { count += try self.count(entity, table) }
    return count
  }

  private func count(_ entity: EntityDescription, _ table: Int) throws(ObjectError) -> Int {
    let access = try access(table: table)
    var count = try objectErrors { () throws(StoreError) in try access.count(entity) }
    let buffer = buffer(table: table)
    var seen = Set<Int32>()
    for row in buffer.touchedRows where model.entities[Int(buffer.entities[Int(row)])].isKind(of: entity) {
      guard seen.insert(row).inserted else { continue }
      if buffer.states[Int(row)] == RowState.inserted { count += 1 }
      if buffer.states[Int(row)] == RowState.deleted { count -= 1 }
    }
    return count
  }

  // MARK: Keys

  private func cells(
    _ entity: EntityDescription, _ keys: [String: AttributeValue]
  ) throws(ObjectError) -> [(slot: Int, cell: StoredCell)] {
    var cells: [(slot: Int, cell: StoredCell)] = []
    // Sorted, so that one set of keys makes one statement.
    for (key, value) in keys.sorted(by: { $0.key < $1.key }) {
      guard let attribute = entity.attribute(named: key) else {
        throw ObjectError(.unknownKey, "\(entity.name) has no attribute \"\(key)\"")
      }
      guard !attribute.isTransient else {
        throw ObjectError(.transient, "\(entity.name).\(key) is transient: the store cannot search for it")
      }
      cells.append((attribute.slot, try attribute.cell(value, entity: entity)))
    }
    return cells
  }

  private func matches(_ buffer: RowBuffer, _ row: Int, _ cells: [(slot: Int, cell: StoredCell)]) -> Bool {
    cells.allSatisfy { slot, cell in
      cell.bytes.withUnsafeBytes { bytes in
        let hasBytes = cell.tag == CellTag.text || cell.tag == CellTag.blob
        let payload = hasBytes ? ByteRange(offset: 0, length: bytes.count).payload : cell.payload
        return buffer.equals(
          row: row, slot: slot, tag: cell.tag, payload: payload,
          arena: bytes.baseAddress ?? UnsafeRawPointer(buffer.arena.base))
      }
    }
  }
}

extension StoredCell {
  /// Binds the value to a parameter; SQLite keeps a copy of bytes.
  fileprivate func bind(_ statement: DatabaseRows, _ index: Int32) {
    switch tag {
    case CellTag.integer: statement.bind(index, Int64(bitPattern: payload))
    case CellTag.real: statement.bind(index, Double(bitPattern: payload))
    case CellTag.text: statement.bind(index, text: String(decoding: bytes, as: UTF8.self))
    case CellTag.blob: statement.bind(index, copying: bytes)
    default: statement.bindNull(index)
    }
  }
}
