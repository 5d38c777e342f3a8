import MergewalkObjectModel
import Testing

@Suite("Models built in code")
struct ProgrammaticModelTests {
  private static let company = ModelDraft(
    name: "Company",
    hierarchies: [
      .entity(
        "Person", isAbstract: true,
        .attribute("name", .string), .attribute("born", .date, isOptional: true, default: .date(0.5)),
        subentities: [
          .entity(
            "Employee", .toOne("department", "Department", inverse: "employees", isOptional: true),
            subentities: [.entity("Manager", .attribute("bonus", .decimal, default: .decimal(DecimalNumber("1.50")!)))]),
          .entity("Customer", .attribute("number", .integer64, default: .integer(7)), unique: [["number"]]),
        ]),
      .entity(
        "Department", .attribute("title", .string, default: .string("x")),
        .attribute("open", .boolean, default: .boolean(true)),
        .transformable("colour", transformer: "ColourTransformer", className: "Colour", isOptional: true),
        .derived("size", .integer64, from: "employees.@count"),
        .toMany("employees", "Employee", inverse: "department", isOrdered: true, maximum: 9, deleteRule: .deny),
        .fetched("rich", "Manager", where: "bonus > 100")),
    ])

  @Test("MO5: a hierarchy is built from the top, and what an entity inherits from follows")
  func hierarchy() throws {
    let model = try ManagedObjectModel(Self.company)
    let person = try #require(model.entity(named: "Person"))
    let manager = try #require(model.entity(named: "Manager"))
    #expect(model.subentities(of: person).map(\.name) == ["Customer", "Employee"])
    #expect(model.superentity(of: manager)?.name == "Employee")
    #expect(model.superentity(of: person) == nil)
    #expect(model.subentities(of: manager).isEmpty)
    #expect(manager.attributes.map(\.name) == ["bonus", "born", "name"])
    // A tree of one's own cannot say otherwise.
    var stray = EntityDraft(name: "Stray")
    stray.parentName = "Nobody"
    #expect(EntityTree(stray).entities.map(\.parentName) == [nil])
  }

  @Test("NS8 and MO1: a model built in code is the model that a file gives")
  func sameAsFile() throws {
    let built = try ManagedObjectModel(Self.company)
    for (text, path) in [
      (ModelWriter.xml(Self.company), "contents"), (ModelWriter.yaml(Self.company), "m.yaml"),
    ] {
      let read = try ModelReader.parse(Array(text.utf8), path: path)
      #expect(read.withoutPlaces.entities == Self.company.entities, "\(path)")
      #expect(try ManagedObjectModel(read).versionChecksum == built.versionChecksum)
    }
    let colour = try #require(built.entity(named: "Department")?.attribute(named: "colour"))
    #expect(colour.type == .transformable)
    #expect(colour.valueTransformerName == "ColourTransformer")
  }

  @Test("MO23: a model in use cannot be changed, a copy of its draft can")
  func immutable() throws {
    let model = try ManagedObjectModel(Self.company)
    var copy = model.draft
    copy.entities[0].attributes.append(AttributeDescription(name: "age", type: .integer16))
    let other = try ManagedObjectModel(copy)
    #expect(model.entity(named: "Person")?.attribute(named: "age") == nil)
    #expect(other.entity(named: "Person")?.attribute(named: "age") != nil)
    #expect(model.versionChecksum != other.versionChecksum)
  }
}
