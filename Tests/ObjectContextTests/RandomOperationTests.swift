import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Random operations")
struct RandomOperationTests {
  /// The object layer and the plain values beside it.
  final class Pair {
    let place: Workplace
    var random: SeededGenerator
    var plain = PlainWorks()
    var saved = PlainWorks()
    var ids: [Int: ManagedObjectID] = [:]
    /// The objects whose IDs the next save replaces.
    var unsaved: [Int: ManagedObject] = [:]
    /// Some objects are held, others come and go.
    var held: [Int: ManagedObject] = [:]
    var next = 1

    let seed: UInt64
    /// The context of the operations: that of the place, or a descendant of it.
    var context: ManagedObjectContext
    /// How many contexts are between the operations and the store.
    let depth: Int

    init(seed: UInt64, depth: Int = 0, kind: StoreKind = .sqlite) throws {
      self.seed = seed
      self.depth = depth
      place = try Workplace(try Models.works(), kind: kind)
      context = place.context
      random = SeededGenerator(seed: seed)
      descend()
    }

    func descend() {
      context = place.context
      for _ in 0..<depth { context = ManagedObjectContext(parent: context) }
    }

    /// Saves up to the store.
    func saveAll() throws {
      try save()
      var next: ManagedObjectContext? = context.parent
      while let current = next {
        try current.save()
        next = current.parent
      }
      learnIDs()
    }

    func learnIDs() {
      for (number, object) in unsaved where object.isValid { ids[number] = object.objectID }
      unsaved = unsaved.filter { $1.isValid && $1.objectID.isTemporary }
    }

    func object(_ number: Int) throws -> ManagedObject {
      if let object = held[number], object.isValid { return object }
      let object = try context.object(with: try #require(ids[number]))
      if Bool.random(using: &random) { held[number] = object } else { held[number] = nil }
      return object
    }

    func pick(_ kind: String) -> Int? { plain.all(kind).randomElement(using: &random) }

    func step() throws {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<15: try insert()
      case 15..<20:
        guard let number = plain.kinds.keys.sorted().randomElement(using: &random) else { return }
        let victim = try object(number)
        try context.delete(victim)
        plain.delete(number)
      case 20..<25:
        guard let person = pick("Person") else { return }
        let name = "name \(Int.random(in: 0..<5, using: &random))"
        try object(person).setValue(.string(name), forKey: "name")
        plain.names[person] = name
      case 25..<50: try setToOne()
      case 50..<75: try addToMany()
      case 75..<85: try removeFromToMany()
      case 85..<92: try arrange()
      case 92..<96:
        try save()
        saved = plain
      case 96..<97:
        context.rollback()
        plain = saved
      case 97..<98:
        context.reset()
        plain = saved
        // What only the parents have has no other name yet.
        for (number, id) in ids where id.isTemporary && plain.kinds[number] != nil {
          unsaved[number] = try context.object(with: id)
        }
      case 98..<99: held.removeAll()
      default:
        try saveAll()
        saved = plain
        unsaved.removeAll()
        held.removeAll()
        try place.reopen()
        descend()
      }
    }

    func save() throws {
      try context.save()
      // Sometimes what is in the parents gets on.
      var next: ManagedObjectContext? = context.parent
      while let current = next, Bool.random(using: &random) {
        try current.save()
        next = current.parent
      }
      learnIDs()
    }

    func insert() throws {
      let kind = ["Company", "Person", "Person", "Person", "Desk", "Skill", "Memo"].randomElement(using: &random) ?? ""
      let object = try context.insert(kind)
      if kind == "Company" || kind == "Person" {
        try object.setValue(.string("new"), forKey: "name")
        plain.names[next] = "new"
      }
      if seed % 2 == 0 { try context.obtainPermanentIDs(for: [object]) }
      ids[next] = object.objectID
      if object.objectID.isTemporary { unsaved[next] = object }
      plain.kinds[next] = kind
      if Bool.random(using: &random) { held[next] = object }
      next += 1
    }

    func setToOne() throws {
      let keys = ["employer", "supplier", "spouse", "desk", "parent", "about", "owner"]
      let key = keys.randomElement(using: &random) ?? ""
      let from = key == "about" ? "Memo" : key == "owner" ? "Desk" : "Person"
      let to =
        switch key {
        case "employer", "supplier", "about": "Company"
        case "desk": "Desk"
        default: "Person"
        }
      guard let one = pick(from) else { return }
      let other = Int.random(in: 0..<4, using: &random) == 0 ? nil : pick(to)
      try object(one).setObject(try other.map { try object($0) }, forKey: key)
      switch key {
      case "employer": plain.employ(one, other)
      case "spouse": plain.marry(one, other)
      case "desk": plain.seat(one, other)
      case "owner":
        plain.desk = plain.desk.filter { $0.value != one }
        if let other { plain.seat(other, one) }
      default: plain.toOne[key]?[one] = other
      }
    }

    func toMany() -> (key: String, owner: Int, member: Int)? {
      let keys = ["staff", "clients", "children", "friends", "likes", "likedBy", "skills", "people", "memos"]
      let key = keys.randomElement(using: &random) ?? ""
      let from = key == "staff" || key == "clients" ? "Company" : key == "people" ? "Skill" : "Person"
      let to = key == "skills" ? "Skill" : key == "memos" ? "Memo" : "Person"
      guard let owner = pick(from), let member = pick(to) else { return nil }
      return (key, owner, member)
    }

    func addToMany() throws {
      guard let (key, owner, member) = toMany() else { return }
      try object(owner).add(try object(member), to: key)
      switch key {
      case "staff": plain.employ(member, owner)
      case "clients": plain.toOne["supplier"]?[member] = owner
      case "children": plain.toOne["parent"]?[member] = owner
      case "memos": plain.toOne["memoOwner"]?[member] = owner
      case "friends": plain.friends.formUnion([[owner, member], [member, owner]])
      case "likes": plain.likes.insert([owner, member])
      case "likedBy": plain.likes.insert([member, owner])
      case "skills": plain.teach(owner, member)
      default: plain.teach(member, owner)
      }
    }

    func removeFromToMany() throws {
      guard let (key, owner, _) = toMany(), let member = plain.partners(owner, key).randomElement(using: &random)
      else { return }
      #expect(try object(owner).remove(try object(member), from: key))
      switch key {
      case "staff": plain.employ(member, nil)
      case "clients": plain.toOne["supplier"]?[member] = nil
      case "children": plain.toOne["parent"]?[member] = nil
      case "memos": plain.toOne["memoOwner"]?[member] = nil
      case "friends": plain.friends.subtract([[owner, member], [member, owner]])
      case "likes": plain.likes.remove([owner, member])
      case "likedBy": plain.likes.remove([member, owner])
      case "skills": plain.unteach(owner, member)
      default: plain.unteach(member, owner)
      }
    }

    func arrange() throws {
      let key = ["staff", "skills", "people"].randomElement(using: &random) ?? ""
      let (from, to) =
        key == "staff" ? ("Company", "Person") : key == "skills" ? ("Person", "Skill") : ("Skill", "Person")
      guard let owner = pick(from), let member = pick(to) else { return }
      let index = Int.random(in: 0..<5, using: &random)
      try object(owner).insert(try object(member), into: key, at: index)
      switch key {
      case "staff":
        plain.employ(member, owner)
        PlainWorks.move(member, to: index, in: &plain.staff[owner, default: []])
      case "skills":
        plain.teach(owner, member)
        PlainWorks.move(member, to: index, in: &plain.skills[owner, default: []])
      default:
        plain.teach(member, owner)
        PlainWorks.move(member, to: index, in: &plain.people[owner, default: []])
      }
    }

    /// Compares everything that can be asked.
    func compare(_ comment: Comment) throws {
      let numbers = Dictionary(
        uniqueKeysWithValues: plain.kinds.keys.map { (ids[$0]?.primaryKey, $0) }.map { key, number in
          ("\(plain.kinds[number] ?? "") \(key ?? 0)", number)
        })
      func number(_ object: ManagedObject) -> Int {
        numbers["\(object.entity.name) \(object.objectID.primaryKey)"] ?? -1
      }
      for kind in PlainWorks.relationships.keys.sorted() {
        let objects = try context.fetchAll(kind)
        #expect(objects.map(number) == plain.all(kind), comment)
        for object in objects {
          let own = number(object)
          if let name = plain.names[own] { #expect(try object.value(forKey: "name") == .string(name), comment) }
          for key in PlainWorks.relationships[kind] ?? [] {
            let isToMany = try #require(object.entity.relationship(named: key)).isToMany
            let others = isToMany ? try object.objects(forKey: key) : try [object.object(forKey: key)].compactMap { $0 }
            #expect(others.map(number) == plain.partners(own, key), "\(comment) \(kind) \(own) \(key)")
          }
        }
      }
    }
  }

  @Test(
    "agree with plain values, before and after saves, and leave a sound store", arguments: Soak.seeds(20, from: 1)
  )
  func agree(seed: UInt64) throws { try agree(try Pair(seed: seed)) }

  @Test(
    "AP43: agree in a child and in a grandchild of the context that saves to the store",
    arguments: Soak.seeds(8, from: 1))
  func ap43Children(seed: UInt64) throws { try agree(try Pair(seed: seed, depth: seed % 3 == 0 ? 2 : 1)) }

  @Test(
    "AP50: agree with plain values in stores of every type", arguments: StoreKind.allCases.filter { $0 != .sqlite },
    Soak.seeds(3, from: 101))
  func ap50(kind: StoreKind, seed: UInt64) throws { try agree(try Pair(seed: seed, kind: kind)) }

  private func agree(_ pair: Pair) throws {
    let seed = pair.seed
    for step in 0..<400 {
      try pair.step()
      if step % 25 == 24 { try pair.compare("seed \(seed), step \(step):") }
    }
    try pair.saveAll()
    try pair.compare("seed \(seed), saved:")
    pair.held.removeAll()
    pair.unsaved.removeAll()
    try pair.place.reopen()
    pair.descend()
    try pair.compare("seed \(seed), opened again:")
    try pair.place.verify()
  }
}
