public import MergewalkDiagnostics

/// A property of an entity that refers to other objects.
public struct RelationshipDescription: Sendable, Hashable {
  /// The property's name.
  public var name: String
  /// The name of the entity at the other end.
  public var destinationEntityName: String
  /// The name of the relationship back from the destination; `nil` if there is none.
  public var inverseName: String?
  /// The entity named for the inverse in the file (`inverseEntity`); it may be an ancestor of the destination.
  public var inverseEntityName: String?
  /// Whether it refers to any number of objects.
  public var isToMany = false
  /// Whether a to-many relationship keeps an order.
  public var isOrdered = false
  /// Whether an object may refer to nothing.
  public var isOptional = false
  /// Whether the reference stays in memory and is never stored.
  public var isTransient = false
  /// The minimum number of objects (0 if the file does not set it).
  public var minCount = 0
  /// The maximum number of objects; 1 for to-one, 0 for unbounded.
  public var maxCount = 0
  /// The effect of a deletion on the objects at the other end.
  public var deleteRule = DeleteRule.nullify
  /// `syncable` as in the file; `nil` if the file does not set it.
  public var isSyncable: Bool?
  /// Whether Spotlight indexes it.
  public var isIndexedBySpotlight = false
  /// Whether it is also kept in the external record file.
  public var isStoredInExternalRecord = false
  /// Text that changes the version hash without changing anything else.
  public var versionHashModifier: String?
  /// The name this property had in earlier versions of the model (`elementID`).
  public var renamingIdentifier: String?
  /// Free key-value pairs.
  public var userInfo: [String: String] = [:]
  /// XML attributes this version does not know, kept so that writing the model loses nothing.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// The dense number of the property within its entity's hierarchy (see ``AttributeDescription/slot``).
  public internal(set) var slot = -1
  /// The index (in `ManagedObjectModel.entities`) of the entity that declares it; -1 until the model is frozen.
  public internal(set) var declaringEntity = -1
  /// The index of the destination entity; -1 until the model is frozen.
  public internal(set) var destinationEntity = -1
  /// The slot of the inverse relationship in the destination's hierarchy; -1 if there is none.
  public internal(set) var inverseSlot = -1
  /// The index of the entity that declares the inverse; -1 if there is none.
  public internal(set) var inverseDeclaringEntity = -1
  /// Whether the inverse is to-many; false if there is none.
  public internal(set) var isInverseToMany = false

  /// Creates a mandatory to-one relationship without an inverse.
  public init(name: String, destinationEntityName: String) {
    self.name = name
    self.destinationEntityName = destinationEntityName
    maxCount = 1
  }

  /// The features that determine columns and version hashes, apart from the name.
  var storedForm: [AnyHashable?] {
    [
      destinationEntityName, inverseName, isToMany, isOrdered, isOptional, isTransient, minCount, maxCount,
      versionHashModifier,
    ]
  }

  /// The same with the number of objects that Core Data understands: a maximum of one makes it to-one, and a to-one
  /// relationship has one.
  var withUnderstoodCounts: RelationshipDescription {
    var copy = self
    if isToMany, maxCount == 1 { copy.isToMany = false }
    if !copy.isToMany { copy.maxCount = 1 }
    return copy
  }

  /// Whether the relationship is its own inverse.
  public var isOwnInverse: Bool {
    inverseSlot == slot && slot >= 0 && inverseDeclaringEntity == declaringEntity
  }
}
