public import MergewalkObjectModel
import MergewalkSQLite

/// Migrates SQLite stores in place to another version of their model, with SQL alone, and XML and binary stores through
/// one.
///
/// Everything is one transaction: a crash, an error or a stop leaves the store unchanged. Memory does not grow with the
/// rows. The store is locked in the meantime.
///
/// ```swift
/// try StoreMigrator.migrate(path: "shop.sqlite", to: model)
/// ```
public enum StoreMigrator {
  /// Migrates the store at a path.
  ///
  /// A store that fits the model only gets the indexes that it lacks.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - model: The model to migrate to.
  ///   - source: The store's present model; `nil` for the copy that it carries.
  ///   - options: The options.
  /// - Throws: ``MigrationError``; the store is unchanged.
  @discardableResult
  public static func migrate(
    path: String, to model: ManagedObjectModel, from source: ManagedObjectModel? = nil, options: Options = Options()
  ) throws(MigrationError) -> Outcome {
    let versions = source.map { ModelVersionList([ModelVersionList.Version($0), ModelVersionList.Version(model)]) }
    return try migrate(
      path: path, to: ModelVersionList.Version(model), in: versions ?? ModelVersionList([]), options: options)
  }

  /// Migrates the store at a path to a version of its model, through other versions if there is no direct way.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - version: The version to migrate to.
  ///   - versions: The known versions, oldest first: the store's own version is searched for there, then in the store.
  ///   - options: The options.
  /// - Throws: ``MigrationError``; the store is unchanged.
  @discardableResult
  public static func migrate(
    path: String, to version: ModelVersionList.Version, in versions: ModelVersionList, options: Options = Options()
  ) throws(MigrationError) -> Outcome {
    let path = try migrationErrors { () throws(StoreError) in try StorePath.existing(path) }
    guard FileStoreMigration.type(path) == .sqlite else {
      return try migrateFile(path, to: version, in: versions, options: options)
    }
    guard let start = try start(path, version, versions, options) else {
      // A process that was killed after the store was migrated has left its copy, which is what it was made for.
      if let copy = options.backupPath { StagingFolder.sweep(copy, takesBack: false) }
      moveLog(path, version, options)
      LogFiles.sweepJournal(path)
      return try makeIndexes(path, version.model, options, isPlan: false)
    }
    let route = try versions.route(from: start.version, to: version, path: path)
    let file = try migrationErrors { () throws(StoreError) in
      try StoreFile.open(
        path: path, model: start.version.model, configuration: start.configuration, cacheKiB: options.cacheKiB)
    }
    var backup: StagingFolder?
    do {
      if let copy = options.backupPath {
        backup = try migrationErrors { () throws(StoreError) in
          try StoreBackup.copy(file.connection, store: path, to: copy)
        }
      }
      try migrationErrors { () throws(StoreError) in
        try file.connection.mapped { () throws(SQLiteError) in
          try file.connection.registerMigrationFunctions(store: path)
        }
        try file.begin()
      }
      let named = try migrationErrors { () throws(StoreError) in try file.schema.externalFileNames(file.connection) }
      var outcome = try run(file, route, start.configuration, options)
      let gone = try migrationErrors { () throws(StoreError) in
        try named.isEmpty ? [] : named.subtracting(file.schema.externalFileNames(file.connection))
      }
      try migrationErrors { () throws(StoreError) in
        // They go once the rows are committed; a copy of the store has its own.
        try file.externalFiles.add(obsolete: gone)
        try file.finish {
          // Only once the store is migrated: until then a successor takes the copy back and starts over.
          backup?.forgetPublished()
          return nil
        }
      }
      let kept = file.externalFiles.sharedFiles.union(file.externalFiles.staying)
      outcome.keptFiles = gone.intersection(kept).sorted()
      outcome.removedFiles = gone.count - outcome.keptFiles.count
      return outcome
    } catch {
      try? file.rollBackRun()
      // A store that is as it was needs no copy, and the same command is given again.
      if let backup, (try? Self.start(path, version, versions, options)) != nil { backup.takeBackPublished() }
      throw error
    }
  }

  /// Describes a migration without changing the store.
  ///
  /// The data is checked only for the first version on the route.
  ///
  /// - Throws: ``MigrationError`` as ``migrate(path:to:in:options:)``, except for obstacles in the data.
  public static func plan(
    path: String, to version: ModelVersionList.Version, in versions: ModelVersionList, options: Options = Options()
  ) throws(MigrationError) -> Outcome {
    guard let start = try start(path, version, versions, options) else {
      return try makeIndexes(path, version.model, options, isPlan: true)
    }
    let route = try versions.route(from: start.version, to: version, path: path)
    var result = Outcome(route: route)
    var failure: MigrationError?
    try migrationErrors { () throws(StoreError) in
      try ReadableStore.withConnection(path) { connection throws(StoreError) in
        guard let expected = StoreSchema(model: start.version.model, configuration: start.configuration) else {
          throw StoreError(.incompatibleModel, path: path, message: "the model lacks the store's configuration")
        }
        var schema = try expected.adapted(to: connection)
        let file = StoreFile(
          path: path, schema: schema, metadata: try StoreMetadata.read(connection), connection: connection,
          warnings: [], undo: .nothing, pendingIndexes: [])
        try connection.registerCoreDataFunctions()
        try connection.mapped { () throws(SQLiteError) in try connection.registerMigrationFunctions(store: path) }
        let added = try AddedObjects(connection, schema)
        result.lost = added.columns
        for (number, step) in route.dropFirst().enumerated() {
          do throws(MigrationError) {
            let plan = try Self.plan(schema, step.model, start.configuration, options, connection)
            if number == 0 {
              let run = MigrationRun(file: file, source: schema, plan: plan)
              result.findings = try run.findings()
              result.removed = try run.removals()
            } else {
              // Most stores have no strays, and without a count they would seem to be there.
              result.removed += plan.removals.map { $0.removal }.filter { $0.kind != .stray }
            }
            if route.count > 2 { result.steps.append("to \(step.name):") }
            result.steps += plan.steps.map(\.title)
            schema = plan.destination
          } catch {
            failure = error
            return
          }
        }
        result.steps += added.steps
      }
    }
    if let failure { throw failure }
    return result
  }

  // MARK: - Parts

  /// Makes the indexes that a store which fits the model lacks, as an index alone is no other version: in one
  /// transaction, and only if there are any.
  private static func makeIndexes(
    _ path: String, _ model: ManagedObjectModel, _ options: Options, isPlan: Bool
  ) throws(MigrationError) -> Outcome {
    try migrationErrors { () throws(StoreError) -> Outcome in
      let configuration = StoreModel.fit(model, try StoreMetadata.read(path: path), .given)?.configuration
      let missing = try ReadableStore.withConnection(path) { connection throws(StoreError) -> [IndexDefinition] in
        let schema = try StoreSchema(model: model, configuration: configuration)?.adapted(to: connection)
        return (schema?.missingIndexes ?? []).filter(\.isOfModel)
      }
      var outcome = Outcome()
      outcome.steps = missing.map { "create the index \($0.name)" }
      guard !missing.isEmpty, !isPlan else { return outcome }
      let file = try StoreFile.open(
        path: path, model: model, configuration: configuration, cacheKiB: options.cacheKiB)
      do throws(StoreError) {
        try file.begin()
        // Another process may have made some in the meantime.
        for index in file.schema.missingIndexes where index.isOfModel { try file.connection.execute(index.sql) }
        try file.finish()
      } catch {
        try? file.rollBackRun()
        throw error
      }
      return outcome
    }
  }

  /// Moves what a killed migration has left in the log into the store; not the log of a run that resumes.
  private static func moveLog(_ path: String, _ version: ModelVersionList.Version, _ options: Options) {
    guard LogFiles.hasLog(path), let metadata = try? StoreMetadata.read(path: path),
      metadata.mergewalk.runs.names.isEmpty, let fitting = StoreModel.fit(version.model, metadata, .given)
    else { return }
    // Whoever has the store open will do it in time.
    try? StoreFile.open(
      path: path, model: version.model, configuration: fitting.configuration, cacheKiB: options.cacheKiB, lockWait: 0
    ).finish()
  }

  /// The version that the store was made with, and its configuration; `nil` when it fits the wanted version.
  private static func start(
    _ path: String, _ version: ModelVersionList.Version, _ versions: ModelVersionList, _ options: Options
  ) throws(MigrationError) -> (version: ModelVersionList.Version, configuration: String?)? {
    let metadata = try migrationErrors { () throws(StoreError) in try StoreMetadata.read(path: path) }
    if let fitting = StoreModel.fit(version.model, metadata, .given),
      options.configuration == nil || options.configuration == fitting.configuration
    {
      return nil
    }
    for known in versions.versions {
      if let found = StoreModel.fit(known.model, metadata, .given) { return (known, found.configuration) }
    }
    do throws(StoreError) {
      let found = try StoreModel.find(path: path)
      return (ModelVersionList.Version(found.model), found.configuration)
    } catch {
      guard error.code == .noModel else { throw MigrationError(error) }
      throw versions.noneFits(path)
    }
  }

  private static func plan(
    _ schema: StoreSchema, _ model: ManagedObjectModel, _ configuration: String?, _ options: Options,
    _ connection: Connection
  ) throws(MigrationError) -> MigrationPlan {
    // A store of a configuration stays one of it, unless the new model has none of the name.
    let names = model.draft.configurations.map(\.name)
    let wanted = options.configuration ?? configuration.flatMap { names.contains($0) ? $0 : nil }
    let catalog = try migrationErrors { () throws(StoreError) in try SchemaCatalog(connection) }
    let plan = try MigrationPlan(
      InferredMapping(from: schema.model, to: model), source: schema, configuration: wanted,
      crowded: Set(catalog.addedColumns(schema).map { $0.table.uppercased() }))
    if let clash = plan.destination.tableNameClash {
      throw MigrationError(StoreError(.unsupported, path: connection.name, message: clash.message))
    }
    return plan
  }

  /// Runs the way through all versions in the transaction that has begun.
  private static func run(
    _ file: StoreFile, _ route: [ModelVersionList.Version], _ configuration: String?, _ options: Options
  ) throws(MigrationError) -> Outcome {
    var outcome = Outcome(route: route)
    let added = try migrationErrors { () throws(StoreError) in try AddedObjects(file.connection, file.schema) }
    try migrationErrors { () throws(StoreError) in try added.takeOut() }
    for (number, version) in route.dropFirst().enumerated() {
      let schema = file.schema
      let plan = try plan(schema, version.model, configuration, options, file.connection)
      let body = { () throws(MigrationError) in
        let migration = MigrationRun(file: file, source: schema, plan: plan)
        outcome.removed += try migration.removals()
        try migration.run { step in
          options.progress?(
            MigrationProgress(
              version: version.name, versionNumber: number + 1, versionCount: route.count - 1, step: step + 1,
              stepCount: plan.steps.count, title: plan.steps[step].title))
        }
      }
      if let isCancelled = options.isCancelled {
        if isCancelled() {
          throw MigrationError(
            .cancelled, path: file.path, message: "the migration was stopped; the store is as before")
        }
        try file.connection.interruptible(isCancelled, body)
      } else {
        try body()
      }
      outcome.steps += plan.steps.map(\.title)
      // What the tables are called now is what the next version starts from, and what a fresh store would have.
      try migrationErrors { () throws(StoreError) in
        file.replaceSchema(try plan.destination.adapted(to: file.connection))
      }
    }
    outcome.steps += added.steps
    outcome.lost = try migrationErrors { () throws(StoreError) in
      // Before an app's triggers are there, which have no part in a migration.
      try file.fillDerivedValues()
      file.needsDerivedValues = false
      return try added.putBack()
    }
    return outcome
  }
}
