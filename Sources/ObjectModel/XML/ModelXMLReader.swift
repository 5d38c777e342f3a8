import Diagnostics

/// Makes a draft of the element tree of a `contents` file.
///
/// What a file says wrongly becomes a finding of the draft, and reading goes on; XML attributes that are not known are
/// kept, unknown elements are reported and dropped. Source: `../shared/coredata-format.md`, part 1.2.
struct ModelXMLReader {
  private var findings: FindingList

  /// Reads a model.
  ///
  /// - Throws: `notAModel` when the root element is another one, and what ``XMLTreeReader`` throws.
  static func read(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> ModelDraft {
    let root = try XMLTreeReader.parse(bytes, path: path)
    guard root.name == "model" else {
      throw DiagnosticList([
        Diagnostic(
          .error, code: "notAModel", path: path, position: root.position,
          message: "the root element is “\(root.name)”, not “model”")
      ])
    }
    var reader = ModelXMLReader(findings: FindingList(path: path))
    return reader.model(root)
  }

  private mutating func model(_ element: XMLElement) -> ModelDraft {
    var draft = ModelDraft()
    draft.path = findings.path
    var bag = XMLAttributeBag(element)
    draft.versionIdentifier = bag.take("userDefinedModelVersionIdentifier") ?? ""
    draft.xmlAttributes = bag.rest
    for child in element.children {
      switch child.name {
      case "entity": draft.entities.append(entity(child))
      case "fetchRequest": draft.fetchRequestTemplates.append(fetchRequest(child))
      case "configuration": draft.configurations.append(configuration(child))
      case "compositeAttribute", "composite": draft.composites.append(composite(child))
      case "elements":
        for box in child.children where box.name == "element" {
          draft.diagram.append(
            DiagramElement(
              name: box["name"] ?? "", x: box["positionX"] ?? "", y: box["positionY"] ?? "",
              width: box["width"] ?? "", height: box["height"] ?? ""))
        }
      default: unknown(child, in: "model")
      }
    }
    draft.readerFindings = findings.diagnostics
    return draft
  }

  // MARK: Entities

  private mutating func entity(_ element: XMLElement) -> EntityDraft {
    var bag = XMLAttributeBag(element)
    var entity = EntityDraft(name: name(&bag, element))
    entity.position = element.position
    entity.parentName = bag.take("parentEntity")
    entity.className = bag.take("representedClassName")
    entity.isAbstract = flag(&bag, "isAbstract", element) ?? false
    entity.isSyncable = flag(&bag, "syncable", element)
    entity.codeGenerationType = bag.take("codeGenerationType")
    entity.versionHashModifier = bag.take("versionHashModifier")
    entity.renamingIdentifier = bag.take("elementID")
    entity.unknownXMLAttributes = bag.rest
    for child in element.children {
      switch child.name {
      case "attribute": entity.attributes.append(attribute(child))
      case "relationship": entity.relationships.append(relationship(child))
      case "fetchedProperty": entity.fetchedProperties.append(fetchedProperty(child))
      case "fetchIndex": entity.fetchIndexes.append(fetchIndex(child))
      case "uniquenessConstraints":
        entity.uniquenessConstraints += nameLists(child, list: "uniquenessConstraint", item: "constraint")
      case "compoundIndexes": entity.compoundIndexes += nameLists(child, list: "compoundIndex", item: "index")
      case "userInfo": entity.userInfo = userInfo(child)
      default: unknown(child, in: "entity")
      }
    }
    return entity
  }

  private mutating func nameLists(_ element: XMLElement, list: String, item: String) -> [[String]] {
    var lists: [[String]] = []
    for child in element.children {
      guard child.name == list else {
        unknown(child, in: element.name)
        continue
      }
      for inner in child.children where inner.name != item { unknown(inner, in: list) }
      lists.append(child.children.filter { $0.name == item }.map { $0["value"] ?? "" })
    }
    return lists
  }

  private mutating func userInfo(_ element: XMLElement) -> [String: String] {
    var pairs: [String: String] = [:]
    for child in element.children {
      guard child.name == "entry" else {
        unknown(child, in: "userInfo")
        continue
      }
      pairs[child["key"] ?? ""] = child["value"] ?? ""
    }
    return pairs
  }

  // MARK: Properties

  private mutating func attribute(_ element: XMLElement) -> AttributeDescription {
    var bag = XMLAttributeBag(element)
    let name = name(&bag, element)
    var attribute = AttributeDescription(name: name, type: type(&bag, element))
    attribute.position = element.position
    attribute.isOptional = flag(&bag, "optional", element) ?? false
    attribute.isTransient = flag(&bag, "transient", element) ?? false
    attribute.usesScalarValueType = flag(&bag, "usesScalarValueType", element)
    if bag.rest["derived"].flatMap(XMLText.boolean) == true {
      _ = bag.take("derived")
      attribute.derivationExpression = bag.take("derivationExpression") ?? ""
    }
    attribute.valueTransformerName = bag.take("valueTransformerName")
    attribute.customClassName = bag.take("customClassName")
    attribute.allowsExternalBinaryDataStorage = flag(&bag, "allowsExternalBinaryDataStorage", element) ?? false
    attribute.preservesValueInHistoryOnDeletion = flag(&bag, "preserveAfterDeletion", element) ?? false
    attribute.allowsCloudEncryption = flag(&bag, "allowsCloudEncryption", element) ?? false
    attribute.isIndexed = flag(&bag, "indexed", element) ?? false
    attribute.isIndexedBySpotlight = flag(&bag, "spotlightIndexingEnabled", element) ?? false
    attribute.isStoredInExternalRecord = flag(&bag, "storedInTruthFile", element) ?? false
    attribute.isSyncable = flag(&bag, "syncable", element)
    attribute.versionHashModifier = bag.take("versionHashModifier")
    attribute.renamingIdentifier = bag.take("elementID")
    attribute.takeValues(
      default: bag.take("defaultValueString"), minimum: bag.take("minValueString"),
      maximum: bag.take("maxValueString"), pattern: bag.take("regularExpressionString"))
    if attribute.type == .date {
      if let seconds = interval(&bag, "defaultDateTimeInterval", element) { attribute.defaultValue = .date(seconds) }
      if let seconds = interval(&bag, "minDateTimeInterval", element) {
        attribute.validation.minimumValue = .date(seconds)
      }
      if let seconds = interval(&bag, "maxDateTimeInterval", element) {
        attribute.validation.maximumValue = .date(seconds)
      }
    }
    attribute.unknownXMLAttributes = bag.rest
    for child in element.children {
      switch child.name {
      case "userInfo": attribute.userInfo = userInfo(child)
      case "attribute": attribute.elements.append(self.attribute(child))
      default: unknown(child, in: "attribute")
      }
    }
    return attribute
  }

  private mutating func type(_ bag: inout XMLAttributeBag, _ element: XMLElement) -> AttributeType {
    guard let text = bag.take("attributeType") else { return .undefined }
    if let type = AttributeType.allCases.first(where: { $0.xmlName == text }) { return type }
    if text == "ObjectID" { return .objectID }
    findings.error(
      "unknownAttributeType", element.position, "“\(text)” is not an attribute type",
      hint: FindingList.didYouMean(text, AttributeType.allCases.map(\.xmlName)))
    return .undefined
  }

  private mutating func relationship(_ element: XMLElement) -> RelationshipDescription {
    var bag = XMLAttributeBag(element)
    let name = name(&bag, element)
    var relationship = RelationshipDescription(name: name, destinationEntityName: bag.take("destinationEntity") ?? "")
    relationship.position = element.position
    relationship.inverseName = bag.take("inverseName")
    relationship.inverseEntityName = bag.take("inverseEntity")
    relationship.isToMany = flag(&bag, "toMany", element) ?? false
    relationship.isOrdered = flag(&bag, "ordered", element) ?? false
    relationship.isOptional = flag(&bag, "optional", element) ?? false
    relationship.isTransient = flag(&bag, "transient", element) ?? false
    relationship.minCount = count(&bag, "minCount", element) ?? 0
    relationship.maxCount = count(&bag, "maxCount", element) ?? (relationship.isToMany ? 0 : 1)
    if let rule = bag.take("deletionRule") {
      if let known = DeleteRule(rawValue: rule) {
        relationship.deleteRule = known
      } else {
        findings.error(
          "unknownDeleteRule", element.position, "“\(rule)” is not a delete rule",
          hint: FindingList.didYouMean(rule, DeleteRule.allCases.map(\.rawValue)))
      }
    }
    relationship.isSyncable = flag(&bag, "syncable", element)
    relationship.isIndexedBySpotlight = flag(&bag, "spotlightIndexingEnabled", element) ?? false
    relationship.isStoredInExternalRecord = flag(&bag, "storedInTruthFile", element) ?? false
    relationship.versionHashModifier = bag.take("versionHashModifier")
    relationship.renamingIdentifier = bag.take("elementID")
    relationship.unknownXMLAttributes = bag.rest
    for child in element.children {
      if child.name == "userInfo" {
        relationship.userInfo = userInfo(child)
      } else {
        unknown(child, in: "relationship")
      }
    }
    return relationship
  }

  private mutating func fetchedProperty(_ element: XMLElement) -> FetchedPropertyDescription {
    var bag = XMLAttributeBag(element)
    var property = FetchedPropertyDescription(
      name: name(&bag, element), fetchRequest: FetchRequestTemplate(name: "", entityName: ""))
    property.position = element.position
    property.isOptional = flag(&bag, "optional", element) ?? false
    property.isSyncable = flag(&bag, "syncable", element)
    property.unknownXMLAttributes = bag.rest
    var hasRequest = false
    for child in element.children {
      switch child.name {
      case "fetchRequest":
        property.fetchRequest = fetchRequest(child)
        hasRequest = true
      case "userInfo": property.userInfo = userInfo(child)
      default: unknown(child, in: "fetchedProperty")
      }
    }
    if !hasRequest {
      findings.error(
        "missingFetchRequest", element.position, "the fetched property “\(property.name)” has no fetch request")
    }
    return property
  }

  // MARK: Requests, indexes, configurations

  private mutating func fetchRequest(_ element: XMLElement) -> FetchRequestTemplate {
    var bag = XMLAttributeBag(element)
    let name = name(&bag, element)
    var request = FetchRequestTemplate(name: name, entityName: bag.take("entity") ?? "")
    request.position = element.position
    request.predicateText = bag.take("predicateString")
    if let number = count(&bag, "resultType", element) {
      if let type = FetchRequestTemplate.ResultType(rawValue: number) {
        request.resultType = type
      } else {
        findings.error("invalidValue", element.position, "\(number) is not a result type; there are 0, 1, 2 and 4")
      }
    }
    request.fetchLimit = count(&bag, "fetchLimit", element) ?? 0
    request.fetchBatchSize = count(&bag, "fetchBatchSize", element) ?? 0
    for option in FetchRequestTemplate.optionNames {
      if let value = flag(&bag, option, element) { request.options[option] = value }
    }
    request.unknownXMLAttributes = bag.rest
    for child in element.children {
      if child.name == "userInfo" {
        request.userInfo = userInfo(child)
      } else {
        unknown(child, in: "fetchRequest")
      }
    }
    return request
  }

  private mutating func fetchIndex(_ element: XMLElement) -> FetchIndexDescription {
    var bag = XMLAttributeBag(element)
    var index = FetchIndexDescription(name: name(&bag, element), elements: [])
    index.position = element.position
    index.partialIndexPredicateText = bag.take("partialIndexPredicate")
    index.unknownXMLAttributes = bag.rest
    for child in element.children {
      guard child.name == "fetchIndexElement" else {
        unknown(child, in: "fetchIndex")
        continue
      }
      var bag = XMLAttributeBag(child)
      var item = FetchIndexDescription.Element(propertyName: bag.take("property"))
      item.expression = bag.take("expression")
      item.expressionType = bag.take("expressionType")
      if let text = bag.take("type") {
        if let kind = FetchIndexDescription.Element.Kind(rawValue: text) {
          item.kind = kind
        } else {
          findings.error("invalidValue", child.position, "“\(text)” is not a kind of index", hint: "Binary or RTree")
        }
      }
      if let order = bag.take("order") { item.isAscending = order != "descending" }
      item.unknownXMLAttributes = bag.rest
      index.elements.append(item)
    }
    return index
  }

  private mutating func configuration(_ element: XMLElement) -> ModelConfiguration {
    var bag = XMLAttributeBag(element)
    var configuration = ModelConfiguration(name: name(&bag, element), entityNames: [])
    configuration.position = element.position
    configuration.unknownXMLAttributes = bag.rest
    for child in element.children {
      guard child.name == "memberEntity" else {
        unknown(child, in: "configuration")
        continue
      }
      configuration.entityNames.append(child["name"] ?? "")
    }
    return configuration
  }

  private mutating func composite(_ element: XMLElement) -> CompositeDefinition {
    var bag = XMLAttributeBag(element)
    var composite = CompositeDefinition(name: name(&bag, element), attributes: [])
    composite.position = element.position
    composite.unknownXMLAttributes = bag.rest
    for child in element.children {
      if child.name == "attribute" {
        composite.attributes.append(attribute(child))
      } else {
        unknown(child, in: element.name)
      }
    }
    return composite
  }

  // MARK: Values

  private mutating func name(_ bag: inout XMLAttributeBag, _ element: XMLElement) -> String {
    if let name = bag.take("name") { return name }
    findings.error("missingName", element.position, "the \(element.name) has no name")
    return ""
  }

  private mutating func flag(_ bag: inout XMLAttributeBag, _ name: String, _ element: XMLElement) -> Bool? {
    if let value = bag.takeFlag(name) { return value }
    if let text = bag.rest[name] {
      findings.warning("invalidValue", element.position, "“\(name)” is “\(text)”, which is neither YES nor NO")
    }
    return nil
  }

  private mutating func count(_ bag: inout XMLAttributeBag, _ name: String, _ element: XMLElement) -> Int? {
    if let value = bag.takeCount(name) { return value }
    if let text = bag.rest[name] {
      findings.error("invalidValue", element.position, "“\(name)” is “\(text)”, which is not a whole number")
    }
    return nil
  }

  private mutating func interval(_ bag: inout XMLAttributeBag, _ name: String, _ element: XMLElement) -> Double? {
    guard let text = bag.rest[name] else { return nil }
    guard let value = Double(text), value.isFinite else {
      findings.error(
        "invalidValue", element.position, "“\(name)” is “\(text)”, which is not a number of seconds")
      return nil
    }
    _ = bag.take(name)
    return value
  }

  private mutating func unknown(_ element: XMLElement, in parent: String) {
    findings.warning(
      "unknownElement", element.position, "the element “\(element.name)” in “\(parent)” is not known and is left out")
  }
}
