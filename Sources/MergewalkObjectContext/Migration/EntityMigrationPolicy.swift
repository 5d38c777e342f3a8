/// Runs an entity mapping; subclasses change what they need to.
///
/// One policy runs one mapping of one migration. The calls come in this order: ``begin(_:manager:)``, for each source object
/// ``createDestinationObjects(for:mapping:manager:)``, ``endObjectCreation(_:manager:)``; when all mappings are through,
/// for each new object ``createRelationships(for:source:mapping:manager:)``, ``endRelationshipCreation(_:manager:)``;
/// then ``performCustomValidation(_:manager:)`` and ``end(_:manager:)``. Whatever is thrown ends the migration, and the store
/// is as before. Objects are saved and let go in batches: a policy that wants to find one again asks the manager.
///
/// Source: Apple, `NSEntityMigrationPolicy`.
open class EntityMigrationPolicy {
  /// Creates a policy.
  public init() {}

  /// The mapping begins.
  open func begin(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Makes the new objects of a source object: one of the mapping's destination entity, with the mapped attributes.
  ///
  /// What a subclass makes itself it must tell to ``MigrationManager/associate(_:with:mapping:)``.
  open func createDestinationObjects(
    for source: ManagedObject, mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard let name = mapping.destinationEntity else { return }
    let object = try manager.destinationContext.insert(name)
    try manager.setAttributes(of: object, from: source, mapping: mapping)
    try manager.associate(source, with: object, mapping: mapping.name)
  }

  /// All objects of the mapping are there.
  open func endObjectCreation(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Sets the mapped relationships of a new object.
  open func createRelationships(
    for destination: ManagedObject, source: ManagedObject, mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try manager.setRelationships(of: destination, from: source, mapping: mapping)
  }

  /// All relationships of the mapping are there.
  open func endRelationshipCreation(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Checks what no model can say.
  open func performCustomValidation(_ mapping: EntityMapping, manager: MigrationManager) throws {}

  /// The mapping is done.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}
