public import MergewalkObjectModel
public import MergewalkObjectStore

extension PersistentStoreCoordinator {
  /// Makes the objects of an entity, in all contexts on the coordinator, objects of a class.
  ///
  /// Entities below it that are given none have the class too, and two entities may share one. Set classes before
  /// contexts make objects: those that exist keep the class they were made with.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity`, or `wrongClass` when the class does not descend from that of the
  ///   entity's parent, or that of an entity below not from it.
  public func setClass(_ type: ManagedObject.Type, forEntity name: String) throws(ObjectError) {
    try ObjectClasses.shared(list, model: model).set([(name, type)])
  }

  /// Gives classes to entities by name, all or none.
  ///
  /// - Throws: ``ObjectError`` as ``setClass(_:forEntity:)`` does.
  public func setClasses(_ classes: [String: ManagedObject.Type]) throws(ObjectError) {
    try ObjectClasses.shared(list, model: model).set(classes.map { ($0.key, $0.value) })
  }

  /// Gives classes to the entities for which the model names them, or that have the class's name; all or none.
  ///
  /// - Throws: ``ObjectError`` as ``setClass(_:forEntity:)`` does.
  public func setClasses(_ classes: [ManagedObject.Type]) throws(ObjectError) {
    try ObjectClasses.shared(list, model: model).set(classes)
  }
}

extension ManagedObjectContext {
  /// Makes the objects of an entity objects of a class: for contexts over a bare store; others share the classes of
  /// their coordinator.
  ///
  /// See ``MergewalkObjectStore/PersistentStoreCoordinator/setClass(_:forEntity:)``.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` or `wrongClass`.
  public func setClass(_ type: ManagedObject.Type, forEntity name: String) throws(ObjectError) {
    try registry.link.classes.set([(name, type)])
  }

  /// Gives classes to the entities for which the model names them, or that have the class's name; all or none.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` or `wrongClass`.
  public func setClasses(_ classes: [ManagedObject.Type]) throws(ObjectError) {
    try registry.link.classes.set(classes)
  }

  /// The class of an entity's objects.
  public func objectClass(of entity: EntityDescription) -> ManagedObject.Type {
    registry.link.classes.types[entity.index]
  }

  /// Adds an object of the entity that has this class.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` when no entity, or more than one, has it; otherwise as
  ///   ``insert(_:)-(String)`` does.
  public func insert<T: ManagedObject>(_ type: T.Type) throws(ObjectError) -> T {
    try insert(try entity(of: type)).asClass(type)
  }
}
