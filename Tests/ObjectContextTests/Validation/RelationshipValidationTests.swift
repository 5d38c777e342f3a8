import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// What `validateForUpdate` and `validateForDelete` know of relationships when a program asks them.
@Suite("Validation methods and relationships")
struct RelationshipValidationTests {
  private func place() throws -> Workplace {
    var members = Models.toMany("members", "Person", inverse: "team")
    members.deleteRule = .deny
    members.minCount = 1
    members.maxCount = 2
    var badge = Models.toOne("badge", "Badge", inverse: "team")
    badge.deleteRule = .deny
    var team = Models.toOne("team", "Team", inverse: "members")
    team.isOptional = false
    return try Workplace(
      try Models.model(
        Models.entity("Team", attributes: [Models.attribute("name", .string)], relationships: [members, badge]),
        Models.entity("Person", attributes: [Models.attribute("name", .string)], relationships: [team]),
        Models.entity("Badge", relationships: [Models.toOne("team", "Team", inverse: "badge")])))
  }

  private func found(_ body: () throws -> Void) -> [String] {
    do { try body() } catch let error as ValidationError {
      return error.failures.map(\.description)
    } catch {
      return ["\(error)"]
    }
    return []
  }

  private func named(_ entity: String, _ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let object = try context.insert(entity)
    try object.setValue(.string(name), forKey: "name")
    return object
  }

  private let denied = "Team “Red”: members still has objects, so it cannot be deleted [validate.deletionDenied]"

  @Test("deny is what the context has now: members that are deleted or have left do not count, a to-one one does")
  func deny() throws {
    let place = try place()
    let context = place.context
    let team = try named("Team", "Red", context)
    let other = try named("Team", "Blue", context)
    let people = try ["a", "b", "c"].map { try named("Person", $0, context) }
    try team.setObjects(Array(people.prefix(2)), forKey: "members")
    try other.add(people[2], to: "members")
    let badge = try context.insert("Badge")
    try team.setObject(badge, forKey: "badge")
    try context.save()
    #expect(
      found { try team.validateForDelete() } == [
        "Team “Red”: badge still has objects, so it cannot be deleted [validate.deletionDenied]", denied,
      ])
    try team.setObject(nil, forKey: "badge")
    #expect(found { try team.validateForDelete() } == [denied])
    // A child judges what it has itself.
    let child = ManagedObjectContext(parent: context)
    let twin = try child.object(with: team.objectID)
    for person in try twin.objects(forKey: "members") { try child.delete(person) }
    #expect(found { try twin.validateForDelete() }.isEmpty && found { try team.validateForDelete() } == [denied])
    try context.delete(people[0])
    #expect(found { try team.validateForDelete() } == [denied])
    try people[1].setObject(other, forKey: "team")
    #expect(found { try team.validateForDelete() }.isEmpty)
    // The save says the same.
    try context.delete(team)
    try context.delete(other)
    #expect(
      saveError { try context.save() }?.failures.map(\.description) == [
        denied.replacing("Red", with: "Blue")
      ])
    context.rollback()
    for person in people { try context.delete(person) }
    try team.setObject(nil, forKey: "badge")
    try context.delete(team)
    try context.delete(other)
    #expect(found { try team.validateForDelete() }.isEmpty)
    try context.save()
    #expect(try context.count("Team") == 0)
  }

  @Test("validateForUpdate knows mandatory relationships and the number of objects, as the save does")
  func update() throws {
    let place = try place()
    let context = place.context
    let team = try named("Team", "Red", context)
    let people = try ["a", "b", "c"].map { try named("Person", $0, context) }
    try team.setObjects(Array(people.prefix(2)), forKey: "members")
    let other = try named("Team", "Blue", context)
    try other.add(people[2], to: "members")
    try context.save()
    #expect(found { try team.validateForUpdate() }.isEmpty && found { try people[0].validateForUpdate() }.isEmpty)
    try team.add(people[2], to: "members")
    let tooMany = "Team “Red”: members has too many objects [validate.tooManyObjects]"
    #expect(found { try team.validateForUpdate() } == [tooMany])
    #expect(saveError { try context.save() }?.failures.map(\.description) == [tooMany])
    try people[0].setObject(nil, forKey: "team")
    let missing = "Person “a”: team is required [validate.missing]"
    #expect(found { try people[0].validateForUpdate() } == [missing])
    #expect(found { try team.validateForUpdate() }.isEmpty)
    #expect(saveError { try context.save() }?.failures.map(\.description) == [missing])
  }
}
