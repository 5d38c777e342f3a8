import MergewalkBytes
import MergewalkObjectModel

/// How texts become values of the other types, prepared from ``ConversionOptions``.
struct FieldReading: Sendable {
  enum DateReading: Sendable {
    case iso(Int)
    case pattern(DatePattern, Int)
    case epoch(scale: Int, epoch: Int64)
  }

  private let trims: Bool
  private let nulls: [[UInt8]]
  private let decimalMark: UInt8
  private let groupMark: UInt8?
  private let booleans: BooleanSpellings
  private let dates: DateReading

  /// Prepares options; what is wrong with a date's pattern has findings of the field's own.
  init(_ options: ConversionOptions) {
    trims = options.trim
    nulls = options.nullSpellings.map { Array($0.utf8) }
    decimalMark = options.decimalMark
    groupMark = options.groupMark
    booleans = BooleanSpellings(
      true: options.trueSpellings.isEmpty ? BooleanSpellings.defaultTrue : options.trueSpellings,
      false: options.falseSpellings.isEmpty ? BooleanSpellings.defaultFalse : options.falseSpellings)
    switch options.dateFormat {
    case .iso8601: dates = .iso(options.timeZoneOffset)
    case .pattern(let text):
      var findings: [DatePattern.Finding] = []
      dates = DatePattern.compile(text, findings: &findings).map { .pattern($0, options.timeZoneOffset) } ?? .iso(0)
    case .secondsSince1970: dates = .epoch(scale: 0, epoch: CivilDate.secondsTo2001)
    case .millisecondsSince1970: dates = .epoch(scale: 3, epoch: CivilDate.secondsTo2001)
    case .secondsSince2001: dates = .epoch(scale: 0, epoch: 0)
    }
  }

  /// A value that was read.
  struct Value {
    var tag: UInt8
    var payload: UInt64 = 0
    var digits: Int128 = 0

    static let null = Value(tag: Register.null)
  }

  /// Why a text that was read as null has no value.
  func reason(_ text: FieldBytes) -> FieldTally.Replacement {
    let bytes = trims ? FieldBytes(rebasing: text[WhiteSpace.trimmed(text)]) : text
    if nulls.contains(where: { $0.elementsEqual(bytes) }) { return .nullSpelling }
    return text.isEmpty ? .empty : .trimmed
  }

  /// Reads a text; one that is empty or spells null is null.
  ///
  /// - Throws: when it does not spell a value of the type.
  @inline(__always)
  func read(_ text: FieldBytes, as kind: ValueKind) throws(ConversionFailureCode) -> Value {
    var bytes = text
    if trims { bytes = FieldBytes(rebasing: bytes[WhiteSpace.trimmed(bytes)]) }
    if bytes.isEmpty || (!nulls.isEmpty && nulls.contains { $0.elementsEqual(bytes) }) { return .null }
    switch kind {
    case .text: return .null
    case .integer:
      let value =
        groupMark.map { bytes.contains($0) } == true
        ? try plain(bytes, .integer) { (bytes) throws(ConversionFailureCode) in try IntegerText.parse(bytes) }
        : try IntegerText.parse(bytes)
      return Value(tag: Register.value, payload: UInt64(bitPattern: value))
    case .double:
      let mark = decimalMark
      let value =
        groupMark.map { bytes.contains($0) } == true
        ? try plain(bytes, .number) { (bytes) throws(ConversionFailureCode) in
          try DoubleText.parse(bytes, decimalMark: mark)
        }
        : try DoubleText.parse(bytes, decimalMark: mark)
      return Value(tag: Register.value, payload: value.bitPattern)
    case .decimal:
      if groupMark.map({ bytes.contains($0) }) == true {
        let mark = decimalMark
        return try plain(bytes, .number) { (bytes) throws(ConversionFailureCode) in
          try Self.decimal(bytes, mark)
        }
      }
      return try Self.decimal(bytes, decimalMark)
    case .boolean:
      return Value(tag: Register.value, payload: try booleans.parse(bytes) ? 1 : 0)
    case .date:
      let seconds: Double
      switch dates {
      case .iso(let offset): seconds = try ISODateText.parse(bytes, defaultOffset: offset)
      case .pattern(let pattern, let offset): seconds = try pattern.parse(bytes, defaultOffset: offset)
      case .epoch(let scale, let epoch):
        seconds = try EpochText.parse(bytes, decimalMark: decimalMark, scale: scale, epoch: epoch)
      }
      return Value(tag: Register.value, payload: seconds.bitPattern)
    }
  }

  @inline(never)
  private func plain<Result>(
    _ bytes: FieldBytes, _ malformed: ConversionFailureCode,
    _ body: (FieldBytes) throws(ConversionFailureCode) -> Result
  ) throws(ConversionFailureCode) -> Result {
    try NumberText.withoutGroupMarks(bytes, mark: groupMark ?? 0, malformed: malformed, body)
  }

  /// Reads a decimal of at most 38 digits as it is written: `2.50` has two decimal places.
  @inline(__always)
  static func decimal(_ bytes: FieldBytes, _ mark: UInt8) throws(ConversionFailureCode) -> Value {
    let text = try NumberText(bytes, decimalMark: mark)
    guard text.isExact, text.exponent <= 0, text.exponent >= -38 else { return try wideDecimal(bytes, mark) }
    let digits = text.isNegative ? -Int128(text.significand) : Int128(text.significand)
    return Value(tag: Register.value, payload: UInt64(bitPattern: Int64(text.exponent)), digits: digits)
  }

  @inline(never)
  private static func wideDecimal(_ bytes: FieldBytes, _ mark: UInt8) throws(ConversionFailureCode) -> Value {
    let plain = bytes.map { $0 == mark ? UInt8(ascii: ".") : $0 }
    guard let number = DecimalNumber(plain), number.exponent >= -128, number.exponent <= 127 else {
      throw .precision
    }
    return Value(
      tag: Register.value, payload: UInt64(bitPattern: Int64(number.exponent)), digits: number.significand)
  }

  /// Reads a constant of a definition; nil when it does not spell a value.
  static func constant(_ text: String, as kind: ValueKind, _ reading: FieldReading = FieldReading(ConversionOptions()))
    -> Value?
  {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBufferPointer { bytes in try? reading.read(bytes, as: kind) }
  }
}
