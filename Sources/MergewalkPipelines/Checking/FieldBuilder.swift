import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel

/// Turns a `field` component into a ``FieldImport`` that knows where everything stands.
struct FieldBuilder {
  let findings: Findings
  /// The defaults of every field.
  let defaults: ComponentValue?
  /// Words that were detected as null in the source, which mean it only where they can be no value.
  var nullWords: [String] = []

  /// Builds the import of the attribute; without its entity no option of all fields is known to fit.
  func build(_ named: NamedValue, of entity: EntityDescription?) -> FieldImport {
    var component = named.value ?? ComponentValue(.field, position: named.name.position)
    let zone = component.fields["zone"]
    if let defaults, let attribute = entity?.attribute(named: named.name.value) {
      // Steps read texts as all fields do, whatever the attribute takes in the end.
      let readings = component.has("do") ? FieldSpec.readings.map(\.name) : []
      for (name, option) in defaults.fields
      where !component.has(name) && !component.hasCase(name)
        && (readings.contains(name) || Self.fits(name, option, attribute))
      {
        component.fields[name] = option
      }
    }
    var field = FieldImport(
      attributeName: named.name.value, column: component.text("from")?.value ?? named.name.value)
    field.position = named.name.position
    field.places = component.places
    field.whenAbsent = component.choice(orDefault: "absent", as: FieldImport.Substitute.self)
    field.whenNull = component.choice(orDefault: "null", as: FieldImport.Substitute.self)
    field.whenEmpty = component.choice("empty", as: FieldImport.Substitute.self)
    field.conversion = conversion(component)
    if let zone { findings.checkZone(at: zone.keyPosition, of: field.conversion) }
    field.absentValue = component.text("absent_value")?.value
    field.nullValue = component.text("null_value")?.value
    field.emptyValue = component.text("empty_value")?.value
    if let type = entity?.attribute(named: named.name.value)?.type, Self.takesNullWords(type) {
      addNullWords(to: &field.conversion)
    }
    field.steps = StepBuilder(findings: findings).steps(component.steps("do"))
    field.value = component.expression("value")
    if field.value != nil, let from = component.fields["from"] {
      findings.add(
        .invalidOption, at: from.keyPosition, "“from” has no effect together with “value”", hint: "keep one of the two")
    }
    return field
  }

  /// Whether an option that holds for every field says something about this attribute.
  private static func fits(_ name: String, _ option: ComponentValue.Field, _ attribute: AttributeDescription) -> Bool {
    let type = attribute.type
    switch name {
    case "absent_value", "null_value", "empty_value":
      guard case .text(let text) = option.value else { return false }
      return type == .string || AttributeValue(text: text, type: type) != nil
    case "absent", "null", "empty":
      guard case .text(let text) = option.value else { return false }
      return FieldImport.Substitute(rawValue: text)?.obstacle(at: attribute) == nil
    default: return AttributeType.wanted(by: name)?.types.contains(type) ?? true
    }
  }

  /// Whether no word such as `NA` is a value of the type; what was detected alters no text.
  private static func takesNullWords(_ type: AttributeType) -> Bool {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date, .uuid: true
    case .undefined, .string, .binary, .uri, .transformable, .objectID, .composite: false
    }
  }

  /// Adds the words that were detected as null to those that a person gave, but for words to which a person gave another
  /// meaning.
  func addNullWords(to options: inout ConversionOptions) {
    let others = Set((options.trueSpellings + options.falseSpellings).map { $0.lowercased() } + options.nullSpellings)
    options.nullSpellings += nullWords.filter { !others.contains($0) && !others.contains($0.lowercased()) }
  }

  func conversion(_ component: ComponentValue) -> ConversionOptions {
    var options = ConversionOptions()
    options.trim = component.flag("trim") ?? false
    options.nullSpellings = component.texts("null_tokens")?.map(\.value) ?? []
    options.trueSpellings = component.texts("true")?.map(\.value) ?? []
    options.falseSpellings = component.texts("false")?.map(\.value) ?? []
    if let date = component.text("date") { options.dateFormat = Self.dateFormat(date.value) }
    options.timeZoneOffset = component.count("zone") ?? options.timeZoneOffset
    if let encoding = component.choice("encoding", as: ConversionOptions.BinaryEncoding.self) {
      options.binaryEncoding = encoding
    }
    if let mark = component.text("decimal_mark") {
      if let byte = mark.value.utf8.first {
        options.decimalMark = byte
      } else {
        findings.add(.invalidOption, at: mark.position, "“decimal_mark” cannot be none")
      }
    }
    options.plainNumbers = component.flag("plain_numbers") ?? false
    options.groupMark = component.text("group_mark")?.value.utf8.first
    return options
  }

  /// The format of dates that a text names.
  static func dateFormat(_ text: String) -> ConversionOptions.DateFormat {
    switch text {
    case "iso8601": .iso8601
    case "unix": .secondsSince1970
    case "unix_ms": .millisecondsSince1970
    case "core_data": .secondsSince2001
    default: .pattern(text)
    }
  }
}

extension Findings {
  /// Warns of a time zone for dates that are numbers, which need none.
  func checkZone(at position: SourcePosition, of conversion: ConversionOptions) {
    switch conversion.dateFormat {
    case .secondsSince1970, .millisecondsSince1970, .secondsSince2001:
      addIdle("“zone” is for dates that are texts, and these are numbers", at: position)
    case .iso8601, .pattern: break
    }
  }
}
