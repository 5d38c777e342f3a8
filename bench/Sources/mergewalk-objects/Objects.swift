import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Inserts, reads and changes objects one by one, as an application does it, and returns one line of JSON.
///
/// - Parameters:
///   - store: The path of the new store.
///   - count: How many objects there are.
func objectsBenchmark(store: String, count: Int) throws -> String {
  var draft = ModelDraft()
  var person = EntityDraft(name: "Person")
  person.attributes = [
    AttributeDescription(name: "name", type: .string), AttributeDescription(name: "age", type: .integer32),
    AttributeDescription(name: "height", type: .double),
  ]
  var team = RelationshipDescription(name: "team", destinationEntityName: "Team")
  (team.isOptional, team.inverseName, team.inverseEntityName) = (true, "members", "Team")
  person.relationships = [team]
  var group = EntityDraft(name: "Team")
  group.attributes = [AttributeDescription(name: "name", type: .string)]
  var members = RelationshipDescription(name: "members", destinationEntityName: "Person")
  (members.isOptional, members.isToMany, members.maxCount) = (true, true, 0)
  (members.inverseName, members.inverseEntityName) = ("team", "Person")
  group.relationships = [members]
  draft.entities = [person, group]
  let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(draft))
  try coordinator.addSQLiteStore(at: store)

  let clock = ContinuousClock()
  var results: [String] = []
  func time(_ name: String, _ body: () throws -> Int) rethrows {
    let start = clock.now
    let rows = try body()
    let parts = (clock.now - start).components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    results.append("\"\(name)\": {\"seconds\": \(seconds), \"rows\": \(rows)}")
  }
  let before = residentBytes()
  var held: [ManagedObject] = []
  var bytes = 0
  try withExtendedLifetime(ManagedObjectContext(coordinator: coordinator)) { context in
    try time("insert") {
      let team = try context.insert("Team")
      try team.setValue(.string("team"), forKey: "name")
      for i in 0..<count {
        let person = try context.insert("Person")
        try person.setValue(.string("Person \(i)"), forKey: "name")
        try person.setValue(.integer(Int64(i % 100)), forKey: "age")
        try person.setValue(.double(1.5), forKey: "height")
        try person.setObject(team, forKey: "team")
        held.append(person)
      }
      bytes = residentBytes() - before
      try context.save()
      return count
    }
    held.removeAll()
  }
  let context = ManagedObjectContext(coordinator: coordinator)
  var people: FetchedObjects?
  try time("read") {
    let found = try context.fetch(FetchRequest("Person"))
    var sum = 0.0
    for person in found {
      if case .integer(let age) = try person.value(forKey: "age") { sum += Double(age) }
      if case .double(let height) = try person.value(forKey: "height") { sum += height }
      if case .string(let name) = try person.value(forKey: "name") { sum += Double(name.utf8.count) }
    }
    precondition(sum > 0)
    people = found
    return found.count
  }
  // The same by a class with generated accessors.
  let typed = ManagedObjectContext(coordinator: coordinator)
  try coordinator.setClass(Person.self, forEntity: "Person")
  try time("typed_read") {
    let found = try typed.fetch(TypedFetchRequest<Person>("Person"))
    var sum = 0.0
    for person in found { sum += Double(person.age) + person.height + Double(person.name.utf8.count) }
    precondition(sum > 0)
    return found.count
  }
  try time("change") {
    guard let people else { return 0 }
    for person in people {
      guard case .integer(let age) = try person.value(forKey: "age") else { continue }
      try person.setValue(.integer(age + 1), forKey: "age")
    }
    try context.save()
    return people.count
  }
  let changing = ManagedObjectContext(coordinator: coordinator)
  let typedPeople = Array(try changing.fetch(TypedFetchRequest<Person>("Person")))
  precondition(typedPeople.reduce(0) { $0 + Int($1.age) } > 0)
  try time("typed_change") {
    for person in typedPeople { person.age += 1 }
    try changing.save()
    return typedPeople.count
  }
  let other = ManagedObjectContext(coordinator: coordinator)
  let owner = try other.fetch(FetchRequest("Team"))[0]
  try time("members") { try owner.objects(forKey: "members").count }
  try coordinator.setClass(Team.self, forEntity: "Team")
  let another = ManagedObjectContext(coordinator: coordinator)
  let typedOwner = try another.fetch(TypedFetchRequest<Team>("Team"))[0]
  time("typed_members") {
    typedOwner.members.count
  }
  try withExtendedLifetime(ManagedObjectContext(coordinator: coordinator)) { context in
    try time("typed_insert") {
      let team = try context.insert(Team.self)
      team.name = "another"
      for i in 0..<count {
        let person = try context.insert(Person.self)
        person.name = "Person \(i)"
        person.age = Int32(i % 100)
        person.height = 1.5
        person.team = team
        held.append(person)
      }
      try context.save()
      return count
    }
    held.removeAll()
  }
  time("contexts") { (0..<1000).map { _ in ManagedObjectContext(coordinator: coordinator) }.count }
  results.append("\"bytes_per_object\": \(bytes / count)")
  return "{\(results.joined(separator: ", "))}"
}

/// Classes as code generation writes them.
final class Person: ManagedObject {
  private enum Slots {
    static let name = PropertySlot("name")
    static let age = PropertySlot("age")
    static let height = PropertySlot("height")
    static let team = PropertySlot("team")
  }
  var name: String {
    get { self.get(Slots.name) }
    set { self.set(Slots.name, newValue) }
  }
  var age: Int32 {
    get { self.get(Slots.age) }
    set { self.set(Slots.age, newValue) }
  }
  var height: Double {
    get { self.get(Slots.height) }
    set { self.set(Slots.height, newValue) }
  }
  var team: Team? {
    get { related(Slots.team) }
    set { setRelated(Slots.team, newValue) }
  }
}

final class Team: ManagedObject {
  private enum Slots {
    static let name = PropertySlot("name")
    static let members = PropertySlot("members")
  }
  var name: String {
    get { self.get(Slots.name) }
    set { self.set(Slots.name, newValue) }
  }
  var members: RelatedObjects<Person> { self.relatedObjects(Slots.members) }
}
