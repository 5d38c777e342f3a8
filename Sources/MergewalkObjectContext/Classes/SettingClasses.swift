public import MergewalkObjectModel
public import MergewalkObjectStore

extension PersistentStoreCoordinator {
  /// Sets the class of an entity's objects, in all contexts on the coordinator.
  ///
  /// Entities below it without a class of their own get the class, too, and two entities may share one. Set classes
  /// before contexts create objects: existing objects keep their class.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity`, or `wrongClass` when the class does not descend from that of the
  ///   entity's parent, or when that of an entity below does not descend from it.
  public func setClass(_ type: ManagedObject.Type, forEntity name: String) throws(ObjectError) {
    try ObjectClasses.shared(list, model: model).set([(name, type)])
  }

  /// Sets the classes of entities by name, all or none.
  ///
  /// - Throws: ``ObjectError`` as ``setClass(_:forEntity:)`` does.
  public func setClasses(_ classes: [String: ManagedObject.Type]) throws(ObjectError) {
    try ObjectClasses.shared(list, model: model).set(classes.map { ($0.key, $0.value) })
  }

  /// Sets the classes of the entities that name them in the model, or that have the class's name; all or none.
  ///
  /// - Throws: ``ObjectError`` as ``setClass(_:forEntity:)`` does.
  public func setClasses(_ classes: [ManagedObject.Type]) throws(ObjectError) {
    try ObjectClasses.shared(list, model: model).set(classes)
  }
}

extension ManagedObjectContext {
  /// Sets the class of an entity's objects for contexts over a bare store; others share the classes of their
  /// coordinator.
  ///
  /// See ``MergewalkObjectStore/PersistentStoreCoordinator/setClass(_:forEntity:)``.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` or `wrongClass`.
  public func setClass(_ type: ManagedObject.Type, forEntity name: String) throws(ObjectError) {
    try registry.link.classes.set([(name, type)])
  }

  /// Sets the classes of the entities that name them in the model, or that have the class's name; all or none.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` or `wrongClass`.
  public func setClasses(_ classes: [ManagedObject.Type]) throws(ObjectError) {
    try registry.link.classes.set(classes)
  }

  /// The class of an entity's objects.
  public func objectClass(of entity: EntityDescription) -> ManagedObject.Type {
    registry.link.classes.types[entity.index]
  }

  /// Inserts an object of the entity that has this class.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` when no entity, or more than one, has it; otherwise as
  ///   ``insert(_:)-(String)`` does.
  public func insert<T: ManagedObject>(_ type: T.Type) throws(ObjectError) -> T {
    try insert(try entity(of: type)).asClass(type)
  }
}
