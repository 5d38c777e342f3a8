// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import MergewalkObjectContext
import MergewalkObjectStore

// Apple's names of constants, which begin with a capital letter.

/// The type of an SQLite store; Apple's `NSSQLiteStoreType`.
public let NSSQLiteStoreType = PersistentStoreType.sqlite.name
/// The type of a store that is lost when it is closed; Apple's `NSInMemoryStoreType`.
public let NSInMemoryStoreType = PersistentStoreType.inMemory.name
/// The type of an XML store; Apple's `NSXMLStoreType`.
public let NSXMLStoreType = PersistentStoreType.xml.name
/// The type of a binary store; Apple's `NSBinaryStoreType`.
public let NSBinaryStoreType = PersistentStoreType.binary.name

/// Apple's `NSErrorMergePolicy`: a save with conflicts fails.
public var NSErrorMergePolicy: NSMergePolicy { .error }
/// Apple's `NSMergeByPropertyStoreTrumpMergePolicy`.
public var NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy { .mergeByPropertyStoreTrump }
/// Apple's `NSMergeByPropertyObjectTrumpMergePolicy`.
public var NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy { .mergeByPropertyObjectTrump }
/// Apple's `NSOverwriteMergePolicy`.
public var NSOverwriteMergePolicy: NSMergePolicy { .overwrite }
/// Apple's `NSRollbackMergePolicy`.
public var NSRollbackMergePolicy: NSMergePolicy { .rollback }

/// The objects that a remote save inserted; Apple's `NSInsertedObjectsKey`.
public let NSInsertedObjectsKey = RemoteChangeKey.inserted
/// The objects that a remote save updated; Apple's `NSUpdatedObjectsKey`.
public let NSUpdatedObjectsKey = RemoteChangeKey.updated
/// The objects that a remote save deleted; Apple's `NSDeletedObjectsKey`.
public let NSDeletedObjectsKey = RemoteChangeKey.deleted
/// The objects whose values must be read again; Apple's `NSRefreshedObjectsKey`.
public let NSRefreshedObjectsKey = RemoteChangeKey.refreshed
