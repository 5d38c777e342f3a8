public import MergewalkObjectStore

/// One stage of a staged migration.
public protocol MigrationStage {
  /// The stage's name for people.
  var label: String { get }
  /// The versions at its beginning, in between and at its end, in order.
  var versions: [ModelVersionList.Version] { get }
}

/// A stage that migrates from each version to the next by inference.
///
/// Source: Apple, `NSLightweightMigrationStage`.
public struct LightweightMigrationStage: MigrationStage {
  /// The stage's name for people.
  public var label: String
  /// The versions, in order.
  public var versions: [ModelVersionList.Version]

  /// Creates a stage.
  public init(_ versions: [ModelVersionList.Version], label: String = "lightweight stage") {
    self.versions = versions
    self.label = label
  }
}

/// A stage with work before and after it.
///
/// Source: Apple, `NSCustomMigrationStage`.
public struct CustomMigrationStage: MigrationStage {
  /// Work on a store: the context is saved after it, if it has changes.
  public typealias Handler = (ManagedObjectContext) throws -> Void

  /// The stage's name for people.
  public var label: String
  /// The version before.
  public var current: ModelVersionList.Version
  /// The version afterwards.
  public var next: ModelVersionList.Version
  /// The mappings; `nil` when they can be inferred.
  public var mapping: MappingModel?
  /// Runs before the stage, with the objects of the old version.
  public var willMigrate: Handler?
  /// Runs after the stage, with the objects of the new version.
  public var didMigrate: Handler?
  /// The old and the new version.
  public var versions: [ModelVersionList.Version] { [current, next] }

  /// Creates a stage.
  public init(
    from current: ModelVersionList.Version, to next: ModelVersionList.Version, label: String = "custom stage",
    mapping: MappingModel? = nil, willMigrate: Handler? = nil, didMigrate: Handler? = nil
  ) {
    self.current = current
    self.next = next
    self.label = label
    self.mapping = mapping
    self.willMigrate = willMigrate
    self.didMigrate = didMigrate
  }
}

/// Migrates a store through versions of its model in ordered stages, with work between them.
///
/// The stages run on a copy beside the store, which replaces it in one step at the end: a crash or an error leaves the
/// store unchanged. No other process may write the store in the meantime.
///
/// Source: Apple, `NSStagedMigrationManager`, "Staged migrations".
public struct StagedMigrationManager {
  /// The stages, in order.
  public let stages: [any MigrationStage]
  /// Called before each stage that runs.
  public var progress: ((any MigrationStage) -> Void)?
  /// Called at the end, once for each kind of data that a stage by inference has removed, as nothing in its version
  /// continues them.
  public var didRemove: ((MigrationRemoval) -> Void)?
  /// Called at the end, once for each addition of an app to the file that a stage did not keep.
  public var didLose: ((MigrationLoss) -> Void)?
  /// Called at the end with the names of files with values beside the store that stay, sorted, though no row names them any
  /// more, if there are any: another store has the same folder, or they could not be removed.
  public var didKeepFiles: (([String]) -> Void)?

  /// Creates a manager.
  public init(_ stages: [any MigrationStage]) { self.stages = stages }

  /// Migrates the store at a path from its version to the last one of the stages.
  ///
  /// Stages before its version are skipped. Between two stages, the store is migrated by inference from the end of one
  /// to the beginning of the next.
  ///
  /// - Parameter backupPath: The path of a copy made first; `nil` for none. A failed migration removes it.
  /// - Returns: The names of the versions that the store had, including the first and the last; empty when it already
  ///   had the last.
  /// - Throws: `MigrationError` with `noSourceModel` when no stage has the store's version, with `notInferable` or
  ///   `data` when a stage is not possible; `StoreError`, or the error of a handler.
  @discardableResult
  public func migrate(_ path: String, backupPath: String? = nil) throws -> [String] {
    let isFile = FileStoreMigration.type(path) != .sqlite
    let metadata = try FileStoreMigration.metadata(path)
    let all = ModelVersionList(stages.flatMap(\.versions))
    // The last stage that knows the version: where one ends and the next begins, the next has work to do.
    guard let first = stages.lastIndex(where: { ModelVersionList($0.versions).version(fitting: metadata) != nil }),
      let start = ModelVersionList(stages[first].versions).version(fitting: metadata), let last = all.versions.last
    else {
      throw MigrationError(
        .noSourceModel, path: path,
        message: "the store was made with none of the versions of the stages ("
          + all.versions.map(\.name).joined(separator: ", ") + "); add a stage that begins with its version")
    }
    if ModelVersionList([last]).version(fitting: metadata) != nil {
      // What a process that was killed has left is the copy of the store that it had replaced.
      if let backupPath { StagingFolder.sweep(backupPath, takesBack: false) }
      return []
    }
    if isFile {
      let migration = try FileStoreMigration(path, from: start.model, backupPath: backupPath)
      do {
        let names = try migrate(migration.sqlitePath)
        try migration.finish(last.model)
        return names
      } catch {
        migration.giveUp()
        throw error
      }
    }
    return try StoreReplacement.withCopy(of: path, at: backupPath, from: start.model) {
      let copy = try StoreReplacement.copy(path)
      do {
        var done = Progress(versions: [start])
        for stage in stages[first...] {
          progress?(stage)
          try run(stage, copy, &done)
        }
        let kept = try StoreReplacement.replace(path)
        if !kept.isEmpty { didKeepFiles?(kept) }
        for removal in done.removed { didRemove?(removal) }
        for loss in done.lost { didLose?(loss) }
        return done.versions.map(\.name)
      } catch {
        StoreReplacement.clear(path)
        throw error
      }
    }
  }

  /// What the stages have done so far.
  private struct Progress {
    var versions: [ModelVersionList.Version]
    var removed: [MigrationRemoval] = []
    var lost: [MigrationLoss] = []
  }

  private func run(_ stage: any MigrationStage, _ path: String, _ done: inout Progress) throws {
    guard let custom = stage as? CustomMigrationStage else {
      guard let end = stage.versions.last else { return }
      return try infer(path, to: end, in: ModelVersionList(stage.versions), &done)
    }
    if try isAt(custom.next, path) { return }
    try infer(path, to: custom.current, in: ModelVersionList(done.versions.suffix(1) + [custom.current]), &done)
    try handle(custom.willMigrate, path, custom.current)
    if let mapping = custom.mapping {
      let manager = MigrationManager(from: custom.current.model, to: custom.next.model, mapping: mapping)
      try manager.migrate(path)
      done.versions.append(custom.next)
      done.lost += manager.lost
    } else {
      try infer(path, to: custom.next, in: ModelVersionList(custom.versions), &done)
    }
    try handle(custom.didMigrate, path, custom.next)
  }

  private func isAt(_ version: ModelVersionList.Version, _ path: String) throws -> Bool {
    ModelVersionList([version]).version(fitting: try StoreMetadata.read(path: path)) != nil
  }

  private func infer(
    _ path: String, to version: ModelVersionList.Version, in known: ModelVersionList, _ done: inout Progress
  ) throws {
    // Where the store is may be a version of another stage.
    let list = ModelVersionList(
      done.versions.suffix(1).filter { !known.contains($0) } + known.versions)
    let outcome = try StoreMigrator.migrate(path: path, to: version, in: list)
    done.versions += outcome.route.dropFirst()
    done.removed += outcome.removed
    done.lost += outcome.lost
  }

  private func handle(_ handler: CustomMigrationStage.Handler?, _ path: String, _ version: ModelVersionList.Version)
    throws
  {
    guard let handler else { return }
    let coordinator = PersistentStoreCoordinator(model: version.model)
    do {
      try coordinator.addSQLiteStore(at: path)
      let context = ManagedObjectContext(coordinator: coordinator)
      try handler(context)
      if context.hasChanges { try context.save() }
      try coordinator.close()
    } catch {
      try? coordinator.close()
      throw error
    }
  }
}
