/// Writes a draft as Xcode writes it: its order of elements and attributes, four spaces a level.
struct ModelXMLWriter {
  private(set) var text = ""
  private var level = 0

  mutating func write(_ draft: ModelDraft) {
    text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    element("model", modelAttributes(draft)) { writer in
      for entity in draft.entities { writer.write(entity) }
      for composite in draft.composites {
        writer.element("composite", [("name", composite.name)], composite.unknownXMLAttributes) { writer in
          for attribute in composite.attributes { writer.write(attribute) }
        }
      }
      for request in draft.fetchRequestTemplates { writer.write(request) }
      for configuration in draft.configurations {
        writer.element("configuration", [("name", configuration.name)], configuration.unknownXMLAttributes) { writer in
          for name in configuration.entityNames { writer.element("memberEntity", [("name", name)]) }
        }
      }
      guard !draft.diagram.isEmpty else { return }
      writer.element("elements", []) { writer in
        for box in draft.diagram {
          writer.element(
            "element",
            [
              ("name", box.name), ("positionX", box.x), ("positionY", box.y), ("width", box.width),
              ("height", box.height),
            ])
        }
      }
    }
    // Xcode ends the file without a line feed.
    text.removeLast()
  }

  private func modelAttributes(_ draft: ModelDraft) -> [(String, String?)] {
    var rest = draft.xmlAttributes
    if rest["type"] == nil {
      // The draft does not come from Xcode; these make Xcode take the file for its own.
      let usual = [
        "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0", "lastSavedToolsVersion": "22522",
        "systemVersion": "23A344", "minimumToolsVersion": "Automatic", "sourceLanguage": "Swift",
      ]
      rest.merge(usual) { own, _ in own }
    }
    let order = [
      "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
      "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData",
    ]
    var attributes: [(String, String?)] = order.map { ($0, rest.removeValue(forKey: $0)) }
    attributes.append(("userDefinedModelVersionIdentifier", draft.versionIdentifier))
    for name in ["macOSVersion", "iOSVersion"] { attributes.append((name, rest.removeValue(forKey: name))) }
    return attributes + rest.sorted { CodePointOrder.precedes($0.key, $1.key) }.map { ($0.key, $0.value) }
  }

  private mutating func write(_ entity: EntityDraft) {
    element(
      "entity",
      [
        ("name", entity.name), ("representedClassName", entity.className), ("isAbstract", yes(entity.isAbstract)),
        ("parentEntity", entity.parentName), ("elementID", entity.renamingIdentifier),
        ("versionHashModifier", entity.versionHashModifier), ("syncable", flag(entity.isSyncable)),
        ("codeGenerationType", entity.codeGenerationType),
      ], entity.unknownXMLAttributes
    ) { writer in
      for attribute in entity.attributes { writer.write(attribute) }
      for relationship in entity.relationships { writer.write(relationship) }
      for property in entity.fetchedProperties {
        writer.element(
          "fetchedProperty",
          [
            ("name", property.name), ("optional", writer.yes(property.isOptional)),
            ("syncable", writer.flag(property.isSyncable)),
          ], property.unknownXMLAttributes
        ) { writer in
          if !property.fetchRequest.isMissing { writer.write(property.fetchRequest) }
          writer.write(userInfo: property.userInfo)
        }
      }
      for index in entity.fetchIndexes { writer.write(index) }
      writer.write(entity.compoundIndexes, "compoundIndexes", "compoundIndex", "index")
      writer.write(entity.uniquenessConstraints, "uniquenessConstraints", "uniquenessConstraint", "constraint")
      writer.write(userInfo: entity.userInfo)
    }
  }

  private mutating func write(_ attribute: AttributeDescription) {
    let validation = attribute.validation
    element(
      "attribute",
      [
        ("name", attribute.name), ("optional", yes(attribute.isOptional)), ("transient", yes(attribute.isTransient)),
        ("attributeType", attribute.type == .undefined ? nil : attribute.type.xmlName),
        ("valueTransformerName", attribute.valueTransformerName),
        ("minDateTimeInterval", interval(validation.minimumValue)), ("minValueString", validation.minimumText),
        ("maxDateTimeInterval", interval(validation.maximumValue)), ("maxValueString", validation.maximumText),
        ("defaultDateTimeInterval", interval(attribute.defaultValue)),
        ("defaultValueString", attribute.defaultValueText),
        ("regularExpressionString", validation.regularExpression),
        ("derived", yes(attribute.isDerived)), ("derivationExpression", attribute.derivationExpression),
        ("usesScalarValueType", flag(attribute.usesScalarValueType)),
        ("allowsExternalBinaryDataStorage", yes(attribute.allowsExternalBinaryDataStorage)),
        ("allowsCloudEncryption", yes(attribute.allowsCloudEncryption)),
        ("preserveAfterDeletion", yes(attribute.preservesValueInHistoryOnDeletion)),
        ("customClassName", attribute.customClassName), ("composite", attribute.compositeName),
        ("indexed", yes(attribute.isIndexed)),
        ("elementID", attribute.renamingIdentifier), ("versionHashModifier", attribute.versionHashModifier),
        ("spotlightIndexingEnabled", yes(attribute.isIndexedBySpotlight)),
        ("storedInTruthFile", yes(attribute.isStoredInExternalRecord)), ("syncable", flag(attribute.isSyncable)),
      ], attribute.unknownXMLAttributes
    ) { writer in
      for element in attribute.elements { writer.write(element) }
      writer.write(userInfo: attribute.userInfo)
    }
  }

  private mutating func write(_ relationship: RelationshipDescription) {
    let usualMaximum = relationship.isToMany ? 0 : nil
    let destination = relationship.destinationEntityName
    element(
      "relationship",
      [
        ("name", relationship.name), ("optional", yes(relationship.isOptional)),
        ("transient", yes(relationship.isTransient)), ("toMany", yes(relationship.isToMany)),
        ("minCount", relationship.minCount == 0 ? nil : String(relationship.minCount)),
        ("maxCount", relationship.maxCount == usualMaximum ? nil : String(relationship.maxCount)),
        ("deletionRule", relationship.deleteRule.rawValue), ("ordered", yes(relationship.isOrdered)),
        ("destinationEntity", destination.isEmpty ? nil : destination), ("inverseName", relationship.inverseName),
        ("inverseEntity", relationship.inverseEntityName), ("elementID", relationship.renamingIdentifier),
        ("versionHashModifier", relationship.versionHashModifier),
        ("spotlightIndexingEnabled", yes(relationship.isIndexedBySpotlight)),
        ("storedInTruthFile", yes(relationship.isStoredInExternalRecord)), ("syncable", flag(relationship.isSyncable)),
      ], relationship.unknownXMLAttributes
    ) { $0.write(userInfo: relationship.userInfo) }
  }

  private mutating func write(_ request: FetchRequestTemplate) {
    var attributes: [(String, String?)] = [
      ("name", request.name), ("entity", request.entityName.isEmpty ? nil : request.entityName),
      ("predicateString", request.predicateText),
      ("fetchLimit", request.fetchLimit == 0 ? nil : String(request.fetchLimit)),
      ("fetchBatchSize", request.fetchBatchSize == 0 ? nil : String(request.fetchBatchSize)),
    ]
    for option in FetchRequestTemplate.optionNames { attributes.append((option, flag(request.options[option]))) }
    attributes.append(("resultType", request.resultType == .objects ? nil : String(request.resultType.rawValue)))
    element("fetchRequest", attributes, request.unknownXMLAttributes) { $0.write(userInfo: request.userInfo) }
  }

  private mutating func write(_ index: FetchIndexDescription) {
    element(
      "fetchIndex", [("name", index.name), ("partialIndexPredicate", index.partialIndexPredicateText)],
      index.unknownXMLAttributes
    ) { writer in
      for item in index.elements {
        writer.element(
          "fetchIndexElement",
          [
            ("property", item.propertyName), ("expression", item.expression), ("expressionType", item.expressionType),
            ("type", item.kind.rawValue), ("order", item.isAscending ? "ascending" : "descending"),
          ], item.unknownXMLAttributes)
      }
    }
  }

  private mutating func write(_ lists: [[String]], _ outer: String, _ middle: String, _ inner: String) {
    guard !lists.isEmpty else { return }
    element(outer, []) { writer in
      for list in lists {
        writer.element(middle, []) { writer in
          for name in list { writer.element(inner, [("value", name)]) }
        }
      }
    }
  }

  private mutating func write(userInfo: [String: String]) {
    guard !userInfo.isEmpty else { return }
    element("userInfo", []) { writer in
      for (key, value) in userInfo.sortedForPeople {
        writer.element("entry", [("key", key), ("value", value)])
      }
    }
  }

  // MARK: Form

  private func yes(_ value: Bool) -> String? { value ? "YES" : nil }
  private func flag(_ value: Bool?) -> String? { value.map { $0 ? "YES" : "NO" } }

  private func interval(_ value: AttributeValue?) -> String? {
    guard case .date(let seconds)? = value else { return nil }
    return Int64(exactly: seconds).map(String.init) ?? "\(seconds)"
  }

  /// Writes an element; attributes without a value are left out, and without content it closes itself.
  private mutating func element(
    _ name: String, _ attributes: [(String, String?)], _ unknown: [String: String] = [:],
    _ content: (inout ModelXMLWriter) -> Void = { _ in }
  ) {
    let indentation = String(repeating: "    ", count: level)
    text += indentation + "<" + name
    let rest = unknown.sorted { CodePointOrder.precedes($0.key, $1.key) }.map { ($0.key, String?.some($0.value)) }
    for (name, value) in attributes + rest {
      if let value { text += " \(name)=\"\(XMLText.escaped(value))\"" }
    }
    text += ">\n"
    let start = text.utf8.count
    level += 1
    content(&self)
    level -= 1
    if text.utf8.count == start {
      text.removeLast(2)
      text += "/>\n"
    } else {
      text += indentation + "</\(name)>\n"
    }
  }
}

extension [String: String] {
  /// The pairs sorted by key without case, as Xcode sorts them; keys that differ in case only by code points.
  var sortedForPeople: [(key: String, value: String)] {
    sorted {
      let (left, right) = ($0.key.lowercased(), $1.key.lowercased())
      return left == right ? CodePointOrder.precedes($0.key, $1.key) : CodePointOrder.precedes(left, right)
    }
  }
}
