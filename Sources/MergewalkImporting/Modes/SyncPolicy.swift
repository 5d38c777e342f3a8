public import MergewalkObjectModel

/// The treatment of objects that no record of the input names, in the modes `sync` and `replace`.
public struct SyncPolicy: Sendable, Hashable {
  /// The treatment of an object that no record names.
  public enum Deletion: String, Sendable, CaseIterable {
    /// It is deleted, with what delete rules take along.
    case remove
    /// It stays, and its ``SyncPolicy/softDelete`` attribute says that it is gone.
    case mark
  }
  /// The treatment of records whose key cannot be read: any object could be theirs.
  public enum Unreadable: String, Sendable, CaseIterable {
    /// Nothing is deleted.
    case keep
    /// They count for nothing.
    case delete
  }

  /// The treatment of objects that no record names.
  public var deletion = Deletion.remove
  /// Only objects that match may go; `nil` for all of the entity.
  ///
  /// It is asked at the end of the import, of the objects as they are then.
  public var scope: ObjectPredicate?
  /// The text that the scope was read from, with its place; `nil` when code made it.
  public var scopeText: SourceText?
  /// The greatest number of objects that may go; `nil` for any.
  public var limit: Int?
  /// The greatest share (0...1) of the objects in scope that may go; `nil` for any.
  public var ratio: Double?
  /// The attribute, a Boolean or a Date, that says that an object is gone; cleared when a record names the object again.
  public var softDelete: String?
  /// The treatment of records whose key cannot be read.
  public var unreadable = Unreadable.keep
  /// Whether an input without a single good record deletes everything in scope; else it deletes nothing.
  public var allowsEmpty = false
  /// The positions of its options.
  package var places = OptionPlaces()

  /// Creates a policy that deletes everything that no record names.
  public init() {}

  /// What is left of the policy where nothing goes: a record that names an object still clears what says that it is gone.
  var withoutDeletion: SyncPolicy {
    var policy = SyncPolicy()
    policy.softDelete = softDelete
    return policy
  }
}

extension ImportMode {
  /// Whether objects that no record names go.
  public var removesOthers: Bool { self == .sync || self == .replace }
  /// Whether a record whose object is there changes it.
  var updates: Bool { self == .upsert || self == .update || removesOthers }
}
