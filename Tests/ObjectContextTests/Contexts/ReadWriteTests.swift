import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization
import MergewalkTestSupport
import Testing

/// Reads beside each other and beside one writer, as servers have them.
@Suite("Readers and a writer")
struct ReadWriteTests {
  private let folder = TemporaryFolder()

  private func container(readers: Int = 2, desks: Int = 0) async throws -> PersistentContainer {
    let container = try await PersistentContainer.open(
      try Models.works(), at: folder.file("works.sqlite"), readers: readers)
    try await container.write { context in
      for number in 0..<desks { try context.insert("Desk").setValue(.integer(Int64(number)), forKey: "number") }
    }
    return container
  }

  @Test("a write is saved at its end and seen by the next read; IDs come out, and lead to the object there")
  func writeAndRead() async throws {
    let container = try await container()
    let id = try await container.write { context in
      let desk = try context.insert("Desk")
      try desk.setValue(.integer(7), forKey: "number")
      try context.save()
      try desk.setValue(.integer(8), forKey: "number")
      return desk.objectID
    }
    #expect(try await container.read { context in try context.object(with: id).value(forKey: "number") } == .integer(8))
    #expect(try await container.read { context in try context.count("Desk") } == 1)
    try await container.close()
    #expect(try StoreVerifier.verify(path: folder.file("works.sqlite"), model: Models.works()).findings.isEmpty)
  }

  @Test("reads run at the same time: each of two waits for what the other one does, one of them with its thread")
  func parallel() async throws {
    let container = try await container(desks: 3)
    let (first, second) = (Signal(), Signal())
    async let one = container.read { context in
      let count = try context.count("Desk")
      first.set()
      second.waitForThread()
      return count
    }
    async let other = container.read { context in
      await first.wait()
      second.set()
      return try context.count("Desk")
    }
    #expect(try await [one, other] == [3, 3])
  }

  @Test("a read sees one moment, whatever is written while its body waits; what it did not read is of that moment too")
  func snapshot() async throws {
    let container = try await container(desks: 1)
    let counts = try await container.read { context in
      let before = try context.count("Desk")
      try await container.write { writer in _ = try writer.insert("Skill") }
      try await container.write { writer in try writer.insert("Desk").setValue(.integer(5), forKey: "number") }
      return [before, try context.count("Desk"), try context.count("Skill")]
    }
    #expect(counts == [1, 1, 0])
    #expect(try await container.read { context in try context.count("Desk") } == 2)
  }

  @Test("what a read changes cannot be saved")
  func readOnly() async throws {
    let container = try await container()
    let code = try await container.read { context -> SaveError.Code? in
      _ = try context.insert("Skill")
      return saveError { try context.save() }?.code
    }
    #expect(code == .readOnly)
    #expect(try await container.read { context in try context.count("Skill") } == 0)
  }

  @Test("errors of a body come out with their types, and a body that throws is not saved")
  func errors() async throws {
    let container = try await container()
    do {
      try await container.read { context throws(ObjectError) in _ = try context.fetch("Nothing") }
      Issue.record("an entity that is not there was fetched")
    } catch {
      let found: ObjectError = error
      #expect(found.code == .unknownEntity)
    }
    do {
      try await container.write { context async throws(ShopError) in
        _ = try? context.insert("Skill")
        throw ShopError.closed
      }
      Issue.record("the error was lost")
    } catch {
      let found: ShopError = error
      #expect(found == .closed)
    }
    #expect(try await container.read { context in try context.count("Skill") } == 0)
  }

  @Test("a save that fails at the end of a write is the write's error, as a typed one too")
  func failingSave() async throws {
    let container = try await container()
    let untyped = await #expect(throws: SaveError.self) {
      try await container.write { context in _ = try context.insert("Person") }
    }
    #expect(untyped?.code == .validation)
    do {
      try await container.write { context throws(ShopError) in _ = try? context.insert("Person") }
      Issue.record("a person without a name was saved")
    } catch {
      #expect(error == .notSaved(.validation))
    }
    #expect(try await container.read { context in try context.count("Person") } == 0)
  }

  @Test("writes come one after the other though their bodies wait, so nothing that one has read changes under it")
  func writesInTurn() async throws {
    let container = try await container(desks: 1)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await container.write { context in try await Self.countUp(context) } }
      }
      try await group.waitForAll()
    }
    #expect(try await container.read(Self.number) == .integer(20))
  }

  @Test("tasks that a write started and that go on when it is over write in turns of their own")
  func turnsOfStartedTasks() async throws {
    let container = try await container(desks: 1)
    let isOver = Signal()
    let tasks = try await container.write { _ in
      (0..<20).map { _ in
        Task {
          await isOver.wait()
          try await container.write { context in try await Self.countUp(context) }
        }
      }
    }
    isOver.set()
    for task in tasks { try await task.value }
    #expect(try await container.read(Self.number) == .integer(20))
  }

  @Test("a write within a write of another container waits for its turn there")
  func turnsOfContainers() async throws {
    let container = try await container(desks: 1)
    let other = try await PersistentContainer.open(try Models.works(), at: folder.file("other.sqlite"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await container.write { context in try await Self.countUp(context) } }
        group.addTask {
          try await other.write { _ in try await container.write { context in try await Self.countUp(context) } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await container.read(Self.number) == .integer(40))
  }

  /// Adds one to the number of the only desk, and lets others run between reading and writing.
  @Sendable private static func countUp(_ context: ManagedObjectContext) async throws {
    let desk = try #require(try context.fetch("Desk").first)
    guard case .integer(let number) = try desk.value(forKey: "number") else { return }
    await Task.yield()
    try desk.setValue(.integer(number + 1), forKey: "number")
  }

  /// The number of the only desk.
  @Sendable private static func number(_ context: ManagedObjectContext) async throws -> AttributeValue? {
    try context.fetch("Desk").first?.value(forKey: "number")
  }

  @Test("a read within a read and a write within a write do not wait for the outer one, with one reader")
  func nested() async throws {
    let container = try await container(readers: 1, desks: 2)
    let count = try await container.read { outer in
      let inner = try await container.read { context in try context.count("Desk") }
      return try outer.count("Desk") + inner
    }
    #expect(count == 4)
    try await container.write { outer in
      _ = try outer.insert("Skill")
      try await container.write { inner in _ = try inner.insert("Skill") }
    }
    #expect(try await container.read { context in try context.count("Skill") } == 2)
  }

  @Test("readers have the classes that the coordinator has, also those that it was given later")
  func classes() async throws {
    let container = try await container()
    try await container.write { context in _ = try context.insert("Skill") }
    #expect(try await container.read { context in try context.fetch("Skill").first is ReaderSkill } == false)
    try await container.withCoordinator { coordinator in try coordinator.setClass(ReaderSkill.self, forEntity: "Skill")
    }
    #expect(try await container.read { context in try context.fetch("Skill").first is ReaderSkill })
  }

  @Test("stores that one connection alone can read are read all the same", arguments: [StoreKind.inMemory, .xml])
  func otherStores(kind: StoreKind) async throws {
    let container = PersistentContainer(model: try Models.works())
    let path = folder.file("works.store")
    try await container.withCoordinator { coordinator in _ = try coordinator.addStore(type: kind.type, at: path) }
    try await container.write { context in _ = try context.insert("Skill") }
    let count = try await container.read { context in
      let inner = try await container.read { context in try context.count("Skill") }
      return try context.count("Skill") + inner
    }
    #expect(count == 2)
  }

  @Test("stores that come later are read, and a closed container says so")
  func storesChange() async throws {
    let container = PersistentContainer(model: try Models.works())
    let before = await #expect(throws: ObjectError.self) {
      try await container.read { context throws(ObjectError) in _ = try context.insert("Skill") }
    }
    #expect(before?.code == .closed)
    let path = folder.file("works.sqlite")
    try await container.withCoordinator { coordinator in _ = try coordinator.addSQLiteStore(at: path) }
    #expect(try await container.read { context in try context.count("Skill") } == 0)
    try await container.close()
    let after = await #expect(throws: ObjectError.self) {
      try await container.read { context throws(ObjectError) in _ = try context.count("Skill") }
    }
    #expect(after?.code == .closed)
  }

  @Test("a stream gives a value for each object in order, of one moment, while its reader's container reads and writes")
  func stream() async throws {
    let container = try await container(readers: 1, desks: 25)
    var numbers: [AttributeValue] = []
    let request = FetchRequest("Desk", sortedBy: [ObjectSortDescriptor("number")])
    let stream = container.stream(request, portion: 10) { desk throws(ObjectError) in try desk.value(forKey: "number") }
    for try await number in stream {
      if numbers.isEmpty {
        try await container.write { context in
          try context.insert("Desk").setValue(.integer(100), forKey: "number")
          for desk in try context.fetch("Desk", where: ["number": .integer(20)]) { try context.delete(desk) }
        }
        #expect(try await container.read { context in try context.count("Desk") } == 25)
      }
      numbers.append(number)
    }
    #expect(numbers == (0..<25).map { .integer($0) })
    var again = 0
    for try await _ in stream { again += 1 }
    #expect(again == 25)
    var ids: [ManagedObjectID] = []
    for try await id in container.stream(request) {
      ids.append(id)
      if ids.count == 3 { break }
    }
    #expect(ids.count == 3)
  }

  @Test("a cancelled task's SELECT stops, in a read and in a stream, and the reader is as good as before")
  func cancellation() async throws {
    let container = try await container(readers: 1, desks: 2000)
    let started = Signal()
    let task = Task {
      try await container.read { context in
        started.set()
        // No index helps: each looks at 2,000 rows.
        let request = FetchRequest("Desk", where: Key("number") * 2 == -1)
        while true { _ = try context.fetch(request) }
      }
    }
    await started.wait()
    task.cancel()
    let error = await #expect(throws: ObjectError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(try await container.read { context in try context.count("Desk") } == 2000)
    let streaming = Task {
      var count = 0
      for try await _ in container.stream(FetchRequest("Desk"), portion: 10) {
        count += 1
        if count == 15 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return count
    }
    let second = await #expect(throws: ObjectError.self) { try await streaming.value }
    #expect(second?.code == .cancelled)
    #expect(try await container.read { context in try context.count("Desk") } == 2000)
  }
}

/// What a program's own body throws.
private enum ShopError: WriteFailure, Equatable {
  case closed
  case notSaved(SaveError.Code)

  init(_ error: SaveError) { self = .notSaved(error.code) }
}

private final class ReaderSkill: ManagedObject {}

/// Something that happens once, for tasks and threads to wait for.
private final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  func set() {
    let waiting = state.withLock { state in
      state.isSet = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        if !state.isSet { state.waiting.append(continuation) }
        return state.isSet
      }
      if isSet { continuation.resume() }
    }
  }

  /// Waits without letting go of the thread.
  func waitForThread() { while !state.withLock({ $0.isSet }) {} }
}
