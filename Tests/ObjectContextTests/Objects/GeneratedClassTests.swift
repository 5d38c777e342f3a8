import Foundation
import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The classes in the folder `Generated`, which `mergewalk model codegen` made of the model beside them, and which are
/// compiled with the tests.
@Suite("Generated classes")
struct GeneratedClassTests {
  private static let folder = Locations.repository + "/Tests/ObjectContextTests/Generated/"

  private static func model() throws -> ManagedObjectModel {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "Zoo.yaml")))
    return try ManagedObjectModel(ModelReader.parse(bytes, path: "Zoo.yaml"))
  }

  private func zoo() throws -> Workplace {
    let place = try Workplace(try Self.model())
    try place.coordinator.setClasses([Animal.self, Dog.self, ZooKeeper.self])
    return place
  }

  private func keeper(_ place: Workplace) throws -> ZooKeeper {
    let keeper = try place.context.insert(ZooKeeper.self)
    keeper.name = "Ada"
    keeper.salary = 1000
    return keeper
  }

  private func dog(_ number: Int, _ place: Workplace) throws -> Dog {
    let dog = try place.context.insert(Dog.self)
    dog.name = "dog \(number)"
    dog.isTame = number != 2
    dog.score = 0
    return dog
  }

  @Test("the files on disk are what the generator makes of the model, byte for byte")
  func filesAreCurrent() throws {
    let made = try CodeGenerator(try Self.model()).files
    #expect(made.map(\.name).filter { $0.hasSuffix("+CoreDataProperties.swift") }.count == 3)
    for file in made {
      let onDisk = try Data(contentsOf: URL(fileURLWithPath: Self.folder + file.name))
      #expect(
        onDisk == Data(file.text.utf8),
        "\(file.name) is outdated: run mergewalk model codegen Zoo.yaml --output . in its folder"
      )
    }
    let swiftFiles = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".swift") }
    #expect(swiftFiles.sorted() == made.map(\.name).sorted())
  }

  @Test("NS26, NS27, NS30: generated properties agree with keyed access, both ways")
  func ns26TypedAgreesWithKeyed() throws {
    let place = try zoo()
    let dog = try place.context.insert(Dog.self)
    #expect(dog.entity.name == "Dog" && dog.legs == 4 && dog.lives == nil && dog.name == nil && !dog.isTame)
    let tag = UniqueID()
    dog.name = "Rex"
    dog.born = Timestamp("2020-02-29T00:00:00Z")
    dog.weight = DecimalNumber("31.25")
    dog.legs = 3
    dog.lives = 1
    dog.isTame = true
    dog.score = 0.5
    dog.default = "bone"
    dog.photo = [1, 2, 3]
    dog.page = "https://example.org/rex"
    dog.tag = tag
    dog.homeCity = "Basel"
    dog.homeZone = 7
    dog.breed = "Collie"
    let expected: [(String, AttributeValue)] = [
      ("name", .string("Rex")), ("legs", .integer(3)), ("lives", .integer(1)), ("isTame", .boolean(true)),
      ("score", .double(0.5)), ("default", .string("bone")), ("page", .uri("https://example.org/rex")),
      ("home.city", .string("Basel")), ("home.zone", .integer(7)), ("breed", .string("Collie")),
      ("tag", tag.attributeValue), ("photo", [1, 2, 3].attributeValue),
    ]
    for (key, value) in expected { #expect(try dog.value(forKey: key) == value, "\(key)") }

    try dog.setValue(.string("Bello"), forKey: "name")
    try dog.setValue(.null, forKey: "lives")
    try dog.setValue(.integer(9), forKey: "home.zone")
    #expect(dog.name == "Bello" && dog.lives == nil && dog.homeZone == 9)

    try place.context.save()
    try place.reopen()
    try place.coordinator.setClasses([Animal.self, Dog.self, ZooKeeper.self])
    let found = try #require(try place.context.fetch(Dog.fetchRequest()).first)
    #expect(found.name == "Bello" && found.legs == 3 && found.lives == nil && found.isTame && found.score == 0.5)
    #expect(found.born?.description == "2020-02-29T00:00:00Z" && found.weight == DecimalNumber("31.25"))
    #expect(found.photo == [1, 2, 3] && found.tag == tag && found.page == "https://example.org/rex")
    #expect(found.homeCity == "Basel" && found.homeZone == 9 && found.breed == "Collie" && found.default == "bone")
  }

  @Test("generated relationships keep both ends, and their accessors place, take away and replace objects")
  func relationships() throws {
    let place = try zoo()
    let keeper = try keeper(place)
    let dogs = try (0..<4).map { try dog($0, place) }
    dogs[0].keeper = keeper
    keeper.addToAnimals(dogs[1])
    keeper.insertIntoAnimals([dogs[3], dogs[2]], at: [0, 3])
    #expect(Array(keeper.animals) == [dogs[3], dogs[0], dogs[1], dogs[2]])
    #expect(dogs.allSatisfy { $0.keeper === keeper })
    keeper.removeFromAnimals(at: [0, 2])
    #expect(Array(keeper.animals) == [dogs[0], dogs[2]] && dogs[1].keeper == nil)
    keeper.replaceAnimals(at: 0, with: dogs[3])
    #expect(Array(keeper.animals) == [dogs[3], dogs[2]] && dogs[0].keeper == nil)
    keeper.removeFromAnimals([dogs[2]])

    let toy = try place.context.insert("Toy")
    dogs[0].addToToys([toy])
    dogs[1].addToToys(toy)
    #expect(try toy.objects(forKey: "animals").count == 2 && dogs[0].toys.contains(toy))
    dogs[1].removeFromToys(toy)
    #expect(dogs[1].toys.isEmpty)
    try place.context.save()
    try place.context.refresh(dogs[0], mergingChanges: true)
    #expect(dogs[0].toyCount == 1)
    // Whose keeper is another one: of two animals without a keeper neither is.
    #expect(dogs[3].rivals.contains(dogs[0]))
    #expect(!dogs[3].rivals.contains(dogs[3]))
    try place.verify()
  }

  @Test("MO15: generated functions for the model's fetch requests bind variables of the right types")
  func mo15Templates() throws {
    let place = try zoo()
    let keeper = try keeper(place)
    for number in 0..<5 {
      let dog = try dog(number, place)
      if number != 1 { dog.keeper = keeper }
    }
    try place.context.save()
    let context = place.context
    let tame = try context.fetch(try Animal.tame(keeper: keeper, leastLegs: 3, pattern: "dog*"))
    #expect(Set(tame.map(\.name)) == ["dog 0", "dog 3", "dog 4"])
    #expect(try context.fetch(try Animal.tame(keeper: keeper, leastLegs: 4, pattern: "dog*")).isEmpty)
    #expect(try context.fetch(try Animal.tame(keeper: nil, leastLegs: 0, pattern: "*")).map(\.name) == ["dog 1"])
    let named: [Dog] = try context.fetch(try Dog.namedDogs(names: ["dog 1", "dog 4", "cat"]))
    #expect(Set(named.map(\.name)) == ["dog 1", "dog 4"])
    #expect(try context.count(for: Dog.allDogs()) == 5)
    #expect(try context.count(for: Animal.fetchRequest()) == 5)
    #expect(Array(try context.fetchObjectIDs(try ZooKeeper.crowded(n: 3))) == [keeper.objectID])
    #expect(try context.fetchObjectIDs(try ZooKeeper.crowded(n: 4)).isEmpty)
  }
}
