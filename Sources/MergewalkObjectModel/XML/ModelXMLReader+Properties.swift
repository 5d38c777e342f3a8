import MergewalkXML

/// Attributes, relationships and fetched properties of a `contents` file.
extension ModelXMLReader {
  mutating func attribute(_ element: XMLElement) -> AttributeDescription {
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
    // Earlier versions of this project wrote the other name.
    attribute.compositeName = bag.take("composite") ?? bag.take("compositeName")
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

  mutating func relationship(_ element: XMLElement) -> RelationshipDescription {
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
        findings.warning(
          "unknownDeleteRule", element.position, "“\(rule)” is not a delete rule; Nullify is taken",
          hint: FindingList.didYouMean(rule, DeleteRule.allCases.map(\.rawValue)))
      }
    }
    relationship.isSyncable = flag(&bag, "syncable", element)
    relationship.isIndexedBySpotlight = flag(&bag, "spotlightIndexingEnabled", element) ?? false
    relationship.isStoredInExternalRecord = flag(&bag, "storedInTruthFile", element) ?? false
    relationship.versionHashModifier = bag.take("versionHashModifier")
    relationship.renamingIdentifier = bag.take("elementID")
    relationship.unknownXMLAttributes = bag.rest
    for child in children("userInfo", of: element) { relationship.userInfo = userInfo(child) }
    return relationship
  }

  mutating func fetchedProperty(_ element: XMLElement) -> FetchedPropertyDescription {
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
      findings.warning(
        "missingFetchRequest", element.position, "the fetched property “\(property.name)” has no fetch request")
    }
    return property
  }
}
