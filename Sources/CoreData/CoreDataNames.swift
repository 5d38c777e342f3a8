@_exported public import Foundation
@_exported public import MergewalkFoundation
@_exported public import MergewalkObjectContext
@_exported public import MergewalkObjectModel
@_exported public import MergewalkObjectStore

// Core Data's names for what Mergewalk has, so that code about a model reads the same on Linux. What differs:
// `docs/coredata-names.md`. Foundation comes along, as it does on Apple's systems: a module's own names hide those of modules
// that it exports, so that `NSPredicate` is the one of this module in files that import nothing but it.

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

/// The error of predicates; Foundation's is `Foundation.PredicateError`.
public typealias PredicateError = MergewalkObjectModel.PredicateError
