import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("AP1: composite attributes")
struct CompositeTests {
  static let yaml = """
    entities:
      Person:
        attributes:
          name: string!
          home: { type: composite, composite: Address }
          size: { type: composite!, elements: { height: { type: integer16!, default: 170 }, weight: double } }
        relationships: { friends: { to_many: Person, inverse: friends } }
        unique: [[name, home.city]]
        indexes: { byCity: [home.city] }
      Child: { parent: Person, attributes: { school: { type: composite, composite: Address } } }
    composites:
      Address: { attributes: { city: string, street: string, place: { type: composite, composite: Point } } }
      Point: { attributes: { x: double, y: double } }
    """

  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(ModelReader.parse(Array(Self.yaml.utf8), path: "m.yaml"))
  }

  @Test("the elements are attributes with dotted names, inherited as others are")
  func elements() throws {
    let model = try model()
    let child = try #require(model.entity(named: "Child"))
    #expect(child.compositeAttributes.map(\.name) == ["home", "school", "size"])
    #expect(child.elements(ofComposite: "home").map(\.name) == ["city", "place.x", "place.y", "street"])
    #expect(child.elements(ofComposite: "home.place").map(\.name) == ["x", "y"])
    #expect(child.attribute(named: "home.place.x")?.type == .double)
    #expect(child.attribute(named: "home.place.x")?.compositeKey == "home")
    #expect(child.attribute(named: "size.height")?.isOptional == false)
    #expect(child.attribute(named: "home") == nil)
  }

  @Test("a store has a column for each element, and says that the layout is its own")
  func schema() throws {
    let schema = StoreSchema(model: try model())
    #expect(schema.warnings.map(\.code) == [.uncertainComposite, .uncertainComposite, .uncertainComposite])
    let names = schema.tables[0].columns.map(\.name)
    #expect(names.contains("ZHOME_CITY") && names.contains("ZHOME_PLACE_X") && names.contains("ZSCHOOL_STREET"))
    #expect(schema.indexes.contains { $0.columns == ["ZHOME_CITY"] })
    #expect(schema.indexes.contains { $0.columns == ["ZNAME", "ZHOME_CITY"] })
  }

  @Test("elements are set, saved, fetched by predicate and sorted by; all of them are got at once")
  func roundTrip() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try model())
    try coordinator.addSQLiteStore(at: folder.file("s.sqlite"))
    let context = ManagedObjectContext(coordinator: coordinator)
    let ann = try context.insert("Person")
    try ann.setValue(.string("Ann"), forKey: "name")
    try ann.setComposite(
      ["city": .string("Sofia"), "place.x": .double(1.5), "place.y": .double(2)], forKey: "home")
    let bob = try context.insert("Child")
    try bob.setValue(.string("Bob"), forKey: "name")
    try bob.setValue(.string("Bergen"), forKey: "home.city")
    try bob.setValue(.string("Oslo"), forKey: "school.city")
    try context.save()

    let other = ManagedObjectContext(coordinator: coordinator)
    let near = try other.fetch(
      FetchRequest("Person", where: try ObjectPredicate(format: "home.place.x > 1 AND home.city BEGINSWITH 'S'")))
    #expect(try near.map { try $0["name"] } == [.string("Ann")])
    #expect(
      try near[0].composite(forKey: "home") == [
        "city": .string("Sofia"), "place.x": .double(1.5), "place.y": .double(2),
      ])
    #expect(try near[0]["size.height"] == .integer(170))
    let sorted = try other.fetch(FetchRequest("Person", sortedBy: [ObjectSortDescriptor("home.city")]))
    #expect(try sorted.map { try $0["home.city"] } == [.string("Bergen"), .string("Sofia")])
    let inMemory = try sorted.filtered(by: try ObjectPredicate(format: "home.place.y == 2 AND home.place.x < 2"))
    #expect(try inMemory.map { try $0["name"] } == [.string("Ann")])

    try near[0].setComposite(["street": .string("Main")], forKey: "home")
    #expect(try near[0].composite(forKey: "home") == ["street": .string("Main")], "what is not named loses its value")
    try other.save()
    #expect(try other.count(for: FetchRequest("Person", where: try ObjectPredicate(format: "home.city == nil"))) == 1)
    try coordinator.close()
  }

  @Test("what is no composite or no element is refused before anything is set")
  func refusals() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try model())
    try coordinator.addSQLiteStore(at: folder.file("s.sqlite"))
    let context = ManagedObjectContext(coordinator: coordinator)
    let ann = try context.insert("Person")
    for (key, values) in [("name", [:]), ("hom", [:]), ("home", ["city": .string("x"), "town": .null])]
      as [(String, [String: AttributeValue])]
    {
      let error = #expect(throws: ObjectError.self) { try ann.setComposite(values, forKey: key) }
      #expect(error?.code == .unknownKey)
    }
    #expect(try ann.composite(forKey: "home").isEmpty)
    #expect(throws: ObjectError.self) { try ann.value(forKey: "home") }
    try coordinator.close()
  }

  @Test("both formats keep composites, and the hash follows their elements")
  func formats() throws {
    let draft = try ModelReader.parse(Array(Self.yaml.utf8), path: "m.yaml")
    let checksum = try ManagedObjectModel(draft).versionChecksum
    for (text, path) in [(ModelWriter.xml(draft), "contents"), (ModelWriter.yaml(draft), "m.yaml")] {
      let again = try ModelReader.parse(Array(text.utf8), path: path)
      #expect(try ManagedObjectModel(again).versionChecksum == checksum, "\(path)")
      #expect(again.composites.map(\.name) == ["Address", "Point"])
    }
    var other = draft
    other.composites[1].attributes[0].type = .float
    #expect(try ManagedObjectModel(other).versionChecksum != checksum)
  }
}
