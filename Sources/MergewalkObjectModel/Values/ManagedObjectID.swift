/// The identity of a record: its store, its entity and its primary key.
///
/// IDs are values: they outlive objects, contexts and the process, and tasks pass them to each other. A record that was
/// never saved has a temporary ID, which its first save, or `obtainPermanentIDs`, replaces.
public struct ManagedObjectID: Hashable, Sendable, CustomStringConvertible {
  /// The store's UUID: 36 characters.
  public let storeUUID: String
  /// The record's own entity, as far as it is known: an ID made from a URI has the entity named in the URI.
  public let entity: EntityDescription
  /// `Z_PK`, unique among all records below one root entity in the store; negative in a temporary ID.
  public let primaryKey: Int64
  /// Whether ``entity`` is the record's own entity for certain; an ID made from a URI may name an ancestor.
  package let isExact: Bool

  package init(storeUUID: String, entity: EntityDescription, primaryKey: Int64, isExact: Bool = true) {
    self.isExact = isExact
    self.storeUUID = storeUUID
    self.entity = entity
    self.primaryKey = primaryKey
  }

  /// Whether the record was never saved: the ID is valid only in its contexts, and the first save replaces it.
  public var isTemporary: Bool { primaryKey < 0 }

  /// `x-coredata://UUID/Entity/p17`, as Core Data writes it; `x-coredata:///Entity/t1` for a temporary ID.
  public var uri: String {
    isTemporary
      ? "x-coredata:///\(entity.name)/t\(ManagedObjectID.number(ofTemporaryKey: primaryKey))"
      : "x-coredata://\(storeUUID)/\(entity.name)/p\(primaryKey)"
  }

  /// The first of the keys that stand for records that were never saved.
  ///
  /// As unsigned numbers they come after all others, in the order in which they were given out.
  package static let firstTemporaryKey = Int64.min

  /// The number of a temporary key, from 1.
  package static func number(ofTemporaryKey key: Int64) -> UInt64 { UInt64(bitPattern: key &- firstTemporaryKey) + 1 }

  /// The URI.
  public var description: String { uri }

  /// Two IDs are equal if they identify the same record, even if they name different ancestors of its entity.
  public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    left.primaryKey == right.primaryKey && left.entity.root == right.entity.root
      && left.storeUUID == right.storeUUID
  }

  /// Hashes store, root entity and primary key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey)
    hasher.combine(entity.root)
    hasher.combine(storeUUID)
  }
}
