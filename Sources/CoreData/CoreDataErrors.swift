// swift-format-ignore-file: AlwaysUseLowerCamelCase
import MergewalkFoundation

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
public let NSManagedObjectValidationError = 1550
/// A value that must be unique is not.
public let NSManagedObjectConstraintValidationError = 1551
/// Several failures, under ``NSDetailedErrorsKey``.
public let NSValidationMultipleErrorsError = 1560
/// A mandatory property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has fewer objects than the minimum.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has more objects than the maximum.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A delete rule denies the deletion.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is above the maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is below the minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is after the maximum.
public let NSValidationDateTooLateError = 1630
/// A date is before the minimum.
public let NSValidationDateTooSoonError = 1640
/// A date is not finite.
public let NSValidationInvalidDateError = 1650
/// A text is longer than the maximum.
public let NSValidationStringTooLongError = 1660
/// A text is shorter than the minimum.
public let NSValidationStringTooShortError = 1670
/// A text does not match the regular expression.
public let NSValidationStringPatternMatchingError = 1680
/// The store has no record with an ID.
public let NSManagedObjectReferentialIntegrityError = 133_000
/// A relationship leads to an object of another store.
public let NSManagedObjectExternalRelationshipError = 133_010
/// Others have changed the objects of a save.
public let NSManagedObjectMergeError = 133_020
/// The objects of a save have values that must be unique and are not.
public let NSManagedObjectConstraintMergeError = 133_021
/// An option, or the type of a store, is not known.
public let NSPersistentStoreInvalidTypeError = 134_000
/// The file is not a store of the type.
public let NSPersistentStoreTypeMismatchError = 134_010
/// The store lacks a table or a column.
public let NSPersistentStoreIncompatibleSchemaError = 134_020
/// The store could not write a save.
public let NSPersistentStoreSaveError = 134_030
/// Another process has written to the store meanwhile.
public let NSPersistentStoreSaveConflictsError = 134_050
/// A failure without a number of its own.
public let NSCoreDataError = 134_060
/// The store is closed, or its own part failed.
public let NSPersistentStoreOperationError = 134_070
/// Another process has the store.
public let NSPersistentStoreTimeoutError = 134_090
/// The store does not support the request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134_091
/// The store was made with another model.
public let NSPersistentStoreIncompatibleVersionHashError = 134_100
/// The data do not allow the migration.
public let NSMigrationError = 134_110
/// The migration was stopped.
public let NSMigrationCancelledError = 134_120
/// There is no model of the store.
public let NSMigrationMissingSourceModelError = 134_130
/// A mapping or a policy does not fit the models.
public let NSEntityMigrationPolicyError = 134_170
/// SQLite failed; its code is under ``NSSQLiteErrorDomain``.
public let NSSQLiteError = 134_180
/// The migration cannot be inferred.
public let NSInferredMappingModelError = 134_190
/// The history after a token is no longer complete.
public let NSPersistentHistoryTokenExpiredError = 134_301
