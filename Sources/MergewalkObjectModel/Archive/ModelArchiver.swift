import MergewalkPropertyLists

/// Writes a model as Core Data archives it: a compiled `.mom` file, or the copy that its stores keep.
///
/// The form is that of the archives at hand (framework 977 for stores, Xcode 13 for files). Left out and named are
/// indexes, fetch requests and fetched properties with predicates, expressions or options that are not known. How Core Data
/// archives composite attributes is a guess, see ``elementsKey``.
/// Source: `docs/coredata-layout.md`, "The model cache".
package struct ModelArchiver {
  package enum Purpose: Sendable {
    /// A `.mom` file.
    case file
    /// `Z_MODELCACHE` of a store.
    case cache
  }

  private let model: ManagedObjectModel
  private let purpose: Purpose
  var writer = ArchiveWriter()
  /// How many elements of indexes are expressions, which are numbered.
  private var expressionCount = 0
  private var leftOut: [String] = []
  private var modelPlace = 0
  /// The expression for the object itself.
  private var evaluatedObject: PropertyList?
  private var entityPlaces: [Int] = []
  /// For each entity its own relationships by name.
  private var relationshipPlaces: [[String: Int]] = []

  /// The archive's bytes, and what is not in it, in words.
  package static func archive(
    _ model: ManagedObjectModel, for purpose: Purpose
  ) -> (bytes: [UInt8], leftOut: [String]) {
    var archiver = ModelArchiver(model: model, purpose: purpose)
    archiver.write()
    return (archiver.writer.bytes(root: archiver.modelPlace), archiver.leftOut)
  }

  private init(model: ManagedObjectModel, purpose: Purpose) {
    self.model = model
    self.purpose = purpose
  }

  private mutating func write() {
    modelPlace = writer.reserve()
    for entity in model.entities {
      entityPlaces.append(writer.reserve())
      var places: [String: Int] = [:]
      for relationship in own(entity) { places[relationship.name] = writer.reserve() }
      relationshipPlaces.append(places)
    }
    for entity in model.entities { write(entity) }
    let entities = model.entities.sorted { CodePointOrder.precedes($0.name, $1.name) }
    let pairs = entities.map { ($0.name, ArchiveWriter.reference(entityPlaces[$0.index])) }
    let draft = model.draft
    let identifiers = draft.versionIdentifier
    let requests = purpose == .file ? writer.table(fetchRequests(draft)) : ArchiveWriter.null
    var entries: [(String, PropertyList)] = [
      ("NSVersionIdentifiers", writer.list([writer.text(identifiers)], "NSSet")),
      ("NSFetchRequestTemplates", requests),
    ]
    switch purpose {
    case .file:
      entries.append(("NSEntities", writer.table(pairs)))
      let configurations = draft.configurations.map { configuration in
        let members = configuration.entityNames.compactMap { model.entity(named: $0)?.index }
        return (configuration.name, writer.list(members.map { ArchiveWriter.reference(entityPlaces[$0]) }, "NSSet"))
      }
      if !configurations.isEmpty { entries.append(("NSConfigurations", writer.table(configurations))) }
    case .cache:
      entries.append(("NSEntities", knownKeys(pairs)))
    }
    writer.fill(modelPlace, "NSManagedObjectModel", entries)
  }

  private mutating func fetchRequests(_ draft: ModelDraft) -> [(String, PropertyList)] {
    var written: [(String, PropertyList)] = []
    for request in draft.fetchRequestTemplates {
      if let entity = reference(toEntity: request.entityName), let object = fetchRequest(request, of: entity) {
        written.append((request.name, object))
      } else {
        leftOut.append("the fetch request “\(request.name)”")
      }
    }
    return written
  }

  func reference(toEntity name: String) -> PropertyList? {
    model.entity(named: name).map { ArchiveWriter.reference(entityPlaces[$0.index]) }
  }

  /// The dictionary with fixed keys in which stores have their entities.
  private mutating func knownKeys(_ pairs: [(String, PropertyList)]) -> PropertyList {
    let keys = writer.list(pairs.map { writer.text($0.0) }, "NSArray")
    let mapping = writer.object(
      "NSKnownKeysMappingStrategy1",
      [("keys", keys), ("length", .integer(Int64(pairs.count))), ("version", .integer(1))])
    return writer.object(
      "NSKnownKeysDictionary1",
      [
        ("searchMapping", mapping), ("emptyToken", writer.text("__empty_slot_token_4c24_98dc_ac1e_b773__")),
        ("values", writer.list(pairs.map(\.1), "NSArray")), ("version", .integer(1)),
      ])
  }

  /// The relationships that an entity declares itself.
  private func own(_ entity: EntityDescription) -> [RelationshipDescription] {
    entity.relationships.filter { $0.declaringEntity == entity.index }
  }

  // MARK: - Entities

  private mutating func write(_ entity: EntityDescription) {
    let declaration = entity.declaration
    var properties: [(String, PropertyList)] = []
    for attribute in entity.attributes where attribute.declaringEntity == entity.index && attribute.compositeKey == nil
    {
      properties.append((attribute.name, self.attribute(attribute, of: entity)))
    }
    let composites = Set(entity.compositeAttributes.map(\.name))
    for attribute in declaration.attributes.filter({ composites.contains($0.name) })
      .sorted(by: { CodePointOrder.precedes($0.name, $1.name) })
    {
      properties.append((attribute.name, composite(attribute, of: entity)))
    }
    // Core Data keeps attributes, to-one and to-many relationships apart; where hashes collide, the order shows it.
    for relationship in own(entity).filter({ !$0.isToMany }) + own(entity).filter(\.isToMany) {
      let place = relationshipPlaces[entity.index][relationship.name] ?? 0
      write(relationship, of: entity, at: place)
      properties.append((relationship.name, ArchiveWriter.reference(place)))
    }
    for property in declaration.fetchedProperties where purpose == .file {
      if let object = fetchedProperty(property, of: entity) {
        properties.append((property.name, object))
        // Archives have no name of it, so readers give it the usual one.
        if property.fetchRequest.name != ModelYAMLNames.usualRequestName {
          leftOut.append(
            "the name “\(property.fetchRequest.name)” of the request of “\(entity.name).\(property.name)”")
        }
      } else {
        leftOut.append("the fetched property “\(entity.name).\(property.name)”")
      }
    }
    let children = model.subentities(of: entity)
    let subentities =
      children.isEmpty && purpose == .cache
      ? ArchiveWriter.null
      : writer.table(children.map { ($0.name, ArchiveWriter.reference(entityPlaces[$0.index])) })
    var entries: [(String, PropertyList)] = [
      ("NSEntityName", writer.text(entity.name)),
      ("NSManagedObjectModel", ArchiveWriter.reference(modelPlace)),
      ("NSClassNameForEntity", writer.text(declaration.className ?? "NSManagedObject")),
      (
        "NSSuperentity", entity.superentityIndex.map { ArchiveWriter.reference(entityPlaces[$0]) } ?? ArchiveWriter.null
      ),
      ("NSSubentities", subentities), ("NSProperties", writer.table(properties)),
      ("NSUserInfo", userInfo(declaration.userInfo)),
      ("NSVersionHashModifier", writer.text(declaration.versionHashModifier)),
      ("NSRenamingIdentifier", writer.text(declaration.renamingIdentifier ?? entity.name)),
    ]
    if entity.isAbstract { entries.append(("NSIsAbstract", .boolean(true))) }
    if !declaration.uniquenessConstraints.isEmpty {
      entries.append(("NSUniqueTuples", lists(declaration.uniquenessConstraints, "NSArray")))
    }
    let indexes = indexes(of: entity)
    if !indexes.isEmpty { entries.append(("NSFetchIndexDescriptions", writer.list(indexes))) }
    if !declaration.compoundIndexes.isEmpty || !indexes.isEmpty {
      entries.append(("NSCompoundIndexes", lists(declaration.compoundIndexes, "NSMutableArray")))
    }
    writer.fill(entityPlaces[entity.index], "NSEntityDescription", entries)
  }

  private mutating func lists(_ lists: [[String]], _ name: String) -> PropertyList {
    writer.list(lists.map { names in writer.list(names.map { writer.text($0) }, name) }, name)
  }

  private mutating func userInfo(_ pairs: [String: String]) -> PropertyList {
    let sorted = pairs.sorted { CodePointOrder.precedes($0.key, $1.key) }
    return writer.table(sorted.map { ($0.key, writer.text($0.value)) }, "NSDictionary")
  }

  // MARK: - Indexes

  private mutating func indexes(of entity: EntityDescription) -> [PropertyList] {
    var result: [PropertyList] = []
    let owner = ArchiveWriter.reference(entityPlaces[entity.index])
    // 11 of 11 in stores of apps from framework 969 on, 14 of 14 in compiled models; none in 2 libraries of Photos, whose
    // 215 have one of another name. Relationships have none.
    for attribute in entity.ownIndexes {
      result.append(index(attribute.name, [FetchIndexDescription.Element(propertyName: attribute.name)], owner))
    }
    for fetchIndex in entity.declaration.fetchIndexes {
      guard let index = index(fetchIndex, owner) else {
        leftOut.append("the index “\(fetchIndex.name)” of “\(entity.name)”")
        continue
      }
      result.append(index)
      for element in fetchIndex.elements {
        guard let type = element.expressionType, element.propertyName != nil || Int64(type) == nil else { continue }
        leftOut.append("the expression type “\(type)” in the index “\(fetchIndex.name)” of “\(entity.name)”")
      }
    }
    // Those of older systems find compound indexes among the others.
    for names in entity.declaration.compoundIndexes {
      let elements = names.map { FetchIndexDescription.Element(propertyName: $0) }
      result.append(index(names.joined(separator: "_"), elements, owner))
      // An index with the name of its only property is taken for the one that the property's own flag makes.
      if names.count == 1 { leftOut.append("the compound index “\(names[0])” of “\(entity.name)”") }
    }
    return result
  }

  /// A fetch index with its predicate and its expressions; `nil` when one of them cannot be written.
  private mutating func index(_ fetchIndex: FetchIndexDescription, _ owner: PropertyList) -> PropertyList? {
    var condition = ArchiveWriter.null
    if let text = fetchIndex.partialIndexPredicateText {
      guard let parsed = try? ObjectPredicate(format: text), let written = predicate(parsed) else { return nil }
      condition = written
    }
    var expressions: [Int: (name: String, property: PropertyList)] = [:]
    for (place, element) in fetchIndex.elements.enumerated() where element.propertyName == nil {
      guard let text = element.expression, let parsed = try? ObjectExpression(format: text),
        let written = expression(parsed)
      else { return nil }
      expressionCount += 1
      let name = "expression\(expressionCount)"
      let type = element.expressionType.flatMap { Int64($0) } ?? (parsed == .evaluatedObject ? Self.objectID : 0)
      expressions[place] = (name, indexed(written, named: name, type: type))
    }
    return index(fetchIndex.name, fetchIndex.elements, owner, condition: condition, expressions: expressions)
  }

  /// The type of the object itself, which models need not say.
  static let objectID: Int64 = 2000

  /// The property that stands for an element that is an expression.
  private mutating func indexed(_ expression: PropertyList, named name: String, type: Int64) -> PropertyList {
    writer.object(
      "NSExpressionDescription",
      [
        ("NSPropertyName", writer.text(name)), ("NSRenamingIdentifier", writer.text(name)),
        ("NSExpression", expression), ("NSExpressionType", .integer(type)),
        ("NSEntity", ArchiveWriter.null), ("NSIsOptional", .boolean(true)), ("NSIsReadOnly", .boolean(true)),
        ("_P", .integer(0xF7)),
      ])
  }

  private mutating func index(
    _ name: String, _ elements: [FetchIndexDescription.Element], _ owner: PropertyList,
    condition: PropertyList = ArchiveWriter.null, expressions: [Int: (name: String, property: PropertyList)] = [:]
  ) -> PropertyList {
    let place = writer.reserve()
    let parts = elements.enumerated().map { number, element in
      let expression = expressions[number]
      var entries: [(String, PropertyList)] = [
        ("NSPropertyName", writer.text(expression?.name ?? element.propertyName)),
        ("NSFetchIndexElementType", .integer(element.kind == .rTree ? 1 : 0)),
        ("NSFetchIndexDescription", ArchiveWriter.reference(place)),
      ]
      if let expression { entries.append(("NSIndexedProperty", expression.property)) }
      if element.isAscending { entries.append(("NSAscending", .boolean(true))) }
      return writer.object("NSFetchIndexElementDescription", entries)
    }
    writer.fill(
      place, "NSFetchIndexDescription",
      [
        ("NSIndexName", writer.text(name)), ("NSEntity", owner), ("NSPartialIndexPredicate", condition),
        ("NSIndexElements", writer.list(parts, "NSArray")),
      ])
    return ArchiveWriter.reference(place)
  }

  // MARK: - Properties

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
  private mutating func composite(_ attribute: AttributeDescription, of entity: EntityDescription) -> PropertyList {
    let elements = CompositeElements(model.draft).elements(of: attribute) ?? []
    let parts = elements.map { element in
      element.type == .composite ? composite(element, of: entity) : self.attribute(element, of: entity)
    }
    return writer.object(
      "NSCompositeAttributeDescription",
      entries(attribute, of: entity) + [(Self.elementsKey, writer.list(parts, "NSArray"))])
  }

  private mutating func attribute(_ attribute: AttributeDescription, of entity: EntityDescription) -> PropertyList {
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

  private mutating func write(_ relationship: RelationshipDescription, of entity: EntityDescription, at place: Int) {
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
