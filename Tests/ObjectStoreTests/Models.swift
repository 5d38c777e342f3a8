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

  /// Animal > Bird, Person > Warden, Zoo: inheritance, every kind of relationship and most types.
  static func zoo() throws -> ManagedObjectModel {
    var animal = EntityDraft(name: "Animal")
    var name = attribute("name", .string, optional: false)
    name.isIndexed = true
    var mood = attribute("mood", .string)
    mood.isTransient = true
    animal.attributes = [
      attribute("weight", .double), name, attribute("born", .date), attribute("legs", .integer16),
      attribute("price", .decimal), attribute("photo", .binary), attribute("tag", .uuid), mood,
    ]
    animal.relationships = [toOne("keeper", "Person", inverse: "animals")]
    animal.compoundIndexes = [["legs", "born"]]
    var element = FetchIndexDescription.Element(propertyName: "name")
    element.isAscending = false
    animal.fetchIndexes = [FetchIndexDescription(name: "byName", elements: [element])]
    animal.uniquenessConstraints = [["name", "born"]]

    var bird = EntityDraft(name: "Bird")
    bird.parentName = "Animal"
    bird.attributes = [attribute("State", .string), attribute("STATE", .boolean)]

    var person = EntityDraft(name: "Person")
    person.attributes = [attribute("name", .string)]
    person.relationships = [
      toMany("animals", "Animal", inverse: "keeper", ordered: true), toMany("patrons", "Animal"),
      toMany("friends", "Person", inverse: "friends"), toMany("visits", "Zoo", inverse: "visitors", ordered: true),
    ]
    var warden = EntityDraft(name: "Warden")
    warden.parentName = "Person"

    var zoo = EntityDraft(name: "Zoo")
    zoo.attributes = [attribute("city", .string)]
    zoo.relationships = [toMany("visitors", "Person", inverse: "visits")]

    var draft = ModelDraft()
    draft.versionIdentifier = "zoo 1"
    draft.entities = [zoo, person, warden, animal, bird]
    draft.configurations = [ModelConfiguration(name: "Places", entityNames: ["Zoo"])]
    return try ManagedObjectModel(draft)
  }
}
