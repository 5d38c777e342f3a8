import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// Random changes of a model with random stores: each is refused with the store as it was, or keeps all data.
@Suite("Random migrations")
struct RandomMigrationTests {
  typealias M = Models

  private static func start() -> ModelDraft {
    func attributes(_ names: String...) -> [AttributeDescription] {
      let types: [AttributeType] = [.string, .integer32, .date, .double, .binary, .uuid, .boolean, .decimal]
      return names.enumerated().map { M.attribute($1, types[($0 + names.count) % types.count]) }
    }
    var draft = ModelDraft()
    draft.entities = [
      EntityDraft(
        "Animal", attributes("name", "born", "weight"),
        [
          M.toOne("keeper", "Person", inverse: "animals"), M.toMany("seen", "Place", inverse: "visitors"),
          M.toOne("twin", "Animal", inverse: "twin"),
        ]),
      EntityDraft("Bird", parent: "Animal", attributes("wings", "song"), [M.toOne("nest", "Place")]),
      EntityDraft("Owl", parent: "Bird", attributes("eyes")),
      EntityDraft("Fish", parent: "Animal", attributes("fins", "song")),
      EntityDraft(
        "Person", attributes("name", "mail"),
        [
          M.toMany("animals", "Animal", inverse: "keeper", ordered: true),
          M.toMany("friends", "Person", inverse: "friends"),
          M.toOne("home", "Place", inverse: "owner"), M.toMany("badges", "Badge"),
        ]),
      EntityDraft("Warden", parent: "Person", attributes("rank")),
      EntityDraft(
        "Place", attributes("title", "size"),
        [M.toMany("visitors", "Animal", inverse: "seen", ordered: true), M.toOne("owner", "Person", inverse: "home")]),
      EntityDraft("Badge", attributes("code")),
    ]
    return draft
  }

  /// One random change; most are such as can be inferred.
  private static func change(_ draft: inout ModelDraft, _ number: Int, _ generator: inout SeededGenerator) {
    let e = Int.random(in: 0..<draft.entities.count, using: &generator)
    let name = draft.entities[e].name
    func relationship() -> (Int, Int)? {
      let all = draft.entities.indices.flatMap { i in draft.entities[i].relationships.indices.map { (i, $0) } }
      return all.randomElement(using: &generator)
    }
    func inverse(of r: RelationshipDescription) -> (Int, Int)? {
      guard let entity = draft.entities.firstIndex(where: { $0.name == r.inverseEntityName }) else { return nil }
      return draft.entities[entity].relationships.firstIndex { $0.name == r.inverseName }.map { (entity, $0) }
    }
    switch Int.random(in: 0...15, using: &generator) {
    case 0:
      draft.entities.append(EntityDraft(["Aa", "Mm", "Zz"][number % 3] + "\(number)", [M.attribute("x", .string)]))
    case 1:
      // Before, between and after what is there already.
      let child = "\(["Aa", "Child", "Zz"][number % 3])\(number)"
      draft.entities.append(EntityDraft(child, parent: name, [M.attribute("song", .date)]))
    case 2:
      guard draft.entities.count > 2 else { return }
      let gone = draft.entities.remove(at: e)
      for i in draft.entities.indices {
        if draft.entities[i].parentName == name { draft.entities[i].parentName = gone.parentName }
        draft.entities[i].relationships.removeAll { $0.destinationEntityName == name || $0.inverseEntityName == name }
      }
    case 3:
      let new = "\(["A", "Q", "Z"][number % 3])\(name)"
      draft.entities[e].renamingIdentifier = draft.entities[e].renamingIdentifier ?? name
      draft.entities[e].name = new
      for i in draft.entities.indices {
        if draft.entities[i].parentName == name { draft.entities[i].parentName = new }
        for r in draft.entities[i].relationships.indices {
          if draft.entities[i].relationships[r].destinationEntityName == name {
            draft.entities[i].relationships[r].destinationEntityName = new
          }
          if draft.entities[i].relationships[r].inverseEntityName == name {
            draft.entities[i].relationships[r].inverseEntityName = new
          }
        }
      }
    case 4: draft.entities[e].parentName = draft.entities.randomElement(using: &generator)?.name
    case 5: draft.entities[e].parentName = nil
    case 6:
      var parent = EntityDraft("Base\(number)", [M.attribute("since\(number)", .date)])
      parent.isAbstract = true
      parent.parentName = draft.entities[e].parentName
      draft.entities[e].parentName = parent.name
      draft.entities.append(parent)
    case 7:
      draft.entities[e].attributes.append(
        M.attribute("new\(number)", .string, optional: false).with { $0.defaultValue = .string("d'\(number)") })
    case 8: draft.entities[e].attributes.append(M.attribute("\(["abc", "xyz"][number % 2])\(number)", .integer64))
    case 9: if !draft.entities[e].attributes.isEmpty { draft.entities[e].attributes.removeLast() }
    case 10:
      guard !draft.entities[e].attributes.isEmpty else { return }
      draft.entities[e].attributes[0].renamingIdentifier =
        draft.entities[e].attributes[0].renamingIdentifier ?? draft.entities[e].attributes[0].name
      draft.entities[e].attributes[0].name = "renamed\(number)"
    case 11:
      // An attribute moves to the parent.
      guard let parent = draft.entities.firstIndex(where: { $0.name == draft.entities[e].parentName }),
        let moved = draft.entities[e].attributes.popLast()
      else { return }
      draft.entities[parent].attributes.append(moved)
      for i in draft.entities.indices where draft.entities[i].parentName == draft.entities[parent].name {
        draft.entities[i].attributes.removeAll { $0.name == moved.name && $0.type == moved.type }
      }
    case 12:
      guard let (i, r) = relationship() else { return }
      draft.entities[i].relationships[r].isOrdered =
        draft.entities[i].relationships[r].isToMany && !draft.entities[i].relationships[r].isOrdered
    case 13:
      guard let (i, r) = relationship() else { return }
      draft.entities[i].relationships[r].isToMany = true
      draft.entities[i].relationships[r].maxCount = 0
    case 14:
      guard let (i, r) = relationship() else { return }
      let gone = draft.entities[i].relationships[r]
      if let (j, s) = inverse(of: gone), (j, s) != (i, r) {
        if number % 2 == 0 {
          draft.entities[j].relationships[s].inverseName = nil
          draft.entities[j].relationships[s].inverseEntityName = nil
        } else {
          draft.entities[j].relationships.remove(at: s)
        }
      }
      draft.entities[i].relationships.removeAll { $0.name == gone.name }
    default:
      guard let (i, r) = relationship() else { return }
      let was = draft.entities[i].relationships[r].name
      let back = inverse(of: draft.entities[i].relationships[r])
      draft.entities[i].relationships[r].renamingIdentifier =
        draft.entities[i].relationships[r].renamingIdentifier ?? was
      draft.entities[i].relationships[r].name = "\(["a", "z"][number % 2])\(was)"
      if let back { draft.entities[back.0].relationships[back.1].inverseName = draft.entities[i].relationships[r].name }
    }
  }

  @Test("AP11: any changes are refused with the store as it was, or keep all data and give the layout of a new store")
  func ap11Random() throws {
    var migrated = 0
    var refused: [MigrationFinding.Code: Int] = [:]
    for seed in Soak.seeds(150) {
      var generator = SeededGenerator(seed: seed)
      var draft = Self.start()
      for number in 0..<Int.random(in: 1...4, using: &generator) { Self.change(&draft, number, &generator) }
      // Not every change leaves a model.
      guard let new = try? ManagedObjectModel(draft) else { continue }
      let bench = try MigrationBench(ManagedObjectModel(Self.start()), new, seed: seed)
      do {
        try StoreMigrator.migrate(path: bench.path, to: new)
      } catch {
        for finding in error.findings { refused[finding.code, default: 0] += 1 }
        #expect(!error.findings.isEmpty, "seed \(seed): \(error)")
        #expect(try StoreDump(bench.path, bench.old) == bench.before, "seed \(seed)")
        continue
      }
      migrated += 1
      let after = try StoreDump(bench.path, new)
      #expect(bench.differences(after) == [], "seed \(seed)")
      do { try MigrationBench.expectFresh(bench.path, new) } catch { Issue.record("seed \(seed): \(error)") }
    }
    #expect(migrated > 50, "\(migrated) migrated, refused: \(refused)")
    #expect(refused[.mergedHierarchies] ?? 0 > 0)
  }
}
