public import ObjectModel
import ObjectStore

/// The IDs that a fetch found, in order: eight bytes each, four more when their entities differ.
///
/// A value that goes to other tasks.
public struct FetchedObjectIDs: RandomAccessCollection, Sendable {
  private let keys: FetchedKeys
  private let model: ManagedObjectModel
  private let storeUUID: String

  init(keys: FetchedKeys, model: ManagedObjectModel, storeUUID: String) {
    self.keys = keys
    self.model = model
    self.storeUUID = storeUUID
  }

  /// The first place.
  public var startIndex: Int { 0 }
  /// The number of IDs.
  public var endIndex: Int { keys.count }

  /// The ID at a place.
  public subscript(position: Int) -> ManagedObjectID {
    ManagedObjectID(
      storeUUID: storeUUID, entity: model.entities[keys.entity(at: position)], primaryKey: keys.keys[position])
  }
}

extension FetchedObjectIDs: CustomStringConvertible {
  /// The number of IDs.
  public var description: String { "\(count) object IDs" }
}
