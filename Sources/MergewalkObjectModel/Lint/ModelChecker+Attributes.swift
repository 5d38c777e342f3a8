import MergewalkDiagnostics

/// Types, defaults, bounds, transformers and expressions of attributes.
extension ModelChecker {
  mutating func checkAttribute(_ attribute: AttributeDescription, of entity: Int) {
    let position = attribute.position
    if attribute.type == .undefined, !attribute.isTransient {
      findings.error(
        "undefinedType", position, "the attribute “\(attribute.name)” has no type",
        hint: "only a transient attribute may lack one")
    }
    if attribute.type == .composite || !attribute.elements.isEmpty { checkComposite(attribute) }
    checkTransformer(attribute)
    checkShadow(attribute, of: entity)
    checkBounds(attribute)
    checkDefault(attribute)
    if let expression = attribute.derivationExpression { checkExpression(expression, attribute, of: entity) }
    if advice, attribute.isOptional, !attribute.isDerived, !attribute.isTransient, attribute.type.isNumber {
      findings.warning(
        "optionalNumber", position,
        "the number “\(attribute.name)” is optional; a search for 0 misses objects without a value",
        hint: "make it required with the default 0")
    }
  }

  /// A transient attribute may name the persistent one behind it in its user info, as `shadow`.
  private mutating func checkShadow(_ attribute: AttributeDescription, of entity: Int) {
    guard attribute.isTransient, let name = attribute.userInfo["shadow"] else { return }
    guard let shadow = self.attribute(name, of: entity) else {
      findings.warning(
        "unknownProperty", attribute.position, "“\(name)”, the shadow of “\(attribute.name)”, is not an attribute",
        hint: propertyHint(name, of: entity))
      return
    }
    if shadow.isTransient {
      findings.warning(
        "transientShadow", attribute.position,
        "“\(name)”, the shadow of “\(attribute.name)”, is transient, so it is not stored",
        hint: "the shadow is persistent and has a type")
    }
  }

  mutating func checkTransformer(_ attribute: AttributeDescription) {
    guard let name = attribute.valueTransformerName, !name.isEmpty else {
      if advice, attribute.type == .transformable {
        findings.warning(
          "insecureTransformer", attribute.position,
          "“\(attribute.name)” has no value transformer, so that Core Data takes the one that decodes any class",
          hint: "name NSSecureUnarchiveFromData or a transformer of your own")
      }
      return
    }
    if attribute.type == .transformable, let transformers, let isReversible = transformers[name] {
      if !isReversible {
        findings.error(
          "oneWayTransformer", attribute.position,
          "the transformer “\(name)” of “\(attribute.name)” cannot be reversed, so that stored values could not be read",
          hint: "let it transform both ways")
      }
    } else if attribute.type == .transformable, transformers != nil, name != "NSSecureUnarchiveFromData" {
      findings.warning(
        "unknownTransformer", attribute.position,
        "the transformer “\(name)” of “\(attribute.name)” is not registered",
        hint: FindingList.didYouMean(name, (transformers ?? [:]).keys.sorted()))
    }
    if attribute.type != .transformable {
      findings.warning(
        "unusedTransformer", attribute.position,
        "“\(attribute.name)” names a value transformer but its type is \(attribute.type.xmlName)")
    }
    // The default transformer works in reverse; naming it makes it work in the wrong direction.
    if ["NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName", "NSUnarchiveFromData"].contains(name) {
      findings.warning(
        "defaultTransformerNamed", attribute.position,
        "“\(attribute.name)” names “\(name)”, which Core Data then applies in the wrong direction"
          + (name == "NSUnarchiveFromData" ? "" : "; here it means NSSecureUnarchiveFromData"),
        hint: "leave the name out, or use NSSecureUnarchiveFromData")
    }
  }

  mutating func checkBounds(_ attribute: AttributeDescription) {
    let validation = attribute.validation
    let isLength = attribute.type == .string
    for (text, isRead, label) in [
      (validation.minimumText, validation.minimumValue != nil || validation.minimumLength != nil, "minimum"),
      (validation.maximumText, validation.maximumValue != nil || validation.maximumLength != nil, "maximum"),
    ] {
      guard let text, !isRead else { continue }
      let what = isLength ? "a length" : "a value of type \(attribute.type.xmlName)"
      if attribute.type.hasBounds {
        findings.warning(
          "invalidBound", attribute.position,
          "the \(label) “\(text)” of “\(attribute.name)” is not \(what); it is not checked")
      } else if !text.isEmpty {
        findings.warning(
          "invalidBound", attribute.position,
          "“\(attribute.name)” has a \(label), which the type \(attribute.type.xmlName) does not use")
      }
    }
    for (length, label, effect) in [
      (validation.minimumLength, "minimum", "every text has it"),
      (validation.maximumLength, "maximum", "no text is as short"),
    ] {
      guard let length, length < 0 else { continue }
      findings.warning(
        "invalidBound", attribute.position,
        "the \(label) length of “\(attribute.name)” is negative (\(length)): \(effect)",
        hint: "leave it out, or give a number of characters from 0 on")
    }
    if validation.maximumLength == 0 {
      findings.warning(
        "invalidBound", attribute.position,
        "the maximum length of “\(attribute.name)” is 0, which only the empty text has",
        hint: "leave it out, or give a number of characters from 1 on")
    }
    let isReversed =
      switch (validation.minimumValue, validation.maximumValue) {
      case (let low?, let high?): low.isGreater(than: high)
      default:
        if let low = validation.minimumLength, let high = validation.maximumLength { low > high } else { false }
      }
    if isReversed {
      findings.warning(
        "reversedBounds", attribute.position, "the minimum of “\(attribute.name)” is greater than its maximum",
        hint: "no value satisfies both")
    }
    if validation.regularExpression != nil, attribute.type != .string {
      findings.warning(
        "unusedPattern", attribute.position,
        "“\(attribute.name)” has a regular expression but its type is \(attribute.type.xmlName)")
    }
    if let expression = validation.regularExpression, attribute.type == .string {
      checkPattern(expression, of: attribute)
    }
  }

  private mutating func checkPattern(_ expression: String, of attribute: AttributeDescription) {
    do throws(TextPatternError) {
      if try TextPattern(expression).isLinear { return }
      findings.warning(
        "slowPattern", attribute.position, "the regular expression of “\(attribute.name)” needs backtracking",
        hint: "some texts can take a quarter of a second, and those that would take longer are rejected")
    } catch {
      findings.warning(
        "invalidPattern", attribute.position,
        "the regular expression of “\(attribute.name)” cannot be used: \(error.message)",
        hint: "imports that fill the attribute are refused")
    }
  }

  mutating func checkDefault(_ attribute: AttributeDescription) {
    guard let value = attribute.defaultValue else {
      let isTextual = attribute.type.hasTextualValues
      guard let text = attribute.defaultValueText, isTextual || !text.isEmpty else { return }
      // Xcode keeps words such as “today” for dates; without an interval they have no meaning.
      findings.warning(
        "invalidDefault", attribute.position,
        "the default “\(text)” of “\(attribute.name)” is not a value of type \(attribute.type.xmlName), so that new "
          + "objects get none",
        hint: attribute.type.range.map { "it has values from \($0.lowerBound) to \($0.upperBound)" }
          ?? (isTextual ? "give it a value of that type, or take the default out" : "take the default out"))
      return
    }
    if let text = attribute.defaultValueText, attribute.type.hasTextualValues, attribute.type != .date,
      AttributeValue(text: text, type: attribute.type) == nil, let meaning = value.modelText
    {
      findings.warning(
        "invalidDefault", attribute.position,
        "the default “\(text)” of “\(attribute.name)” is not a value of type \(attribute.type.xmlName); it is read as "
          + meaning)
    }
    if case .decimal(let number) = value, !number.isStoredExactly {
      findings.warning(
        "invalidDefault", attribute.position,
        "the default \(number) of “\(attribute.name)” has more digits than a store holds exactly, so that new objects get none",
        hint: "a store holds 15 digits, and whole numbers of 64 bits")
    }
    if case .integer(let number) = value, let range = attribute.type.range, !range.contains(number) {
      findings.error(
        "invalidDefault", attribute.position,
        "the default \(number) of “\(attribute.name)” does not fit the type \(attribute.type.xmlName)",
        hint: "it has values from \(range.lowerBound) to \(range.upperBound)")
    }
    let validation = attribute.validation
    var problem: String?
    if let low = validation.minimumValue, low.isGreater(than: value) { problem = "is less than the minimum" }
    if let high = validation.maximumValue, value.isGreater(than: high) { problem = "is greater than the maximum" }
    if case .string(let text) = value {
      if let low = validation.minimumLength, text.utf16.count < low {
        problem = "is shorter than \(PrintableText.count(low, "character"))"
      }
      if let high = validation.maximumLength, text.utf16.count > high {
        problem = "is longer than \(PrintableText.count(high, "character"))"
      }
    }
    if let problem {
      findings.warning(
        "defaultBreaksBounds", attribute.position,
        "the default “\(attribute.defaultValueText ?? "")” of “\(attribute.name)” \(problem)",
        hint: "an object that keeps it cannot be saved")
    }
  }
}

extension AttributeType {
  /// Whether values are numbers in a person's sense: not Booleans, not dates.
  var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float: true
    default: false
    }
  }

  /// Whether `minValueString` and `maxValueString` mean something.
  var hasBounds: Bool { isNumber || self == .string }

  /// Whether a default can be written as text.
  var hasTextualValues: Bool {
    switch self {
    case .undefined, .binary, .transformable, .objectID, .composite: false
    default: true
    }
  }

  /// The range of the integers, without Boolean.
  var range: ClosedRange<Int64>? { self == .boolean ? nil : integerRange }
}

extension AttributeValue {
  /// Whether both are numbers or dates of one kind and this is the greater one.
  func isGreater(than other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left > right
    case (.double(let left), .double(let right)): left > right
    case (.date(let left), .date(let right)): left > right
    case (.decimal(let left), .decimal(let right)): left.isGreater(than: right)
    default: false
    }
  }
}

extension DecimalNumber {
  /// Compares exactly, by the digits of both numbers at one exponent.
  func isGreater(than other: DecimalNumber) -> Bool {
    if significand.signum() != other.significand.signum() { return significand > other.significand }
    // The position of the first digit decides unless it is the same; then both fit one exponent.
    let magnitude = String(significand.magnitude).utf8.count + exponent
    let otherMagnitude = String(other.significand.magnitude).utf8.count + other.exponent
    if magnitude != otherMagnitude { return (magnitude > otherMagnitude) == (significand > 0) }
    let digits = Array(String(significand.magnitude).utf8)
    let otherDigits = Array(String(other.significand.magnitude).utf8)
    if digits == otherDigits { return false }
    return otherDigits.lexicographicallyPrecedes(digits) == (significand > 0)
  }
}
