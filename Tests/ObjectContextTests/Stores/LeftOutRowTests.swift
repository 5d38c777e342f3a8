import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Rows that a trigger leaves out without an error")
struct LeftOutRowTests {
  /// A person with a skill, in a store with a trigger that says `RAISE(IGNORE)`.
  private func place(_ event: String) throws -> (place: Workplace, person: ManagedObject, skill: ManagedObject) {
    let place = try Workplace(try Models.works())
    let (person, skill) = (try place.context.insert("Person"), try place.context.insert("Skill"))
    try person.setValue(.string("a"), forKey: "name")
    try person.add(skill, to: "skills")
    try place.context.save()
    try #require(place.coordinator.store).connection.execute(
      "CREATE TRIGGER app BEFORE \(event) BEGIN SELECT RAISE(IGNORE); END")
    return (place, person, skill)
  }

  private func expectRefusal(_ place: Workplace, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let error = saveError { try place.context.save() }
    #expect(error?.code == .constraint, sourceLocation: sourceLocation)
    let message = error?.message ?? ""
    #expect(message.contains("left out by a trigger"), "\(message)", sourceLocation: sourceLocation)
    #expect(place.context.hasChanges, sourceLocation: sourceLocation)
    try #require(place.coordinator.store).connection.execute("DROP TRIGGER app")
    try place.context.save()
    try place.verify()
  }

  @Test("a new object") func inserted() throws {
    let (place, _, _) = try place("INSERT ON ZSKILL")
    _ = try place.context.insert("Skill")
    try expectRefusal(place)
  }

  @Test("a changed object") func updated() throws {
    let (place, person, _) = try place("UPDATE ON ZPARTY")
    try person.setValue(.string("b"), forKey: "name")
    try expectRefusal(place)
  }

  @Test("a deleted object") func deleted() throws {
    let (place, person, _) = try place("DELETE ON ZPARTY")
    try place.context.delete(person)
    try expectRefusal(place)
  }

  @Test("pairs of a relationship to many", arguments: ["INSERT", "DELETE"]) func related(event: String) throws {
    let probe = try place("INSERT ON ZMEMO").place
    let name = try #require(
      try probe.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_*SKILLS'").first)
    let (place, person, skill) = try place("\(event) ON \(name)")
    if event == "INSERT" {
      try person.add(try place.context.insert("Skill"), to: "skills")
    } else {
      try person.remove(skill, from: "skills")
    }
    try expectRefusal(place)
  }

  @Test("objects of a batch update", arguments: [BatchResultType.status, .objectIDs]) func batchUpdate(
    type: BatchResultType
  ) throws {
    let (place, _, _) = try place("UPDATE ON ZPARTY")
    var request = BatchUpdateRequest("Person", set: ["name": "b"])
    request.resultType = type
    let error = #expect(throws: BatchError.self) { _ = try place.context.execute(request) }
    guard case .save(let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.code == .constraint)
    #expect(cause.message.contains("rows of ZPARTY were left out by a trigger"), "\(cause.message)")
    #expect(try place.rows("SELECT ZNAME FROM ZPARTY") == ["a"])
  }

  @Test("references and pairs of what a batch deletes", arguments: [true, false]) func references(ofPairs: Bool) throws
  {
    let probe = try place("INSERT ON ZMEMO").place
    let pairs = try #require(
      try probe.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_*SKILLS'").first)
    let (place, person, _) = try place("INSERT ON ZMEMO")
    let desk = try place.context.insert("Desk")
    try person.setObject(desk, forKey: "desk")
    try place.context.save()
    try #require(place.coordinator.store).connection.execute(
      "DROP TRIGGER app; CREATE TRIGGER app BEFORE \(ofPairs ? "DELETE ON \(pairs)" : "UPDATE ON ZPARTY")"
        + " BEGIN SELECT RAISE(IGNORE); END")
    let error = #expect(throws: BatchError.self) {
      _ = try place.context.execute(BatchDeleteRequest(ofPairs ? "Skill" : "Desk"))
    }
    guard case .save(let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.code == .constraint)
    #expect(try place.rows("SELECT count(*) FROM \(ofPairs ? "ZSKILL" : "ZDESK")") == ["1"])
    try place.verify()
  }

  @Test("objects of a batch deletion") func batch() throws {
    let (place, _, _) = try place("DELETE ON ZSKILL")
    let error = #expect(throws: BatchError.self) {
      _ = try place.context.execute(BatchDeleteRequest("Skill"))
    }
    guard case .save(let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.code == .constraint)
    #expect(try place.rows("SELECT count(*) FROM ZSKILL") == ["1"])
    try place.verify()
  }
}
