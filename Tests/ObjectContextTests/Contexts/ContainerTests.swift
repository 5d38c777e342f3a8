import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Containers")
struct ContainerTests {
  private func container(_ folder: TemporaryFolder) async throws -> PersistentContainer {
    let container = PersistentContainer(model: try Models.works())
    let path = folder.file("works.sqlite")
    try await container.withCoordinator { coordinator throws(StoreError) in
      _ = try coordinator.addSQLiteStore(at: path)
    }
    return container
  }

  @Test("AP42: many tasks change one object through one container, and no change is lost")
  func ap42ManyTasks() async throws {
    let folder = TemporaryFolder()
    let container = try await container(folder)
    let context = container.newBackgroundContext()
    let id = try await context.perform { context in
      let desk = try context.insert("Desk")
      try desk.setValue(.integer(0), forKey: "number")
      try context.save()
      return desk.objectID
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await context.perform { context in
            let desk = try context.object(with: id)
            guard case .integer(let number) = try desk.value(forKey: "number") else { return }
            try desk.setValue(.integer(number + 1), forKey: "number")
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let seen = try await container.viewContext.perform { context in
      try context.object(with: id).value(forKey: "number")
    }
    #expect(seen == .integer(50))
    try await container.close()
  }

  @Test("AP42: performAndWait runs at once within the container's own work, and errors come out with their types")
  func ap42PerformAndWait() async throws {
    let folder = TemporaryFolder()
    let container = try await container(folder)
    let (view, background) = (container.viewContext, container.newBackgroundContext())
    let names = try await view.perform { context -> [String] in
      let skill = try context.insert("Skill")
      try skill.setValue(.string("a"), forKey: "title")
      try context.save()
      return try background.performAndWait { other throws(ObjectError) -> [String] in
        try other.fetch("Skill").map { skill throws(ObjectError) in "\(try skill.value(forKey: "title"))" }
      }
    }
    #expect(names.count == 1)
    let code = await #expect(throws: ObjectError.self) {
      try await view.perform { context throws(ObjectError) in _ = try context.insert("Nothing") }
    }
    #expect(code?.code == .unknownEntity)
    let count = try await container.performBackgroundTask { context throws(ObjectError) in try context.count("Skill") }
    #expect(count == 1)
  }

  @Test("AP43: a child saves into its parent on the container's thread; the store hears of it with the parent's save")
  func ap43Child() async throws {
    let folder = TemporaryFolder()
    let container = try await container(folder)
    let child = container.viewContext.newChild()
    try await child.perform { context in
      try context.insert("Skill").setValue(.string("a"), forKey: "title")
      try context.save()
    }
    #expect(try await container.viewContext.perform { context in try context.count("Skill") } == 1)
    #expect(try await container.performBackgroundTask { context in try context.count("Skill") } == 0)
    try await container.viewContext.perform { context in try context.save() }
    #expect(try await container.performBackgroundTask { context in try context.count("Skill") } == 1)
  }

  @Test("AP42: a context that is used outside of its container's thread stops the program")
  func ap42Misuse() async {
    await #expect(processExitsWith: .failure) {
      let folder = TemporaryFolder()
      let container = PersistentContainer(model: try Models.works())
      let path = folder.file("works.sqlite")
      try await container.withCoordinator { coordinator throws(StoreError) in
        _ = try coordinator.addSQLiteStore(at: path)
      }
      let leaked = Leak()
      await container.viewContext.perform { context in leaked.context = context }
      try leaked.context?.save()
    }
  }

  @Test("OL23: a thousand contexts are made in little time, and OL24: they share their coordinator")
  func ol23ManyContexts() throws {
    let place = try Workplace(try Models.works())
    var contexts: [ManagedObjectContext] = []
    let time = ProcessorTime.measure {
      contexts = (0..<1000).map { _ in ManagedObjectContext(coordinator: place.coordinator) }
    }
    #expect(contexts.allSatisfy { $0.coordinator === place.coordinator })
    // 10 µs each are usual; the bound is for machines that do something else meanwhile.
    #expect(time < .seconds(2))
  }
}

/// Takes a context where it must not be.
private final class Leak: @unchecked Sendable {
  var context: ManagedObjectContext?
}
