/// The reason why an attribute does not allow a value; raw values are the codes of rejects.
///
/// The list is closed: `docs/rejects.md` describes every one, and a test checks that.
public enum ValidationFailureCode: String, Error, Sendable, CaseIterable {
  /// The attribute is not optional and has no value.
  case missing = "validate.missing"
  /// The value is not of the attribute's type, such as text for a number, or 70,000 for a 16-bit integer.
  case type = "validate.type"
  /// The number is above the maximum.
  case tooLarge = "validate.tooLarge"
  /// The number is below the minimum.
  case tooSmall = "validate.tooSmall"
  /// The date is after the maximum.
  case tooLate = "validate.tooLate"
  /// The date is before the minimum.
  case tooSoon = "validate.tooSoon"
  /// The date is not a finite number of seconds.
  case invalidDate = "validate.date"
  /// The text has more characters than the maximum.
  case tooLong = "validate.tooLong"
  /// The text has fewer characters than the minimum.
  case tooShort = "validate.tooShort"
  /// The text does not match the regular expression.
  case pattern = "validate.pattern"

  /// Core Data's number for this error in `NSCocoaErrorDomain`.
  ///
  /// Source: Apple, `CoreDataErrors.h` (`NSManagedObjectValidationError` 1550 and the constants behind it).
  public var coreDataErrorNumber: Int {
    switch self {
    case .type: CoreDataErrorNumber.managedObjectValidation
    case .missing: CoreDataErrorNumber.validationMissingMandatoryProperty
    case .tooLarge: CoreDataErrorNumber.validationNumberTooLarge
    case .tooSmall: CoreDataErrorNumber.validationNumberTooSmall
    case .tooLate: CoreDataErrorNumber.validationDateTooLate
    case .tooSoon: CoreDataErrorNumber.validationDateTooSoon
    case .invalidDate: CoreDataErrorNumber.validationInvalidDate
    case .tooLong: CoreDataErrorNumber.validationStringTooLong
    case .tooShort: CoreDataErrorNumber.validationStringTooShort
    case .pattern: CoreDataErrorNumber.validationStringPatternMatching
    }
  }

  /// The reason, as the end of a sentence about the value: `"x" …`.
  public var message: String {
    switch self {
    case .missing: "has no value, but is not optional"
    case .type: "is not a value of the attribute's type"
    case .tooLarge: "is above the maximum"
    case .tooSmall: "is below the minimum"
    case .tooLate: "is after the latest date"
    case .tooSoon: "is before the earliest date"
    case .invalidDate: "is not a finite date"
    case .tooLong: "is longer than the maximum length"
    case .tooShort: "is shorter than the minimum length"
    case .pattern: "does not match the regular expression"
    }
  }

  /// Core Data's number for an error that stands for several (`NSValidationMultipleErrorsError`).
  public static let multipleErrorsNumber = CoreDataErrorNumber.validationMultipleErrors
}

/// A cell of a column that its attribute does not allow.
package struct CellFailure: Sendable, Hashable {
  /// The cell's position in its column, from 0.
  package var row: Int32
  package var code: ValidationFailureCode

  package init(row: Int32, code: ValidationFailureCode) {
    self.row = row
    self.code = code
  }
}
