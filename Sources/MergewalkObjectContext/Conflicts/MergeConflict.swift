public import MergewalkObjectModel

/// A record changed or deleted here and, since it was fetched, also by another context or process; one deleted here to
/// which others have begun to refer; or one whose deletion was undone here, and that is in the store again.
///
/// Snapshots have the stored attributes and the to-one relationships, as IDs, by name; to-many relationships are not
/// among them. A context reads rows from the store, so there is no cache between the two that could be stale: the
/// cached snapshot has the values that the context fetched, the persisted one those that the store has now.
///
/// Source: Apple, [NSMergeConflict](https://developer.apple.com/documentation/coredata/nsmergeconflict).
public struct MergeConflict: Sendable, Hashable, CustomStringConvertible {
  /// The record.
  public let objectID: ManagedObjectID
  /// The version that the context fetched; 0 for a record that is to be inserted.
  public let oldVersion: Int64
  /// The version in the store; 0 when the record was deleted there.
  public let newVersion: Int64
  /// The values that the save wanted to write; `nil` when it wanted to delete the record.
  public let objectSnapshot: [String: ConstantValue]?
  /// The values that the context fetched.
  public let cachedSnapshot: [String: ConstantValue]
  /// The values in the store; `nil` when the record was deleted there.
  public let persistedSnapshot: [String: ConstantValue]?
  /// The records that others made refer to a record deleted here; the delete rules did not see them.
  public internal(set) var referringIDs: [ManagedObjectID] = []

  /// For example, `Order 17: version 3 here, 4 in the store`.
  public var description: String {
    if !referringIDs.isEmpty {
      let names = referringIDs.prefix(3).map { "\($0.entity.name) \($0.primaryKey)" }.joined(separator: ", ")
      let more = referringIDs.count > 3 ? " and \(referringIDs.count - 3) more" : ""
      return "\(objectID.entity.name) \(objectID.primaryKey): deleted here, referred to in the store by \(names)\(more)"
    }
    if oldVersion == 0, newVersion != 0 {
      return "\(objectID.entity.name) \(objectID.primaryKey): inserted here, in the store already"
    }
    let found = newVersion == 0 ? "deleted in the store" : "version \(newVersion) in the store"
    return "\(objectID.entity.name) \(objectID.primaryKey): version \(oldVersion) here, \(found)"
  }
}

/// Records that would have the same values in properties that must be unique.
///
/// Source: Apple, [NSConstraintConflict](https://developer.apple.com/documentation/coredata/nsconstraintconflict).
public struct ConstraintConflict: Sendable, Hashable, CustomStringConvertible {
  /// The names of the properties that must be unique together.
  public let constraint: [String]
  /// Their values.
  public let constraintValues: [String: ConstantValue]
  /// The stored record that has the values; `nil` when only records of this save have them.
  public let databaseObjectID: ManagedObjectID?
  /// The values of that record in the store.
  public let databaseSnapshot: [String: ConstantValue]?
  /// The records of the save that have the values: changed ones first, then new ones in the order of their inserts.
  public let conflictingObjectIDs: [ManagedObjectID]
  /// The values of these records.
  public let conflictingSnapshots: [[String: ConstantValue]]

  /// For example, `Desk: number = 4: stored record 17, new 3`.
  public var description: String {
    let values = constraint.map { "\($0) = \(constraintValues[$0].map(Self.text) ?? "null")" }.joined(separator: ", ")
    var records = databaseObjectID.map { ["stored record \($0.primaryKey)"] } ?? []
    records += conflictingObjectIDs.map {
      $0.isTemporary ? "new \(ManagedObjectID.number(ofTemporaryKey: $0.primaryKey))" : "\($0.primaryKey)"
    }
    let name = (conflictingObjectIDs.first ?? databaseObjectID)?.entity.name ?? ""
    return "\(name): \(values): \(records.joined(separator: ", "))"
  }

  private static func text(_ value: ConstantValue) -> String {
    switch value {
    case .attribute(let value): "\(value)"
    case .objectID(let id): "\(id)"
    default: "\(value)"
    }
  }
}
