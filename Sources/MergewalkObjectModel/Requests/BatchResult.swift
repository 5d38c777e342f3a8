/// The kind of result of a batch request.
public enum BatchResultType: String, Hashable, Sendable, CaseIterable {
  /// Only the success of the request.
  case status
  /// The number of objects.
  case count
  /// The IDs of all objects that the request changed, for merging them into contexts.
  case objectIDs
}

/// The result of a batch request.
///
/// A request that fails throws, so a result always means success. Values that its ``BatchResultType`` does not include
/// are 0 or empty.
public struct BatchResult: Hashable, Sendable {
  /// The number of new objects.
  public var insertedCount = 0
  /// The number of existing objects that were written.
  ///
  /// Insert: the number of rows that found one, in the store or from an earlier row of the request. Delete: the number
  /// of objects that lost a reference.
  public var updatedCount = 0
  /// The number of deleted objects, including those deleted by delete rules.
  public var deletedCount = 0
  /// The IDs of the new objects, in the order of their rows.
  public var insertedObjectIDs: [ManagedObjectID] = []
  /// The IDs of existing objects that were written, each once; including those at the other end of relationships.
  public var updatedObjectIDs: [ManagedObjectID] = []
  /// The IDs of deleted objects.
  public var deletedObjectIDs: [ManagedObjectID] = []

  /// Creates an empty result.
  public init() {}
}
