import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkTestSupport
import Testing

@Suite("Transformable attributes")
struct TransformableTests {
  private let red = Paint(red: 200, green: 10, blue: 7)

  private func showroom(_ transformer: PaintTransformer = PaintTransformer()) throws -> Workplace {
    let place = try Workplace(try Models.showroom())
    try place.coordinator.setClass(Car.self, forEntity: "Car")
    try place.coordinator.registerTransformer(transformer, forName: "PaintTransformer")
    return place
  }

  @Test("NS3, NS30: the program sees its own type, the store a BLOB, and reading gives an equal value")
  func ns3CustomType() throws {
    let place = try showroom()
    let car = try place.context.insert(Car.self)
    car.paint = red
    try place.context.save()
    #expect(try place.rows("SELECT typeof(ZPAINT), hex(ZPAINT) FROM ZCAR") == ["blob|C80A07"])
    let other1 = place.anotherContext()
    defer { withExtendedLifetime(other1) {} }
    let again = try #require(try other1.fetch(TypedFetchRequest<Car>("Car")).first)
    #expect(again.paint == red)
    #expect(try again.transformedValue(forKey: "paint") as? Paint == red)
    #expect(try again["paint"] == .binary([200, 10, 7]))
    again.paint = nil
    #expect(again.paint == nil)
    #expect(try again["paint"] == .null)
  }

  @Test("NS4: without a name the default transformer is used in reverse: reverse on writing, forward on reading")
  func ns4DefaultDirection() throws {
    let place = try showroom()
    let archiver = CountingArchiver()
    place.coordinator.setDefaultTransformer(archiver)
    let car = try place.context.insert(Car.self)
    car.notes = ["fast", "red"]
    #expect(archiver.writes == 1 && archiver.reads == 0)
    try place.context.save()
    let other2 = place.anotherContext()
    defer { withExtendedLifetime(other2) {} }
    let again = try #require(try other2.fetch(TypedFetchRequest<Car>("Car")).first)
    #expect(again.notes == ["fast", "red"])
    #expect(archiver.writes == 1 && archiver.reads == 1)
  }

  @Test("NS6: a custom transformer has to allow reverse when an attribute names it")
  func ns6Reverse() throws {
    let place = try Workplace(try Models.showroom())
    do {
      try place.coordinator.registerTransformer(OneWayTransformer(), forName: "PaintTransformer")
      Issue.record("a transformer without reverse was taken")
    } catch {
      #expect(error.code == .transformer)
      #expect(error.message.contains("Car.paint") && error.message.contains("PaintTransformer"))
    }
    try place.coordinator.registerTransformer(OneWayTransformer(), forName: "NobodyUsesThis")
  }

  @Test("NS7: an unknown name makes setting and reading fail, with attribute and transformer named")
  func ns7UnknownName() throws {
    let place = try Workplace(try Models.showroom())
    #expect(place.coordinator.unregisteredTransformers == ["PaintTransformer"])
    let car = try place.context.insert("Car")
    do {
      try car.setTransformedValue(red, forKey: "paint")
      Issue.record("a value was set without a transformer")
    } catch {
      #expect(error.code == .transformer)
      #expect(error.message.contains("Car.paint") && error.message.contains("PaintTransformer"))
    }
    try car.setValue(.binary([1, 2, 3]), forKey: "paint")
    try place.context.save()
    let other3 = place.anotherContext()
    defer { withExtendedLifetime(other3) {} }
    let again = try #require(try other3.fetch(FetchRequest("Car")).first)
    #expect(objectErrorCode { _ = try again.transformedValue(forKey: "paint") } == .transformer)
    try place.coordinator.registerTransformer(PaintTransformer(), forName: "PaintTransformer")
    #expect(place.coordinator.unregisteredTransformers == [])
    #expect(try again.transformedValue(forKey: "paint") as? Paint == Paint(red: 1, green: 2, blue: 3))
  }

  @Test("what a transformer refuses is an error that names attribute and transformer, and changes nothing")
  func refusals() throws {
    let place = try showroom()
    let car = try place.context.insert(Car.self)
    car.paint = red
    do {
      try car.setTransformedValue("crimson", forKey: "paint")
      Issue.record("a string was taken for a paint")
    } catch {
      #expect(error.message.contains("Car.paint") && error.message.contains("expected a Paint, found String"))
    }
    #expect(car.paint == red)
    try car.setValue(.binary([1]), forKey: "paint")
    #expect(objectErrorCode { _ = try car.transformedValue(forKey: "paint") } == .transformer)
    #expect(objectErrorCode { _ = try car.transformedValue(forKey: "plate") } == .typeMismatch)
    #expect(objectErrorCode { try car.setTransformedValue(red, forKey: "wheel") } == .unknownKey)
    #expect(objectErrorCode { try car.setTransformedValue(red, forKey: "notes") } == .transformer)
  }

  @Test("NS8: a model made in code gives the same hashes and the same behaviour as one from a file")
  func ns8ModelInCode() throws {
    let coded = try ManagedObjectModel(
      ModelDraft(
        name: "",
        hierarchies: [
          .entity(
            "Car", .attribute("plate", .string, isOptional: true),
            .transformable("paint", transformer: "PaintTransformer", isOptional: true),
            .transformable("notes", isOptional: true))
        ]))
    let read = try Models.showroom()
    #expect(
      ModelHashes(StoreSchema(model: coded)).differences(fromStore: ModelHashes(StoreSchema(model: read))).isEmpty)
    let place = try Workplace(coded)
    try place.coordinator.registerTransformer(PaintTransformer(), forName: "PaintTransformer")
    let car = try place.context.insert("Car")
    try car.setTransformedValue(red, forKey: "paint")
    try place.context.save()
    let other4 = place.anotherContext()
    defer { withExtendedLifetime(other4) {} }
    let again = try #require(try other4.fetch(FetchRequest("Car")).first)
    #expect(try again.transformedValue(forKey: "paint") as? Paint == red)
  }

  @Test("NS28: a value is converted once, and again only when its bytes are others")
  func ns28OneConversion() throws {
    let transformer = PaintTransformer()
    let place = try showroom(transformer)
    let count = 50
    for i in 0..<count { try place.context.insert(Car.self).paint = Paint(red: UInt8(i), green: 0, blue: 0) }
    #expect(transformer.forward == count && transformer.reverse == 0)
    try place.context.save()
    let context = place.anotherContext()
    let cars = try context.fetch(TypedFetchRequest<Car>("Car"))
    for _ in 0..<3 { for car in cars { _ = car.paint } }
    #expect(transformer.reverse == count)
    let car = cars[0]
    let before = car.paint
    car.paint = red
    #expect(car.paint == red && transformer.reverse == count)
    context.rollback()
    #expect(car.paint == before && transformer.reverse == count + 1)
    try context.refresh(car, mergingChanges: false)
    #expect(car.paint == before && transformer.reverse == count + 2)
  }

  @Test("setting an equal value is no change; hooks and observers hear of a set once")
  func changes() throws {
    let place = try showroom()
    let car = try place.context.insert(Car.self)
    car.paint = red
    try place.context.save()
    car.paint = red
    #expect(!place.context.hasChanges)
    var heard = 0
    let observation = car.observe("paint") { _ in heard += 1 }
    car.paint = Paint(red: 1, green: 1, blue: 1)
    #expect(heard == 1 && car.isUpdated)
    withExtendedLifetime(observation) {}
  }

  @Test("NS24: a struct that no attribute holds is stored in a box of bytes or text that is its own managed value")
  func ns24ValueBox() throws {
    let place = try showroom()
    let car = try place.context.insert("Car")
    let box = Box(x: 1.5, y: -2, width: 3, height: 1e300)
    car.set("paint", box)
    try place.context.save()
    let other5 = place.anotherContext()
    defer { withExtendedLifetime(other5) {} }
    let again = try #require(try other5.fetch(FetchRequest("Car")).first)
    #expect(again.get("paint") == box)
    #expect(try place.rows("SELECT typeof(ZPAINT), length(ZPAINT) FROM ZCAR") == ["blob|32"])
  }

  @Test("plain values of all kinds come back as they were, and equal ones have equal bytes")
  func plainValues() throws {
    let archiver = PlainArchiver()
    let id = UniqueID(high: 1, low: 2)
    let value: [String: Any] = [
      "text": "é", "yes": true, "count": 42, "big": UInt64.max, "ratio": 0.5, "bytes": [0, 255] as [UInt8],
      "when": Timestamp(secondsSinceReferenceDate: 12.5), "id": id, "none": AttributeValue.null,
      "link": AttributeValue.uri("https://example.org/a"), "list": ["a", 1, [2.5] as [Any]] as [Any],
      "set": Set<AnyHashable>(["x", "y"]), "empty": [Any](), "nested": ["k": "v"],
    ]
    let bytes = try archiver.reverseTransformedValue(value)
    #expect(try archiver.reverseTransformedValue(value) == bytes)
    let again = try #require(try archiver.transformedValue(bytes) as? [String: Any])
    #expect(again.count == value.count)
    #expect(again["text"] as? String == "é" && again["yes"] as? Bool == true && again["count"] as? Int == 42)
    #expect(again["big"] as? UInt64 == .max && again["ratio"] as? Double == 0.5)
    #expect(again["bytes"] as? [UInt8] == [0, 255] && again["id"] as? UniqueID == id)
    #expect(again["when"] as? Timestamp == Timestamp(secondsSinceReferenceDate: 12.5))
    #expect(again["none"] as? AttributeValue == .null)
    #expect(again["link"] as? AttributeValue == .uri("https://example.org/a"))
    #expect(again["set"] as? Set<AnyHashable> == ["x", "y"] && (again["empty"] as? [Any])?.isEmpty == true)
    let list = try #require(again["list"] as? [Any])
    #expect(list[0] as? String == "a" && list[1] as? Int == 1 && list[2] as? [Double] == [2.5])
    #expect(try archiver.reverseTransformedValue(again) == bytes)
    #expect(throws: ValueTransformerError.self) { try archiver.reverseTransformedValue(red) }
  }

  @Test("archives as Foundation lays them out are read; classes that are not plain are refused by name")
  func foundationArchives() throws {
    func archive(_ objects: [PropertyList]) -> [UInt8] {
      BinaryPropertyListWriter.write(
        .dictionary([
          .init("$version", .integer(100_000)), .init("$objects", .array([.string("$null")] + objects)),
          .init("$archiver", .string("NSKeyedArchiver")),
          .init("$top", .dictionary([.init("root", .uid(1))])),
        ]))
    }
    func type(_ name: String) -> PropertyList {
      .dictionary([
        .init("$classname", .string(name)), .init("$classes", .array([.string(name), .string("NSObject")])),
      ])
    }
    let mutable = archive([
      .dictionary([.init("NS.objects", .array([.uid(2), .uid(4)])), .init("$class", .uid(3))]),
      .dictionary([.init("NS.string", .string("soft")), .init("$class", .uid(5))]), type("NSMutableArray"),
      .dictionary([.init("NS.time", .real(1)), .init("$class", .uid(6))]), type("NSMutableString"), type("NSDate"),
    ])
    let list = try #require(try PlainArchiver().transformedValue(mutable) as? [Any])
    #expect(list[0] as? String == "soft")
    #expect(list[1] as? Timestamp == Timestamp(secondsSinceReferenceDate: 1))
    let color = archive([.dictionary([.init("UIRed", .real(1)), .init("$class", .uid(2))]), type("UIColor")])
    let place = try showroom()
    let car = try place.context.insert("Car")
    try car.setValue(.binary(color), forKey: "notes")
    do {
      _ = try car.transformedValue(forKey: "notes")
      Issue.record("a UIColor was read")
    } catch {
      #expect(error.code == .transformer)
      #expect(error.message.contains("Car.notes") && error.message.contains("UIColor"))
    }
    let cycle = archive([
      .dictionary([.init("NS.objects", .array([.uid(1)])), .init("$class", .uid(2))]), type("NSArray"),
    ])
    #expect(throws: (any Error).self) { try PlainArchiver().transformedValue(cycle) }
    // Each list holds the next one twice: 2^60 values when unfolded.
    var doubling: [PropertyList] = (0..<60).map { i in
      .dictionary([.init("NS.objects", .array([.uid(UInt64(i + 2)), .uid(UInt64(i + 2))])), .init("$class", .uid(62))])
    }
    doubling += [.string("leaf"), type("NSArray")]
    #expect(throws: (any Error).self) { try PlainArchiver().transformedValue(archive(doubling)) }
  }

  @Test("any bytes are safe to read as an archive")
  func anyBytes() throws {
    let seed = Soak.seed(4118)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let archiver = PlainArchiver()
    let good = try archiver.reverseTransformedValue(
      ["a": [1, 2.5, "x"] as [Any], "b": ["c": UniqueID()]] as [String: Any])
    for _ in 0..<3000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // Whatever comes out can be written again, or is an error.
      if let value = try? archiver.transformedValue(bytes) { _ = try? archiver.reverseTransformedValue(value) }
    }
    #expect(throws: (any Error).self) { try archiver.transformedValue([]) }
  }
}

/// A rectangle as 32 bytes.
private struct Box: ManagedValue, Equatable {
  var x = 0.0
  var y = 0.0
  var width = 0.0
  var height = 0.0

  init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  init?(attributeValue: AttributeValue) {
    guard case .binary(let bytes) = attributeValue, bytes.count == 32 else { return nil }
    let numbers = (0..<4).map { i in
      Double(bitPattern: bytes[i * 8..<i * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  var attributeValue: AttributeValue {
    .binary(
      [x, y, width, height].flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(56 - 8 * $0)) }
      })
  }

  static var emptyValue: Box { Box(x: 0, y: 0, width: 0, height: 0) }
}
