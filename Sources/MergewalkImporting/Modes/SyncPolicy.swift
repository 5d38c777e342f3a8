public import MergewalkObjectModel

/// The treatment of objects that no record of the input names, in the modes `sync` and `replace`.
public struct SyncPolicy: Sendable, Hashable {
  /// The treatment of an object that no record names.
  public enum Deletion: String, Sendable, CaseIterable {
    /// It is deleted, together with the objects that delete rules delete.
    case remove
    /// It stays, and its ``SyncPolicy/softDelete`` attribute marks it as gone.
    case mark
  }
  /// The treatment of records whose key cannot be read: any object could be theirs.
  public enum Unreadable: String, Sendable, CaseIterable {
    /// Nothing is deleted.
    case keep
    /// Such records are ignored.
    case delete
  }

  /// The treatment of objects that no record names.
  public var deletion = Deletion.remove
  /// The condition on objects that may be deleted; `nil` for all of the entity.
  ///
  /// It is evaluated at the end of the import, with the final values.
  public var scope: ObjectPredicate?
  /// The text of the scope, with its position; `nil` when code created it.
  public var scopeText: SourceText?
  /// The maximum number of objects to delete, with those that delete rules delete with them; `nil` for any.
  public var limit: Int?
  /// The maximum share (0...1) of the objects in scope to delete; `nil` for any.
  public var ratio: Double?
  /// The attribute, a Boolean or a Date, that marks an object as gone; cleared when a record names the object again.
  public var softDelete: String?
  /// The treatment of records whose key cannot be read.
  public var unreadable = Unreadable.keep
  /// Whether an input without a single valid record deletes everything in scope; otherwise it deletes nothing.
  public var allowsEmpty = false
  package var places = OptionPlaces()

  /// Creates a policy that deletes everything that no record names.
  public init() {}

  /// The rest of the policy if nothing is deleted: a record that names an object still clears the mark that it is gone.
  var withoutDeletion: SyncPolicy {
    var policy = SyncPolicy()
    policy.softDelete = softDelete
    return policy
  }
}

extension ImportMode {
  /// Whether objects that no record names are removed.
  public var removesOthers: Bool { self == .sync || self == .replace }
  /// Whether a record whose object exists changes it.
  var updates: Bool { self == .upsert || self == .update || removesOthers }
}
