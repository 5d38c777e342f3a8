import MergewalkDiagnostics
import Glibc
package import MergewalkObjectModel
import MergewalkPropertyLists
import MergewalkSQLite

/// Stores that are made beside another one and take its place.
package enum StoreReplacement {
  /// The path of the store that is made beside another one: `.NAME.migrating` in the same folder.
  package static func hiddenPath(of path: String) -> String {
    let path = StorePath.resolved(path)
    return "\(FileSystem.folder(of: path))/.\(FileSystem.name(of: path)).migrating"
  }

  /// Removes what a crashed migration left beside a store.
  package static func clear(_ path: String) { StoreBackup.remove(hiddenPath(of: path)) }

  /// Copies a store, with its external data, to its hidden path; no other process may write it meanwhile.
  ///
  /// - Returns: The hidden path.
  package static func copy(_ path: String) throws(MigrationError) -> String {
    let hidden = hiddenPath(of: path)
    clear(path)
    try copy(path, to: hidden)
    return hidden
  }

  /// Copies a store, with its external data, to a path where nothing is.
  package static func copy(_ path: String, to copy: String) throws(MigrationError) {
    try migrationErrors { () throws(StoreError) in
      try ReadableStore.withConnection(path) { connection throws(StoreError) in
        try StoreBackup.copy(connection, store: path, to: copy).forgetPublished()
      }
    }
  }

  /// Puts the hidden store in the place of the other one, in one step, and makes it durable.
  ///
  /// Both must be closed and have no log.
  ///
  /// - Parameter keepsExternalData: Whether rows still name files beside the old store.
  package static func replace(_ path: String, keepsExternalData: Bool) throws(MigrationError) {
    let path = StorePath.resolved(path)
    let hidden = hiddenPath(of: path)
    try migrationErrors { () throws(StoreError) in
      try FileSystem.sync(hidden)
      for suffix in ["-wal", "-journal"] where (FileSystem.size(path + suffix) ?? 0) > 0 {
        throw StoreError(
          .busy, path: path, message: "the store was changed while it was migrated: it has a \(suffix) file")
      }
      FileAccess(of: path)?.apply(to: hidden)
      guard rename(hidden, path) == 0 else {
        throw StoreError(
          .inputOutput, path: path, message: "cannot put the migrated store in its place: error \(errno)")
      }
      for suffix in ["-wal", "-shm"] { try? FileSystem.remove(path + suffix) }
      try FileSystem.sync(FileSystem.folder(of: path))
    }
    if !keepsExternalData { StoreBackup.removeExternalData(path) }
    StoreBackup.removeExternalData(hidden)
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
