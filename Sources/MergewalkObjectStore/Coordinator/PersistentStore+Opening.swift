import MergewalkObjectModel
import MergewalkSQLite

extension PersistentStore {
  /// Opens an SQLite store as coordinators do, or makes it when there is no file.
  static func openSQLite(
    _ path: String, model: ManagedObjectModel, configuration: String?, options: PersistentStoreOptions
  ) throws(StoreError) -> PersistentStore {
    let path = StorePath.resolved(path)
    if !options.isReadOnly, !FileSystem.exists(path) {
      do {
        try StoreFile.create(path: path, model: model, configuration: configuration).finish()
      } catch {
        // Another process may have made it meanwhile.
        guard error.code == .alreadyExists, FileSystem.exists(path) else { throw error }
      }
    }
    var migration: StoreMigrator.Outcome?
    let file = try openFile(path, model: model, configuration: configuration, options: options, migration: &migration)
    let store = try PersistentStore(file: file, type: .sqlite, configuration: configuration, options: options)
    store.migration = migration
    return store
  }

  /// Opens the file, migrated first when it was made with another version of the model and the options want that.
  private static func openFile(
    _ path: String, model: ManagedObjectModel, configuration: String?, options: PersistentStoreOptions,
    migration: inout StoreMigrator.Outcome?
  ) throws(StoreError) -> StoreFile {
    do {
      return try StoreFile.openShared(path: path, model: model, configuration: configuration, options: options)
    } catch {
      guard error.code == .incompatibleModel,
        let outcome = try migrate(
          path, model: model, configuration: configuration, options: options, differences: error.differences)
      else { throw error }
      migration = outcome
      return try StoreFile.openShared(path: path, model: model, configuration: configuration, options: options)
    }
  }

  /// Closes the store; closing twice does nothing.
  func close() throws(StoreError) {
    guard !connection.isClosed else { return }
    // What the store lacks of a save is for whoever opens it next.
    owedSave = nil
    try file.finish()
  }
}
