public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// The objects of an entity and its subentities whose attributes have given values, by primary key.
  ///
  /// Unsaved inserts, changes and deletions in the context are taken into account. Values are compared as they are
  /// stored: text byte for byte; `.null` finds objects without a value.
  ///
  /// - Parameter keys: Attributes and their values; none for all objects.
  /// - Throws: ``ObjectError`` with `unknownEntity`, `unknownKey`, `typeMismatch`, `notStorable`, `transient`, `closed`
  ///   or `database`.
  /// - Complexity: One statement: a seek when an index covers the keys, else a scan; plus O(changed rows). Transformed
  ///   values and those that may be in files are compared in memory.
  public func fetch(
    _ entityName: String, where keys: [String: AttributeValue] = [:]
  ) throws(ObjectError) -> [ManagedObject] {
    var found = inStoreOrder(try fetch(try request(entityName, keys)))
    for (key, value) in keys where value != .null {
      guard let attribute = found.first?.entity.attribute(named: key), attribute.isOpaque else { continue }
      let all = found
      found = []
      for object in all { if try object.value(forKey: key) == value { found.append(object) } }
    }
    return found
  }

  private func request(_ entityName: String, _ keys: [String: AttributeValue]) throws(ObjectError) -> FetchRequest {
    let entity = try entity(named: entityName)
    var conditions: [ObjectPredicate] = []
    // Sorted, so that one set of keys makes one statement.
    for (key, value) in keys.sorted(by: { $0.key < $1.key }) {
      guard let attribute = entity.attribute(named: key) else {
        throw ObjectError(.unknownKey, "\(entity.name) has no attribute \"\(key)\"")
      }
      guard !attribute.isTransient else {
        throw ObjectError(.transient, "\(entity.name).\(key) is transient: the store cannot search for it")
      }
      let cell = try attribute.cell(value, entity: entity)
      // As the attribute holds it: a Float attribute has binary32 numbers.
      let isReal = attribute.type == .float && cell.tag == CellTag.real
      let stored = isReal ? .double(Double(bitPattern: cell.payload)) : value
      let path = ObjectExpression.keyPath(PropertyPath([.property(key)]))
      // SQL can only ask whether there is such a value.
      let isThere = attribute.isOpaque && value != .null
      conditions.append(
        .comparison(
          isThere
            ? ComparisonPredicate(path, .notEqualTo, .constant(.null))
            : ComparisonPredicate(path, .equalTo, .constant(.attribute(stored)))))
    }
    var request = FetchRequest(entityName, where: conditions.isEmpty ? nil : .and(conditions))
    request.returnsObjectsAsFaults = false
    return request
  }

  /// All objects of an entity and its subentities, by primary key.
  ///
  /// For many objects, use ``forEachObject(of:batchSize:_:)``.
  public func fetchAll(_ entityName: String) throws(ObjectError) -> [ManagedObject] { try fetch(entityName) }

  /// Iterates over all objects of an entity and its subentities, by primary key.
  ///
  /// Objects are fetched in batches and released when they are no longer held elsewhere, so memory does not grow with
  /// their number. `body` may change, save and fetch; objects inserted in the meantime come at the end. It must not
  /// reset the context.
  ///
  /// - Parameter batchSize: The number of records that one statement fetches.
  /// - Throws: ``ObjectError``, or the error of `body`, unwrapped.
  public func forEachObject(
    of entityName: String, batchSize: Int = 500, _ body: (ManagedObject) throws -> Void
  ) throws {
    guard batchSize > 0 else {
      throw ObjectError(.invalidRequest, "a batch has at least one object, not \(batchSize)")
    }
    let entity = try entity(named: entityName)
    if parent != nil {
      for object in try fetch(entity.name) where object.isValid && !object.isDeleted { try body(object) }
      return
    }
    let numbers = storeNumbers(entity)
    // A store that cannot be asked says why.
    if numbers.isEmpty { try openStore(table: tableForInsert(entity)) }
    for number in numbers {
      try forEachObject(of: entity, table(entity, store: number), batchSize: batchSize, body)
    }
  }

  private func forEachObject(
    of entity: EntityDescription, _ table: TableID, batchSize: Int, _ body: (ManagedObject) throws -> Void
  ) throws {
    let buffer = buffer(table: table)
    var last: Int64 = 0
    // Objects that had no permanent key when they were visited: a save gives them one, and the table has them then.
    var visited = Set<ManagedObject>()
    while true {
      let access = try access(table: table)
      buffer.compactIfWorthwhile()
      var batch: [ManagedObject] = []
      let rows = try access.fetchPage(entity: entity, after: last, limit: batchSize, into: buffer)
      for row in rows.lazy.map(Int.init) {
        last = max(last, buffer.primaryKeys[row])
        let state = buffer.states[row]
        guard state == RowState.clean || state == RowState.updated else { continue }
        let object = object(buffer, row: row)
        if !visited.contains(object) { batch.append(object) }
      }
      if rows.count < batchSize {
        let inserted = Set(buffer.touchedRows.map(Int.init)).filter { row in
          buffer.states[row] == RowState.inserted && model.entities[Int(buffer.entities[row])].isKind(of: entity)
        }
        let keys = buffer.primaryKeys
        for row in inserted.sorted(by: { keys[$0].comesBefore(keys[$1]) }) {
          let object = object(buffer, row: row)
          if visited.insert(object).inserted { batch.append(object) }
        }
      }
      if batch.isEmpty, rows.count < batchSize { return }
      for object in batch where object.isValid && !object.isDeleted {
        object.learnEntity(Int(buffer.entities[object.row]))
        try body(object)
      }
    }
  }

  /// The number of objects of an entity and its subentities, including unsaved changes.
  ///
  /// - Parameter keys: As for ``fetch(_:where:)``; with keys, the objects are fetched; without them, the store counts.
  public func count(
    _ entityName: String, where keys: [String: AttributeValue] = [:]
  ) throws(ObjectError) -> Int {
    try keys.isEmpty ? count(for: request(entityName, keys)) : fetch(entityName, where: keys).count
  }
}

extension AttributeDescription {
  /// Whether a store cannot compare values: they are transformed, or may be in files.
  fileprivate var isOpaque: Bool { type == .transformable || allowsExternalBinaryDataStorage }
}
