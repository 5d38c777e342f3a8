package import MergewalkObjectModel

/// Migrates stores that are one file, XML or binary, by way of an SQLite store beside them.
///
/// The records go into an SQLite store of the old version, which is migrated as every one is, and from there into the
/// file, which is replaced in one step. The store keeps its identity, so IDs of objects go on naming them.
package struct FileStoreMigration {
  private let path: String
  private let type: PersistentStoreType
  private let metadata: StoreMetadata
  /// The SQLite store: what migrates works on this.
  package let sqlitePath: String
  /// The copy that this migration has made; `nil` when it was there before, or when there is none.
  private let ownCopy: String?

  /// The type of a store's file, by its first bytes; SQLite for everything that is neither XML nor a property list.
  package static func type(_ path: String) -> PersistentStoreType {
    FileSystem.head(path, count: 64).flatMap { PersistentStoreType(head: $0) } ?? .sqlite
  }

  /// The metadata of a store of any of these types.
  package static func metadata(_ path: String) throws(StoreError) -> StoreMetadata {
    guard let backing = StoreTypeRegistry().atomicStore(type(path)) else { return try StoreMetadata.read(path: path) }
    return try backing.readMetadata(from: path)
  }

  /// Puts the records of a store into an SQLite store beside it.
  ///
  /// - Parameters:
  ///   - model: The model that the store was made with.
  ///   - backupPath: Where a copy of the file is put first; `nil` for none.
  package init(_ path: String, from model: ManagedObjectModel, backupPath: String?) throws(StoreError) {
    self.path = StorePath.resolved(path)
    type = Self.type(path)
    metadata = try Self.metadata(path)
    sqlitePath = StoreReplacement.hiddenPath(of: path) + ".sqlite"
    var made: String?
    if let backupPath {
      guard let size = FileSystem.size(path), let bytes = FileSystem.head(path, count: size), bytes.count == size else {
        throw StoreError(.inputOutput, path: path, message: "the file cannot be read, so there would be no copy of it")
      }
      // A migration that did not come to its end has left the same copy.
      guard !FileSystem.exists(backupPath) || FileSystem.head(backupPath, count: size + 1) == bytes else {
        throw StoreBackup.taken(backupPath)
      }
      if !FileSystem.exists(backupPath) { made = backupPath }
      try AtomicFile.replace(backupPath) { file throws(StoreError) in try file.write(bytes) }
    }
    ownCopy = made
    abandon()
    let coordinator = PersistentStoreCoordinator(model: model)
    var options = PersistentStoreOptions()
    options.isReadOnly = true
    do {
      let configuration = StoreModel.fit(model, metadata, .given)?.configuration
      let store = try coordinator.addStore(type: type, at: path, configuration: configuration, options: options)
      try coordinator.migratePersistentStore(store, to: sqlitePath, type: .sqlite)
      try coordinator.close()
    } catch {
      giveUp()
      throw error
    }
  }

  /// Writes the migrated records to the file.
  ///
  /// - Parameter model: The model that the SQLite store has now.
  package func finish(_ model: ManagedObjectModel) throws(StoreError) {
    defer { abandon() }
    guard let backing = StoreTypeRegistry().atomicStore(type) else { return }
    let configuration = StoreModel.fit(model, try StoreMetadata.read(path: sqlitePath), .given)?.configuration
    let coordinator = PersistentStoreCoordinator(model: model)
    let migrated = try coordinator.addStore(type: .sqlite, at: sqlitePath, configuration: configuration)
    let file = try StoreFile.inMemory(path: path, model: model, configuration: configuration, type: type)
    let store = try PersistentStore(file: file, type: type, configuration: configuration)
    try store.takeAll(of: migrated)
    try coordinator.close()
    var fresh = file.metadata
    fresh.uuid = metadata.uuid
    try backing.save(StoreContents(try store.reopened(), metadata: fresh), to: path)
  }

  private func abandon() { StoreBackup.remove(sqlitePath) }

  /// Ends a migration that has failed: a store that is as it was needs no copy.
  package func giveUp() {
    abandon()
    guard let ownCopy, let size = FileSystem.size(ownCopy), let bytes = FileSystem.head(ownCopy, count: size),
      FileSystem.head(path, count: size + 1) == bytes
    else { return }
    try? FileSystem.remove(ownCopy)
  }
}

extension StoreMigrator {
  static func migrateFile(
    _ path: String, to version: ModelVersionList.Version, in versions: ModelVersionList, options: Options
  ) throws(MigrationError) -> Outcome {
    let metadata = try migrationErrors { () throws(StoreError) in try FileStoreMigration.metadata(path) }
    if let fitting = StoreModel.fit(version.model, metadata, .given),
      options.configuration == nil || options.configuration == fitting.configuration
    {
      return Outcome()
    }
    let copy = metadata[ModelCopy.key].flatMap(ModelCopy.model).map { ModelVersionList.Version($0) }
    guard
      let start = versions.version(fitting: metadata)
        ?? copy.flatMap({ ModelVersionList([$0]).version(fitting: metadata) })
    else { throw versions.noneFits(path) }
    let migration = try migrationErrors { () throws(StoreError) in
      try FileStoreMigration(path, from: start.model, backupPath: options.backupPath)
    }
    do throws(MigrationError) {
      var inner = options
      inner.backupPath = nil
      var outcome = try migrate(path: migration.sqlitePath, to: version, in: versions, options: inner)
      try migrationErrors { () throws(StoreError) in try migration.finish(version.model) }
      // They were beside the SQLite store only.
      (outcome.removedFiles, outcome.keptFiles) = (0, [])
      return outcome
    } catch {
      migration.giveUp()
      throw error
    }
  }
}
