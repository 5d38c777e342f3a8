import Diagnostics
import Importing
import ObjectModel

/// A column that a pipeline names, and where.
struct ColumnUse: Sendable {
  var name: String
  var position: SourcePosition
}

/// Turns the `import` component into an ``EntityImport``, checked against the model.
///
/// Without a model (it could not be read) only what needs none is checked.
struct ImportBuilder {
  let model: ManagedObjectModel?
  let findings: Findings
  /// The columns that fields name, in the order of the file.
  var columns: [ColumnUse] = []
  /// Those of them that lists are read from, as they are.
  var listColumns: [ColumnUse] = []

  /// What holds for every field that does not say otherwise.
  let defaults: ComponentValue?

  init(model: ManagedObjectModel?, defaults: ComponentValue?, findings: Findings) {
    self.model = model
    self.defaults = defaults
    self.findings = findings
  }

  /// Builds the import of the records' own entity; `nil` when it names none.
  mutating func root(_ component: ComponentValue) -> EntityImport? {
    guard let name = component.text("entity") else { return nil }
    let entity = find(name)
    if let entity { checkConcrete(entity, at: name.position) }
    let result = build(component, name: name.value, entity: entity, position: name.position, isRoot: true)
    if let entity, result.mode != .update {
      RequiredCheck(findings: findings).run(
        component, entity: entity, position: name.position, filledBy: nil, isTarget: false)
    }
    return result
  }

  /// Builds the import of one entity.
  private mutating func build(
    _ component: ComponentValue, name: String, entity: EntityDescription?, position: SourcePosition, isRoot: Bool,
    isElement: Bool = false, isScoped: Bool = false
  ) -> EntityImport {
    var result = EntityImport(entityName: name, findBy: [])
    result.position = position
    result.mode = component.choice("mode", as: ImportMode.self) ?? .upsert
    SyncBuilder(model: model, findings: findings).read(component, into: &result)
    result.duplicates = component.choice("duplicates", as: DuplicatePolicy.self) ?? .last

    var attributes: [FieldImport] = []
    for named in component.named("attributes") { attributes.append(field(named, of: entity)) }
    var keys: [(name: String, position: SourcePosition)] = []
    for named in component.named("find_by") {
      let name = named.name.value
      keys.append((name, named.name.position))
      if result.findBy.contains(where: { $0.attributeName == name }) { continue }
      guard let index = attributes.firstIndex(where: { $0.attributeName == name }) else {
        result.findBy.append(field(named, of: entity))
        continue
      }
      if named.value != nil {
        findings.add(
          .mappedTwice, at: named.name.position, "“\(name)” has a column under “attributes” already",
          hint: "keep one of the two")
      }
      result.findBy.append(attributes.remove(at: index))
    }
    result.attributes = attributes
    if let entity { KeyCheck(findings: findings, needsIndex: !isScoped).run(keys, of: entity) }
    if isRoot, keys.isEmpty, result.mode != .insert, !component.brokenFields.contains("find_by") {
      findings.add(
        .missingField, at: position, "“\(name)” needs the field “find_by”",
        hint: "name the attributes that identify an object, or say “mode: insert”")
    }
    for named in component.named("relationships") {
      if let built = relationship(named, of: entity, takesLists: isRoot || isElement) {
        result.relationships.append(built)
      }
    }
    SyncBuilder(model: model, findings: findings).check(component, result, entity)
    return result
  }

  /// Builds the import of one relationship; `nil` when there is no such relationship.
  private mutating func relationship(
    _ named: NamedValue, of entity: EntityDescription?, takesLists: Bool
  ) -> RelationshipImport? {
    guard let component = named.value else { return nil }
    let place = named.name.position
    var description: RelationshipDescription?
    let lists = ListBuilder(model: model, findings: findings)
    if let entity {
      description = relationship(named.name, of: entity)
      if let found = description {
        if !found.isToMany {
          lists.checkToOne(component, found.name)
        } else if !lists.checkToMany(component, found, at: place) {
          return nil
        } else if !takesLists {
          findings.add(
            .unsuitableRelationship, at: place,
            "“\(found.name)” is a list of an object that the record only refers to",
            hint: "fill it from the records of “\(entity.name)”")
          return nil
        }
      }
      if description == nil {
        // Its columns are still used, and its own mistakes are still mistakes.
        _ = build(component, name: named.name.value, entity: nil, position: place, isRoot: false)
        return nil
      }
    }
    var target: EntityDescription?
    if let description, let model {
      target = model.entities[description.destinationEntity]
      if let name = component.text("entity") {
        let destination = target
        target = find(name)
        if let named = target, let destination, !named.isKind(of: destination) {
          findings.add(
            .unsuitableEntity, at: name.position,
            "“\(description.name)” refers to “\(destination.name)”, which “\(named.name)” does not inherit from")
          target = nil
        }
      }
    }
    let entityPlace = component.text("entity")?.position ?? place
    if let target { checkConcrete(target, at: entityPlace) }
    let targetName = target?.name ?? component.text("entity")?.value ?? named.name.value
    let result: RelationshipImport?
    if description?.isToMany ?? ListBuilder.isList(component) {
      result = self.list(named, component, description, targetName, target, lists)
    } else {
      result = RelationshipImport(
        name: named.name.value,
        target: build(component, name: targetName, entity: target, position: place, isRoot: false))
    }
    guard var result else { return nil }
    result.position = place
    result.missing = missing(component, &result.target.mode)
    if let target, result.missing == .create {
      RequiredCheck(findings: findings).run(
        component, entity: target, position: place, filledBy: description?.inverseName, isTarget: true)
    }
    return result
  }

  /// Builds the import of a relationship to many objects; `nil` when it does not say where they are listed.
  private mutating func list(
    _ named: NamedValue, _ component: ComponentValue, _ description: RelationshipDescription?, _ name: String,
    _ target: EntityDescription?, _ lists: ListBuilder
  ) -> RelationshipImport? {
    // The columns of elements are none of the file's.
    var inner = ImportBuilder(model: model, defaults: defaults, findings: findings)
    let keys = Set(component.named("find_by").map(\.name.value))
    let belongsToOne = description.map { $0.inverseSlot >= 0 && !$0.isInverseToMany } ?? false
    let isUnique = target?.uniquenessConstraints.contains { Set($0).isSubset(of: keys) } ?? false
    let scope = component.choice("find_in", as: ListImport.Scope.self) ?? (isUnique ? .everywhere : .owner)
    var built = inner.build(
      component, name: name, entity: target, position: named.name.position, isRoot: false, isElement: true,
      isScoped: belongsToOne && scope == .owner)
    guard let found = lists.build(component, description, uses: inner.columns, target: &built) else { return nil }
    columns.append(found.column)
    listColumns.append(found.column)
    var result = RelationshipImport(name: named.name.value, target: built)
    result.list = found.list
    return result
  }

  /// What a missing target means; a target that is never created is in mode `update`.
  private func missing(_ component: ComponentValue, _ mode: inout ImportMode) -> MissingTargetPolicy {
    guard let missing = component.choice("missing", as: MissingTargetPolicy.self) else {
      return mode == .update ? .reject : .create
    }
    let isContradiction = missing == .create ? mode == .update : mode == .createMissing
    if isContradiction, let position = component.fields["missing"]?.position {
      findings.add(
        .invalidOption, at: position, "“missing” cannot be “\(missing.rawValue)” in mode “\(mode.rawValue)”",
        hint: missing == .create ? "use mode “upsert”, or “missing: reject”" : "leave “mode” out")
    } else if missing != .create {
      mode = .update
    }
    return missing
  }

  /// The entity's relationship of this name, if a record can fill it; everything else is a finding.
  private func relationship(_ name: Located<String>, of entity: EntityDescription) -> RelationshipDescription? {
    guard let description = entity.relationship(named: name.value) else {
      if entity.attribute(named: name.value) != nil {
        findings.add(
          .wrongKind, at: name.position, "“\(name.value)” is an attribute of “\(entity.name)”, not a relationship",
          hint: "put it under “attributes”")
      } else {
        findings.addUnknown(
          .unknownRelationship, at: name.position, "“\(entity.name)” has no relationship “\(name.value)”",
          name: name.value, candidates: entity.relationships.map(\.name))
      }
      return nil
    }
    if description.isTransient {
      findings.add(
        .unsuitableRelationship, at: name.position,
        "“\(name.value)” is a transient relationship, which a record cannot fill")
      return nil
    }
    return description
  }

  private func find(_ name: Located<String>) -> EntityDescription? {
    guard let model else { return nil }
    guard let entity = model.entity(named: name.value) else {
      findings.addUnknown(
        .unknownEntity, at: name.position, "the model has no entity “\(name.value)”", name: name.value,
        candidates: model.entities.map(\.name))
      return nil
    }
    return entity
  }

  private func checkConcrete(_ entity: EntityDescription, at position: SourcePosition) {
    guard entity.isAbstract, let model else { return }
    let below = model.entities[entity.index...entity.lastDescendantIndex].filter { !$0.isAbstract }.map(\.name)
    findings.add(
      .unsuitableEntity, at: position, "“\(entity.name)” is abstract: it has no objects of its own",
      hint: below.isEmpty ? nil : "name one of \(below.joined(separator: ", ")) as “entity”")
  }
}
