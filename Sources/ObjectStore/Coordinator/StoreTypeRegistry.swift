/// The types of stores that a program brings along, for ``PersistentStoreCoordinator``.
public struct StoreTypeRegistry {
  /// Creates a registry without types.
  public init() {}
}
