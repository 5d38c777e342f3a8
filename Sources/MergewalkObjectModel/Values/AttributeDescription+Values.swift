extension AttributeDescription {
  /// Takes the texts of default, bounds and pattern as a file spells them, and their meaning for the type.
  ///
  /// For strings the bounds are lengths. A default is what Core Data's model compiler makes of its text. A text without
  /// meaning stays as text; model lint reports it.
  mutating func takeValues(default: String?, minimum: String?, maximum: String?, pattern: String?) {
    defaultValueText = `default`
    defaultValue = `default`.flatMap { AttributeValue(compiling: $0, type: type) }
    validation.minimumText = minimum
    validation.maximumText = maximum
    validation.regularExpression = pattern
    switch type {
    case .string, .uri:
      validation.minimumLength = minimum.flatMap { Int($0) }
      validation.maximumLength = maximum.flatMap { Int($0) }
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .date:
      validation.minimumValue = minimum.flatMap { AttributeValue(text: $0, type: type) }
      validation.maximumValue = maximum.flatMap { AttributeValue(text: $0, type: type) }
    default:
      break
    }
  }
}

extension AttributeDescription {
  /// The default as people read it: as the file spells it, and dates, which files have as seconds, in ISO 8601.
  package var shownDefault: String? { defaultValueText ?? defaultValue?.shownDate }
}

extension AttributeValidation {
  /// The least value or length as people read it, as ``AttributeDescription/shownDefault``.
  package var shownMinimum: String? { minimumText ?? minimumValue?.shownDate }
  /// The greatest value or length as people read it.
  package var shownMaximum: String? { maximumText ?? maximumValue?.shownDate }
}

extension AttributeValue {
  fileprivate var shownDate: String? {
    guard case .date(let seconds) = self else { return nil }
    return Timestamp(secondsSinceReferenceDate: seconds).description
  }
}

extension FetchRequestTemplate {
  /// The XML names of the possible ``options``.
  public static let optionNames = [
    "includeSubentities", "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults",
    "returnDistinctResults",
  ]
}
