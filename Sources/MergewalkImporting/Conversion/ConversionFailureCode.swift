import MergewalkBytes

/// The reason why the bytes of a field did not become a value; raw values are the codes of rejects.
///
/// The list is closed: `docs/rejects.md` describes every one, and a test checks that.
public enum ConversionFailureCode: String, Error, Sendable, CaseIterable {
  /// The record has no such field, and the field's policy rejects that.
  case absent = "value.absent"
  /// The field is null, and the field's policy rejects that.
  case null = "value.null"
  /// The field is empty, and the field's policy rejects that.
  case empty = "value.empty"
  /// A JSON value of a kind that cannot become this type, such as an object for a number.
  case type = "value.type"
  /// Not a whole number.
  case integer = "value.integer"
  /// Not a decimal number.
  case number = "value.number"
  /// A well-formed number or date outside the range of the type.
  case range = "value.range"
  /// A decimal number that Core Data's column cannot hold exactly.
  case precision = "value.precision"
  /// Not one of the listed spellings of true and false.
  case boolean = "value.boolean"
  /// Not in the date format of this field.
  case date = "value.date"
  /// In the date format, but there is no such day or time.
  case calendar = "value.calendar"
  /// Not a UUID.
  case uuid = "value.uuid"
  /// Not a URI reference.
  case uri = "value.uri"
  /// Not base64.
  case base64 = "value.base64"
  /// Not pairs of hexadecimal digits.
  case hex = "value.hex"
  /// Digits after a zero or a plus, as in codes, in a field that accepts only plain numbers.
  case code = "value.code"
  /// A number of more than ``NumberText/greatestLength`` bytes.
  case length = "value.length"
}

extension ConversionFailureCode {
  /// The code for a text that is no date.
  init(_ failure: DateFailure) {
    switch failure {
    case .form: self = .date
    case .calendar: self = .calendar
    case .range: self = .range
    }
  }
}

extension ISODateText {
  /// The same as `seconds`, with the code of what is wrong with a field.
  @inline(__always)
  static func parse(_ bytes: FieldBytes, defaultOffset: Int) throws(ConversionFailureCode) -> Double {
    do { return try seconds(bytes, defaultOffset: defaultOffset) } catch { throw ConversionFailureCode(error) }
  }
}

/// A field that did not convert, or whose value the model does not allow.
package struct FieldFailure: Sendable, Hashable {
  /// The record's position in its batch, from 0.
  package var record: Int32
  /// The field's column in the batch, from 0.
  package var column: Int32
  /// The ``CompiledField/identifier`` of the field that failed.
  package var field: Int32
  package var code: RejectCode
}
