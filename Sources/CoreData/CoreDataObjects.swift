public import Foundation
public import MergewalkObjectContext
public import MergewalkObjectModel
public import MergewalkObjectStore

extension ManagedObject {
  /// Apple's initializer: inserts an object of the entity that has this class.
  ///
  /// - Precondition: the class was set for exactly one entity, with `model.register` or `setClasses`, and the entity is
  ///   not abstract; `context.insert(Person.self)` throws instead.
  public convenience init(context: ManagedObjectContext) {
    do throws(ObjectError) { self.init(try context.handleForInsert(Self.self)) } catch {
      preconditionFailure("no object of \(Self.self) can be made: \(error)")
    }
    context.takeIn(self)
  }

  /// The context; `nil` if the object is no longer valid.
  public var managedObjectContext: ManagedObjectContext? { context }

  /// Sets an attribute to a Swift value.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `setValue(_:forKey:)` with an attribute's value does.
  public func setValue<Value: ManagedValue>(_ value: Value, forKey key: String) throws(ObjectError) {
    try setValue(value.attributeValue, forKey: key)
  }

  /// Sets an attribute to a Swift value without calling hooks.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `setPrimitiveValue(_:forKey:)` with an attribute's value does.
  public func setPrimitiveValue<Value: ManagedValue>(_ value: Value, forKey key: String) throws(ObjectError) {
    try setPrimitiveValue(value.attributeValue, forKey: key)
  }
}

extension ManagedObjectID {
  /// Whether the object was never saved.
  public var isTemporaryID: Bool { isTemporary }

  /// The ID as a URL, `x-coredata://UUID/Entity/p17`.
  public func uriRepresentation() -> URL {
    let store = storeUUID.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-"])) ?? ""
    let name = entity.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let key = uri[(uri.lastIndex(of: "/") ?? uri.startIndex)...]
    return URL(string: "x-coredata://\(isTemporary ? "" : store)/\(name)\(key)") ?? URL(fileURLWithPath: "/")
  }
}

extension ManagedObjectContext {
  /// The coordinator.
  public var persistentStoreCoordinator: PersistentStoreCoordinator? { coordinator }

  /// The object with an ID, if the context has it.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? { registeredObject(with: id) }

  /// Runs work with the context immediately, on the thread that created it.
  public func performAndWait<Value, Failure: Error>(_ block: () throws(Failure) -> Value) throws(Failure) -> Value {
    try block()
  }

  /// Runs work with the context immediately, on this thread.
  public func perform(_ block: () -> Void) { block() }

  /// Runs work with the context, on the calling task.
  public func perform<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ block: () throws(Failure) -> Value
  ) async throws(Failure) -> Value { try block() }

  /// The moment at which work begins; here, work begins at once in either case.
  public enum ScheduledTaskType: Sendable {
    case immediate, enqueued
  }

  /// Runs work with the context, on the calling task.
  public func perform<Value, Failure: Error>(
    schedule: ScheduledTaskType, isolation: isolated (any Actor)? = #isolation,
    _ block: () throws(Failure) -> Value
  ) async throws(Failure) -> Value { try block() }

  /// Discards an object's values, or fetches them and keeps the changes.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `refresh(_:mergingChanges:)` does.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(ObjectError) {
    try refresh(object, mergingChanges: mergeChanges)
  }
}

extension EntityDescription {
  /// The entity with a name, `nil` if the context's model has none.
  public static func entity(forEntityName name: String, in context: ManagedObjectContext) -> EntityDescription? {
    context.model.entity(named: name)
  }

  /// Inserts an object of an entity; traps if the model has no such entity, as Core Data does.
  public static func insertNewObject(
    forEntityName name: String, into context: ManagedObjectContext
  ) -> ManagedObject {
    do throws(ObjectError) { return try context.insert(name) } catch {
      preconditionFailure("no object of “\(name)” can be made: \(error)")
    }
  }
}

extension EntityDescription {
  /// The attributes by name.
  public var attributesByName: [String: AttributeDescription] {
    Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
  /// The relationships by name.
  public var relationshipsByName: [String: RelationshipDescription] {
    Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ManagedObjectModel {
  /// The entities by name.
  public var entitiesByName: [String: EntityDescription] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
