import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// Items with a unique code in shops, with tags; slots whose row and column are unique together.
enum ConflictModels {
  static func shop() throws -> ManagedObjectModel {
    var amount = Models.attribute("amount", .integer32)
    amount.defaultValue = .integer(0)
    var item = Models.entity(
      "Item",
      attributes: [
        Models.attribute("code", .string), Models.attribute("name", .string), Models.attribute("note", .string), amount,
      ],
      relationships: [
        Models.toOne("shop", "Shop", inverse: "items"), Models.toMany("tags", "Tag", inverse: "items"),
        Models.toOne("box", "Box", inverse: "item"),
      ])
    item.uniquenessConstraints = [["code"]]
    var shop = Models.entity(
      "Shop", attributes: [Models.attribute("name", .string), Models.attribute("city", .string)],
      relationships: [Models.toMany("items", "Item", inverse: "shop")])
    shop.uniquenessConstraints = [["name"]]
    var slot = Models.entity(
      "Slot", attributes: [Models.attribute("row", .integer16), Models.attribute("column", .integer16)])
    slot.uniquenessConstraints = [["row", "column"]]
    return try Models.model(
      item, shop, slot,
      Models.entity(
        "Tag", attributes: [Models.attribute("title", .string)],
        relationships: [Models.toMany("items", "Item", inverse: "tags")]),
      Models.entity(
        "Box", attributes: [Models.attribute("size", .integer16)],
        relationships: [Models.toOne("item", "Item", inverse: "box")]),
      Models.entity("Poster", relationships: [Models.toOne("shows", "Item")]))
  }
}

extension ManagedObjectContext {
  /// A new object with values.
  func make(_ entity: String, _ values: [String: AttributeValue]) throws -> ManagedObject {
    let object = try insert(entity)
    for (key, value) in values { try object.setValue(value, forKey: key) }
    return object
  }

  /// An object of this context for one of another.
  func own(_ object: ManagedObject) throws -> ManagedObject { try self.object(with: object.objectID) }
}
