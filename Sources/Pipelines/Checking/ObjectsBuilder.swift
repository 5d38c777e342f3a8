import Diagnostics
import Importing
import ObjectModel
import ObjectStore
import RecordFormats

/// Turns the `objects` component into ``ObjectImport``s, checked against the model and the headers of the files.
struct ObjectsBuilder {
  let model: ManagedObjectModel?
  let findings: Findings
  /// Whether fields that files have are compared with those that the entity has.
  let checksHeaders: Bool

  /// Builds the imports; what is wrong is in the findings.
  func build(_ component: ComponentValue) -> [ObjectImport] {
    for name in ["source", "import", "fields", "find"] where component.has(name) {
      findings.add(
        .invalidOption, at: component.keyPosition(name), "“\(name)” means nothing beside “objects”",
        hint: "leave one of the two out")
    }
    let schema = model.map { StoreSchema(model: $0) }
    return component.components("objects").compactMap { build($0, schema) }
  }

  private func build(_ component: ComponentValue, _ schema: StoreSchema?) -> ObjectImport? {
    let inputs = SourceFiles(findings: findings).expand(component)
    if let input = inputs.first(where: { $0.source.isReadOnce }) {
      findings.add(
        .invalidOption, at: input.position, "objects are read from files, which “\(input.path)” is not",
        hint: "write it to a file first: it is read again when references have to be explained")
      return nil
    }
    let format = SourceBuilder(findings: findings).objectsFormat(component, firstInput: inputs.first)
    guard let name = component.text("entity") else { return nil }
    let entity = find(name)
    guard let format else { return nil }
    if checksHeaders, let entity, let schema, !findings.hasErrors {
      check(inputs, format, schema.objectFields(of: entity), entity)
    }
    var result = ObjectImport(entityName: name.value, inputs: [], format: format)
    result.sources = inputs.map(\.source)
    result.missing = component.choice("missing", as: MissingTargetPolicy.self) ?? .reject
    result.position = name.position
    return result
  }

  private func find(_ name: Located<String>) -> EntityDescription? {
    guard let model else { return nil }
    guard let entity = model.entity(named: name.value) else {
      findings.addUnknown(
        .unknownEntity, at: name.position, "the model has no entity “\(name.value)”", name: name.value,
        candidates: model.entities.map(\.name))
      return nil
    }
    guard !entity.isAbstract else {
      let below = model.entities[entity.index...entity.lastDescendantIndex].filter { !$0.isAbstract }.map(\.name)
      findings.add(
        .unsuitableEntity, at: name.position, "“\(entity.name)” is abstract: it has no objects of its own",
        hint: below.isEmpty ? nil : "name one of \(below.joined(separator: ", ")) as “entity”")
      return nil
    }
    return entity
  }

  /// Compares the columns or the first records' members with the fields of the entity.
  private func check(
    _ inputs: [SourceFiles.Input], _ format: RecordFormat, _ fields: [ObjectField], _ entity: EntityDescription
  ) {
    let names = fields.map { ObjectColumn.name(ofField: $0.name, in: format) }
    let known = Set(names)
    for input in inputs {
      let present: [String]
      do throws(ReadError) {
        present = try format.reader(source: input.source, columns: .all, index: 0).columns
      } catch {
        findings.add([error.diagnostic])
        continue
      }
      if !present.isEmpty, !present.contains(ObjectField.identityName) {
        findings.add(
          .unknownColumn, at: input.position, "“\(input.path)” has no field “\(ObjectField.identityName)”",
          hint: "objects have their identity there, a number from 1")
      }
      // How exports say in XML that a text is base64.
      let marks = present.filter { name in
        [".@encoding", ".@of"].contains { name.hasSuffix($0) && present.contains(String(name.dropLast($0.count))) }
      }
      for name in present where !known.contains(name) && !marks.contains(name) {
        findings.addUnknown(
          .unusedColumn, at: input.position, "“\(input.path)” has a field “\(name)”, which “\(entity.name)” has not",
          name: name, candidates: names)
      }
    }
  }
}
