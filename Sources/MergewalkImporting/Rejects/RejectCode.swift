public import MergewalkObjectContext
public import MergewalkRecordFormats

/// The reason why a record was rejected, across all stages; raw values are the codes in the rejects file and the
/// summary.
///
/// The part before the dot is the stage. The list is closed: `docs/rejects.md` describes every code, and a test checks
/// that.
public enum RejectCode: String, Error, Sendable, CaseIterable {
  // Reading: the bytes are not a record of the file's format.
  case readInvalidText = "read.invalidText"
  case readNulByte = "read.nulByte"
  case readFieldCount = "read.fieldCount"
  case readStrayQuote = "read.strayQuote"
  case readTextAfterQuote = "read.textAfterQuote"
  case readUnterminatedQuote = "read.unterminatedQuote"
  case readDanglingEscape = "read.danglingEscape"
  case readDoubtfulComment = "read.doubtfulComment"
  case readDoubtfulEscape = "read.doubtfulEscape"
  case readOtherTable = "read.otherTable"
  case readInvalidJSON = "read.invalidJSON"
  case readNotAnObject = "read.notAnObject"
  case readDuplicateMember = "read.duplicateMember"
  case readInvalidScalar = "read.invalidScalar"
  case readLoneSurrogate = "read.loneSurrogate"
  case readTooDeep = "read.tooDeep"
  case readMissingFile = "read.missingFile"
  case readRecordTooLong = "read.recordTooLong"
  case readMixedContent = "read.mixedContent"
  case readUnresolvedEntity = "read.unresolvedEntity"
  case readInvalidAlias = "read.invalidAlias"
  case readExpansionLimit = "read.expansionLimit"
  case readInvalidDocument = "read.invalidDocument"
  // Converting: a field does not become a value.
  case valueAbsent = "value.absent"
  case valueNull = "value.null"
  case valueEmpty = "value.empty"
  case valueType = "value.type"
  case valueInteger = "value.integer"
  case valueNumber = "value.number"
  case valueRange = "value.range"
  case valuePrecision = "value.precision"
  case valueBoolean = "value.boolean"
  case valueDate = "value.date"
  case valueCalendar = "value.calendar"
  case valueUUID = "value.uuid"
  case valueURI = "value.uri"
  case valueBase64 = "value.base64"
  case valueHex = "value.hex"
  case valueCode = "value.code"
  case valueLength = "value.length"
  case valueIdentities = "value.identities"
  // Validating: a value is not one that the model allows.
  case validateMissing = "validate.missing"
  case validateType = "validate.type"
  case validateTooLarge = "validate.tooLarge"
  case validateTooSmall = "validate.tooSmall"
  case validateTooLate = "validate.tooLate"
  case validateTooSoon = "validate.tooSoon"
  case validateDate = "validate.date"
  case validateTooLong = "validate.tooLong"
  case validateTooShort = "validate.tooShort"
  case validatePattern = "validate.pattern"
  // The source is not as agreed.
  case contractNewColumn = "contract.newColumn"
  case contractMissingColumn = "contract.missingColumn"
  case contractType = "contract.type"
  // Transforming: a step has no result.
  case transformValue = "transform.value"
  case transformOverflow = "transform.overflow"
  case transformDivision = "transform.division"
  case transformUnmapped = "transform.unmapped"
  case transformLookup = "transform.lookup"
  case transformPattern = "transform.pattern"
  case transformTooLong = "transform.tooLong"
  case transformExpression = "transform.expression"
  // Refused by other code.
  case processRejected = "process.rejected"
  case hookRejected = "hook.rejected"
  // Finding: the record does not say which object it stands for, or says it twice.
  case nullKey = "key.null"
  case emptyKey = "key.empty"
  case duplicateKey = "key.duplicate"
  // Relating: an object that the record names is not there.
  case missingTarget = "relationship.missingTarget"
  case inverse = "relationship.inverse"
  // Deleting: the model does not let an object go that no record names, or not without one that has to stay.
  case deleteDenied = "delete.denied"
  // Spreading over stores: the record does not say which one is its own.
  case storeBadName = "store.badName"
  // Writing: the store does not take the row.
  case unique = "constraint.unique"
  case database = "database.refused"

  /// Whether the reason lies before conversion: a transform, a process, a hook or the contract gives it.
  var isAboutSource: Bool {
    switch self {
    case .contractNewColumn, .contractMissingColumn, .contractType, .transformValue, .transformOverflow,
      .transformDivision, .transformUnmapped, .transformLookup, .transformPattern, .transformTooLong,
      .transformExpression, .processRejected, .hookRejected:
      true
    default: false
    }
  }

  /// Whether a value is not written as one of the type that is asked for.
  var isAboutReading: Bool { self == .transformValue || rawValue.hasPrefix("value.") }

  /// The code of a record that the reader refused.
  public init(_ code: RecordError.Code) {
    switch code {
    case .invalidText: self = .readInvalidText
    case .nulByte: self = .readNulByte
    case .fieldCount: self = .readFieldCount
    case .strayQuote: self = .readStrayQuote
    case .textAfterQuote: self = .readTextAfterQuote
    case .unterminatedQuote: self = .readUnterminatedQuote
    case .danglingEscape: self = .readDanglingEscape
    case .doubtfulComment: self = .readDoubtfulComment
    case .doubtfulEscape: self = .readDoubtfulEscape
    case .otherTable: self = .readOtherTable
    case .invalidJSON: self = .readInvalidJSON
    case .notAnObject: self = .readNotAnObject
    case .duplicateMember: self = .readDuplicateMember
    case .invalidScalar: self = .readInvalidScalar
    case .loneSurrogate: self = .readLoneSurrogate
    case .tooDeep: self = .readTooDeep
    case .missingFile: self = .readMissingFile
    case .recordTooLong: self = .readRecordTooLong
    case .mixedContent: self = .readMixedContent
    case .unresolvedEntity: self = .readUnresolvedEntity
    case .invalidAlias: self = .readInvalidAlias
    case .expansionLimit: self = .readExpansionLimit
    case .invalidDocument: self = .readInvalidDocument
    }
  }

  /// The code of a field that did not convert.
  public init(_ code: ConversionFailureCode) {
    switch code {
    case .absent: self = .valueAbsent
    case .null: self = .valueNull
    case .empty: self = .valueEmpty
    case .type: self = .valueType
    case .integer: self = .valueInteger
    case .number: self = .valueNumber
    case .range: self = .valueRange
    case .precision: self = .valuePrecision
    case .boolean: self = .valueBoolean
    case .date: self = .valueDate
    case .calendar: self = .valueCalendar
    case .uuid: self = .valueUUID
    case .uri: self = .valueURI
    case .base64: self = .valueBase64
    case .hex: self = .valueHex
    case .code: self = .valueCode
    case .length: self = .valueLength
    }
  }

  /// The code of a value that the model does not allow.
  public init(_ code: ValidationFailureCode) {
    switch code {
    case .missing: self = .validateMissing
    case .type: self = .validateType
    case .tooLarge: self = .validateTooLarge
    case .tooSmall: self = .validateTooSmall
    case .tooLate: self = .validateTooLate
    case .tooSoon: self = .validateTooSoon
    case .invalidDate: self = .validateDate
    case .tooLong: self = .validateTooLong
    case .tooShort: self = .validateTooShort
    case .pattern: self = .validatePattern
    }
  }
}
