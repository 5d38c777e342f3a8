import MergewalkObjectModel

/// The sentences of rejects: what was found, what was expected, for which attribute.
struct RejectMessage {
  /// Values are shown up to this many bytes.
  static let shownBytes = 64

  /// The sentence about a field of one record.
  ///
  /// - Parameters:
  ///   - value: the field's bytes, or `nil` when it is absent or null.
  ///   - entity: the entity's name.
  ///   - detail: what the database said, or nothing.
  static func text(
    _ code: RejectCode, value: UnsafeRawBufferPointer?, field: CompiledField, entity: String, detail: String = ""
  ) -> String {
    // Found at the save: the detail names the object and the property.
    if !detail.isEmpty, code.rawValue.hasPrefix("validate.") { return "an object is not valid: " + detail }
    if code.isAboutSource { return detail }
    let name = "\(entity).\(field.attributeName)"
    let shown = value.map { Self.shown($0) } ?? "null"
    switch code {
    case .valueAbsent: return "the record has no field for \(name)"
    case .valueNull: return "null is not allowed for \(name)"
    case .valueEmpty: return "an empty field is not allowed for \(name)"
    case .valueType: return "\(shown) is not a value of type \(field.type.xmlName) for \(name)"
    case .valueInteger: return "\(shown) is not a whole number for \(name)"
    case .valueNumber: return "\(shown) is not a number for \(name)"
    case .valueRange: return "\(shown) is outside the range of type \(field.type.xmlName) for \(name)"
    case .valuePrecision:
      return "\(shown) has more digits than a Core Data store keeps exactly (15, or 64 bits if whole) for \(name)"
    case .valueBoolean: return "\(shown) is not one of the spellings of true and false for \(name)"
    case .valueDate: return "\(shown) is not a date (\(dateForm(field))) for \(name)"
    case .valueCalendar: return "\(shown) is not a day and time that exist for \(name)"
    case .valueUUID: return "\(shown) is not a UUID for \(name)"
    case .valueURI: return "\(shown) is not a URI for \(name)"
    case .valueBase64: return "\(shown) is not base64 for \(name)"
    case .valueHex: return "\(shown) is not pairs of hexadecimal digits for \(name)"
    case .valueCode: return "\(shown) has a zero or a plus before its digits, as codes have; \(name) is a number"
    case .valueLength: return "\(shown) is longer than \(NumberText.greatestLength) bytes for \(name)"
    case .validateMissing: return "\(name) is not optional and has no value"
    case .validateType: return "\(shown) is not a value of type \(field.type.xmlName) for \(name)"
    case .validateTooLarge: return "\(shown) is above the maximum of \(name)\(field.demands.limit(code))"
    case .validateTooSmall: return "\(shown) is below the minimum of \(name)\(field.demands.limit(code))"
    case .validateTooLate: return "\(shown) is after the latest date of \(name)\(field.demands.limit(code))"
    case .validateTooSoon: return "\(shown) is before the earliest date of \(name)\(field.demands.limit(code))"
    case .validateDate: return "\(shown) is not a finite date for \(name)"
    case .validateTooLong: return "\(shown) is longer than \(name) may be\(field.demands.limit(code))"
    case .validateTooShort: return "\(shown) is shorter than \(name) may be\(field.demands.limit(code))"
    case .validatePattern:
      return "\(shown) does not match the regular expression of \(name)\(field.demands.limit(code))"
    case .nullKey: return "the key \(name) is null"
    case .emptyKey: return "the key \(name) is empty"
    case .duplicateKey: return "an earlier record or a stored object has the key \(shown) for \(name)"
    case .valueIdentities: return "\(shown) is not a list of identities for \(name): \(detail)"
    case .inverse: return "\(name) refers to \(detail), which does not refer back"
    case .missingTarget where !detail.isEmpty: return "\(name) refers to \(detail), which does not exist"
    case .missingTarget:
      let isUnnamed = value.map(\.isEmpty) ?? true
      return isUnnamed
        ? "the record names no \(entity): \(name) is empty" : "there is no \(entity) with \(name) = \(shown)"
    case .deleteDenied: return "no record names this \(entity), but a relationship prevents its deletion"
    // The constraint may be that of another entity in the table, and so may the object.
    case .unique where detail.isEmpty: return "another object has the value \(shown) for \(name)"
    case .unique: return text(code, detail: detail)
    default: return "the record was refused" + suffix(detail)
    }
  }

  /// The sentence about a record as a whole.
  static func text(_ code: RejectCode, detail: String) -> String {
    if code.isAboutSource { return detail }
    return switch code {
    case .duplicateKey: "an earlier record or a stored object has the same key"
    case .missingTarget: "an object that the record refers to is missing" + suffix(detail)
    case .unique: "another object has the same values" + suffix(detail)
    case .database: "the database refused the record" + suffix(detail)
    case .storeBadName: detail
    default: "the record was refused" + suffix(detail)
    }
  }

  private static func suffix(_ detail: String) -> String { detail.isEmpty ? "" : ": " + detail }

  private static func dateForm(_ field: CompiledField) -> String {
    switch field.options.dateFormat {
    case .iso8601: "ISO 8601"
    case .pattern(let pattern): pattern
    case .secondsSince1970: "seconds since 1970"
    case .millisecondsSince1970: "milliseconds since 1970"
    case .secondsSince2001: "seconds since 2001"
    }
  }

  /// The value in quotes, at most ``shownBytes`` bytes of it, on one line: control characters and bytes that are not
  /// UTF-8 as escapes.
  static func shown(_ bytes: UnsafeRawBufferPointer, limit: Int = shownBytes) -> String {
    var end = min(bytes.count, limit)
    // Not in the middle of a character.
    while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    var text = "\""
    var index = 0
    while index < end {
      let byte = bytes[index]
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      let next = min(end, index + length)
      if byte >= 0x80,
        let character = String(validating: UnsafeRawBufferPointer(rebasing: bytes[index..<next]), as: UTF8.self)
      {
        let category = character.unicodeScalars.first?.properties.generalCategory
        let isHidden = category == .control || category == .lineSeparator || category == .paragraphSeparator
        text += isHidden ? escape(character.unicodeScalars.first?.value ?? 0) : character
        index = next
      } else {
        switch byte {
        case UInt8(ascii: "\n"): text += "\\n"
        case UInt8(ascii: "\r"): text += "\\r"
        case UInt8(ascii: "\t"): text += "\\t"
        case 0..<0x20, 0x7F...: text += escape(UInt32(byte))
        default: text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        index += 1
      }
    }
    return text + (end < bytes.count ? "\"… (\(bytes.count) bytes)" : "\"")
  }

  private static func escape(_ value: UInt32) -> String { "\\u{" + String(value, radix: 16) + "}" }
}
