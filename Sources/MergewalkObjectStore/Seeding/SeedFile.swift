import MergewalkBytes
package import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkSQLite

/// Turns a store that was filled into default data that can be shipped: the same contents give the same bytes.
///
/// What is left of how the store came about goes: its random UUID is replaced by one made of the contents, the pages
/// are laid out anew without gaps, bytes of values that were replaced are nowhere in them, and the journal mode is the
/// one in which a file can be read from a place that cannot be written, such as an app's bundle.
package enum SeedFile {
  /// What tells the data of a store.
  package struct Mark: Sendable, Hashable {
    /// The mark in the metadata.
    package var seed: StoreSeed
    package var uuid: String
  }

  package struct Result: Sendable {
    package var mark: Mark
    /// The file's size in bytes.
    package var bytes: Int
    /// The names of files of a store that was replaced that stay, sorted, though no row of this one names them.
    package var keptFiles: [String] = []
  }

  /// Makes the file and gives it its name in one step, when all of it is on the disk.
  ///
  /// - Parameters:
  ///   - source: The filled store in the staging folder, closed; no other process may have it open.
  ///   - path: The final path.
  ///   - isPacked: Whether the store was filled as ``StoreFile/isPacked`` says.
  ///   - identity: Which data they are, in the user's words.
  ///   - replaces: Whether an existing store is replaced.
  /// - Throws: ``StoreError`` with `alreadyExists`, `inputOutput` or `sqlite`; nothing is at the path then, or what
  ///   was.
  /// - Complexity: O(bytes of the store), read and written once more; memory is SQLite's page cache.
  package static func publish(
    _ source: String, in staging: StagingFolder, to path: String, isPacked: Bool, identity: String, replaces: Bool
  ) throws(StoreError) -> Result {
    let path = StorePath.resolved(path)
    try FileSystem.requireReplaceable(path)
    let sealed = staging.file("sealed.sqlite")
    var result = try seal(
      source, to: sealed, isPacked: isPacked, access: FileAccess(of: path) ?? .usual, identity: identity)
    try FileSystem.sync(sealed)
    let files = try StoreCopy.stageExternalData(of: source, to: path, staging: staging)
    if replaces, FileSystem.exists(path) {
      // A log of the old store would be played into the new one.
      try requireNoLog(path)
      result.keptFiles = try StoreCopy.replace(path, with: sealed, files)
    } else {
      try publish(sealed, with: files, as: path, staging)
    }
    return result
  }

  /// Gives a new store and the files beside it their names for good, or takes them back: a command that fails leaves
  /// nothing.
  static func publish(
    _ file: String, with files: StoreCopy.Moves, as path: String, _ staging: StagingFolder
  ) throws(StoreError) {
    try requireFree(path)
    try staging.note(published: files + [(from: file, to: path)])
    do throws(StoreError) {
      try StoreCopy.place(files)
      try requireNoLog(path)
      try FileSystem.renameExclusively(file, to: path)
      try FileSystem.sync(FileSystem.folder(of: path))
    } catch {
      staging.takeBackPublished()
      throw error
    }
  }

  /// Writes the contents of a filled store, marked and without gaps, into a new file.
  ///
  /// - Parameters:
  ///   - source: The filled store, closed; no other process may have it open. It may become the new file.
  ///   - sealed: The path of the new file.
  ///   - isPacked: Whether the store was filled as ``StoreFile/isPacked`` says, so that it is laid out already.
  /// - Throws: ``StoreError`` with `inputOutput` or `sqlite`.
  package static func seal(
    _ source: String, to sealed: String, isPacked: Bool, access: FileAccess, identity: String
  ) throws(StoreError) -> Result {
    let connection = try Connection.open(source, .readWrite)
    // No other process has the store open, so that the log needs no index in a file. The store leaves write-ahead mode
    // here. The connection that VACUUM opens takes “secure_delete” of the mark over: no page then holds rests of another
    // one.
    try connection.execute(
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=FILE; PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY")
    let mark = try mark(connection, identity: identity)
    if isPacked, try connection.integer("PRAGMA freelist_count") == 0 {
      try connection.close()
      access.apply(to: source)
      try FileSystem.rename(source, to: sealed)
    } else {
      access.make(sealed)
      let vacuum = try connection.prepare("VACUUM INTO ?")
      vacuum.bind(1, text: sealed)
      try vacuum.run()
      try connection.close()
    }
    return Result(mark: mark, bytes: FileSystem.size(sealed) ?? 0)
  }

  /// Marks the data of an open store, whose UUID becomes one made of them.
  ///
  /// - Parameter connection: The store, in rollback mode, with a lock; all of it is committed, so that its pages are what
  ///   the file has.
  /// - Complexity: O(bytes of the store).
  static func mark(_ connection: Connection, identity: String) throws(StoreError) -> Mark {
    // Nothing stays of the metadata that are replaced.
    try connection.execute("PRAGMA secure_delete=ON")
    var metadata = try StoreMetadata.read(connection)
    let contents = try ContentDigest.compute(connection, hashes: metadata.hashes)
    let seed = StoreSeed(identity: identity, digest: Hexadecimal.text(contents))
    metadata.uuid = uuid(contents: contents, identity: identity)
    metadata.addSeed(seed)
    try metadata.write(connection)
    return Mark(seed: seed, uuid: metadata.uuid)
  }

  /// Stores that hold the same under the same name are the same store.
  private static func uuid(contents: [UInt8], identity: String) -> String {
    let digest = DigestStream()
    digest.add(text: "mergewalk store 1")
    contents.withUnsafeBytes { digest.add($0) }
    digest.add(text: identity)
    return StoreUUID.make(fromDigest: digest.finish())
  }

  /// Checks that what is at a path may be replaced by a store.
  package static func requireReplaceable(_ path: String) throws(StoreError) {
    try FileSystem.requireReplaceable(StorePath.resolved(path))
  }

  /// Checks that a store can be made at a path: there is neither a file nor the log of an earlier one.
  package static func requireFree(_ path: String) throws(StoreError) {
    let path = StorePath.resolved(path)
    guard !FileSystem.exists(path) else {
      throw StoreError(.alreadyExists, path: path, message: "there is a file already")
    }
    try requireNoLog(path)
  }

  private static func requireNoLog(_ path: String) throws(StoreError) {
    for suffix in ["-wal", "-journal"] where (FileSystem.size(path + suffix) ?? 0) > 0 {
      throw StoreError(
        .alreadyExists, path: path,
        message: "there is a \(suffix) file of an earlier store; remove it, or open and close that store")
    }
  }
}
