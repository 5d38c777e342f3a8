import MergewalkDiagnostics
import MergewalkYAML

/// Attributes, relationships and fetched properties of a model in YAML.
extension ModelYAMLReader {
  mutating func attribute(_ entry: YAMLNode.Entry) -> AttributeDescription {
    let name = entry.key.text ?? ""
    // The short form: `email: string!`.
    if let text = entry.value.string { return shortAttribute(name, text, entry) }
    var fields = YAMLFields(entry.value, "the attribute “\(name)”", &findings)
    var attribute = AttributeDescription(name: name, type: .undefined)
    if let text = fields.string("type", &findings) {
      let isRequired = text.hasSuffix("!")
      attribute.type = type(
        isRequired ? String(text.dropLast()) : text, fields.node("type")?.position ?? fields.position)
      attribute.isOptional = !isRequired
    } else {
      if !fields.has("type") {
        findings.error(
          "missingField", entry.key.position, "the attribute “\(name)” has no field “type”",
          hint: "for example “type: string”")
      }
      attribute.isOptional = true
    }
    attribute.position = entry.key.position
    if let required = fields.flag("required", &findings) { attribute.isOptional = !required }
    attribute.isTransient = fields.flag("transient", &findings) ?? false
    attribute.usesScalarValueType = fields.flag("scalar", &findings)
    attribute.derivationExpression = fields.string("derived", &findings)
    attribute.valueTransformerName = fields.string("transformer", &findings)
    attribute.customClassName = fields.string("class", &findings)
    attribute.compositeName = fields.string("composite", &findings)
    attribute.allowsExternalBinaryDataStorage = fields.flag("external_storage", &findings) ?? false
    attribute.preservesValueInHistoryOnDeletion = fields.flag("keep_after_deletion", &findings) ?? false
    attribute.allowsCloudEncryption = fields.flag("cloud_encryption", &findings) ?? false
    attribute.isIndexed = fields.flag("indexed", &findings) ?? false
    attribute.isIndexedBySpotlight = fields.flag("spotlight", &findings) ?? false
    attribute.isStoredInExternalRecord = fields.flag("truth_file", &findings) ?? false
    attribute.isSyncable = fields.flag("syncable", &findings)
    attribute.versionHashModifier = fields.string("hash_modifier", &findings)
    attribute.renamingIdentifier = fields.string("renamed_from", &findings)
    attribute.userInfo = fields.pairs("user_info", &findings)
    attribute.unknownXMLAttributes = fields.pairs("xml", &findings)
    takeValues(&attribute, &fields)
    for entry in fields.named("elements", &findings) { attribute.elements.append(self.attribute(entry)) }
    let isOptional = "an attribute may be empty unless it says “required: true”"
    let isRelated = "list references to other entities under “relationships”: “{ to_one: ENTITY, inverse: NAME }”"
    fields.finish(
      &findings,
      elsewhere: [
        "unique": "add it to the entity: “unique: [\(name)]”",
        "primary_key": "add it to the entity: “unique: [\(name)]”",
        "nullable": isOptional, "optional": isOptional, "null": isOptional, "references": isRelated,
        "foreign_key": isRelated, "length": "the most characters are “max_length”",
        "size": "the most characters are “max_length”",
      ])
    return attribute
  }

  private mutating func shortAttribute(
    _ name: String, _ text: String, _ entry: YAMLNode.Entry
  ) -> AttributeDescription {
    let isRequired = text.hasSuffix("!")
    let typeName = isRequired ? String(text.dropLast()) : text
    var attribute = AttributeDescription(name: name, type: type(typeName, entry.value.position))
    attribute.isOptional = !isRequired
    attribute.position = entry.key.position
    return attribute
  }

  /// The names of types in databases and languages.
  private static let typesElsewhere = [
    "datetime": "date", "timestamp": "date", "text": "string", "varchar": "string", "char": "string",
    "number": "double", "real": "double", "numeric": "decimal", "money": "decimal", "blob": "binary", "bytes": "binary",
    "data": "binary",
    "guid": "uuid", "json": "string",
  ]

  private mutating func type(_ name: String, _ position: SourcePosition) -> AttributeType {
    if let type = ModelYAMLNames.type(name) { return type }
    let names = ModelYAMLNames.types.map(\.name)
    // As databases have it: varchar(20).
    let bare = String(name.prefix { $0 != "(" })
    let meant = Self.typesElsewhere[bare.lowercased()] ?? bare
    let length = meant == "string" && bare != name ? Int(name.dropFirst(bare.count + 1).dropLast()) : nil
    findings.error(
      "unknownAttributeType", position, "“\(name)” is not an attribute type",
      hint: length.map { "did you mean “{ type: string, max_length: \($0) }”?" }
        ?? FindingList.didYouMean(meant, names + ModelYAMLNames.otherTypes.map(\.name))
        ?? "the types are " + names.joined(separator: ", "))
    // A transient attribute without a type draws no second finding from the lint.
    return .string
  }

  private mutating func takeValues(_ attribute: inout AttributeDescription, _ fields: inout YAMLFields) {
    let isLength = attribute.type == .string || attribute.type == .uri
    let minimum = fields.node(isLength ? "min_length" : "min")
    let maximum = fields.node(isLength ? "max_length" : "max")
    let value = fields.node("default")
    let pattern = fields.string("pattern", &findings)
    if attribute.type == .date {
      attribute.takeValues(
        default: fields.string("default_text", &findings), minimum: fields.string("min_text", &findings),
        maximum: fields.string("max_text", &findings), pattern: pattern)
      if let date = date(value, "default", attribute.name) { attribute.defaultValue = .date(date) }
      if let date = date(minimum, "min", attribute.name) { attribute.validation.minimumValue = .date(date) }
      if let date = date(maximum, "max", attribute.name) { attribute.validation.maximumValue = .date(date) }
    } else {
      attribute.takeValues(
        default: text(value, "default", attribute), minimum: text(minimum, "minimum", attribute),
        maximum: text(maximum, "maximum", attribute), pattern: pattern)
    }
  }

  /// The text that XML has for a value: `YES` for `true`, else as written.
  private mutating func text(_ node: YAMLNode?, _ what: String, _ attribute: AttributeDescription) -> String? {
    guard let node, !node.isNull else { return nil }
    guard let text = node.text else {
      findings.error("wrongType", node.position, "the \(what) of “\(attribute.name)” is \(node.summary), not a value")
      return nil
    }
    if let flag = node.boolean, attribute.type == .boolean { return flag ? "YES" : "NO" }
    return text
  }

  /// A date as text, or as seconds since 2001.
  private mutating func date(_ node: YAMLNode?, _ field: String, _ owner: String) -> Double? {
    guard let node, !node.isNull else { return nil }
    if let seconds = node.double, seconds.isFinite { return seconds }
    if let text = node.text, let seconds = DateText.seconds(text) { return seconds }
    findings.error(
      "invalidValue", node.position, "“\(field)” of “\(owner)” is \(node.summary), not a date",
      hint: "write 2024-12-31 or 2024-12-31T23:59:59Z")
    return nil
  }

  // MARK: Relationships

  mutating func relationship(_ entry: YAMLNode.Entry) -> RelationshipDescription {
    let name = entry.key.text ?? ""
    var fields = YAMLFields(entry.value, "the relationship “\(name)”", &findings)
    var relationship = RelationshipDescription(name: name, destinationEntityName: "")
    relationship.position = entry.key.position
    let one = fields.string("to_one", &findings)
    let many = fields.string("to_many", &findings)
    if one != nil, many != nil {
      findings.error(
        "invalidValue", entry.key.position, "“\(name)” has both “to_one” and “to_many”", hint: "keep one of the two")
    } else if one == nil, many == nil, entry.value.entries != nil, !fields.has("to_one"), !fields.has("to_many") {
      findings.error(
        "missingField", entry.key.position, "the relationship “\(name)” has neither “to_one” nor “to_many”",
        hint: "for example “to_one: ENTITY”")
    }
    relationship.destinationEntityName = many ?? one ?? ""
    relationship.isToMany = many != nil
    relationship.inverseName = fields.string("inverse", &findings)
    if relationship.inverseName != nil, !fields.has("inverse_entity") {
      relationship.inverseEntityName = relationship.destinationEntityName
    }
    if let entity = fields.string("inverse_entity", &findings) { relationship.inverseEntityName = entity }
    relationship.isOptional = !(fields.flag("required", &findings) ?? false)
    relationship.isOrdered = fields.flag("ordered", &findings) ?? false
    relationship.isTransient = fields.flag("transient", &findings) ?? false
    relationship.minCount = fields.count("min", &findings) ?? 0
    relationship.maxCount = fields.count("max", &findings) ?? (relationship.isToMany ? 0 : 1)
    relationship.deleteRule =
      choice(&fields, "delete", ModelYAMLNames.deleteRules.map { ($0.name, $0.rule) }) ?? .nullify
    relationship.isSyncable = fields.flag("syncable", &findings)
    relationship.isIndexedBySpotlight = fields.flag("spotlight", &findings) ?? false
    relationship.isStoredInExternalRecord = fields.flag("truth_file", &findings) ?? false
    relationship.versionHashModifier = fields.string("hash_modifier", &findings)
    relationship.renamingIdentifier = fields.string("renamed_from", &findings)
    relationship.userInfo = fields.pairs("user_info", &findings)
    relationship.unknownXMLAttributes = fields.pairs("xml", &findings)
    fields.finish(&findings)
    return relationship
  }

  mutating func fetchedProperty(_ entry: YAMLNode.Entry) -> FetchedPropertyDescription {
    let name = entry.key.text ?? ""
    var fields = YAMLFields(entry.value, "the fetched property “\(name)”", &findings)
    var property = FetchedPropertyDescription(
      name: name, fetchRequest: FetchRequestTemplate(name: ModelYAMLNames.usualRequestName, entityName: ""))
    property.position = entry.key.position
    if let node = fields.node("fetch") {
      property.fetchRequest = fetchRequest(
        node, "the request of “\(name)”", name: ModelYAMLNames.usualRequestName)
      if property.fetchRequest.entityName.isEmpty {
        findings.warning("missingEntity", node.position, "the request of “\(name)” has no entity")
      }
    } else {
      findings.error(
        "missingField", entry.key.position, "the fetched property “\(name)” has no field “fetch”",
        hint: "for example “fetch: { entity: ENTITY }”")
    }
    property.isOptional = !(fields.flag("required", &findings) ?? false)
    property.isSyncable = fields.flag("syncable", &findings)
    property.userInfo = fields.pairs("user_info", &findings)
    property.unknownXMLAttributes = fields.pairs("xml", &findings)
    fields.finish(&findings)
    return property
  }
}
