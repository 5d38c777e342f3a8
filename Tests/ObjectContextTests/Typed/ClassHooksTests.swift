import MergewalkObjectModel
import Testing

@testable import MergewalkObjectContext

@Suite("Overridden methods")
struct ClassHooksTests {
  @Test("what a class overrides is found, also what a class above it does")
  func overrides() {
    #expect(ClassHooks(of: ManagedObject.self) == [])
    #expect(ClassHooks(of: Project.self) == [])
    #expect(ClassHooks(of: Ticket.self) == [])
    #expect(ClassHooks(of: Animal.self) == [])
    #expect(ClassHooks(of: Accessed.self) == .access)
    #expect(ClassHooks(of: Changed.self) == .change)
    #expect(ClassHooks(of: Saved.self) == .lifeCycle)
    #expect(ClassHooks(of: Below.self) == [.lifeCycle, .access])
    #expect(ClassHooks(of: WithVariables.self) == [])
  }

  @Test("a read of a class that overrides nothing calls nothing; one that does is called once")
  func calls() throws {
    let place = try Tracker.place()
    try place.coordinator.setClass(Accessed.self, forEntity: "Label")
    let label = try #require(try place.anotherContext().fetch("Label").first as? Accessed)
    #expect(try label.value(forKey: "name") == .string("bug"))
    #expect(label.count == 1)
    let name: String = label.get(PropertySlot("name"))
    #expect(name == "bug" && label.count == 2)
  }

  @Test("a slot serves entities of several models, each with its own place")
  func slots() throws {
    let slot = PropertySlot("name")
    let (first, second) = (try Tracker.place(), try Workplace(try Models.works()))
    let person = try second.context.insert("Person")
    try person.setValue(.string("Ada"), forKey: "name")
    for _ in 0..<2 {
      #expect(try first.context.fetch("Label").map { $0.get(slot) as String } == ["bug"])
      #expect(person.get(slot) == "Ada")
      #expect(try first.context.fetch("Project").map { $0.get(slot) as String? }.count == 2)
    }
    person.set(slot, "Eve")
    #expect(try person.value(forKey: "name") == .string("Eve"))
  }
}

private final class Accessed: ManagedObject {
  var count = 0
  override func willAccessValue(forKey key: String?) {
    count += 1
    super.willAccessValue(forKey: key)
  }
}

private final class Changed: ManagedObject {
  override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
}

private class Saved: ManagedObject {
  override func willSave() {}
}

private final class Below: Saved {
  override func didAccessValue(forKey key: String?) {}
}

private final class WithVariables: ManagedObject {
  var name = "x"
  var list: [Int] = []
  func own() -> Int { list.count }
}
