import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

extension ObjectTests {
  @Suite("Classes of managed objects")
  struct ClassTests {
    @Test("NS31: an object made by its entity's name is of the entity's class and among the inserted ones")
    func ns31InsertByName() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert("Worker")
      #expect(worker is Worker)
      #expect(place.context.insertedObjects == [worker])
      #expect(try place.context.insert(Chief.self).entity.name == "Chief")
      #expect(type(of: try place.context.insert("Task")) == ManagedObject.self)
    }

    @Test("MO2: two entities may share a class; their objects tell the entities apart")
    func mo2SharedClass() throws {
      let model = try Models.model(
        Models.entity("Cat", attributes: [Models.attribute("name", .string)]),
        Models.entity("Dog", attributes: [Models.attribute("name", .string)]))
      let place = try Workplace(model)
      try place.coordinator.setClass(Unit.self, forEntity: "Cat")
      try place.coordinator.setClass(Unit.self, forEntity: "Dog")
      let (cat, dog) = (try place.context.insert("Cat"), try place.context.insert("Dog"))
      #expect(type(of: cat) == Unit.self && type(of: dog) == Unit.self)
      #expect(cat.entity.name == "Cat" && dog.entity.name == "Dog")
      #expect(objectErrorCode { _ = try place.context.insert(Unit.self) } == .unknownEntity)
    }

    @Test(
      "MO6: the class of an entity descends from that of its parent; entities without one have the nearest ancestor's")
    func mo6ClassHierarchy() throws {
      let place = try Workplace(try Models.staff())
      try place.coordinator.setClass(Worker.self, forEntity: "Worker")
      #expect(try place.context.insert("Chief") is Worker)
      #expect(objectErrorCode { try place.coordinator.setClass(Team.self, forEntity: "Chief") } == .wrongClass)
      #expect(objectErrorCode { try place.coordinator.setClass(Team.self, forEntity: "Unit") } == .wrongClass)
      #expect(objectErrorCode { try place.coordinator.setClass(Team.self, forEntity: "Nothing") } == .unknownEntity)
      // What was refused changed nothing.
      #expect(try place.context.insert("Chief") is Worker)
      #expect(place.context.objectClass(of: try #require(place.model.entity(named: "Unit"))) == ManagedObject.self)
      try place.coordinator.setClasses([Unit.self, Chief.self])
      #expect(try place.context.insert("Chief") is Chief)
    }

    @Test("MO7: an abstract entity has no objects, whatever its class")
    func mo7Abstract() throws {
      let place = try Workplace.staffed()
      #expect(objectErrorCode { _ = try place.context.insert("Unit") } == .abstractEntity)
      #expect(objectErrorCode { _ = try place.context.insert(Unit.self) } == .abstractEntity)
    }

    @Test("MO8: a new object has the model's defaults; no value is allowed where the attribute is optional")
    func mo8Defaults() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      #expect(worker.age == 18)
      #expect(try worker.value(forKey: "age") == .integer(18))
      try worker.setValue(.null, forKey: "age")
      try place.context.save()
      #expect(try worker.value(forKey: "age") == .null)
      #expect(worker.age == 0)
    }

    @Test("fetched, related and registered objects are of their classes, also when only an ancestor's ID is known")
    func everyWay() throws {
      let place = try Workplace.staffed()
      let chief = try place.context.insert(Chief.self)
      chief.name = "Ada"
      chief.team = try place.context.insert(Team.self)
      try place.context.save()
      let uri = chief.objectID.uri.replacing("/Chief/", with: "/Worker/")
      let other = place.anotherContext()
      let id = try #require(place.coordinator.objectID(forURI: uri))
      #expect(try other.object(with: id) is Chief)
      let third = place.anotherContext()
      #expect(try third.fetch("Unit").allSatisfy { $0 is Chief || $0 is Team })
      #expect(try third.fetch(FetchRequest("Worker")).allSatisfy { $0 is Chief })
      let fourth = place.anotherContext()
      let team = try #require(try fourth.fetch(TypedFetchRequest<Team>("Team")).first)
      #expect(team.members.count == 1)
      #expect(team.members.first is Chief)
      #expect(try place.context.count(for: TypedFetchRequest<Worker>("Worker")) == 1)
      #expect(objectErrorCode { _ = try place.context.fetch(TypedFetchRequest<Team>("Worker")) } == .wrongClass)
    }

    @Test("a context over a bare store has classes of its own; without any it makes plain objects")
    func bareStore() throws {
      let place = try Workplace(try Models.staff())
      let context = ManagedObjectContext(store: try #require(place.coordinator.store))
      #expect(type(of: try context.insert("Worker")) == ManagedObject.self)
      try context.setClass(Worker.self, forEntity: "Worker")
      #expect(try context.insert("Worker") is Worker)
      #expect(type(of: try place.context.insert("Worker")) == ManagedObject.self)
    }
  }
}
