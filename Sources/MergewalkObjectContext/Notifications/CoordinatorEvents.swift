public import MergewalkObjectStore

/// An event that concerns a coordinator's stores.
///
/// Source: Apple's `NSPersistentStoreCoordinatorStoresDidChange` and `NSPersistentStoreRemoteChange`.
public struct CoordinatorEvent: Sendable, Hashable {
  /// The kind of event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A store was added or removed.
    case storesDidChange
    /// Another process, or another coordinator, has written a store's file.
    case remoteChange
  }

  /// The kind of event.
  public var kind: Kind
  /// The UUID of the store.
  public var storeUUID: String
  /// The path that the store was opened with.
  public var path: String
  /// Whether the coordinator has the store now.
  public var isPresent = true
}

extension PersistentStoreCoordinator {
  /// Calls a closure for each event of some kinds, until the token is released.
  ///
  /// Changes by others are noticed when a context of the coordinator begins to save, and by ``processRemoteChanges()``.
  public func observe(
    _ kinds: CoordinatorEvent.Kind..., body: @escaping (CoordinatorEvent) -> Void
  ) -> ObservationToken {
    let events = listeners()
    events.startWatching(list)
    return events.observers.observe(Set(kinds), body)
  }

  /// The future events of some kinds, for any one task; the sequence ends with the coordinator.
  public func events(of kinds: Set<CoordinatorEvent.Kind>) -> AsyncStream<CoordinatorEvent> {
    let events = listeners()
    events.startWatching(list)
    return events.observers.stream(kinds)
  }

  /// Checks whether others have written the stores' files since the last time, and notifies observers of
  /// `remoteChange`.
  ///
  /// - Complexity: One statement per store; nothing without observers.
  public func processRemoteChanges() { CoordinatorEvents.of(list)?.noticeRemoteChanges(list) }

  private func listeners() -> CoordinatorEvents {
    if let events = CoordinatorEvents.of(list) { return events }
    let made = CoordinatorEvents()
    list.companions[ObjectIdentifier(CoordinatorEvents.self)] = made
    return made
  }
}

/// Who listens to what happens to a coordinator's stores.
final class CoordinatorEvents: StoreListObserver {
  let observers = EventObservers<CoordinatorEvent.Kind, CoordinatorEvent>()
  /// By the stores' UUIDs: SQLite's number of the last version of another connection that was seen.
  private var versions: [String: Int64] = [:]

  /// Those of a coordinator; `nil` until an observer is added.
  static func of(_ list: StoreList) -> CoordinatorEvents? {
    list.companions[ObjectIdentifier(CoordinatorEvents.self)] as? CoordinatorEvents
  }

  /// Takes note of what the stores are like now, as far as that is not known yet.
  func startWatching(_ list: StoreList) {
    for store in list.stores where versions[store.identifier] == nil {
      versions[store.identifier] = Self.version(store)
    }
  }

  func noticeRemoteChanges(_ list: StoreList) {
    guard observers.wants(.remoteChange) else { return }
    for store in list.stores {
      guard let version = Self.version(store) else { continue }
      let known = versions.updateValue(version, forKey: store.identifier)
      guard let known, known != version else { continue }
      observers.post(
        .remoteChange, CoordinatorEvent(kind: .remoteChange, storeUUID: store.identifier, path: store.path))
    }
  }

  func storeListChanged(_ store: PersistentStore, isPresent: Bool) {
    versions[store.identifier] = isPresent ? Self.version(store) : nil
    observers.post(
      .storesDidChange,
      CoordinatorEvent(
        kind: .storesDidChange, storeUUID: store.identifier, path: store.path, isPresent: isPresent))
  }

  /// A number that moves when another connection has written the file; `nil` when the store cannot be asked.
  private static func version(_ store: PersistentStore) -> Int64? {
    guard store.type == .sqlite, store.isOpen else { return nil }
    return try? store.dataVersion()
  }
}
