public import MergewalkObjectModel

/// Something that happened in a context, told by IDs: a value for other tasks.
///
/// Source: the notifications of Apple's
/// [NSManagedObjectContext](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext).
public struct ContextEvent: Sendable, Hashable {
  /// The kind of event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A save with something to do is about to begin; what observers change now is saved too.
    case willSave
    /// A save wrote everything. Updated objects come with the names of what was written.
    case didSave
    /// As ``didSave``, without the names.
    case didSaveObjectIDs
    /// Objects were inserted, changed, deleted or refreshed since the last time; see
    /// ``ManagedObjectContext/processPendingChanges()``.
    case objectsDidChange
  }

  /// The kind of event.
  public var kind: Kind
  /// The name of the context.
  public var contextName: String?
  /// The context's `transactionAuthor`.
  public var transactionAuthor: String?
  /// New objects, after a save with their final IDs.
  public var insertedObjectIDs: [ManagedObjectID] = []
  /// Objects with other values or pairs.
  public var updatedObjectIDs: [ManagedObjectID] = []
  /// Objects that are gone, or go with the next save.
  public var deletedObjectIDs: [ManagedObjectID] = []
  /// Objects whose values came from the store anew, or will when they are used.
  public var refreshedObjectIDs: [ManagedObjectID] = []
  /// Objects of which a save changed nothing but the members of a to-many relationship whose other ends are in the members'
  /// rows.
  public var relatedObjectIDs: [ManagedObjectID] = []
  /// Whether all objects became invalid, as the context was reset.
  public var isEverythingInvalidated = false
  /// The attributes and to-one relationships of ``updatedObjectIDs`` that were written; empty for objects of which only
  /// pairs of many-to-many relationships changed.
  public var changedKeys: [ManagedObjectID: Set<String>] = [:]

  init(_ kind: Kind, _ context: ManagedObjectContext) {
    self.kind = kind
    contextName = context.name
    transactionAuthor = context.transactionAuthor
  }

  /// Whether no object is named.
  public var isEmpty: Bool {
    insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty && refreshedObjectIDs.isEmpty
      && !isEverythingInvalidated
  }

  /// The same without names of what was written.
  var withoutKeys: ContextEvent {
    var event = self
    event.kind = .didSaveObjectIDs
    event.changedKeys = [:]
    return event
  }
}
