//
//  ZooKeeper+CoreDataProperties.swift
//
//  Made of the entity “Keeper” of class ZooKeeper by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension ZooKeeper {

  /// A request for all objects of “Keeper”.
  public class func fetchRequest(_ type: ZooKeeper.Type = ZooKeeper.self) -> TypedFetchRequest<ZooKeeper> {
    TypedFetchRequest("Keeper")
  }

  /// String.
  public var name: String? {
    get { get(ZooKeeperSlots.name) }
    set { set(ZooKeeperSlots.name, newValue) }
  }

  /// Double.
  public var salary: Double {
    get { get(ZooKeeperSlots.salary) }
    set { set(ZooKeeperSlots.salary, newValue) }
  }

  /// To many Animal, ordered; the way back is “keeper”.
  public var animals: RelatedObjects<Animal> { self.relatedObjects(ZooKeeperSlots.animals) }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: ZooKeeper {
  /// String.
  public var name: AttributeKey<String?> { AttributeKey("name") }

  /// Double.
  public var salary: AttributeKey<Double> { AttributeKey("salary") }

  /// To many Animal, ordered; the way back is “keeper”.
  public var animals: ToManyKey<Animal> { ToManyKey("animals") }
}

/// Where the accessors find their properties.
private enum ZooKeeperSlots {
  static let name = PropertySlot("name")
  static let salary = PropertySlot("salary")
  static let animals = PropertySlot("animals")
}

// MARK: Accessors of animals
extension ZooKeeper {

  /// Puts an object at a place.
  public func insertIntoAnimals(_ value: Animal, at index: Int) {
    animals.insert(value, at: index)
  }

  /// Takes away the object at a place.
  public func removeFromAnimals(at index: Int) {
    animals.remove(at: index)
  }

  /// Puts objects at places, which count in the result and ascend.
  public func insertIntoAnimals(_ values: [Animal], at indexes: [Int]) {
    for (index, value) in zip(indexes, values) { animals.insert(value, at: index) }
  }

  /// Takes away the objects at places, which ascend.
  public func removeFromAnimals(at indexes: [Int]) {
    for index in indexes.reversed() { animals.remove(at: index) }
  }

  /// Puts an object in the place of another.
  public func replaceAnimals(at index: Int, with value: Animal) {
    animals.replace(at: index, with: value)
  }

  /// Puts objects in the places of others.
  public func replaceAnimals(at indexes: [Int], with values: [Animal]) {
    for (index, value) in zip(indexes, values) { animals.replace(at: index, with: value) }
  }

  /// Adds an object.
  public func addToAnimals(_ value: Animal) {
    animals.insert(value)
  }

  /// Takes an object away.
  public func removeFromAnimals(_ value: Animal) {
    animals.remove(value)
  }

  /// Adds objects.
  public func addToAnimals(_ values: some Sequence<Animal>) {
    for value in values { animals.insert(value) }
  }

  /// Takes objects away.
  public func removeFromAnimals(_ values: some Sequence<Animal>) {
    for value in Array(values) { animals.remove(value) }
  }
}

// MARK: Fetch requests of the model
extension ZooKeeper {

  /// The fetch request “crowded”: `animals.@count > $N`.
  public class func crowded(
    n: Int
  ) throws(PredicateError) -> FetchRequest {
    var request = FetchRequest("Keeper")
    request.predicate = try ObjectPredicate(
      format: "animals.@count > $N"
    ).substituting([
      "N": ConstantValue.attribute(n.attributeValue)
    ])
    request.resultType = .objectIDs
    return request
  }
}
