import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectContext
package import MergewalkObjectModel
import MergewalkObjectStore

/// Checks one field's import against its attribute and collects what it finds.
struct FieldCheck {
  let field: FieldImport
  let attribute: AttributeDescription
  /// Whether what is wrong with the model's own rules has findings already.
  let isModelLinted: Bool
  private(set) var findings: FindingList

  init(_ field: FieldImport, _ attribute: AttributeDescription, path: String, isModelLinted: Bool = false) {
    self.field = field
    self.attribute = attribute
    self.isModelLinted = isModelLinted
    findings = FindingList(path: path)
  }

  /// Adds a finding at the place of the first of the options that is said, or of the field.
  private mutating func report(
    _ code: FindingCode, as severity: Diagnostic.Severity? = nil, about options: [String] = [], _ message: String,
    hint: String? = nil
  ) {
    let place = options.compactMap { field.places[$0]?.value }.first ?? field.position
    findings.report(code, as: severity, at: place, "\(attribute.name): \(message)", hint: hint)
  }

  // MARK: - Conversions

  /// The conversion for the attribute's type, or `nil` when there is none.
  mutating func kind() -> CompiledField.Kind? {
    let options = field.conversion
    checkOptions()
    if let obstacle = attribute.importObstacle {
      findings.report(.unsuitableAttribute, at: field.position, "“\(attribute.name)” \(obstacle)")
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
    case .undefined, .objectID, .composite: return nil
    }
  }

  /// The conversion of what exports write; `nil` where it is the usual one.
  private func storedKind() -> CompiledField.Kind? {
    switch attribute.type {
    case .double, .float: .storedDouble(StoredDoubleConversion())
    case .decimal: .storedDecimal(StoredDecimalConversion())
    case .date: .storedDate(StoredDateConversion(takesInfinity: field.conversion.isVerbatim))
    case .uri where field.conversion.isVerbatim: .text(TextConversion())
    default: nil
    }
  }

  /// The constraints of the model on the values; an error in a constraint becomes a finding.
  mutating func validator() -> AttributeValidator {
    let validator = AttributeValidator(attribute)
    // The lint of a model says what is not checked; an expression that cannot be used lets no value pass.
    for problem in validator.problems where !isModelLinted || problem.code == .invalidPattern {
      findings.add([
        Diagnostic(
          problem.isWarning ? .warning : .error, code: problem.code.rawValue, path: findings.path,
          position: field.position, message: "\(attribute.name): \(problem.message)")
      ])
    }
    return validator
  }

  private mutating func dateKind() -> CompiledField.Kind? {
    let options = field.conversion
    if options.timeZoneOffset.magnitude >= 86_400 {
      report(.invalidTimeZone, about: ["zone"], "the zone is more than 24 hours from UTC")
    }
    switch options.dateFormat {
    case .iso8601: return .isoDate(ISODateConversion(defaultOffset: options.timeZoneOffset))
    case .pattern(let text):
      var problems: [DatePattern.Finding] = []
      let pattern = DatePattern.compile(text, findings: &problems)
      for problem in problems {
        report(
          .datePattern, as: problem.isError ? .error : .warning, about: ["date"], problem.message, hint: problem.hint)
      }
      return pattern.map {
        .patternDate(PatternDateConversion(pattern: $0, defaultOffset: options.timeZoneOffset))
      }
    case .secondsSince1970:
      return .epochDate(
        EpochConversion(decimalMark: options.decimalMark, scale: 0, epoch: CivilDate.secondsTo2001))
    case .millisecondsSince1970:
      return .epochDate(
        EpochConversion(decimalMark: options.decimalMark, scale: 3, epoch: CivilDate.secondsTo2001))
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
      report(
        .ambiguousSpelling, about: ["true", "false"], "\"\(spelling)\" is listed both as true and as false",
        hint: "take it out of one of the two lists")
    }
    if (trues + falses).contains("") {
      report(
        .emptySpelling, about: ["true", "false"], "an empty field has no spelling",
        hint: "set its meaning with empty:")
    }
    return BooleanSpellings(true: trues, false: falses)
  }

  // MARK: - Options

  /// Finds options that mean nothing for values of this type: usually they stand at the wrong attribute.
  private mutating func checkOptions() {
    let options = field.conversion
    let standard = ConversionOptions()
    // A date may be a number.
    let isCount = attribute.type == .date && options.dateFormat.isCount
    for (option, isSet) in [
      ("date", options.dateFormat != standard.dateFormat), ("zone", options.timeZoneOffset != standard.timeZoneOffset),
      ("encoding", options.binaryEncoding != standard.binaryEncoding), ("true", !options.trueSpellings.isEmpty),
      ("false", !options.falseSpellings.isEmpty), ("group_mark", options.groupMark != standard.groupMark),
      ("plain_numbers", options.plainNumbers), ("decimal_mark", options.decimalMark != standard.decimalMark),
    ] where isSet || field.places[option] != nil {
      guard let wanted = AttributeType.wanted(by: option), !wanted.types.contains(attribute.type),
        !(isCount && option == "decimal_mark")
      else { continue }
      // Steps read texts as these say, whatever the attribute takes in the end.
      if !field.steps.isEmpty, option != "encoding", option != "plain_numbers" { continue }
      refuse(
        at: field.places[option]?.key,
        "“\(option)” is for attributes of type \(wanted.words), but “\(attribute.name)” is \(attribute.type.xmlName)",
        hint: "leave it out, or move it to the intended attribute")
    }
    if isCount || AttributeType.numbers.contains(attribute.type) { checkMarks() }
    checkSubstitute("absent", field.whenAbsent, standard: .keep)
    checkSubstitute("null", field.whenNull, standard: .null)
    checkSubstitute("empty", field.whenEmpty, standard: nil)
  }

  /// Adds a finding about an option that means nothing: an error where a person said it, else a warning.
  private mutating func refuse(at place: SourcePosition?, _ message: String, hint: String? = nil) {
    findings.report(
      .unsuitableOption, as: place == nil ? .warning : .error, at: place ?? field.position, message, hint: hint)
  }

  /// Finds policies that the attribute cannot follow; defaults are not counted.
  private mutating func checkSubstitute(
    _ option: String, _ substitute: FieldImport.Substitute?, standard: FieldImport.Substitute?
  ) {
    let place = field.places[option]?.value
    // To mode “replace” nothing is the default where the model has none.
    if option == "absent", field.isReplaced { return }
    guard let substitute, place != nil || substitute != standard, let obstacle = substitute.obstacle(at: attribute)
    else { return }
    refuse(
      at: place, obstacle,
      hint: substitute == .null
        ? "use “\(option): reject”" : substitute == .useDefault ? "use “null”, or give it one" : nil)
  }

  private mutating func checkMarks() {
    let options = field.conversion
    if options.groupMark == options.decimalMark {
      report(
        .ambiguousMark, about: ["group_mark", "decimal_mark"], "the decimal mark and the group mark are the same",
        hint: "numbers such as 1.234,50 have “decimal_mark: comma” and “group_mark: point”")
    }
    for mark in [options.decimalMark, options.groupMark].compactMap({ $0 }) {
      let isSign = mark == UInt8(ascii: "+") || mark == UInt8(ascii: "-")
      if mark.isDigit || mark.isLetter || isSign || mark >= 0x80 {
        report(
          .invalidMark, about: ["group_mark", "decimal_mark"],
          "a decimal or group mark is an ASCII character other than letters, digits and signs")
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
    report(
      .invalidValue, about: [option], "“\(text)” is not a value of type \(attribute.type.xmlName)",
      hint: "write it as models have it: 1.5, true, 2024-12-31T00:00:00Z")
    return nil
  }

  /// The substitute that a policy gives for a value.
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
      case .uri where field.conversion.isVerbatim: return Substitution(tag: CellTag.text)
      case .binary, .transformable: return Substitution(tag: CellTag.blob)
      default: return Substitution(tag: CellTag.null)
      }
    case .useDefault:
      guard let value = attribute.defaultValue else { return Substitution(tag: CellTag.null) }
      if let cell = Substitution(default: value, type: attribute.type) { return cell }
      report(.invalidDefault, "the model's default is not a value of type \(attribute.type.xmlName)")
      return Substitution(tag: CellTag.null)
    }
  }
}

extension AttributeDescription {
  /// Why no record can fill the attribute; `nil` when one can.
  var importObstacle: String? {
    if isDerived { return "is derived: the store computes it" }
    if isTransient { return "is transient: it is never stored" }
    switch type {
    case .undefined, .objectID, .composite: return "has the type \(type.xmlName), which no column converts to"
    default: return nil
    }
  }
}

extension AttributeType {
  static let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .decimal, .double, .float]

  /// The types that an option of fields is for, and what messages call them; nil for one that is for all.
  package static func wanted(by option: String) -> (types: [AttributeType], words: String)? {
    switch option {
    case "date", "zone": ([.date], "Date")
    case "encoding": ([.binary, .transformable], "Binary or Transformable")
    case "true", "false": ([.boolean], "Boolean")
    case "decimal_mark", "group_mark", "plain_numbers": (numbers, "Decimal, Double, Float or Integer")
    default: nil
    }
  }
}

extension FieldImport.Substitute {
  /// Why an attribute cannot take it in the place of a value; nil when it can.
  package func obstacle(at attribute: AttributeDescription) -> String? {
    switch self {
    case .empty where attribute.type != .string && attribute.type != .binary:
      "“\(attribute.name)” is \(attribute.type.xmlName): only String and Binary have an empty value"
    case .useDefault where attribute.defaultValue == nil: "“\(attribute.name)” has no default in the model"
    case .null where !attribute.isOptional: "“\(attribute.name)” is mandatory: a null rejects the record"
    default: nil
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
      self.init(tag: CellTag.blob, bytes: UUIDText.bytes(high, low))
    default: return nil
    }
  }
}
