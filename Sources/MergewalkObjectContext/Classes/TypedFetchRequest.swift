public import MergewalkObjectModel

/// A fetch request whose objects are of one class.
public struct TypedFetchRequest<Object: ManagedObject>: Sendable {
  /// The request; all of its properties can be changed.
  public var request: FetchRequest

  /// Creates a request for the objects of an entity.
  ///
  /// - Parameters:
  ///   - entityName: The entity's name.
  ///   - predicate: The condition on the objects; `nil` for all.
  ///   - sortDescriptors: Their order.
  public init(
    _ entityName: String, where predicate: ObjectPredicate? = nil, sortedBy sortDescriptors: [ObjectSortDescriptor] = []
  ) {
    request = FetchRequest(entityName, where: predicate, sortedBy: sortDescriptors)
  }

  /// Creates a typed request from any other.
  public init(_ request: FetchRequest) { self.request = request }
}

extension ManagedObjectContext {
  /// The objects that a request finds, in its order.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does, or with `wrongClass` when an object is of another class.
  public func fetch<Object: ManagedObject>(
    _ request: TypedFetchRequest<Object>
  ) throws(ObjectError) -> [Object] {
    try fetch(request.request).allObjects().typed(Object.self) { object throws(ObjectError) in
      _ = try object.asClass(Object.self)
    }
  }

  /// The number of objects that a request finds.
  ///
  /// - Throws: ``ObjectError`` as ``count(for:)`` does.
  public func count<Object: ManagedObject>(for request: TypedFetchRequest<Object>) throws(ObjectError) -> Int {
    try count(for: request.request)
  }
}
