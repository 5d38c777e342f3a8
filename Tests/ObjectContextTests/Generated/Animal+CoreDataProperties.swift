//
//  Animal+CoreDataProperties.swift
//
//  Made of the entity “Animal” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import ObjectContext
public import ObjectModel

extension Animal {

  /// A request for all objects of “Animal”.
  public class func fetchRequest(_ type: Animal.Type = Animal.self) -> TypedFetchRequest<Animal> {
    TypedFetchRequest("Animal")
  }

  /// Date, optional.
  public var born: Timestamp? {
    get { get("born") }
    set { set("born", newValue) }
  }

  /// String, optional.
  public var `default`: String? {
    get { get("default") }
    set { set("default", newValue) }
  }

  /// String, optional.
  public var homeCity: String? {
    get { get("home.city") }
    set { set("home.city", newValue) }
  }

  /// Integer 64, optional.
  public var homeZone: Int64? {
    get { get("home.zone") }
    set { set("home.zone", newValue) }
  }

  /// Boolean.
  public var isTame: Bool {
    get { get("isTame") }
    set { set("isTame", newValue) }
  }

  /// Integer 16, default 4.
  public var legs: Int16 {
    get { get("legs") }
    set { set("legs", newValue) }
  }

  /// Integer 32, optional.
  public var lives: Int32? {
    get { get("lives") }
    set { set("lives", newValue) }
  }

  /// String.
  public var name: String? {
    get { get("name") }
    set { set("name", newValue) }
  }

  /// URI, optional.
  public var page: String? {
    get { get("page") }
    set { set("page", newValue) }
  }

  /// Binary, optional.
  public var photo: [UInt8]? {
    get { get("photo") }
    set { set("photo", newValue) }
  }

  /// Double.
  public var score: Double? {
    get { get("score") }
    set { set("score", newValue) }
  }

  /// UUID, optional.
  public var tag: UniqueID? {
    get { get("tag") }
    set { set("tag", newValue) }
  }

  /// Integer 64, optional, derived from toys.@count, so read-only.
  public var toyCount: Int64? { self.get("toyCount") }

  /// Decimal, optional.
  public var weight: DecimalNumber? {
    get { get("weight") }
    set { set("weight", newValue) }
  }

  /// To one Keeper; the way back is “animals”.
  public var keeper: ZooKeeper? {
    get { related("keeper") }
    set { setRelated("keeper", newValue) }
  }

  /// To many Toy; the way back is “animals”.
  public var toys: RelatedObjects<ManagedObject> { self.relatedObjects("toys") }

  /// What the fetched property “rivals” finds; asked for once, until the object is refreshed.
  public var rivals: [Animal] { self.fetchedRelated("rivals") }

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
    request.predicate = try Predicate(
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
