public import Foundation
public import MergewalkObjectContext
public import MergewalkObjectModel

/// The result types of requests; Apple's `NSFetchRequestResult`.
public protocol NSFetchRequestResult {}

extension ManagedObject: NSFetchRequestResult {}
extension ManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// Apple's name of the kinds of results.
public typealias NSFetchRequestResultType = FetchRequest.ResultType

extension FetchRequest.ResultType {
  /// Apple's `NSFetchRequestResultType.managedObjectResultType`.
  public static var managedObjectResultType: Self { .objects }
  /// Apple's `NSFetchRequestResultType.managedObjectIDResultType`.
  public static var managedObjectIDResultType: Self { .objectIDs }
  /// Apple's `NSFetchRequestResultType.dictionaryResultType`.
  public static var dictionaryResultType: Self { .dictionaries }
  /// Apple's `NSFetchRequestResultType.countResultType`.
  public static var countResultType: Self { .count }
}

/// Apple's `NSExpressionDescription`: an expression computed by a request for dictionaries.
public final class NSExpressionDescription {
  /// The key of its value in dictionaries.
  public var name = ""
  /// The expression; it is required.
  public var expression: NSExpression?
  /// The type of its values; ``MergewalkObjectModel/AttributeType/undefined`` for the type that follows from the expression.
  public var expressionResultType = NSAttributeType.undefined
  /// The same as ``expressionResultType``.
  public var resultType: NSAttributeType {
    get { expressionResultType }
    set { expressionResultType = newValue }
  }

  /// Creates an empty description.
  public init() {}
}

/// Apple's `NSFetchRequest`: for the objects of a class, for `NSManagedObjectID`, `NSDictionary` or `NSNumber`, or for
/// `NSFetchRequestResult`, whose type depends on `resultType`.
///
/// What ``MergewalkObjectModel/FetchRequest`` has with the same name and type is a property here too: `fetchLimit`, `fetchOffset`,
/// `fetchBatchSize`, `resultType`, `includesSubentities`, and the others.
@dynamicMemberLookup
public final class NSFetchRequest<ResultType> {
  /// The request itself.
  public var request: FetchRequest

  /// Creates a request for the objects of an entity.
  public init(entityName: String) {
    request = FetchRequest(entityName)
    if ResultType.self == ManagedObjectID.self { request.resultType = .managedObjectIDResultType }
    if ResultType.self == NSDictionary.self { request.resultType = .dictionaryResultType }
    if ResultType.self == NSNumber.self { request.resultType = .countResultType }
  }

  /// Wraps a request.
  init(_ request: FetchRequest) { self.request = request }

  /// Creates a request whose entity is set later.
  public convenience init() { self.init(entityName: "") }

  /// A property that the request has with the same name and type.
  public subscript<Value>(dynamicMember path: WritableKeyPath<FetchRequest, Value>) -> Value {
    get { request[keyPath: path] }
    set { request[keyPath: path] = newValue }
  }

  /// The entity's name.
  public var entityName: String { request.entityName }
  /// The entity; reading returns the value that was set.
  public var entity: NSEntityDescription? {
    didSet { request.entityName = entity?.name ?? request.entityName }
  }
  /// The condition on the objects; `nil` fetches all.
  public var predicate: NSPredicate? {
    get { request.predicate.map { NSPredicate($0) } }
    set { request.predicate = newValue?.predicate }
  }
  /// Their order.
  public var sortDescriptors: [NSSortDescriptor]? {
    get { request.sortDescriptors }
    set { request.sortDescriptors = newValue ?? [] }
  }
  /// The relationships whose objects are fetched, too.
  public var relationshipKeyPathsForPrefetching: [String]? {
    get { request.relationshipKeyPathsForPrefetching }
    set { request.relationshipKeyPathsForPrefetching = newValue ?? [] }
  }
  /// The values in dictionaries: names of properties, descriptions of properties, ``NSExpressionDescription``.
  ///
  /// - Precondition: the elements are of these types.
  public var propertiesToFetch: [Any]? {
    didSet { request.propertiesToFetch = (propertiesToFetch ?? []).map(FetchedValue.init(any:)) }
  }
  /// The values to group dictionaries by.
  ///
  /// - Precondition: the elements are of the types of ``propertiesToFetch``.
  public var propertiesToGroupBy: [Any]? {
    didSet { request.propertiesToGroupBy = (propertiesToGroupBy ?? []).map(FetchedValue.init(any:)) }
  }
  /// The stores to query; `nil` for all.
  public var affectedStores: [NSPersistentStore]? {
    didSet { request.affectedStores = affectedStores?.map(\.identifier) }
  }
  /// The condition on groups.
  public var havingPredicate: NSPredicate? {
    get { request.havingPredicate.map { NSPredicate($0) } }
    set { request.havingPredicate = newValue?.predicate }
  }

  /// The results in a context.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch, with `wrongClass` where a result is not of the request's
  ///   type.
  func results(in context: ManagedObjectContext) throws(ObjectError) -> [ResultType] {
    var request = request
    // An array has all its objects: batches would only be more statements.
    request.fetchBatchSize = 0
    let found: [Any] =
      switch try context.execute(request) {
      case .objects(let objects): context.array(of: objects)
      case .objectIDs(let ids): Array(ids)
      case .dictionaries(let rows):
        rows.map { row in NSDictionary(dictionary: row.dictionary.compactMapValues(\.anyValue)) }
      case .count(let count): [NSNumber(value: count)]
      }
    var results: [ResultType] = []
    results.reserveCapacity(found.count)
    for element in found {
      guard let result = element as? ResultType else {
        throw ObjectError(
          .wrongClass,
          "a request for \(ResultType.self) finds \(type(of: element)) of \(entityName): set its resultType, or register the "
            + "class with the model")
      }
      results.append(result)
    }
    return results
  }
}

extension FetchedValue {
  fileprivate init(any value: Any) {
    switch value {
    case let name as String: self = .property(name)
    case let attribute as AttributeDescription: self = .property(attribute.name)
    case let relationship as RelationshipDescription: self = .property(relationship.name)
    case let expression as NSExpressionDescription:
      self = .expression(
        ExpressionDescription(
          name: expression.name, expression: expression.expression ?? .constant(.null),
          resultType: expression.expressionResultType))
    default: preconditionFailure("a value of type \(type(of: value)) is not a property that a request can fetch")
    }
  }
}

extension ManagedObjectContext {
  /// Fetches the results of a request, in its order.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch, with `wrongClass` if a result is not of the
  ///   request's type.
  public func fetch<Result>(_ request: NSFetchRequest<Result>) throws(ObjectError) -> [Result] {
    try request.results(in: self)
  }

  /// The number of objects that a request finds.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch.
  public func count<Result>(for request: NSFetchRequest<Result>) throws(ObjectError) -> Int {
    try count(for: request.request)
  }
}

extension ManagedObjectModel {
  /// The request of a template, whose variables have no values yet; `nil` if there is no template of this name.
  ///
  /// - Throws: `PredicateError` if the template's predicate is not valid.
  public func fetchRequestTemplate(
    forName name: String
  ) throws(PredicateError) -> NSFetchRequest<any NSFetchRequestResult>? {
    guard let template = fetchRequestTemplate(named: name) else { return nil }
    return NSFetchRequest(try FetchRequest(template: template))
  }

  /// The request of a template with values for its variables; `nil` if there is no template of this name.
  ///
  /// - Precondition: the values are possible in a predicate.
  /// - Throws: `PredicateError` if the template's predicate is not valid, or a variable has no value.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) throws(PredicateError) -> NSFetchRequest<any NSFetchRequestResult>? {
    let values = variables.mapValues { NSPredicate.constant($0, "a variable") }
    return try fetchRequest(fromTemplate: name, substituting: values).map { NSFetchRequest($0) }
  }
}

/// Apple's `NSAsynchronousFetchRequest`, carried out at once, as all work of a context.
public final class NSAsynchronousFetchRequest<ResultType> {
  /// The request itself.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// Called with the result.
  public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

  /// Wraps a request.
  public init(
    fetchRequest: NSFetchRequest<ResultType>,
    completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) { (self.fetchRequest, self.completionBlock) = (fetchRequest, completionBlock) }
}

/// Apple's `NSAsynchronousFetchResult`.
public struct NSAsynchronousFetchResult<ResultType> {
  /// The request.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// The objects, or what else was found.
  public let finalResult: [ResultType]?
}

extension ManagedObjectContext {
  /// Fetches the results of a request, and calls its block before it returns.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch; the block is not called then.
  @discardableResult
  public func execute<Result>(
    _ request: NSAsynchronousFetchRequest<Result>
  ) throws(ObjectError) -> NSAsynchronousFetchResult<Result> {
    let result = NSAsynchronousFetchResult(
      fetchRequest: request, finalResult: try request.fetchRequest.results(in: self))
    request.completionBlock?(result)
    return result
  }
}
