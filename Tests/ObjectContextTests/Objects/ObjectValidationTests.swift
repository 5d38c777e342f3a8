import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

extension ObjectTests {
  @Suite("Validation of managed objects")
  struct ObjectValidationTests {
    @Test("AP8: model rules and validation methods report all failures together, each with object, key and value")
    func ap8SeveralFailures() throws {
      let place = try Workplace.staffed()
      let first = try place.context.insert(Worker.self)
      first.name = "much too long a name for a worker"
      first.age = 3
      let second = try place.context.insert(Worker.self)
      second.name = "nobody"
      let team = try place.context.insert("Team")
      try team.setValue(.string("a team with a name that is too long"), forKey: "name")
      let error = try #require(saveError { try place.context.save() })
      #expect(error.code == .validation)
      let found = error.failures.map { "\($0.objectID == first.objectID) \($0.property) \($0.code.name)" }.sorted()
      #expect(
        found == [
          "false name validate.custom", "false name validate.tooLong", "true age validate.tooSmall",
          "true name validate.tooLong",
        ])
      let custom = try #require(error.failures.first { $0.code == .custom })
      #expect(custom.objectID == second.objectID && custom.value == .string("nobody") && custom.message == "is nobody")
      #expect(custom.description.hasSuffix("Worker “nobody”: name: is nobody [validate.custom]"))
      #expect(error.failures.first { $0.property == "age" }?.value == .integer(3))
      #expect(error.failures.first { $0.objectID == team.objectID }?.value?.isString == true)
      #expect(error.message.split(separator: "\n").count == 4)
      #expect(place.context.hasChanges)
      #expect(custom.code.coreDataErrorNumber == 1550)
    }

    @Test("what validation methods throw themselves is a sentence too, with the object's name and the value")
    func sentences() throws {
      var day = Models.attribute("day", .date)
      day.validation.maximumValue = .date(0)
      let place = try Workplace(
        try Models.model(Models.entity("Event", attributes: [Models.attribute("title", .string), day])))
      func sentence(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
      }
      let event = try place.context.insert("Event")
      try event.setValue(.string("Fair"), forKey: "title")
      try place.context.save()
      let expected = "Event “Fair”: day 2001-01-02T00:00:00Z is after the latest date [validate.tooLate]"
      var value = AttributeValue.date(86_400.25)
      #expect(sentence { try event.validateValue(&value, forKey: "day") } == expected)
      try event.setValue(.date(86_400), forKey: "day")
      #expect(sentence { try event.validateForUpdate() } == expected)
      #expect(saveError { try place.context.save() }?.message == expected)
      #expect("\(ValidationError("closed", of: event))" == "Event “Fair”: closed [validate.custom]")
    }

    @Test("AP8: a validator for one key may replace the value")
    func ap8Coercion() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      worker.name = "   Ada"
      try place.context.save()
      #expect(worker.name == "Ada" && !worker.hasChanges)
      #expect(try place.rows("SELECT ZNAME FROM ZUNIT") == ["Ada"])
      var value = AttributeValue.string(" x")
      try worker.validateValue(&value, forKey: "name")
      #expect(value == .string("x"))
      value = .integer(3)
      #expect(throws: ValidationError.self) { try worker.validateValue(&value, forKey: "age") }
      value = .string("text")
      #expect(throws: ValidationError.self) { try worker.validateValue(&value, forKey: "age") }
    }

    @Test("AP8: validateForUpdate and validateForDelete refuse what concerns the whole object; other errors count too")
    func ap8WholeObject() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      worker.name = "boss"
      // Nothing is asked of inserts.
      try place.context.save()
      worker.isActive = true
      let error = try #require(saveError { try place.context.save() })
      #expect(error.failures.map(\.message) == ["a boss is at least 40"])
      #expect(error.failures.map(\.property) == [""])
      worker.age = 41
      try place.context.save()
      worker.name = "founder"
      try place.context.save()
      try place.context.delete(worker)
      let refusal = try #require(saveError { try place.context.save() })
      #expect(refusal.failures.map(\.message) == ["founder"])
      place.context.rollback()
      #expect(!worker.isDeleted)
      try place.verify()
    }

    @Test("AP8: objects may be asked to check themselves at any time; joined errors are one")
    func ap8AskedDirectly() throws {
      let place = try Workplace(try Models.staff())
      let worker = try place.context.insert("Worker")
      try worker.validateForInsert()
      try worker.setValue(.integer(2), forKey: "age")
      let error = #expect(throws: ValidationError.self) { try worker.validateForInsert() }
      #expect(error?.failures.map(\.property) == ["age"])
      let joined = ValidationError(joining: [try #require(error), ValidationError("and more", of: worker)])
      #expect(joined.failures.count == 2)
      #expect(joined.description.contains("and more"))
    }
  }
}

extension AttributeValue {
  fileprivate var isString: Bool { if case .string = self { true } else { false } }
}
