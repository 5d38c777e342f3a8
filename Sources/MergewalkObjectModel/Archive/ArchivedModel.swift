import MergewalkDiagnostics
import MergewalkPropertyLists

/// Reads a model that `NSKeyedArchiver` wrote: a compiled `.mom` file, or the copy that stores keep.
///
/// Read are entities, inheritance, properties with types, flags and defaults, indexes, uniqueness, configurations,
/// earlier names, bounds, patterns and user info; of files fetch requests and fetched properties too. What is not
/// understood is left out and said: a warning of the draft, and the entity is among the
/// ``ModelDraft/incompleteEntities`` when its version hash or its table cannot be right without it.
/// The archive's keys: `docs/coredata-layout.md`, "The model cache".
package struct ArchivedModel {
  private let archive: KeyedArchive
  private var findings: FindingList
  private let purpose: ModelArchiver.Purpose
  private var incomplete: Set<String> = []
  /// How many elements the composite attribute that is read has so far.
  private var elementCount = 0

  private init(archive: KeyedArchive, findings: FindingList, purpose: ModelArchiver.Purpose) {
    self.archive = archive
    self.findings = findings
    self.purpose = purpose
  }

  /// Reads an archive.
  ///
  /// - Parameter path: the path that findings name.
  /// - Returns: The draft, or `nil` when the bytes are no archive of a model.
  package static func read(_ bytes: [UInt8], path: String = "model") -> ModelDraft? {
    read(bytes, path: path, for: .file)
  }

  /// Reads an archive for a purpose: of the copy in a store what its tables need.
  package static func read(_ bytes: [UInt8], path: String = "model", for purpose: ModelArchiver.Purpose) -> ModelDraft?
  {
    guard let list = try? BinaryPropertyListReader.read(bytes), let archive = KeyedArchive(list),
      archive.className(archive.root) == "NSManagedObjectModel"
    else { return nil }
    var reader = ArchivedModel(archive: archive, findings: FindingList(path: path), purpose: purpose)
    return reader.draft()
  }

  private mutating func draft() -> ModelDraft? {
    var draft = ModelDraft()
    draft.path = findings.path
    draft.isCompiled = true
    draft.versionIdentifier = archive.strings(archive.root, "NSVersionIdentifiers").first ?? ""
    for object in archive.values(archive.root, "NSEntities") {
      guard let read = entity(object) else {
        findings.warning("unknownElement", .file, "an entity of the compiled model has no name and is left out")
        continue
      }
      draft.entities.append(read)
    }
    removeInherited(&draft)
    draft.entities.sort { CodePointOrder.precedes($0.name, $1.name) }
    removeLoose(&draft)
    if purpose == .file { readRequests(&draft) }
    draft.configurations = configurations(of: draft)
    draft.readerFindings = findings.diagnostics
    draft.incompleteEntities = incomplete
    if !draft.entities.isEmpty { return draft }
    // A compiled model without entities has an empty list of them.
    let list = archive.object(archive.root, "NSEntities")
    return purpose == .file && list.flatMap { archive.list($0, "NS.objects") }?.isEmpty == true ? draft : nil
  }

  /// Notes what is left out of an entity, whose version hash is then another one.
  private mutating func leaveOut(_ entity: String, _ message: String) {
    incomplete.insert(entity)
    findings.warning("unknownElement", .file, message)
  }

  private mutating func readRequests(_ draft: inout ModelDraft) {
    let known = Set(draft.entities.map(\.name))
    for (name, object) in archive.pairs(archive.root, "NSFetchRequestTemplates") {
      guard let request = archive.fetchRequest(object, named: name), known.contains(request.entityName) else {
        findings.warning(
          "unknownElement", .file, "the fetch request “\(name)” has unknown parts and is left out")
        continue
      }
      draft.fetchRequestTemplates.append(request)
    }
    draft.fetchRequestTemplates.sort { CodePointOrder.precedes($0.name, $1.name) }
    for i in draft.entities.indices {
      draft.entities[i].fetchedProperties.removeAll { !known.contains($0.fetchRequest.entityName) }
    }
  }

  /// Reads a fetched property of a file; it is not stored, so the copy in a store serves without.
  private mutating func readFetched(_ object: KeyedArchive.Object, _ label: String, _ entity: inout EntityDraft) {
    guard purpose == .file else { return }
    guard let name = archive.string(object, "NSPropertyName"),
      let request = archive.object(object, "NSFetchRequest").flatMap({
        archive.fetchRequest($0, named: "fetchedPropertyFetchRequest")
      })
    else {
      findings.warning(
        "unknownElement", .file, "the fetched property \(label) has unknown parts and is left out")
      return
    }
    var property = FetchedPropertyDescription(name: name, fetchRequest: request)
    property.isOptional = archive.flag(object, "NSIsOptional")
    property.userInfo = archive.stringPairs(object, "NSUserInfo")
    entity.fetchedProperties.append(property)
  }

  private func configurations(of draft: ModelDraft) -> [ModelConfiguration] {
    let known = Set(draft.entities.map(\.name))
    return archive.lists(archive.root, "NSConfigurations").compactMap { name, members in
      // The one that Core Data has of itself holds everything.
      guard name != "PF_DEFAULT_CONFIGURATION_NAME" else { return nil }
      let names = members.compactMap { archive.string($0, "NSEntityName") }.filter(known.contains)
      return ModelConfiguration(name: name, entityNames: names.sorted(by: CodePointOrder.precedes))
    }.sorted { CodePointOrder.precedes($0.name, $1.name) }
  }

  private mutating func entity(_ object: KeyedArchive.Object) -> EntityDraft? {
    guard let name = archive.string(object, "NSEntityName") else { return nil }
    var entity = EntityDraft(name: name)
    entity.parentName = archive.object(object, "NSSuperentity").flatMap { archive.string($0, "NSEntityName") }
    entity.isAbstract = archive.flag(object, "NSIsAbstract")
    entity.className = archive.string(object, "NSClassNameForEntity").flatMap { $0 == "NSManagedObject" ? nil : $0 }
    entity.versionHashModifier = archive.string(object, "NSVersionHashModifier")
    entity.uniquenessConstraints = archive.stringLists(object, "NSUniqueTuples")
    entity.renamingIdentifier = renaming(object, name)
    entity.userInfo = archive.stringPairs(object, "NSUserInfo")
    for property in archive.values(object, "NSProperties") {
      let label = "“\(name).\(archive.string(property, "NSPropertyName") ?? "?")”"
      switch archive.className(property) {
      case let kind? where Self.attributeClasses.contains(kind):
        guard let attribute = attribute(property) else {
          let number = archive.integer(property, "NSAttributeType").map(String.init) ?? "none"
          leaveOut(name, "the attribute \(label) has an unknown type (\(number)) and is left out")
          continue
        }
        if attribute.type == .composite, attribute.elements.isEmpty {
          leaveOut(name, "the elements of the attribute \(label) are unknown")
        }
        entity.attributes.append(attribute)
      case "NSRelationshipDescription"?:
        guard let relationship = relationship(property) else {
          leaveOut(name, "the relationship \(label) has no destination and is left out")
          continue
        }
        entity.relationships.append(relationship)
      case "NSFetchedPropertyDescription"?: readFetched(property, label, &entity)
      // Proxies stand for inherited properties.
      case "_NSPropertyDescriptionProxy"?: continue
      case let kind:
        leaveOut(name, "the property \(label) is of an unknown kind (\(kind ?? "none")) and is left out")
      }
    }
    var implied: Set<String> = []
    for index in archive.objects(object, "NSFetchIndexDescriptions") {
      guard let index = fetchIndex(index) else {
        findings.warning("unknownElement", .file, "an index of “\(name)” has no name and is left out")
        continue
      }
      // Core Data adds an index of the same name for every indexed attribute and every relationship; these are known
      // from the property itself.
      let isImplied = index.elements.count == 1 && index.elements[0].propertyName == index.name
      if isImplied { implied.insert(index.name) } else { entity.fetchIndexes.append(index) }
    }
    for i in entity.fetchIndexes.indices {
      let index = entity.fetchIndexes[i]
      guard index.elements.count == 1, let name = index.elements[0].propertyName, !implied.contains(name),
        let attribute = entity.attributes.firstIndex(where: { $0.name == name })
      else { continue }
      // What the flag of the attribute says is this index, and no other.
      entity.fetchIndexes[i].isAlone = index.onlyProperty != nil
      entity.attributes[attribute].isIndexed = false
    }
    // Each old compound index is a fetch index too when there is such a list.
    if archive.object(object, "NSFetchIndexDescriptions") == nil {
      entity.compoundIndexes = archive.stringLists(object, "NSCompoundIndexes").filter { $0.count > 1 }
    }
    return entity
  }

  private static let attributeClasses: Set<String> = [
    "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription",
  ]

  /// The elements of a composite attribute: the list of attributes in it, whatever its key.
  private mutating func elements(_ object: KeyedArchive.Object, _ depth: Int) -> [AttributeDescription] {
    if depth == 0 { elementCount = 0 }
    let list = object.keys.lazy.compactMap { [archive] in archive.list(object, $0) }.first { [archive] list in
      !list.isEmpty && list.allSatisfy { archive.className($0).map(Self.attributeClasses.contains) == true }
    }
    guard let list, depth < CompositeElements.maximumDepth else { return [] }
    elementCount += list.count
    var elements: [AttributeDescription] = []
    for object in list {
      // Elements may be the composite itself, again and again.
      guard elementCount <= CompositeElements.maximumCount, let element = attribute(object, depth + 1) else {
        return []
      }
      elements.append(element)
    }
    return elements
  }

  private mutating func attribute(_ object: KeyedArchive.Object, _ depth: Int = 0) -> AttributeDescription? {
    guard let name = archive.string(object, "NSPropertyName"),
      let number = archive.integer(object, "NSAttributeType").flatMap(Int32.init(exactly:)),
      let type = AttributeType(rawValue: number)
    else { return nil }
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = archive.flag(object, "NSIsOptional")
    attribute.isTransient = archive.flag(object, "NSIsTransient")
    attribute.isIndexed = archive.flag(object, "NSIsIndexed")
    if type == .composite { attribute.elements = elements(object, depth) }
    attribute.versionHashModifier = archive.string(object, "NSVersionHashModifier")
    attribute.valueTransformerName = archive.string(object, "NSValueTransformerName")
    if type == .transformable { attribute.customClassName = archive.string(object, "NSAttributeValueClassName") }
    attribute.renamingIdentifier = renaming(object, name)
    attribute.userInfo = archive.stringPairs(object, "NSUserInfo")
    readDefault(object, &attribute)
    readValidation(object, &attribute)
    let flags = archive.integer(object, "NSFlagsKey") ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
    attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
    if archive.className(object) == "NSDerivedAttributeDescription" {
      attribute.derivationExpression = archive.object(object, "NSDerivationExpression").flatMap { expression($0) } ?? ""
    }
    return attribute
  }

  /// The earlier name; archives name the present one when there is no other.
  private func renaming(_ object: KeyedArchive.Object, _ name: String) -> String? {
    archive.string(object, "NSRenamingIdentifier").flatMap { $0 == name ? nil : $0 }
  }

  /// Reads a default; one of a kind that is not known is left out.
  private func readDefault(_ object: KeyedArchive.Object, _ attribute: inout AttributeDescription) {
    guard let value = value(object, "NSDefaultValue", attribute.type) else { return }
    attribute.defaultValue = value
    attribute.defaultValueText = value.modelText
  }

  /// The value of a type under a key; `nil` when there is none.
  private func value(_ object: KeyedArchive.Object, _ key: String, _ type: AttributeType) -> AttributeValue? {
    guard let value = archive.value(object, key) else { return nil }
    let text: String?
    switch value {
    case .integer(let number) where type == .boolean: text = number != 0 ? "YES" : "NO"
    case .boolean(let flag): text = type == .boolean ? (flag ? "YES" : "NO") : (flag ? "1" : "0")
    case .integer(let number): text = String(number)
    case .real(let number): text = String(number)
    case .date(let seconds): return type == .date ? .date(seconds) : nil
    case .data(let bytes): return type == .binary ? .binary(bytes) : nil
    default:
      guard let holder = archive.object(object, key) else {
        text = archive.string(object, key)
        break
      }
      switch archive.className(holder) {
      case "NSDate"?: return type == .date ? archive.real(holder, "NS.time").map { .date($0) } : nil
      case "NSDecimalNumber"?, "NSDecimalNumberPlaceholder"?: text = archive.decimal(holder)?.description
      case "NSURL"?: text = archive.string(holder, "NS.relative")
      case "NSUUID"?: return type == .uuid ? archive.uuid(holder) : nil
      default: text = archive.string(object, key)
      }
    }
    return text.flatMap { AttributeValue(compiling: $0, type: type) }
  }

  /// Reads the bounds, which are comparisons of the value or its length with a constant, and the pattern.
  private func readValidation(_ object: KeyedArchive.Object, _ attribute: inout AttributeDescription) {
    for predicate in archive.objects(object, "NSValidationPredicates") {
      guard let left = archive.object(predicate, "NSLeftExpression"),
        let right = archive.object(predicate, "NSRightExpression"),
        let kind = archive.object(predicate, "NSPredicateOperator").flatMap({ archive.integer($0, "NSOperatorType") }),
        kind == 1 || kind == 3 || kind == 6
      else { continue }
      if kind == 6 {
        guard attribute.type == .string, archive.className(left) == "NSSelfExpression" else { continue }
        attribute.validation.regularExpression = archive.string(right, "NSConstantValue")
        continue
      }
      if archive.className(left) == "NSSelfExpression" {
        guard let value = value(right, "NSConstantValue", attribute.type) else { continue }
        if kind == 3 {
          attribute.validation.minimumValue = value
          attribute.validation.minimumText = value.modelText
        } else {
          attribute.validation.maximumValue = value
          attribute.validation.maximumText = value.modelText
        }
      } else if attribute.type == .string, expression(left) == "length",
        let length = archive.integer(right, "NSConstantValue").flatMap({ Int(exactly: $0) })
      {
        if kind == 3 {
          attribute.validation.minimumLength = length
          attribute.validation.minimumText = String(length)
        } else {
          attribute.validation.maximumLength = length
          attribute.validation.maximumText = String(length)
        }
      }
    }
  }

  /// The text of a key path or of a function of one key path, the only derivations that stores compute.
  private func expression(_ object: KeyedArchive.Object) -> String? {
    switch archive.className(object) {
    case "NSKeyPathExpression":
      return archive.objects(object, "NSArguments").first.flatMap { archive.string($0, "NSKeyPath") }
    case "NSFunctionExpression":
      guard let name = archive.string(object, "NSSelectorName") else { return nil }
      let arguments = archive.objects(object, "NSArguments").compactMap { argument in
        archive.className(argument) == "NSKeyPathExpression" ? expression(argument) : nil
      }
      return "\(name)(\(arguments.joined(separator: ",")))"
    default: return nil
    }
  }

  private func relationship(_ object: KeyedArchive.Object) -> RelationshipDescription? {
    guard let name = archive.string(object, "NSPropertyName"),
      let destination = archive.string(object, "_NSDestinationEntityName")
        ?? archive.object(object, "NSDestinationEntity").flatMap({ archive.string($0, "NSEntityName") })
    else { return nil }
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.inverseName = archive.string(object, "_NSInverseRelationshipName")
    relationship.inverseEntityName = relationship.inverseName.map { _ in destination }
    relationship.minCount = Int(clamping: archive.integer(object, "NSMinCount") ?? 0)
    relationship.maxCount = Int(clamping: archive.integer(object, "NSMaxCount") ?? 0)
    relationship.isToMany = relationship.maxCount != 1
    relationship.isOrdered = archive.flag(object, "NSIsOrdered")
    relationship.isOptional = archive.flag(object, "NSIsOptional")
    relationship.isTransient = archive.flag(object, "NSIsTransient")
    relationship.versionHashModifier = archive.string(object, "NSVersionHashModifier")
    relationship.renamingIdentifier = renaming(object, name)
    relationship.userInfo = archive.stringPairs(object, "NSUserInfo")
    switch archive.integer(object, "NSDeleteRule") {
    case 0: relationship.deleteRule = .noAction
    case 2: relationship.deleteRule = .cascade
    case 3: relationship.deleteRule = .deny
    default: relationship.deleteRule = .nullify
    }
    return relationship
  }

  private func fetchIndex(_ object: KeyedArchive.Object) -> FetchIndexDescription? {
    guard let name = archive.string(object, "NSIndexName") else { return nil }
    let elements = archive.objects(object, "NSIndexElements").map { element in
      var result = FetchIndexDescription.Element(propertyName: archive.string(element, "NSPropertyName"))
      // The name of an element that is an expression is the expression's, not that of a property.
      if let property = archive.object(element, "NSIndexedProperty"),
        let object = archive.object(property, "NSExpression")
      {
        let expression = archive.expression(object)
        result.propertyName = nil
        result.expression = expression?.description ?? ""
        let type = archive.integer(property, "NSExpressionType") ?? 0
        let usual = expression == ObjectExpression.evaluatedObject ? ModelArchiver.objectID : 0
        if type != 0, type != usual { result.expressionType = String(type) }
      }
      result.kind = archive.integer(element, "NSFetchIndexElementType") == 1 ? .rTree : .binary
      result.isAscending = archive.flag(element, "NSAscending")
      return result
    }
    var index = FetchIndexDescription(name: name, elements: elements)
    // That there is one is enough to leave the index out when it is not understood.
    if let predicate = archive.object(object, "NSPartialIndexPredicate") {
      index.partialIndexPredicateText = archive.predicate(predicate)?.description ?? ""
    }
    return index
  }

  /// Removes what has nothing at its other end, so that the rest can be used.
  private mutating func removeLoose(_ draft: inout ModelDraft) {
    let byName = Dictionary(draft.entities.map { ($0.name, $0) }) { first, _ in first }
    for i in draft.entities.indices {
      let entity = draft.entities[i]
      if let parent = entity.parentName, byName[parent] == nil {
        leaveOut(entity.name, "“\(entity.name)” inherits from “\(parent)”, which is not in the compiled model")
        draft.entities[i].parentName = nil
      }
      for attribute in entity.attributes
      where attribute.derivationExpression == "" || attribute.type == .undefined && !attribute.isTransient {
        let what = attribute.isDerived ? "is derived from something unknown" : "has no type"
        leaveOut(entity.name, "the attribute “\(entity.name).\(attribute.name)” \(what); it is left out")
        draft.entities[i].attributes.removeAll { $0.name == attribute.name }
      }
      for relationship in entity.relationships where byName[relationship.destinationEntityName] == nil {
        leaveOut(
          entity.name,
          "the relationship “\(entity.name).\(relationship.name)” leads to “\(relationship.destinationEntityName)”, "
            + "which is not in the compiled model; it is left out")
        draft.entities[i].relationships.removeAll { $0.name == relationship.name }
      }
    }
    let relationships = Dictionary(
      draft.entities.map { entity in (entity.name, Dictionary(entity.relationships.map { ($0.name, $0) }) { $1 }) }
    ) { first, _ in first }
    for i in draft.entities.indices {
      let name = draft.entities[i].name
      for r in draft.entities[i].relationships.indices {
        let relationship = draft.entities[i].relationships[r]
        guard let inverse = relationship.inverseName else { continue }
        var holder: String? = relationship.destinationEntityName
        var seen: Set<String> = []
        while let entity = holder, seen.insert(entity).inserted, relationships[entity]?[inverse] == nil {
          holder = byName[entity]?.parentName
        }
        let found = holder.flatMap { relationships[$0]?[inverse] }
        guard found?.inverseName != relationship.name else { continue }
        leaveOut(name, "the inverse “\(inverse)” of “\(name).\(relationship.name)” does not lead back; it is left out")
        draft.entities[i].relationships[r].inverseName = nil
        draft.entities[i].relationships[r].inverseEntityName = nil
      }
    }
  }

  /// Older archives list inherited properties with every entity; only the topmost one counts.
  private func removeInherited(_ draft: inout ModelDraft) {
    let byName = Dictionary(draft.entities.map { ($0.name, $0) }) { first, _ in first }
    for i in draft.entities.indices {
      var inherited = Set<String>()
      var seen: Set<String> = [draft.entities[i].name]
      var parent = draft.entities[i].parentName
      while let name = parent, let entity = byName[name], seen.insert(name).inserted {
        inherited.formUnion(entity.attributes.map(\.name))
        inherited.formUnion(entity.relationships.map(\.name))
        inherited.formUnion(entity.fetchedProperties.map(\.name))
        parent = entity.parentName
      }
      draft.entities[i].attributes.removeAll { inherited.contains($0.name) }
      draft.entities[i].relationships.removeAll { inherited.contains($0.name) }
      draft.entities[i].fetchedProperties.removeAll { inherited.contains($0.name) }
    }
  }
}
