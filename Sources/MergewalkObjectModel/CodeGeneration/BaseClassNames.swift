/// Names that the object layer's base class has taken.
enum BaseClassNames {
  /// Members of `ManagedObject` that a property of a model could hide or be refused for; lint refuses those that Core
  /// Data refuses already.
  static let members: Set<String> = [
    "add", "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "committedValues",
    "composite", "constantValue", "context", "description", "didAccessValue", "didChangeValue", "didSave",
    "didTurnIntoFault", "entity", "evaluatedObjectID", "faultingState", "fetchRequest", "fetchValues", "fetchedObjects",
    "fetchedRelated", "get", "hasChanges", "hasFault", "hasPersistentChangedValues", "hash", "insert", "isDeleted",
    "isFault", "isInserted", "isUpdated", "isValid", "object", "objectID", "objectIDs", "objects", "prepareForDeletion",
    "primitiveTransient", "primitiveValue", "related", "relatedObjects", "remove", "set", "setComposite", "setObject",
    "setObjects", "setPrimitiveTransient", "setPrimitiveValue", "setRelated", "setValue", "validateForDelete",
    "validateForInsert", "validateForUpdate", "validateValue", "value", "willAccessValue", "willChangeValue",
    "willSave", "willTurnIntoFault",
  ]
}
