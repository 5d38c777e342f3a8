public import MergewalkObjectModel

/// The complete contents of a store, for an atomic store that writes it as a whole.
public struct StoreContents {
  let store: PersistentStore
  /// The metadata, with everything that belongs in the file.
  public let metadata: StoreMetadata

  init(_ store: PersistentStore, metadata: StoreMetadata? = nil) {
    self.store = store
    self.metadata = metadata ?? store.file.metadata
  }

  /// The model.
  public var model: ManagedObjectModel { store.model }

  /// The root entities that the store has, in the model's order.
  public var rootEntities: [EntityDescription] { store.schema.tables.map { model.entities[$0.rootEntity.index] } }

  /// The greatest primary key ever assigned below a root entity; it must be kept, so that no key is used twice.
  public func maximum(of root: EntityDescription) -> Int64 { store.maximum(root: root.root) }

  /// Calls `body` for every record: root entity by root entity, each by primary key.
  ///
  /// - Throws: The error of `body`, or ``StoreError`` with `sqlite`.
  /// - Complexity: One pass over the tables; memory for one record.
  public func forEachObject(_ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    for table in store.schema.tables { try StoredObject(store, root: table.rootEntity).forEach(body) }
  }
}

@available(*, unavailable, message: "contents are confined to the task of their store")
extension StoreContents: Sendable {}
