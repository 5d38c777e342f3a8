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

  let model: ManagedObjectModel
  private let purpose: Purpose
  var writer = ArchiveWriter()
  /// How many elements of indexes are expressions, which are numbered.
  private var expressionCount = 0
  var leftOut: [String] = []
  private var modelPlace = 0
  /// The expression for the object itself.
  var evaluatedObject: PropertyList?
  private(set) var entityPlaces: [Int] = []
  /// For each entity its own relationships by name.
  private(set) var relationshipPlaces: [[String: Int]] = []

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

  mutating func userInfo(_ pairs: [String: String]) -> PropertyList {
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
}
