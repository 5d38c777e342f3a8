import MergewalkObjectModel
import MergewalkObjectStore

/// A request that was checked against the model and the context's changes.
struct FetchPlan {
  /// The request as it was given, with the result type of the call.
  let request: FetchRequest
  let entity: EntityDescription
  /// The number of the table that is asked.
  let table: TableID
  let store: PersistentStore
  let options: FetchedRowReader.Options
  /// Whether the request asks the store at all.
  let isStoreAffected: Bool
  /// Whether changes that are not saved take part.
  let mergesChanges: Bool
  /// The objects that are judged here.
  let pending: PendingMatches
  var storeRequest: FetchRequest

  /// Checks a request.
  ///
  /// - Throws: ``ObjectError`` when the model has no such entity, when the request contradicts itself, or when changed
  ///   objects cannot be judged.
  init(
    _ request: FetchRequest, _ resultType: FetchRequest.ResultType, _ context: ManagedObjectContext
  ) throws(ObjectError) {
    var request = request
    request.resultType = resultType
    guard let entity = context.model.entity(named: request.entityName) else {
      throw ObjectError(
        PredicateError(.unknownEntity, "the model has no entity \"\(request.entityName)\""))
    }
    self.request = request
    self.entity = entity
    var options = FetchedRowReader.Options()
    options.asFaults = request.returnsObjectsAsFaults
    options.refreshes = request.shouldRefreshRefetchedObjects
    self.options = options
    // A store that has the entity and is meant, else one that says why not.
    let affected = context.affectedStores(request).first
    guard let asked = affected ?? context.storeNumbers(entity).first else {
      throw ObjectError(.closed, "no open store has the entity \(entity.name); add one to the coordinator")
    }
    table = context.table(entity, store: asked)
    store = try context.openStore(table: table)
    isStoreAffected = affected != nil
    if isStoreAffected {
      do { try store.willFetch(request) } catch { throw ObjectError(.database, error.description) }
    }
    let takesChanges = request.includesPendingChanges && resultType != .dictionaries && isStoreAffected
    let changed = takesChanges ? context.changedKeys(request, entity, table) : []
    mergesChanges = !changed.isEmpty
    guard mergesChanges else {
      pending = PendingMatches()
      storeRequest = request
      return
    }
    // What the store refuses is refused before anything is judged here.
    _ = try FetchPlan.compile(request, .count, store)
    pending = try context.pendingMatches(request, entity, table, changed)
    storeRequest = pending.storeRequest(request)
  }

  /// The slots that rows are fetched with.
  ///
  /// - Throws: ``ObjectError`` with `invalidRequest` for properties that objects cannot be fetched with.
  func slots(_ context: ManagedObjectContext) throws(ObjectError) -> [Int] {
    let access = try context.access(table: table)
    guard !request.propertiesToFetch.isEmpty else { return access.storedSlots }
    var wanted = Set<Int>()
    for value in request.propertiesToFetch {
      guard case .property(let path) = value else {
        throw ObjectError(
          PredicateError(
            .invalidRequest, "objects cannot be fetched with the expression \"\(value.name)\"",
            hint: "fetch dictionaries, or ask for properties only"))
      }
      let name = PropertyPath(path)?.text ?? path
      if let relationship = entity.relationship(named: name) {
        guard !relationship.isToMany else {
          throw ObjectError(
            PredicateError(
              .invalidRequest, "objects cannot be fetched with the to-many relationship \"\(name)\"",
              hint: "name it among the key paths for prefetching"))
        }
        if !relationship.isTransient { wanted.insert(relationship.slot) }
      } else if let attribute = entity.attribute(named: name) {
        if !attribute.isTransient { wanted.insert(attribute.slot) }
      } else {
        throw ObjectError(
          PredicateError(
            .unknownKey, "\(entity.name) has no property \"\(name)\" that objects could be fetched with"))
      }
    }
    return access.storedSlots.filter(wanted.contains)
  }

  /// Makes the statement for the store's part.
  func compile(_ selection: FetchSelection) throws(ObjectError) -> CompiledFetch {
    try FetchPlan.compile(storeRequest, selection, store)
  }

  private static func compile(
    _ request: FetchRequest, _ selection: FetchSelection, _ store: PersistentStore
  ) throws(ObjectError) -> CompiledFetch {
    let compiler = FetchCompiler(schema: store.schema, storeUUID: store.identifier)
    return try predicateErrors { () throws(PredicateError) in try compiler.compile(request, selecting: selection) }
  }

  /// Merges what the store found with what is judged here.
  func merge(
    _ keys: FetchedKeys, _ sortKeys: FetchedCells?, _ compiled: CompiledFetch
  ) throws(ObjectError) -> [PendingMatches.Place] {
    let columns = compiled.columns[compiled.firstSortKey...]
    return try predicateErrors { () throws(PredicateError) in
      try pending.merged(request, stored: keys) { index in
        guard let sortKeys else { return [] }
        return columns.map { column in
          switch sortKeys.value(row: index, column) {
          case .attribute(let value): .attribute(value)
          case .objectID(let id): .objectID(id)
          default: .null
          }
        }
      }
    }
  }
}
