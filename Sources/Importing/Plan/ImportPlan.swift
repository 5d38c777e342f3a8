import Diagnostics
import ObjectModel
import ObjectStore
import ObjectContext

/// An ``ImportDefinition`` resolved against the model: names have become slots, columns and indexes.
struct ImportPlan: Sendable {
  /// The entities that records fill, targets of relationships before the entities that refer to them; the targets of
  /// relationships within one hierarchy come after their owner, whose objects they may be.
  let nodes: [ImportNode]
  /// All fields of all nodes.
  let fields: [CompiledField]
  /// For each field, the column of the record batch that it comes from.
  let fieldColumns: [Int]
  /// The columns that the reader is asked for.
  let columnNames: [String]
  /// For each field, the names that messages use.
  let fieldNames: [FieldName]

  /// The node that the records stand for.
  let root: Int
  /// The to-many relationships of the root node that records fill.
  var lists: [ImportList] = []
  /// What is done with columns before they are converted.
  var transforms = TransformPlan()

  /// The field that tells which records earlier runs have read, or `nil`; it belongs to no node.
  var sinceField: Int?

  /// The names of a field.
  struct FieldName: Sendable {
    /// The entity's name.
    var entity: String
    /// The attribute's name.
    var attribute: String
    /// The column's name.
    var column: String
  }

  /// Resolves the first part of a definition.
  ///
  /// - Throws: `DiagnosticList` with all findings.
  init(_ definition: ImportDefinition) throws(DiagnosticList) { try self.init(definition, part: definition.parts[0]) }

  /// Resolves a part of a definition.
  ///
  /// - Throws: `DiagnosticList` with all findings.
  init(_ definition: ImportDefinition, part: ImportPart) throws(DiagnosticList) {
    var builder = ImportPlanBuilder(definition)
    builder.derivedNames = part.derivedColumnNames
    builder.postponesOwn = part.passes != .one && part.root.mode != .update
    let root = builder.add(part.plannedRoot(definition.model), owner: nil, takesLists: true)
    sinceField = part.since.flatMap { builder.addSince($0, part.root) }
    transforms = builder.compileTransforms(of: part)
    guard !builder.findings.contains(where: { $0.severity == .error }) else { throw DiagnosticList(builder.findings) }
    self.root = root ?? 0
    nodes = builder.nodes
    fields = builder.fields
    fieldColumns = builder.fieldColumns
    columnNames = builder.columnNames
    fieldNames = builder.fieldNames
    lists = builder.lists
  }
}

extension ImportPlan {
  /// Takes parts that are resolved already.
  init(
    nodes: [ImportNode], fields: [CompiledField], fieldColumns: [Int], columnNames: [String], fieldNames: [FieldName],
    root: Int, lists: [ImportList] = []
  ) {
    self.lists = lists
    self.nodes = nodes
    self.fields = fields
    self.fieldColumns = fieldColumns
    self.columnNames = columnNames
    self.fieldNames = fieldNames
    self.root = root
  }
}

/// One entity that records fill.
struct ImportNode: Sendable {
  /// The entity's index in the model.
  var entity: Int
  /// The index of its root entity.
  var rootEntity: Int
  /// Whether other entities inherit from the entity.
  var hasSubentities: Bool
  /// What to do with known and unknown keys.
  var mode: ImportMode
  /// Which of several records with one key counts.
  var duplicates: DuplicatePolicy
  /// The fields of the key, and their slots.
  var keyFields: [Int]
  var keySlots: [Int]
  /// The fields of the other attributes, and their slots.
  var attributeFields: [Int]
  var attributeSlots: [Int]
  /// The relationships to other nodes.
  var relationships: [ImportRelationship]

  /// The slots whose content is compared: the attributes', then the relationships'.
  var contentSlots: [Int] { attributeSlots + relationships.map(\.slot) + clearedReferences.map(\.slot) }
  /// Whether a target that is named but not there is created, as far as the mode allows.
  var createsMissing = true
  /// Whether an object can be made of the mapped attributes alone: nothing mandatory is left out.
  var canCreate = true
  /// Whether the objects are known before: nothing is looked for and nothing is written.
  var isGiven = false
  /// All slots that change detection needs.
  var fetchedSlots: [Int] { keySlots + contentSlots + inverseSlots + (softDelete.map { [$0.slot] } ?? []) }
  /// To-one relationships that every record clears: those that mode `replace` leaves unfilled.
  var clearedReferences: [RelationshipDescription] = []
  /// The attribute that says that an object is gone, which a record that names the object clears.
  var softDelete: SoftDelete?
  /// Slots of to-one relationships that are set from their other side.
  var inverseSlots: [Int] = []
}

/// A to-one relationship from one node to another.
struct ImportRelationship: Sendable {
  /// The relationship's name.
  var name: String
  /// Its slot.
  var slot: Int
  /// The node at the other end.
  var target: Int
  /// What a target that is named but not there means.
  var missing: MissingTargetPolicy
  /// Whether an object may be without a target.
  var isOptional: Bool
  /// Whether setting it needs more than the reference itself: a to-one or an ordered inverse.
  var needsInverse: Bool
  /// Whether the target is of the owner's own hierarchy, so that it may be an object that the same batch creates: it is
  /// found after the owner's objects are written.
  var isLate: Bool
  /// Whether it is set in a second pass, when all objects are there; it is late too.
  var isPostponed = false
  /// The relationship.
  var description: RelationshipDescription

  /// Whether records of other objects change it, too, because they take the target away: it has one object at both ends.
  var isTakenByOthers: Bool { needsInverse && !description.isInverseToMany }
}

/// Walks a definition's tree and collects what is wrong with it.
struct ImportPlanBuilder {
  let definition: ImportDefinition
  var nodes: [ImportNode] = []
  var fields: [CompiledField] = []
  var fieldColumns: [Int] = []
  var columnNames: [String] = []
  var fieldNames: [ImportPlan.FieldName] = []
  var findings: [Diagnostic] = []
  var lists: [ImportList] = []
  /// Whether relationships of the records' own entity within its hierarchy are set in a second pass.
  var postponesOwn = false
  /// The names of columns that are not the source's own.
  var derivedNames: Set<String> = []
  /// What each field was made from.
  private var sources: [TransformedField] = []

  init(_ definition: ImportDefinition) { self.definition = definition }

  /// Compiles what is done with columns, once all fields are known, and gives fields their columns.
  mutating func compileTransforms(of part: ImportPart) -> TransformPlan {
    let result = TransformCompilation.run(
      part, model: definition.model, path: definition.name, fields: sources, columnNames: columnNames)
    findings += result.findings
    columnNames = result.columnNames
    for (source, outcome) in zip(sources, result.fields) {
      guard let outcome else { continue }
      let index = source.index
      fieldColumns[index] = columnNames.count + outcome.derived
      guard !outcome.isText else { continue }
      do {
        var compiled = try CompiledField(
          source.field.canonical(source.attribute.type), attribute: source.attribute)
        compiled.identifier = Int32(index)
        fields[index] = compiled
      } catch {
        findings += error.diagnostics
      }
    }
    return result.plan
  }

  mutating func report(_ code: String, _ position: SourcePosition, _ message: String, hint: String? = nil) {
    findings.append(
      Diagnostic(.error, code: code, path: definition.name, position: position, message: message, hint: hint))
  }

  /// Adds a node and the nodes it refers to; returns its index, or `nil` when the entity is unknown.
  ///
  /// - Parameters:
  ///   - filled: the relationship that the list fills whose elements are added, or `nil`.
  ///   - takesLists: whether the node may have to-many relationships: it is what the records stand for.
  mutating func add(
    _ part: EntityImport, owner: EntityDescription?, creates: Bool = true, filled: String? = nil,
    takesLists: Bool = false
  ) -> Int? {
    guard let entity = definition.model.entity(named: part.entityName) else {
      let nearest = NearestName.find(part.entityName, in: definition.model.entities.map(\.name))
      report(
        "unknownEntity", part.position, "the model has no entity \(part.entityName)",
        hint: nearest.map { "did you mean \($0)?" })
      return nil
    }
    if entity.isAbstract {
      report("abstractEntity", part.position, "\(entity.name) is abstract and has no objects of its own")
    }
    if part.findBy.isEmpty, part.mode != .insert || owner != nil {
      report("missingField", part.position, "\(entity.name) needs find_by: attributes that identify an object")
    }
    var relationships: [ImportRelationship] = []
    for relationship in part.relationships where relationship.list == nil && !isLate(relationship, of: entity) {
      if let added = add(relationship, of: entity, isLate: false) { relationships.append(added) }
    }
    let part = part.replacing
    let keys = part.findBy.compactMap { add($0, entity: entity) }
    var attributes = part.attributes.compactMap { add($0, entity: entity) }
    if part.mode == .replace {
      attributes += part.unfilledAttributes(of: entity).compactMap { addUnfilled($0, entity) }
    }
    var node = ImportNode(
      entity: entity.index, rootEntity: entity.rootIndex, hasSubentities: entity.hasSubentities, mode: part.mode,
      duplicates: part.duplicates, keyFields: keys.map(\.field), keySlots: keys.map(\.slot),
      attributeFields: attributes.map(\.field), attributeSlots: attributes.map(\.slot), relationships: relationships)
    if part.mode == .replace { node.clearedReferences = part.unfilledReferences(of: entity) }
    if part.mode.removesOthers { node.softDelete = checkSync(part, entity, isRoot: owner == nil) }
    let missing = missingProperties(of: entity, part).filter { $0 != filled }
    node.canCreate = missing.isEmpty
    if !missing.isEmpty, creates, part.mode != .update, takesLists || owner?.rootIndex != entity.rootIndex {
      report(
        "unmappedRequired", part.position,
        "\(entity.name) cannot be created without \(missing.joined(separator: ", "))",
        hint: "map them, give them defaults in the model, or use mode update")
    }
    let index = nodes.count
    nodes.append(node)
    addLists(part, of: entity, takesLists: takesLists)
    for relationship in part.relationships where relationship.list == nil && isLate(relationship, of: entity) {
      guard var added = add(relationship, of: entity, isLate: true) else { continue }
      added.isPostponed = owner == nil && (postponesOwn || relationship.isPostponed)
      nodes[index].relationships.append(added)
    }
    return index
  }

  /// Mandatory properties that have no default and that nothing fills.
  private func missingProperties(of entity: EntityDescription, _ part: EntityImport) -> [String] {
    let mapped = Set((part.findBy + part.attributes).map(\.attributeName))
    let related = Set(part.relationships.map(\.name))
    return entity.attributes.filter {
      !$0.isOptional && !$0.isTransient && !$0.isDerived && $0.defaultValue == nil && !mapped.contains($0.name)
    }.map(\.name)
      + entity.relationships.filter { !$0.isOptional && !$0.isToMany && !$0.isTransient && !related.contains($0.name) }
      .map(\.name)
  }

  /// Whether the relationship's target is of the owner's hierarchy.
  private func isLate(_ relationship: RelationshipImport, of entity: EntityDescription) -> Bool {
    relationship.isPostponed
      || definition.model.entity(named: relationship.target.entityName)?.rootIndex == entity.rootIndex
  }

  private mutating func add(
    _ relationship: RelationshipImport, of entity: EntityDescription, isLate: Bool
  ) -> ImportRelationship? {
    guard let description = entity.relationship(named: relationship.name) else {
      let nearest = NearestName.find(relationship.name, in: entity.relationships.map(\.name))
      report(
        "unknownRelationship", relationship.position, "\(entity.name) has no relationship \(relationship.name)",
        hint: nearest.map { "did you mean \($0)?" })
      return nil
    }
    if description.isToMany || description.isTransient {
      report(
        "wrongRelationship", relationship.position,
        "\(entity.name).\(relationship.name) is \(description.isToMany ? "to-many" : "transient"); a record can set "
          + "stored relationships only, and needs a list for a to-many one")
      return nil
    }
    let destination = definition.model.entities[description.destinationEntity]
    if let target = definition.model.entity(named: relationship.target.entityName), !target.isKind(of: destination) {
      report(
        "wrongEntity", relationship.position,
        "\(entity.name).\(relationship.name) refers to \(destination.name), not to \(target.name)")
    }
    // A target that must not be made is only looked for, and needs no mandatory values.
    let creates = relationship.missing == .create
    guard let target = add(relationship.target, owner: entity, creates: creates) else { return nil }
    if description.inverseSlot >= 0, !description.isInverseToMany {
      nodes[target].inverseSlots.append(description.inverseSlot)
    }
    nodes[target].createsMissing = creates
    let needsInverse =
      description.inverseSlot >= 0
      && (!description.isInverseToMany || description.isInverseOrdered(in: definition.model))
    return ImportRelationship(
      name: description.name, slot: description.slot, target: target, missing: relationship.missing,
      isOptional: description.isOptional, needsInverse: needsInverse, isLate: isLate, description: description)
  }

  private mutating func add(_ field: FieldImport, entity: EntityDescription) -> (field: Int, slot: Int)? {
    guard let attribute = entity.attribute(named: field.attributeName) else {
      let nearest = NearestName.find(field.attributeName, in: entity.attributes.map(\.name))
      report(
        "unknownAttribute", field.position, "\(entity.name) has no attribute \(field.attributeName)",
        hint: nearest.map { "did you mean \($0)?" })
      return nil
    }
    if attribute.isTransient || attribute.isDerived {
      report(
        "wrongAttribute", field.position,
        "\(entity.name).\(attribute.name) is \(attribute.isDerived ? "derived" : "transient") and cannot be imported")
      return nil
    }
    do {
      var compiled = try CompiledField(field, attribute: attribute)
      compiled.identifier = Int32(fields.count)
      fields.append(compiled)
    } catch {
      findings += error.diagnostics
      return nil
    }
    sources.append(
      TransformedField(index: fields.count - 1, field: field, attribute: attribute, derivedNames: derivedNames))
    fieldColumns.append(sources[sources.count - 1].isDirect ? column(field.column) : -1)
    fieldNames.append(
      ImportPlan.FieldName(entity: entity.name, attribute: attribute.name, column: field.column))
    return (fields.count - 1, attribute.slot)
  }

  /// The number of a column among those that the reader is asked for.
  mutating func column(_ name: String) -> Int {
    if let known = columnNames.firstIndex(of: name) { return known }
    columnNames.append(name)
    return columnNames.count - 1
  }

  /// Adds the field that tells which records earlier runs have read.
  mutating func addSince(_ policy: SincePolicy, _ root: EntityImport) -> Int? {
    if root.mode.removesOthers {
      report(
        "invalidMode", policy.position,
        "mode \(root.mode.rawValue) needs the whole input, and since passes over what was read before",
        hint: "use mode upsert")
    }
    do {
      var compiled = try CompiledField(policy.field, attribute: policy.attribute)
      compiled.identifier = Int32(fields.count)
      fields.append(compiled)
    } catch {
      findings += error.diagnostics
      return nil
    }
    fieldColumns.append(column(policy.column))
    fieldNames.append(
      ImportPlan.FieldName(entity: root.entityName, attribute: "since", column: policy.column))
    return fields.count - 1
  }

  /// Adds a field that no column fills; `nil` for types that cannot be imported.
  private mutating func addUnfilled(
    _ attribute: AttributeDescription, _ entity: EntityDescription
  ) -> (field: Int, slot: Int)? {
    guard var compiled = CompiledField.unfilled(attribute) else { return nil }
    compiled.identifier = Int32(fields.count)
    fields.append(compiled)
    // No column is read; keys have one, so there is a first.
    fieldColumns.append(0)
    fieldNames.append(ImportPlan.FieldName(entity: entity.name, attribute: attribute.name, column: ""))
    return (fields.count - 1, attribute.slot)
  }

  /// Checks what the modes `sync` and `replace` are told; returns the attribute that says that an object is gone.
  private mutating func checkSync(
    _ part: EntityImport, _ entity: EntityDescription, isRoot: Bool
  ) -> SoftDelete? {
    guard isRoot else {
      report("invalidMode", part.position, "a relationship's target cannot be in mode \(part.mode.rawValue)")
      return nil
    }
    let check = SyncCheck(part: part, entity: entity, model: definition.model)
    for problem in check.problems { report(problem.code, problem.position, problem.message, hint: problem.hint) }
    return check.softDelete
  }
}
