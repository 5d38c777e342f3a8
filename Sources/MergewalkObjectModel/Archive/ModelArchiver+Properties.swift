import MergewalkPropertyLists

/// Attributes and relationships, with their values and the expressions and predicates that belong to them.
extension ModelArchiver {
  /// Adds the common parts of every property, with the flags in which Core Data keeps them.
  mutating func common(
    _ name: String, _ entity: EntityDescription, isOptional: Bool, isReadOnly: Bool, isTransient: Bool,
    isOrdered: Bool = false, isValidated: Bool = false, userInfo info: [String: String], modifier: String?,
    renaming: String?
  ) -> [(String, PropertyList)] {
    var flags: Int64 = isValidated ? 0x01 : 0x31
    var entries: [(String, PropertyList)] = [
      ("NSEntity", ArchiveWriter.reference(entityPlaces[entity.index])), ("NSPropertyName", writer.text(name)),
      ("NSRenamingIdentifier", writer.text(renaming ?? name)),
    ]
    if isOptional { entries.append(("NSIsOptional", .boolean(true))) }
    if isReadOnly { entries.append(("NSIsReadOnly", .boolean(true))) }
    if isTransient { entries.append(("NSIsTransient", .boolean(true))) }
    if !info.isEmpty { entries.append(("NSUserInfo", userInfo(info))) }
    if let modifier { entries.append(("NSVersionHashModifier", writer.text(modifier))) }
    let bits: [(Bool, Int64)] = [
      (isOptional, 0x02), (isReadOnly, 0x04), (isTransient, 0x08), (isOrdered, 0x400), (info.isEmpty, 0x40),
      (modifier == nil, 0x80),
    ]
    for (isSet, bit) in bits where isSet { flags |= bit }
    entries.append(("_P", .integer(flags)))
    return entries
  }

  /// Names the flags of a property for which no archive is known to have a key.
  private mutating func leaveOut(
    _ flags: [(isSet: Bool, words: String)], of property: String, _ entity: EntityDescription
  ) {
    for flag in flags where flag.isSet { leftOut.append("\(flag.words) of “\(entity.name).\(property)”") }
  }

  /// The key of the elements of a composite attribute: no archive with one is known, and this follows from the other keys.
  private static let elementsKey = "NSElements"

  /// A composite attribute with its elements; how deep they go was checked when the model was made.
  mutating func composite(_ attribute: AttributeDescription, of entity: EntityDescription) -> PropertyList {
    let elements = CompositeElements(model.draft).elements(of: attribute) ?? []
    let parts = elements.map { element in
      element.type == .composite ? composite(element, of: entity) : self.attribute(element, of: entity)
    }
    return writer.object(
      "NSCompositeAttributeDescription",
      entries(attribute, of: entity) + [(Self.elementsKey, writer.list(parts, "NSArray"))])
  }

  mutating func attribute(_ attribute: AttributeDescription, of entity: EntityDescription) -> PropertyList {
    var entries = entries(attribute, of: entity)
    guard let expression = attribute.derivationExpression else {
      return writer.object("NSAttributeDescription", entries)
    }
    entries.append(("NSDerivationExpression", derivation(expression)))
    entries.append(("NSFilteringPredicate", ArchiveWriter.null))
    return writer.object("NSDerivedAttributeDescription", entries)
  }

  private mutating func entries(
    _ attribute: AttributeDescription, of entity: EntityDescription
  ) -> [(String, PropertyList)] {
    leaveOut(
      [
        (attribute.allowsCloudEncryption, "the cloud encryption"),
        (attribute.isIndexedBySpotlight, "the indexing by Spotlight"),
        (attribute.isStoredInExternalRecord, "the place in the truth file"),
      ], of: attribute.name, entity)
    let validation = validation(attribute)
    var entries = common(
      attribute.name, entity, isOptional: attribute.isOptional, isReadOnly: attribute.isDerived,
      isTransient: attribute.isTransient, isValidated: !validation.isEmpty, userInfo: attribute.userInfo,
      modifier: attribute.versionHashModifier, renaming: attribute.renamingIdentifier)
    var storage: Int64 = attribute.allowsExternalBinaryDataStorage ? 4 : 0
    if attribute.preservesValueInHistoryOnDeletion { storage |= 16 }
    entries.append(("NSAttributeType", .integer(Int64(attribute.type.rawValue))))
    entries.append(("NSAttributeValueClassName", writer.text(attribute.archivedClassName)))
    entries.append(("NSDefaultValue", self.default(attribute)))
    entries.append(("NSValueTransformerName", writer.text(attribute.valueTransformerName)))
    entries.append(("NSFlagsKey", .integer(storage)))
    // So flagged are 215 of 215 attributes with such an index, partial ones too, and none with a descending one.
    let ascending = FetchIndexDescription.Element(propertyName: attribute.name)
    let isIndexed = attribute.isIndexed || entity.declaration.fetchIndexes.contains { $0.elements == [ascending] }
    if isIndexed { entries.append(("NSIsIndexed", .boolean(true))) }
    return entries + validation
  }

  mutating func write(_ relationship: RelationshipDescription, of entity: EntityDescription, at place: Int) {
    leaveOut(
      [
        (relationship.isIndexedBySpotlight, "the indexing by Spotlight"),
        (relationship.isStoredInExternalRecord, "the place in the truth file"),
      ], of: relationship.name, entity)
    var entries = common(
      relationship.name, entity, isOptional: relationship.isOptional, isReadOnly: false,
      isTransient: relationship.isTransient, isOrdered: relationship.isOrdered, userInfo: relationship.userInfo,
      modifier: relationship.versionHashModifier, renaming: relationship.renamingIdentifier)
    let inverse = relationship.inverseName.flatMap { name in
      relationship.inverseDeclaringEntity < 0 ? nil : relationshipPlaces[relationship.inverseDeclaringEntity][name]
    }
    let rule: Int64 =
      switch relationship.deleteRule {
      case .noAction: 0
      case .nullify: 1
      case .cascade: 2
      case .deny: 3
      }
    let destination = ArchiveWriter.reference(entityPlaces[relationship.destinationEntity])
    entries.append(("NSDestinationEntity", destination))
    entries.append(("_NSDestinationEntityName", writer.text(relationship.destinationEntityName)))
    entries.append(("NSInverseRelationship", inverse.map { ArchiveWriter.reference($0) } ?? ArchiveWriter.null))
    entries.append(("_NSInverseRelationshipName", writer.text(relationship.inverseName)))
    entries.append(("NSDeleteRule", .integer(rule)))
    entries.append(("NSMaxCount", .integer(Int64(relationship.maxCount))))
    entries.append(("NSMinCount", .integer(Int64(relationship.minCount))))
    if relationship.isOrdered { entries.append(("NSIsOrdered", .boolean(true))) }
    writer.fill(place, "NSRelationshipDescription", entries)
  }

  private mutating func `default`(_ attribute: AttributeDescription) -> PropertyList {
    switch attribute.defaultValue {
    case nil: ArchiveWriter.null
    case .boolean(let value)?: writer.plain(.integer(value ? 1 : 0))
    case let value?: plain(value)
    }
  }

  /// A value as it is, without its expression.
  mutating func plain(_ value: AttributeValue) -> PropertyList {
    switch value {
    case .null: return ArchiveWriter.null
    case .boolean(let value): return writer.plain(.boolean(value))
    case .integer(let value): return writer.plain(.integer(value))
    case .double(let value): return writer.plain(.real(value))
    case .string(let value): return writer.text(value)
    case .date(let value): return writer.object("NSDate", [("NS.time", .real(value))])
    case .binary(let bytes): return writer.plain(.data(bytes))
    case .uri(let value):
      return writer.object("NSURL", [("NS.base", ArchiveWriter.null), ("NS.relative", writer.text(value))])
    case .uuid(let high, let low):
      let bytes = [high, low].flatMap { half in
        (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(8 * (7 - $0))) }
      }
      return writer.object("NSUUID", [("NS.uuidbytes", .data(bytes))])
    case .decimal(let value):
      let magnitude = value.significand.magnitude
      let bytes = (0..<16).map { UInt8(truncatingIfNeeded: magnitude >> UInt128(8 * $0)) }
      let length = (bytes.lastIndex { $0 != 0 } ?? -1) / 2 + (magnitude == 0 ? 0 : 1)
      return writer.object(
        "NSDecimalNumberPlaceholder",
        [
          ("NS.exponent", .integer(Int64(value.exponent))), ("NS.length", .integer(Int64(length))),
          ("NS.negative", .boolean(value.significand < 0)), ("NS.compact", .boolean(false)),
          ("NS.mantissa.bo", .integer(1)), ("NS.mantissa", .data(bytes)),
        ])
    }
  }

  // MARK: - Expressions and predicates

  /// The object itself, which archives have once.
  mutating func evaluated() -> PropertyList {
    if let evaluatedObject { return evaluatedObject }
    let written = writer.object("NSSelfExpression", [("NSExpressionType", .integer(1))])
    evaluatedObject = written
    return written
  }

  /// A key path, from the object itself or from another expression.
  mutating func keyPath(_ path: String, of operand: PropertyList? = nil) -> PropertyList {
    let specifier = writer.object(
      "NSKeyPathSpecifierExpression", [("NSExpressionType", .integer(10)), ("NSKeyPath", writer.text(path))])
    return writer.object(
      "NSKeyPathExpression",
      [
        ("NSOperand", operand ?? evaluated()), ("NSExpressionType", .integer(3)),
        ("NSArguments", writer.list([specifier])),
        ("NSSelectorName", writer.text(path.contains(".") ? "valueForKeyPath:" : "valueForKey:")),
      ])
  }

  private mutating func derivation(_ expression: String) -> PropertyList {
    let text = DerivationText.normalised(expression)
    guard text.last == ")", let open = text.firstIndex(of: "(") else { return keyPath(text) }
    let argument = String(text[text.index(after: open)...].dropLast())
    return function(String(text[..<open]), argument.isEmpty ? [] : [keyPath(argument)])
  }

  /// The bounds as predicates on the value, each with the error that it raises.
  private mutating func validation(_ attribute: AttributeDescription) -> [(String, PropertyList)] {
    let bounds = attribute.validation
    var predicates: [PropertyList] = []
    var errors: [PropertyList] = []
    func errorCode(isLeast: Bool) -> Int64 {
      switch attribute.type {
      case .string, .uri: isLeast ? 1670 : 1660
      case .date: isLeast ? 1640 : 1630
      default: isLeast ? 1620 : 1610
      }
    }
    let sides: [(isLeast: Bool, value: AttributeValue?, length: Int?)] = [
      (true, bounds.minimumValue, bounds.minimumLength), (false, bounds.maximumValue, bounds.maximumLength),
    ]
    for side in sides {
      var holder = AttributeDescription(name: "", type: attribute.type)
      holder.defaultValue = side.value ?? side.length.map { .integer(Int64($0)) }
      guard holder.defaultValue != nil else { continue }
      let constant = writer.object(
        "NSConstantValueExpression", [("NSExpressionType", .integer(0)), ("NSConstantValue", self.default(holder))])
      let variant: Int64 = side.isLeast ? 3 : 1
      let comparison = writer.object(
        "NSComparisonPredicateOperator",
        [
          ("NSOperatorType", .integer(variant)), ("NSModifier", .integer(0)), ("NSOptions", .integer(0)),
          ("NSVariant", .integer(variant)),
        ])
      predicates.append(
        writer.object(
          "NSComparisonPredicate",
          [
            ("NSLeftExpression", side.length == nil ? evaluated() : keyPath("length")), ("NSRightExpression", constant),
            ("NSPredicateOperator", comparison),
          ]))
      errors.append(writer.plain(.integer(errorCode(isLeast: side.isLeast))))
    }
    if let pattern = bounds.regularExpression, attribute.type == .string,
      let written = predicate(
        .comparison(ComparisonPredicate(.evaluatedObject, .matches, .constant(.attribute(.string(pattern))))))
    {
      predicates.append(written)
      errors.append(writer.plain(.integer(1680)))
    }
    if predicates.isEmpty { return [] }
    return [("NSValidationPredicates", writer.list(predicates)), ("NSValidationWarnings", writer.list(errors))]
  }
}

extension AttributeDescription {
  /// The class of the values, as archives name it.
  fileprivate var archivedClassName: String? {
    switch type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .transformable: customClassName
    case .undefined, .objectID, .composite: nil
    }
  }
}
