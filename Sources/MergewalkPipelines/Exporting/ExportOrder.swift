import MergewalkObjectModel
import MergewalkObjectStore

/// The order in which entities are loaded best: what is referred to comes before what refers to it.
enum ExportOrder {
  /// Sorts entities, which come by number; where references go round in circles the number decides.
  static func order(_ entities: [EntityDescription], _ schema: StoreSchema) -> [EntityDescription] {
    var left = entities
    var result: [EntityDescription] = []
    let dependencies = Dictionary(
      uniqueKeysWithValues: entities.map { ($0.index, references(of: $0, schema)) })
    while !left.isEmpty {
      let roots = Set(left.map(\.root))
      let next = left.firstIndex { entity in
        dependencies[entity.index]?.allSatisfy { $0 == entity.root || !roots.contains($0) } ?? true
      }
      result.append(left.remove(at: next ?? 0))
    }
    return result
  }

  /// The roots of the objects that an entity's rows refer to.
  private static func references(of entity: EntityDescription, _ schema: StoreSchema) -> Set<RootIndex> {
    var roots = Set<RootIndex>()
    for field in schema.objectFields(of: entity) {
      switch field.kind {
      case .toOne(let relationship): roots.insert(schema.model.entities[relationship.destinationEntity].root)
      case .owner(let relationship): roots.insert(schema.model.entities[relationship.declaringEntity].root)
      default: break
      }
    }
    return roots
  }
}
