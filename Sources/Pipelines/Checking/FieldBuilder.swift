import Diagnostics
import Importing
import ObjectModel

extension ImportBuilder {
  /// Builds the import of one attribute and remembers the column it uses.
  mutating func field(_ named: NamedValue, of entity: EntityDescription?) -> FieldImport {
    let from = named.value?.text("from")
    let column = from ?? named.name
    if named.value?.expression("value") == nil {
      columns.append(ColumnUse(name: column.value, position: column.position))
    }
    return FieldBuilder(findings: findings, defaults: defaults).build(named, column: column.value, of: entity)
  }
}

/// Turns a `field` component into a ``FieldImport``, checked against its attribute.
struct FieldBuilder {
  let findings: Findings
  /// What holds for every field that does not say otherwise.
  let defaults: ComponentValue?

  /// Builds the import of the attribute; without an entity only what needs none is checked.
  func build(_ named: NamedValue, column: String, of entity: EntityDescription?) -> FieldImport {
    var field = FieldImport(attributeName: named.name.value, column: column)
    field.position = named.name.position
    let attribute = entity.flatMap { self.attribute(named.name, of: $0) }
    var component = named.value ?? ComponentValue(position: named.name.position)
    if let defaults, let attribute {
      for (name, option) in defaults.fields
      where !component.has(name) && Self.fits(name, option, attribute) && !component.hasCase(name) {
        component.fields[name] = option
      }
    }
    if let value = component.choice("absent", as: FieldImport.Substitute.self) { field.whenAbsent = value }
    if let value = component.choice("null", as: FieldImport.Substitute.self) { field.whenNull = value }
    field.whenEmpty = component.choice("empty", as: FieldImport.Substitute.self)
    field.conversion = conversion(component)
    field.absentValue = component.text("absent_value")?.value
    field.nullValue = component.text("null_value")?.value
    field.emptyValue = component.text("empty_value")?.value
    field.steps = StepBuilder(findings: findings).steps(component.steps("do"))
    field.value = component.expression("value")
    checkSubstitutes(component)
    if field.value != nil, let from = component.fields["from"] {
      findings.add(
        .invalidOption, at: from.keyPosition, "“from” says nothing beside “value”", hint: "keep one of the two")
    }
    if let attribute {
      check(component, field, against: attribute)
      compile(field, component, attribute)
    }
    return field
  }

  /// Finds cases that say both what becomes of a value and which value takes its place.
  private func checkSubstitutes(_ component: ComponentValue) {
    for name in ["absent", "null", "empty"] {
      guard let value = component.fields[name + "_value"], component.has(name) else { continue }
      findings.add(
        .invalidOption, at: value.keyPosition, "“\(name)_value” says nothing beside “\(name)”",
        hint: "keep one of the two")
    }
  }

  /// Whether an option that holds for every field says something about this attribute.
  private static func fits(_ name: String, _ option: ComponentValue.Field, _ attribute: AttributeDescription) -> Bool {
    let type = attribute.type
    switch name {
    case "date", "zone": return type == .date
    case "encoding": return type == .binary || type == .transformable
    case "true", "false": return type == .boolean
    case "decimal_mark", "group_mark", "plain_numbers":
      return [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(type)
    case "absent_value", "null_value", "empty_value":
      guard case .text(let text) = option.value else { return false }
      return type == .string || AttributeValue(text: text, type: type) != nil
    case "absent", "null", "empty":
      guard case .text(let substitute) = option.value else { return false }
      switch substitute {
      case "empty": return type == .string || type == .binary
      case "null": return attribute.isOptional
      case "default": return attribute.defaultValue != nil
      default: return true
      }
    default: return true
    }
  }

  /// Why no record can fill the attribute, or `nil` when one can.
  static func obstacle(_ attribute: AttributeDescription) -> String? {
    if attribute.isDerived { return "is derived: the store computes it" }
    if attribute.isTransient { return "is transient: it is never stored" }
    switch attribute.type {
    case .undefined, .objectID, .composite:
      return "has the type \(attribute.type.xmlName), which no column converts to"
    default: return nil
    }
  }

  private func attribute(_ name: Located<String>, of entity: EntityDescription) -> AttributeDescription? {
    guard let attribute = entity.attribute(named: name.value) else {
      if entity.relationship(named: name.value) != nil {
        findings.add(
          .wrongKind, at: name.position, "“\(name.value)” is a relationship of “\(entity.name)”, not an attribute",
          hint: "put it under “relationships” and say how its target is found")
      } else {
        findings.addUnknown(
          .unknownAttribute, at: name.position, "“\(entity.name)” has no attribute “\(name.value)”", name: name.value,
          candidates: entity.attributes.map(\.name))
      }
      return nil
    }
    if let obstacle = Self.obstacle(attribute) {
      findings.add(.unsuitableAttribute, at: name.position, "“\(name.value)” \(obstacle)")
      return nil
    }
    return attribute
  }

  func conversion(_ component: ComponentValue) -> ConversionOptions {
    var options = ConversionOptions()
    options.trim = component.flag("trim") ?? false
    options.nullSpellings = component.texts("null_tokens")?.map(\.value) ?? []
    options.trueSpellings = component.texts("true")?.map(\.value) ?? []
    options.falseSpellings = component.texts("false")?.map(\.value) ?? []
    if let date = component.text("date") { options.dateFormat = Self.dateFormat(date.value) }
    if let zone = component.text("zone") {
      if let offset = Self.zoneOffset(zone.value) {
        options.timeZoneOffset = offset
      } else {
        findings.add(
          .invalidOption, at: zone.position, "“zone” cannot be “\(zone.value)”",
          hint: "write UTC or an offset such as \"+02:00\"")
      }
    }
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

  static func dateFormat(_ text: String) -> ConversionOptions.DateFormat {
    switch text {
    case "iso8601": .iso8601
    case "unix": .secondsSince1970
    case "unix_ms": .millisecondsSince1970
    case "core_data": .secondsSince2001
    default: .pattern(text)
    }
  }

  /// The seconds east of UTC of `UTC`, `Z`, `+02:00`, `-0330` or `+2`; `nil` for anything else or beyond 18 hours.
  static func zoneOffset(_ text: String) -> Int? {
    if text == "UTC" || text == "Z" { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let rest = text.dropFirst()
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    let digits = parts.count == 1 && rest.utf8.count == 4 ? [rest.prefix(2), rest.suffix(2)] : parts
    guard digits.count <= 2, digits.allSatisfy({ (1...2).contains($0.utf8.count) }),
      let hours = Quantity.digits(digits[0]), let minutes = digits.count == 2 ? Quantity.digits(digits[1]) : 0,
      minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    guard seconds <= 18 * 3600 else { return nil }
    return sign == "-" ? -seconds : seconds
  }

  /// Lets the conversion check itself, and puts what it finds at the option that it is about.
  private func compile(_ field: FieldImport, _ component: ComponentValue, _ attribute: AttributeDescription) {
    var list: [Diagnostic] = []
    _ = CompiledField.compile(field, attribute: attribute, path: findings.path, findings: &list)
    for var finding in list {
      let option: String
      switch finding.code {
      case "datePattern": option = "date"
      case "invalidTimeZone": option = "zone"
      case "ambiguousSpelling", "emptySpelling": option = component.has("true") ? "true" : "false"
      case "ambiguousMark", "invalidMark": option = component.has("group_mark") ? "group_mark" : "decimal_mark"
      case "invalidDefault": option = ""
      case "invalidValue":
        option = finding.hint ?? ""
        finding.hint = nil
      // The others have findings of their own above, at their options.
      default: continue
      }
      if let place = component.fields[option]?.position { finding.position = place }
      findings.add([finding])
    }
  }

  /// Finds options that mean nothing for the attribute's type.
  private func check(_ component: ComponentValue, _ field: FieldImport, against attribute: AttributeDescription) {
    func refuse(_ names: [String], unless fits: Bool, _ wanted: String) {
      guard !fits else { return }
      for name in names {
        guard let field = component.fields[name] else { continue }
        findings.add(
          .unsuitableOption, at: field.keyPosition,
          "“\(name)” is for attributes of type \(wanted), but “\(attribute.name)” is \(attribute.type.xmlName)")
      }
    }
    let type = attribute.type
    refuse(["date", "zone"], unless: type == .date, "Date")
    refuse(["encoding"], unless: type == .binary || type == .transformable, "Binary or Transformable")
    refuse(["true", "false"], unless: type == .boolean, "Boolean")
    let isNumber = [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(type)
    let isCount =
      type == .date
      && [.secondsSince1970, .millisecondsSince1970, .secondsSince2001].contains(
        field.conversion.dateFormat)
    refuse(["group_mark", "plain_numbers"], unless: isNumber, "Decimal, Double, Float or Integer")
    refuse(["decimal_mark"], unless: isNumber || isCount, "Decimal, Double, Float or Integer")
    for name in ["absent", "null", "empty"] {
      guard let substitute = component.text(name) else { continue }
      if substitute.value == "empty", type != .string, type != .binary {
        findings.add(
          .unsuitableOption, at: substitute.position,
          "“\(attribute.name)” is \(type.xmlName): only String and Binary have an empty value")
      } else if substitute.value == "default", attribute.defaultValue == nil {
        findings.add(
          .unsuitableOption, at: substitute.position, "“\(attribute.name)” has no default in the model",
          hint: "use “null”, or give it one")
      } else if substitute.value == "null", !attribute.isOptional {
        findings.add(
          .unsuitableOption, at: substitute.position,
          "“\(attribute.name)” is mandatory: a null rejects the record", hint: "say so with “\(name): reject”")
      }
    }
  }
}
