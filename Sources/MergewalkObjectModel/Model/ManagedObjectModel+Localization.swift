/// Names for people, in their language.
///
/// A model's ``localizationDictionary`` has what Core Data's has: `Entity/NAME`, `Property/NAME/Entity/ENTITY`,
/// `Property/NAME` for all entities, and `ErrorString/TEXT`.
/// Source: Apple, [localizationDictionary](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/localizationdictionary).
extension ManagedObjectModel {
  /// The texts by key; empty if the model has none.
  public var localizationDictionary: [String: String] { draft.localizationDictionary }

  /// A copy of the model with other texts; everything else is the same.
  ///
  /// - Complexity: O(entities × properties).
  public func localized(_ dictionary: [String: String]) -> ManagedObjectModel {
    var copy = draft
    copy.localizationDictionary = dictionary
    return ManagedObjectModel(sound: copy)
  }

  /// The localised name of an entity, or else its name in the model.
  public func localizedName(of entity: EntityDescription) -> String {
    draft.localizationDictionary["Entity/\(entity.name)"] ?? entity.name
  }

  /// The localised name of a property: the one for the entity or its nearest ancestor with one, then the one for all
  /// entities, then the name in the model.
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

  /// The localised text of an error, or else the same text.
  public func localizedError(_ text: String) -> String {
    draft.localizationDictionary["ErrorString/\(text)"] ?? text
  }
}
