import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// A context with undo, its child, which has undo too, and a context of somebody else, all of them at ordered
/// relationships of the same objects: saves, merges, refreshes, undo and redo in any order.
@Suite("Random families of contexts at ordered relationships")
struct RandomFamilyTests {
  final class Family {
    let place: Workplace
    let child: ManagedObjectContext
    let other: ManagedObjectContext
    var random: SeededGenerator
    var log: [String] = []
    private var tokens: [ObservationToken] = []
    private var number = 0
    var contexts: [ManagedObjectContext] { [place.context, child, other] }

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      place = try Workplace(try Models.works())
      let context = place.context
      child = ManagedObjectContext(parent: context)
      other = place.anotherContext()
      context.undoManager = UndoManager()
      child.undoManager = UndoManager()
      let policies: [MergePolicy.Kind] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
      ]
      for one in [context, other] {
        one.mergePolicy = MergePolicy(policies.randomElement(using: &random) ?? .overwrite)
      }
      child.automaticallyMergesChangesFromParent = Bool.random(using: &random)
      for (source, target) in [(context, other), (other, context)] where Bool.random(using: &random) {
        tokens.append(
          source.observe(.didSave) { event in
            #expect(throws: Never.self) { try target.mergeChanges(from: event) }
          })
      }
      for kind in ["Company", "Company", "Person", "Person", "Boss", "Person", "Skill", "Skill", "Skill"] {
        try insert(kind, in: context)
      }
      try context.save()
    }

    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    func insert(_ kind: String, in context: ManagedObjectContext) throws {
      number += 1
      let key = kind == "Skill" ? "title" : kind == "Memo" ? "text" : "name"
      try context.insert(kind).setValue(.string("\(kind) \(number)"), forKey: key)
    }

    private func pick(_ kind: String, in context: ManagedObjectContext) throws -> ManagedObject? {
      try context.fetchAll(kind).randomElement(using: &random)
    }

    func step() throws {
      let which = number(3)
      let context = contexts[which]
      let kind = number(20)
      log.append("\(["own", "child", "other"][which]) \(kind)")
      switch kind {
      case 0:
        try insert(["Person", "Boss", "Skill", "Company", "Memo"].randomElement(using: &random) ?? "", in: context)
      case 1:
        if let victim = try pick(["Party", "Skill", "Memo"].randomElement(using: &random) ?? "", in: context) {
          try context.delete(victim)
        }
      case 2...8:
        let (kind, key, member) =
          [("Company", "staff", "Person"), ("Person", "skills", "Skill"), ("Skill", "people", "Person")]
          .randomElement(using: &random) ?? ("", "", "")
        guard let owner = try pick(kind, in: context), let one = try pick(member, in: context) else { return }
        try owner.insert(one, into: key, at: number(4))
      case 9, 10:
        guard let person = try pick("Person", in: context) else { return }
        if let skill = try person.objects(forKey: "skills").randomElement(using: &random) {
          try person.remove(skill, from: "skills")
        }
      case 11:
        guard let person = try pick("Person", in: context) else { return }
        try person.setObjects(try person.objects(forKey: "skills").reversed(), forKey: "skills")
      case 12:
        guard let person = try pick("Person", in: context) else { return }
        try person.setObject(number(3) == 0 ? nil : try pick("Person", in: context), forKey: "spouse")
        try person.setObject(number(3) == 0 ? nil : try pick("Company", in: context), forKey: "employer")
      case 13:
        guard let person = try pick("Person", in: context), let memo = try pick("Memo", in: context) else { return }
        try person.add(memo, to: "memos")
        try memo.setObject(try pick("Party", in: context), forKey: "about")
      case 14: try context.undo()
      case 15: try context.redo()
      case 16:
        if let object = try pick(["Party", "Skill"].randomElement(using: &random) ?? "", in: context) {
          if !object.isInserted { try refresh(object) }
        }
      case 17: try context.refreshAllObjects()
      case 18: try context.processPendingChanges()
      default: try save(context)
      }
    }

    /// Refreshes; an object that is changed here and that another context has deleted stays as it is.
    func refresh(_ object: ManagedObject) throws {
      do { try object.context?.refresh(object, mergingChanges: true) } catch {
        guard error.code == .notFound, object.hasChanges else { throw error }
      }
    }

    /// Saves; a child whose objects its parent deleted, which is a conflict, gives up what it changed.
    func save(_ context: ManagedObjectContext) throws {
      do { try context.save() } catch {
        guard context === child, error.code == .conflict else { throw error }
        context.rollback()
      }
    }

    /// Every ordered list of a context, by names.
    func lists(_ context: ManagedObjectContext) throws -> [String] {
      var lines: [String] = []
      for (kind, key, name) in [
        ("Company", "staff", "name"), ("Person", "skills", "title"), ("Skill", "people", "name"),
      ] {
        for owner in try context.fetchAll(kind) {
          let members = try owner.objects(forKey: key).names(name)
          lines.append("\(kind) \([owner].names(kind == "Skill" ? "title" : "name")) \(key): \(members)")
        }
      }
      return lines.sorted()
    }
  }

  @Test(
    "all see the same orders in the end, and the store is sound", arguments: Array(Soak.seeds(180, from: 14)) + [1186])
  func agree(seed: UInt64) throws {
    let family = try Family(seed: seed)
    do {
      for _ in 0..<60 { try family.step() }
      try family.save(family.child)
      try family.save(family.place.context)
      try family.save(family.other)
      // A save may have seen what another one wrote only then.
      for _ in 0..<2 {
        for context in family.contexts { try context.refreshAllObjects() }
      }
    } catch {
      Issue.record("seed \(seed): \(error)\n\(family.log.suffix(12))")
      return
    }
    let stored = try family.lists(family.place.anotherContext())
    for (context, name) in zip(family.contexts, ["own", "child", "other"]) {
      let found = try family.lists(context)
      let (surplus, missing) = (found.filter { !stored.contains($0) }, stored.filter { !found.contains($0) })
      #expect(
        surplus.isEmpty && missing.isEmpty,
        "seed \(seed), \(name): \(surplus) instead of \(missing)\n\(family.log.suffix(20))")
      #expect(!context.hasChanges, "seed \(seed), \(name)")
    }
    try family.place.verify()
  }
}
