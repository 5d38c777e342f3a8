public import MergewalkDiagnostics

/// A property of an entity that holds a value.
public struct AttributeDescription: Sendable, Hashable {
  /// The property's name.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether an object may have no value.
  public var isOptional = false
  /// Whether the value stays in memory and is never stored.
  public var isTransient = false
  /// The value of a new object; `nil` for no default.
  public var defaultValue: AttributeValue?
  /// The default as written in the model file, kept so that writing the model loses nothing.
  public var defaultValueText: String?
  /// The bounds and the pattern for values.
  public var validation = AttributeValidation()
  /// Whether generated code uses a scalar type (`usesScalarValueType`); `nil` if the file does not set it.
  public var usesScalarValueType: Bool?
  /// The expression of a derived attribute as written in the model (`derivationExpression`), or `nil`.
  public var derivationExpression: String?
  /// The name of the transformer of a transformable attribute, or `nil` for the default one.
  public var valueTransformerName: String?
  /// The class of a transformable attribute's values in generated code.
  public var customClassName: String?
  /// Whether large values may be in files beside the store.
  public var allowsExternalBinaryDataStorage = false
  /// Whether persistent history keeps the value when the object is deleted.
  public var preservesValueInHistoryOnDeletion = false
  /// Whether CloudKit may encrypt the value.
  public var allowsCloudEncryption = false
  /// The old single-attribute index flag (`indexed="YES"`).
  public var isIndexed = false
  /// Whether Spotlight indexes the value.
  public var isIndexedBySpotlight = false
  /// Whether the value is also kept in the external record file.
  public var isStoredInExternalRecord = false
  /// `syncable` as in the file; `nil` if the file does not set it.
  public var isSyncable: Bool?
  /// Text that changes the version hash without changing anything else.
  public var versionHashModifier: String?
  /// The name this property had in earlier versions of the model (`elementID`).
  public var renamingIdentifier: String?
  /// The elements of a composite attribute; empty for other types, and if ``compositeName`` defines them.
  public var elements: [AttributeDescription] = []
  /// The name of the composite that defines the elements (``ModelDraft/composites``), or `nil`.
  public var compositeName: String?
  /// For the element `address.city` of a frozen entity, the name of the composite attribute, `address`; otherwise
  /// `nil`.
  public internal(set) var compositeKey: String?
  /// Free key-value pairs.
  public var userInfo: [String: String] = [:]
  /// XML attributes this version does not know, kept so that writing the model loses nothing.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// The dense number of the property within its entity's hierarchy, from 0; -1 until the model is frozen.
  ///
  /// Attributes and to-one relationships of all entities below one root come first, in the order in which Core Data
  /// names columns (entities in number order; in each its attributes by name, then its to-one relationships by name);
  /// to-many relationships follow.
  public internal(set) var slot = -1
  /// The index (in `ManagedObjectModel.entities`) of the entity that declares it; -1 until the model is frozen.
  public internal(set) var declaringEntity = -1

  /// Creates an attribute that is neither optional nor transient.
  public init(name: String, type: AttributeType) {
    self.name = name
    self.type = type
  }

  /// The features that determine columns and version hashes, apart from the name.
  var storedForm: [AnyHashable?] {
    [
      type, isOptional, isTransient, derivationExpression, allowsExternalBinaryDataStorage,
      preservesValueInHistoryOnDeletion, versionHashModifier, elements, compositeName,
    ]
  }

  /// Whether the value is computed by the store (`derived="YES"`).
  public var isDerived: Bool { derivationExpression != nil }
}

/// The model's requirements for an attribute's values, apart from type and optionality.
public struct AttributeValidation: Sendable, Hashable {
  /// The minimum number or date, inclusive.
  public var minimumValue: AttributeValue?
  /// The maximum number or date, inclusive.
  public var maximumValue: AttributeValue?
  /// The minimum length of a string in characters (UTF-16 code units, as in Core Data).
  public var minimumLength: Int?
  /// The maximum length of a string in characters (UTF-16 code units, as in Core Data).
  public var maximumLength: Int?
  /// An ICU regular expression that the whole string must match.
  public var regularExpression: String?
  /// `minValueString` as written in the file.
  public var minimumText: String?
  /// `maxValueString` as written in the file.
  public var maximumText: String?

  /// Creates a validation without requirements.
  public init() {}

  /// Whether there are no requirements.
  public var isEmpty: Bool {
    minimumValue == nil && maximumValue == nil && minimumLength == nil && maximumLength == nil
      && regularExpression == nil
  }
}
