/// Names for people, in their language.
///
/// A model's ``localizationDictionary`` has what Core Data's has: `Entity/NAME`, `Property/NAME/Entity/ENTITY`,
/// `Property/NAME` for all entities, and `ErrorString/TEXT`.
/// Source: Apple, [localizationDictionary](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/localizationdictionary).
extension ManagedObjectModel {
  /// The texts by key; empty when the model has none.
  public var localizationDictionary: [String: String] { draft.localizationDictionary }

  /// A copy of the model with other texts; everything else is the same.
  ///
  /// - Complexity: O(entities × properties).
  public func localized(_ dictionary: [String: String]) -> ManagedObjectModel {
    var copy = draft
    copy.localizationDictionary = dictionary
    return ManagedObjectModel(sound: copy)
  }

  /// The name of an entity for people; its name in the model when there is no other.
  public func localizedName(of entity: EntityDescription) -> String {
    draft.localizationDictionary["Entity/\(entity.name)"] ?? entity.name
  }

  /// The name of a property for people: the one for the entity, or the nearest ancestor that has one, then the one for
  /// all entities, then the name in the model.
  ///
  /// - Complexity: O(depth of inheritance).
  public func localizedName(ofProperty name: String, of entity: EntityDescription) -> String {
    var current: EntityDescription? = entity
    while let holder = current {
      if let text = draft.localizationDictionary["Property/\(name)/Entity/\(holder.name)"] { return text }
      current = superentity(of: holder)
    }
    return draft.localizationDictionary["Property/\(name)"] ?? name
  }

  /// The text of an error for people; the same text when there is no other.
  public func localizedError(_ text: String) -> String {
    draft.localizationDictionary["ErrorString/\(text)"] ?? text
  }
}
