public import Foundation
public import MergewalkDiagnostics
public import MergewalkObjectContext
public import MergewalkObjectModel
public import MergewalkObjectStore

// Errors as Foundation's and Core Data's code reads them: `localizedDescription` is the message, `error as NSError` has the
// domain, the number and the keys that Core Data gives to the same failure.
//
// Source: Apple, `CoreDataErrors.h` and `FoundationErrors.h`. Numbers of errors without a counterpart are 134060
// (`NSCoreDataError`, the general one).

/// An error with Core Data's number for it.
public protocol CoreDataNumberedError: LocalizedError, CustomNSError, CustomStringConvertible {}

extension CoreDataNumberedError {
  /// `NSCocoaErrorDomain`, the domain of Core Data's errors.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// The message.
  public var errorDescription: String? { description }
}

/// The keys of Core Data's `userInfo`; the values are Apple's.
public enum CoreDataErrorKey {
  /// The errors of which one with the number 1560 consists: `[NSError]`.
  public static let detailedErrors = "NSDetailedErrors"
  /// The ID of the object that is not valid: an error is a value, which objects are not.
  public static let object = "NSValidationErrorObject"
  /// The property whose value is not valid.
  public static let key = "NSValidationErrorKey"
  /// The value that is not valid.
  public static let value = "NSValidationErrorValue"
  /// The conflicts of a save: `[MergeConflict]` or `[ConstraintConflict]`.
  public static let conflicts = "conflictList"
  /// The path of the store or its file.
  public static let path = NSFilePathErrorKey
  /// SQLite's result code.
  public static let sqlite = "NSSQLiteErrorDomain"
}

extension StoreError: CoreDataNumberedError {
  /// Core Data's number.
  public var errorCode: Int {
    switch code {
    case .notFound: 260
    case .alreadyExists: 516
    case .notADatabase, .damagedMetadata, .damagedFile: 259
    case .otherStoreType, .notACoreDataStore: CoreDataErrorNumber.persistentStoreTypeMismatch
    case .incompatibleModel: CoreDataErrorNumber.persistentStoreIncompatibleVersionHash
    case .missingTable, .missingColumn: CoreDataErrorNumber.persistentStoreIncompatibleSchema
    case .noModel: CoreDataErrorNumber.migrationMissingSourceModel
    case .unsupported, .noHistory: CoreDataErrorNumber.persistentStoreUnsupportedRequestType
    case .foreignHistoryToken, .expiredHistoryToken: CoreDataErrorNumber.persistentHistoryTokenExpired
    case .busy: CoreDataErrorNumber.persistentStoreTimeout
    case .changedMeanwhile: CoreDataErrorNumber.persistentStoreSaveConflicts
    case .refusedRows: CoreDataErrorNumber.managedObjectConstraintMerge
    case .invalidOption: CoreDataErrorNumber.persistentStoreInvalidType
    case .readOnly: 513
    case .closed, .customStore, .outOfMemory: CoreDataErrorNumber.persistentStoreOperation
    case .inputOutput: 512
    case .sqlite: CoreDataErrorNumber.sqlite
    }
  }

  /// The message, the path, and SQLite's code.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description]
    if !path.isEmpty { info[CoreDataErrorKey.path] = path }
    if let cause { info[CoreDataErrorKey.sqlite] = Int(cause.code) }
    return info
  }
}

extension ObjectError: CoreDataNumberedError {
  /// Core Data's number.
  public var errorCode: Int {
    switch code {
    case .notFound: CoreDataErrorNumber.managedObjectReferentialIntegrity
    case .otherStore: CoreDataErrorNumber.managedObjectExternalRelationship
    case .cancelled: NSUserCancelledError
    case .database, .externalData: cause?.errorCode ?? CoreDataErrorNumber.coreData
    case .typeMismatch, .notStorable: CoreDataErrorNumber.managedObjectValidation
    case .unknownEntity, .abstractEntity, .unknownKey, .transformer, .readOnly, .transient, .wrongClass, .wrongEntity,
      .otherContext, .assigned, .deleted, .invalid, .unreadable, .invalidRequest, .closed:
      CoreDataErrorNumber.coreData
    }
  }

  /// The message, and what the store's error has.
  public var errorUserInfo: [String: Any] {
    (cause?.errorUserInfo ?? [:]).merging([NSLocalizedDescriptionKey: description]) { $1 }
  }
}

extension SaveError: CoreDataNumberedError {
  /// Core Data's number; 1560 for several failures of a validation.
  public var errorCode: Int {
    switch code {
    case .validation where failures.count == 1: failures[0].code.coreDataErrorNumber
    case .validation: ValidationFailureCode.multipleErrorsNumber
    case .conflict: CoreDataErrorNumber.managedObjectMerge
    case .constraint: CoreDataErrorNumber.managedObjectConstraintMerge
    case .readOnly: 513
    case .database, .store: CoreDataErrorNumber.persistentStoreSave
    case .unstable: CoreDataErrorNumber.coreData
    }
  }

  /// The message with the failures or conflicts, and SQLite's code.
  public var errorUserInfo: [String: Any] {
    var info = failures.errorUserInfo
    info[NSLocalizedDescriptionKey] = description
    if !mergeConflicts.isEmpty { info[CoreDataErrorKey.conflicts] = mergeConflicts }
    if !constraintConflicts.isEmpty { info[CoreDataErrorKey.conflicts] = constraintConflicts }
    if let databaseFailure { info[CoreDataErrorKey.sqlite] = Int(databaseFailure.code) }
    return info
  }
}

extension ValidationError: CoreDataNumberedError {
  /// Core Data's number; 1560 for several failures.
  public var errorCode: Int {
    failures.count == 1 ? failures[0].code.coreDataErrorNumber : ValidationFailureCode.multipleErrorsNumber
  }

  /// The message with the failures.
  public var errorUserInfo: [String: Any] {
    failures.errorUserInfo.merging([NSLocalizedDescriptionKey: description]) { $1 }
  }
}

extension [ObjectValidationFailure] {
  /// The keys of the only failure, or all failures as errors.
  fileprivate var errorUserInfo: [String: Any] {
    if count > 1 { return [CoreDataErrorKey.detailedErrors: map(\.error)] }
    var info: [String: Any] = [:]
    guard let failure = first else { return info }
    info[CoreDataErrorKey.object] = failure.objectID
    if !failure.property.isEmpty { info[CoreDataErrorKey.key] = failure.property }
    info[CoreDataErrorKey.value] = failure.value
    return info
  }
}

extension ObjectValidationFailure {
  /// The failure as an error of its own.
  fileprivate var error: NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: code.coreDataErrorNumber,
      userInfo: [self].errorUserInfo.merging([NSLocalizedDescriptionKey: description]) { $1 })
  }
}

extension BatchError: CoreDataNumberedError {
  /// The number of the error inside; 134060 for one of the program's own.
  public var errorCode: Int {
    switch self {
    case .object(let error): error.errorCode
    case .save(let error): error.errorCode
    case .source: CoreDataErrorNumber.coreData
    }
  }

  /// The keys of the error inside; one of the program's own is the underlying error.
  public var errorUserInfo: [String: Any] {
    switch self {
    case .object(let error): error.errorUserInfo
    case .save(let error): error.errorUserInfo
    case .source(let error): [NSLocalizedDescriptionKey: description, NSUnderlyingErrorKey: error]
    }
  }
}

extension MigrationError: CoreDataNumberedError {
  /// Core Data's number.
  public var errorCode: Int {
    switch code {
    case .notInferable: CoreDataErrorNumber.inferredMappingModel
    case .data: CoreDataErrorNumber.migration
    case .noSourceModel: CoreDataErrorNumber.migrationMissingSourceModel
    case .cancelled: CoreDataErrorNumber.migrationCancelled
    case .store: cause?.errorCode ?? CoreDataErrorNumber.migration
    case .mapping: CoreDataErrorNumber.entityMigrationPolicy
    }
  }

  /// The message, and what the store's error has.
  public var errorUserInfo: [String: Any] {
    (cause?.errorUserInfo ?? [:]).merging([NSLocalizedDescriptionKey: description]) { $1 }
  }
}

extension MergewalkObjectModel.PredicateError: CoreDataNumberedError {
  /// 134060: Core Data raises exceptions.
  public var errorCode: Int { CoreDataErrorNumber.coreData }
  /// The message.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

// The other errors have no counterpart, only a message.

extension DiagnosticList: LocalizedError {
  /// The findings, one per line.
  public var errorDescription: String? { description }
}

extension DefaultDataError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}

extension ValueTransformerError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}
