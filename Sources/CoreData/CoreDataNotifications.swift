// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
public import MergewalkObjectContext
import MergewalkObjectModel
public import MergewalkObjectStore

/// The IDs of new objects in a notification; Apple's `NSInsertedObjectIDsKey`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The IDs of changed objects in a notification; Apple's `NSUpdatedObjectIDsKey`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The IDs of deleted objects in a notification; Apple's `NSDeletedObjectIDsKey`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The IDs of refreshed objects in a notification; Apple's `NSRefreshedObjectIDsKey`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The IDs of all objects, which became invalid by a reset; Apple's `NSInvalidatedAllObjectsKey`.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The generation that a context which is pinned to one shows after a save; Apple's
/// `NSManagedObjectContextQueryGenerationKey`.
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

/// The UUID of the store that others have changed; Apple's `NSStoreUUIDKey`.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The URL of the store that others have changed; Apple's `NSPersistentStoreURLKey`.
public let NSPersistentStoreURLKey = "storeURL"
/// The end of the history of the store that others have changed, if it has one; Apple's `NSPersistentHistoryTokenKey`.
public let NSPersistentHistoryTokenKey = "historyToken"

extension Notification.Name {
  /// Others have changed a store; see ``NSStoreUUIDKey``, ``NSPersistentStoreURLKey`` and ``NSPersistentHistoryTokenKey``.
  public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
  /// A context is about to save.
  public static let NSManagedObjectContextWillSave = Notification.Name("NSManagingContextWillSaveChangesNotification")
  /// A context has saved; objects are under ``NSInsertedObjectsKey`` and the related keys.
  public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
  /// A context has saved; IDs are under ``NSInsertedObjectIDsKey`` and the related keys.
  public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")
  /// A context has merged changes from elsewhere; IDs are under ``NSInsertedObjectIDsKey`` and the related keys.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
  /// Objects of a context have changed.
  public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
    "NSObjectsChangedInManagingContextNotification")
}

extension PersistentStoreCoordinator {
  /// Posts the changes that others make to its stores, until the token is released, like the coordinator of an
  /// ``NSPersistentContainer`` whose store has the option ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``.
  ///
  /// They are noticed when a context begins to save, and by `processRemoteChanges()`.
  public func postRemoteChanges(to center: NotificationCenter = .default) -> ObservationToken {
    observe(.remoteChange) { [weak self] event in
      guard let self else { return }
      var info: [AnyHashable: Any] = [
        NSStoreUUIDKey: event.storeUUID, NSPersistentStoreURLKey: URL(fileURLWithPath: event.path),
      ]
      // A store without history has none.
      if let store = stores.first(where: { $0.identifier == event.storeUUID }),
        let token = try? store.currentHistoryToken()
      {
        info[NSPersistentHistoryTokenKey] = token
      }
      center.post(name: .NSPersistentStoreRemoteChange, object: self, userInfo: info)
    }
  }
}

extension ManagedObjectContext {
  /// Apple's name of the notification.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  /// Apple's name of the notification.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  /// Apple's name of the notification.
  public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
  /// Apple's name of the notification.
  public static let didMergeChangesObjectIDsNotification = Notification.Name
    .NSManagedObjectContextDidMergeChangesObjectIDs
  /// Apple's name of the notification.
  public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange

  /// Posts the context's events as notifications, on its thread, until the token is released, like the contexts of an
  /// ``NSPersistentContainer``.
  public func postNotifications(to center: NotificationCenter = .default) -> ObservationToken {
    observe(.willSave, .didSave, .objectsDidChange, .didMergeChanges) { [weak self] event in
      guard let self else { return }
      switch event.kind {
      case .willSave: center.post(name: .NSManagedObjectContextWillSave, object: self)
      case .objectsDidChange:
        center.post(name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo(event))
      case .didSave, .didSaveObjectIDs:
        var (info, ids) = (userInfo(event), idInfo(event))
        if let queryGeneration {
          info[NSManagedObjectContextQueryGenerationKey] = queryGeneration
          ids[NSManagedObjectContextQueryGenerationKey] = queryGeneration
        }
        center.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: info)
        center.post(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: ids)
      case .didMergeChanges:
        center.post(name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: idInfo(event))
      }
    }
  }

  /// The IDs of an event.
  private func idInfo(_ event: ContextEvent) -> [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [
      NSInsertedObjectIDsKey: Set(event.insertedObjectIDs), NSUpdatedObjectIDsKey: Set(event.updatedObjectIDs),
      NSDeletedObjectIDsKey: Set(event.deletedObjectIDs),
    ]
    if !event.refreshedObjectIDs.isEmpty { info[NSRefreshedObjectIDsKey] = Set(event.refreshedObjectIDs) }
    return info
  }

  /// The objects of an event; those that cannot be had any more are left out.
  private func userInfo(_ event: ContextEvent) -> [AnyHashable: Any] {
    if event.isEverythingInvalidated { return [NSInvalidatedAllObjectsKey: event.invalidatedObjectIDs] }
    func objects(_ ids: [ManagedObjectID]) -> Set<ManagedObject> {
      Set(ids.compactMap { id in registeredObject(with: id) ?? (try? object(with: id)) })
    }
    let lists: [(RemoteChangeKey, [ManagedObjectID])] = [
      (NSInsertedObjectsKey, event.insertedObjectIDs), (NSUpdatedObjectsKey, event.updatedObjectIDs),
      (NSDeletedObjectsKey, event.deletedObjectIDs), (NSRefreshedObjectsKey, event.refreshedObjectIDs),
    ]
    var info: [AnyHashable: Any] = [:]
    for (key, ids) in lists where !ids.isEmpty { info[key] = objects(ids) }
    return info
  }

  /// Updates the context's objects from the notification of a save, with either objects or IDs.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `mergeChanges(inserted:updated:deleted:)` does.
  public func mergeChanges(fromContextDidSave notification: Notification) throws(ObjectError) {
    try Self.mergeChanges(fromRemoteContextSave: notification.userInfo ?? [:], into: [self])
  }

  /// Updates the objects of several contexts with changes from elsewhere: lists or sets of objects, IDs or URIs.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `mergeChanges(inserted:updated:deleted:)` does; contexts
  ///   before the one that failed have merged.
  public static func mergeChanges(
    fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [ManagedObjectContext]
  ) throws(ObjectError) {
    for context in contexts {
      func ids(_ keys: AnyHashable...) -> [ManagedObjectID] {
        keys.flatMap { key in elements(changes[key]).compactMap { context.objectID(any: $0) } }
      }
      try context.mergeChanges(
        inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
        updated: ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey),
        deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
    }
  }

  private static func elements(_ list: Any?) -> [Any] {
    switch list {
    case let ids as Set<ManagedObjectID>: Array(ids)
    case let objects as Set<ManagedObject>: Array(objects)
    case let list as [Any]: list
    default: []
    }
  }

  private func objectID(any element: Any) -> ManagedObjectID? {
    switch element {
    case let id as ManagedObjectID: id
    case let object as ManagedObject: object.objectID
    case let url as URL: coordinator?.objectID(forURI: url.absoluteString)
    default: nil
    }
  }
}
