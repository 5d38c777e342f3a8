extension StoreMigrator {
  /// Options of a migration.
  public struct Options {
    /// The configuration of the new model; `nil` for the store's present one, or all entities.
    public var configuration: String?
    /// The path of a copy made first, with its external data; `nil` for none.
    public var backupPath: String?
    /// The page cache in KiB.
    public var cacheKiB = 32 * 1024
    /// Called before each step.
    public var progress: ((MigrationProgress) -> Void)?
    /// Called every few thousand SQLite steps to ask whether to stop.
    public var isCancelled: (() -> Bool)?

    /// Creates the default options.
    public init() {}
  }

  /// The outcome of a migration, or of its dry run.
  public struct Outcome: Sendable {
    /// The versions that the store passed through, including the first and the last; empty if the store already fits
    /// the model.
    ///
    /// The ``steps`` then create the indexes that it lacks.
    public var route: [ModelVersionList.Version] = []
    /// The steps, done or planned, one line each.
    public var steps: [String] = []
    /// For plans: the obstacles in the data.
    public var findings: [MigrationFinding] = []
    /// Data that nothing in the new model continues, so that they are removed.
    ///
    /// In plans, what later versions on the way remove has no count, and may be nothing.
    public var removed: [MigrationRemoval] = []
    /// Additions of an app to the file that the migration does not keep; for plans only columns, because the rest shows
    /// when the new tables are there.
    public var lost: [MigrationLoss] = []
    /// The number of files with values beside the store that no row names any more, and that were removed.
    public var removedFiles = 0
    /// The names of such files that stay, sorted: another store has the same folder, or they could not be removed.
    public var keptFiles: [String] = []
    /// The names of the versions in ``route``; versions may share a name.
    public var versions: [String] { route.map(\.name) }
    /// Whether the store already fits the model.
    public var isUpToDate: Bool { route.isEmpty }
  }
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
  /// The current target version.
  public var version: String
  /// Its number on the route, from 1.
  public var versionNumber: Int
  /// The number of versions on the route.
  public var versionCount: Int
  /// The step about to begin, from 1.
  public var step: Int
  /// The number of steps to this version.
  public var stepCount: Int
  /// The step as text.
  public var title: String
}
