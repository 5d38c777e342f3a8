// swift-format-ignore-file: AlwaysUseLowerCamelCase
import MergewalkFoundation
import MergewalkObjectContext

// Apple's names of the numbers and keys of errors (`CoreDataErrors.h`), as `error as NSError` has them.

/// The errors of which ``NSValidationMultipleErrorsError`` consists: `[NSError]`.
public let NSDetailedErrorsKey = CoreDataErrorKey.detailedErrors
/// The ID of the object that is not valid; Core Data has the object, which is not a value.
public let NSValidationObjectErrorKey = CoreDataErrorKey.object
/// The property whose value is not valid.
public let NSValidationKeyErrorKey = CoreDataErrorKey.key
/// The value that is not valid, an `AttributeValue`.
public let NSValidationValueErrorKey = CoreDataErrorKey.value
/// The conflicts of a save: `[NSMergeConflict]` or `[NSConstraintConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey = CoreDataErrorKey.conflicts
/// SQLite's result code, an `Int`.
public let NSSQLiteErrorDomain = CoreDataErrorKey.sqlite

/// A value or an object is not valid.
public let NSManagedObjectValidationError = CoreDataErrorNumber.managedObjectValidation
/// A value that must be unique is not.
public let NSManagedObjectConstraintValidationError = CoreDataErrorNumber.managedObjectConstraintValidation
/// Several failures, under ``NSDetailedErrorsKey``.
public let NSValidationMultipleErrorsError = CoreDataErrorNumber.validationMultipleErrors
/// A mandatory property has no value.
public let NSValidationMissingMandatoryPropertyError = CoreDataErrorNumber.validationMissingMandatoryProperty
/// A relationship has fewer objects than the minimum.
public let NSValidationRelationshipLacksMinimumCountError = CoreDataErrorNumber.validationRelationshipLacksMinimumCount
/// A relationship has more objects than the maximum.
public let NSValidationRelationshipExceedsMaximumCountError = CoreDataErrorNumber
  .validationRelationshipExceedsMaximumCount
/// A delete rule denies the deletion.
public let NSValidationRelationshipDeniedDeleteError = CoreDataErrorNumber.validationRelationshipDeniedDelete
/// A number is above the maximum.
public let NSValidationNumberTooLargeError = CoreDataErrorNumber.validationNumberTooLarge
/// A number is below the minimum.
public let NSValidationNumberTooSmallError = CoreDataErrorNumber.validationNumberTooSmall
/// A date is after the maximum.
public let NSValidationDateTooLateError = CoreDataErrorNumber.validationDateTooLate
/// A date is before the minimum.
public let NSValidationDateTooSoonError = CoreDataErrorNumber.validationDateTooSoon
/// A date is not finite.
public let NSValidationInvalidDateError = CoreDataErrorNumber.validationInvalidDate
/// A text is longer than the maximum.
public let NSValidationStringTooLongError = CoreDataErrorNumber.validationStringTooLong
/// A text is shorter than the minimum.
public let NSValidationStringTooShortError = CoreDataErrorNumber.validationStringTooShort
/// A text does not match the regular expression.
public let NSValidationStringPatternMatchingError = CoreDataErrorNumber.validationStringPatternMatching
/// The store has no record with an ID.
public let NSManagedObjectReferentialIntegrityError = CoreDataErrorNumber.managedObjectReferentialIntegrity
/// A relationship leads to an object of another store.
public let NSManagedObjectExternalRelationshipError = CoreDataErrorNumber.managedObjectExternalRelationship
/// Others have changed the objects of a save.
public let NSManagedObjectMergeError = CoreDataErrorNumber.managedObjectMerge
/// The objects of a save have values that must be unique and are not.
public let NSManagedObjectConstraintMergeError = CoreDataErrorNumber.managedObjectConstraintMerge
/// An option, or the type of a store, is not known.
public let NSPersistentStoreInvalidTypeError = CoreDataErrorNumber.persistentStoreInvalidType
/// The file is not a store of the type.
public let NSPersistentStoreTypeMismatchError = CoreDataErrorNumber.persistentStoreTypeMismatch
/// The store lacks a table or a column.
public let NSPersistentStoreIncompatibleSchemaError = CoreDataErrorNumber.persistentStoreIncompatibleSchema
/// The store could not write a save.
public let NSPersistentStoreSaveError = CoreDataErrorNumber.persistentStoreSave
/// Another process has written to the store meanwhile.
public let NSPersistentStoreSaveConflictsError = CoreDataErrorNumber.persistentStoreSaveConflicts
/// A failure without a number of its own.
public let NSCoreDataError = CoreDataErrorNumber.coreData
/// The store is closed, or its own part failed.
public let NSPersistentStoreOperationError = CoreDataErrorNumber.persistentStoreOperation
/// Another process has the store.
public let NSPersistentStoreTimeoutError = CoreDataErrorNumber.persistentStoreTimeout
/// The store does not support the request.
public let NSPersistentStoreUnsupportedRequestTypeError = CoreDataErrorNumber.persistentStoreUnsupportedRequestType
/// The store was made with another model.
public let NSPersistentStoreIncompatibleVersionHashError = CoreDataErrorNumber.persistentStoreIncompatibleVersionHash
/// The data do not allow the migration.
public let NSMigrationError = CoreDataErrorNumber.migration
/// The migration was stopped.
public let NSMigrationCancelledError = CoreDataErrorNumber.migrationCancelled
/// There is no model of the store.
public let NSMigrationMissingSourceModelError = CoreDataErrorNumber.migrationMissingSourceModel
/// A mapping or a policy does not fit the models.
public let NSEntityMigrationPolicyError = CoreDataErrorNumber.entityMigrationPolicy
/// SQLite failed; its code is under ``NSSQLiteErrorDomain``.
public let NSSQLiteError = CoreDataErrorNumber.sqlite
/// The migration cannot be inferred.
public let NSInferredMappingModelError = CoreDataErrorNumber.inferredMappingModel
/// The history after a token is no longer complete.
public let NSPersistentHistoryTokenExpiredError = CoreDataErrorNumber.persistentHistoryTokenExpired
