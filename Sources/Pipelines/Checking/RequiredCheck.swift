import Diagnostics
import ObjectModel

/// Finds what is mandatory in an entity, has no default and is filled by nothing.
struct RequiredCheck {
  let findings: Findings

  /// Checks an entity of which objects are created.
  ///
  /// - Parameters:
  ///   - inverse: the relationship that the object at whose relationship this one hangs fills, or `nil`.
  ///   - isTarget: whether the objects are targets of a relationship, which need not be created.
  func run(
    _ component: ComponentValue, entity: EntityDescription, position: SourcePosition, filledBy inverse: String?,
    isTarget: Bool
  ) {
    // What is broken may well be the field that is missed here: one mistake, one finding.
    guard component.brokenFields.isEmpty, component.has("find_by") || component.text("mode")?.value == "insert" else {
      return
    }
    let filled = Set((component.named("attributes") + component.named("find_by")).map(\.name.value))
    for attribute in entity.attributes where isMissed(attribute) && !filled.contains(attribute.name) {
      // A misspelt name is one mistake, not two.
      guard !isMeant(attribute.name, by: filled.filter { entity.attribute(named: $0) == nil }) else { continue }
      findings.add(
        .unmappedRequired, at: position,
        "the attribute “\(attribute.name)” of “\(entity.name)” is mandatory, has no default and is filled by nothing",
        hint: "give it a column under “attributes”" + (isTarget ? "; or say “missing: reject”" : ""))
    }
    let related = Set(component.named("relationships").map(\.name.value))
    for relationship in entity.relationships
    where !relationship.isOptional && !relationship.isTransient && relationship.name != inverse
      && !related.contains(relationship.name)
    {
      let strangers = related.union(filled)
        .filter { entity.relationship(named: $0) == nil && entity.attribute(named: $0) == nil }
      guard !isMeant(relationship.name, by: strangers), !filled.contains(relationship.name) else { continue }
      findings.add(
        .unmappedRequired, at: position,
        "the relationship “\(relationship.name)” of “\(entity.name)” is mandatory and is filled by nothing",
        hint: relationship.isToMany
          ? "fill it from the other end, or make it optional in the model" : "fill it under “relationships”")
    }
  }

  private func isMissed(_ attribute: AttributeDescription) -> Bool {
    !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient && !attribute.isDerived
  }

  /// Whether one of the names that do not exist is a misspelling of this one.
  private func isMeant(_ name: String, by strangers: Set<String>) -> Bool {
    strangers.contains { NearestName.find($0, in: [name]) != nil }
  }
}
