//
//  Dog+CoreDataProperties.swift
//
//  Made of the entity “Dog” by `mergewalk model codegen`, which writes it anew. Do not edit.
//
// Names are those of the model.
// swift-format-ignore-file

public import MergewalkObjectContext
public import MergewalkObjectModel

extension Dog {

  /// A request for all objects of “Dog”.
  public class func fetchRequest(_ type: Dog.Type = Dog.self) -> TypedFetchRequest<Dog> {
    TypedFetchRequest("Dog")
  }

  /// String, optional.
  public var breed: String? {
    get { get(DogSlots.breed) }
    set { set(DogSlots.breed, newValue) }
  }

}

// MARK: Keys for typed queries
extension ObjectKeys where Object: Dog {
  /// String, optional.
  public var breed: AttributeKey<String?> { AttributeKey("breed") }
}

/// Where the accessors find their properties.
private enum DogSlots {
  static let breed = PropertySlot("breed")
}

// MARK: Fetch requests of the model
extension Dog {

  /// The fetch request “allDogs”.
  public class func allDogs() -> TypedFetchRequest<Dog> {
    TypedFetchRequest("Dog")
  }

  /// The fetch request “namedDogs”: `name IN $NAMES`.
  public class func namedDogs(
    names: [String]
  ) throws(PredicateError) -> TypedFetchRequest<Dog> {
    var request = FetchRequest("Dog")
    request.predicate = try ObjectPredicate(
      format: "name IN $NAMES"
    ).substituting([
      "NAMES": ConstantValue.collection(names.map { ConstantValue.attribute($0.attributeValue) })
    ])
    return TypedFetchRequest(request)
  }
}
