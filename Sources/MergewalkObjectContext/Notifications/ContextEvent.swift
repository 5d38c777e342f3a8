public import MergewalkObjectModel

/// An event in a context, described by IDs: a value that other tasks can use.
///
/// Source: the notifications of Apple's
/// [NSManagedObjectContext](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext).
public struct ContextEvent: Sendable, Hashable {
  /// The kind of event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A save with changes is about to begin; changes that observers make now are saved, too.
    case willSave
    /// A save has written all changes. Updated objects come with the names of the written properties.
    case didSave
    /// Like ``didSave``, without the names.
    case didSaveObjectIDs
    /// Objects were inserted, changed, deleted or refreshed since the last time; see
    /// ``ManagedObjectContext/processPendingChanges()``.
    case objectsDidChange
    /// Changes from elsewhere were merged: those of another context, a batch request, history or another process. Objects
    /// of which only to-many relationships changed count as refreshed.
    case didMergeChanges
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
  /// Deleted objects, or those that the next save deletes.
  public var deletedObjectIDs: [ManagedObjectID] = []
  /// Objects whose values were read again from the store, or will be on use.
  public var refreshedObjectIDs: [ManagedObjectID] = []
  /// Objects whose only saved change is in the members of a to-many relationship stored in the members' rows.
  public var relatedObjectIDs: [ManagedObjectID] = []
  /// Whether all objects became invalid because the context was reset.
  public var isEverythingInvalidated = false
  /// The objects that were alive then.
  public var invalidatedObjectIDs: [ManagedObjectID] = []
  /// The written attributes and to-one relationships of ``updatedObjectIDs``; empty for objects of which only pairs of
  /// many-to-many relationships changed.
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
