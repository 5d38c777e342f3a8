import MergewalkBytes
import MergewalkObjectModel

extension QueryBuilder {
  func operand(_ constant: ConstantValue) -> QueryOperand {
    switch constant {
    case .collection(let elements): .constants(elements)
    case .dictionary(let values): .dictionary(values)
    case .attribute, .objectID: .value(value(constant))
    }
  }

  /// A single constant as a parameter; lists and dictionaries are null here.
  func value(_ constant: ConstantValue) -> SQLValue {
    switch constant {
    case .collection, .dictionary: return .null
    case .objectID(let id):
      let isForeign = id.storeUUID != storeUUID
      guard let entity = schema.model.entity(named: id.entity.name), schema.contains(entity) else {
        return SQLValue(
          text: SQLText(.null), family: .object(root: RootIndex(-1)), type: .objectID, constant: constant, name: id.uri,
          isForeign: true)
      }
      let key = SQLText(isForeign ? .null : .integer(id.primaryKey))
      // The row is joined to the statement itself when its columns are needed.
      let row = QueryRow(
        entity: entity, key: key, entityNumber: nil, isElement: false, level: level, names: names)
      return SQLValue(
        text: key, family: .object(root: entity.root), type: .objectID, kind: .integer, isNullable: isForeign,
        constant: constant, name: id.uri, row: row, isForeign: isForeign)
    case .attribute(let value):
      guard let (binding, type) = QueryBuilder.binding(value) else { return .null }
      let kind: NumberKind =
        switch binding {
        case .integer: .integer
        default: .real
        }
      var result = SQLValue(
        text: SQLText(binding), family: SQLFamily(type), type: type, kind: kind, isNullable: false,
        constant: constant, name: SQLFamily(type).words)
      if case .decimal(let number) = value { result.exactText = SQLText(.text(number.description)) }
      return result
    }
  }

  /// The parameter of a value, as the store keeps such values, and its type; `nil` for null and NaN.
  static func binding(_ value: AttributeValue) -> (SQLBinding, AttributeType)? {
    switch value {
    case .null: nil
    case .boolean(let value): (.integer(value ? 1 : 0), .boolean)
    case .integer(let value): (.integer(value), .integer64)
    case .double(let value): value.isNaN ? nil : (.real(value), .double)
    case .decimal(let value): (binding(value), .decimal)
    case .string(let value): (.text(value), .string)
    case .date(let value): value.isNaN ? nil : (.real(value), .date)
    case .binary(let bytes): (.blob(bytes), .binary)
    case .uuid(let high, let low): (.blob(UUIDText.bytes(high, low)), .uuid)
    case .uri(let value): (.text(value), .uri)
    }
  }

  /// A decimal as it is stored: an integer when it is whole and fits, else binary64.
  static func binding(_ value: DecimalNumber) -> SQLBinding {
    if value.exponent >= 0, value.exponent < 19, let whole = Int64(value.description) { return .integer(whole) }
    return .real(Double("\(value.significand)e\(value.exponent)") ?? 0)
  }

  /// A number as a parameter beside a column.
  enum NumberParameter {
    /// Equal to what was given, of the column's own storage class if it can be.
    case parameter(SQLBinding)
    /// No value of the column equals it.
    case unequal(SQLBinding)
    /// An index would round it, so none may be used.
    case withoutIndex(SQLBinding)
  }

  /// Fits a number to the column that it is compared with.
  ///
  /// SQLite compares integers and binary64 numbers exactly, but rounds an integer before it looks it up in an index over
  /// binary64 numbers.
  static func parameter(_ binding: SQLBinding, besides column: SQLValue) -> NumberParameter {
    guard column.isColumn else { return .parameter(binding) }
    switch (column.kind, binding) {
    case (.integer, .real(let value)):
      guard let whole = Int64(exactly: value) else { return .unequal(binding) }
      return .parameter(.integer(whole))
    case (.real, .integer(let value)):
      guard let real = Double(exactly: value) else { return .withoutIndex(binding) }
      return .parameter(.real(real))
    default: return .parameter(binding)
    }
  }
}
