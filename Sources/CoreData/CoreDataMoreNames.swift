// swift-format-ignore-file: AlwaysUseLowerCamelCase
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

extension AttributeType {
  /// Apple's name of ``undefined``.
  public static var undefinedAttributeType: AttributeType { .undefined }
  /// Apple's name of ``integer16``.
  public static var integer16AttributeType: AttributeType { .integer16 }
  /// Apple's name of ``integer32``.
  public static var integer32AttributeType: AttributeType { .integer32 }
  /// Apple's name of ``integer64``.
  public static var integer64AttributeType: AttributeType { .integer64 }
  /// Apple's name of ``decimal``.
  public static var decimalAttributeType: AttributeType { .decimal }
  /// Apple's name of ``double``.
  public static var doubleAttributeType: AttributeType { .double }
  /// Apple's name of ``float``.
  public static var floatAttributeType: AttributeType { .float }
  /// Apple's name of ``string``.
  public static var stringAttributeType: AttributeType { .string }
  /// Apple's name of ``boolean``.
  public static var booleanAttributeType: AttributeType { .boolean }
  /// Apple's name of ``date``.
  public static var dateAttributeType: AttributeType { .date }
  /// Apple's name of ``binary``.
  public static var binaryDataAttributeType: AttributeType { .binary }
  /// Apple's name of ``uuid``.
  public static var UUIDAttributeType: AttributeType { .uuid }
  /// Apple's name of ``uri``.
  public static var URIAttributeType: AttributeType { .uri }
  /// Apple's name of ``transformable``.
  public static var transformableAttributeType: AttributeType { .transformable }
  /// Apple's name of ``objectID``.
  public static var objectIDAttributeType: AttributeType { .objectID }
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
