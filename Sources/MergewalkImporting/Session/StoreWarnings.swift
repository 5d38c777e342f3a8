import MergewalkObjectModel
import MergewalkObjectStore

/// Collects warnings for the user of an import about the store: the parts that are not maintained as Core Data would.
struct StoreWarnings {
  let plan: ImportPlan
  let model: ManagedObjectModel

  func warnings(_ file: StoreFile) -> [RunWarning] {
    let imported = importedEntities()
    var warnings = file.warnings.map { RunWarning($0) }
    warnings += file.schema.warnings.filter { concerns($0, file, imported) }.map { RunWarning($0) }
    let missing = file.schema.missingIndexes.filter { index in
      index.isOfModel && index.entity.map { imported.contains($0) } == true
    }
    warnings += missing.map { index in
      RunWarning(
        .missingIndex,
        "the store lacks the index \(index.name) of the model, so searches are slower; “mergewalk store migrate” makes it"
      )
    }
    for entity in model.entities where imported.contains(entity.index) {
      for attribute in entity.attributes
      where attribute.isDerived && !attribute.isTransient && attribute.declaringEntity == entity.index
        && !file.schema.computesValue(of: attribute, entity, inNewStore: file.isReproducible)
      {
        warnings.append(
          RunWarning(
            .derivedAttribute,
            "\(entity.name).\(attribute.name): the value of this derived attribute is computed by Core Data, not by"
              + " an import; new rows have none"))
      }
    }
    for lookup in plan.transforms.lookups where file.isNew {
      guard let entity = model.entity(named: lookup.entity) else { continue }
      for name in Set([lookup.findBy, lookup.take]).sorted() {
        guard let attribute = entity.attribute(named: name), attribute.isDerived,
          !file.schema.computesValue(of: attribute, entity, inNewStore: file.isReproducible)
        else { continue }
        warnings.append(
          RunWarning(
            .derivedAttribute,
            "\(lookup.entity).\(name): “lookup” reads this derived attribute, but a new store has no values of it"))
      }
    }
    return warnings
  }

  private func concerns(_ warning: SchemaWarning, _ file: StoreFile, _ imported: Set<Int>) -> Bool {
    let isImported = imported.contains { model.entities[$0].name == warning.entity }
    return switch warning.code {
    // Core Data looks for the table whatever was imported; an existing store has it under its right name.
    case .uncertainComposite: file.isNew
    case .unsupportedAttribute: isImported
    case .unsupportedIndex, .sameIndexName: file.isNew && isImported
    }
  }

  /// The entities of the plan and those that they inherit from.
  private func importedEntities() -> Set<Int> {
    var entities = Set<Int>()
    for part in plan.nodes {
      var index: Int? = part.entity
      while let i = index, entities.insert(i).inserted { index = model.entities[i].superentityIndex }
    }
    return entities
  }
}
