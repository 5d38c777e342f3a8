import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Default data, installed once")
struct DefaultDataTests {
  private let folder = TemporaryFolder()
  private let data = DefaultData(identity: "skills-1")
  private var path: String { folder.file("store.sqlite") }
  private var prepared: String { folder.file("prepared.sqlite") }

  private struct Failure: Error {}

  /// Makes two skills.
  private static func fill(_ context: ManagedObjectContext) throws {
    for title in ["reading", "writing"] { try context.insert("Skill").setValue(.string(title), forKey: "title") }
  }

  private func skills(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .immutable)
    let select = try connection.prepare("SELECT ZTITLE FROM ZSKILL ORDER BY Z_PK")
    var titles: [String] = []
    while try select.step() { titles.append(select.text(0)) }
    return titles
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  // MARK: Way 1

  @Test("IM16: where there is no store, the prepared one is copied byte for byte")
  func im16File() throws {
    try data.installIfNeeded(at: prepared, model: try Models.works(), fill: Self.fill)
    #expect(try data.installIfNeeded(at: path, copyOf: prepared) == .created)
    #expect(try bytes(path) == bytes(prepared))
    #expect(try data.installIfNeeded(at: path, copyOf: prepared) == .nothing)
    #expect(try names() == ["prepared.sqlite", "store.sqlite"])
  }

  @Test("IM16: where there is a store without the data, the prepared objects are copied into it, once")
  func im16Objects() throws {
    let model = try Models.works()
    try data.installIfNeeded(at: prepared, model: model) { context in
      try Self.fill(context)
      let people = try ["Ada", "Bob"].map { name in
        let person = try context.insert("Boss")
        try person.setValue(.string(name), forKey: "name")
        return person
      }
      let skill = try #require(try context.fetchAll("Skill").first)
      for person in people.reversed() { try person.insert(skill, into: "skills", at: 0) }
      try people[0].setObject(people[1], forKey: "spouse")
    }
    try DefaultData(identity: "older").installIfNeeded(at: path, model: model) { context in
      try context.insert("Skill").setValue(.string("mine"), forKey: "title")
      try context.insert("Person").setValue(.string("Me"), forKey: "name")
    }
    let uuid = try StoreMetadata.read(path: path).uuid
    #expect(try data.installIfNeeded(at: path, copyOf: prepared) == .added)
    #expect(try data.installIfNeeded(at: path, copyOf: prepared) == .nothing)
    #expect(try skills(path) == ["mine", "reading", "writing"])
    #expect(try StoreMetadata.read(path: path).seeds.map(\.identity) == ["older", "skills-1"])
    #expect(try StoreMetadata.read(path: path).uuid == uuid)
    #expect(try StoreVerifier.verify(path: path, model: model).isSound)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: path)
    let context = ManagedObjectContext(coordinator: coordinator)
    let ada = try #require(try context.fetchAll("Boss").first { try $0.value(forKey: "name") == .string("Ada") })
    #expect(try ada.object(forKey: "spouse")?.value(forKey: "name") == .string("Bob"))
    let skill = try #require(try ada.objects(forKey: "skills").first)
    #expect(try skill.objects(forKey: "people").names() == ["Bob", "Ada"])
    try coordinator.close()
  }

  @Test("IM16: a prepared store without the mark is not taken, and nothing is made")
  func im16Unmarked() throws {
    try StoreFile.create(path: prepared, model: try Models.works()).finish()
    let error = #expect(throws: DefaultDataError.self) { try data.installIfNeeded(at: path, copyOf: prepared) }
    guard case .store(let cause)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(cause.code == .notFound)
    #expect(cause.path == prepared)
    #expect(try names() == ["prepared.sqlite"])
  }

  // MARK: Way 2

  @Test("IM17: code makes the objects of a new store, saved or not when it returns")
  func im17Code() throws {
    let outcome = try data.installIfNeeded(at: path, model: try Models.works()) { context in
      try Self.fill(context)
      try context.save()
      try context.insert("Skill").setValue(.string("arithmetic"), forKey: "title")
    }
    #expect(outcome == .created)
    #expect(try skills(path) == ["reading", "writing", "arithmetic"])
    #expect(try StoreVerifier.verify(path: path, model: try Models.works()).isSound)
  }

  @Test(
    "IM17: what fails leaves no store, and the cause is told apart", arguments: ["code", "validation", "constraint"])
  func im17Failures(_ kind: String) throws {
    let error = #expect(throws: DefaultDataError.self) {
      try data.installIfNeeded(at: path, model: try Models.works()) { context in
        try Self.fill(context)
        switch kind {
        case "code": throw Failure()
        // A name is mandatory.
        case "validation": _ = try context.insert("Person")
        default:
          for _ in 0..<2 { try context.insert("Desk").setValue(.integer(1), forKey: "number") }
        }
      }
    }
    switch (kind, error) {
    case ("code", .fill(let cause)?): #expect(cause is Failure)
    case ("validation", .save(let cause)?): #expect(cause.code == .validation)
    case ("constraint", .store(let cause)?): #expect(cause.cause?.kind.isConstraint == true)
    default: #expect(Bool(false), "\(kind): \(String(describing: error))")
    }
    #expect(try names() == [])
  }

  // MARK: Once

  @Test("IM19: a second run does nothing at all, whatever became of the data")
  func im19SecondRun() throws {
    let model = try Models.works()
    #expect(try data.state(ofStore: path) == .noStore)
    #expect(try data.installIfNeeded(at: path, model: model, fill: Self.fill) == .created)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("DELETE FROM ZSKILL")
    try connection.close()
    let before = try bytes(path)
    let again = try data.installIfNeeded(at: path, model: model) { _ in throw Failure() }
    #expect(again == .nothing)
    #expect(try bytes(path) == before)
    #expect(try data.state(ofStore: path) == .installed(StoreSeed(identity: "skills-1")))
    // Other data are other data.
    #expect(try DefaultData(identity: "skills-2").installIfNeeded(at: path, model: model, fill: Self.fill) == .added)
    #expect(try skills(path) == ["reading", "writing"])
  }

  @Test("IM19: of two processes that install at the same time, the second one does nothing")
  func im19Race() throws {
    let model = try Models.works()
    try data.installIfNeeded(at: prepared, model: model, fill: Self.fill)
    let outcome = try data.installIfNeeded(at: path, model: model) { context in
      try context.insert("Skill").setValue(.string("late"), forKey: "title")
      try StoreCopy.copy(prepared, to: path)
    }
    #expect(outcome == .nothing)
    #expect(try bytes(path) == bytes(prepared))
    #expect(try names() == ["prepared.sqlite", "store.sqlite"])
  }

  @Test("IM20: a new document gets the data; one that is there never does, marked or not")
  func im20Document() throws {
    let model = try Models.works()
    #expect(try data.installInNewDocument(at: path, model: model, fill: Self.fill) == .created)
    #expect(try skills(path) == ["reading", "writing"])
    let old = folder.file("old.sqlite")
    try StoreFile.create(path: old, model: model).finish()
    let before = try bytes(old)
    for document in [path, old] {
      let outcome = try data.installInNewDocument(at: document, model: model) { _ in throw Failure() }
      #expect(outcome == .nothing)
    }
    #expect(try bytes(old) == before)
    #expect(throws: DefaultDataError.self) {
      try data.installInNewDocument(at: folder.file("failed.sqlite"), model: model) { _ in throw Failure() }
    }
    #expect(try names() == ["old.sqlite", "store.sqlite"])
  }

  @Test("IM21: a store that was created and not filled gets the data the next time")
  func im21Unfilled() throws {
    let model = try Models.works()
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: path)
    try coordinator.close()
    #expect(try data.state(ofStore: path) == .notInstalled)
    let before = try bytes(path)
    #expect(throws: DefaultDataError.self) {
      try data.installIfNeeded(at: path, model: model) { context in
        try Self.fill(context)
        try context.save()
        throw Failure()
      }
    }
    #expect(try bytes(path) == before)
    #expect(try data.installIfNeeded(at: path, model: model, fill: Self.fill) == .added)
    #expect(try skills(path) == ["reading", "writing"])
    #expect(try data.installIfNeeded(at: path, model: model, fill: Self.fill) == .nothing)
  }

  @Test(
    "IM21: killed after saving and before the mark, the next run starts from what was there", arguments: [true, false])
  func im21Killed(_ exists: Bool) async throws {
    if exists { try StoreFile.create(path: path, model: try Models.works()).finish() }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      try DefaultData(identity: "skills-1").installIfNeeded(at: path, model: try Models.works()) { context in
        for number in 0..<2000 {
          try context.insert("Skill").setValue(.string("skill \(number)"), forKey: "title")
          if number % 500 == 0 { try context.save() }
        }
        try context.save()
        kill(getpid(), SIGKILL)
      }
    }
    #expect(try data.state(ofStore: path) == (exists ? .notInstalled : .noStore))
    #expect(
      try data.installIfNeeded(at: path, model: try Models.works(), fill: Self.fill) == (exists ? .added : .created))
    #expect(try skills(path) == ["reading", "writing"])
    #expect(try StoreVerifier.verify(path: path, model: try Models.works()).isSound)
    #expect(try names() == ["store.sqlite"])
  }

  @Test("IM22: the mark is read without a model and without a statement on an entity's table")
  func im22Cheap() throws {
    try data.installIfNeeded(at: path, model: try Models.works(), fill: Self.fill)
    let connection = try Connection(path: path, mode: .readOnly)
    var statements: [String] = []
    connection.trace { statements.append($0) }
    #expect(try StoreMetadata.read(connection).hasSeed("skills-1"))
    connection.trace(nil)
    #expect(statements.count == 2)
    for statement in statements {
      #expect(statement.contains("FROM sqlite_master") || statement.contains("FROM Z_METADATA"), "\(statement)")
    }
    // Without the tables of entities it is read all the same.
    let bare = try Connection(path: folder.file("bare.sqlite"), mode: .create)
    try bare.execute("ATTACH '\(path)' AS store; CREATE TABLE Z_METADATA AS SELECT * FROM store.Z_METADATA")
    try bare.execute("CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER)")
    try bare.close()
    #expect(try data.state(ofStore: folder.file("bare.sqlite")) == .installed(StoreSeed(identity: "skills-1")))
  }
}
