public import MergewalkObjectModel

/// A record by entity and primary key, without its store.
public struct StoredReference: Sendable, Hashable {
  /// The record's own entity, or one of its ancestors.
  public var entity: EntityDescription
  /// Its `Z_PK`: above 0, and unique among all records below one root entity.
  public var primaryKey: Int64

  /// Creates a reference.
  public init(_ entity: EntityDescription, _ primaryKey: Int64) {
    self.entity = entity
    self.primaryKey = primaryKey
  }

  /// Two are equal if they name the same record, even with different ancestors of its entity.
  public static func == (left: StoredReference, right: StoredReference) -> Bool {
    left.primaryKey == right.primaryKey && left.entity.root == right.entity.root
  }

  /// Hashes root entity and primary key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey)
    hasher.combine(entity.root)
  }
}
