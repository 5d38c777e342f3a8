import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The rows of `../shared/behaviours.md`, parts 2.5 and 3.1, as far as the description of a model goes.
@Suite struct ModelBehaviourTests {
  private func model(_ yaml: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(ModelReader.parse(Array(yaml.utf8), path: "model.yaml"))
  }

  private static let family = """
    entities:
      Animal:
        abstract: true
        attributes: { name: string! }
        relationships: { owner: { to_one: Person, inverse: pets } }
        fetched: { rivals: { fetch: { entity: Animal, predicate: "owner != $FETCH_SOURCE.owner" } } }
        unique: [name]
      Dog: { parent: Animal, class: Beast, attributes: { breed: string } }
      cat: { parent: Animal, class: Beast, unique: [[name, lives]], attributes: { lives: { type: integer16!, default: 9 } } }
      Kitten: { parent: cat, attributes: { age: double } }
      Person: { relationships: { pets: { to_many: Animal, inverse: owner, ordered: true, delete: deny } } }
    fetch_requests:
      byOwner: { entity: Animal, predicate: "owner == $OWNER AND name LIKE $PATTERN", limit: 3 }
    configurations:
      Pets: [Animal, Dog, cat, Kitten]
      All: [Animal, Dog, cat, Kitten, Person]
    """

  @Test func `MO2: two entities may share one class and stay two entities`() throws {
    let model = try model(Self.family)
    let dog = try #require(model.entity(named: "Dog"))
    let cat = try #require(model.entity(named: "cat"))
    #expect(dog.declaration.className == "Beast")
    #expect(cat.declaration.className == "Beast")
    #expect(dog.number != cat.number)
  }

  @Test func `MO3: attributes, relationships and fetched properties are told apart`() throws {
    let dog = try #require(try model(Self.family).entity(named: "Dog"))
    #expect(dog.attributes.map(\.name) == ["breed", "name"])
    #expect(dog.relationships.map(\.name) == ["owner"])
    #expect(dog.fetchedProperties.map(\.name) == ["rivals"])
    #expect(dog.attribute(named: "owner") == nil)
    #expect(dog.relationship(named: "owner")?.destinationEntityName == "Person")
  }

  @Test func `MO4: a sub-entity inherits everything from its ancestors`() throws {
    let model = try model(Self.family)
    let kitten = try #require(model.entity(named: "Kitten"))
    #expect(kitten.attributes.map(\.name) == ["age", "lives", "name"])
    #expect(kitten.uniquenessConstraints == [["name"], ["name", "lives"]])
    #expect(kitten.isKind(of: try #require(model.entity(named: "Animal"))))
    #expect(!kitten.isKind(of: try #require(model.entity(named: "Dog"))))
    #expect(model.entities.map(\.name) == ["Animal", "cat", "Kitten", "Dog", "Person"])
    let slots = Set(kitten.attributes.map(\.slot) + kitten.relationships.map(\.slot))
    #expect(slots.count == 4, "every property has a slot of its own")
  }

  @Test func `MO5: the superentity follows from the declaration and cannot be set`() throws {
    let model = try model(Self.family)
    let kitten = try #require(model.entity(named: "Kitten"))
    #expect(kitten.superentityIndex.map { model.entities[$0].name } == "cat")
    #expect(model.entities[kitten.rootIndex].name == "Animal")
  }

  @Test func `MO7: an abstract entity is told apart`() throws {
    let model = try model(Self.family)
    #expect(model.entities.filter(\.isAbstract).map(\.name) == ["Animal"])
  }

  @Test func `MO8: an attribute may have a default value`() throws {
    let lives = try model(Self.family).entity(named: "cat")?.attribute(named: "lives")
    #expect(lives?.defaultValue == .integer(9))
    #expect(lives?.isOptional == false)
  }

  @Test(arguments: ["description", "hash", "self", "managedObjectContext", "entity", "objectID", "isDeleted"])
  func `MO9: names of methods are refused for properties`(name: String) {
    let error = #expect(throws: DiagnosticList.self) {
      try model("entities: { A: { attributes: { \(name): string } } }")
    }
    #expect(error?.diagnostics.map(\.code) == ["reservedName"])
  }

  @Test func `MO10: a stored property without a type or a name is refused`() {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "A")]
    draft.entities[0].attributes = [AttributeDescription(name: "x", type: .undefined)]
    #expect(throws: DiagnosticList.self) { try ManagedObjectModel(draft) }
    draft.entities[0].attributes[0].isTransient = true
    #expect(throws: Never.self) { try ManagedObjectModel(draft) }
    let xml = Array("<model><entity name=\"A\"><attribute attributeType=\"String\"/></entity></model>".utf8)
    #expect(throws: DiagnosticList.self) { try ManagedObjectModel(ModelReader.parse(xml, path: "contents")) }
  }

  @Test func `MO14: a fetch request template is found by name and is a copy`() throws {
    let model = try model(Self.family)
    var copy = try #require(model.fetchRequestTemplate(named: "byOwner"))
    copy.fetchLimit = 100
    #expect(model.fetchRequestTemplate(named: "byOwner")?.fetchLimit == 3)
    #expect(model.fetchRequestTemplate(named: "byNobody") == nil)
  }

  @Test func `MO15: a template keeps its variables`() throws {
    let request = try model(Self.family).draft.fetchRequestTemplates.first
    #expect(request?.predicateText == "owner == $OWNER AND name LIKE $PATTERN")
  }

  @Test func `MO16: user info of entities and all kinds of properties survives both formats`() throws {
    let yaml = """
      entities:
        A:
          attributes: { x: { type: string, user_info: { a: "1", "b c": "" } } }
          relationships: { r: { to_one: A, inverse: r, user_info: { d: "<&>" } } }
          fetched: { f: { fetch: { entity: A }, user_info: { color: Green } } }
          user_info: { version: "7" }
      """
    let draft = try ModelReader.parse(Array(yaml.utf8), path: "model.yaml")
    let again = try ModelReader.parse(Array(ModelWriter.xml(draft).utf8), path: "contents")
    for draft in [draft, again] {
      let entity = try #require(draft.entities.first)
      #expect(entity.userInfo == ["version": "7"])
      #expect(entity.attributes[0].userInfo == ["a": "1", "b c": ""])
      #expect(entity.relationships[0].userInfo == ["d": "<&>"])
      #expect(entity.fetchedProperties[0].userInfo == ["color": "Green"])
    }
  }

  @Test func `MO18: a configuration names a set of entities, and sets may overlap`() throws {
    let model = try model(Self.family)
    #expect(model.entities(forConfiguration: "Pets")?.map(\.name) == ["Animal", "Dog", "cat", "Kitten"])
    #expect(model.entities(forConfiguration: "All")?.count == 5)
    #expect(model.entities(forConfiguration: "None") == nil)
  }

  @Test func `MO19: without a configuration all entities are meant`() throws {
    let model = try model(Self.family)
    #expect(model.entities(forConfiguration: nil)?.count == model.entities.count)
  }

  @Test func `MO21: a relationship between entities without a common configuration is reported`() throws {
    let text = Self.family.split(separator: "\n").filter { !$0.contains("All:") }.joined(separator: "\n")
    let draft = try ModelReader.parse(Array((text + "\n  People: [Person]\n").utf8), path: "model.yaml")
    let findings = ModelLint.check(draft)
    #expect(findings.map(\.code) == ["crossConfiguration", "crossConfiguration"])
    #expect(findings.allSatisfy { $0.severity == .warning })
    #expect(ModelLint.check(try model(Self.family).draft).isEmpty)
  }

  @Test func `MO22 and AP1: every attribute type is read and written in both formats`() throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "A")]
    for type in AttributeType.allCases {
      var attribute = AttributeDescription(name: "v\(type.rawValue)", type: type)
      attribute.isTransient = type == .undefined
      draft.entities[0].attributes.append(attribute)
    }
    draft.entities[0].className = "A"
    draft.entities[0].isSyncable = true
    let xml = try ModelReader.parse(Array(ModelWriter.xml(draft).utf8), path: "contents")
    let yaml = try ModelReader.parse(Array(ModelWriter.yaml(draft).utf8), path: "m.yaml")
    #expect(xml.withoutPlaces.entities == draft.withoutPlaces.entities)
    #expect(yaml.withoutPlaces.entities == draft.withoutPlaces.entities)
  }

  @Test func `AP1: the range of an integer type bounds its default`() {
    for (type, value, fits) in [
      ("integer16", "32767", true), ("integer16", "32768", false), ("integer32", "-2147483648", true),
      ("integer32", "2147483648", false), ("integer64", "9223372036854775807", true),
      ("integer64", "9223372036854775808", false),
    ] {
      let built = try? model("entities: { A: { attributes: { x: { type: \(type), default: \(value) } } } }")
      // Core Data's compiler takes any text; one that does not fit is no default.
      #expect(built != nil)
      #expect((built?.entities[0].attributes[0].defaultValue != nil) == fits, "\(type) \(value)")
    }
  }

  @Test func `MO23: a model does not change when its draft does, and a copy of the draft makes another`() throws {
    let model = try model(Self.family)
    var draft = model.draft
    draft.entities[0].name = "Creature"
    #expect(model.entity(named: "Animal") != nil)
    #expect(model.draft.entities[0].name == "Animal")
    #expect(throws: DiagnosticList.self, "the old name is still used") { try ManagedObjectModel(draft) }
  }

  @Test func `AP2 to AP10: flags, rules, constraints and hash modifiers are kept`() throws {
    let yaml = """
      entities:
        A:
          attributes:
            photo: { type: binary, external_storage: true, keep_after_deletion: true, cloud_encryption: true }
            name: { type: string, min_length: 1, max_length: 9, pattern: "[a-z]+", renamed_from: title, hash_modifier: "2" }
            count: { type: integer64, derived: bs.@count }
          relationships:
            bs: { to_many: B, inverse: a, delete: cascade, ordered: true, min: 1, max: 9 }
          unique: [name]
          indexes: { byName: { elements: [name, { property: photo, descending: true }], where: "name != nil" } }
        B:
          relationships: { a: { to_one: A, inverse: bs, delete: no_action } }
      """
    let entity = try #require(try model(yaml).entity(named: "A"))
    let photo = try #require(entity.attribute(named: "photo"))
    #expect(photo.allowsExternalBinaryDataStorage && photo.preservesValueInHistoryOnDeletion)
    #expect(photo.allowsCloudEncryption)
    let name = try #require(entity.attribute(named: "name"))
    #expect(name.validation.minimumLength == 1)
    #expect(name.validation.maximumLength == 9)
    #expect(name.validation.regularExpression == "[a-z]+")
    #expect(name.renamingIdentifier == "title")
    #expect(name.versionHashModifier == "2")
    #expect(entity.attribute(named: "count")?.isDerived == true)
    let relationship = try #require(entity.relationship(named: "bs"))
    #expect(relationship.deleteRule == .cascade)
    #expect(relationship.isOrdered && relationship.isToMany && !relationship.isInverseToMany)
    #expect(relationship.minCount == 1 && relationship.maxCount == 9)
    let index = try #require(entity.declaration.fetchIndexes.first)
    #expect(index.elements.map(\.isAscending) == [true, false])
    #expect(index.partialIndexPredicateText == "name != nil")
  }

  @Test func `AP3: all four delete rules are known`() throws {
    for (word, rule) in [
      ("nullify", DeleteRule.nullify), ("cascade", .cascade), ("deny", .deny), ("no_action", .noAction),
    ] {
      let model = try model("entities: { A: { relationships: { r: { to_one: A, inverse: r, delete: \(word) } } } }")
      #expect(model.entities[0].relationships[0].deleteRule == rule)
      #expect(ModelWriter.xml(model.draft).contains("deletionRule=\"\(rule.rawValue)\""))
    }
  }

  @Test func `AP9 and AP10: a renaming identifier leaves the hash alone, a modifier changes it`() throws {
    let plain = try model("entities: { A: { attributes: { x: string } } }")
    let renamed = try model("entities: { A: { attributes: { x: { type: string, renamed_from: y } } } }")
    let modified = try model("entities: { A: { attributes: { x: { type: string, hash_modifier: m } } } }")
    let entity = try model("entities: { A: { hash_modifier: m, attributes: { x: string } } }")
    #expect(plain.versionChecksum == renamed.versionChecksum)
    #expect(Set([plain, modified, entity].map(\.versionChecksum)).count == 3)
  }

  @Test func `AP15: two entities of one name are refused`() throws {
    var draft = try model(Self.family).draft
    draft.entities.append(draft.entities[0])
    let error = #expect(throws: DiagnosticList.self) { try ManagedObjectModel(draft) }
    #expect(error?.diagnostics.contains { $0.code == "duplicateEntity" } == true)
  }

  @Test func `AP15: several models make one, whose relationships lead from one to the other`() throws {
    let people = """
      entities: { Person: { relationships: { pets: { to_many: Dog, inverse: owner } } } }
      configurations: { All: [Person] }
      """
    let dogs = """
      entities: { Dog: { relationships: { owner: { to_one: Person, inverse: pets } } } }
      configurations: { All: [Dog] }
      """
    let drafts = try [people, dogs].map { try ModelReader.parse(Array($0.utf8), path: "model.yaml") }
    for draft in drafts { #expect(throws: DiagnosticList.self) { try ManagedObjectModel(draft) } }
    let model = try ManagedObjectModel(.merging(drafts))
    #expect(model.entities.map(\.name) == ["Dog", "Person"])
    #expect(model.entities(forConfiguration: "All")?.map(\.name) == ["Person", "Dog"])
    let again = try ManagedObjectModel(.merging(drafts + [drafts[0]]))
    #expect(again.versionChecksum == model.versionChecksum, "what is defined alike is there once")
  }

  @Test func `what the hash leaves out does not change it`() throws {
    var draft = try model(Self.family).draft
    let checksum = try ManagedObjectModel(draft).versionChecksum
    for i in draft.entities.indices {
      draft.entities[i].className = "Other"
      draft.entities[i].userInfo = ["a": "b"]
      draft.entities[i].isSyncable = nil
      draft.entities[i].fetchedProperties = []
      for r in draft.entities[i].relationships.indices { draft.entities[i].relationships[r].deleteRule = .cascade }
      draft.entities[i].attributes.append(AttributeDescription(name: "t\(i)", type: .string))
      draft.entities[i].attributes[draft.entities[i].attributes.count - 1].isTransient = true
    }
    draft.entities.shuffle()
    draft.configurations = []
    draft.fetchRequestTemplates = []
    #expect(try ManagedObjectModel(draft).versionChecksum == checksum)
    draft.entities[0].isAbstract.toggle()
    #expect(try ManagedObjectModel(draft).versionChecksum != checksum)
  }

  @Test func `the models in the documentation have no errors`() throws {
    let page = try String(contentsOfFile: Locations.repository + "/docs/model-yaml.md", encoding: .utf8)
    let blocks = page.components(separatedBy: "```yaml\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(!blocks.isEmpty)
    for block in blocks { #expect(throws: Never.self) { try model(block) } }
  }
}
