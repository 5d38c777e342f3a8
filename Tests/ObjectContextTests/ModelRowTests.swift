import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Rows of the requirements about models that need a store to be seen.
@Suite("Rows of the model that stores answer")
struct ModelRowTests {
  private static let yaml = """
    entities:
      Thing:
        attributes: { size: integer32, name: string, data: binary, born: date, kind: { type: string!, default: new } }
        indexes: { byKind: [kind, { property: size, descending: true }] }
      Shape: { abstract: true, class: Form }
      Circle: { parent: Shape, class: Form }
      Square: { parent: Shape, class: Form }
    fetch_requests:
      byKind: { entity: Thing, predicate: "kind == $KIND AND born < $DATE" }
    """

  private func open(_ folder: TemporaryFolder, _ yaml: String = Self.yaml) throws -> PersistentStoreCoordinator {
    let model = try ManagedObjectModel(ModelReader.parse(Array(yaml.utf8), path: "m.yaml"))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: folder.file("s.sqlite"))
    return coordinator
  }

  private func names(_ context: ManagedObjectContext, _ format: String) throws -> Set<AttributeValue> {
    let found = try context.fetch(FetchRequest("Thing", where: try ObjectPredicate(format: format)))
    return Set(try found.map { try $0["kind"] })
  }

  @Test("MO8: a new object carries the default, and nil is allowed where the attribute is optional")
  func mo8Default() throws {
    let folder = TemporaryFolder()
    let coordinator = try open(folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    let thing = try context.insert("Thing")
    #expect(try thing["kind"] == .string("new"))
    #expect(try thing["size"] == .null)
    try context.save()
    try thing.setValue(.null, forKey: "kind")
    #expect(throws: SaveError.self) { try context.save() }
    try coordinator.close()
  }

  @Test("MO2 and MO7: entities that share a class stay apart, and an abstract one cannot be inserted")
  func mo2SharedClass() throws {
    let folder = TemporaryFolder()
    let coordinator = try open(folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(try context.insert("Circle").entity.name == "Circle")
    #expect(try context.insert("Square").entity.name == "Square")
    let error = #expect(throws: ObjectError.self) { try context.insert("Shape") }
    #expect(error?.message.contains("Shape") == true)
    try coordinator.close()
  }

  @Test("MO12 and MO13: no value is neither 0 nor empty text nor empty bytes")
  func mo12NoValue() throws {
    let folder = TemporaryFolder()
    let coordinator = try open(folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    for (kind, size, name, data) in [
      ("none", AttributeValue.null, AttributeValue.null, AttributeValue.null),
      ("empty", .integer(0), .string(""), .binary([])), ("some", .integer(1), .string("x"), .binary([1])),
    ] {
      let thing = try context.insert("Thing")
      try thing.setValue(.string(kind), forKey: "kind")
      try thing.setValue(size, forKey: "size")
      try thing.setValue(name, forKey: "name")
      try thing.setValue(data, forKey: "data")
    }
    try context.save()
    context.reset()
    #expect(try names(context, "size == 0") == [.string("empty")])
    #expect(try names(context, "name == ''") == [.string("empty")])
    #expect(try names(context, "size == nil AND name == nil AND data == nil") == [.string("none")])
    #expect(try names(context, "data != nil") == [.string("empty"), .string("some")])
    #expect(try names(context, "size > -1") == [.string("empty"), .string("some")])
    // Core Data's SQL leaves rows without a value out here; docs/predicates.md says why they come.
    #expect(try names(context, "size != 0") == [.string("none"), .string("some")])
    // Who wants them left out says so, and both engines do it.
    for (format, kinds) in [
      ("size != 0", ["some"]), ("NOT size == 0", ["some"]), ("NOT (size == 0 OR name == 'y')", ["some"]),
      ("NOT size IN {0, 7}", ["some"]), ("NOT size < 1", ["some"]), ("size == 0", ["empty"]), ("size == nil", ["none"]),
      ("NOT name BEGINSWITH 'q'", ["empty", "some"]), ("NOT size == nil", ["empty", "some"]),
      ("size != 0 OR kind == 'none'", ["none", "some"]), ("NOT (size != 0 AND kind == 'none')", ["empty", "some"]),
    ] {
      let predicate = try ObjectPredicate(format: format).missingNulls
      let request = FetchRequest("Thing", where: predicate, sortedBy: [ObjectSortDescriptor("kind")])
      #expect(try Array(context.fetch(request)).names("kind") == kinds, "\(format)")
      let all = try context.fetch(FetchRequest("Thing", sortedBy: [ObjectSortDescriptor("kind")]))
      let inMemory = try all.filter { try predicate.evaluate(with: .object($0)) }
      #expect(inMemory.names("kind") == kinds, "\(format) in memory")
      #expect(try ObjectPredicate(format: predicate.description) == predicate, "\(format) is printed and read")
    }
    try coordinator.close()
  }

  @Test("AP5: a new store has the model's compound index, and SQLite seeks with it")
  func ap5CompoundIndex() throws {
    let folder = TemporaryFolder()
    try open(folder).close()
    let connection = try Connection(path: folder.file("s.sqlite"), mode: .readOnly)
    let plan = try connection.prepare(
      "EXPLAIN QUERY PLAN SELECT Z_PK FROM ZTHING WHERE ZKIND = 'a' ORDER BY ZSIZE DESC")
    var lines: [String] = []
    while try plan.step() { lines.append(plan.text(3)) }
    #expect(lines.count == 1 && lines[0].contains("Z_Thing_byKind (ZKIND=?)"), "\(lines)")
  }

  @Test("MO14 and MO15: a template with its variables bound fetches, and a variable without a value is an error")
  func mo15Template() throws {
    let folder = TemporaryFolder()
    let coordinator = try open(folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    for (kind, born) in [("a' OR 1=1 --", 10.0), ("a' OR 1=1 --", 30), ("b", 10)] {
      let thing = try context.insert("Thing")
      try thing.setValue(.string(kind), forKey: "kind")
      try thing.setValue(.date(born), forKey: "born")
    }
    try context.save()
    let request = try #require(
      try coordinator.model.fetchRequest(
        fromTemplate: "byKind", substituting: ["KIND": "a' OR 1=1 --", "DATE": .attribute(.date(20))]))
    #expect(try context.fetch(request).map { try $0["born"] } == [.date(10)])
    let error = #expect(throws: PredicateError.self) {
      try coordinator.model.fetchRequest(fromTemplate: "byKind", substituting: ["KIND": "x"])
    }
    #expect(error?.code == .missingVariable)
    try coordinator.close()
  }

  @Test("AP10: a store of another version of the model is refused, and a hash modifier makes another version")
  func ap10OtherVersion() throws {
    let folder = TemporaryFolder()
    try open(folder).close()
    try open(folder).close()
    let modified = Self.yaml.replacing("  Thing:\n", with: "  Thing:\n    hash_modifier: two\n", maxReplacements: 1)
    let error = #expect(throws: StoreError.self) { try open(folder, modified) }
    #expect(error?.code == .incompatibleModel)
    #expect(error?.differences?.differing == ["Thing"])
  }
}
