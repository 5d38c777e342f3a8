import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// Resolves the tree of a part against the model and collects what is wrong with it; ``DefinitionShape`` finds what is
/// wrong whatever the model is.
struct ImportPlanBuilder {
  let model: ManagedObjectModel
  /// Whether what is wrong with the model's own rules has findings already.
  let isModelLinted: Bool
  var nodes: [ImportNode] = []
  var fields: [CompiledField] = []
  var fieldColumns: [Int] = []
  var columnNames: [String] = []
  /// Where each of them is first named.
  var columnPlaces: [SourcePosition] = []
  var fieldNames: [ImportPlan.FieldName] = []
  var findings: FindingList
  var lists: [ImportList] = []
  /// Whether relationships of the records' own entity within its hierarchy are set in a second pass.
  var postponesOwn = false
  /// The names of columns that are not the source's own.
  var derivedNames: Set<String> = []
  /// See `RecordFormat.hasElements`.
  var hasElements = false
  var sources: [TransformedField] = []
  /// The store of the run; `nil` when it is not known.
  var storePath: String?

  init(model: ManagedObjectModel, path: String, isModelLinted: Bool) {
    self.model = model
    self.isModelLinted = isModelLinted
    findings = FindingList(path: path)
  }

  /// The role of an entity's objects for those that refer to them; by default, the records stand for them.
  struct Use {
    /// The entity of the objects that refer to them; `nil` for what the records stand for.
    var owner: EntityDescription?
    /// Whether objects that are not there may be made, as far as the mode allows.
    var creates = true
    /// The relationship that is filled from its other side, or `nil`.
    var filled: String?
    /// Whether they may have to-many relationships: records' own objects and the elements of lists have.
    var takesLists = true
    /// Whether they are looked for among an owner's members only.
    var isScoped = false
  }

  /// Adds a node and the nodes it refers to; returns its index, or `nil` when the entity is unknown.
  mutating func add(_ part: EntityImport, _ use: Use = Use()) -> Int? {
    guard !part.places.broken.contains("entity"),
      let entity = findings.entity(part.entityName, in: model, at: part.places["entity"]?.value ?? part.position)
    else { return nil }
    if use.owner == nil, let problem = TableWidth.problem(model) {
      findings.report(.unsuitableEntity, at: part.places["entity"]?.value ?? part.position, problem)
    }
    checkKeys(part, of: entity, needsIndex: !use.isScoped)
    checkRequired(part, of: entity, use)
    let part = part.replacing
    var relationships: [ImportRelationship] = []
    for relationship in part.relationships where relationship.list == nil && !isLate(relationship, of: entity) {
      if let added = add(relationship, of: entity, use, isLate: false) { relationships.append(added) }
    }
    let keys = part.findBy.compactMap { add($0, entity: entity) }
    var attributes = part.attributes.compactMap { add($0, entity: entity) }
    if part.mode == .replace {
      attributes += part.unfilledAttributes(of: entity).compactMap { addUnfilled($0, entity) }
    }
    var node = ImportNode(
      entity: entity.index, rootEntity: entity.root, hasSubentities: entity.hasSubentities, mode: part.mode,
      duplicates: part.duplicates, keyFields: keys.map(\.field), keySlots: keys.map(\.slot),
      attributeFields: attributes.map(\.field), attributeSlots: attributes.map(\.slot), relationships: relationships)
    if part.mode == .replace { node.clearedReferences = part.unfilledReferences(of: entity) }
    if part.mode.removesOthers || part.sync.softDelete != nil, use.owner == nil {
      let check = SyncCheck(
        part: part, entity: entity, model: model, path: findings.path, storePath: storePath)
      findings.add(check.findings.list)
      node.softDelete = check.softDelete
      node.scope = check.scope
    }
    node.canCreate = part.isComplete(entity, filled: use.filled)
    node.createsMissing = use.creates
    let index = nodes.count
    nodes.append(node)
    addLists(part, of: entity, use)
    for relationship in part.relationships where relationship.list == nil && isLate(relationship, of: entity) {
      guard var added = add(relationship, of: entity, use, isLate: true) else { continue }
      added.isPostponed = use.owner == nil && (postponesOwn || relationship.isPostponed)
      nodes[index].relationships.append(added)
      checkChain(relationship, added)
    }
    return index
  }

  /// Whether the relationship's target is of the owner's hierarchy.
  private func isLate(_ relationship: RelationshipImport, of entity: EntityDescription) -> Bool {
    relationship.isPostponed
      || model.entity(named: relationship.target.entityName)?.root == entity.root
  }

  private mutating func add(
    _ relationship: RelationshipImport, of entity: EntityDescription, _ use: Use, isLate: Bool
  ) -> ImportRelationship? {
    guard let description = description(of: relationship, of: entity, use), !description.isToMany else { return nil }
    var targetUse = Use(owner: entity, takesLists: false)
    // A target that must not be made is only looked for, and needs no mandatory values.
    targetUse.creates = relationship.missing == .create
    targetUse.filled = description.inverseName
    guard let target = add(relationship.target, targetUse) else { return nil }
    if description.inverseSlot >= 0, !description.isInverseToMany {
      nodes[target].inverseSlots.append(description.inverseSlot)
    }
    let needsInverse =
      description.inverseSlot >= 0 && (!description.isInverseToMany || description.isInverseOrdered(in: model))
    return ImportRelationship(
      name: description.name, slot: description.slot, target: target, missing: relationship.missing,
      isOptional: description.isOptional, needsInverse: needsInverse, isLate: isLate, description: description)
  }

  /// The relationship of the entity that a record fills; `nil` when it cannot, which is reported.
  mutating func description(
    of relationship: RelationshipImport, of entity: EntityDescription, _ use: Use
  ) -> RelationshipDescription? {
    let (name, place, options) = (relationship.name, relationship.position, relationship.target.places)
    guard let description = entity.relationship(named: name) else {
      if entity.attribute(named: name) != nil {
        findings.report(
          .wrongKind, at: place, "“\(name)” is an attribute of “\(entity.name)”, not a relationship",
          hint: "put it under “attributes”")
      } else {
        findings.reportUnknown(
          .unknownRelationship, name, among: entity.relationships.map(\.name), at: place,
          "“\(entity.name)” has no relationship “\(name)”")
      }
      return nil
    }
    if description.isTransient {
      findings.report(
        .unsuitableRelationship, at: place, "“\(name)” is a transient relationship, which a record cannot fill")
      return nil
    }
    if !description.isToMany {
      // One mistake, one finding.
      if let option = ListImport.options.first(where: options.says) ?? relationship.list.map(\.formOption) {
        findings.report(
          .unsuitableOption, at: options[option]?.key ?? place,
          "“\(option)” is for to-many relationships, and “\(name)” leads to one object", hint: "leave it out")
        if relationship.list != nil { return nil }
      }
    } else if relationship.list == nil {
      findings.report(
        .unsuitableRelationship, at: place,
        "“\(name)” is a to-many relationship, but nothing defines how a record lists its objects",
        hint: "set “split: \";\"” for a text such as a;b, or “each: COLUMN” for a JSON array of objects")
      return nil
    } else if !use.takesLists {
      findings.report(
        .unsuitableRelationship, at: place, "“\(name)” is a list of an object that the record only refers to",
        hint: "fill it from the records of “\(entity.name)”")
      return nil
    }
    let destination = model.entities[description.destinationEntity]
    if let target = model.entity(named: relationship.target.entityName), !target.isKind(of: destination) {
      findings.report(
        .unsuitableEntity, at: options["entity"]?.value ?? place,
        "“\(name)” refers to “\(destination.name)”, which “\(target.name)” does not inherit from")
      return nil
    }
    return description
  }
}
