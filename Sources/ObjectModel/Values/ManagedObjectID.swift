/// The name of one record: its store, its entity and its primary key.
///
/// IDs are values: they outlive objects, contexts and the process, and are what tasks hand to each other. An ID is
/// final from the insert on, because the primary key is taken then; an insert that is rolled back leaves a gap.
public struct ManagedObjectID: Hashable, Sendable, CustomStringConvertible {
  /// The store's UUID: 36 characters.
  public let storeUUID: String
  /// The record's own entity, as far as it is known: an ID made from a URI takes the entity that the URI names.
  public let entity: EntityDescription
  /// `Z_PK`: unique among all records below one root entity.
  public let primaryKey: Int64

  /// Creates an ID.
  package init(storeUUID: String, entity: EntityDescription, primaryKey: Int64) {
    self.storeUUID = storeUUID
    self.entity = entity
    self.primaryKey = primaryKey
  }

  /// `x-coredata://UUID/Entity/p17`, as Core Data writes it.
  public var uri: String { "x-coredata://\(storeUUID)/\(entity.name)/p\(primaryKey)" }

  /// The URI.
  public var description: String { uri }

  /// Two IDs are equal when they name the same record, whichever of its entity's ancestors they name.
  public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    left.primaryKey == right.primaryKey && left.entity.rootIndex == right.entity.rootIndex
      && left.storeUUID == right.storeUUID
  }

  /// Feeds store, root entity and primary key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey)
    hasher.combine(entity.rootIndex)
    hasher.combine(storeUUID)
  }
}
