/// Core Data's numbers of errors in `NSCocoaErrorDomain`, by Apple's names without `NS` and `Error`.
///
/// Source: Apple, `CoreDataErrors.h`.
package enum CoreDataErrorNumber {
  package static let managedObjectValidation = 1550
  package static let managedObjectConstraintValidation = 1551
  package static let validationMultipleErrors = 1560
  package static let validationMissingMandatoryProperty = 1570
  package static let validationRelationshipLacksMinimumCount = 1580
  package static let validationRelationshipExceedsMaximumCount = 1590
  package static let validationRelationshipDeniedDelete = 1600
  package static let validationNumberTooLarge = 1610
  package static let validationNumberTooSmall = 1620
  package static let validationDateTooLate = 1630
  package static let validationDateTooSoon = 1640
  package static let validationInvalidDate = 1650
  package static let validationStringTooLong = 1660
  package static let validationStringTooShort = 1670
  package static let validationStringPatternMatching = 1680
  package static let managedObjectReferentialIntegrity = 133_000
  package static let managedObjectExternalRelationship = 133_010
  package static let managedObjectMerge = 133_020
  package static let managedObjectConstraintMerge = 133_021
  package static let persistentStoreInvalidType = 134_000
  package static let persistentStoreTypeMismatch = 134_010
  package static let persistentStoreIncompatibleSchema = 134_020
  package static let persistentStoreSave = 134_030
  package static let persistentStoreSaveConflicts = 134_050
  package static let coreData = 134_060
  package static let persistentStoreOperation = 134_070
  package static let persistentStoreTimeout = 134_090
  package static let persistentStoreUnsupportedRequestType = 134_091
  package static let persistentStoreIncompatibleVersionHash = 134_100
  package static let migration = 134_110
  package static let migrationCancelled = 134_120
  package static let migrationMissingSourceModel = 134_130
  package static let entityMigrationPolicy = 134_170
  package static let sqlite = 134_180
  package static let inferredMappingModel = 134_190
  package static let persistentHistoryTokenExpired = 134_301
}
