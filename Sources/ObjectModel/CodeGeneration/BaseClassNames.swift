/// Names that the object layer's base class has taken.
enum BaseClassNames {
  /// Members of `ManagedObject` that a property of a model could hide or be refused for; lint refuses those that Core
  /// Data refuses already.
  static let members: Set<String> = [
    "changedValuesForCurrentEvent", "committedValues", "context", "description", "entity", "fetchRequest",
    "fetchedObjects", "get", "hasChanges", "hasPersistentChangedValues", "hash", "isDeleted", "isFault", "isInserted",
    "isUpdated", "isValid", "objectID", "object", "objects", "primitiveValue", "related", "relatedObjects", "set",
    "setObject", "setRelated", "setValue", "value",
  ]
}
