public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Changes the objects of a request in the store, with one UPDATE: all or nothing.
  ///
  /// The request works on the store: unsaved changes of this context neither count nor are saved, and its objects do
  /// not know the result before ``mergeChanges(from:)``. Every object that satisfies the predicate is written and its
  /// version moves, whether or not its values change. Expressions see the old values of all properties.
  ///
  /// The store accepts only what a save would accept: constants are checked before anything runs, computed values while
  /// the statement runs, including types, missing values and bounds (Core Data skips that). A computed number for an
  /// integer attribute must be whole and in range. To-one relationships take an ID or null; objects that this adds to
  /// an ordered to-many relationship come last, by primary key. One-to-one relationships are refused, because a batch
  /// cannot give one object to many. The minimum and maximum number of objects in to-many relationships is not checked.
  ///
  /// - Throws: ``BatchError``: `object` with `unknownEntity`, `unknownKey`, `readOnly`, `transient`, `typeMismatch`,
  ///   `notStorable`, `wrongEntity`, `otherContext`, `notFound`, `invalidRequest` or `closed`; `save` with
  ///   `validation`, `constraint` or `database`. The store is then unchanged.
  /// - Complexity: One statement, and one for each object that a relationship is set to. SQLite checks uniqueness row
  ///   by row, so two objects cannot exchange a unique value.
  public func execute(_ request: BatchUpdateRequest) throws(BatchError) -> BatchResult {
    let entity = try batchEntity(request.entityName)
    guard !request.propertiesToUpdate.isEmpty else {
      throw BatchError(PredicateError(.invalidRequest, "the request sets no property", hint: "name at least one"))
    }
    guard hasOneStore else {
      return try inEachStore(request.entityName) { context throws(BatchError) in try context.execute(request) }
    }
    if let stores = request.affectedStores, !stores.contains(store.identifier) { return BatchResult() }
    return try inBatchTransaction { () throws(BatchError) in
      var update = try BatchUpdate(request, entity, self)
      return try update.run()
    }
  }
}

private struct BatchUpdate {
  let request: BatchUpdateRequest
  let entity: EntityDescription
  let context: ManagedObjectContext
  private var statement: BatchUpdateStatement
  private var computed: [(column: BatchColumn, expression: ObjectExpression)] = []

  init(
    _ request: BatchUpdateRequest, _ entity: EntityDescription, _ context: ManagedObjectContext
  ) throws(BatchError) {
    self.request = request
    self.entity = entity
    self.context = context
    statement = BatchUpdateStatement(schema: context.store.schema, root: entity.root)
    // In one order, so that equal requests are one statement; computed values follow in the order of their columns.
    for (name, expression) in request.propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
      let column: BatchColumn
      do { column = try BatchColumn(entity, name, context.model) } catch { throw .object(error) }
      if let relationship = column.reference {
        statement.set(slot: column.slot, try reference(relationship, expression))
      } else if case .constant(.attribute(let value)) = expression {
        statement.set(slot: column.slot, .constant(try constant(column, value)))
      } else if case .constant = expression {
        throw .object(column.mismatch("an object or a list", entity))
      } else {
        computed.append((column, expression))
      }
    }
  }

  // MARK: Values

  /// A constant, checked against the model.
  private func constant(_ column: BatchColumn, _ value: AttributeValue) throws(BatchError) -> SQLBinding {
    let cell: StoredCell
    do { cell = try column.cell(value, entity: entity) } catch { throw .object(error) }
    let payload =
      cell.tag == CellTag.text || cell.tag == CellTag.blob
      ? ByteRange(offset: 0, length: cell.bytes.count).payload : cell.payload
    let code = cell.bytes.withUnsafeBytes { bytes in
      rule(column)?.check(tag: cell.tag, payload: payload, arena: bytes.baseAddress)
    }
    if let code { throw refused(column.name, code) }
    switch cell.tag {
    case CellTag.integer: return .integer(Int64(bitPattern: cell.payload))
    case CellTag.real: return .real(Double(bitPattern: cell.payload))
    case CellTag.text: return .text(String(decoding: cell.bytes, as: UTF8.self))
    case CellTag.blob: return .blob(cell.bytes)
    default: return .null
    }
  }

  private func rule(_ column: BatchColumn) -> AttributeValidator? {
    entity.attribute(named: column.name).map { AttributeValidator($0) }
  }

  /// An error for a value that no object may have.
  private func refused(_ property: String, _ code: ValidationFailureCode) -> BatchError {
    .save(
      SaveError(
        code: .validation, message: "\(entity.name).\(property): the new value \(code.message) [\(code.rawValue)]"))
  }

  /// An object or none, which must be there.
  private func reference(
    _ relationship: RelationshipDescription, _ expression: ObjectExpression
  ) throws(BatchError) -> BatchUpdateStatement.Value {
    let name = "\(entity.name).\(relationship.name)"
    if let inverse = context.model.inverse(of: relationship), !inverse.isToMany {
      throw BatchError(
        PredicateError(
          .invalidRequest, "\(name) is one-to-one, and a batch cannot set both ends",
          hint: "set it object by object in a context"))
    }
    let id: ManagedObjectID
    switch expression {
    case .constant(.attribute(.null)):
      if !relationship.isOptional { throw refused(relationship.name, .missing) }
      return .reference(primaryKey: 0, entityNumber: 0, lastPosition: 0)
    case .constant(.objectID(let found)): id = found
    default:
      throw BatchError(
        PredicateError(
          .typeMismatch, "\(name) is a relationship and takes an object ID or null",
          hint: "fetch the object and give its ID"))
    }
    let target: ManagedObject?
    do {
      target = try context.storedTarget(id)
    } catch {
      throw .object(error)
    }
    guard let target else {
      throw .object(ObjectError(.notFound, "\(name): \(id) is not in the store"))
    }
    let destination = context.model.entities[relationship.destinationEntity]
    guard target.entity.isKind(of: destination) else {
      throw .object(ObjectError(.wrongEntity, "\(name) refers to \(destination.name), not to \(target.entity.name)"))
    }
    var last: Int64?
    if relationship.isInverseOrdered(in: context.model) {
      last = try batchErrors { () throws(StoreError) in
        try context.store.access(root: entity.root).lastOrderKey(slot: relationship.slot, target: id.primaryKey)
      }
    }
    // The numbers of a store may differ from those of the model.
    let number = context.store.schema.entityNumbers[target.entity.index]
    return .reference(
      primaryKey: id.primaryKey, entityNumber: Int64(number), lastPosition: last ?? OrderKey.beforeFirst)
  }

  // MARK: Running

  mutating func run() throws(BatchError) -> BatchResult {
    var fetch = FetchRequest(request.entityName, where: request.predicate)
    fetch.includesSubentities = request.includesSubentities
    fetch.resultType = .dictionaries
    // No property has a name with a space.
    let own = ExpressionDescription(name: "primary key", expression: .evaluatedObject)
    fetch.propertiesToFetch =
      [.expression(own)]
      + computed.map { .expression(ExpressionDescription(name: $0.column.name, expression: $0.expression)) }
    let store = context.store
    let uuid = context.store.identifier
    let select: CompiledFetch
    do {
      select = try FetchCompiler(schema: store.schema, storeUUID: uuid).compile(fetch, selecting: .values)
    } catch {
      throw BatchError(error)
    }
    var width = Int(select.columns[0].position) + 1
    if case .objectID(_, true) = select.columns[0].kind { width += 1 }
    for (number, value) in computed.enumerated() {
      let found = select.columns[number + 1]
      try check(found.kind, for: value.column)
      statement.set(slot: value.column.slot, .computed(column: Int(found.position), number: number))
      width = Int(found.position) + 1
    }
    return try context.observed { () throws(BatchError) in
      var changes = BatchChanges(store)
      try changes.add(.update, statement.affected(select, columnCount: width), slots: statement.slots)
      return changes
    } writing: { () throws(BatchError) in
      let mayLeaveOut = try batchErrors { () throws(StoreError) in try store.mayLeaveOut(rowsOf: entity.root) }
      let wanted = mayLeaveOut ? try count(statement.affected(select, columnCount: width)) : nil
      return try run(
        statement.around(select, columnCount: width, returningIDs: request.resultType == .objectIDs), wanted: wanted)
    }
  }

  /// Refuses expressions that can never give a value of the attribute's type.
  private func check(_ kind: FetchedColumn.Kind, for column: BatchColumn) throws(BatchError) {
    guard case .value(let type) = kind else {
      throw .object(column.mismatch("an object", entity))
    }
    if case .attribute(let attribute) = column.property, attribute.allowsExternalBinaryDataStorage {
      throw .object(column.mismatch("an expression, because its values may be in files", entity))
    }
    let fits: Bool
    switch (type, column.type) {
    case (.undefined, .transformable), (.transformable, _), (.objectID, _), (.composite, _): fits = false
    case (.undefined, _): fits = true
    default: fits = type == column.type || type.family == column.type.family && type.family != 0
    }
    if !fits { throw .object(column.mismatch("an expression of type \(type.xmlName)", entity)) }
  }

  /// Counts the rows that are going to be written.
  private func count(_ affected: CompiledFetch) throws(BatchError) -> Int {
    var count = affected
    count.sql = "SELECT count(DISTINCT Z_PK) FROM (\(affected.sql))"
    return try cursorErrors { () throws(FetchError) in
      let cursor = try context.store.cursor(count)
      return try cursor.step() ? Int(cursor.integer(0)) : 0
    }
  }

  /// - Parameter wanted: How many rows are to be written; `nil` where nothing leaves rows out.
  private func run(_ update: CompiledFetch, wanted: Int?) throws(BatchError) -> BatchResult {
    let rules = computed.map { rule($0.column) }
    var failures: [ObjectValidationFailure] = []
    var result = BatchResult()
    let (entity, names, model) = (entity, computed.map(\.column.name), context.model)
    func isAllowed(
      _ number: Int, _ key: Int64, _ tag: UInt8, _ payload: UInt64, _ bytes: UnsafeRawPointer
    ) -> Bool {
      let code: ValidationFailureCode? =
        tag == CellTag.failed ? .type : rules[number]?.check(tag: tag, payload: payload, arena: bytes)
      guard let code else { return true }
      failures.append(
        ObjectValidationFailure(
          entity: entity.name, primaryKey: key, property: names[number], code: .value(code),
          table: TableID(root: entity.root), row: -1))
      return false
    }
    let uuid = context.store.identifier
    let store = context.store
    let returnsIDs = request.resultType == .objectIDs
    var changed = 0
    do {
      try withoutActuallyEscaping(isAllowed) { isAllowed throws(BatchError) in
        let guardian = BatchValueCheck(types: computed.map(\.column.type), isAllowed: isAllowed)
        try cursorErrors { () throws(FetchError) in
          try guardian.whileRegistered(on: store) { () throws(FetchError) in
            let cursor = try store.cursor(update)
            defer { changed = cursor.changedRows }
            while try cursor.step() {
              guard returnsIDs else { continue }
              let own = model.entities[cursor.entityIndex(1) ?? entity.index]
              result.updatedObjectIDs.append(
                ManagedObjectID(storeUUID: uuid, entity: own, primaryKey: cursor.integer(0)))
            }
          }
        }
      }
    } catch {
      // A value that was refused is null on its way, which may have broken something else.
      if failures.isEmpty { throw error }
    }
    guard failures.isEmpty else { throw .save(SaveError(failures)) }
    if let wanted {
      try batchErrors { () throws(StoreError) in try store.checkUpdate(of: entity.root, wanted, changed) }
    }
    result.updatedCount =
      returnsIDs ? result.updatedObjectIDs.count : request.resultType == .count ? changed : 0
    return result
  }
}

extension AttributeType {
  /// The family of values that compare with each other: numbers, texts; 0 for types that only compare with themselves.
  fileprivate var family: Int {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal: 1
    case .string, .uri: 2
    default: 0
    }
  }
}

extension ManagedObjectContext {
  /// The object with an ID as the store has it; `nil` when it does not exist.
  ///
  /// What this context is about to do with it does not count, as a batch request works on the store.
  fileprivate func storedTarget(_ id: ManagedObjectID) throws(ObjectError) -> ManagedObject? {
    let scratch = ManagedObjectContext(store: store)
    return try scratch.existingObject(with: id)
  }
}
