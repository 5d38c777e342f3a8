import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Delete rules")
struct DeleteRuleTests {
  /// Cardinalities of a relationship and its inverse.
  enum Shape: String, CaseIterable, Sendable { case oneToOne, manyToOne, oneToMany, orderedToMany, manyToMany }

  /// Owner –others→ Other with a rule, Other –owner(s)→ Owner with "nullify".
  static func model(_ rule: DeleteRule, _ shape: Shape) throws -> ManagedObjectModel {
    let isToMany = shape == .oneToMany || shape == .orderedToMany || shape == .manyToMany
    let isInverseToMany = shape == .manyToOne || shape == .manyToMany
    var others =
      isToMany
      ? Models.toMany("others", "Other", inverse: "owners", ordered: shape == .orderedToMany)
      : Models.toOne("others", "Other", inverse: "owners")
    others.deleteRule = rule
    let owners =
      isInverseToMany
      ? Models.toMany("owners", "Owner", inverse: "others") : Models.toOne("owners", "Owner", inverse: "others")
    return try Models.model(
      Models.entity("Owner", relationships: [others]), Models.entity("Other", relationships: [owners]))
  }

  static let matrix: [(DeleteRule, Shape)] = DeleteRule.allCases.flatMap { rule in Shape.allCases.map { (rule, $0) } }

  /// Relates the objects and returns what refers to what: `others` of the owner.
  private func relate(_ owner: ManagedObject, _ other: ManagedObject) throws {
    if try #require(owner.entity.relationship(named: "others")).isToMany {
      try owner.add(other, to: "others")
    } else {
      try owner.setObject(other, forKey: "others")
    }
  }

  private func owners(of other: ManagedObject) throws -> [ManagedObject] {
    try #require(other.entity.relationship(named: "owners")).isToMany
      ? try other.objects(forKey: "owners") : try [other.object(forKey: "owners")].compactMap { $0 }
  }

  @Test("each rule for each kind of relationship, deleted after a save", arguments: matrix)
  func rules(rule: DeleteRule, shape: Shape) throws {
    let place = try Workplace(try Self.model(rule, shape))
    let (owner, other) = (try place.context.insert("Owner"), try place.context.insert("Other"))
    let bystander = try place.context.insert("Owner")
    try relate(owner, other)
    try place.context.save()
    try place.reopen()
    let context = place.context
    let owner2 = try context.object(with: owner.objectID)
    let other2 = try context.object(with: other.objectID)
    try context.delete(owner2)
    #expect(owner2.isDeleted)
    let error = saveError { try context.save() }
    switch rule {
    case .nullify, .noAction:
      #expect(error == nil)
      #expect(!owner2.isValid)
      #expect(try place.rows("SELECT count(*) FROM ZOWNER") == ["1"])
      #expect(try place.rows("SELECT count(*) FROM ZOTHER") == ["1"])
      if rule == .nullify || shape == .manyToMany || shape == .manyToOne {
        #expect(try owners(of: other2) == [])
        try place.verify()
      } else {
        // The other end keeps referring to what is gone; that is what the rule asks for.
        #expect(try place.rows("SELECT ZOWNERS FROM ZOTHER") == ["\(owner2.objectID.primaryKey)"])
      }
    case .cascade:
      #expect(error == nil)
      #expect(!other2.isValid)
      #expect(try place.rows("SELECT count(*) FROM ZOWNER") == ["1"])
      #expect(try place.rows("SELECT count(*) FROM ZOTHER") == ["0"])
      try place.verify()
    case .deny:
      #expect(error?.code == .validation)
      #expect(error?.failures.map(\.code) == [.deletionDenied])
      #expect(error?.failures.first?.property == "others")
      #expect(try place.rows("SELECT count(*) FROM ZOWNER") == ["2"])
      // With the other object gone too, or taken away, nothing stands in the way.
      try context.delete(other2)
      try context.save()
      #expect(try place.rows("SELECT (SELECT count(*) FROM ZOWNER), (SELECT count(*) FROM ZOTHER)") == ["1|0"])
      try place.verify()
    }
    #expect(bystander.objectID.primaryKey == 2)
  }

  @Test("an object that was never saved disappears at once and leaves nothing behind", arguments: matrix)
  func unsaved(rule: DeleteRule, shape: Shape) throws {
    let place = try Workplace(try Self.model(rule, shape))
    let (owner, other) = (try place.context.insert("Owner"), try place.context.insert("Other"))
    try relate(owner, other)
    try place.context.delete(owner)
    #expect(!owner.isValid)
    #expect(other.isValid == (rule != .cascade))
    if rule != .cascade { #expect(try owners(of: other) == []) }
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM ZOWNER") == ["0"])
    #expect(try place.rows("SELECT count(*) FROM ZOTHER") == [rule == .cascade ? "0" : "1"])
    try place.verify()
  }

  @Test("taking the other object away lifts a denial", arguments: Shape.allCases)
  func deniedAndDetached(shape: Shape) throws {
    let place = try Workplace(try Self.model(.deny, shape))
    let (owner, other) = (try place.context.insert("Owner"), try place.context.insert("Other"))
    try relate(owner, other)
    try place.context.save()
    try place.context.delete(owner)
    #expect(saveError { try place.context.save() }?.failures.map(\.code) == [.deletionDenied])
    place.context.rollback()
    #expect(!owner.isDeleted)
    if try #require(owner.entity.relationship(named: "others")).isToMany {
      try owner.remove(other, from: "others")
    } else {
      try owner.setObject(nil, forKey: "others")
    }
    try place.context.delete(owner)
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM ZOWNER") == ["0"])
    try place.verify()
  }

  @Test("a cascade goes round a cycle once, and through a chain")
  func cycles() throws {
    var next = Models.toOne("next", "Link", inverse: "previous")
    next.deleteRule = .cascade
    var previous = Models.toOne("previous", "Link", inverse: "next")
    previous.deleteRule = .cascade
    let place = try Workplace(try Models.model(Models.entity("Link", relationships: [next, previous])))
    let links = try (0..<50).map { _ in try place.context.insert("Link") }
    for i in links.indices { try links[i].setObject(links[(i + 1) % links.count], forKey: "next") }
    let alone = try place.context.insert("Link")
    try place.context.save()
    try place.reopen()
    try place.context.delete(try place.context.object(with: links[7].objectID))
    #expect(place.context.deletedObjects.count == 50)
    try place.context.save()
    #expect(try place.rows("SELECT Z_PK FROM ZLINK") == ["\(alone.objectID.primaryKey)"])
    try place.verify()
  }

  @Test("a denial inside a cascade refuses the save as a whole, unless the cascade takes its reason too")
  func denialInCascade() throws {
    // Firm –cascade→ Team –deny→ Member, Firm –cascade→ Member.
    var teams = Models.toMany("teams", "Team", inverse: "firm")
    teams.deleteRule = .cascade
    var staff = Models.toMany("staff", "Member", inverse: "firm")
    staff.deleteRule = .cascade
    var members = Models.toMany("members", "Member", inverse: "team")
    members.deleteRule = .deny
    let place = try Workplace(
      try Models.model(
        Models.entity("Firm", relationships: [teams, staff]),
        Models.entity("Team", relationships: [members, Models.toOne("firm", "Firm", inverse: "teams")]),
        Models.entity(
          "Member",
          relationships: [
            Models.toOne("team", "Team", inverse: "members"), Models.toOne("firm", "Firm", inverse: "staff"),
          ])))
    let firm = try place.context.insert("Firm")
    let team = try place.context.insert("Team")
    let (ours, guest) = (try place.context.insert("Member"), try place.context.insert("Member"))
    try firm.add(team, to: "teams")
    try firm.add(ours, to: "staff")
    try team.setObjects([ours, guest], forKey: "members")
    try place.context.save()

    try place.context.delete(firm)
    let error = try #require(saveError { try place.context.save() })
    #expect(
      error.failures.map { "\($0.entity) \($0.property) \($0.code.name)" } == ["Team members validate.deletionDenied"])
    #expect(try place.rows("SELECT (SELECT count(*) FROM ZFIRM), (SELECT count(*) FROM ZMEMBER)") == ["1|2"])
    place.context.rollback()

    try team.remove(guest, from: "members")
    try place.context.delete(firm)
    try place.context.save()
    #expect(
      try place.rows(
        "SELECT (SELECT count(*) FROM ZFIRM), (SELECT count(*) FROM ZTEAM), (SELECT count(*) FROM ZMEMBER)")
        == ["0|0|1"])
    try place.verify()
  }

  @Test("deleted objects are in no relationship, cannot be changed, and deleting twice does nothing")
  func deletedObjects() throws {
    let place = try Workplace(try Models.works())
    let (person, company) = (try place.context.insert("Person"), try place.context.insert("Company"))
    try person.setValue(.string("p"), forKey: "name")
    try company.setValue(.string("c"), forKey: "name")
    try company.add(person, to: "staff")
    try place.context.save()
    try place.context.delete(company)
    try place.context.delete(company)
    #expect(try person.object(forKey: "employer") == nil)
    #expect(try company.value(forKey: "name") == .string("c"))
    // As in Core Data: nothing of it is written.
    try company.setValue(.string("x"), forKey: "name")
    #expect(objectErrorCode { try company.add(person, to: "staff") } == .deleted)
    #expect(objectErrorCode { try person.setObject(company, forKey: "employer") } == .deleted)
    #expect(try place.context.fetch("Party").names() == ["p"])
    #expect(try place.context.count("Company") == 0)
    #expect(try place.context.existingObject(with: company.objectID) == nil)
    try place.context.save()
    #expect(!company.isValid && !company.isDeleted)
    try place.verify()
  }
}
