@_exported public import MergewalkObjectContext
@_exported public import MergewalkObjectModel
@_exported public import MergewalkObjectStore

// Core Data's names for what Mergewalk has, so that code about a model reads the same on Linux. What differs:
// `docs/coredata-names.md`.

/// Apple's `NSManagedObject`.
public typealias NSManagedObject = ManagedObject
/// Apple's `NSManagedObjectID`.
public typealias NSManagedObjectID = ManagedObjectID
/// Apple's `NSManagedObjectContext`.
public typealias NSManagedObjectContext = ManagedObjectContext
/// Apple's `NSManagedObjectModel`.
public typealias NSManagedObjectModel = ManagedObjectModel
/// Apple's `NSPersistentStore`.
public typealias NSPersistentStore = PersistentStore
/// Apple's `NSPersistentStoreCoordinator`.
public typealias NSPersistentStoreCoordinator = PersistentStoreCoordinator
/// Apple's `NSEntityDescription`.
public typealias NSEntityDescription = EntityDescription
/// Apple's `NSAttributeDescription`.
public typealias NSAttributeDescription = AttributeDescription
/// Apple's `NSRelationshipDescription`.
public typealias NSRelationshipDescription = RelationshipDescription
/// Apple's `NSSortDescriptor`.
public typealias NSSortDescriptor = ObjectSortDescriptor
/// Apple's `NSExpression`.
public typealias NSExpression = ObjectExpression
/// Apple's `NSMergePolicy`.
public typealias NSMergePolicy = MergePolicy
/// Apple's `NSBatchDeleteRequest`.
public typealias NSBatchDeleteRequest = BatchDeleteRequest
/// Apple's `NSBatchUpdateRequest`.
public typealias NSBatchUpdateRequest = BatchUpdateRequest
/// Apple's `NSBatchInsertRequest`.
public typealias NSBatchInsertRequest = BatchInsertRequest
/// Apple's `NSCompoundPredicate`, whose initializers every predicate has here.
public typealias NSCompoundPredicate = NSPredicate

/// Apple's `NSPredicate`: a format that cannot be read stops the program, as it does there.
public struct NSPredicate: Hashable, Sendable, CustomStringConvertible {
  /// The predicate itself.
  public let predicate: ObjectPredicate

  /// Wraps a predicate.
  public init(_ predicate: ObjectPredicate) { self.predicate = predicate }

  /// Reads a predicate from a format string.
  ///
  /// - Precondition: the format can be read; ``MergewalkObjectModel/ObjectPredicate`` throws instead.
  public init(format: String, _ arguments: any PredicateArgument...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// Reads a predicate from a format string, with the arguments in order.
  public init(format: String, argumentArray: [any PredicateArgument]) {
    do throws(PredicateError) {
      predicate = try ObjectPredicate(format: format, arguments: argumentArray)
    } catch {
      preconditionFailure("“\(format)” is no predicate: \(error)")
    }
  }

  /// A predicate that is always true or always false.
  public init(value: Bool) { predicate = .value(value) }

  /// The format string.
  public var description: String { predicate.description }
  /// The format string.
  public var predicateFormat: String { predicate.description }
}

extension NSPredicate {
  /// All of the predicates hold; true for none.
  public init(andPredicateWithSubpredicates predicates: [NSPredicate]) {
    self.init(.and(predicates.map(\.predicate)))
  }

  /// At least one of the predicates holds; false for none.
  public init(orPredicateWithSubpredicates predicates: [NSPredicate]) { self.init(.or(predicates.map(\.predicate))) }

  /// The predicate does not hold.
  public init(notPredicateWithSubpredicate predicate: NSPredicate) { self.init(.not(predicate.predicate)) }

  /// How a compound predicate combines others.
  public enum LogicalType: Sendable, Hashable {
    /// The first one does not hold.
    case not
    /// All hold.
    case and
    /// At least one holds.
    case or
  }

  /// Apple's initializer; `not` looks at the first predicate, and without one it is false.
  public init(type: LogicalType, subpredicates: [NSPredicate]) {
    switch type {
    case .and: self.init(andPredicateWithSubpredicates: subpredicates)
    case .or: self.init(orPredicateWithSubpredicates: subpredicates)
    case .not: self.init(notPredicateWithSubpredicate: subpredicates.first ?? NSPredicate(value: true))
    }
  }
}

extension ObjectSortDescriptor {
  /// Apple's initializer.
  public init(key: String, ascending: Bool) { self.init(key, ascending: ascending) }
}
