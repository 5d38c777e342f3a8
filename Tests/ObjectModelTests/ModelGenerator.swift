import MergewalkObjectModel
import MergewalkTestSupport

/// Makes models at random that lint accepts, with every feature and awkward texts.
struct ModelGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  private mutating func flag() -> Bool? { chance(60) ? nil : chance(50) }

  private mutating func text() -> String {
    let pieces = [
      "a", "Zürich", " ", "\"", "'", "<", ">", "&", "&amp;", "\n", "\t", "\r", ":", "#", "- ", "null", "true", "12",
      "1.5",
      "日本", "😀", "{", "}", "[", ",", "%", "@", "!", "~", "no", "\\", "\u{2028}", "\u{A0}", "|",
    ]
    return (0..<number(0...4)).map { _ in pieces[number(0...pieces.count - 1)] }.joined()
  }

  private mutating func pairs() -> [String: String] {
    guard chance(20) else { return [:] }
    return Dictionary(uniqueKeysWithValues: (0..<number(1...3)).map { i in ("key\(i)" + text(), text()) })
  }

  private mutating func unknown() -> [String: String] { chance(10) ? ["futureFlag": text()] : [:] }
  private mutating func optionalText() -> String? { chance(10) ? text() : nil }

  mutating func draft() -> ModelDraft {
    var draft = ModelDraft()
    draft.name = "Made"
    draft.versionIdentifier = chance(30) ? text() : ""
    // A model with this attribute is taken for Xcode's, so that the writer adds nothing.
    draft.xmlAttributes = ["type": "com.apple.IDECoreDataModeler.DataModel", "futureFlag": text()]
    let names = (0..<number(1...6)).map { "Entity\($0)" }
    for (i, name) in names.enumerated() {
      var entity = EntityDraft(name: name)
      if i > 0, chance(30) { entity.parentName = names[number(0...i - 1)] }
      entity.isAbstract = chance(15)
      entity.className = chance(70) ? name : optionalText()
      entity.isSyncable = chance(70) ? true : flag()
      entity.codeGenerationType = chance(20) ? "class" : nil
      entity.versionHashModifier = optionalText()
      entity.renamingIdentifier = optionalText().map { $0 + name }
      entity.userInfo = pairs()
      entity.unknownXMLAttributes = unknown()
      for a in 0..<number(0...5) { entity.attributes.append(attribute("e\(i)a\(a)")) }
      if chance(20) { entity.fetchedProperties.append(fetchedProperty("e\(i)f", names)) }
      let stored = entity.attributes.filter { !$0.isTransient }.map(\.name)
      if let first = stored.first {
        if chance(40) { entity.uniquenessConstraints = [chance(50) ? [first] : stored] }
        if chance(30) { entity.fetchIndexes.append(index("by", stored)) }
        if chance(20) { entity.compoundIndexes = [stored, [first]] }
      }
      draft.entities.append(entity)
    }
    for i in 0..<number(0...6) { connect(&draft, number: i) }
    if chance(30) { draft.fetchRequestTemplates.append(request("all", names)) }
    if chance(30) {
      var configuration = ModelConfiguration(name: "Cloud " + text(), entityNames: names)
      configuration.unknownXMLAttributes = unknown()
      draft.configurations.append(configuration)
    }
    if chance(10) {
      var composite = CompositeDefinition(name: "Address", attributes: [attribute("city"), attribute("street")])
      // Elements are stored, and of a type.
      for i in composite.attributes.indices {
        composite.attributes[i].isTransient = false
        composite.attributes[i].derivationExpression = nil
        if composite.attributes[i].type == .undefined { composite.attributes[i].type = .string }
      }
      composite.unknownXMLAttributes = unknown()
      draft.composites.append(composite)
    }
    if chance(30) {
      draft.diagram = names.map { DiagramElement(name: $0, x: "-9", y: "158.67", width: "128", height: text()) }
    }
    return draft
  }

  private mutating func attribute(_ name: String) -> AttributeDescription {
    let types = AttributeType.allCases.filter { $0 != .composite }
    var attribute = AttributeDescription(name: name, type: types[number(0...types.count - 1)])
    attribute.isOptional = chance(50)
    attribute.isTransient = attribute.type == .undefined || chance(10)
    attribute.usesScalarValueType = flag()
    attribute.isSyncable = flag()
    attribute.allowsExternalBinaryDataStorage = chance(10)
    attribute.preservesValueInHistoryOnDeletion = chance(10)
    attribute.allowsCloudEncryption = chance(10)
    attribute.isIndexed = chance(10)
    attribute.isIndexedBySpotlight = chance(10)
    attribute.isStoredInExternalRecord = chance(10)
    attribute.versionHashModifier = optionalText()
    // No two properties of an entity may have the same one.
    attribute.renamingIdentifier = optionalText().map { $0 + attribute.name }
    attribute.userInfo = pairs()
    attribute.unknownXMLAttributes = unknown()
    if attribute.type == .transformable {
      attribute.valueTransformerName = optionalText()
      attribute.customClassName = optionalText()
    }
    if chance(40) { setValues(&attribute) }
    return attribute
  }

  private mutating func setValues(_ attribute: inout AttributeDescription) {
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      setDefault(&attribute, String(number(-5...5)))
      setBounds(&attribute, "-5", "5")
    case .decimal, .double, .float:
      setDefault(&attribute, ["0.0", "1.5", "-2", "1e-3"][number(0...3)])
      setBounds(&attribute, "-4.5", "4.50")
    case .boolean: setDefault(&attribute, ["YES", "NO", "1", "true"][number(0...3)])
    case .string:
      setDefault(&attribute, text() + "xx")
      attribute.validation.minimumLength = 2
      attribute.validation.minimumText = "2"
      attribute.validation.regularExpression = optionalText()
    case .uri: setDefault(&attribute, "https://example.org/?a=1#" + text())
    case .uuid: setDefault(&attribute, "5C8F0B43-9E6B-4E37-9F60-0A0D1E5F7A11")
    case .date:
      attribute.defaultValue = .date(Double(number(-1_000_000_000...1_000_000_000)) + (chance(50) ? 0 : 0.25))
      attribute.defaultValueText = optionalText()
      attribute.validation.maximumValue = chance(50) ? .date(2e9) : nil
    default: break
    }
  }

  private func setDefault(_ attribute: inout AttributeDescription, _ text: String) {
    attribute.defaultValueText = text
    attribute.defaultValue = AttributeValue(text: text, type: attribute.type)
  }

  private func setBounds(_ attribute: inout AttributeDescription, _ low: String, _ high: String) {
    attribute.validation.minimumText = low
    attribute.validation.minimumValue = AttributeValue(text: low, type: attribute.type)
    attribute.validation.maximumText = high
    attribute.validation.maximumValue = AttributeValue(text: high, type: attribute.type)
  }

  private mutating func connect(_ draft: inout ModelDraft, number i: Int) {
    let left = number(0...draft.entities.count - 1)
    let right = number(0...draft.entities.count - 1)
    var there = relationship("there\(i)", draft.entities[right].name)
    guard chance(85) else {
      draft.entities[left].relationships.append(there)
      return
    }
    var back = relationship("back\(i)", draft.entities[left].name)
    there.inverseName = back.name
    there.inverseEntityName = back.destinationEntityName == "" ? nil : draft.entities[right].name
    back.inverseName = there.name
    back.inverseEntityName = draft.entities[left].name
    draft.entities[left].relationships.append(there)
    draft.entities[right].relationships.append(back)
  }

  private mutating func relationship(_ name: String, _ destination: String) -> RelationshipDescription {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.isToMany = chance(50)
    relationship.maxCount = relationship.isToMany ? (chance(20) ? 9 : 0) : 1
    relationship.minCount = chance(20) ? 1 : 0
    relationship.isOrdered = relationship.isToMany && chance(30)
    relationship.isOptional = chance(50)
    relationship.isTransient = chance(10)
    relationship.deleteRule = DeleteRule.allCases[number(0...3)]
    relationship.isSyncable = flag()
    relationship.isIndexedBySpotlight = chance(10)
    relationship.isStoredInExternalRecord = chance(10)
    relationship.versionHashModifier = optionalText()
    relationship.renamingIdentifier = optionalText().map { $0 + relationship.name }
    relationship.userInfo = pairs()
    relationship.unknownXMLAttributes = unknown()
    return relationship
  }

  private mutating func request(_ name: String, _ entities: [String]) -> FetchRequestTemplate {
    var request = FetchRequestTemplate(name: name, entityName: entities[number(0...entities.count - 1)])
    request.predicateText = chance(70) ? "name == \"" + text() + "\"" : nil
    request.resultType = [.objects, .objectIDs, .dictionaries, .count][number(0...3)]
    request.fetchLimit = chance(30) ? 100 : 0
    request.fetchBatchSize = chance(30) ? 10 : 0
    for option in FetchRequestTemplate.optionNames {
      if let value = flag() { request.options[option] = value }
    }
    request.userInfo = pairs()
    request.unknownXMLAttributes = unknown()
    return request
  }

  private mutating func fetchedProperty(_ name: String, _ entities: [String]) -> FetchedPropertyDescription {
    let requestName = chance(70) ? "fetchedPropertyFetchRequest" : text()
    var property = FetchedPropertyDescription(name: name, fetchRequest: request(requestName, entities))
    property.isOptional = chance(50)
    property.isSyncable = flag()
    property.userInfo = pairs()
    property.unknownXMLAttributes = unknown()
    return property
  }

  private mutating func index(_ name: String, _ attributes: [String]) -> FetchIndexDescription {
    var elements: [FetchIndexDescription.Element] = []
    for attribute in attributes {
      var element = FetchIndexDescription.Element(propertyName: attribute)
      element.isAscending = chance(70)
      element.kind = chance(20) ? .rTree : .binary
      element.unknownXMLAttributes = unknown()
      elements.append(element)
    }
    if chance(20) {
      var element = FetchIndexDescription.Element(propertyName: nil)
      element.expression = "length(" + text() + ")"
      element.expressionType = optionalText()
      elements.append(element)
    }
    var index = FetchIndexDescription(name: name, elements: elements)
    index.partialIndexPredicateText = optionalText()
    index.unknownXMLAttributes = unknown()
    return index
  }
}
