public import Foundation
public import MergewalkObjectContext
public import MergewalkObjectModel
public import MergewalkObjectStore

extension ManagedObject {
  /// Apple's initializer: inserts an object of the entity that has this class.
  ///
  /// - Precondition: exactly one entity was given the class, with `model.register` or `setClasses`, and it has objects;
  ///   `context.insert(Person.self)` throws instead.
  public convenience init(context: ManagedObjectContext) {
    do throws(ObjectError) { self.init(try context.handleForInsert(Self.self)) } catch {
      preconditionFailure("no object of \(Self.self) can be made: \(error)")
    }
    context.takeIn(self)
  }

  /// The context; `nil` when the object is not valid any more.
  public var managedObjectContext: ManagedObjectContext? { context }

  /// Sets an attribute to a value of a Swift type.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `setValue(_:forKey:)` of an attribute's value does.
  public func setValue<Value: ManagedValue>(_ value: Value, forKey key: String) throws(ObjectError) {
    try setValue(value.attributeValue, forKey: key)
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

  /// Runs work with the context, which is on the thread that made it: at once.
  public func performAndWait<Value, Failure: Error>(_ block: () throws(Failure) -> Value) throws(Failure) -> Value {
    try block()
  }

  /// Runs work with the context, on this thread: at once.
  public func perform(_ block: () -> Void) { block() }

  /// Runs work with the context, on the task that asks.
  public func perform<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ block: () throws(Failure) -> Value
  ) async throws(Failure) -> Value { try block() }

  /// Forgets what is known of an object's values, or fetches them and keeps the changes.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as `refresh(_:mergingChanges:)` does.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(ObjectError) {
    try refresh(object, mergingChanges: mergeChanges)
  }
}

extension EntityDescription {
  /// The entity of a name, `nil` when the context's model has none.
  public static func entity(forEntityName name: String, in context: ManagedObjectContext) -> EntityDescription? {
    context.model.entity(named: name)
  }

  /// Makes an object of an entity; stops the program where the model has none of the name, as Core Data does.
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
