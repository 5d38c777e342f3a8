import MergewalkDiagnostics
package import MergewalkObjectModel
import MergewalkPropertyLists

/// Stores that are made beside another one and take its place.
package enum StoreReplacement {
  /// The path of the store that is made beside another one.
  package static func hiddenPath(of path: String) -> String {
    StorePath.hiddenPrefix(StorePath.resolved(path)) + "migrating"
  }

  /// Removes what a crashed migration left beside a store.
  package static func clear(_ path: String) { StoreBackup.remove(hiddenPath(of: path)) }

  /// Copies a store, with its external data, to its hidden path; no other process may write it meanwhile.
  ///
  /// - Returns: The hidden path.
  package static func copy(_ path: String) throws(MigrationError) -> String {
    let hidden = hiddenPath(of: path)
    clear(path)
    try copy(path, to: hidden).forgetPublished()
    return hidden
  }

  private static func copy(_ path: String, to copy: String) throws(MigrationError) -> StagingFolder {
    try migrationErrors { () throws(StoreError) in
      try ReadableStore.withConnection(path) { connection throws(StoreError) in
        try StoreBackup.copy(connection, store: path, to: copy)
      }
    }
  }

  /// Copies a store, with its external data, to a path where nothing is, and takes the copy back when what it is made for
  /// fails: a store that is as it was needs none, and the same call is made again.
  ///
  /// - Parameters:
  ///   - copy: The path; `nil` for no copy.
  ///   - model: The model that the store was made with; without a store of that model nothing is copied.
  ///   - work: What replaces the store.
  package static func withCopy<Value>(
    of path: String, at copy: String?, from model: ManagedObjectModel, _ work: () throws -> Value
  ) throws -> Value {
    guard let copy else { return try work() }
    guard StoreModel.fit(model, try StoreMetadata.read(path: path), .given) != nil else {
      // What a process that was killed has left is the copy of a store that was replaced.
      StagingFolder.sweep(copy, takesBack: false)
      return try work()
    }
    let file = FileID(StorePath.resolved(path))
    let backup = try self.copy(path, to: copy)
    do {
      let value = try work()
      backup.forgetPublished()
      return value
    } catch {
      if FileID(StorePath.resolved(path)) == file { backup.takeBackPublished() } else { backup.forgetPublished() }
      throw error
    }
  }

  /// Puts the hidden store, with the files beside it, in the place of the other one, in one step, and makes it durable.
  ///
  /// Both must be closed and have no log. Files of the old store that the new one does not have are removed.
  ///
  /// - Returns: The names of such files that stay, sorted: another store has the same folder, or they could not be removed.
  package static func replace(_ path: String) throws(MigrationError) -> [String] {
    let path = StorePath.resolved(path)
    let hidden = hiddenPath(of: path)
    return try migrationErrors { () throws(StoreError) in
      let folder = ExternalData.folder(ofStore: path)
      let files = try ExternalFiles.names(besideStore: hidden).map { name in
        (from: ExternalData.folder(ofStore: hidden) + "/" + name, to: folder + "/" + name)
      }
      try FileSystem.sync(hidden)
      for suffix in ["-wal", "-journal"] {
        if FileSystem.size(path + suffix) ?? 0 > 0 {
          throw StoreError(
            .busy, path: path, message: "the store was changed while it was migrated: it has a \(suffix) file")
        }
        if FileSystem.size(hidden + suffix) ?? 0 > 0 {
          throw StoreError(
            .busy, path: path, message: "another program has the migrated store open: it has a \(suffix) file")
        }
      }
      FileAccess(of: path)?.apply(to: hidden)
      for (file, _) in files { FileAccess.derived(from: path).narrowed(by: FileAccess(of: file)).apply(to: file) }
      let kept = try StoreCopy.replace(path, with: hidden, files)
      for suffix in ["-wal", "-shm"] { try? FileSystem.remove(path + suffix) }
      StoreBackup.removeExternalData(hidden)
      return kept
    }
  }

  /// Gives a store the app's own metadata of another one.
  package static func copyOwnMetadata(from source: StoreMetadata, to path: String, _ model: ManagedObjectModel)
    throws(MigrationError)
  {
    let own = source.entries.filter {
      !$0.key.hasPrefix("NS") && !$0.key.hasPrefix("_NS") && $0.key != ModelCopy.key
    }
    guard !own.isEmpty else { return }
    try migrationErrors { () throws(StoreError) in
      let file = try StoreFile.open(path: path, model: model)
      try file.begin()
      var metadata = file.metadata
      for entry in own { metadata[entry.key] = entry.value }
      try file.writeMetadata(metadata)
      try file.commit()
      try file.finish()
    }
  }
}
