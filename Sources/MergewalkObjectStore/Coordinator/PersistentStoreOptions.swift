/// Options for opening a store.
///
/// Source: Apple's "Store Options" of `NSPersistentStoreCoordinator`.
public struct PersistentStoreOptions: Sendable, Hashable {
  /// Whether to open the file read-only and refuse saves that would change the store.
  public var isReadOnly = false
  /// The time that a statement waits for another connection's lock, in seconds.
  public var timeout: Double = 2
  /// The page cache in KiB.
  public var cacheKiB = 8 * 1024
  /// SQLite settings that override the project's, in this order; names and values are checked, not quoted.
  public var pragmas: [Pragma] = []
  /// Whether to open the store even if its version hashes differ from the model's.
  ///
  /// Its tables and columns must still exist.
  public var ignoresVersioning = false
  /// Whether to rebuild an SQLite file without free pages when it is opened.
  public var vacuums = false
  /// Whether SQLite collects statistics of its indexes when the file is opened, for better plans.
  public var analyzes = false
  /// Whether to record every transaction in the store's persistent history.
  public var tracksHistory = false
  /// The size in bytes above which values of attributes with external storage go into files beside an SQLite store.
  ///
  /// Files beside a store are read regardless of this setting.
  public var externalDataThreshold = 100 * 1024
  /// Whether to migrate a store of another version of the model when it is opened.
  public var migratesAutomatically = false
  /// Whether the migration may be inferred from the versions, without a mapping model (`StoreMigrator`).
  public var infersMapping = false

  /// One SQLite setting.
  public struct Pragma: Sendable, Hashable {
    /// The name, such as `synchronous`.
    public var name: String
    /// The value, such as `NORMAL`.
    public var value: String

    /// Creates a setting.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates the default options.
  public init() {}
}
