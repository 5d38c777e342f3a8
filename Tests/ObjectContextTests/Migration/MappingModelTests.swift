import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Splits a person's address off: persons with the same address share one.
private final class SplitPolicy: EntityMigrationPolicy {
  let log: Log
  private var addresses: [String: ManagedObjectID] = [:]

  final class Log {
    var calls: [String] = []
    var objects = 0
    var relationships = 0
  }

  init(_ log: Log) { self.log = log }

  override func begin(_ mapping: EntityMapping, manager: MigrationManager) throws {
    log.calls.append("begin \(mapping.name)")
  }

  override func createDestinationObjects(
    for source: ManagedObject, mapping: EntityMapping, manager: MigrationManager
  ) throws {
    log.objects += 1
    try super.createDestinationObjects(for: source, mapping: mapping, manager: manager)
  }

  override func endObjectCreation(_ mapping: EntityMapping, manager: MigrationManager) throws {
    log.calls.append("endObjectCreation")
  }

  override func createRelationships(
    for destination: ManagedObject, source: ManagedObject, mapping: EntityMapping, manager: MigrationManager
  ) throws {
    log.relationships += 1
    try super.createRelationships(for: destination, source: source, mapping: mapping, manager: manager)
    guard case .string(let city) = try source.value(forKey: "city") else { return }
    let address: ManagedObject
    if let known = addresses[city] {
      address = try manager.destinationContext.object(with: known)
    } else {
      address = try manager.destinationContext.insert("Address")
      try address.setValue(.string(city), forKey: "city")
      try manager.destinationContext.obtainPermanentIDs(for: [address])
      addresses[city] = address.objectID
    }
    try destination.setObject(address, forKey: "address")
  }

  override func endRelationshipCreation(_ mapping: EntityMapping, manager: MigrationManager) throws {
    log.calls.append("endRelationshipCreation")
  }

  override func performCustomValidation(_ mapping: EntityMapping, manager: MigrationManager) throws {
    log.calls.append("validate \(try manager.destinationContext.count("Address"))")
  }

  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { log.calls.append("end") }
}

@Suite("Mapping models")
struct MappingModelTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("people.sqlite") }

  private static func old() throws -> ManagedObjectModel {
    try Models.model(
      Models.entity(
        "Person",
        attributes: [
          Models.attribute("first", .string), Models.attribute("last", .string), Models.attribute("city", .string),
          Models.attribute("age", .string),
        ],
        relationships: [
          Models.toOne("boss", "Person", inverse: "team"),
          Models.toMany("team", "Person", inverse: "boss", ordered: true),
          Models.toMany("friends", "Person", inverse: "friends"),
        ]))
  }

  private static func new(required: Bool = true) throws -> ManagedObjectModel {
    var address = Models.toOne("address", "Address", inverse: "people")
    address.isOptional = !required
    var name = Models.attribute("name", .string, optional: false)
    name.validation.maximumLength = 40
    return try Models.model(
      Models.entity(
        "Address", attributes: [Models.attribute("city", .string)],
        relationships: [Models.toMany("people", "Person", inverse: "address")]),
      Models.entity(
        "Person", attributes: [name, Models.attribute("age", .integer16)],
        relationships: [
          address, Models.toOne("boss", "Person", inverse: "team"),
          Models.toMany("team", "Person", inverse: "boss", ordered: true),
          Models.toMany("friends", "Person", inverse: "friends"),
        ]))
  }

  /// Persons `0..<count`: each fifth is a boss of those behind, cities repeat.
  private func fill(_ count: Int) throws {
    let coordinator = PersistentStoreCoordinator(model: try Self.old())
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    var people: [ManagedObject] = []
    for i in 0..<count {
      let person = try context.insert("Person")
      try person.setValue(.string("F\(i)"), forKey: "first")
      try person.setValue(.string("L\(i)"), forKey: "last")
      try person.setValue(.string("City \(i % 7)"), forKey: "city")
      try person.setValue(.string("\(i)"), forKey: "age")
      people.append(person)
    }
    for i in 0..<count where i % 5 != 0 {
      try people[i].setObject(people[i - i % 5], forKey: "boss")
      try people[i].add(people[(i * 3) % count], to: "friends")
    }
    for i in stride(from: 0, to: count, by: 5) {
      try people[i].setObjects(try people[i].objects(forKey: "team").reversed(), forKey: "team")
    }
    try context.save()
    try coordinator.close()
  }

  private static func mapping(_ log: SplitPolicy.Log) throws -> MappingModel {
    var mapping = MappingModel.inferred(from: try old(), to: try new())
    // The type of the age changed, so it is left for us; the name is new.
    #expect(mapping["PersonToPerson"]?.attributes.keys.sorted() == [])
    mapping["PersonToPerson"]?.type = .custom
    mapping["PersonToPerson"]?.attributes["age"] = .compute { source, _ in
      guard case .string(let text) = try source.value(forKey: "age") else { return .null }
      return Int64(text).map { .integer($0) } ?? .null
    }
    mapping["PersonToPerson"]?.attributes["name"] = .compute { source, _ in
      guard case .string(let first) = try source.value(forKey: "first"),
        case .string(let last) = try source.value(forKey: "last")
      else { return .null }
      return .string(first + " " + last)
    }
    mapping["PersonToPerson"]?.makePolicy = { SplitPolicy(log) }
    return mapping
  }

  @Test(
    "AP12: a custom mapping splits an entity in two, with all hooks, in batches, with progress", arguments: [3, 1000])
  func ap12Split(batchSize: Int) throws {
    try fill(40)
    let log = SplitPolicy.Log()
    let manager = MigrationManager(from: try Self.old(), to: try Self.new(), mapping: try Self.mapping(log))
    manager.batchSize = batchSize
    var progress: [Double] = []
    manager.progress = { progress.append($0) }
    try manager.migrate(path)
    #expect(
      log.calls == ["begin PersonToPerson", "endObjectCreation", "endRelationshipCreation", "validate 7", "end"])
    #expect(log.objects == 40 && log.relationships == 40)
    #expect(progress == progress.sorted() && progress.last == 1 && progress.count >= 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["people.sqlite"])
    #expect(
      try StoreVerifier.verify(path: path, model: try Self.new()).findings.filter { $0.severity != .note }.isEmpty)

    let coordinator = PersistentStoreCoordinator(model: try Self.new())
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(try context.count("Address") == 7)
    for i in 0..<40 {
      let person = try #require(try context.fetch("Person", where: ["name": .string("F\(i) L\(i)")]).first)
      #expect(try person.value(forKey: "age") == .integer(Int64(i)))
      #expect(try person.object(forKey: "address")?.value(forKey: "city") == .string("City \(i % 7)"))
      let boss = try person.object(forKey: "boss")?.value(forKey: "age")
      #expect(boss == (i % 5 == 0 ? nil : .integer(Int64(i - i % 5))))
      if i % 5 == 0 {
        let team = try person.objects(forKey: "team").map { try $0.value(forKey: "age") }
        #expect(team == (i + 1..<i + 5).reversed().map { .integer(Int64($0)) })
      } else {
        let friends = try person.objects(forKey: "friends").map { try $0.value(forKey: "age") }
        #expect(friends.contains(.integer(Int64((i * 3) % 40))))
      }
    }
    try coordinator.close()
  }

  @Test("AP12: value expressions of $source, and calls of the manager as Xcode writes them")
  func ap12Expressions() throws {
    try fill(12)
    let new = try Self.new(required: false)
    var person = EntityMapping(name: "People", source: "Person", destination: "Person")
    person.attributes["name"] = try .format("$source.first")
    person.attributes["age"] = try .format("length:($source.last) + $bonus")
    person.relationships["address"] = try .format(
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"Addresses\", $source)")
    person.relationships["boss"] = try .format(
      "FUNCTION( $manager , 'destinationInstancesForEntityMappingNamed:sourceInstances:' , 'People' , $source.boss )")
    person.relationships["friends"] = try .format(
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"friends\", $source.friends)"
    )
    var address = EntityMapping(name: "Addresses", source: "Person", destination: "Address")
    address.attributes["city"] = .source("city")
    address.sourcePredicate = try ObjectPredicate(format: "city != 'City 3'")
    let manager = MigrationManager(from: try Self.old(), to: new, mapping: MappingModel([person, address]))
    manager.userInfo["bonus"] = .integer(5)
    try manager.migrate(path)
    let coordinator = PersistentStoreCoordinator(model: new)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(try context.count("Address") == 10)
    let six = try #require(try context.fetch("Person", where: ["name": .string("F6")]).first)
    #expect(try six.value(forKey: "age") == .integer(7))
    #expect(try six.object(forKey: "address")?.value(forKey: "city") == .string("City 6"))
    #expect(try six.object(forKey: "boss")?.value(forKey: "name") == .string("F5"))
    let three = try #require(try context.fetch("Person", where: ["name": .string("F3")]).first)
    #expect(try three.object(forKey: "address") == nil)
    #expect(try three.objects(forKey: "friends").contains { try $0.value(forKey: "name") == .string("F9") })
    try coordinator.close()
  }

  @Test(
    "AP12: what is no call of the manager is refused",
    arguments: [
      "", "FUNCTION(", "$source.boss", "FUNCTION($manager, \"x\", \"y\", $source)",
      "FUNCTION($other, \"a\", \"b\", $source)",
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"x\")", ")FUNCTION(",
      "FUNCTION((((,,,)",
    ])
  func ap12NoCall(_ text: String) {
    #expect(throws: MergewalkObjectModel.PredicateError.self) { try RelationshipMapping.format(text) }
  }

  @Test("AP12: mappings that do not fit the models are refused, all at once")
  func ap12Problems() throws {
    try fill(3)
    var wrong = EntityMapping(name: "W", source: "Nobody", destination: "Person")
    wrong.attributes["none"] = .source("x")
    wrong.relationships["team"] = .mapping("Q", of: .variable("source"))
    let manager = MigrationManager(from: try Self.old(), to: try Self.new(), mapping: MappingModel([wrong, wrong]))
    let error = #expect(throws: MigrationError.self) { try manager.migrate(path) }
    #expect(error?.code == .mapping)
    for part in ["two mappings", "Nobody", "no attribute none", "no mapping Q"] {
      #expect(error?.message.contains(part) == true, "\(part)")
    }
  }

  @Test("AP12: what fails, is missing or is cancelled leaves the store as it was")
  func ap12Failures() throws {
    try fill(20)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    struct Stop: Error {}
    // The required address is missing: nobody sets it.
    let without = MappingModel.inferred(from: try Self.old(), to: try Self.new())
    var named = without
    named["PersonToPerson"]?.attributes["name"] = .source("first")
    let missing = #expect(throws: MigrationError.self) {
      try MigrationManager(from: try Self.old(), to: try Self.new(), mapping: named).migrate(path)
    }
    #expect(missing?.findings.map(\.code) == [.missingReferences])
    // A value that the new model does not allow.
    var long = named
    long["PersonToPerson"]?.attributes["name"] = .compute { _, _ in .string(String(repeating: "x", count: 99)) }
    #expect(throws: SaveError.self) {
      try MigrationManager(from: try Self.old(), to: try Self.new(), mapping: long).migrate(path)
    }
    let cancelled = MigrationManager(from: try Self.old(), to: try Self.new(required: false), mapping: named)
    cancelled.batchSize = 4
    cancelled.progress = { if $0 > 0.6 { cancelled.cancel(Stop()) } }
    #expect(throws: Stop.self) { try cancelled.migrate(path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["people.sqlite"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test("AP12: the app's own metadata go along, and a copy is made first")
  func ap12Metadata() throws {
    try fill(3)
    let file = try StoreFile.open(path: path, model: try Self.old())
    try file.begin()
    var metadata = file.metadata
    metadata["seeded"] = metadata["NSStoreType"]
    try file.writeMetadata(metadata)
    try file.commit()
    try file.finish()
    var mapping = MappingModel.inferred(from: try Self.old(), to: try Self.new(required: false))
    mapping["PersonToPerson"]?.attributes["name"] = .source("first")
    try MigrationManager(from: try Self.old(), to: try Self.new(required: false), mapping: mapping)
      .migrate(path, backupPath: folder.file("before.sqlite"))
    #expect(try StoreMetadata.read(path: path)["seeded"] != nil)
    #expect(try StoreVerifier.verify(path: folder.file("before.sqlite"), model: try Self.old()).checkedRows == 3)
  }

  @Test("what an app has added to the file comes along where it fits, and the rest is named")
  func additions() throws {
    try fill(3)
    let app = try Connection(path: path, mode: .readWrite)
    for statement in [
      "CREATE TABLE app_log (t)", "CREATE TABLE achanges (t, CHECK (t <> \"never\"))",
      "INSERT INTO app_log (rowid, t) VALUES (5, 'a'), (9, x'00')", "CREATE INDEX app_log_t_index ON app_log (t)",
      "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, t, u AS (t || t))",
      "INSERT INTO counted (t) VALUES ('a'), ('b')", "DELETE FROM counted WHERE t = 'b'",
      "CREATE TABLE keyed (k TEXT PRIMARY KEY, t) WITHOUT ROWID", "INSERT INTO keyed VALUES ('k', 1)",
      "CREATE INDEX person_first ON ZPERSON (ZFIRST)", "CREATE VIEW firsts AS SELECT ZFIRST FROM ZPERSON",
      "CREATE TRIGGER person_log AFTER INSERT ON ZPERSON BEGIN INSERT INTO app_log VALUES (NEW.ZFIRST); END",
      "CREATE INDEX person_last ON ZPERSON (ZLAST)", "CREATE VIEW lasts AS SELECT ZLAST FROM ZPERSON",
      "CREATE TRIGGER person_last_log AFTER DELETE ON ZPERSON BEGIN INSERT INTO app_log VALUES (OLD.ZLAST); END",
      "ALTER TABLE ZPERSON ADD COLUMN mine", "CREATE TABLE refs (p REFERENCES ZPERSON (Z_PK))",
      "CREATE INDEX refs_p ON refs (p)", "CREATE VIRTUAL TABLE places USING rtree (id, a, b)",
      // A name that begins as Core Data's own do.
      "CREATE TABLE Z_APP (t)", "INSERT INTO Z_APP VALUES ('z')", "CREATE INDEX Z_APP_t ON Z_APP (t)",
    ] {
      try app.execute(statement)
    }
    try app.close()
    var draft = try Self.old().draft
    draft.entities[0].attributes.removeAll { $0.name == "last" }
    let new = try ManagedObjectModel(draft)
    let manager = MigrationManager(from: try Self.old(), to: new)
    try manager.migrate(path)
    #expect(manager.removed.map { "\($0.name) \($0.count ?? -1)" } == ["Person.last 3"])
    #expect(
      manager.lost.map { "\($0.kind.rawValue) \($0.name)" }.sorted() == [
        "column ZPERSON.MINE", "index person_last", "index refs_p", "table places", "table places_node",
        "table places_parent", "table places_rowid", "table refs", "trigger person_last_log", "view lasts",
      ])
    let after = try Connection(path: path, mode: .readWrite)
    let names = try after.text(
      "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND name GLOB '[a-z]*'"
        + " AND name <> 'sqlite_sequence' ORDER BY name)")
    #expect(
      names == "achanges,app_log,app_log_t_index,counted,firsts,keyed,lasts,person_first,person_log")
    #expect(try after.text("SELECT group_concat(rowid || hex(t), ' ') FROM app_log") == "561 900")
    #expect(try after.text("SELECT group_concat(id || t || u) FROM counted") == "1aaa")
    #expect(try after.integer("SELECT seq FROM sqlite_sequence WHERE name = 'counted'") == 2)
    #expect(try after.text("SELECT k || t FROM keyed") == "k1")
    #expect(try after.text("SELECT t FROM Z_APP INDEXED BY Z_APP_t WHERE t = 'z'") == "z")
    try after.close()
    let again = MigrationManager(from: new, to: new)
    try again.migrate(path)
    #expect(again.lost == [] && again.removed == [])
    #expect(try StoreVerifier.verify(path: path, model: new).isSound)
  }

  @Test("inferred mappings keep values whose type became wider, and refuse any other change of type")
  func changedTypes() throws {
    func model(_ type: AttributeType) throws -> ManagedObjectModel {
      try Models.model(Models.entity("Person", attributes: [Models.attribute("age", type)]))
    }
    let coordinator = PersistentStoreCoordinator(model: try model(.integer16))
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    try context.insert("Person").setValue(.integer(7), forKey: "age")
    try context.save()
    try coordinator.close()
    let wider = MigrationManager(from: try model(.integer16), to: try model(.integer64))
    try wider.migrate(path)
    #expect(wider.removed == [])
    let error = #expect(throws: MigrationError.self) {
      try MigrationManager(from: try model(.integer64), to: try model(.string)).migrate(path)
    }
    #expect(error?.code == .notInferable && error?.findings.map(\.code) == [.typeChange])
    let after = try Connection(path: path, mode: .readOnly)
    #expect(try after.text("SELECT group_concat(ZAGE) FROM ZPERSON") == "7")
  }

  @Test("a migration that fails takes its copy of the store back, so that the same call is made again")
  func copyTakenBack() throws {
    try fill(3)
    let copy = folder.file("before.sqlite")
    var mapping = try Self.mapping(SplitPolicy.Log())
    mapping["PersonToPerson"]?.attributes["name"] = .compute { _, _ in throw CancellationError() }
    let failing = MigrationManager(from: try Self.old(), to: try Self.new(), mapping: mapping)
    #expect(throws: CancellationError.self) { try failing.migrate(path, backupPath: copy) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["people.sqlite"])
    try MigrationManager(from: try Self.old(), to: try Self.new(), mapping: try Self.mapping(SplitPolicy.Log()))
      .migrate(path, backupPath: copy)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["before.sqlite", "people.sqlite"])
    #expect(try StoreVerifier.verify(path: copy, model: try Self.old()).checkedRows == 3)
  }

  @Test("AP12: a mapping between equal versions copies everything")
  func ap12Copy() throws {
    try fill(10)
    let model = try Self.old()
    let mapping = MappingModel.inferred(from: model, to: model)
    #expect(mapping.entityMappings.map(\.type) == [.copy])
    try MigrationManager(from: model, to: model, mapping: mapping).migrate(path)
    let report = try StoreVerifier.verify(path: path, model: model)
    #expect(report.isSound)
    #expect(report.checkedRows == 10)
  }
}
