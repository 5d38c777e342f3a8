public import MergewalkObjectModel
import MergewalkObjectStore

/// The names of the lists of a remote save.
public enum RemoteChangeKey: String, Sendable, Hashable, CaseIterable {
  /// New objects.
  case inserted
  /// Objects that were written.
  case updated
  /// Deleted objects.
  case deleted
  /// Objects whose values are to be read again.
  case refreshed
}

/// The contexts of one coordinator that want to hear of what the others save.
final class FollowingContexts {
  private struct Weak {
    weak var context: ManagedObjectContext?
  }
  private var contexts: [Weak] = []

  /// The contexts of a coordinator that do; `nil` when none ever did.
  static func of(_ list: StoreList) -> FollowingContexts? {
    list.companions[ObjectIdentifier(FollowingContexts.self)] as? FollowingContexts
  }

  func add(_ context: ManagedObjectContext) {
    remove(context)
    contexts.append(Weak(context: context))
  }

  func remove(_ context: ManagedObjectContext) {
    contexts.removeAll { $0.context == nil || $0.context === context }
  }

  /// Those that follow a context: what they read from is what it saves to, or the context itself.
  func followers(of context: ManagedObjectContext) -> [ManagedObjectContext] {
    contexts.compactMap(\.context).filter {
      $0 !== context && ($0.parent === context.parent || $0.parent === context)
    }
  }
}

extension ManagedObjectContext {
  /// Updates the context's objects with the changes that another context has saved: like
  /// ``mergeChanges(inserted:updated:deleted:)`` does.
  ///
  /// - Parameter event: A `didSave` of a context with the same stores, on this coordinator or another one with the same
  ///   model.
  /// - Throws: ``ObjectError`` with `otherContext` for objects of other stores, `closed` or `database`.
  public func mergeChanges(from event: ContextEvent) throws(ObjectError) {
    try mergeChanges(
      inserted: event.insertedObjectIDs, updated: event.updatedObjectIDs + event.refreshedObjectIDs,
      deleted: event.deletedObjectIDs, related: event.relatedObjectIDs)
  }

  /// Updates the objects of several contexts with changes from elsewhere: a batch request, persistent history, another
  /// process.
  ///
  /// - Throws: ``ObjectError`` as ``mergeChanges(inserted:updated:deleted:)`` does; contexts before the one that failed
  ///   have merged.
  public static func mergeChanges(
    fromRemoteContextSave changes: [RemoteChangeKey: [ManagedObjectID]], into contexts: [ManagedObjectContext]
  ) throws(ObjectError) {
    for context in contexts {
      try context.mergeChanges(
        inserted: changes[.inserted] ?? [], updated: (changes[.updated] ?? []) + (changes[.refreshed] ?? []),
        deleted: changes[.deleted] ?? [])
    }
  }

  /// Takes note of whether the context follows the others on its coordinator.
  func followOthers() {
    let key = ObjectIdentifier(FollowingContexts.self)
    if automaticallyMergesChangesFromParent {
      let list = FollowingContexts.of(storeList) ?? FollowingContexts()
      storeList.companions[key] = list
      list.add(self)
    } else {
      FollowingContexts.of(storeList)?.remove(self)
    }
  }

  /// Whether another context wants to hear of what this one saves.
  var hasFollowers: Bool { !(FollowingContexts.of(storeList)?.followers(of: self).isEmpty ?? true) }

  /// Brings what was saved to the contexts that follow.
  func mergeIntoFollowers(_ event: ContextEvent) {
    for context in FollowingContexts.of(storeList)?.followers(of: self) ?? [] {
      // The save is done; a context that cannot read the store now meets the same error when it is used.
      try? context.mergeChanges(from: event)
    }
  }
}
