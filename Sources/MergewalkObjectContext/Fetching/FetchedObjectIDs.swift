public import MergewalkObjectModel
import MergewalkObjectStore

/// The IDs that a fetch found, in order: eight bytes each, four more when their entities differ.
///
/// The result is a value that other tasks can use.
public struct FetchedObjectIDs: RandomAccessCollection, Sendable {
  private enum Content: Sendable {
    /// Records of one store.
    case keys(FetchedKeys, ManagedObjectModel, storeUUID: String)
    /// Records of several stores.
    case list([ManagedObjectID])
  }
  private let content: Content

  init(keys: FetchedKeys, model: ManagedObjectModel, storeUUID: String) {
    content = .keys(keys, model, storeUUID: storeUUID)
  }

  init(list: [ManagedObjectID]) { content = .list(list) }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The number of IDs.
  public var endIndex: Int {
    switch content {
    case .keys(let keys, _, _): keys.count
    case .list(let list): list.count
    }
  }

  /// The ID at a position.
  public subscript(position: Int) -> ManagedObjectID {
    switch content {
    case .keys(let keys, let model, let storeUUID):
      ManagedObjectID(
        storeUUID: storeUUID, entity: model.entities[keys.entity(at: position)], primaryKey: keys.keys[position])
    case .list(let list): list[position]
    }
  }
}

extension FetchedObjectIDs: CustomStringConvertible {
  /// The number of IDs.
  public var description: String { "\(count) object IDs" }
}
