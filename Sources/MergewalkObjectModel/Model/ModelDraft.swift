public import MergewalkDiagnostics

/// A model that can still be changed: produced by readers, built by code, and frozen by ``ManagedObjectModel``.
public struct ModelDraft: Sendable, Hashable {
  /// The path for findings.
  public var path = "model"
  /// The name of this version of the model: the folder's name without `.xcdatamodel`.
  public var name = ""
  /// `userDefinedModelVersionIdentifier`.
  public var versionIdentifier = ""
  /// The entities in file order.
  public var entities: [EntityDraft] = []
  /// The named fetch requests.
  public var fetchRequestTemplates: [FetchRequestTemplate] = []
  /// The configurations.
  public var configurations: [ModelConfiguration] = []
  /// The definitions of composite attribute types (`compositeAttribute` elements).
  public var composites: [CompositeDefinition] = []
  /// Localised names by Core Data's keys (see ``ManagedObjectModel/localizationDictionary``); model files do not have
  /// them, ``LocalizationFile`` reads them.
  public var localizationDictionary: [String: String] = [:]
  /// The boxes of Xcode's diagram, kept for writing.
  public var diagram: [DiagramElement] = []
  /// The other attributes of the XML `model` element (`lastSavedToolsVersion` ...), kept for writing.
  public var xmlAttributes: [String: String] = [:]
  /// Whether Core Data's compiler has accepted the model: it comes from a `.mom` file or a store's own copy.
  public var isCompiled = false
  /// The entities of a compiled model with parts left out, so that their version hashes differ.
  public var incompleteEntities: Set<String> = []
  /// The reader's findings about the file's content; ``ModelLint/check(_:advice:)`` returns them with its own.
  public var readerFindings: [Diagnostic] = []

  /// Creates an empty draft.
  public init() {}
}

/// A named group of attributes for attributes of the composite type (Xcode 15 and later).
public struct CompositeDefinition: Sendable, Hashable {
  /// The group's name.
  public var name: String
  /// Its attributes in file order.
  public var attributes: [AttributeDescription]
  /// XML attributes this version does not know.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// Creates a definition.
  public init(name: String, attributes: [AttributeDescription]) {
    self.name = name
    self.attributes = attributes
  }
}

/// The position of an entity's box in Xcode's diagram, as written in the file.
public struct DiagramElement: Sendable, Hashable {
  /// The entity's name.
  public var name: String
  /// `positionX`.
  public var x: String
  /// `positionY`.
  public var y: String
  /// `width`.
  public var width: String
  /// `height`.
  public var height: String

  /// Creates a box.
  public init(name: String, x: String, y: String, width: String, height: String) {
    self.name = name
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// An entity that can still be changed.
public struct EntityDraft: Sendable, Hashable {
  /// The entity's name.
  public var name: String
  /// The name of the entity it inherits from, or `nil`.
  public var parentName: String?
  /// Whether it has no objects of its own.
  public var isAbstract = false
  /// `representedClassName`; `nil` for plain managed objects.
  public var className: String?
  /// `codeGenerationType` as in the file.
  public var codeGenerationType: String?
  /// `syncable` as in the file; `nil` if the file does not set it.
  public var isSyncable: Bool?
  /// Its own attributes in file order.
  public var attributes: [AttributeDescription] = []
  /// Its own relationships in file order.
  public var relationships: [RelationshipDescription] = []
  /// Its own fetched properties in file order.
  public var fetchedProperties: [FetchedPropertyDescription] = []
  /// Its fetch indexes.
  public var fetchIndexes: [FetchIndexDescription] = []
  /// Its old compound indexes: lists of property names.
  public var compoundIndexes: [[String]] = []
  /// Its uniqueness constraints: lists of property names.
  public var uniquenessConstraints: [[String]] = []
  /// Text that changes the version hash without changing anything else.
  public var versionHashModifier: String?
  /// The name this entity had in earlier versions of the model (`elementID`).
  public var renamingIdentifier: String?
  /// Free key-value pairs.
  public var userInfo: [String: String] = [:]
  /// XML attributes this version does not know.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// Creates an entity without properties.
  public init(name: String) { self.name = name }
}
