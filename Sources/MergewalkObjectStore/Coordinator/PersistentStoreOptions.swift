/// How a coordinator opens a store.
///
/// Source: Apple's "Store Options" of `NSPersistentStoreCoordinator`.
public struct PersistentStoreOptions: Sendable, Hashable {
  /// Whether saves that would change the store are refused, and the file is opened for reading.
  public var isReadOnly = false
  /// How long a statement waits for another connection's lock, in seconds.
  public var timeout: Double = 2
  /// The page cache in KiB.
  public var cacheKiB = 8 * 1024
  /// Settings of SQLite that override the project's, in this order; names and values are checked, not quoted.
  public var pragmas: [Pragma] = []
  /// Whether the store is opened although its version hashes are not the model's.
  ///
  /// Its tables and columns must be there all the same.
  public var ignoresVersioning = false
  /// Whether an SQLite file is rebuilt without free pages when it is opened.
  public var vacuums = false
  /// Whether SQLite counts how many different values its indexes have when the file is opened, for better plans.
  public var analyzes = false
  /// Whether every transaction is recorded in the store's persistent history.
  public var tracksHistory = false
  /// The size in bytes above which values of attributes that allow it go into files beside an SQLite store.
  ///
  /// Files beside a store are read whatever this says.
  public var externalDataThreshold = 100 * 1024
  /// Whether a store that was made with another version of the model is migrated when it is opened.
  public var migratesAutomatically = false
  /// Whether that may be done by what the versions say, without a mapping model (`StoreMigrator`).
  public var infersMapping = false

  /// One setting of SQLite.
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

  /// The defaults.
  public init() {}
}
