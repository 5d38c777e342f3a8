public import MergewalkObjectModel
public import MergewalkObjectStore

/// Runs a mapping model: reads the objects of a store, creates new ones in a store beside it, and replaces the first
/// store with the second.
///
/// ```swift
/// let manager = MigrationManager(from: old, to: new, mapping: mapping)
/// try manager.migrate("shop.sqlite")
/// ```
///
/// Objects are migrated in batches, so memory grows only by the 24 bytes per object that map it to its new object. The
/// store is replaced in one step at the end; until then, a crash or an error leaves it unchanged. New objects have new
/// IDs, and the store a new identity; the app's own metadata is kept, and so is what else it has added to the file where that
/// fits: ``lost`` has the rest. Rows of its own tables stay as they are, also where they hold keys of objects.
///
/// Required relationships have no targets while the objects are created, so the new store first has a model without
/// requirements; at the end it changes to the real model, which fails when something is missing.
///
/// Source: Apple, Core Data Model Versioning and Data Migration, "The Migration Process"; `NSMigrationManager`.
public final class MigrationManager {
  /// The version of the model that the store was created with.
  public let source: ManagedObjectModel
  /// The version of the model to migrate to.
  public let destination: ManagedObjectModel
  /// The mappings.
  public let mapping: MappingModel
  /// The old objects; they must not be changed.
  public private(set) var sourceContext: ManagedObjectContext
  /// The new objects.
  public private(set) var destinationContext: ManagedObjectContext
  /// The number of old objects to read before the new ones are saved and released.
  public var batchSize = 1000
  /// Free values for policies; expressions see them as variables by name.
  public var userInfo: [String: AttributeValue] = [:]
  /// Called after each batch with the progress, from 0 to 1.
  public var progress: ((Double) -> Void)?
  /// The current mapping.
  public private(set) var currentEntityMapping: EntityMapping?
  /// The progress, from 0 to 1.
  public private(set) var migrationProgress = 0.0
  /// Data of the store that was migrated last that inferred mappings have removed, as nothing in the new version continues
  /// them; of mappings that were given, what they leave out is their own matter.
  public private(set) var removed: [MigrationRemoval] = []
  /// Additions of an app to the file of the store that was migrated last that are not kept: columns in the model's tables;
  /// tables of its own that are virtual, or refer to those of the model; indexes, triggers and views that no longer fit.
  public private(set) var lost: [MigrationLoss] = []

  /// The names of files with values beside the store that was migrated last that stay, sorted, though no row names them any
  /// more: another store has the same folder, or they could not be removed.
  public private(set) var keptFiles: [String] = []

  private var sourceCoordinator: PersistentStoreCoordinator
  private var destinationCoordinator: PersistentStoreCoordinator
  private var tables: [String: AssociationTable] = [:]
  private var pending: [(mapping: String, source: ManagedObjectID, object: ManagedObject)] = []
  private var cancellation: (any Error)?
  private let isInferred: Bool
  private var doneWork = 0.0
  private var totalWork = 1.0

  /// Creates a manager.
  ///
  /// - Parameter mapping: The mappings; `nil` for those that can be inferred.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel, mapping: MappingModel? = nil) {
    self.source = source
    self.destination = destination
    isInferred = mapping == nil
    self.mapping = mapping ?? MappingModel.inferred(from: source, to: destination)
    sourceCoordinator = PersistentStoreCoordinator(model: source)
    destinationCoordinator = PersistentStoreCoordinator(model: destination)
    sourceContext = ManagedObjectContext(coordinator: sourceCoordinator)
    destinationContext = ManagedObjectContext(coordinator: destinationCoordinator)
  }

  /// Ends the migration before the next object, with this error.
  public func cancel(_ error: any Error = CancellationError()) { cancellation = error }

  // MARK: - Running

  /// Migrates the store at a path.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - backupPath: The path of a copy made first; `nil` for none. A failed migration removes it.
  /// - Throws: `MigrationError` with `mapping` when the mappings do not fit the models, with `notInferable` when none
  ///   were given and they cannot be inferred, with `data` when something required is missing; `StoreError`,
  ///   ``ObjectError``, ``SaveError``, or the error of a policy. The store is unchanged.
  public func migrate(_ path: String, backupPath: String? = nil) throws {
    let problems = mapping.problems(from: source, to: destination)
    guard problems.isEmpty else {
      throw MigrationError(.mapping, path: path, message: problems.joined(separator: "; "))
    }
    // The mappings that are made from two versions leave out what does not fit, for others to add.
    let findings = isInferred ? InferredMapping(from: source, to: destination).findings : []
    guard findings.isEmpty else { throw MigrationPlan.notInferable(findings, path: path) }
    if FileStoreMigration.type(path) != .sqlite {
      let migration = try FileStoreMigration(path, from: source, backupPath: backupPath)
      do {
        try migrate(migration.sqlitePath)
        return try migration.finish(destination)
      } catch {
        migration.giveUp()
        throw error
      }
    }
    try StoreReplacement.withCopy(of: path, at: backupPath, from: source) { try replace(path) }
  }

  /// Migrates an SQLite store.
  private func replace(_ path: String) throws {
    let metadata = try StoreMetadata.read(path: path)
    StoreReplacement.clear(path)
    let hidden = StoreReplacement.hiddenPath(of: path)
    let relaxed = try destination.withoutRequirements()
    sourceCoordinator = PersistentStoreCoordinator(model: source)
    destinationCoordinator = PersistentStoreCoordinator(model: relaxed)
    tables = [:]
    pending = []
    cancellation = nil
    (removed, lost, keptFiles) = ([], [], [])
    do {
      let store = try sourceCoordinator.addSQLiteStore(at: path)
      try destinationCoordinator.addSQLiteStore(at: hidden)
      sourceContext = ManagedObjectContext(coordinator: sourceCoordinator)
      destinationContext = ManagedObjectContext(coordinator: destinationCoordinator)
      let removals = try isInferred ? store.removals(to: destination) : []
      try run()
      try destinationCoordinator.close()
      try StoreMigrator.migrate(path: hidden, to: destination, from: relaxed)
      try StoreReplacement.copyOwnMetadata(from: metadata, to: hidden, destination)
      let losses = try store.keepAdditions(in: hidden)
      try sourceCoordinator.close()
      keptFiles = try StoreReplacement.replace(path)
      (removed, lost) = (removals, losses)
    } catch {
      try? sourceCoordinator.close()
      try? destinationCoordinator.close()
      StoreReplacement.clear(path)
      throw error
    }
  }

  private func run() throws {
    let policies = mapping.entityMappings.map { ($0, $0.makePolicy?() ?? EntityMigrationPolicy()) }
    var work = 0
    for (mapping, _) in policies where mapping.type != .remove && mapping.type != .add {
      if let name = mapping.sourceEntity { work += try sourceContext.count(name) }
    }
    doneWork = 0
    totalWork = Double(max(1, 2 * work))
    for (mapping, policy) in policies {
      currentEntityMapping = mapping
      try policy.begin(mapping, manager: self)
      try createObjects(mapping, policy)
      try policy.endObjectCreation(mapping, manager: self)
      try saveBatch()
    }
    for (mapping, policy) in policies {
      currentEntityMapping = mapping
      try createRelationships(mapping, policy)
      try policy.endRelationshipCreation(mapping, manager: self)
      try saveBatch()
    }
    for (mapping, policy) in policies {
      currentEntityMapping = mapping
      try policy.performCustomValidation(mapping, manager: self)
      try policy.end(mapping, manager: self)
      try saveBatch()
    }
    currentEntityMapping = nil
    report(totalWork - doneWork)
  }

  private func createObjects(_ mapping: EntityMapping, _ policy: EntityMigrationPolicy) throws {
    guard let name = mapping.sourceEntity, mapping.type != .remove, mapping.type != .add else { return }
    let entity = source.entity(named: name)
    var evaluator = PredicateEvaluator()
    var count = 0
    try sourceContext.forEachObject(of: name, batchSize: batchSize) { object in
      if let cancellation { throw cancellation }
      count += 1
      // What inherits from the entity has mappings of its own.
      guard object.entity.index == entity?.index else { return }
      if let predicate = mapping.sourcePredicate, try !evaluator.evaluate(predicate, with: .object(object)) { return }
      try policy.createDestinationObjects(for: object, mapping: mapping, manager: self)
      if count.isMultiple(of: batchSize) {
        try saveBatch()
        report(Double(batchSize))
      }
    }
    try saveBatch()
    report(Double(count % batchSize))
  }

  private func createRelationships(_ mapping: EntityMapping, _ policy: EntityMigrationPolicy) throws {
    guard var table = tables[mapping.name] else { return }
    table.sort()
    let sourceStore = sourceContext.stores.first?.identifier ?? ""
    let destinationStore = destinationContext.stores.first?.identifier ?? ""
    let model = destinationCoordinator.model
    for position in 0..<table.count {
      if let cancellation { throw cancellation }
      let pair = table.pair(position)
      let old = try sourceContext.object(
        with: ManagedObjectID(
          storeUUID: sourceStore, entity: source.entities[pair.sourceRoot.index], primaryKey: pair.source))
      let new = try destinationContext.object(
        with: ManagedObjectID(storeUUID: destinationStore, entity: model.entities[pair.entity], primaryKey: pair.key))
      try policy.createRelationships(for: new, source: old, mapping: mapping, manager: self)
      if (position + 1).isMultiple(of: batchSize) {
        try saveBatch()
        // The source is not being walked through now.
        sourceContext.reset()
        report(Double(batchSize))
      }
    }
    try saveBatch()
    sourceContext.reset()
    report(Double(table.count % batchSize))
  }

  /// Saves what was made, remembers what became of what, and releases the new objects.
  private func saveBatch() throws {
    if destinationContext.hasChanges { try destinationContext.save() }
    for entry in pending {
      tables[entry.mapping, default: AssociationTable()].add(source: entry.source, destination: entry.object.objectID)
    }
    pending.removeAll(keepingCapacity: true)
    destinationContext.reset()
  }

  private func report(_ work: Double) {
    doneWork += work
    migrationProgress = min(1, doneWork / totalWork)
    progress?(migrationProgress)
  }

  // MARK: - For policies

  /// Records that a mapping created a new object for an old one.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` when the objects do not belong to the manager's contexts.
  public func associate(_ source: ManagedObject, with object: ManagedObject, mapping: String) throws {
    guard source.context === sourceContext, object.context === destinationContext else {
      throw ObjectError(
        .otherContext, "the old object is not of the source context, or the new one not of the destination's")
    }
    pending.append((mapping, source.objectID, object))
  }

  /// The new objects that mappings created for old ones, in the order of the old ones.
  ///
  /// - Parameter mapping: The mapping's name; `nil` for all mappings.
  public func destinationObjects(mapping: String?, of sources: [ManagedObject]) throws -> [ManagedObject] {
    let names = mapping.map { [$0] } ?? self.mapping.entityMappings.map(\.name)
    let store = destinationContext.stores.first?.identifier ?? ""
    var result: [ManagedObject] = []
    for source in sources {
      let id = source.objectID
      for name in names {
        var ids: [ManagedObjectID] = []
        tables[name]?.forEach(of: id) { entity, key in
          ids.append(
            ManagedObjectID(
              storeUUID: store, entity: destinationCoordinator.model.entities[entity], primaryKey: key))
        }
        for id in ids { result.append(try destinationContext.object(with: id)) }
        result += pending.filter { $0.mapping == name && $0.source == id }.map(\.object)
      }
    }
    return result
  }

  /// The new objects created for those at the other end of an old object's relationship, as far as they fit a
  /// relationship of a new one.
  public func destinationObjects(
    relationship: String, of source: ManagedObject, for destination: RelationshipDescription
  ) throws -> [ManagedObject] {
    let isToMany = source.entity.relationship(named: relationship)?.isToMany ?? false
    let sources =
      isToMany ? try source.objects(forKey: relationship) : try [source.object(forKey: relationship)].compactMap { $0 }
    let entity = destinationCoordinator.model.entities[destination.destinationEntity]
    return try destinationObjects(mapping: nil, of: sources).filter { $0.entity.isKind(of: entity) }
  }

  /// Sets the mapped attributes of a new object.
  public func setAttributes(of object: ManagedObject, from source: ManagedObject, mapping: EntityMapping) throws {
    for (name, value) in mapping.attributes {
      switch value {
      case .source(let key): try object.setValue(source.value(forKey: key), forKey: name)
      case .expression(let expression):
        guard case .attribute(let result) = try evaluate(expression, source, object) else {
          throw MigrationError(
            .mapping, path: "", message: "\(mapping.name): the expression of \(name) gives objects, not a value")
        }
        try object.setValue(object.converted(result, forKey: name), forKey: name)
      case .compute(let body): try object.setValue(body(source, self), forKey: name)
      }
    }
  }

  /// Sets the mapped relationships of a new object.
  public func setRelationships(of object: ManagedObject, from source: ManagedObject, mapping: EntityMapping) throws {
    for (name, value) in mapping.relationships {
      guard let relationship = object.entity.relationship(named: name) else { continue }
      let others: [ManagedObject]
      switch value {
      case .relationship(let key): others = try destinationObjects(relationship: key, of: source, for: relationship)
      case .mapping(let other, let expression):
        others = try destinationObjects(mapping: other, of: objects(in: evaluate(expression, source, object)))
      case .compute(let body): others = try body(source, self)
      }
      if relationship.isToMany {
        try object.setObjects(others, forKey: name)
      } else {
        try object.setObject(others.first, forKey: name)
      }
    }
  }

  private func evaluate(_ expression: ObjectExpression, _ source: ManagedObject, _ object: ManagedObject) throws
    -> EvaluatedValue
  {
    var variables: [String: EvaluatedValue] = userInfo.mapValues { .attribute($0) }
    variables["source"] = .object(source)
    variables["destination"] = .object(object)
    return try expression.evaluate(with: .object(source), variables: variables)
  }

  private func objects(in value: EvaluatedValue) throws -> [ManagedObject] {
    switch value {
    case .object(let object): return [object as? ManagedObject].compactMap { $0 }
    case .objectID(let id): return [try sourceContext.object(with: id)]
    case .collection(let values): return try values.flatMap(objects)
    case .attribute: return []
    }
  }
}

@available(*, unavailable, message: "a migration is confined to one task")
extension MigrationManager: Sendable {}

extension ManagedObjectModel {
  /// The model with the same tables that demands nothing.
  func withoutRequirements() throws -> ManagedObjectModel {
    var draft = draft
    for entity in draft.entities.indices {
      for i in draft.entities[entity].attributes.indices { draft.entities[entity].attributes[i].isOptional = true }
      for i in draft.entities[entity].relationships.indices {
        draft.entities[entity].relationships[i].isOptional = true
        draft.entities[entity].relationships[i].minCount = 0
      }
    }
    return try ManagedObjectModel(draft)
  }
}

extension ManagedObject {
  /// A value as an attribute takes it: numbers of expressions have the type that the computation gives.
  func converted(_ value: AttributeValue, forKey key: String) -> AttributeValue {
    guard let type = entity.attribute(named: key)?.type else { return value }
    switch (type, value) {
    case (.double, .integer(let number)), (.float, .integer(let number)): return .double(Double(number))
    case (.boolean, .integer(let number)): return .boolean(number != 0)
    case (.date, .double(let seconds)): return .date(seconds)
    case (.date, .integer(let seconds)): return .date(Double(seconds))
    case (.uri, .string(let text)): return .uri(text)
    case (.decimal, .integer(let number)): return .decimal(DecimalNumber(significand: Int128(number), exponent: 0))
    case (.integer16, .double(let number)), (.integer32, .double(let number)), (.integer64, .double(let number)):
      return Int64(exactly: number).map { .integer($0) } ?? value
    default: return value
    }
  }
}
