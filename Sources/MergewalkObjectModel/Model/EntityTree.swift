/// An entity with those that inherit from it, for building models in code.
///
/// A hierarchy is built from the top: an entity is given its subentities, and what an entity inherits from follows.
///
/// ```swift
/// let draft = ModelDraft(
///   name: "Company",
///   hierarchies: [
///     .entity(
///       "Person", isAbstract: true,
///       .attribute("name", .string),
///       .attribute("born", .date, isOptional: true),
///       subentities: [
///         .entity("Employee", .toOne("department", "Department", inverse: "employees", isOptional: true)),
///         .entity("Customer", .attribute("number", .integer64)),
///       ]),
///     .entity(
///       "Department", .attribute("title", .string),
///       .toMany("employees", "Employee", inverse: "department", deleteRule: .deny)),
///   ])
/// let model = try ManagedObjectModel(draft)
/// ```
///
/// Source: Apple, Core Data Programming Guide, "Creating a Managed Object Model", "Entity Inheritance".
public struct EntityTree: Sendable, Hashable {
  /// The entity with its own properties; its parent's name is what the tree says.
  public var entity: EntityDraft
  /// The entities that inherit from it.
  public var subentities: [EntityTree]

  /// Creates a tree.
  public init(_ entity: EntityDraft, subentities: [EntityTree] = []) {
    self.entity = entity
    self.subentities = subentities
  }

  /// An entity with properties; by default its class is named like it.
  public static func entity(
    _ name: String, className: String? = nil, isAbstract: Bool = false, _ properties: PropertyDraft...,
    unique: [[String]] = [], subentities: [EntityTree] = []
  ) -> EntityTree {
    var entity = EntityDraft(name: name)
    entity.className = className ?? name
    entity.isAbstract = isAbstract
    entity.isSyncable = true
    entity.uniquenessConstraints = unique
    for property in properties {
      switch property {
      case .attribute(let attribute): entity.attributes.append(attribute)
      case .relationship(let relationship): entity.relationships.append(relationship)
      case .fetched(let property): entity.fetchedProperties.append(property)
      }
    }
    return EntityTree(entity, subentities: subentities)
  }

  /// The entities of the tree, each before what inherits from it, with their parents' names.
  ///
  /// - Complexity: O(entities).
  public var entities: [EntityDraft] {
    var entities: [EntityDraft] = []
    var pending: [(tree: EntityTree, parent: String?)] = [(self, nil)]
    while let next = pending.popLast() {
      var entity = next.tree.entity
      entity.parentName = next.parent
      entities.append(entity)
      for child in next.tree.subentities.reversed() { pending.append((child, entity.name)) }
    }
    return entities
  }
}

extension ModelDraft {
  /// Creates a draft of hierarchies of entities.
  public init(name: String, hierarchies: [EntityTree]) {
    self.init()
    self.name = name
    entities = hierarchies.flatMap(\.entities)
  }
}

/// A property of any kind, for building models in code.
///
/// What the functions have no parameter for is set on a description of one's own: `.attribute(description)`.
public enum PropertyDraft: Sendable, Hashable {
  /// An attribute.
  case attribute(AttributeDescription)
  /// A relationship.
  case relationship(RelationshipDescription)
  /// A fetched property.
  case fetched(FetchedPropertyDescription)

  /// An attribute by its name and type.
  public static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = false, default value: AttributeValue? = nil,
    isTransient: Bool = false
  ) -> PropertyDraft {
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = isOptional
    attribute.isTransient = isTransient
    attribute.defaultValue = value
    attribute.defaultValueText = value.flatMap { $0.modelText }
    return .attribute(attribute)
  }

  /// A transformable attribute; without a name it has the default transformer.
  public static func transformable(
    _ name: String, transformer: String? = nil, className: String? = nil, isOptional: Bool = false
  ) -> PropertyDraft {
    var attribute = AttributeDescription(name: name, type: .transformable)
    attribute.isOptional = isOptional
    attribute.valueTransformerName = transformer
    attribute.customClassName = className
    return .attribute(attribute)
  }

  /// A derived attribute with its expression (`orders.@count`), which is optional.
  public static func derived(_ name: String, _ type: AttributeType, from expression: String) -> PropertyDraft {
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = true
    attribute.derivationExpression = expression
    return .attribute(attribute)
  }

  /// A to-one relationship.
  public static func toOne(
    _ name: String, _ destination: String, inverse: String?, isOptional: Bool = false,
    deleteRule: DeleteRule = .nullify
  ) -> PropertyDraft {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.inverseName = inverse
    relationship.inverseEntityName = inverse == nil ? nil : destination
    relationship.isOptional = isOptional
    relationship.deleteRule = deleteRule
    return .relationship(relationship)
  }

  /// A to-many relationship; a maximum of 0 is none.
  public static func toMany(
    _ name: String, _ destination: String, inverse: String?, isOptional: Bool = true, isOrdered: Bool = false,
    minimum: Int = 0, maximum: Int = 0, deleteRule: DeleteRule = .nullify
  ) -> PropertyDraft {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.inverseName = inverse
    relationship.inverseEntityName = inverse == nil ? nil : destination
    relationship.isToMany = true
    relationship.isOptional = isOptional
    relationship.isOrdered = isOrdered
    relationship.minCount = minimum
    relationship.maxCount = maximum
    relationship.deleteRule = deleteRule
    return .relationship(relationship)
  }

  /// A fetched property: the objects of an entity that a predicate finds.
  public static func fetched(_ name: String, _ entity: String, where predicate: String? = nil) -> PropertyDraft {
    var request = FetchRequestTemplate(name: "fetchedPropertyFetchRequest", entityName: entity)
    request.predicateText = predicate
    return .fetched(FetchedPropertyDescription(name: name, fetchRequest: request))
  }
}
