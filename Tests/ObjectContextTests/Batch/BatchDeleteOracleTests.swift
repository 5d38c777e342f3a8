import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// Batch deletes beside deletions object by object: both leave the same store, or are refused for the same reasons.
@Suite("Batch deletes, random")
struct BatchDeleteOracleTests {
  /// A small model with every kind of relationship that has an inverse, and random rules.
  static func model(_ random: inout SeededGenerator) throws -> ManagedObjectModel {
    let rules: [DeleteRule] = [.nullify, .nullify, .nullify, .cascade, .cascade, .deny]
    func one(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
      var relationship = Models.toOne(name, destination, inverse: inverse)
      relationship.deleteRule = rules.randomElement(using: &random) ?? .nullify
      relationship.isOptional = Int.random(in: 0..<6, using: &random) > 0
      return relationship
    }
    func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
      var relationship = Models.toMany(name, destination, inverse: inverse, ordered: Bool.random(using: &random))
      relationship.deleteRule = rules.randomElement(using: &random) ?? .nullify
      relationship.isOptional = Int.random(in: 0..<6, using: &random) > 0
      relationship.minCount = Int.random(in: 0..<8, using: &random) == 0 ? 2 : 0
      return relationship
    }
    var notes = Models.toMany("notes", "Note")
    notes.deleteRule = rules.randomElement(using: &random) ?? .nullify
    // A join table of one entity with itself whose sides are not each other's would make two rows of one pair.
    var friends = Models.toMany("friends", "Base", inverse: "friends")
    friends.deleteRule = rules.randomElement(using: &random) ?? .nullify
    return try Models.model(
      Models.entity(
        "Base", attributes: [Models.attribute("number", .integer32)],
        relationships: [
          one("up", "Base", "downs"), many("downs", "Base", "up"), one("twin", "Base", "twin"), friends,
        ]),
      Models.entity(
        "Leaf", parent: "Base",
        relationships: [one("box", "Box", "leaves"), one("lid", "Lid", "leaf"), many("tags", "Tag", "leaves"), notes]),
      Models.entity(
        "Box", attributes: [Models.attribute("number", .integer32)], relationships: [many("leaves", "Leaf", "box")]),
      Models.entity(
        "Lid", attributes: [Models.attribute("number", .integer32)], relationships: [one("leaf", "Leaf", "lid")]),
      Models.entity(
        "Tag", attributes: [Models.attribute("number", .integer32)], relationships: [many("leaves", "Leaf", "tags")]),
      Models.entity("Note", attributes: [Models.attribute("number", .integer32)]))
  }

  /// Fills a store with objects and random relationships; what would break the model is left out of the store's rules.
  static func populate(_ place: Workplace, _ seed: UInt64) throws -> Bool {
    var random = SeededGenerator(seed: seed)
    let context = place.context
    var made: [ManagedObject] = []
    for number in 0..<24 {
      let kind = ["Base", "Leaf", "Leaf", "Box", "Lid", "Tag", "Note"][number % 7]
      let object = try context.insert(kind)
      try object.setValue(.integer(Int64(number)), forKey: "number")
      made.append(object)
    }
    for object in made {
      for relationship in object.entity.relationships {
        let others = made.filter { $0.entity.isKind(of: place.model.entities[relationship.destinationEntity]) }
        if relationship.isToMany {
          for _ in 0..<Int.random(in: 0..<3, using: &random) {
            if let other = others.randomElement(using: &random), other !== object {
              try object.add(other, to: relationship.name)
            }
          }
        } else if Int.random(in: 0..<3, using: &random) > 0 || !relationship.isOptional {
          // Where something is needed the first that has no partner does.
          try object.setObject(others.filter { $0 !== object }.randomElement(using: &random), forKey: relationship.name)
        }
      }
    }
    do {
      try context.save()
      return true
    } catch {
      if error.code == .validation { return false }
      throw error
    }
  }

  @Test("leave what deletions object by object leave, or fail alike", arguments: Soak.seeds(20, from: 1))
  func agree(seed: UInt64) throws {
    var compared = 0
    // Many random graphs are none that their model allows.
    for start in seed * 1000..<seed * 1000 + 200 where start < seed * 1000 + 10 || compared == 0 {
      if try compare(seed: start) != .none { compared += 1 }
    }
    #expect(compared > 0, "seed \(seed)")
  }

  @Test("objects that would take along others that have to stay are found", arguments: Soak.seeds(20, from: 1))
  func held(seed: UInt64) throws {
    var found = 0
    for start in seed * 1000..<seed * 1000 + 200 where start < seed * 1000 + 10 || found == 0 {
      var random = SeededGenerator(seed: start)
      let place = try Workplace(try Self.model(&random))
      guard try Self.populate(place, start) else { continue }
      let kind = ["Base", "Leaf", "Box", "Lid", "Tag", "Note"].randomElement(using: &random) ?? ""
      let all = try place.model.rootEntities.flatMap { try place.context.fetchAll($0.name) }
      let kept = Set(all.map(\.objectID).filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
      let victims = try place.context.fetchAll(kind).filter { !kept.contains($0.objectID) }
      let entity = try #require(place.model.entity(named: kind))
      let held = try place.context.heldDeletions(entity, primaryKeys: victims.map(\.objectID.primaryKey).sorted()) {
        index, key in kept.contains { $0.entity.index == index && $0.primaryKey == key }
      }
      for victim in victims {
        let comment: Comment = "seed \(start), \(victim.objectID)"
        let companions = try Self.companions(of: victim)
        let reasons = try companions.filter { try !Self.taken(with: $0).isDisjoint(with: kept) }
        #expect((held[victim.objectID.primaryKey] != nil) == !reasons.isEmpty, comment)
        guard let reason = held[victim.objectID.primaryKey] else { continue }
        found += 1
        let direct = reasons.filter { kept.contains($0.objectID) }
        #expect(
          (direct.isEmpty ? reasons : direct).contains {
            $0.objectID.entity.index == reason.entity && $0.objectID.primaryKey == reason.primaryKey
          }, comment)
      }
      try place.verify()
    }
    #expect(found > 0, "seed \(seed)")
  }

  /// The objects that delete rules take along with an object at once.
  private static func companions(of object: ManagedObject) throws -> [ManagedObject] {
    var companions: [ManagedObject] = []
    for relationship in object.entity.relationships where relationship.deleteRule == .cascade {
      if relationship.isToMany {
        companions += try object.objects(forKey: relationship.name)
      } else if let other = try object.object(forKey: relationship.name) {
        companions.append(other)
      }
    }
    return companions
  }

  /// An object and all that delete rules take along with it.
  private static func taken(with object: ManagedObject) throws -> Set<ManagedObjectID> {
    var taken: Set<ManagedObjectID> = []
    var waiting = [object]
    while let next = waiting.popLast() {
      if taken.insert(next.objectID).inserted { waiting += try companions(of: next) }
    }
    return taken
  }

  /// What a comparison had to compare.
  private enum Outcome {
    case none, deleted, refused
  }

  private func compare(seed: UInt64) throws -> Outcome {
    var random = SeededGenerator(seed: seed)
    let model = try Self.model(&random)
    let batch = try Workplace(model)
    // A random graph that the model forbids is no start.
    guard try Self.populate(batch, seed) else { return .none }
    let plain = try Workplace(model)
    #expect(try Self.populate(plain, seed))
    let before = try batch.dump()
    #expect(try plain.dump() == before)

    let kind = ["Base", "Leaf", "Box", "Lid", "Tag", "Note"].randomElement(using: &random) ?? ""
    let share = Int.random(in: 1..<4, using: &random)
    let numbers = (0..<24).filter { _ in Int.random(in: 0..<4, using: &random) < share }.map(Int64.init)
    let victims = try plain.context.fetchAll(kind).filter { object in
      guard case .integer(let number) = try object["number"] else { return false }
      return numbers.contains(number)
    }
    let ids = try victims.map { try #require(batch.id($0.entity.name, $0.objectID.primaryKey)) }
    let comment: Comment = "seed \(seed), \(kind)"

    for victim in victims { try plain.context.delete(victim) }
    let plainError = saveError { try plain.context.save() }
    var request = BatchDeleteRequest(objectIDs: ids)
    request.resultType = .objectIDs
    var result = BatchResult()
    let error = batchError { result = try batch.context.execute(request) }
    if case .save(let error)? = error {
      // Pairs stay while a deletion is denied, so a save does not count what would be left without them.
      func lines(_ error: SaveError?) -> Set<String> {
        let failures = error?.failures ?? []
        let isDenied = failures.contains { $0.code == .deletionDenied }
        return Set(
          failures.filter { !isDenied || $0.code != .tooFewObjects }.map {
            "\($0.entity) \($0.primaryKey) \($0.property) \($0.code.name)"
          })
      }
      #expect(lines(error) == lines(plainError), comment)
      #expect(try batch.dump() == before, comment)
      return .refused
    }
    #expect(error == nil, comment)
    #expect(plainError == nil, comment)
    let difference = try batch.differences(from: plain)
    #expect(difference.isEmpty, "\(comment): \(difference)")
    #expect(Set(ids).isSubset(of: Set(result.deletedObjectIDs)), comment)
    #expect(result.deletedCount == result.deletedObjectIDs.count, comment)
    if !ids.isEmpty { #expect(try batch.rows("SELECT count(*) FROM temp.mergewalk_doomed") == ["0"], comment) }
    try batch.verify()
    return .deleted
  }
}
