import Diagnostics
import ObjectContext
import ObjectModel
import ObjectStore

/// Checks one field's import against its attribute and collects what it finds.
struct FieldCheck {
  let field: FieldImport
  let attribute: AttributeDescription
  let path: String
  private(set) var findings: [Diagnostic] = []

  init(_ field: FieldImport, _ attribute: AttributeDescription, path: String) {
    self.field = field
    self.attribute = attribute
    self.path = path
  }

  private mutating func report(
    _ severity: Diagnostic.Severity, _ code: String, _ message: String, hint: String? = nil
  ) {
    findings.append(
      Diagnostic(
        severity, code: code, path: path, position: field.position,
        message: "\(attribute.name): \(message)", hint: hint))
  }

  // MARK: - Conversions

  /// The conversion for the attribute's type, or `nil` when there is none.
  mutating func kind() -> CompiledField.Kind? {
    let options = field.conversion
    checkUnusedOptions()
    if attribute.isDerived {
      report(.error, "derivedAttribute", "its value is derived by the store and cannot be imported")
    } else if attribute.isTransient {
      report(.error, "transientAttribute", "it is transient, so there is no column to import into")
    }
    if options.isStored, let kind = storedKind() { return kind }
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      guard let range = attribute.type.integerRange else { return nil }
      let base = IntegerConversion(range: range)
      return options.groupMark.map { .groupedInteger(.init(base: base, mark: $0, malformed: .integer)) }
        ?? .integer(base)
    case .double:
      let base = DoubleConversion(decimalMark: options.decimalMark)
      return options.groupMark.map { .groupedDouble(.init(base: base, mark: $0, malformed: .number)) } ?? .double(base)
    case .float:
      let base = FloatConversion(decimalMark: options.decimalMark)
      return options.groupMark.map { .groupedFloat(.init(base: base, mark: $0, malformed: .number)) } ?? .float(base)
    case .decimal:
      let base = DecimalConversion(decimalMark: options.decimalMark)
      return options.groupMark.map { .groupedDecimal(.init(base: base, mark: $0, malformed: .number)) }
        ?? .decimal(base)
    case .boolean: return .boolean(BooleanConversion(spellings: spellings()))
    case .date: return dateKind()
    case .string: return .text(TextConversion())
    case .uri: return .uri(URIConversion())
    case .uuid: return .uuid(UUIDConversion())
    case .binary, .transformable:
      switch options.binaryEncoding {
      case .base64: return .base64(Base64Conversion())
      case .hex: return .hex(HexConversion())
      case .raw: return .raw(RawConversion())
      }
    case .undefined, .objectID, .composite:
      report(.error, "unsupportedType", "values of type \(attribute.type.xmlName) cannot be imported")
      return nil
    }
  }

  /// The conversion of what exports write; `nil` where it is the usual one.
  private func storedKind() -> CompiledField.Kind? {
    switch attribute.type {
    case .double, .float: .storedDouble(StoredDoubleConversion())
    case .decimal: .storedDecimal(StoredDecimalConversion())
    case .date: .storedDate(StoredDateConversion())
    default: nil
    }
  }

  /// What the model demands of the values; what is wrong with the demands becomes a finding.
  mutating func validator() -> AttributeValidator {
    let validator = AttributeValidator(attribute)
    for problem in validator.problems {
      report(problem.isWarning ? .warning : .error, problem.code.rawValue, problem.message)
    }
    return validator
  }

  private mutating func dateKind() -> CompiledField.Kind? {
    let options = field.conversion
    if options.timeZoneOffset.magnitude >= 86_400 {
      report(.error, "invalidTimeZone", "the zone is more than 24 hours from UTC")
    }
    switch options.dateFormat {
    case .iso8601: return .isoDate(ISODateConversion(defaultOffset: options.timeZoneOffset))
    case .pattern(let text):
      var problems: [DatePattern.Finding] = []
      let pattern = DatePattern.compile(text, findings: &problems)
      for problem in problems {
        report(problem.isError ? .error : .warning, "datePattern", problem.message, hint: problem.hint)
      }
      return pattern.map {
        .patternDate(PatternDateConversion(pattern: $0, defaultOffset: options.timeZoneOffset))
      }
    case .secondsSince1970:
      return .epochDate(
        EpochConversion(decimalMark: options.decimalMark, scale: 0, epoch: CivilTime.referenceSeconds))
    case .millisecondsSince1970:
      return .epochDate(
        EpochConversion(decimalMark: options.decimalMark, scale: 3, epoch: CivilTime.referenceSeconds))
    case .secondsSince2001:
      return .epochDate(EpochConversion(decimalMark: options.decimalMark, scale: 0, epoch: 0))
    }
  }

  private mutating func spellings() -> BooleanSpellings {
    let options = field.conversion
    let trues = options.trueSpellings.isEmpty ? BooleanSpellings.defaultTrue : options.trueSpellings
    let falses = options.falseSpellings.isEmpty ? BooleanSpellings.defaultFalse : options.falseSpellings
    for spelling in trues
    where falses.contains(where: { BooleanSpellings.folded($0) == BooleanSpellings.folded(spelling) }) {
      report(.error, "ambiguousSpelling", "\"\(spelling)\" is listed both as true and as false")
    }
    if (trues + falses).contains("") {
      report(.warning, "emptySpelling", "an empty field has no spelling", hint: "say what it means with empty:")
    }
    return BooleanSpellings(true: trues, false: falses)
  }

  // MARK: - Options

  /// Reports options that say nothing about values of this type: usually they stand at the wrong attribute.
  private mutating func checkUnusedOptions() {
    let options = field.conversion
    let type = attribute.type
    let isNumber = [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(type)
    let isCount = type == .date && options.dateFormat.isCount
    var unused: [String] = []
    if type != .date {
      if options.dateFormat != .iso8601 { unused.append("the date format") }
      if options.timeZoneOffset != 0 { unused.append("the time zone") }
    }
    if !isNumber, !isCount, options.decimalMark != UInt8(ascii: ".") { unused.append("the decimal mark") }
    if !isNumber, options.groupMark != nil { unused.append("the group mark") }
    if !isNumber, options.plainNumbers { unused.append("the kind of numbers") }
    if type != .binary, type != .transformable, options.binaryEncoding != .base64 { unused.append("the encoding") }
    if type != .boolean, !options.trueSpellings.isEmpty || !options.falseSpellings.isEmpty {
      unused.append("the spellings of true and false")
    }
    for option in unused {
      report(.warning, "unusedOption", "\(option) says nothing about values of type \(type.xmlName)")
    }
    if isNumber || isCount { checkMarks() }
  }

  private mutating func checkMarks() {
    let options = field.conversion
    if options.groupMark == options.decimalMark {
      report(.error, "ambiguousMark", "the decimal mark and the group mark are the same")
    }
    for mark in [options.decimalMark, options.groupMark].compactMap({ $0 }) {
      let isDigit = mark &- UInt8(ascii: "0") <= 9
      let isLetter = (mark | 0x20) &- UInt8(ascii: "a") < 26
      let isSign = mark == UInt8(ascii: "+") || mark == UInt8(ascii: "-")
      if isDigit || isLetter || isSign || mark >= 0x80 {
        report(
          .error, "invalidMark", "a decimal or group mark is an ASCII character other than letters, digits and signs")
      }
    }
  }

  // MARK: - Substitutes

  /// A value that is set in the place of another, in the spelling of models; nil with a finding when it is none of the
  /// attribute's type.
  mutating func substitution(_ text: String, _ option: String) -> Substitution? {
    let value =
      attribute.type == .string || attribute.type == .uri
      ? .string(text) : AttributeValue(text: text, type: attribute.type)
    if let value, let cell = Substitution(default: value, type: attribute.type) { return cell }
    report(.error, "invalidValue", "“\(text)” is not a value of type \(attribute.type.xmlName)", hint: option)
    return nil
  }

  /// What a policy puts in the place of a value.
  mutating func substitution(
    _ substitute: FieldImport.Substitute, else failure: ConversionFailureCode
  ) -> Substitution {
    switch substitute {
    case .keep: return Substitution(tag: CellTag.absent)
    case .null: return Substitution(tag: CellTag.null)
    case .reject: return Substitution(failure: failure)
    case .empty:
      switch attribute.type {
      case .string: return Substitution(tag: CellTag.text)
      case .binary, .transformable: return Substitution(tag: CellTag.blob)
      default: return Substitution(tag: CellTag.null)
      }
    case .useDefault:
      guard let value = attribute.defaultValue else {
        report(.warning, "noDefault", "the model has no default, so the value becomes null")
        return Substitution(tag: CellTag.null)
      }
      if let cell = Substitution(default: value, type: attribute.type) { return cell }
      report(.error, "invalidDefault", "the model's default is not a value of type \(attribute.type.xmlName)")
      return Substitution(tag: CellTag.null)
    }
  }
}

extension ConversionOptions.DateFormat {
  /// Whether dates are numbers.
  var isCount: Bool {
    switch self {
    case .iso8601, .pattern: false
    case .secondsSince1970, .millisecondsSince1970, .secondsSince2001: true
    }
  }
}

extension Substitution {
  /// The cell of a default value, or `nil` when it is not of the attribute's type.
  init?(default value: AttributeValue, type: AttributeType) {
    switch (type, value) {
    case (_, .null): self.init(tag: CellTag.null)
    case (.boolean, .boolean(let flag)): self.init(ConvertedCell(integer: flag ? 1 : 0))
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)),
      (.boolean, .integer(let number)):
      guard type.integerRange?.contains(number) == true else { return nil }
      self.init(ConvertedCell(integer: number))
    case (.double, .double(let number)):
      guard number.isFinite else { return nil }
      self.init(ConvertedCell(real: number + 0))
    case (.float, .double(let number)):
      guard Float(number).isFinite else { return nil }
      self.init(ConvertedCell(real: Double(Float(number)) + 0))
    case (.double, .integer(let number)): self.init(ConvertedCell(real: Double(number)))
    case (.float, .integer(let number)): self.init(ConvertedCell(real: Double(Float(number))))
    case (.decimal, .decimal(let number)):
      guard let cell = try? DecimalText.cell(number) else { return nil }
      self.init(cell)
    case (.decimal, .integer(let number)): self.init(ConvertedCell(integer: number))
    case (.date, .date(let seconds)):
      guard seconds.isFinite else { return nil }
      self.init(ConvertedCell(real: seconds + 0))
    case (.string, .string(let text)), (.uri, .uri(let text)), (.uri, .string(let text)):
      self.init(tag: CellTag.text, bytes: Array(text.utf8))
    case (.binary, .binary(let bytes)), (.transformable, .binary(let bytes)):
      self.init(tag: CellTag.blob, bytes: bytes)
    case (.uuid, .uuid(let high, let low)):
      self.init(
        tag: CellTag.blob,
        bytes: [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } })
    default: return nil
    }
  }
}
