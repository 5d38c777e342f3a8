package import MergewalkDiagnostics
import MergewalkObjectContext
package import MergewalkObjectModel
import MergewalkObjectStore

/// A field's import, checked against its attribute and ready to convert columns.
///
/// The policy for each of the four cases is resolved to a cell or a failure in advance:
/// see `docs/conversions.md`.
package struct CompiledField: Sendable {
  /// The conversion of fields that have a value.
  enum Kind: Sendable {
    case integer(IntegerConversion)
    case groupedInteger(GroupedConversion<IntegerConversion>)
    case double(DoubleConversion)
    case groupedDouble(GroupedConversion<DoubleConversion>)
    case float(FloatConversion)
    case groupedFloat(GroupedConversion<FloatConversion>)
    case decimal(DecimalConversion)
    case groupedDecimal(GroupedConversion<DecimalConversion>)
    case boolean(BooleanConversion)
    case isoDate(ISODateConversion)
    case patternDate(PatternDateConversion)
    case epochDate(EpochConversion)
    case text(TextConversion)
    case uri(URIConversion)
    case raw(RawConversion)
    case hex(HexConversion)
    case base64(Base64Conversion)
    case uuid(UUIDConversion)
    case storedDouble(StoredDoubleConversion)
    case storedDecimal(StoredDecimalConversion)
    case storedDate(StoredDateConversion)
  }

  package let attributeName: String
  package let type: AttributeType
  /// How dates are written, for messages.
  package let options: ConversionOptions
  /// Identifies the field in failures, for the code that planned the import; 0 until set.
  package var identifier: Int32 = 0

  /// The constraints of the model on the values.
  let validator: AttributeValidator
  /// The same as the model spells it, for messages.
  let demands: FieldDemands
  let kind: Kind
  /// Whether values begin with the tag of external storage.
  let isStoredExternally: Bool
  let trims: Bool
  /// Whether digits behind a zero or a plus are refused.
  let refusesCodes: Bool
  let nullSpellings: [[UInt8]]
  let whenAbsent: Substitution
  let whenNull: Substitution
  let whenEmpty: Substitution
  /// The value of every record, when no column fills the field.
  var constant: Substitution?

  /// Checks a field's import against its attribute and prepares it.
  ///
  /// - Parameters:
  ///   - path: the definition's path, for the findings.
  ///   - isModelLinted: whether what is wrong with the model's own rules has findings already.
  ///   - findings: gets everything that is wrong or dubious, at the places of the options that it is about.
  /// - Returns: the field, or `nil` when the findings include an error.
  package static func compile(
    _ field: FieldImport, attribute: AttributeDescription, path: String, isModelLinted: Bool = false,
    findings: inout [Diagnostic]
  ) -> CompiledField? {
    var check = FieldCheck(field, attribute, path: path, isModelLinted: isModelLinted)
    let compiled = CompiledField(&check)
    findings += check.findings.list
    return check.findings.hasErrors ? nil : compiled
  }

  /// Checks a field's import against its attribute and prepares it.
  ///
  /// - Throws: all findings when one of them is an error; warnings alone are dropped.
  package init(_ field: FieldImport, attribute: AttributeDescription) throws(DiagnosticList) {
    var check = FieldCheck(field, attribute, path: "")
    let compiled = CompiledField(&check)
    guard let compiled, !check.findings.hasErrors else { throw DiagnosticList(check.findings.list) }
    self = compiled
  }

  private init?(_ check: inout FieldCheck) {
    let field = check.field
    attributeName = check.attribute.name
    type = check.attribute.type
    isStoredExternally = check.attribute.allowsExternalBinaryDataStorage
    options = field.conversion
    validator = check.validator()
    demands = FieldDemands(check.attribute.validation)
    trims = field.conversion.trim
    refusesCodes = field.conversion.plainNumbers
    nullSpellings = field.conversion.nullSpellings.map { Array($0.utf8) }
    let textDefault: FieldImport.Substitute = type == .string || type == .binary ? .empty : .null
    whenAbsent =
      field.absentValue.flatMap { check.substitution($0, "absent_value") }
      ?? check.substitution(field.whenAbsent, else: .absent)
    whenNull =
      field.nullValue.flatMap { check.substitution($0, "null_value") }
      ?? check.substitution(field.whenNull, else: .null)
    whenEmpty =
      field.emptyValue.flatMap { check.substitution($0, "empty_value") }
      ?? check.substitution(field.whenEmpty ?? textDefault, else: .empty)
    guard let kind = check.kind() else { return nil }
    self.kind = kind
  }
}

/// The substitute for a missing value.
struct Substitution: Sendable {
  /// The cell's tag; `CellTag.failed` for a failure.
  var tag: UInt8
  /// The cell's payload, unless it is a range of `bytes`.
  var payload: UInt64 = 0
  /// The bytes of a default that is text or a blob, which belong into the batch's arena.
  var bytes: [UInt8]?
  /// Why the record is rejected, when the policy is to reject it.
  var failure: ConversionFailureCode = .absent

  init(tag: UInt8) { self.tag = tag }

  init(failure: ConversionFailureCode) {
    tag = CellTag.failed
    self.failure = failure
  }

  init(tag: UInt8, bytes: [UInt8]) {
    self.tag = tag
    self.bytes = bytes
  }

  init(_ cell: ConvertedCell) {
    tag = cell.tag
    payload = cell.payload
  }
}
