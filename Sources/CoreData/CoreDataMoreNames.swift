public import MergewalkObjectContext
public import MergewalkObjectModel
public import MergewalkObjectStore

// Apple's names of what is the same here: models, history, migration, conflicts, batch results.

/// Apple's name of ``AttributeType``.
public typealias NSAttributeType = AttributeType
/// Apple's name of ``DeleteRule``.
public typealias NSDeleteRule = DeleteRule
/// Apple's name of ``FetchedPropertyDescription``.
public typealias NSFetchedPropertyDescription = FetchedPropertyDescription
/// Apple's name of ``FetchIndexDescription``.
public typealias NSFetchIndexDescription = FetchIndexDescription
/// Apple's name of ``ExpressionDescription``.
public typealias NSExpressionDescription = ExpressionDescription
/// Apple's name of ``ComparisonPredicate``.
public typealias NSComparisonPredicate = ComparisonPredicate

/// Apple's name of ``PersistentHistoryChangeRequest``; stores execute it.
public typealias NSPersistentHistoryChangeRequest = PersistentHistoryChangeRequest
/// Apple's name of ``PersistentHistoryResult``.
public typealias NSPersistentHistoryResult = PersistentHistoryResult
/// Apple's name of ``PersistentHistoryTransaction``.
public typealias NSPersistentHistoryTransaction = PersistentHistoryTransaction
/// Apple's name of ``PersistentHistoryChange``.
public typealias NSPersistentHistoryChange = PersistentHistoryChange
/// Apple's name of ``PersistentHistoryToken``.
public typealias NSPersistentHistoryToken = PersistentHistoryToken
/// Apple's name of ``QueryGenerationToken``.
public typealias NSQueryGenerationToken = QueryGenerationToken

/// Apple's name of ``MigrationManager``.
public typealias NSMigrationManager = MigrationManager
/// Apple's name of ``MappingModel``.
public typealias NSMappingModel = MappingModel
/// Apple's name of ``EntityMapping``.
public typealias NSEntityMapping = EntityMapping
/// Apple's name of ``EntityMigrationPolicy``.
public typealias NSEntityMigrationPolicy = EntityMigrationPolicy
/// Apple's name of ``StagedMigrationManager``.
public typealias NSStagedMigrationManager = StagedMigrationManager
/// Apple's name of ``LightweightMigrationStage``.
public typealias NSLightweightMigrationStage = LightweightMigrationStage
/// Apple's name of ``CustomMigrationStage``.
public typealias NSCustomMigrationStage = CustomMigrationStage

/// Apple's name of ``MergeConflict``.
public typealias NSMergeConflict = MergeConflict
/// Apple's name of ``ConstraintConflict``.
public typealias NSConstraintConflict = ConstraintConflict

/// Apple's name of ``BatchResult``, which all three requests give.
public typealias NSBatchDeleteResult = BatchResult
/// Apple's name of ``BatchResult``, which all three requests give.
public typealias NSBatchInsertResult = BatchResult
/// Apple's name of ``BatchResult``, which all three requests give.
public typealias NSBatchUpdateResult = BatchResult

extension BatchResultType {
  /// Apple's `NSBatchDeleteRequestResultType.resultTypeStatusOnly`.
  public static var resultTypeStatusOnly: BatchResultType { .status }
  /// Apple's `NSBatchDeleteRequestResultType.resultTypeCount`.
  public static var resultTypeCount: BatchResultType { .count }
  /// Apple's `NSBatchDeleteRequestResultType.resultTypeObjectIDs`.
  public static var resultTypeObjectIDs: BatchResultType { .objectIDs }
  /// Apple's `NSBatchUpdateRequestResultType.updatedObjectsCountResultType`.
  public static var updatedObjectsCountResultType: BatchResultType { .count }
  /// Apple's `NSBatchUpdateRequestResultType.updatedObjectIDsResultType`.
  public static var updatedObjectIDsResultType: BatchResultType { .objectIDs }
}

extension DeleteRule {
  /// Apple's `NSDeleteRule.nullifyDeleteRule`.
  public static var nullifyDeleteRule: DeleteRule { .nullify }
  /// Apple's `NSDeleteRule.cascadeDeleteRule`.
  public static var cascadeDeleteRule: DeleteRule { .cascade }
  /// Apple's `NSDeleteRule.denyDeleteRule`.
  public static var denyDeleteRule: DeleteRule { .deny }
  /// Apple's `NSDeleteRule.noActionDeleteRule`.
  public static var noActionDeleteRule: DeleteRule { .noAction }
}
