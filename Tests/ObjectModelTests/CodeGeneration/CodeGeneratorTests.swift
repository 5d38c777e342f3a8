import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite("Code generation")
struct CodeGeneratorTests {
  static let zoo = """
    model: Zoo
    entities:
      Animal:
        abstract: true
        attributes:
          name: string!
          born: date
          weight: decimal
          legs: { type: integer16!, default: 4 }
          lives: integer32
          isTame: boolean!
          score: { type: double!, scalar: false }
          default: string
          context: string
          photo: binary
          home: { type: composite, elements: { city: string, place: { type: composite!, elements: { x: double! } } } }
          colour: { type: transformable, class: Colour }
          shape: transformable
          toyCount: { type: integer64, derived: toys.@count }
        relationships:
          keeper: { to_one: Keeper, inverse: animals }
          toys: { to_many: Toy, inverse: animals }
        fetched: { rivals: { fetch: { entity: Animal, predicate: "keeper != $FETCH_SOURCE.keeper" } } }
      Dog: { parent: Animal, codegen: category, attributes: { breed: string } }
      Puppy: { parent: Dog, class: Dog, attributes: { age: integer32 } }
      Keeper:
        class: .ZooKeeper
        codegen: class
        relationships: { animals: { to_many: Animal, inverse: keeper, ordered: true } }
      Toy: { class: ~, relationships: { animals: { to_many: Animal, inverse: toys } } }
    fetch_requests:
      byKeeper:
        entity: Animal
        predicate: 'keeper == $KEEPER AND name LIKE $PATTERN AND born BETWEEN $TIMES AND legs > $LEAST_LEGS AND lives == $lives'
        limit: 3
        include_subentities: false
      All Dogs: { entity: Dog }
      crowded: { entity: Keeper, predicate: 'SUBQUERY(animals, $a, $a.name == $NAME AND $a.keeper IN $KEEPERS).@count > $N', result: object_ids }
      broken: { entity: Dog, predicate: 'breed ==' }
    """

  private func generate(
    _ yaml: String = zoo, _ change: (inout CodeGenerator.Options) -> Void = { _ in }
  ) throws -> CodeGenerator {
    var options = CodeGenerator.Options()
    change(&options)
    let model = try ManagedObjectModel(ModelReader.parse(Array(yaml.utf8), path: "Zoo.yaml"))
    return try CodeGenerator(model, options: options)
  }

  private func text(_ name: String, of generator: CodeGenerator) throws -> String {
    try #require(generator.files.first { $0.name == name }).text
  }

  @Test("each class has two files, as its code generation says")
  func files() throws {
    let generator = try generate()
    #expect(
      generator.files.map(\.name) == [
        "Animal+CoreDataClass.swift", "Animal+CoreDataProperties.swift", "Dog+CoreDataProperties.swift",
        "ZooKeeper+CoreDataClass.swift", "ZooKeeper+CoreDataProperties.swift",
      ])
    #expect(generator.files.filter { $0.kind == .classFile }.map(\.entityName) == ["Animal", "Keeper"])
    #expect(try generate { $0.skipsManual = true }.files.map(\.entityName) == ["Dog", "Keeper", "Keeper"])
    #expect(try generate { $0.propertiesOnly = true }.files.allSatisfy { $0.kind == .properties })
    #expect(try generate { $0.entityNames = ["Keeper"] }.files.map(\.entityName) == ["Keeper", "Keeper"])
    #expect(try generate().files == generator.files, "the same model gives the same text")
  }

  @Test("classes inherit as entities do")
  func classes() throws {
    let generator = try generate()
    #expect(try text("Animal+CoreDataClass.swift", of: generator).contains("public class Animal: ManagedObject {"))
    let dogs = try generate(Self.zoo.replacing(", codegen: category", with: ""))
    #expect(try text("Dog+CoreDataClass.swift", of: dogs).contains("public class Dog: Animal {"))
    #expect(
      generator.findings.map(\.code)
        == ["renamedProperty", "sharedClass"])
  }

  @Test(
    "values have the types of their attributes",
    arguments: [
      "name: String?", "born: Timestamp?", "weight: DecimalNumber?", "legs: Int16", "lives: Int32?", "isTame: Bool",
      "score: Double?", "`default`: String?", "context_: String?", "photo: [UInt8]?", "colour: Colour?",
      "shape: [UInt8]?", "keeper: ZooKeeper?",
      "homeCity: String?", "homePlaceX: Double?",
    ])
  func types(declaration: String) throws {
    let text = try text("Animal+CoreDataProperties.swift", of: generate())
    #expect(text.contains("  public var \(declaration) {\n    get { "), "\(text)")
  }

  @Test("what is derived, to-many or fetched has no setter")
  func readOnly() throws {
    let text = try text("Animal+CoreDataProperties.swift", of: generate())
    #expect(text.contains("  public var toyCount: Int64? { self.get(AnimalSlots.toyCount) }\n"))
    #expect(
      text.contains("  public var toys: RelatedObjects<ManagedObject> { self.relatedObjects(AnimalSlots.toys) }\n"))
    #expect(text.contains("  public var rivals: [Animal] { "))
    #expect(
      text.contains("public class func fetchRequest(_ type: Animal.Type = Animal.self) -> TypedFetchRequest<Animal>"))
  }

  @Test("to-many relationships have Xcode's accessors, ordered ones those with places")
  func accessors() throws {
    let generator = try generate()
    let animal = try text("Animal+CoreDataProperties.swift", of: generator)
    for name in [
      "addToToys(_ value: ManagedObject)", "removeFromToys(_ value: ManagedObject)",
      "addToToys(_ values: some Sequence<ManagedObject>)", "removeFromToys(_ values: some Sequence<ManagedObject>)",
    ] { #expect(animal.contains("public func \(name) {"), "\(name)") }
    #expect(!animal.contains("insertIntoToys"))
    let keeper = try text("ZooKeeper+CoreDataProperties.swift", of: generator)
    for name in [
      "insertIntoAnimals(_ value: Animal, at index: Int)", "removeFromAnimals(at index: Int)",
      "insertIntoAnimals(_ values: [Animal], at indexes: [Int])", "removeFromAnimals(at indexes: [Int])",
      "replaceAnimals(at index: Int, with value: Animal)",
      "replaceAnimals(at indexes: [Int], with values: [Animal])", "addToAnimals(_ value: Animal)",
    ] { #expect(keeper.contains("public func \(name) {"), "\(name)") }
  }

  @Test(
    "MO15: a template becomes a function, its variables become parameters with the types of what they are compared with"
  )
  func templates() throws {
    let generator = try generate()
    let animal = try text("Animal+CoreDataProperties.swift", of: generator)
    #expect(
      animal.contains(
        """
          public class func byKeeper(
            keeper: ZooKeeper?,
            leastLegs: Int16,
            pattern: String,
            times: [Timestamp],
            lives: Int32?
          ) throws(PredicateError) -> TypedFetchRequest<Animal> {
        """), "\(animal)")
    #expect(animal.contains("\"KEEPER\": (keeper?.objectID).constantValue,"))
    #expect(animal.contains("request.fetchLimit = 3\n    request.includesSubentities = false\n"))
    let keeper = try text("ZooKeeper+CoreDataProperties.swift", of: generator)
    #expect(
      keeper.contains("    keepers: [ZooKeeper],\n    n: Int,\n    name: String?\n")
        || keeper.contains("    n: Int,\n    name: String\n"), "\(keeper)")
    #expect(keeper.contains("throws(PredicateError) -> FetchRequest {"))
    let dog = try text("Dog+CoreDataProperties.swift", of: generator)
    #expect(dog.contains("public class func allDogs() -> TypedFetchRequest<Dog> {\n    TypedFetchRequest(\"Dog\")\n"))
    #expect(!dog.contains("broken"), "what cannot be read has no function")
  }

  @Test("names that Swift or the text of a model could break stay names and text")
  func hostile() throws {
    var draft = ModelDraft()
    var entity = EntityDraft(name: "String")
    entity.className = "String"
    entity.attributes = [AttributeDescription(name: "in", type: .string)]
    var template = FetchRequestTemplate(name: "a-b c\n*/", entityName: "String")
    template.predicateText = "#in == \"x\\\"\\n\u{202E}\" OR #in == $class"
    draft.fetchRequestTemplates = [template]
    draft.entities = [entity]
    let text = try CodeGenerator(try ManagedObjectModel(draft)).files[1].text
    #expect(text.contains("public var `in`: Swift.String? {"))
    #expect(text.contains("public class func aBC(\n    `class`: Swift.String\n"), "\(text)")
    #expect(!text.unicodeScalars.contains("\u{202E}"))
    #expect(text.split(separator: "\n").allSatisfy { !$0.contains("*/") || $0.contains("///") })
  }

  @Test("what cannot be made is said at once", arguments: ["A-B", "../../x", "1", "a b", "x\n"])
  func invalidClass(name: String) throws {
    var draft = ModelDraft()
    var entity = EntityDraft(name: "A")
    entity.className = name
    draft.entities = [entity, entity]
    draft.entities[1].name = "B"
    let model = try ManagedObjectModel(draft)
    let error = #expect(throws: DiagnosticList.self) { try CodeGenerator(model) }
    if SwiftIdentifier.last(name) {
      #expect(error?.diagnostics.map(\.code) == ["invalidClassName", "invalidClassName"])
    }
  }

  @Test("names that the base class or the language has taken make other names, which nothing else has")
  func takenNames() throws {
    let generator = try generate(
      """
      model: Taken
      entities:
        Base:
          class: Base
          attributes: { hashValue: string, context: string, context_: string, value: date, _: string, Type: string }
        Type: { class: Type, parent: Base, attributes: { value_: date, self_: integer16 } }
        Self: { class: Self, relationships: { value: { to_many: Base, ordered: true } } }
        Protocol: { class: Protocol, attributes: { protocol: string } }
      """)
    let base = try text("Base+CoreDataProperties.swift", of: generator)
    for name in ["hashValue_", "context__", "context_", "value__", "`_`", "Type_"] {
      #expect(base.contains("  public var \(name): "), "\(name)")
    }
    #expect(base.contains("PropertySlot(\"hashValue\")"))
    #expect(try text("Type+CoreDataProperties.swift", of: generator).contains("extension `Type` {"))
    let owner = try text("Self+CoreDataProperties.swift", of: generator)
    #expect(owner.contains("  public var value_: RelatedObjects<Base>"))
    #expect(owner.contains("    value_.insert(value)"), "\(owner)")
    #expect(
      generator.findings.filter { $0.code == "renamedProperty" }.map(\.message).filter { $0.contains("context__") }
        .count
        == 1)
  }

  @Test("a class for an app leaves out what NSObject has, and says so; types keep their modules")
  func hiddenNames() throws {
    let generator = try generate(
      """
      model: Hidden
      entities:
        Date: { class: Date, attributes: { hashValue: string, className: string, at: date, note: string } }
        String: { class: String, relationships: { days: { to_many: Date, ordered: true } } }
      """
    ) { $0.style = .coredata }
    let date = try text("Date+CoreDataProperties.swift", of: generator)
    #expect(!date.contains("hashValue") && !date.contains("className"))
    #expect(date.contains("public var at: Foundation.Date?\n"))
    #expect(date.contains("public var note: Swift.String?\n"))
    #expect(generator.findings.filter { $0.code == "leftOutProperty" }.count == 2)
  }

  @Test("the class of a transformable may have a point in front, for the app's own module", arguments: [".", ""])
  func valueClasses(point: String) throws {
    func code(_ style: CodeGenerator.Options.Style) throws -> String {
      let model =
        "model: M\nentities: { A: { class: A, attributes: {"
        + " colour: { type: transformable, class: \"\(point)Colour\" }, shape: { type: transformable, class: \"\(point)\" } } } }"
      return try text("A+CoreDataProperties.swift", of: generate(model) { $0.style = style })
    }
    let app = try code(.coredata)
    #expect(app.contains("var colour: Colour?\n") && app.contains("var shape: NSObject?\n"), "\(app)")
    let own = try code(.mergewalk)
    #expect(own.contains("var colour: Colour? {") && own.contains("var shape: [UInt8]? {"), "\(own)")
  }

  @Test("a class of values may be written as in Objective-C; what Swift cannot read is said")
  func pointerClasses() throws {
    let model =
      "model: M\nentities: { A: { class: A, attributes: {"
      + " plain: { type: transformable, class: \"NSArray *\" }, many: { type: transformable, class: \"[String: Any]\" },"
      + " typed: { type: transformable, class: \"NSArray<NSString *> *\" } } } }"
    let app = try generate(model) { $0.style = .coredata }
    let code = try text("A+CoreDataProperties.swift", of: app)
    #expect(code.contains("var plain: NSArray?\n") && code.contains("var many: [String: Any]?\n"), "\(code)")
    #expect(code.contains("var typed: NSObject?\n") && !code.contains("*?"), "\(code)")
    #expect(app.findings.map(\.code) == ["invalidValueClass"])
  }

  @Test("a class that hides a module which others need is refused")
  func hiddenModule() throws {
    func generated(_ names: [String]) throws -> CodeGenerator {
      try generate("model: M\nentities:\n" + names.map { "  \($0): { class: \($0) }\n" }.joined())
    }
    #expect(try !generated(["Swift", "Nest"]).files.isEmpty)
    let error = #expect(throws: DiagnosticList.self) { try generated(["Swift", "Sequence"]) }
    #expect(error?.diagnostics.map(\.code) == ["invalidClassName"])
  }

  @Test("a request with a predicate names its type with the module where a class has the name")
  func requestType() throws {
    let generator = try generate(
      """
      model: M
      entities: { TypedFetchRequest: { class: TypedFetchRequest, attributes: { name: string } } }
      fetch_requests: { named: { entity: TypedFetchRequest, predicate: "name == $NAME" } }
      """)
    let text = try text("TypedFetchRequest+CoreDataProperties.swift", of: generator)
    #expect(text.contains("    return MergewalkObjectContext.TypedFetchRequest(request)\n"), "\(text)")
  }

  @Test("entities that are named must be there and have a class")
  func namedEntities() throws {
    let error = #expect(throws: DiagnosticList.self) { try generate { $0.entityNames = ["Animl", "Toy"] } }
    #expect(Set(error?.diagnostics.map(\.code) ?? []) == ["unknownEntity", "entityWithoutClass"])
    #expect(error?.diagnostics.contains { $0.hint == "did you mean “Animal”?" } == true)
  }

  @Test("every example model gives files", .enabled(if: Locations.shared != nil), arguments: Examples.models)
  func examples(path: String) throws {
    let generator = try CodeGenerator(Examples.freeze(path))
    #expect(Set(generator.files.map(\.name)).count == generator.files.count)
    for file in generator.files {
      let opened = file.text.count { $0 == "{" }
      #expect(opened == file.text.count { $0 == "}" }, "\(file.name)")
    }
  }

  @Test("classes for an app are those that Xcode writes")
  func forApps() throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Shop
      entities:
        Person:
          class: Person
          attributes: { name: string!, born: date, age: integer16, score: { type: double!, scalar: false }, photo: binary }
        Customer:
          class: Customer
          parent: Person
          relationships:
            orders: { to_many: Order, inverse: customer, ordered: true }
        Order:
          class: Order
          relationships:
            customer: { to_one: Customer, inverse: orders }
            notes: { to_many: Note, inverse: order }
        Note: { relationships: { order: { to_one: Order, inverse: notes } } }
      """, to: "m.yaml")
    var options = CodeGenerator.Options()
    options.style = .coredata
    let model = try ManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
    let files = try CodeGenerator(model, options: options).files
    let texts = Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }
    #expect(texts["Customer+CoreDataClass.swift"]?.contains("@objc(Customer)\npublic class Customer: Person {") == true)
    let person = try #require(texts["Person+CoreDataProperties.swift"])
    #expect(person.contains("@nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {"))
    for line in ["age: Int16", "born: Date?", "name: String?", "photo: Data?", "score: NSNumber?"] {
      #expect(person.contains("    @NSManaged public var \(line)\n"), "\(line)")
    }
    let customer = try #require(texts["Customer+CoreDataProperties.swift"])
    #expect(customer.contains("    @NSManaged public var orders: NSOrderedSet?\n"))
    #expect(
      customer.contains(
        "    @objc(insertObject:inOrdersAtIndex:)\n    @NSManaged public func insertIntoOrders(_ value: Order, at idx: Int)\n"
      ))
    let order = try #require(texts["Order+CoreDataProperties.swift"])
    #expect(order.contains("    @NSManaged public var customer: Customer?\n"))
    #expect(order.contains("    @objc(addNotes:)\n    @NSManaged public func addToNotes(_ values: NSSet)\n"))
    #expect(order.contains("    @NSManaged public func addToNotes(_ value: Note)\n"))
    #expect(!texts.values.contains { $0.contains("ObjectContext") })
  }
}

private enum SwiftIdentifier {
  /// Whether the part behind the last point is no identifier, so that the name must be refused.
  static func last(_ name: String) -> Bool {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    return last.contains { !($0.isLetter || $0.isNumber || $0 == "_") } || last.first?.isNumber == true
  }
}
