import MergewalkYAML

/// Lays a draft out in YAML as a person would write it: what is usual is left out, a property takes one line.
enum ModelYAMLWriter {
  private typealias Entries = [(key: String, value: YAMLOutput)]

  static func tree(_ draft: ModelDraft) -> YAMLOutput {
    var entries: Entries = []
    if !draft.name.isEmpty { entries.append(("model", .string(draft.name))) }
    if !draft.versionIdentifier.isEmpty { entries.append(("identifier", text(draft.versionIdentifier))) }
    entries.append(("entities", .mapping(draft.entities.map { ($0.name, entity($0)) })))
    if !draft.composites.isEmpty {
      entries.append(
        (
          "composites",
          .mapping(
            draft.composites.map { composite in
              var inner: Entries = [("attributes", .mapping(composite.attributes.map { ($0.name, attribute($0)) }))]
              add(&inner, "xml", composite.unknownXMLAttributes)
              return (composite.name, .mapping(inner))
            })
        ))
    }
    if !draft.fetchRequestTemplates.isEmpty {
      entries.append(
        (
          "fetch_requests",
          .mapping(first(draft.fetchRequestTemplates, \.name).map { ($0.name, .flowMapping(request($0))) })
        ))
    }
    if !draft.configurations.isEmpty {
      entries.append(
        (
          "configurations",
          .mapping(
            first(draft.configurations, \.name).map { configuration in
              let names = YAMLOutput.flowList(configuration.entityNames.map { .string($0) })
              guard !configuration.unknownXMLAttributes.isEmpty else { return (configuration.name, names) }
              var inner: Entries = [("entities", names)]
              add(&inner, "xml", configuration.unknownXMLAttributes)
              return (configuration.name, .mapping(inner))
            })
        ))
    }
    add(&entries, "xml", draft.xmlAttributes, isBlock: true)
    if !draft.diagram.isEmpty {
      entries.append(
        (
          "diagram",
          .list(
            draft.diagram.map { box in
              .flowList([.string(box.name)] + [box.x, box.y, box.width, box.height].map(number))
            })
        ))
    }
    return .mapping(entries)
  }

  // MARK: Entities

  private static func entity(_ entity: EntityDraft) -> YAMLOutput {
    var entries: Entries = []
    add(&entries, "parent", entity.parentName)
    add(&entries, "abstract", entity.isAbstract)
    if entity.className != entity.name {
      entries.append(("class", entity.className.map(text) ?? .literal("~")))
    }
    if entity.isSyncable != true {
      entries.append(("syncable", .literal(entity.isSyncable == nil ? "~" : "false")))
    }
    add(&entries, "codegen", entity.codeGenerationType)
    add(&entries, "hash_modifier", entity.versionHashModifier)
    add(&entries, "renamed_from", entity.renamingIdentifier)
    if !entity.attributes.isEmpty {
      entries.append(("attributes", .mapping(entity.attributes.map { ($0.name, attribute($0)) })))
    }
    if !entity.relationships.isEmpty {
      entries.append(("relationships", .mapping(entity.relationships.map { ($0.name, relationship($0)) })))
    }
    if !entity.fetchedProperties.isEmpty {
      entries.append(("fetched", .mapping(entity.fetchedProperties.map { ($0.name, fetchedProperty($0)) })))
    }
    add(&entries, "unique", entity.uniquenessConstraints)
    if !entity.fetchIndexes.isEmpty {
      entries.append(("indexes", .mapping(first(entity.fetchIndexes, \.name).map { ($0.name, index($0)) })))
    }
    add(&entries, "compound_indexes", entity.compoundIndexes)
    add(&entries, "user_info", entity.userInfo)
    add(&entries, "xml", entity.unknownXMLAttributes)
    return .mapping(entries)
  }

  private static func attribute(_ attribute: AttributeDescription) -> YAMLOutput {
    let type = ModelYAMLNames.name(attribute.type) + (attribute.isOptional ? "" : "!")
    var entries: Entries = [("type", .literal(type))]
    let isLength = attribute.type == .string || attribute.type == .uri
    let validation = attribute.validation
    add(&entries, "transient", attribute.isTransient)
    if attribute.type == .date {
      addDate(&entries, "default", attribute.defaultValue, attribute.defaultValueText)
      addDate(&entries, "min", validation.minimumValue, validation.minimumText)
      addDate(&entries, "max", validation.maximumValue, validation.maximumText)
    } else {
      if let value = attribute.defaultValueText { entries.append(("default", spelling(value, attribute.type))) }
      if let value = validation.minimumText { entries.append((isLength ? "min_length" : "min", number(value))) }
      if let value = validation.maximumText { entries.append((isLength ? "max_length" : "max", number(value))) }
    }
    if let pattern = validation.regularExpression { entries.append(("pattern", .quoted(pattern))) }
    add(&entries, "derived", attribute.derivationExpression)
    add(&entries, "transformer", attribute.valueTransformerName)
    add(&entries, "class", attribute.customClassName)
    add(&entries, "composite", attribute.compositeName)
    add(&entries, "external_storage", attribute.allowsExternalBinaryDataStorage)
    add(&entries, "keep_after_deletion", attribute.preservesValueInHistoryOnDeletion)
    add(&entries, "cloud_encryption", attribute.allowsCloudEncryption)
    add(&entries, "indexed", attribute.isIndexed)
    add(&entries, "spotlight", attribute.isIndexedBySpotlight)
    add(&entries, "truth_file", attribute.isStoredInExternalRecord)
    add(&entries, "scalar", attribute.usesScalarValueType)
    add(&entries, "syncable", attribute.isSyncable)
    add(&entries, "hash_modifier", attribute.versionHashModifier)
    add(&entries, "renamed_from", attribute.renamingIdentifier)
    add(&entries, "user_info", attribute.userInfo)
    if !attribute.elements.isEmpty {
      entries.append(("elements", .flowMapping(attribute.elements.map { ($0.name, self.attribute($0)) })))
    }
    add(&entries, "xml", attribute.unknownXMLAttributes)
    return entries.count == 1 ? .literal(type) : .flowMapping(entries)
  }

  private static func relationship(_ relationship: RelationshipDescription) -> YAMLOutput {
    var entries: Entries = [
      (relationship.isToMany ? "to_many" : "to_one", text(relationship.destinationEntityName))
    ]
    add(&entries, "inverse", relationship.inverseName)
    let usual = relationship.inverseName == nil ? nil : relationship.destinationEntityName
    if relationship.inverseEntityName != usual {
      entries.append(("inverse_entity", relationship.inverseEntityName.map(text) ?? .literal("~")))
    }
    add(&entries, "required", !relationship.isOptional)
    add(&entries, "ordered", relationship.isOrdered)
    add(&entries, "transient", relationship.isTransient)
    if relationship.minCount != 0 { entries.append(("min", .literal(String(relationship.minCount)))) }
    if relationship.maxCount != (relationship.isToMany ? 0 : 1) {
      entries.append(("max", .literal(String(relationship.maxCount))))
    }
    if relationship.deleteRule != .nullify {
      let name = ModelYAMLNames.deleteRules.first { $0.rule == relationship.deleteRule }?.name
      entries.append(("delete", .literal(name ?? "nullify")))
    }
    add(&entries, "spotlight", relationship.isIndexedBySpotlight)
    add(&entries, "truth_file", relationship.isStoredInExternalRecord)
    add(&entries, "syncable", relationship.isSyncable)
    add(&entries, "hash_modifier", relationship.versionHashModifier)
    add(&entries, "renamed_from", relationship.renamingIdentifier)
    add(&entries, "user_info", relationship.userInfo)
    add(&entries, "xml", relationship.unknownXMLAttributes)
    return .flowMapping(entries)
  }

  private static func fetchedProperty(_ property: FetchedPropertyDescription) -> YAMLOutput {
    var inner = request(property.fetchRequest)
    if property.fetchRequest.name != ModelYAMLNames.usualRequestName {
      inner.insert(("name", text(property.fetchRequest.name)), at: 0)
    }
    var entries: Entries = [("fetch", .flowMapping(inner))]
    add(&entries, "required", !property.isOptional)
    add(&entries, "syncable", property.isSyncable)
    add(&entries, "user_info", property.userInfo)
    add(&entries, "xml", property.unknownXMLAttributes)
    return .flowMapping(entries)
  }

  private static func request(_ request: FetchRequestTemplate) -> Entries {
    var entries: Entries = [("entity", text(request.entityName))]
    if let predicate = request.predicateText { entries.append(("predicate", .quoted(predicate))) }
    if request.resultType != .objects {
      let name = ModelYAMLNames.resultTypes.first { $0.type == request.resultType }?.name
      entries.append(("result", .literal(name ?? "objects")))
    }
    if request.fetchLimit != 0 { entries.append(("limit", .literal(String(request.fetchLimit)))) }
    if request.fetchBatchSize != 0 { entries.append(("batch_size", .literal(String(request.fetchBatchSize)))) }
    for (name, xmlName) in ModelYAMLNames.options { add(&entries, name, request.options[xmlName]) }
    add(&entries, "user_info", request.userInfo)
    add(&entries, "xml", request.unknownXMLAttributes)
    return entries
  }

  private static func index(_ index: FetchIndexDescription) -> YAMLOutput {
    let elements = YAMLOutput.flowList(
      index.elements.map { element in
        var plain = FetchIndexDescription.Element(propertyName: element.propertyName)
        plain.isAscending = true
        if let name = element.propertyName, element == plain { return text(name) }
        var entries: Entries = []
        add(&entries, "property", element.propertyName)
        add(&entries, "expression", element.expression)
        add(&entries, "expression_type", element.expressionType)
        add(&entries, "descending", !element.isAscending)
        add(&entries, "rtree", element.kind == .rTree)
        add(&entries, "xml", element.unknownXMLAttributes)
        return .flowMapping(entries)
      })
    guard index.partialIndexPredicateText != nil || index.isAlone || !index.unknownXMLAttributes.isEmpty
    else { return elements }
    var entries: Entries = [("elements", elements)]
    if let predicate = index.partialIndexPredicateText { entries.append(("where", .quoted(predicate))) }
    add(&entries, "alone", index.isAlone)
    add(&entries, "xml", index.unknownXMLAttributes)
    return .flowMapping(entries)
  }

  // MARK: Values

  /// Keeps the first item of each name, because a mapping cannot have equal names.
  private static func first<Item>(_ items: [Item], _ name: (Item) -> String) -> [Item] {
    var seen: Set<String> = []
    return items.filter { seen.insert(name($0)).inserted }
  }

  /// Text that stays text; an empty one is quoted, for nothing means something else.
  private static func text(_ value: String) -> YAMLOutput { .string(value) }

  /// A number as it is spelt; anything else in quotes.
  private static func number(_ value: String) -> YAMLOutput {
    switch YAMLScalar(plain: value) {
    case .integer, .double: .literal(value)
    default: .quoted(value)
    }
  }

  private static func spelling(_ value: String, _ type: AttributeType) -> YAMLOutput {
    switch type {
    case .boolean where value == "YES": .literal("true")
    case .boolean where value == "NO": .literal("false")
    case .boolean, .integer16, .integer32, .integer64, .decimal, .double, .float: number(value)
    default: text(value)
    }
  }

  private static func addDate(_ entries: inout Entries, _ name: String, _ value: AttributeValue?, _ spelt: String?) {
    if case .date(let seconds)? = value {
      if let text = DateText.text(seconds) {
        entries.append((name, .literal(text)))
      } else {
        entries.append((name, .literal("\(seconds)")))
      }
    }
    add(&entries, name + "_text", spelt)
  }

  private static func add(_ entries: inout Entries, _ name: String, _ value: String?) {
    if let value { entries.append((name, text(value))) }
  }

  private static func add(_ entries: inout Entries, _ name: String, _ value: Bool) {
    if value { entries.append((name, .literal("true"))) }
  }

  private static func add(_ entries: inout Entries, _ name: String, _ value: Bool?) {
    if let value { entries.append((name, .literal(value ? "true" : "false"))) }
  }

  private static func add(_ entries: inout Entries, _ name: String, _ lists: [[String]]) {
    guard !lists.isEmpty else { return }
    entries.append(
      (
        name,
        .flowList(
          lists.map { list in
            list.count == 1 ? text(list[0]) : .flowList(list.map(text))
          })
      ))
  }

  private static func add(
    _ entries: inout Entries, _ name: String, _ pairs: [String: String], isBlock: Bool = false
  ) {
    guard !pairs.isEmpty else { return }
    let sorted = pairs.sortedForPeople.map { ($0.key, YAMLOutput.string($0.value)) }
    entries.append((name, isBlock ? .mapping(sorted) : .flowMapping(sorted)))
  }
}
