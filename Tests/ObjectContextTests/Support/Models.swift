import MergewalkObjectModel

/// Models that tests build in code.
enum Models {
  static func attribute(_ name: String, _ type: AttributeType, optional: Bool = true) -> AttributeDescription {
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = optional
    return attribute
  }

  static func toOne(_ name: String, _ destination: String, inverse: String? = nil) -> RelationshipDescription {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.isOptional = true
    relationship.inverseName = inverse
    relationship.inverseEntityName = inverse.map { _ in destination }
    return relationship
  }

  static func toMany(
    _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false
  ) -> RelationshipDescription {
    var relationship = toOne(name, destination, inverse: inverse)
    relationship.isToMany = true
    relationship.isOrdered = ordered
    relationship.maxCount = 0
    return relationship
  }

  static func entity(
    _ name: String, parent: String? = nil, abstract: Bool = false, attributes: [AttributeDescription] = [],
    relationships: [RelationshipDescription] = []
  ) -> EntityDraft {
    var entity = EntityDraft(name: name)
    entity.parentName = parent
    entity.isAbstract = abstract
    entity.attributes = attributes
    entity.relationships = relationships
    return entity
  }

  static func model(_ entities: EntityDraft...) throws -> ManagedObjectModel {
    var draft = ModelDraft()
    draft.entities = entities
    return try ManagedObjectModel(draft)
  }

  /// One entity with an attribute of every type that the store holds.
  static func types() throws -> ManagedObjectModel {
    var external = attribute("external", .binary)
    external.allowsExternalBinaryDataStorage = true
    var mood = attribute("mood", .string)
    mood.isTransient = true
    return try model(
      entity(
        "Thing",
        attributes: [
          attribute("int16", .integer16), attribute("int32", .integer32), attribute("int64", .integer64),
          attribute("decimal", .decimal), attribute("double", .double), attribute("float", .float),
          attribute("string", .string), attribute("boolean", .boolean), attribute("date", .date),
          attribute("binary", .binary), attribute("uuid", .uuid), attribute("uri", .uri),
          attribute("transformable", .transformable), external, mood,
        ]))
  }

  /// Party > Person > Boss, Party > Company, Desk, Skill, Memo: inheritance and every kind of relationship.
  static func works() throws -> ManagedObjectModel {
    var desk = entity(
      "Desk", attributes: [attribute("number", .integer32)],
      relationships: [toOne("owner", "Person", inverse: "desk")])
    desk.uniquenessConstraints = [["number"]]
    return try model(
      entity("Party", abstract: true, attributes: [attribute("name", .string, optional: false)]),
      entity(
        "Company", parent: "Party",
        relationships: [
          toMany("staff", "Person", inverse: "employer", ordered: true),
          toMany("clients", "Person", inverse: "supplier"),
        ]),
      entity(
        "Person", parent: "Party", attributes: [attribute("age", .integer16)],
        relationships: [
          toOne("employer", "Company", inverse: "staff"), toOne("supplier", "Company", inverse: "clients"),
          toOne("spouse", "Person", inverse: "spouse"), toOne("desk", "Desk", inverse: "owner"),
          toMany("friends", "Person", inverse: "friends"), toMany("likes", "Person", inverse: "likedBy"),
          toMany("likedBy", "Person", inverse: "likes"), toMany("skills", "Skill", inverse: "people", ordered: true),
          toOne("parent", "Person", inverse: "children"), toMany("children", "Person", inverse: "parent"),
          toMany("memos", "Memo"),
        ]),
      entity("Boss", parent: "Person", attributes: [attribute("bonus", .double)]),
      desk,
      entity(
        "Skill", attributes: [attribute("title", .string)],
        relationships: [toMany("people", "Person", inverse: "skills", ordered: true)]),
      entity(
        "Memo", attributes: [attribute("text", .string)], relationships: [toOne("about", "Party")]))
  }
}
