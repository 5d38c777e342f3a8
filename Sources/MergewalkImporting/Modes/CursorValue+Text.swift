import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

extension CursorValue: CustomStringConvertible {
  /// The value as a person would write it.
  public var description: String {
    switch self {
    case .date(let seconds): InstantText.text(seconds)
    case .integer(let number): "\(number)"
    case .text(let text): text
    }
  }

  /// Reads a value written by a person; `nil` if it is not of this kind.
  public init?(_ text: String, kind: SincePolicy.Kind) {
    switch kind {
    case .date:
      guard let seconds = DateText.seconds(text) else { return nil }
      self = .date(seconds)
    case .integer:
      guard let number = Int64(text) else { return nil }
      self = .integer(number)
    case .text: self = .text(text)
    }
  }
}

extension SincePolicy {
  /// The attribute that stands for the column: it takes what the column holds and demands nothing.
  var attribute: AttributeDescription {
    let type: AttributeType =
      switch kind {
      case .date: .date
      case .integer: .integer64
      case .text: .string
      }
    var attribute = AttributeDescription(name: "since", type: type)
    attribute.isOptional = true
    return attribute
  }

  /// How the column becomes values.
  var field: FieldImport {
    var field = FieldImport(attributeName: "since", column: column)
    field.whenAbsent = .null
    field.whenEmpty = .null
    field.position = position
    // Of columns of other types, options of dates have a finding of their own.
    if kind == .date {
      field.conversion = conversion
      field.places = places
    }
    return field
  }

  /// Records up to here are skipped: what the store or the user says, less the lag.
  func threshold(stored: CursorValue?) -> CursorValue? {
    if let override { return override }
    return ((isReset ? nil : stored) ?? start)?.lowered(by: lag)
  }
}

/// Which records are skipped, by the value of one field: what the reader's thread needs to know.
struct SinceFilter: Sendable {
  /// The field's number in the plan.
  let field: Int
  /// Records up to here are skipped; `nil` for none.
  let threshold: CursorValue?
  /// The handling of records whose value equals the threshold.
  let ties: SincePolicy.Ties

  /// Whether a record is skipped; one without a value is not.
  func isBeforeCursor(_ tag: UInt8, _ payload: UInt64, _ arena: UnsafeRawPointer) -> Bool {
    guard let threshold else { return false }
    let isSkipped = ties == .skip
    switch threshold {
    case .date(let limit):
      guard tag == CellTag.real else { return false }
      let value = Double(bitPattern: payload)
      return value < limit || isSkipped && value == limit
    case .integer(let limit):
      guard tag == CellTag.integer else { return false }
      let value = Int64(bitPattern: payload)
      return value < limit || isSkipped && value == limit
    case .text(let limit):
      guard tag == CellTag.text else { return false }
      let range = ByteRange(payload: payload)
      let bytes = UnsafeRawBufferPointer(start: arena + range.offset, count: range.length)
      return bytes.lexicographicallyPrecedes(limit.utf8) || isSkipped && bytes.elementsEqual(limit.utf8)
    }
  }
}
