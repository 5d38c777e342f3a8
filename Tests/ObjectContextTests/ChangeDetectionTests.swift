import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

@Suite("Change detection")
struct ChangeDetectionTests {
  @Test("a save writes exactly the columns that changed, in one statement an operation")
  func exactStatements() throws {
    let place = try Workplace(try Models.works())
    let skill = try place.context.insert("Skill")
    let other = try place.context.insert("Skill")
    try skill.setValue(.string("a"), forKey: "title")
    var statements = try place.statements { try place.context.save() }
    #expect(
      statements == [
        "BEGIN IMMEDIATE",
        "INSERT INTO ZSKILL (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT c0, c1, c2, c3 FROM mergewalk_rows_ZSKILL",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = \(skill.entity.number)", "COMMIT",
      ])
    try skill.setValue(.string("b"), forKey: "title")
    try other.setValue(.string("c"), forKey: "title")
    statements = try place.statements { try place.context.save() }
    #expect(
      statements == [
        "BEGIN IMMEDIATE",
        "UPDATE ZSKILL SET Z_OPT = r.c2, ZTITLE = r.c3 FROM mergewalk_rows_ZSKILL AS r "
          + "WHERE ZSKILL.Z_PK = r.c0 AND ifnull(ZSKILL.Z_OPT, 0) = r.c2 - 1", "COMMIT",
      ])
    try place.context.delete(other)
    statements = try place.statements { try place.context.save() }
    #expect(
      statements == [
        "BEGIN IMMEDIATE",
        "DELETE FROM ZSKILL WHERE Z_PK IN (SELECT t.Z_PK FROM mergewalk_rows_ZSKILL AS r CROSS JOIN ZSKILL AS t "
          + "ON t.Z_PK = r.c0 WHERE ifnull(t.Z_OPT, 0) = r.c2)", "COMMIT",
      ])
    #expect(try place.rows("SELECT * FROM ZSKILL") == ["1|\(skill.entity.number)|2|b"])
    #expect(try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Skill'") == ["2"])
  }

  @Test("setting what is there already, or setting back, runs no statement")
  func noChange() throws {
    let place = try Workplace(try Models.works())
    let person = try place.context.insert("Person")
    let company = try place.context.insert("Company")
    try person.setValue(.string("a"), forKey: "name")
    try company.setValue(.string("c"), forKey: "name")
    try person.setObject(company, forKey: "supplier")
    try place.context.save()

    try person.setValue(.string("a"), forKey: "name")
    try person.setObject(company, forKey: "supplier")
    #expect(!person.hasChanges)
    #expect(!place.context.hasChanges)
    #expect(try place.statements { try place.context.save() } == [])

    try person.setValue(.string("b"), forKey: "name")
    try person.setValue(.integer(9), forKey: "age")
    try person.setObject(nil, forKey: "supplier")
    try person.setValue(.string("a"), forKey: "name")
    try person.setValue(.null, forKey: "age")
    try person.setObject(company, forKey: "supplier")
    #expect(try place.statements { try place.context.save() } == [])
    #expect(!person.hasChanges)
    #expect(try place.rows("SELECT DISTINCT Z_OPT FROM ZPARTY") == ["1"])
  }

  @Test("only the changed rows' versions move, by one a save")
  func versions() throws {
    let place = try Workplace(try Models.works())
    let people = try (0..<3).map { i in
      let person = try place.context.insert("Person")
      try person.setValue(.string("\(i)"), forKey: "name")
      return person
    }
    try place.context.save()
    try people[1].setValue(.integer(1), forKey: "age")
    try people[1].setValue(.integer(2), forKey: "age")
    try place.context.save()
    try people[1].setValue(.integer(3), forKey: "age")
    try people[2].setValue(.integer(3), forKey: "age")
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, Z_OPT FROM ZPARTY ORDER BY Z_PK") == ["0|1", "1|3", "2|2"])
  }

  @Test("a row that was set back stays clean through a failing save, a further change and a rollback")
  func setBackAroundFailure() throws {
    let place = try Workplace(try Models.works())
    let person = try place.context.insert("Person")
    try person.setValue(.string("a"), forKey: "name")
    try place.context.save()
    try person.setValue(.string("b"), forKey: "name")
    try person.setValue(.string("a"), forKey: "name")
    let bad = try place.context.insert("Person")
    #expect(saveError { try place.context.save() }?.code == .validation)
    try person.setValue(.string("c"), forKey: "name")
    #expect(saveError { try place.context.save() }?.code == .validation)
    try bad.setValue(.string("fine"), forKey: "name")
    try place.context.save()
    #expect(
      try place.rows("SELECT ZNAME, Z_OPT FROM ZPARTY ORDER BY Z_PK")
        == ["a|1", "fine|1"].map { $0 == "a|1" ? "c|2" : $0 })
    try person.setValue(.string("d"), forKey: "name")
    place.context.rollback()
    #expect(try person.value(forKey: "name") == .string("c"))
  }

  @Test("a row that somebody else changed is a conflict, and the context keeps its changes")
  func conflicts() throws {
    let place = try Workplace(try Models.works())
    let ids = try ["a", "b", "c"].map { name in
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try place.context.obtainPermanentIDs(for: [person])
      return person.objectID
    }
    try place.context.save()
    let other = place.anotherContext()
    let mine = try ids.map { try place.context.object(with: $0) }
    let theirs = try ids.map { try other.object(with: $0) }
    for person in mine { try person.setValue(.integer(1), forKey: "age") }
    try theirs[0].setValue(.string("x"), forKey: "name")
    try other.delete(theirs[2])
    try other.save()

    let error = try #require(saveError { try place.context.save() })
    #expect(error.code == .conflict)
    #expect(error.conflicts == [ids[0], ids[2]])
    #expect(place.context.hasChanges)
    #expect(try place.rows("SELECT ZNAME, ifnull(ZAGE, 0) FROM ZPARTY ORDER BY Z_PK") == ["x|0", "b|0"])

    // Merging keeps what was set here and takes the rest from the store.
    try place.context.refresh(mine[0], mergingChanges: true)
    #expect(try mine[0].value(forKey: "name") == .string("x"))
    #expect(try mine[0].value(forKey: "age") == .integer(1))
    try place.context.refresh(mine[2], mergingChanges: false)
    #expect(mine[2].isFault)
    #expect(objectErrorCode { _ = try mine[2].value(forKey: "name") } == .notFound)
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZAGE, Z_OPT FROM ZPARTY ORDER BY Z_PK") == ["x|1|3", "b|1|2"])
  }

  @Test("deleting a row that somebody else changed is a conflict")
  func deletionConflict() throws {
    let place = try Workplace(try Models.works())
    let skill = try place.context.insert("Skill")
    try place.context.save()
    let other = place.anotherContext()
    let theirs = try other.object(with: skill.objectID)
    try theirs.setValue(.string("new"), forKey: "title")
    try other.save()
    try place.context.delete(skill)
    let error = try #require(saveError { try place.context.save() })
    #expect(error.code == .conflict)
    #expect(error.conflicts == [skill.objectID])
    #expect(error.message.hasPrefix("another context or process changed or deleted 1 record since"), "\(error.message)")
    #expect(try place.rows("SELECT ZTITLE FROM ZSKILL") == ["new"])
    place.context.rollback()
    try place.context.refresh(skill, mergingChanges: false)
    try place.context.delete(skill)
    try place.context.save()
    #expect(try place.rows("SELECT ZTITLE FROM ZSKILL") == [])
  }

  @Test("a uniqueness constraint refuses the save as a whole; once it is mended the same changes are saved")
  func constraint() throws {
    let place = try Workplace(try Models.works())
    let first = try place.context.insert("Desk")
    try first.setValue(.integer(1), forKey: "number")
    let person = try place.context.insert("Person")
    try person.setValue(.string("a"), forKey: "name")
    try place.context.save()

    try person.setValue(.string("b"), forKey: "name")
    let second = try place.context.insert("Desk")
    try second.setValue(.integer(1), forKey: "number")
    try second.setObject(person, forKey: "owner")
    for _ in 0..<2 {
      let error = try #require(saveError { try place.context.save() })
      #expect(error.code == .constraint)
      #expect(error.databaseFailure?.code == 2067)
      #expect(second.isInserted && person.isUpdated)
      #expect(try place.rows("SELECT ZNAME, Z_OPT FROM ZPARTY") == ["a|1"])
      #expect(try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Desk'") == ["1"])
    }
    try second.setValue(.integer(2), forKey: "number")
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, Z_OPT FROM ZPARTY") == ["b|2"])
    #expect(try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Desk'") == ["2"])
    #expect(!place.context.hasChanges)
    try place.verify()
  }

  @Test("a save that fails at its very end has saved nothing, sequences and versions included")
  func failingCommit() throws {
    let place = try Workplace(try Models.works())
    let old = try place.context.insert("Skill")
    try place.context.save()
    let connection = try #require(place.coordinator.store).connection
    // A deferred foreign key is checked when the transaction ends.
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE target (x PRIMARY KEY);
      CREATE TABLE reference (x REFERENCES target DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER bad AFTER INSERT ON ZSKILL BEGIN INSERT INTO reference VALUES (1); END
      """)
    try old.setValue(.string("changed"), forKey: "title")
    let new = try place.context.insert("Skill")
    #expect(saveError { try place.context.save() }?.code == .constraint)
    #expect(new.isInserted && old.isUpdated)
    #expect(connection.isAutocommit)
    #expect(try place.rows("SELECT Z_PK, Z_OPT FROM ZSKILL") == ["1|1"])
    #expect(try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Skill'") == ["1"])

    try connection.execute("DROP TRIGGER bad; DROP TABLE reference; DROP TABLE target")
    try place.context.save()
    #expect(try place.rows("SELECT Z_PK, Z_OPT FROM ZSKILL") == ["1|2", "2|1"])
    #expect(try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Skill'") == ["2"])
  }

  @Test("rollback brings back values, references and deleted objects, and forgets inserted ones")
  func rollback() throws {
    let place = try Workplace(try Models.works())
    let (person, company) = (try place.context.insert("Person"), try place.context.insert("Company"))
    let skill = try place.context.insert("Skill")
    try person.setValue(.string("a"), forKey: "name")
    try company.setValue(.string("c"), forKey: "name")
    try person.setObject(company, forKey: "employer")
    try person.add(skill, to: "skills")
    try place.context.save()

    try person.setValue(.string("b"), forKey: "name")
    try person.setObject(nil, forKey: "employer")
    try person.remove(skill, from: "skills")
    let new = try place.context.insert("Person")
    try company.add(new, to: "staff")
    try place.context.delete(skill)
    #expect(skill.isDeleted)
    #expect(try company.objects(forKey: "staff") == [new])
    place.context.rollback()
    #expect(!place.context.hasChanges)
    #expect(!new.isValid && !new.isInserted)
    #expect(try person.value(forKey: "name") == .string("a"))
    #expect(try person.object(forKey: "employer") === company)
    #expect(try company.objects(forKey: "staff") == [person])
    #expect(try person.objects(forKey: "skills") == [skill])
    #expect(!skill.isDeleted)
    #expect(try place.statements { try place.context.save() } == [])
  }

  @Test("all failures of a validation come in one error, before anything is written")
  func validation() throws {
    var age = Models.attribute("age", .integer16, optional: false)
    age.validation.maximumValue = .integer(150)
    age.validation.maximumText = "150"
    var boss = Models.toOne("boss", "Person", inverse: "team")
    boss.isOptional = false
    let model = try Models.model(
      Models.entity(
        "Person", attributes: [Models.attribute("name", .string, optional: false), age],
        relationships: [boss, Models.toMany("team", "Person", inverse: "boss")]))
    let place = try Workplace(model)
    let (first, second) = (try place.context.insert("Person"), try place.context.insert("Person"))
    try first.setValue(.integer(151), forKey: "age")
    try second.setValue(.integer(40_000), forKey: "age")
    try second.setValue(.string("b"), forKey: "name")
    try second.setObject(first, forKey: "boss")
    var error: SaveError?
    let statements = try place.statements { error = saveError { try place.context.save() } }
    #expect(statements == [])
    let failures = try #require(error).failures.map(\.description).sorted()
    #expect(
      failures == [
        "Person “b”: age 40000 is not a value of the attribute's type [validate.type]",
        "new Person 1: age 151 is above the maximum [validate.tooLarge]",
        "new Person 1: boss is required [validate.missing]", "new Person 1: name is required [validate.missing]",
      ])
    try first.setObject(first, forKey: "boss")
    try first.setValue(.string("a"), forKey: "name")
    try first.setValue(.integer(150), forKey: "age")
    try second.setValue(.integer(0), forKey: "age")
    try place.context.save()
    try second.setObject(nil, forKey: "boss")
    #expect(saveError { try place.context.save() }?.failures.map(\.code) == [.value(.missing)])
  }

  @Test("an optional attribute without rules still holds only what its type can", arguments: ["int16", "int32"])
  func narrowIntegers(_ key: String) throws {
    let place = try Workplace(Models.types())
    let thing = try place.context.insert("Thing")
    let beyond: Int64 = key == "int16" ? 70_000 : 5_000_000_000
    try thing.setValue(.integer(beyond), forKey: key)
    let statements = try place.statements {
      #expect(saveError { try place.context.save() }?.failures.map(\.code) == [.value(.type)])
    }
    #expect(statements == [])
    try thing.setValue(.integer(-7), forKey: key)
    try place.context.save()
  }

  @Test("a fault whose relationships were changed at the other end says so")
  func faultsAtTheOtherEnd() throws {
    let place = try Workplace(try Models.works())
    let names = ["Person", "Company", "Skill"]
    let saved = try names.map { try place.context.insert($0) }
    for object in saved.prefix(2) { try object.setValue(.string("x"), forKey: "name") }
    try place.context.save()
    let context = place.anotherContext()
    let objects = try saved.map { try context.object(with: $0.objectID) }
    let (person, company, skill) = (objects[0], objects[1], objects[2])
    #expect(try company.isFault && company.changedValues().isEmpty && skill.changedValues().isEmpty)
    try person.setObject(company, forKey: "employer")
    try person.add(skill, to: "skills")
    #expect(try company.changedValues() == ["staff": .objects([person.objectID])])
    #expect(try skill.changedValues() == ["people": .objects([person.objectID])])
    try context.save()
    #expect(try company.changedValues().isEmpty && skill.changedValues().isEmpty)
  }
}
