/// Runs an entity mapping; subclasses override its steps.
///
/// One policy runs one mapping of one migration. The calls come in this order: ``begin(_:manager:)``, for each source
/// object ``createDestinationObjects(for:mapping:manager:)``, ``endObjectCreation(_:manager:)``; when all mappings are
/// done, for each new object ``createRelationships(for:source:mapping:manager:)``,
/// ``endRelationshipCreation(_:manager:)``; then ``performCustomValidation(_:manager:)`` and ``end(_:manager:)``. Any
/// error ends the migration, and the store is unchanged. Objects are saved and released in batches: to find one again,
/// a policy asks the manager.
///
/// Source: Apple, `NSEntityMigrationPolicy`.
open class EntityMigrationPolicy {
  /// Creates a policy.
  public init() {}

  /// The mapping begins.
  open func begin(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Creates the new objects for a source object: one of the mapping's destination entity, with the mapped attributes.
  ///
  /// A subclass must report the objects that it creates itself to ``MigrationManager/associate(_:with:mapping:)``.
  open func createDestinationObjects(
    for source: ManagedObject, mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard let name = mapping.destinationEntity else { return }
    let object = try manager.destinationContext.insert(name)
    try manager.setAttributes(of: object, from: source, mapping: mapping)
    try manager.associate(source, with: object, mapping: mapping.name)
  }

  /// All objects of the mapping exist.
  open func endObjectCreation(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Sets the mapped relationships of a new object.
  open func createRelationships(
    for destination: ManagedObject, source: ManagedObject, mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try manager.setRelationships(of: destination, from: source, mapping: mapping)
  }

  /// All relationships of the mapping are set.
  open func endRelationshipCreation(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Checks rules that a model cannot express.
  open func performCustomValidation(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// The mapping is done.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}
