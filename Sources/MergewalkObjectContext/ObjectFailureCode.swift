/// The kind of failure of an object's validation.
public enum ObjectFailureCode: Sendable, Hashable {
  /// The value of an attribute, or a to-one relationship that must refer to something.
  case value(ValidationFailureCode)
  /// A to-many relationship has fewer objects than the minimum.
  case tooFewObjects
  /// A to-many relationship has more objects than the maximum.
  case tooManyObjects
  /// A validation method of the object's class refused the object; the failure's message has the reason.
  case custom
  /// Typed access could not set the value, which is unchanged; the failure's message gives the reason.
  case notSet
  /// Typed access could not read the value and returned another one; the failure's message gives the reason.
  case unreadable
  /// The object is marked for deletion, and a relationship with the rule "deny" still refers to others.
  case deletionDenied

  /// A stable name, such as `validate.tooLong`.
  public var name: String {
    switch self {
    case .value(let code): code.rawValue
    case .tooFewObjects: "validate.tooFewObjects"
    case .tooManyObjects: "validate.tooManyObjects"
    case .custom: "validate.custom"
    case .notSet: "validate.notSet"
    case .unreadable: "validate.unreadable"
    case .deletionDenied: "validate.deletionDenied"
    }
  }

  /// Core Data's number for this error in `NSCocoaErrorDomain`.
  ///
  /// Source: Apple, `CoreDataErrors.h` (`NSValidationRelationshipLacksMinimumCountError` and the constants behind it).
  public var coreDataErrorNumber: Int {
    switch self {
    case .value(let code): code.coreDataErrorNumber
    case .tooFewObjects: CoreDataErrorNumber.validationRelationshipLacksMinimumCount
    case .tooManyObjects: CoreDataErrorNumber.validationRelationshipExceedsMaximumCount
    case .custom, .notSet, .unreadable: CoreDataErrorNumber.managedObjectValidation
    case .deletionDenied: CoreDataErrorNumber.validationRelationshipDeniedDelete
    }
  }
}
