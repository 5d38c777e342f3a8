package import MergewalkObjectModel
import MergewalkSQLite

extension PersistentStore {
  /// Runs `body` with a store that is only read, and leaves no trace beside it.
  ///
  /// A write-ahead log beside the store is read too, also while another process writes it; `body` sees the state of one
  /// moment in each statement. The store that `body` gets must not be kept.
  ///
  /// - Parameter model: The store's model; `nil` for the copy that the store carries.
  /// - Throws: ``StoreError`` as ``StoreModel/find(path:explicit:)``, `missingTable`, `missingColumn`.
  package static func withReadableStore<Value>(
    _ path: String, model: ManagedObjectModel? = nil, _ body: (PersistentStore) -> Value
  ) throws(StoreError) -> Value {
    try ReadableStore.withConnection(path) { connection throws(StoreError) in
      let found = try StoreModel.find(connection, explicit: model, path: path)
      return body(try PersistentStore(reading: connection, path: path, model: found))
    }
  }

  /// The same for a store whose model was found before.
  package static func withReadableStore<Value>(
    _ path: String, _ model: StoreModel, _ body: (PersistentStore) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try ReadableStore.withConnection(path) { connection throws(StoreError) in
      try body(try PersistentStore(reading: connection, path: path, model: model))
    }
  }

  /// A store over a connection that only reads and that the caller closes.
  ///
  /// - Throws: ``StoreError`` with `missingTable`, `missingColumn`, or about the metadata.
  convenience init(reading connection: Connection, path: String, model: StoreModel) throws(StoreError) {
    guard let expected = StoreSchema(model: model.model, configuration: model.configuration) else {
      throw StoreError(.incompatibleModel, path: path, message: "the model lacks the store's configuration")
    }
    let file = StoreFile(
      path: path, schema: try expected.adapted(to: connection), metadata: try StoreMetadata.read(connection),
      connection: connection, warnings: [], undo: .nothing, pendingIndexes: [])
    try self.init(file: file)
  }
}
