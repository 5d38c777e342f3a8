import MergewalkObjectModel

/// The names that an XML store uses for what the model calls otherwise.
///
/// Core Data writes names of entities in capitals, those of properties in small letters. Where two names of a model would
/// become one, they are written as they are.
struct XMLStoreNames {
  private var entities: [String: Int] = [:]
  private var entityNames: [String]
  private let model: ManagedObjectModel

  init(_ model: ManagedObjectModel) {
    self.model = model
    entityNames = model.entities.map { $0.name.uppercased() }
    let counts = Dictionary(entityNames.map { ($0, 1) }, uniquingKeysWith: +)
    for entity in model.entities {
      if counts[entityNames[entity.index]] != 1 { entityNames[entity.index] = entity.name }
      entities[entity.name] = entity.index
    }
    for entity in model.entities where entities[entityNames[entity.index]] == nil {
      entities[entityNames[entity.index]] = entity.index
    }
  }

  func name(_ entity: EntityDescription) -> String { entityNames[entity.index] }

  /// The entity with a name; `nil` when there is none.
  func entity(_ name: String) -> EntityDescription? { entities[name].map { model.entities[$0] } }

  /// The properties of an entity by the names that the file uses.
  struct Properties {
    private(set) var attributeNames: [String] = []
    private(set) var relationshipNames: [String] = []
    private var attributes: [String: Int] = [:]
    private var relationships: [String: Int] = [:]
    private let entity: EntityDescription

    init(_ entity: EntityDescription) {
      self.entity = entity
      let all = entity.attributes.map { $0.name.lowercased() } + entity.relationships.map { $0.name.lowercased() }
      let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
      func spelt(_ name: String) -> String { counts[name.lowercased()] == 1 ? name.lowercased() : name }
      attributeNames = entity.attributes.map { spelt($0.name) }
      relationshipNames = entity.relationships.map { spelt($0.name) }
      for (i, name) in attributeNames.enumerated() { attributes[name] = i }
      for (i, name) in relationshipNames.enumerated() { relationships[name] = i }
      for (i, attribute) in entity.attributes.enumerated() where attributes[attribute.name] == nil {
        attributes[attribute.name] = i
      }
      for (i, relationship) in entity.relationships.enumerated() where relationships[relationship.name] == nil {
        relationships[relationship.name] = i
      }
    }

    /// The attribute with a name; `nil` when there is none.
    func attribute(_ name: String) -> AttributeDescription? { attributes[name].map { entity.attributes[$0] } }
    /// The relationship with a name; `nil` when there is none.
    func relationship(_ name: String) -> RelationshipDescription? {
      relationships[name].map { entity.relationships[$0] }
    }
  }

  static func name(_ type: AttributeType) -> String {
    switch type {
    case .integer16: "int16"
    case .integer32: "int32"
    case .integer64: "int64"
    case .decimal: "decimal"
    case .double: "double"
    case .float: "float"
    case .string: "string"
    case .boolean: "bool"
    case .date: "date"
    case .uuid: "uuid"
    case .uri: "uri"
    case .binary, .transformable, .undefined, .objectID, .composite: "binary"
    }
  }
}
