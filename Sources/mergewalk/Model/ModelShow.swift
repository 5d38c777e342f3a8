import ArgumentParser
import MergewalkObjectModel

/// `mergewalk model show`: a model as a person reads it.
struct ModelShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the entities, attributes and relationships of a model.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk model show Shop.xcdatamodeld
        mergewalk model show Shop.xcdatamodeld --model-version "Shop 2"
      """))

  @OptionGroup var options: ModelOptions

  func run() throws {
    let model = try options.load()
    var text = "\(model.draft.name.isEmpty ? "model" : model.draft.name): "
    text += Figures.count(model.entities.count, "entity", "entities")
    for entity in model.entities.sorted(by: { $0.name < $1.name }) {
      text += "\n\n" + Self.text(entity, in: model)
    }
    Console.data(lines: text)
  }

  private static func text(_ entity: EntityDescription, in model: ManagedObjectModel) -> String {
    var title = entity.name
    if entity.isAbstract { title += " (abstract)" }
    if let parent = entity.superentityIndex { title += ": \(model.entities[parent].name)" }
    let properties =
      entity.attributes.filter { $0.declaringEntity == entity.index }.map { ($0.name, text($0)) }
      + entity.relationships.filter { $0.declaringEntity == entity.index }.map { ($0.name, text($0)) }
      + entity.declaration.fetchedProperties.map { ($0.name, "fetched \($0.fetchRequest.entityName)") }
    let width = properties.map(\.0.count).max() ?? 0
    var lines = [title]
    for (name, description) in properties {
      lines.append("  " + name + String(repeating: " ", count: width - name.count) + "  " + description)
    }
    for constraint in entity.declaration.uniquenessConstraints where !constraint.isEmpty {
      lines.append("  unique: \(constraint.joined(separator: ", "))")
    }
    for index in entity.declaration.fetchIndexes {
      let elements = index.elements.map { element in
        (element.propertyName ?? element.expression ?? "?") + (element.isAscending ? "" : " descending")
      }
      let condition = index.partialIndexPredicateText.map { " where \($0)" } ?? ""
      lines.append("  index \(index.name): \(elements.joined(separator: ", "))\(condition)")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ attribute: AttributeDescription) -> String {
    var parts = [attribute.type.xmlName]
    if attribute.isOptional { parts.append("optional") }
    if attribute.isTransient { parts.append("transient") }
    if let expression = attribute.derivationExpression { parts.append("derived from \(expression)") }
    if let text = attribute.shownDefault { parts.append("default \(text)") }
    if let least = attribute.validation.shownMinimum { parts.append("at least \(least)") }
    if let most = attribute.validation.shownMaximum { parts.append("at most \(most)") }
    if let pattern = attribute.validation.regularExpression { parts.append("matches \(pattern)") }
    return parts.joined(separator: ", ")
  }

  private static func text(_ relationship: RelationshipDescription) -> String {
    var parts = ["to \(relationship.isToMany ? "many" : "one") \(relationship.destinationEntityName)"]
    if relationship.isOrdered { parts.append("ordered") }
    if relationship.isOptional { parts.append("optional") }
    if relationship.isTransient { parts.append("transient") }
    if let inverse = relationship.inverseName { parts.append("inverse \(inverse)") }
    parts.append("on delete \(relationship.deleteRule.rawValue.lowercased())")
    return parts.joined(separator: ", ")
  }
}
