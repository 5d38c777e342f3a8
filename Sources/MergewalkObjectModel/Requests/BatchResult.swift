/// The kind of result of a batch request, beside its success.
public enum BatchResultType: String, Hashable, Sendable, CaseIterable {
  /// Nothing but that the request succeeded.
  case status
  /// How many objects there were.
  case count
  /// The IDs of all objects that the request touched, for merging them into contexts.
  case objectIDs
}

/// The result of a batch request.
///
/// A request that fails throws, so a result always means success. What its ``BatchResultType`` does not ask for is 0 or
/// empty.
public struct BatchResult: Hashable, Sendable {
  /// How many objects are new.
  public var insertedCount = 0
  /// How many objects were written that were there already.
  ///
  /// Insert: how many rows of the request found one, in the store or from an earlier row of the request. Delete: how many
  /// objects lost a reference.
  public var updatedCount = 0
  /// How many objects are gone, those that delete rules took along included.
  public var deletedCount = 0
  /// The IDs of the new objects, in the order of their rows.
  public var insertedObjectIDs: [ManagedObjectID] = []
  /// The IDs of the objects that were there before and that were written, each once; also those at the other end of
  /// relationships.
  public var updatedObjectIDs: [ManagedObjectID] = []
  /// The IDs of the objects that are gone.
  public var deletedObjectIDs: [ManagedObjectID] = []

  /// Creates a result that says nothing.
  public init() {}
}
