import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// The model's rules for a field, counting the values that break them.
///
/// Stores of apps can have some: a rule is newer than the object, or other code has written it. They are exported all the
/// same, but reading them back rejects their records.
struct ExportDemand {
  /// The name of the field.
  let field: String
  /// The number of values that break the rules.
  private(set) var broken = 0
  private let column: Int32
  private let isReal: Bool
  private let validator: AttributeValidator

  /// Takes the rules that an import applies to a field; `nil` when there are none.
  ///
  /// - Parameter column: The place of its value in the rows.
  init?(_ field: IdentityField, column: Int32) {
    let attribute = field.attribute
    validator = AttributeValidator(attribute)
    guard validator.canFail else { return nil }
    self.field = field.name
    self.column = column
    isReal = attribute.type == .double || attribute.type == .float || attribute.type == .date
  }

  /// Checks the value in a row; one of another type has ended the export before.
  mutating func check(_ row: DatabaseRows) {
    var (tag, payload) = (CellTag.null, UInt64(0))
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    switch row.storage(column) {
    case .null: break
    case .integer where !isReal: (tag, payload) = (CellTag.integer, UInt64(bitPattern: row.integer(column)))
    case .integer, .real: (tag, payload) = (CellTag.real, row.double(column).bitPattern)
    case .text, .blob:
      bytes = row.bytes(column)
      tag = row.storage(column) == .text ? CellTag.text : CellTag.blob
      payload = ByteRange(offset: 0, length: bytes.count).payload
    }
    // The bytes are valid until the next row.
    if validator.check(tag: tag, payload: payload, arena: bytes.baseAddress) != nil { broken += 1 }
  }
}
