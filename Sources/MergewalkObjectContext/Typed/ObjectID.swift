public import MergewalkObjectModel

/// The ID of an object together with its class, to be passed between tasks.
///
/// ```swift
/// let id = ObjectID(issue)
/// try await container.write { context in try context.object(with: id).title = "Fix login" }
/// ```
public struct ObjectID<Object: ManagedObject>: Sendable, Hashable, CustomStringConvertible {
  /// The ID without the class.
  public let objectID: ManagedObjectID

  /// The ID of an object; temporary until its first save.
  public init(_ object: Object) { objectID = object.objectID }

  /// Wraps an ID whose object is known to be of the class; otherwise using it throws `wrongClass`.
  public init(_ id: ManagedObjectID) { objectID = id }

  /// The ID as a URI.
  public var description: String { "\(objectID)" }
}

extension ManagedObjectContext {
  /// The object with an ID, without querying the store: like ``object(with:)-(ManagedObjectID)``.
  ///
  /// - Throws: ``ObjectError`` with `otherContext`, or `wrongClass`.
  public func object<Object: ManagedObject>(with id: ObjectID<Object>) throws(ObjectError) -> Object {
    try object(with: id.objectID).asClass(Object.self)
  }

  /// The object with an ID; `nil` when neither store nor context has such a record, or when it is deleted here.
  ///
  /// - Throws: ``ObjectError``.
  public func existingObject<Object: ManagedObject>(with id: ObjectID<Object>) throws(ObjectError) -> Object? {
    guard let object = try existingObject(with: id.objectID) else { return nil }
    return try object.asClass(Object.self)
  }
}
