/// Names that the object layer's base class has taken.
enum BaseClassNames {
  /// Members of `ManagedObject` that a property of a model could hide or be refused for.
  ///
  /// Lint refuses those that Core Data refuses already. Behind a point, `Type` and `Protocol` mean a type, even between
  /// backticks.
  static let members: Set<String> = [
    "Protocol", "Type", "add", "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent",
    "committedValues", "composite", "constantValue", "context", "description", "didAccessValue", "didChangeValue",
    "didSave", "didTurnIntoFault", "entity", "evaluatedObjectID", "faultingState", "fetchRequest", "fetchValues",
    "fetchedObjects", "fetchedRelated", "get", "hasChanges", "hasFault", "hasPersistentChangedValues", "hash",
    "hashValue", "insert", "isDeleted", "isFault", "isInserted", "isUpdated", "isValid", "object", "objectID",
    "objectIDs", "objects", "prepareForDeletion", "primitiveTransient", "primitiveValue", "related", "relatedObjects",
    "remove", "set", "setComposite", "setObject", "setObjects", "setPrimitiveTransient", "setPrimitiveValue",
    "setRelated", "setValue", "validateForDelete", "validateForInsert", "validateForUpdate", "validateValue", "value",
    "willAccessValue", "willChangeValue", "willSave", "willTurnIntoFault",
  ]

  /// Properties of `NSObject` and `NSManagedObject` in Swift that lint does not refuse, since Objective-C has none of that
  /// name or not on every system: a class for an app cannot declare them again.
  static let objectMembers: Set<String> = [
    "attributeKeys", "autoContentAccessingProxy", "classCode", "classDescription", "classForArchiver", "classForCoder",
    "classForKeyedArchiver", "className", "exposedBindings", "hashValue", "objectSpecifier", "objectWillChange",
    "scriptingProperties", "toManyRelationshipKeys", "toOneRelationshipKeys",
  ]
}
