import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkSQLite

/// A store that is read as a whole when it is opened and written as a whole by every save, for example with the
/// program's own file format.
///
/// In between, its records are in tables in memory, so contexts fetch from it as from any store.
///
/// Source: Apple's "Atomic Store Programming Topics".
public protocol AtomicStore: AnyObject {
  /// Reads the file: sets `filler.metadata` and passes on every record.
  ///
  /// It is not called if there is no file.
  ///
  /// - Throws: ``StoreError``; nothing is then opened. Use `damagedFile` for invalid contents, and `customStore` for
  ///   other errors of your own.
  func load(from path: String, into filler: StoreFiller) throws(StoreError)

  /// Writes the whole store.
  ///
  /// It is called within the transaction of a save, after its rows are written and before they are committed. A crash
  /// or an error must leave the old file: ``AtomicFile`` ensures that.
  ///
  /// - Throws: ``StoreError``; the save then fails, and nothing has changed.
  func save(_ contents: StoreContents, to path: String) throws(StoreError)

  /// Reads the metadata alone.
  ///
  /// - Throws: ``StoreError`` as ``load(from:into:)``.
  func readMetadata(from path: String) throws(StoreError) -> StoreMetadata

  /// Replaces the metadata in a file that is not open, and leaves everything else unchanged.
  ///
  /// - Throws: ``StoreError`` as ``save(_:to:)``; `unsupported` unless the store implements it.
  func writeMetadata(_ metadata: StoreMetadata, to path: String) throws(StoreError)
}

extension AtomicStore {
  /// Throws `unsupported`.
  public func writeMetadata(_ metadata: StoreMetadata, to path: String) throws(StoreError) {
    throw StoreError(.unsupported, path: path, message: "metadata of such a store cannot be set without opening it")
  }
}

/// Writes the file behind an atomic store whenever a save is about to be committed.
final class AtomicStoreObserver: StoreObserver {
  private let backing: any AtomicStore
  private let path: String
  private var identity: FileIdentity?
  /// Whether the file holds what the transaction that is open writes.
  private var hasWritten = false
  /// Where a save over several stores is written until it is decided (``JointSave``); `nil` for the file's own place.
  private var staged: String?
  /// The content that was written there.
  private(set) var stagedContent: JointJournal.Part.Content?

  init(_ backing: any AtomicStore, path: String) {
    self.backing = backing
    self.path = path
    identity = FileIdentity(path)
  }

  func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    guard !store.isReadOnly else {
      throw StoreError(.readOnly, path: path, message: "the store is open for reading only")
    }
    hasWritten = false
  }

  func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    // A batch request writes rows in several portions, and the file when it is done.
    if store.isInBatchRequest { return }
    try finish(store)
  }

  /// Writes the file.
  func finish(_ store: PersistentStore) throws(StoreError) {
    try write(store, metadata: store.file.metadata)
    hasWritten = true
  }

  func didRollBack(_ store: PersistentStore) {
    guard hasWritten else { return }
    hasWritten = false
    // Another store of the same save failed after this one had its turn. The error of that one is what counts.
    try? write(store, metadata: store.file.metadata)
  }

  /// Replaces the file.
  func write(_ store: PersistentStore, metadata: StoreMetadata) throws(StoreError) {
    guard FileIdentity(path) == identity else {
      throw StoreError(
        .busy, path: path,
        message: "another program changed the file since it was read; add the store again to see its contents now"
      )
    }
    guard let staged else {
      try backing.save(StoreContents(store, metadata: metadata), to: path)
      identity = FileIdentity(path)
      return
    }
    stagedContent = .file(staged, former: identity?.numbers ?? [])
    // It is replaced by one with the same permissions.
    (FileAccess(of: path) ?? .usual).make(staged)
    try backing.save(StoreContents(store, metadata: metadata), to: staged)
    // A file keeps it when it gets another name.
    identity = FileIdentity(staged)
  }

  /// Writes beside the file's place until ``publish()`` or ``unstage()``.
  func stage() { staged = "\(Self.stagedPrefix(path))\(FileSystem.processNumber)-\(StoreUUID.make())" }

  private static func stagedPrefix(_ path: String) -> String {
    StorePath.hiddenPrefix(StorePath.resolved(path)) + "staged-"
  }

  /// Removes what processes that are gone have written beside a file for a save that was never decided.
  static func sweepStaged(_ path: String) {
    // What is decided and could not be made yet needs its file.
    guard !FileSystem.exists(JointJournal.folder(of: ResolvedPath.absolute(StorePath.resolved(path)))) else { return }
    let prefix = stagedPrefix(path)
    let (folder, start) = (FileSystem.folder(of: prefix), FileSystem.name(of: prefix))
    for name in FileSystem.names(in: folder) where name.hasPrefix(start) {
      let digits = name.dropFirst(start.count).prefix { $0.isASCII && $0.isNumber }
      guard let process = Int32(digits), !FileSystem.isRunning(process) else { continue }
      try? FileSystem.remove("\(folder)/\(name)")
    }
  }

  /// Puts what a save over several stores has written in the file's place.
  func publish() throws(StoreError) {
    guard let staged, stagedContent != nil else { return unstage() }
    do throws(StoreError) {
      let path = ResolvedPath.of(path)
      try FileSystem.rename(staged, to: path)
      (self.staged, stagedContent) = (nil, nil)
      try FileSystem.sync(FileSystem.folder(of: path))
    } catch {
      unstage()
      throw error
    }
  }

  /// Gives up what a save over several stores has written and not published.
  func unstage() {
    guard let staged else { return }
    self.staged = nil
    guard stagedContent != nil else { return }
    stagedContent = nil
    hasWritten = false
    try? FileSystem.remove(staged)
    identity = FileIdentity(path)
  }
}

extension PersistentStore {
  /// Hands what a batch request has written to what is behind the store, at the end of its transaction.
  package func finishBatch() throws(StoreError) {
    guard incremental == nil else {
      throw StoreError(.unsupported, path: path, message: "incremental stores take no batch requests")
    }
    for observer in observers {
      if let atomic = observer as? AtomicStoreObserver { try atomic.finish(self) }
    }
  }

  /// Opens an atomic store, or makes it when there is no file or an empty one.
  static func openAtomic(
    _ backing: any AtomicStore, type: PersistentStoreType, path: String, model: ManagedObjectModel,
    configuration: String?, options: PersistentStoreOptions
  ) throws(StoreError) -> PersistentStore {
    JointJournal.complete(ResolvedPath.absolute(StorePath.resolved(path)))
    AtomicStoreObserver.sweepStaged(path)
    let isNew = try FileSystem.sizeIfThere(path) ?? 0 == 0
    guard !isNew || !options.isReadOnly else {
      throw StoreError(.notFound, path: path, message: "there is no file to read")
    }
    let observer = AtomicStoreObserver(backing, path: path)
    let file = try StoreFile.inMemory(path: path, model: model, configuration: configuration, type: type)
    if !isNew {
      let empty = try PersistentStore(file: file, type: type, configuration: configuration, options: options)
      do {
        try empty.fill { filler throws(StoreError) in
          try backing.load(from: path, into: filler)
          try filler.checkMetadata()
        }
      } catch {
        // Stores of a program's own have no type that their bytes tell.
        guard FileStoreMigration.type(path) == type, let metadata = try? backing.readMetadata(from: path),
          StoreModel.fit(model, metadata, .given) == nil,
          let outcome = try migrate(
            path, model: model, configuration: configuration, options: options, differences: error.differences)
        else { throw error }
        let store = try openAtomic(
          backing, type: type, path: path, model: model, configuration: configuration, options: options)
        store.migration = outcome
        return store
      }
    }
    let store = try PersistentStore(file: file, type: type, configuration: configuration, options: options)
    if isNew { try observer.write(store, metadata: file.metadata) }
    store.observers.append(observer)
    try store.refuseWritesIfReadOnly()
    return store
  }

  /// Migrates a store that was made with another version of the model, if the options want that.
  ///
  /// - Returns: What was done and removed; `nil` when nothing was migrated.
  static func migrate(
    _ path: String, model: ManagedObjectModel, configuration: String?, options: PersistentStoreOptions,
    differences: ModelDifferences?
  ) throws(StoreError) -> StoreMigrator.Outcome? {
    guard options.migratesAutomatically, options.infersMapping, !options.isReadOnly else { return nil }
    var migration = StoreMigrator.Options()
    migration.configuration = configuration
    do {
      let outcome = try StoreMigrator.migrate(path: path, to: model, options: migration)
      return outcome.isUpToDate ? nil : outcome
    } catch {
      throw StoreError(
        .incompatibleModel, path: path, message: "the store cannot be migrated: \(error)", differences: differences)
    }
  }

  /// Takes records from elsewhere into the empty tables, all or none.
  func fill(_ body: (StoreFiller) throws(StoreError) -> Void) throws(StoreError) {
    // A store that is being built has one transaction for everything.
    let isOwn = connection.isAutocommit
    if isOwn { try connection.execute("BEGIN") }
    do {
      let filler = try StoreFiller(self, replaces: false)
      try body(filler)
      try filler.finish()
      try file.writeMetadata(filler.metadata)
      try file.writeMaxima(filler.maxima.map { (rootEntity: $0.key, maximum: $0.value) })
      if isOwn { try connection.execute("COMMIT") }
    } catch {
      if isOwn { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// Makes SQLite refuse to write, in a store whose tables are in memory.
  func refuseWritesIfReadOnly() throws(StoreError) {
    guard options.isReadOnly else { return }
    try connection.execute("PRAGMA query_only=ON")
  }
}
