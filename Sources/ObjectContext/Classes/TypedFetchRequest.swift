public import ObjectModel

/// A fetch request whose objects are of one class.
public struct TypedFetchRequest<Object: ManagedObject> {
  /// The request; everything about it can be changed.
  public var request: FetchRequest

  /// Makes a request for the objects of an entity.
  ///
  /// - Parameters:
  ///   - entityName: The entity's name.
  ///   - predicate: What they have to be like; `nil` for all.
  ///   - sortDescriptors: Their order.
  public init(
    _ entityName: String, where predicate: Predicate? = nil, sortedBy sortDescriptors: [SortDescriptor] = []
  ) {
    request = FetchRequest(entityName, where: predicate, sortedBy: sortDescriptors)
  }

  /// Makes a typed request of any other.
  public init(_ request: FetchRequest) { self.request = request }
}

extension ManagedObjectContext {
  /// The objects that a request finds, in its order.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does, or with `wrongClass` when an object is of another class.
  public func fetch<Object: ManagedObject>(
    _ request: TypedFetchRequest<Object>
  ) throws(ObjectError) -> [Object] {
    var objects: [Object] = []
    for object in try fetch(request.request) {
      guard let typed = object as? Object else {
        throw ObjectError(
          .wrongClass,
          "\(object.objectID) is of class \(type(of: object)), not \(Object.self): set the class of "
            + "\(object.entity.name) before objects are made")
      }
      objects.append(typed)
    }
    return objects
  }

  /// How many objects a request finds.
  ///
  /// - Throws: ``ObjectError`` as ``count(for:)`` does.
  public func count<Object: ManagedObject>(for request: TypedFetchRequest<Object>) throws(ObjectError) -> Int {
    try count(for: request.request)
  }
}
