import Foundation
import MergewalkImporting
import MergewalkObjectModel

/// Conversion of one cell, as `docs/conversions.md` has it.
struct ReferenceConversion {
  /// What a cell means.
  enum Result: Equatable {
    /// What is there stays; a new object has the model's default.
    case keep
    case value(ReferenceValue)
    case failed(String)
  }

  let field: FieldImport
  let attribute: AttributeDescription

  /// What a cell means for the attribute; `replaces` says that what a record does not have goes to its default.
  func convert(_ cell: Cell, replaces: Bool = false) -> Result {
    switch cell {
    case .absent:
      return substitute(
        replaces && field.whenAbsent == .keep ? .useDefault : field.whenAbsent, field.absentValue, "value.absent")
    case .null: return substitute(field.whenNull, field.nullValue, "value.null")
    case .text(let text), .number(let text):
      return convert(text)
    case .boolean(let text):
      switch attribute.type {
      case .boolean: return .value(.boolean(text.lowercased() == "true"))
      case .string: return .value(ReferenceValue(text: text))
      default: return .failed("value.type")
      }
    case .list, .object:
      return attribute.type == .string
        ? .value(ReferenceValue(text: JSONForm.text(cell))) : .failed("value.type")
    }
  }

  private func convert(_ raw: String) -> Result {
    let text = field.conversion.trim ? Self.trimmed(raw) : raw
    if field.conversion.nullSpellings.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
      return substitute(field.whenNull, field.nullValue, "value.null")
    }
    if text.isEmpty {
      let policy = field.whenEmpty ?? ([.string, .binary].contains(attribute.type) ? .empty : .null)
      return substitute(policy, field.emptyValue, "value.empty")
    }
    return value(text)
  }

  /// Whether values are bytes.
  private var isBytes: Bool { attribute.type == .binary || attribute.type == .transformable }

  private func substitute(_ policy: FieldImport.Substitute, _ constant: String?, _ code: String) -> Result {
    if let constant { return value(constant) }
    switch policy {
    case .keep: return .keep
    case .null: return .value(.null)
    case .useDefault: return .value(ReferenceValue(attribute.defaultValue))
    case .empty: return .value(attribute.type == .string ? .text([]) : isBytes ? .bytes([]) : .null)
    case .reject: return .failed(code)
    }
  }

  static func trimmed(_ text: String) -> String {
    var scalars = text[...].unicodeScalars
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(Substring(scalars))
  }

  // MARK: Types

  private func value(_ text: String) -> Result {
    switch attribute.type {
    case .string: return .value(ReferenceValue(text: text))
    case .integer16: return integer(text, Int64(Int16.min)...Int64(Int16.max))
    case .integer32: return integer(text, Int64(Int32.min)...Int64(Int32.max))
    case .integer64: return integer(text, Int64.min...Int64.max)
    case .decimal:
      guard let number = number(text), let (value, digits) = ReferenceValue.decimal(of: number) else {
        return .failed("value.number")
      }
      return digits > 15 ? .failed("value.precision") : .value(value)
    case .double:
      guard let number = number(text), let value = Double(number) else { return .failed("value.number") }
      return value.isInfinite ? .failed("value.range") : .value(.real(value == 0 ? 0 : value))
    case .boolean:
      let (yes, no) = (field.conversion.trueSpellings, field.conversion.falseSpellings)
      let word = text.lowercased()
      if (yes.isEmpty ? ["true", "t", "yes", "y", "1", "on"] : yes.map { $0.lowercased() }).contains(word) {
        return .value(.boolean(true))
      }
      if (no.isEmpty ? ["false", "f", "no", "n", "0", "off"] : no.map { $0.lowercased() }).contains(word) {
        return .value(.boolean(false))
      }
      return .failed("value.boolean")
    case .date: return ReferenceDate.parse(text, field.conversion)
    case .uuid:
      let digits = text.replacing("-", with: "").uppercased()
      return ReferencePattern.uuid.match(text) != nil
        ? .value(.uuid(digits)) : .failed("value.uuid")
    case .binary, .transformable:
      return Data(base64Encoded: text).map { .value(.bytes(Array($0))) } ?? .failed("value.base64")
    default: preconditionFailure("the reference importer has no \(attribute.type)")
    }
  }

  /// A number with the marks that the field says, as numbers are written in general; nil for anything else.
  private func number(_ text: String) -> String? {
    var text = text
    if let mark = field.conversion.groupMark {
      let group = String(UnicodeScalar(mark))
      let parts = text.components(separatedBy: group)
      if parts.count > 1 {
        let whole = parts[1...].allSatisfy { $0.prefix(3).count == 3 && $0.prefix(3).allSatisfy(\.isNumber) }
        guard whole, (1...3).contains(parts[0].filter(\.isNumber).count) else { return nil }
        text = parts.joined()
      }
    }
    let mark = String(UnicodeScalar(field.conversion.decimalMark))
    if mark != "." {
      guard !text.contains(".") else { return nil }
      text = text.replacing(mark, with: ".")
    }
    return ReferencePattern.number.match(text) == nil ? nil : text
  }

  private func integer(_ text: String, _ range: ClosedRange<Int64>) -> Result {
    guard ReferencePattern.integer.match(text) != nil else { return .failed("value.integer") }
    guard let number = Int64(text), range.contains(number) else { return .failed("value.range") }
    return .value(.integer(number))
  }

  /// The code of what the model has against a value; nil when it has nothing against it.
  static func violation(_ value: ReferenceValue, _ attribute: AttributeDescription) -> String? {
    let rules = attribute.validation
    func compare(_ bound: AttributeValue?, _ fails: (Double, Double) -> Bool) -> Bool {
      switch (value, ReferenceValue(bound)) {
      case (.integer(let a), .integer(let b)): fails(Double(a), Double(b))
      case (.real(let a), .real(let b)), (.date(let a), .date(let b)): fails(a, b)
      default: false
      }
    }
    if value == .null { return attribute.isOptional ? nil : "validate.missing" }
    if compare(rules.maximumValue, >) { return attribute.type == .date ? "validate.tooLate" : "validate.tooLarge" }
    if compare(rules.minimumValue, <) { return attribute.type == .date ? "validate.tooSoon" : "validate.tooSmall" }
    if case .text(let bytes) = value {
      let length = String(decoding: bytes, as: UTF8.self).utf16.count
      if let most = rules.maximumLength, length > most { return "validate.tooLong" }
      if let least = rules.minimumLength, length < least { return "validate.tooShort" }
    }
    return nil
  }
}

/// Dates, counted by days.
enum ReferenceDate {
  /// Seconds since 2001 of a text.
  static func parse(_ text: String, _ options: ConversionOptions) -> ReferenceConversion.Result {
    switch options.dateFormat {
    case .iso8601: return iso(text, options.timeZoneOffset)
    case .pattern("dd.MM.yyyy"):
      guard let match = ReferencePattern.day.match(text) else { return .failed("value.date") }
      return iso("\(match.3)-\(match.2)-\(match.1)", options.timeZoneOffset)
    case .secondsSince1970:
      guard let seconds = Double(text) else { return .failed("value.date") }
      return .value(.date(seconds - 978_307_200))
    default: preconditionFailure("the reference importer has no such dates")
    }
  }

  private static func iso(_ text: String, _ zone: Int) -> ReferenceConversion.Result {
    guard let match = ReferencePattern.time.match(text) else { return .failed("value.date") }
    func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
    let (year, month, day) = (number(match.1), number(match.2), number(match.3))
    let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
    guard (1...12).contains(month), (1...days(year, month)).contains(day), hour < 24, minute < 60, second < 60 else {
      return .failed("value.calendar")
    }
    var offset = zone
    if let text = match.8 {
      offset = 0
      if text != "Z" {
        let digits = text.dropFirst().filter(\.isNumber)
        offset = (number(digits.prefix(2)) * 60 + number(digits.dropFirst(2))) * 60
        if text.first == "-" { offset = -offset }
      }
    }
    let fraction = Double("0." + (match.7 ?? ".0").dropFirst()) ?? 0
    let whole = ((dayNumber(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset
    return .value(.date(Double(whole) + fraction))
  }

  static func days(_ year: Int, _ month: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Days since 2001-01-01.
  static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    func daysBefore(_ year: Int) -> Int { (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 }
    return daysBefore(year) - daysBefore(2001) + (1..<month).reduce(0) { $0 + days(year, $1) } + day - 1
  }
}
