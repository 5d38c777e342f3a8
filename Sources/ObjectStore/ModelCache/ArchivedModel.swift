public import ObjectModel
import PropertyLists

/// Reads a model that `NSKeyedArchiver` wrote: a compiled `.mom` file, or the copy that stores keep.
///
/// Read are entities, inheritance, properties with types, flags and defaults, indexes, uniqueness, earlier names and user
/// info. Validation and fetch requests, which are trees of predicates, are not.
/// The archive's keys: `docs/coredata-layout.md`, "The model cache".
public struct ArchivedModel {
  private let archive: KeyedArchive

  /// Reads an archive.
  ///
  /// - Returns: The draft, or `nil` when the bytes are no archive of a model.
  public static func read(_ bytes: [UInt8]) -> ModelDraft? {
    guard let list = try? BinaryPropertyListReader.read(bytes), let archive = KeyedArchive(list),
      archive.className(archive.root) == "NSManagedObjectModel"
    else { return nil }
    return ArchivedModel(archive: archive).draft()
  }

  private func draft() -> ModelDraft? {
    var draft = ModelDraft()
    draft.versionIdentifier = archive.strings(archive.root, "NSVersionIdentifiers").first ?? ""
    let entities = archive.values(archive.root, "NSEntities")
    for entity in entities {
      guard let read = self.entity(entity) else { return nil }
      draft.entities.append(read)
    }
    removeInherited(&draft)
    draft.entities.sort { CodePointOrder.precedes($0.name, $1.name) }
    return draft.entities.isEmpty ? nil : draft
  }

  private func entity(_ object: KeyedArchive.Object) -> EntityDraft? {
    guard let name = archive.string(object, "NSEntityName") else { return nil }
    var entity = EntityDraft(name: name)
    entity.parentName = archive.object(object, "NSSuperentity").flatMap { archive.string($0, "NSEntityName") }
    entity.isAbstract = archive.flag(object, "NSIsAbstract")
    entity.className = archive.string(object, "NSClassNameForEntity")
    entity.versionHashModifier = archive.string(object, "NSVersionHashModifier")
    entity.uniquenessConstraints = archive.stringLists(object, "NSUniqueTuples")
    entity.renamingIdentifier = renaming(object, name)
    entity.userInfo = archive.stringPairs(object, "NSUserInfo")
    for property in archive.values(object, "NSProperties") {
      switch archive.className(property) {
      case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
        guard let attribute = attribute(property) else { return nil }
        entity.attributes.append(attribute)
      case "NSRelationshipDescription":
        guard let relationship = relationship(property) else { return nil }
        entity.relationships.append(relationship)
      // Fetched properties are not stored, and proxies stand for inherited properties.
      default: continue
      }
    }
    for index in archive.objects(object, "NSFetchIndexDescriptions") {
      guard let index = fetchIndex(index) else { continue }
      // Core Data adds an index of the same name for every indexed attribute and every relationship; these are known
      // from the property itself.
      let isImplied = index.elements.count == 1 && index.elements[0].propertyName == index.name
      if !isImplied { entity.fetchIndexes.append(index) }
    }
    // Each old compound index is a fetch index too when there is such a list.
    if archive.object(object, "NSFetchIndexDescriptions") == nil {
      entity.compoundIndexes = archive.stringLists(object, "NSCompoundIndexes").filter { $0.count > 1 }
    }
    return entity
  }

  private func attribute(_ object: KeyedArchive.Object) -> AttributeDescription? {
    guard let name = archive.string(object, "NSPropertyName"),
      let number = archive.integer(object, "NSAttributeType").flatMap(Int32.init(exactly:)),
      let type = AttributeType(rawValue: number)
    else { return nil }
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = archive.flag(object, "NSIsOptional")
    attribute.isTransient = archive.flag(object, "NSIsTransient")
    attribute.isIndexed = archive.flag(object, "NSIsIndexed")
    attribute.versionHashModifier = archive.string(object, "NSVersionHashModifier")
    attribute.valueTransformerName = archive.string(object, "NSValueTransformerName")
    attribute.renamingIdentifier = renaming(object, name)
    attribute.userInfo = archive.stringPairs(object, "NSUserInfo")
    readDefault(object, &attribute)
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

  /// Reads a default that is a number, text or a date; the defaults of other types are left out.
  private func readDefault(_ object: KeyedArchive.Object, _ attribute: inout AttributeDescription) {
    guard let value = archive.value(object, "NSDefaultValue") else { return }
    let text: String? =
      switch value {
      case .integer(let number) where attribute.type == .boolean: number != 0 ? "YES" : "NO"
      case .boolean(let flag): attribute.type == .boolean ? (flag ? "YES" : "NO") : (flag ? "1" : "0")
      case .integer(let number): String(number)
      case .real(let number): String(number)
      default: archive.string(object, "NSDefaultValue")
      }
    if attribute.type == .date {
      let seconds: Double? =
        if case .date(let seconds) = value {
          seconds
        } else {
          archive.object(object, "NSDefaultValue").flatMap { archive.real($0, "NS.time") }
        }
      attribute.defaultValue = seconds.map { .date($0) }
    } else if let text, let parsed = AttributeValue(text: text, type: attribute.type) {
      attribute.defaultValue = parsed
      attribute.defaultValueText = text
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
      result.kind = archive.integer(element, "NSFetchIndexElementType") == 1 ? .rTree : .binary
      result.isAscending = archive.flag(element, "NSAscending")
      return result
    }
    var index = FetchIndexDescription(name: name, elements: elements)
    // The predicate itself is an object tree; that there is one is enough to leave the index out.
    if archive.object(object, "NSPartialIndexPredicate") != nil { index.partialIndexPredicateText = "" }
    return index
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
        parent = entity.parentName
      }
      draft.entities[i].attributes.removeAll { inherited.contains($0.name) }
      draft.entities[i].relationships.removeAll { inherited.contains($0.name) }
    }
  }
}
