import MergewalkDiagnostics
import MergewalkSQLite

/// An SQLite store as the files that it consists of: the database, its log and the folder with external data.
enum SQLiteStoreFiles {
  /// The suffixes of the files that SQLite puts beside a database.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  /// Removes a store that no process has open.
  static func remove(_ path: String) throws(StoreError) {
    let path = StorePath.resolved(path)
    try FileSystem.requireReplaceable(path)
    if FileSystem.exists(path) { try requireAlone(path) }
    JointJournal.forget(path)
    for suffix in suffixes { try FileSystem.remove(path + suffix) }
    try FileSystem.remove(path)
    // Another store of the same name has its files in the same folder.
    guard !StoresOfSameName.mayBeThere(beside: path) else { return }
    try FileSystem.removeTree(FileSystem.folder(of: ExternalData.folder(ofStore: path)))
  }

  /// Puts a copy of a store in the place of another one that no process has open.
  ///
  /// - Returns: As ``StoreCopy/replace(_:with:_:)``.
  static func replace(_ path: String, with source: String) throws(StoreError) -> [String] {
    let path = StorePath.resolved(path)
    let source = try StorePath.existing(source)
    try FileSystem.requireReplaceable(path)
    _ = try StoreMetadata.read(path: source)
    if FileSystem.exists(path) { try requireAlone(path) }
    let staging = try StagingFolder(forStore: path)
    let copy = staging.file("copy.sqlite")
    FileAccess.derived(from: source).narrowed(by: FileAccess(of: path)).make(copy)
    let connection = try Connection.open(source, .readWrite)
    // A copy of one moment, with everything that the log holds.
    let statement = try connection.prepare("VACUUM INTO ?")
    statement.bind(1, text: copy)
    try statement.run()
    try connection.close()
    let made = try Connection.open(copy, .readWrite)
    _ = try made.text("PRAGMA journal_mode=WAL")
    try made.close()
    try FileSystem.sync(copy)
    let files = try StoreCopy.stageExternalData(of: source, to: path, staging: staging)
    JointJournal.forget(path)
    for suffix in suffixes { try FileSystem.remove(path + suffix) }
    return try withExtendedLifetime(staging) { () throws(StoreError) in try StoreCopy.replace(path, with: copy, files) }
  }

  /// Checks that no connection has a database open, and moves its log into it.
  private static func requireAlone(_ path: String) throws(StoreError) {
    do throws(StoreError) { _ = try DatabaseHeader(path) } catch {
      // What is no database is open in none.
      guard error.code == .notADatabase || error.code == .otherStoreType else { throw error }
      return
    }
    let connection = try Connection.open(path, .readWrite)
    connection.setBusyTimeout(milliseconds: 200)
    try connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    try connection.close()
  }
}
