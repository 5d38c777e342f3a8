public import MergewalkObjectModel
import MergewalkObjectStore

/// The result of a fetch, by the request's result type.
public enum FetchResult {
  /// Managed objects.
  case objects(FetchedObjects)
  /// IDs of managed objects.
  case objectIDs(FetchedObjectIDs)
  /// Dictionaries.
  case dictionaries(FetchedDictionaries)
  /// The number of objects.
  case count(Int)
}

/// Fetching by request. The store is asked in one SELECT, plus one for each step of a key path for prefetching; predicates
/// mean what `docs/predicates.md` says.
///
/// What was inserted, changed or deleted here counts (unless `includesPendingChanges` is off, and never for
/// dictionaries): such objects are judged by what they are here, all others by the store, and limit and offset cut their
/// window out of the merged result.
extension ManagedObjectContext {
  /// The objects of a request; its result type is ignored.
  ///
  /// Objects that the context already knows are the same objects, with their values here, unless
  /// `shouldRefreshRefetchedObjects` is on. With `propertiesToFetch`, the fetch loads only those values; the first use
  /// of another one fetches the whole object.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity`; `invalidRequest` when the store cannot carry out the request,
  ///   before anything runs; `closed` or `database`.
  /// - Complexity: One SELECT; with changes in the context, also O(changed objects).
  public func fetch(_ request: FetchRequest) throws(ObjectError) -> FetchedObjects {
    try request.checkWindow()
    return try origin.objects(request)
  }

  func fetchFromStore(_ request: FetchRequest) throws(ObjectError) -> FetchedObjects {
    let plan = try FetchPlan(request, .objects, self)
    let options = plan.options
    let prefetched = try predicateErrors { () throws(PredicateError) in
      try PrefetchTree(request.relationshipKeyPathsForPrefetching, entity: plan.entity, model: model)
    }
    let slots = try plan.slots(self)
    let (table, store) = (plan.table, plan.store)
    if request.fetchBatchSize > 0 || !request.includesPropertyValues {
      let keys = try fetchKeys(plan)
      let isBatched = request.fetchBatchSize > 0
      let loader = BatchLoader(
        size: isBatched ? request.fetchBatchSize : max(keys.count, 1), table: table,
        slots: request.includesPropertyValues ? slots : nil, options: options, prefetched: prefetched)
      let rows = FetchedRows(self, table: table, keys: keys, loader: loader)
      return FetchedObjects(rows: rows)
    }
    let buffer = buffer(table: table)
    buffer.compactIfWorthwhile()
    var places: ContiguousArray<Int32> = []
    var keys = FetchedKeys(entity: plan.entity.index)
    if plan.isStoreAffected {
      let compiled = try plan.compile(.rows(slots: slots, withSortKeys: plan.mergesChanges))
      let sortKeys = plan.mergesChanges ? sortKeyTable(compiled, plan.store) : nil
      let access = try access(table: table)
      let reader = access.reader(slots, options)
      do {
        try fetchErrors { () throws(FetchError) in
          try reader.read(try store.cursor(compiled), into: buffer, rows: &places, sortKeys: sortKeys)
        }
      } catch {
        for place in places { letGo(buffer, row: Int(place)) }
        throw error
      }
      keys.append(contentsOf: places, of: buffer)
      if plan.mergesChanges {
        let read = places
        // Held while the others are judged, which may let go of objects.
        buffer.pin(read)
        defer { unpin(table: table, read) }
        let generation = registry.generation
        let merged = try plan.merge(keys, sortKeys, compiled)
        // Judging fires faults, and their hooks may do anything.
        guard registry.generation == generation, plan.pending.matches.allSatisfy({ $0.object.isValid }) else {
          throw ObjectError(.invalid, "the context was reset during a fetch, by a hook of an object or an observer")
        }
        places = ContiguousArray(
          merged.map { place in
            switch place {
            case .stored(let index): read[index]
            case .pending(let index): Int32(truncatingIfNeeded: plan.pending.matches[index].object.row)
            }
          })
        keys = FetchedKeys(entity: plan.entity.index)
        keys.append(contentsOf: places, of: buffer)
        return FetchedObjects(rows: try finish(keys, places, plan, prefetched))
      }
    }
    return FetchedObjects(rows: try finish(keys, places, plan, prefetched))
  }

  private func finish(
    _ keys: FetchedKeys, _ places: ContiguousArray<Int32>, _ plan: FetchPlan, _ prefetched: PrefetchTree
  ) throws(ObjectError) -> FetchedRows {
    let rows = FetchedRows(self, table: plan.table, keys: keys, places: places)
    if plan.options.refreshes { forgetRelated(table: plan.table, places) }
    if !prefetched.steps.isEmpty {
      let kept = PrefetchedRows(self)
      try prefetch(prefetched, table: plan.table, places, options: plan.options, into: kept)
      rows.companions = kept
    }
    return rows
  }

  /// The IDs of the objects of a request; its result type is ignored.
  ///
  /// No object is created and no row is kept.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does.
  public func fetchObjectIDs(_ request: FetchRequest) throws(ObjectError) -> FetchedObjectIDs {
    try request.checkWindow()
    return try origin.objectIDs(request)
  }

  /// The values of a request as dictionaries; its result type is ignored.
  ///
  /// The dictionaries consist of `propertiesToFetch` or, if that is empty, of all attributes and to-one relationships.
  /// They show the store, without unsaved changes. No object is created.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does.
  public func fetchDictionaries(_ request: FetchRequest) throws(ObjectError) -> FetchedDictionaries {
    try request.checkWindow()
    return try origin.dictionaries(request)
  }

  func fetchDictionariesFromStore(_ request: FetchRequest) throws(ObjectError) -> FetchedDictionaries {
    let plan = try FetchPlan(request, .dictionaries, self)
    let compiled = try plan.compile(.values)
    let columns = Array(compiled.columns[..<min(compiled.firstSortKey, compiled.columns.count)])
    let store = plan.store
    let table = cells(columns[...], store)
    if plan.isStoreAffected {
      try fetchErrors { () throws(FetchError) in try table.read(try store.cursor(compiled)) }
    }
    var external = Set<Int>()
    for (index, column) in columns.enumerated() where column.isExternal { external.insert(index) }
    return FetchedDictionaries(
      content: .init(table: table, columns: columns, external: external, storePath: store.file.path))
  }

  /// The number of objects that a request finds, after limit and offset; its result type is ignored.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does.
  public func count(for request: FetchRequest) throws(ObjectError) -> Int {
    try request.checkWindow()
    return try origin.count(request)
  }

  /// How many objects a request finds in one store.
  func countInStore(_ request: FetchRequest) throws(ObjectError) -> Int {
    var plan = try FetchPlan(request, .count, self)
    guard plan.isStoreAffected else { return 0 }
    let hasChanges = plan.mergesChanges
    if hasChanges {
      plan.storeRequest.fetchLimit = 0
      plan.storeRequest.fetchOffset = 0
    }
    let compiled = try plan.compile(.count)
    let stored = try fetchErrors { () throws(FetchError) in try plan.store.count(compiled) }
    guard hasChanges else { return stored }
    return request.window(count: stored + plan.pending.matches.count)
  }

  /// Executes a request and returns its result by the request's result type.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does.
  public func execute(_ request: FetchRequest) throws(ObjectError) -> FetchResult {
    switch request.resultType {
    case .objects: .objects(try fetch(request))
    case .objectIDs: .objectIDs(try fetchObjectIDs(request))
    case .dictionaries: .dictionaries(try fetchDictionaries(request))
    case .count: .count(try count(for: request))
    }
  }

  // MARK: Steps

  /// Fetches which records there are, in order.
  func fetchKeys(_ plan: FetchPlan) throws(ObjectError) -> FetchedKeys {
    var keys = FetchedKeys(entity: plan.entity.index)
    guard plan.isStoreAffected else { return keys }
    let compiled = try plan.compile(.primaryKeys(withSortKeys: plan.mergesChanges))
    let sortKeys = plan.mergesChanges ? sortKeyTable(compiled, plan.store) : nil
    try fetchErrors { () throws(FetchError) in
      try keys.read(
        try plan.store.cursor(compiled), entities: EntityNumbers(plan.store.schema, root: plan.entity.root),
        sortKeys: sortKeys)
    }
    guard plan.mergesChanges else { return keys }
    var merged = FetchedKeys(entity: plan.entity.index)
    for place in try plan.merge(keys, sortKeys, compiled) {
      switch place {
      case .stored(let index): merged.append(keys, at: index)
      case .pending(let index):
        let object = plan.pending.matches[index].object
        merged.append(object.primaryKey, entity: Int32(object.entityIndex))
      }
    }
    return merged
  }

  private func sortKeyTable(_ compiled: CompiledFetch, _ store: PersistentStore) -> FetchedCells {
    cells(compiled.columns[compiled.firstSortKey...], store)
  }

  private func cells(_ columns: ArraySlice<FetchedColumn>, _ store: PersistentStore) -> FetchedCells {
    let width = columns.reduce(0) { max($0, Int($1.lastPosition) + 1) }
    return FetchedCells(columns: columns, width: width, schema: store.schema, storeUUID: store.identifier)
  }

  /// Lets objects forget what they know of others, because their rows were fetched anew.
  func forgetRelated(table: TableID, _ places: ContiguousArray<Int32>) {
    for place in places { registry.object(table: table, row: Int(place))?.takeUnretainedValue().forgetRelated() }
  }
}

/// Runs a piece of work on the store and wraps its error.
func fetchErrors<Value>(_ body: () throws(FetchError) -> Value) throws(ObjectError) -> Value {
  do {
    return try body()
  } catch {
    switch error {
    case .predicate(let error): throw ObjectError(error)
    case .store(let error): throw ObjectError(error)
    }
  }
}

extension FetchedColumn {
  /// The last SQL column that belongs to the value.
  var lastPosition: Int32 {
    if case .objectID(_, let hasEntityColumn) = kind, hasEntityColumn { return position + 1 }
    return position
  }
}
