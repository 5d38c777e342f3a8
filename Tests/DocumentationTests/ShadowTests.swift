import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("docs/attributes.md: transient attributes with a persistent shadow", .serialized)
struct ShadowTests {
  private let folder = TemporaryFolder()

  private func context(_ type: ManagedObject.Type, text: String? = "3 4") throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(
      ModelReader.parse(
        Array(
          """
          entities:
            Car:
              attributes:
                color: { type: undefined, transient: true }
                colorText: string
                name: string
          """.utf8), path: "m.yaml"))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addSQLiteStore(at: folder.file("cars.sqlite"))
    let plain = ManagedObjectContext(coordinator: coordinator)
    if let text { try plain.insert("Car").setValue(.string(text), forKey: "colorText") }
    try plain.save()
    plain.reset()
    try coordinator.setClass(type, forEntity: "Car")
    ShadowColor.conversions = 0
    return ManagedObjectContext(coordinator: coordinator)
  }

  private func car<Car: ManagedObject>(_ context: ManagedObjectContext) throws -> Car {
    try #require(try context.fetch(TypedFetchRequest<Car>("Car")).first)
  }

  @Test("the examples of the page are those that are compiled here")
  func page() throws {
    var examples: [String] = []
    var current: String?
    for line in try Pages.text("Tests/DocumentationTests/ShadowExamples.swift").split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line == "// end", let example = current {
        examples.append(example)
        current = nil
      } else if line.hasPrefix("// page: ") {
        current = ""
      } else {
        current?.append(line + "\n")
      }
    }
    #expect(examples.count == 5)
    #expect(try Pages.blocks("swift", of: "docs/attributes.md") == examples)
  }

  @Test("NS15, NS20: on demand: one conversion for two reads, and keeping the value is no change")
  func ns15OnDemand() throws {
    let context = try context(OnDemandCar.self)
    let car: OnDemandCar = try car(context)
    #expect(ShadowColor.conversions == 0)
    #expect(car.color == ShadowColor(red: 3, green: 4) && car.color == ShadowColor(red: 3, green: 4))
    #expect(ShadowColor.conversions == 1)
    #expect(!car.hasChanges && !context.hasChanges)
    try context.refresh(car, mergingChanges: false)
    #expect(car.color == ShadowColor(red: 3, green: 4))
    #expect(ShadowColor.conversions == 2)
  }

  @Test("NS16: pre-calculated: firing the fault has converted before the first read")
  func ns16PreCalculated() throws {
    let context = try context(PreCalculatedCar.self)
    let car: PreCalculatedCar = try car(context)
    _ = try car.value(forKey: "name")
    #expect(ShadowColor.conversions == 1)
    #expect(car.color == ShadowColor(red: 3, green: 4))
    #expect(ShadowColor.conversions == 1 && !context.hasChanges)
  }

  @Test("NS18: immediate update: the shadow is there as soon as the value is set")
  func ns18Immediate() throws {
    let context = try context(ImmediateCar.self)
    let car: ImmediateCar = try car(context)
    car.color = ShadowColor(red: 7, green: 8)
    #expect(car.primitive("colorText") == "7 8")
    car.color = nil
    #expect(try car.primitiveValue(forKey: "colorText") == .null)
  }

  @Test("NS19: delayed update: the shadow is stale until the save, and then equals the encoded value")
  func ns19Delayed() throws {
    let context = try context(DelayedCar.self)
    let car: DelayedCar = try car(context)
    car.color = ShadowColor(red: 7, green: 8)
    #expect(car.get("colorText") == "3 4" && context.hasChanges)
    try context.save()
    #expect(car.get("colorText") == "7 8" && !context.hasChanges)
    context.reset()
    let again: DelayedCar = try self.car(context)
    #expect(again.get("colorText") == "7 8")
  }

  @Test("NS10: a transient value is not saved: another context has none and computes its own")
  func ns10NotSaved() throws {
    let context = try context(ImmediateCar.self)
    let car: ImmediateCar = try car(context)
    car.color = ShadowColor(red: 7, green: 8)
    try context.save()
    #expect(car.color == ShadowColor(red: 7, green: 8))
    let other = ManagedObjectContext(coordinator: try #require(context.coordinator))
    let again: ImmediateCar = try self.car(other)
    #expect(again.color == nil)
    #expect(again.get("colorText") == "7 8")
  }

  @Test("NS22: values from before a merging refresh are put back after awakeFromFetch")
  func ns22FormerValueWins() throws {
    let context = try context(PreCalculatedCar.self)
    let car: PreCalculatedCar = try car(context)
    #expect(car.color == ShadowColor(red: 3, green: 4))
    try change("5 6", context)
    try context.refresh(car, mergingChanges: true)
    #expect(ShadowColor.conversions == 2)
    #expect(car.get("colorText") == "5 6" && car.color == ShadowColor(red: 3, green: 4))
    try context.refresh(car, mergingChanges: false)
    #expect(car.get("colorText") == "5 6" && car.color == ShadowColor(red: 5, green: 6))
  }

  @Test("NS21, NS23: a flag that didTurnIntoFault clears makes the getter compute anew after a refresh")
  func ns23ValidityFlag() throws {
    let context = try context(ValidatedCar.self)
    let car: ValidatedCar = try car(context)
    #expect(car.color == ShadowColor(red: 3, green: 4) && car.color == ShadowColor(red: 3, green: 4))
    #expect(ShadowColor.conversions == 1)
    try change("5 6", context)
    try context.refresh(car, mergingChanges: true)
    #expect(car.color == ShadowColor(red: 5, green: 6))
    #expect(ShadowColor.conversions == 2)
  }

  @Test("NS29: the object itself keeps any value for a transient attribute; no variable is needed")
  func ns29AnyValue() throws {
    let context = try context(ManagedObject.self)
    let car = try context.insert("Car")
    let function: (Int) -> Int = { $0 + 1 }
    try car.setPrimitiveTransient(function, forKey: "color")
    let kept = try #require(try car.primitiveTransient(forKey: "color") as? (Int) -> Int)
    #expect(kept(1) == 2)
    try car.setTransformedValue(["any": 1], forKey: "color")
    #expect(try car.transformedValue(forKey: "color") as? [String: Int] == ["any": 1])
    try context.save()
  }

  @Test("NS2, NS25: a struct as text: nothing but a shadow, written by the struct itself")
  func ns25StructAsText() throws {
    let context = try context(ManagedObject.self, text: nil)
    let car = try context.insert("Car")
    car.set("colorText", TextColor(red: 1, green: 2))
    try context.save()
    context.reset()
    let again = try #require(try context.fetch(FetchRequest("Car")).first)
    #expect(again.get("colorText") == TextColor(red: 1, green: 2))
    #expect(try again["colorText"] == .string("1 2"))
  }

  /// Changes the shadow behind the context's back.
  private func change(_ text: String, _ context: ManagedObjectContext) throws {
    let other = ManagedObjectContext(coordinator: try #require(context.coordinator))
    let car = try #require(try other.fetch(FetchRequest("Car")).first)
    try car.setValue(.string(text), forKey: "colorText")
    try other.save()
    other.reset()
    ShadowColor.conversions = 1
  }
}

private struct TextColor: ManagedValue, Equatable {
  var red: Int
  var green: Int

  init(red: Int, green: Int) { (self.red, self.green) = (red, green) }

  init?(attributeValue: AttributeValue) {
    guard case .string(let text) = attributeValue, let color = ShadowColor(text) else { return nil }
    self.init(red: color.red, green: color.green)
  }

  var attributeValue: AttributeValue { .string("\(red) \(green)") }
  static var emptyValue: TextColor { TextColor(red: 0, green: 0) }
}
