//
//  Animal+CoreDataProperties.swift
//
//  Made of the entity “Animal” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension Animal {

  /// A request for all objects of “Animal”.
  public class func fetchRequest(_ type: Animal.Type = Animal.self) -> TypedFetchRequest<Animal> {
    TypedFetchRequest("Animal")
  }

  /// Date, optional.
  public var born: Timestamp? {
    get { get(AnimalSlots.born) }
    set { set(AnimalSlots.born, newValue) }
  }

  /// String, optional.
  public var `default`: String? {
    get { get(AnimalSlots.`default`) }
    set { set(AnimalSlots.`default`, newValue) }
  }

  /// String, optional.
  public var homeCity: String? {
    get { get(AnimalSlots.homeCity) }
    set { set(AnimalSlots.homeCity, newValue) }
  }

  /// Integer 64, optional.
  public var homeZone: Int64? {
    get { get(AnimalSlots.homeZone) }
    set { set(AnimalSlots.homeZone, newValue) }
  }

  /// Boolean.
  public var isTame: Bool {
    get { get(AnimalSlots.isTame) }
    set { set(AnimalSlots.isTame, newValue) }
  }

  /// Integer 16, default 4.
  public var legs: Int16 {
    get { get(AnimalSlots.legs) }
    set { set(AnimalSlots.legs, newValue) }
  }

  /// Integer 32, optional.
  public var lives: Int32? {
    get { get(AnimalSlots.lives) }
    set { set(AnimalSlots.lives, newValue) }
  }

  /// String.
  public var name: String? {
    get { get(AnimalSlots.name) }
    set { set(AnimalSlots.name, newValue) }
  }

  /// URI, optional.
  public var page: String? {
    get { get(AnimalSlots.page) }
    set { set(AnimalSlots.page, newValue) }
  }

  /// Binary, optional.
  public var photo: [UInt8]? {
    get { get(AnimalSlots.photo) }
    set { set(AnimalSlots.photo, newValue) }
  }

  /// Double.
  public var score: Double? {
    get { get(AnimalSlots.score) }
    set { set(AnimalSlots.score, newValue) }
  }

  /// UUID, optional.
  public var tag: UniqueID? {
    get { get(AnimalSlots.tag) }
    set { set(AnimalSlots.tag, newValue) }
  }

  /// Integer 64, optional, derived from toys.@count, so read-only.
  public var toyCount: Int64? { self.get(AnimalSlots.toyCount) }

  /// Decimal, optional.
  public var weight: DecimalNumber? {
    get { get(AnimalSlots.weight) }
    set { set(AnimalSlots.weight, newValue) }
  }

  /// To one Keeper; the way back is “animals”.
  public var keeper: ZooKeeper? {
    get { related(AnimalSlots.keeper) }
    set { setRelated(AnimalSlots.keeper, newValue) }
  }

  /// To many Toy; the way back is “animals”.
  public var toys: RelatedObjects<ManagedObject> { self.relatedObjects(AnimalSlots.toys) }

  /// The objects of the fetched property “rivals”: fetched once, until the object is refreshed.
  public var rivals: [Animal] { self.fetchedRelated("rivals") }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: Animal {
  /// Date, optional.
  public var born: AttributeKey<Timestamp?> { AttributeKey("born") }

  /// String, optional.
  public var `default`: AttributeKey<String?> { AttributeKey("default") }

  /// String, optional.
  public var homeCity: AttributeKey<String?> { AttributeKey("home.city") }

  /// Integer 64, optional.
  public var homeZone: AttributeKey<Int64?> { AttributeKey("home.zone") }

  /// Boolean.
  public var isTame: AttributeKey<Bool> { AttributeKey("isTame") }

  /// Integer 16, default 4.
  public var legs: AttributeKey<Int16> { AttributeKey("legs") }

  /// Integer 32, optional.
  public var lives: AttributeKey<Int32?> { AttributeKey("lives") }

  /// String.
  public var name: AttributeKey<String?> { AttributeKey("name") }

  /// URI, optional.
  public var page: AttributeKey<String?> { AttributeKey("page") }

  /// Binary, optional.
  public var photo: AttributeKey<[UInt8]?> { AttributeKey("photo") }

  /// Double.
  public var score: AttributeKey<Double?> { AttributeKey("score") }

  /// UUID, optional.
  public var tag: AttributeKey<UniqueID?> { AttributeKey("tag") }

  /// Integer 64, optional, derived from toys.@count, so read-only.
  public var toyCount: AttributeKey<Int64?> { AttributeKey("toyCount") }

  /// Decimal, optional.
  public var weight: AttributeKey<DecimalNumber?> { AttributeKey("weight") }

  /// To one Keeper; the way back is “animals”.
  public var keeper: ToOneKey<ZooKeeper> { ToOneKey("keeper") }

  /// To many Toy; the way back is “animals”.
  public var toys: ToManyKey<ManagedObject> { ToManyKey("toys") }
}

/// Where the accessors find their properties.
private enum AnimalSlots {
  static let born = PropertySlot("born")
  static let `default` = PropertySlot("default")
  static let homeCity = PropertySlot("home.city")
  static let homeZone = PropertySlot("home.zone")
  static let isTame = PropertySlot("isTame")
  static let legs = PropertySlot("legs")
  static let lives = PropertySlot("lives")
  static let name = PropertySlot("name")
  static let page = PropertySlot("page")
  static let photo = PropertySlot("photo")
  static let score = PropertySlot("score")
  static let tag = PropertySlot("tag")
  static let toyCount = PropertySlot("toyCount")
  static let weight = PropertySlot("weight")
  static let keeper = PropertySlot("keeper")
  static let toys = PropertySlot("toys")
}

// MARK: Accessors of toys
extension Animal {

  /// Adds an object.
  public func addToToys(_ value: ManagedObject) {
    toys.insert(value)
  }

  /// Takes an object away.
  public func removeFromToys(_ value: ManagedObject) {
    toys.remove(value)
  }

  /// Adds objects.
  public func addToToys(_ values: some Sequence<ManagedObject>) {
    for value in values { toys.insert(value) }
  }

  /// Takes objects away.
  public func removeFromToys(_ values: some Sequence<ManagedObject>) {
    for value in Array(values) { toys.remove(value) }
  }
}

// MARK: Fetch requests of the model
extension Animal {

  /// The fetch request “tame”: `keeper == $KEEPER AND name LIKE $PATTERN AND legs > $LEAST_LEGS AND isTame == Y…`.
  public class func tame(
    keeper: ZooKeeper?,
    leastLegs: Int16,
    pattern: String
  ) throws(PredicateError) -> TypedFetchRequest<Animal> {
    var request = FetchRequest("Animal")
    request.predicate = try ObjectPredicate(
      format: "keeper == $KEEPER AND name LIKE $PATTERN AND legs > $LEAST_LEGS AND isTame == YES"
    ).substituting([
      "KEEPER": (keeper?.objectID).constantValue,
      "LEAST_LEGS": ConstantValue.attribute(leastLegs.attributeValue),
      "PATTERN": ConstantValue.attribute(pattern.attributeValue),
    ])
    request.fetchLimit = 3
    return TypedFetchRequest(request)
  }
}
