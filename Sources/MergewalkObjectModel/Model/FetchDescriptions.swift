public import MergewalkDiagnostics

/// A named fetch request stored in a model, or the request of a fetched property.
public struct FetchRequestTemplate: Sendable, Hashable {
  /// The kind of result of a fetch.
  public enum ResultType: Int, Sendable, Hashable {
    /// Managed objects.
    case objects = 0
    /// IDs of managed objects.
    case objectIDs = 1
    /// Dictionaries.
    case dictionaries = 2
    /// The number of objects.
    case count = 4
  }

  /// The request's name.
  public var name: String
  /// The name of the entity it fetches.
  public var entityName: String
  /// The predicate as text, or `nil` for all objects.
  public var predicateText: String?
  /// The kind of result.
  public var resultType = ResultType.objects
  /// Boolean options by their XML names (`includeSubentities`, `returnObjectsAsFaults` ...), as far as the file sets
  /// them.
  public var options: [String: Bool] = [:]
  /// The maximum number of results; 0 for no limit.
  public var fetchLimit = 0
  /// The number of objects in a batch; 0 for all at once.
  public var fetchBatchSize = 0
  /// The order of the results; model files have no place for it, so it is set in code.
  public var sortDescriptors: [ObjectSortDescriptor] = []
  /// Free key-value pairs.
  public var userInfo: [String: String] = [:]
  /// XML attributes this version does not know.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// Whether it stands for a request that the file of a fetched property does not have.
  var isMissing: Bool {
    var none = FetchRequestTemplate(name: "", entityName: "")
    none.position = position
    return self == none
  }

  /// Creates a request for all objects of an entity.
  public init(name: String, entityName: String) {
    self.name = name
    self.entityName = entityName
  }
}

/// A property whose value is the result of a fetch request; it is never stored.
public struct FetchedPropertyDescription: Sendable, Hashable {
  /// The property's name.
  public var name: String
  /// The request that computes the value.
  public var fetchRequest: FetchRequestTemplate
  /// `optional` as in the file.
  public var isOptional = false
  /// `syncable` as in the file; `nil` if the file does not set it.
  public var isSyncable: Bool?
  /// Free key-value pairs.
  public var userInfo: [String: String] = [:]
  /// XML attributes this version does not know.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// Creates a fetched property.
  public init(name: String, fetchRequest: FetchRequestTemplate) {
    self.name = name
    self.fetchRequest = fetchRequest
  }
}

/// An index that speeds up fetches.
public struct FetchIndexDescription: Sendable, Hashable {
  /// One column or expression of an index.
  public struct Element: Sendable, Hashable {
    /// The kind of index.
    public enum Kind: String, Sendable, Hashable {
      /// A B-tree.
      case binary = "Binary"
      /// An R-tree.
      case rTree = "RTree"
    }
    /// The property's name; `nil` if the element is an expression.
    public var propertyName: String?
    /// The expression as text; `nil` if the element is a property.
    public var expression: String?
    /// The type of the expression's value as written in the file.
    public var expressionType: String?
    /// The kind of index.
    public var kind = Kind.binary
    /// Whether the order is ascending.
    public var isAscending = true
    /// XML attributes this version does not know.
    public var unknownXMLAttributes: [String: String] = [:]

    /// Creates an ascending element over a property.
    public init(propertyName: String?) { self.propertyName = propertyName }
  }

  /// The index's name.
  public var name: String
  /// Its elements in order.
  public var elements: [Element]
  /// The predicate of a partial index, or `nil`.
  public var partialIndexPredicateText: String?
  /// Whether the index's only attribute gets no additional index with its own name.
  ///
  /// Xcode's compiler adds one; the compiled models of Photos have none.
  public var isAlone = false
  /// XML attributes this version does not know.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// The property of an index over one property and nothing else; `nil` for other indexes.
  package var onlyProperty: String? {
    partialIndexPredicateText == nil && elements.count == 1 && elements[0].kind == .binary
      ? elements[0].propertyName : nil
  }

  /// Creates an index.
  public init(name: String, elements: [Element]) {
    self.name = name
    self.elements = elements
  }
}

/// A named subset of a model's entities.
public struct ModelConfiguration: Sendable, Hashable {
  /// The configuration's name.
  public var name: String
  /// The names of its entities, in file order.
  public var entityNames: [String]
  /// XML attributes this version does not know.
  public var unknownXMLAttributes: [String: String] = [:]
  /// The position of its declaration in the model file.
  public var position = SourcePosition.file

  /// Creates a configuration.
  public init(name: String, entityNames: [String]) {
    self.name = name
    self.entityNames = entityNames
  }
}
