public import Foundation
public import MergewalkObjectContext
public import MergewalkObjectModel

// Batch requests as Apple's code sets them up: objects whose properties are set one by one.

/// Apple's name of ``BatchResult``, which all three requests give.
public typealias NSBatchDeleteResult = NSBatchResult
/// Apple's name of ``BatchResult``, which all three requests give.
public typealias NSBatchInsertResult = NSBatchResult
/// Apple's name of ``BatchResult``, which all three requests give.
public typealias NSBatchUpdateResult = NSBatchResult

/// The result of a batch request.
public struct NSBatchResult: Sendable, Hashable {
  /// The requested kind of result.
  public let resultType: BatchResultType
  /// The counts and IDs.
  public let batch: BatchResult
  private let ids: [ManagedObjectID]
  private let count: Int

  fileprivate init(_ type: BatchResultType, _ batch: BatchResult, _ ids: [ManagedObjectID], _ count: Int) {
    resultType = type
    self.batch = batch
    self.ids = ids
    self.count = count
  }

  /// A `Bool`, an `Int` or `[NSManagedObjectID]`, depending on the type of the result.
  public var result: Any? {
    switch resultType {
    case .status: true
    case .count: count
    case .objectIDs: ids
    }
  }

  /// The IDs of deleted objects.
  public var deletedObjectIDs: [NSManagedObjectID] { batch.deletedObjectIDs }
  /// The IDs of updated objects.
  public var updatedObjectIDs: [NSManagedObjectID] { batch.updatedObjectIDs }
  /// The IDs of new objects.
  public var insertedObjectIDs: [NSManagedObjectID] { batch.insertedObjectIDs }
}

extension BatchResultType {
  /// Apple's name of ``status``: whether the request succeeded.
  public static var resultTypeStatusOnly: BatchResultType { .status }
  /// Apple's name of ``count``: the number of objects.
  public static var resultTypeCount: BatchResultType { .count }
  /// Apple's name of ``objectIDs``: the IDs of the objects.
  public static var resultTypeObjectIDs: BatchResultType { .objectIDs }
  /// Apple's name of ``status``: whether the request succeeded.
  public static var statusOnly: BatchResultType { .status }
  /// Apple's name of ``status``: whether the request succeeded.
  public static var statusOnlyResultType: BatchResultType { .status }
  /// Apple's name of ``count``: the number of objects.
  public static var updatedObjectsCountResultType: BatchResultType { .count }
  /// Apple's name of ``objectIDs``: the IDs of the objects.
  public static var updatedObjectIDsResultType: BatchResultType { .objectIDs }
}

/// Apple's `NSBatchDeleteRequest`.
public final class NSBatchDeleteRequest {
  /// The request itself.
  public var request: BatchDeleteRequest
  /// The kind of result.
  public var resultType: BatchResultType {
    get { request.resultType }
    set { request.resultType = newValue }
  }

  /// The stores whose objects are deleted; `nil` for all.
  public var affectedStores: [NSPersistentStore]? {
    didSet { request.affectedStores = affectedStores?.map(\.identifier) }
  }

  /// Creates a request that deletes the objects found by another request in the store.
  public init<Result>(fetchRequest: NSFetchRequest<Result>) { request = BatchDeleteRequest(fetchRequest.request) }
  /// Creates a request that deletes the objects with some IDs.
  public init(objectIDs: [NSManagedObjectID]) { request = BatchDeleteRequest(objectIDs: objectIDs) }
}

/// Apple's `NSBatchUpdateRequest`.
public final class NSBatchUpdateRequest {
  /// The request itself.
  public var request: BatchUpdateRequest
  /// The kind of result.
  public var resultType: BatchResultType {
    get { request.resultType }
    set { request.resultType = newValue }
  }
  /// The condition on the objects; `nil` for all.
  public var predicate: NSPredicate? {
    get { request.predicate.map { NSPredicate($0) } }
    set { request.predicate = newValue?.predicate }
  }
  /// Whether objects of subentities are changed.
  public var includesSubentities: Bool {
    get { request.includesSubentities }
    set { request.includesSubentities = newValue }
  }
  /// The stores whose objects are changed; `nil` for all.
  public var affectedStores: [NSPersistentStore]? {
    didSet { request.affectedStores = affectedStores?.map(\.identifier) }
  }
  /// The new values by name: values or `NSExpression`.
  ///
  /// - Precondition: keys are names, and values are possible in a predicate.
  public var propertiesToUpdate: [AnyHashable: Any]? {
    didSet {
      request.propertiesToUpdate = Dictionary(
        (propertiesToUpdate ?? [:]).map { key, value in
          guard let name = key.base as? String ?? (key.base as? AttributeDescription)?.name else {
            preconditionFailure("\(key) is not the name of a property")
          }
          return (name, value as? NSExpression ?? NSExpression(forConstantValue: value))
        }, uniquingKeysWith: { $1 })
    }
  }

  /// Creates a request that changes objects of an entity.
  public init(entityName: String) { request = BatchUpdateRequest(entityName, set: [:]) }
  /// Creates a request that changes objects of an entity.
  public convenience init(entity: NSEntityDescription) { self.init(entityName: entity.name) }
}

/// Apple's `NSBatchInsertRequest`.
public final class NSBatchInsertRequest {
  /// The entity's name.
  public let entityName: String
  /// The kind of result.
  public var resultType = BatchResultType.status
  /// The stores, the first of which with the entity gets the rows; `nil` for the one that new objects go to.
  public var affectedStores: [NSPersistentStore]?
  /// Gives the next row; `nil` after the last one.
  fileprivate let next: () -> [String: Any]?

  /// Creates a request that inserts rows.
  public init(entityName: String, objects: [[String: Any]]) {
    self.entityName = entityName
    var rows = objects.makeIterator()
    next = { rows.next() }
  }

  /// Creates a request that inserts rows filled by a closure until it returns `true`.
  public init(entityName: String, dictionaryHandler: @escaping (NSMutableDictionary) -> Bool) {
    self.entityName = entityName
    next = {
      let row = NSMutableDictionary()
      if dictionaryHandler(row) { return nil }
      var values: [String: Any] = [:]
      for (key, value) in row { values["\(key)"] = value }
      return values
    }
  }

  /// Creates a request that inserts rows.
  public convenience init(entity: NSEntityDescription, objects: [[String: Any]]) {
    self.init(entityName: entity.name, objects: objects)
  }

  /// Creates a request that inserts rows filled by a closure until it returns `true`.
  public convenience init(entity: NSEntityDescription, dictionaryHandler: @escaping (NSMutableDictionary) -> Bool) {
    self.init(entityName: entity.name, dictionaryHandler: dictionaryHandler)
  }
}

extension ManagedObjectContext {
  /// Deletes objects in the store.
  ///
  /// - Throws: ``MergewalkObjectContext/BatchError``; the store is then unchanged.
  @discardableResult
  public func execute(_ request: NSBatchDeleteRequest) throws(BatchError) -> NSBatchDeleteResult {
    let done = try execute(request.request)
    return NSBatchResult(request.resultType, done, done.deletedObjectIDs, done.deletedCount)
  }

  /// Changes objects in the store.
  ///
  /// - Throws: ``MergewalkObjectContext/BatchError``; the store is then unchanged.
  @discardableResult
  public func execute(_ request: NSBatchUpdateRequest) throws(BatchError) -> NSBatchUpdateResult {
    let done = try execute(request.request)
    return NSBatchResult(request.resultType, done, done.updatedObjectIDs, done.updatedCount)
  }

  /// Inserts objects into the store, from rows that may have different keys of the entity.
  ///
  /// - Throws: ``MergewalkObjectContext/BatchError``, with `object` and `typeMismatch` for a value that fits no
  ///   attribute; the store is then unchanged.
  @discardableResult
  public func execute(_ request: NSBatchInsertRequest) throws(BatchError) -> NSBatchInsertResult {
    let entity = model.entity(named: request.entityName)
    var names = (entity?.attributes ?? []).filter { !$0.isTransient && !$0.isDerived }.map(\.name)
    names += (entity?.relationships ?? []).filter { !$0.isToMany }.map(\.name)
    let places = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var insert = BatchInsertRequest(request.entityName, properties: names)
    insert.resultType = request.resultType
    insert.affectedStores = request.affectedStores?.map(\.identifier)
    let done = try execute(insert) { row in
      guard let values = request.next() else { return true }
      for (name, value) in values {
        guard let place = places[name] else {
          throw ObjectError(.unknownKey, "\(request.entityName) has no property “\(name)” that a batch insert can set")
        }
        guard let constant = ConstantValue(anyValue: value) else {
          throw ObjectError(.typeMismatch, "\(request.entityName).\(name) cannot be a value of type \(type(of: value))")
        }
        try row.set(place, constant.fitting(entity?.attributesByName[name]?.type))
      }
      return false
    }
    return NSBatchResult(
      request.resultType, done, done.insertedObjectIDs + done.updatedObjectIDs, done.insertedCount + done.updatedCount)
  }
}

extension ConstantValue {
  /// The value as an attribute of a type has it, where a number or a text of Swift says it as well.
  fileprivate func fitting(_ type: AttributeType?) -> ConstantValue {
    guard case .attribute(let value) = self else { return self }
    return switch (type, value) {
    case (.boolean, .integer(let number)) where number == 0 || number == 1: .attribute(.boolean(number == 1))
    case (.integer16, .boolean(let flag)), (.integer32, .boolean(let flag)), (.integer64, .boolean(let flag)):
      .attribute(.integer(flag ? 1 : 0))
    case (.double, .integer(let number)), (.float, .integer(let number)): .attribute(.double(Double(number)))
    case (.decimal, .integer(let number)):
      .attribute(.decimal(DecimalNumber(significand: Int128(number), exponent: 0)))
    case (.uri, .string(let text)): .attribute(.uri(text))
    default: self
    }
  }
}
