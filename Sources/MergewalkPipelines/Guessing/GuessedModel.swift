import MergewalkObjectModel
import MergewalkYAML

/// Writes the model of guessed entities in YAML, with comments.
enum GuessedModel {
  static func text(_ entities: [GuessedEntity], name: String) -> String {
    var lines = [
      "# A model guessed by mergewalk. Attributes that all records of a whole source have are required (!).",
      "model: \(YAMLText.scalar(name, inFlow: false))",
      "entities:",
    ]
    for entity in entities {
      lines.append("  \(entity.name):")
      lines.append("    attributes:")
      for attribute in entity.attributes where attribute.isKept {
        let type = ModelYAMLNames.name(attribute.modelType) + (attribute.isRequired ? "!" : "")
        lines.append("      \(attribute.name): \(type)")
      }
      relationships(entity, &lines)
      if !entity.key.isEmpty {
        let names = entity.key.map { entity.attributes[$0].name }
        lines.append("    unique: \(names.count == 1 ? "[\(names[0])]" : "[[\(names.joined(separator: ", "))]]")")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func relationships(_ entity: GuessedEntity, _ lines: inout [String]) {
    if entity.relationships.isEmpty, entity.inverses.isEmpty { return }
    lines.append("    relationships:")
    for relationship in entity.relationships {
      let required = relationship.isRequired ? ", required: true" : ""
      lines.append(
        "      \(relationship.name): { to_one: \(relationship.entity), inverse: \(relationship.inverse)\(required) }")
    }
    for inverse in entity.inverses {
      lines.append("      \(inverse.name): { to_many: \(inverse.entity), inverse: \(inverse.inverse) }")
    }
  }
}
