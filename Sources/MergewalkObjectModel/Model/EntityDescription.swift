/// The frozen description of an entity.
///
/// All names are resolved: looking up a property by name is for configuration and people; run-time code uses slots and
/// indexes.
public final class EntityDescription: Sendable {
  /// The entity as declared in the model: its own properties only.
  public let declaration: EntityDraft
  /// The position in ``ManagedObjectModel/entities``, from 0.
  public let index: Int
  /// The index of the entity it inherits from, or `nil` for a root.
  public let superentityIndex: Int?
  /// The index of the topmost ancestor; a root's own index.
  public let rootIndex: Int
  /// ``rootIndex`` as what it is: the index of a root, never that of any entity.
  @inlinable package var root: RootIndex { RootIndex(rootIndex) }
  /// The index of the last entity below this one; its own index if there is none.
  ///
  /// Entities are numbered depth first, so the entity and everything below it are the range
  /// `index...lastDescendantIndex`.
  public let lastDescendantIndex: Int
  /// All attributes, including inherited ones, sorted by name (code points).
  ///
  /// A composite attribute is represented by its elements: `address.city` and `address.street`.
  public let attributes: [AttributeDescription]
  /// All relationships, including inherited ones, sorted by name (code points).
  public let relationships: [RelationshipDescription]
  /// All fetched properties, including inherited ones, sorted by name (code points).
  public let fetchedProperties: [FetchedPropertyDescription]
  /// All uniqueness constraints, including inherited ones.
  public let uniquenessConstraints: [[String]]

  /// All composite attributes, including inherited ones, sorted by name (code points); ``attributes`` has their
  /// elements.
  public let compositeAttributes: [AttributeDescription]

  /// The slots of attributes whose values no store has.
  package let transientSlots: [Int]

  /// The data for reading and setting a value of an attribute, by its name.
  @usableFromInline package struct AttributeAccess: Sendable {
    @usableFromInline package let slot: Int
    @usableFromInline package let type: AttributeType
    /// Whether its bytes say where they are (``AttributeDescription/allowsExternalBinaryDataStorage``).
    @usableFromInline package let isExternal: Bool
    /// Whether the store computes it.
    @usableFromInline package let isDerived: Bool

    /// Creates it of its parts.
    @inlinable
    package init(slot: Int, type: AttributeType, isExternal: Bool, isDerived: Bool) {
      self.slot = slot
      self.type = type
      self.isExternal = isExternal
      self.isDerived = isDerived
    }
  }

  private let attributeAccesses: [String: AttributeAccess]
  private let attributePositions: [String: Int]
  private let relationshipPositions: [String: Int]

  init(
    declaration: EntityDraft, index: Int, superentityIndex: Int?, rootIndex: Int, lastDescendantIndex: Int,
    attributes: [AttributeDescription], relationships: [RelationshipDescription],
    fetchedProperties: [FetchedPropertyDescription], uniquenessConstraints: [[String]],
    compositeAttributes: [AttributeDescription]
  ) {
    self.declaration = declaration
    self.index = index
    self.superentityIndex = superentityIndex
    self.rootIndex = rootIndex
    self.lastDescendantIndex = lastDescendantIndex
    self.attributes = attributes
    self.relationships = relationships
    self.fetchedProperties = fetchedProperties
    self.uniquenessConstraints = uniquenessConstraints
    self.compositeAttributes = compositeAttributes
    transientSlots = attributes.filter(\.isTransient).map(\.slot)
    attributeAccesses = Dictionary(
      uniqueKeysWithValues: attributes.map {
        (
          $0.name,
          AttributeAccess(
            slot: $0.slot, type: $0.type, isExternal: $0.allowsExternalBinaryDataStorage, isDerived: $0.isDerived)
        )
      })
    attributePositions = Dictionary(uniqueKeysWithValues: attributes.enumerated().map { ($1.name, $0) })
    relationshipPositions = Dictionary(uniqueKeysWithValues: relationships.enumerated().map { ($1.name, $0) })
  }

  /// The entity's name.
  public var name: String { declaration.name }
  /// Core Data's number of the entity (`Z_ENT`), from 1.
  public var number: Int { index + 1 }
  /// Whether it has no objects of its own.
  public var isAbstract: Bool { declaration.isAbstract }
  /// Whether it inherits from nothing.
  public var isRoot: Bool { superentityIndex == nil }
  /// Whether other entities inherit from it.
  public var hasSubentities: Bool { lastDescendantIndex > index }

  /// The data that accessors need for the attribute with this name: far cheaper than a copy of the description.
  package func attributeAccess(named name: String) -> AttributeAccess? { attributeAccesses[name] }
  /// The attribute with this name, own or inherited, or `nil`.
  public func attribute(named name: String) -> AttributeDescription? { attributePositions[name].map { attributes[$0] } }

  /// The attributes that have an index of their own name in stores and compiled models: those marked as indexed, and those
  /// that Xcode's compiler marks because a fetch index is of them alone.
  package var ownIndexes: [AttributeDescription] {
    let marked = attributes.filter { $0.declaringEntity == index && $0.isIndexed }
    var known = Set(marked.map(\.name))
    return marked
      + declaration.fetchIndexes.filter { !$0.isAlone }.compactMap { $0.onlyProperty.flatMap { attribute(named: $0) } }
      .filter { known.insert($0.name).inserted }
  }
  /// The elements of a composite attribute, or of a nested one, with the rest of their names: `city` and `street` of
  /// `address`; empty if there is none of this name.
  public func elements(ofComposite key: String) -> [(name: String, attribute: AttributeDescription)] {
    // Most entities have none, and then nothing is looked at.
    guard !compositeAttributes.isEmpty else { return [] }
    return attributes.compactMap { attribute in
      guard attribute.compositeKey != nil, attribute.name.hasPrefix(key + ".") else { return nil }
      return (String(attribute.name.dropFirst(key.count + 1)), attribute)
    }
  }
  /// The position in ``relationships`` of the one with this name, or `nil`.
  package func relationshipPosition(named name: String) -> Int? { relationshipPositions[name] }
  /// The relationship with this name, own or inherited, or `nil`.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationshipPositions[name].map { relationships[$0] }
  }
  /// Whether this is `other` or inherits from it.
  public func isKind(of other: EntityDescription) -> Bool {
    index >= other.index && index <= other.lastDescendantIndex
  }
}
