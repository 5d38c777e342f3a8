import MergewalkClassText

/// An entity with its subentities, for building models in code.
///
/// A hierarchy is built from the top: each entity gets its subentities, and inheritance follows.
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
  /// The entity with its own properties; the tree determines its parent's name.
  public var entity: EntityDraft
  /// The entities that inherit from it.
  public var subentities: [EntityTree]

  /// Creates a tree.
  public init(_ entity: EntityDraft, subentities: [EntityTree] = []) {
    self.entity = entity
    self.subentities = subentities
  }

  /// An entity with properties; by default, its class has the same name.
  public static func entity(
    _ name: String, className: String? = nil, isAbstract: Bool = false, _ properties: PropertyDraft...,
    unique: [[String]] = [], subentities: [EntityTree] = []
  ) -> EntityTree {
    EntityTree(
      EntityDraft(name, className: className ?? name, isAbstract: isAbstract, properties, unique: unique),
      subentities: subentities)
  }

  /// The entities of the tree, each before its subentities, with their parents' names.
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

extension EntityDraft {
  /// An entity with properties.
  ///
  /// - Parameters:
  ///   - name: The entity's name.
  ///   - className: The name of its class.
  ///   - parent: The name of the entity it inherits from.
  ///   - isAbstract: Whether it has no objects of its own.
  ///   - properties: Its own properties.
  ///   - unique: Uniqueness constraints: lists of property names.
  ///   - indexes: Lists of property names; the index of `state` and `createdAt` is `byStateCreatedAtIndex`.
  ///   - renamedFrom: The name the entity had in earlier versions of the model.
  public init(
    _ name: String, className: String, parent: String? = nil, isAbstract: Bool = false, _ properties: [PropertyDraft],
    unique: [[String]] = [], indexes: [[String]] = [], renamedFrom: String? = nil
  ) {
    self.init(name: name)
    self.className = className
    parentName = parent
    self.isAbstract = isAbstract
    isSyncable = true
    uniquenessConstraints = unique
    renamingIdentifier = renamedFrom
    for property in properties {
      switch property {
      case .attribute(let attribute): attributes.append(attribute)
      case .relationship(let relationship): relationships.append(relationship)
      case .fetched(let property): fetchedProperties.append(property)
      }
    }
    fetchIndexes = indexes.map { names in
      FetchIndexDescription(
        name: "by" + names.map(ClassNames.capitalised).joined() + "Index",
        elements: names.map { FetchIndexDescription.Element(propertyName: $0) })
    }
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
/// Set properties without a parameter on a description of your own: `.attribute(description)`.
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

  /// An attribute by its name and the Swift type of its values, as Xcode would declare it.
  ///
  /// - Parameters:
  ///   - name: The attribute's name.
  ///   - swiftType: The type of its values; the attribute is optional if the type is, unless overridden.
  ///   - type: The attribute's type; `nil` for that of the Swift type.
  ///   - isOptional: Whether objects may have no value; `nil` to follow the Swift type.
  ///   - value: The value of a new object.
  ///   - isTransient: Whether it is never stored.
  ///   - expression: The expression of a derived attribute, which is then optional.
  ///   - minimum: The minimum number, or the minimum length of a text.
  ///   - maximum: The maximum number, or the maximum length of a text.
  ///   - pattern: An ICU regular expression that a whole text must match.
  ///   - isExternal: Whether large values may be in files beside the store.
  ///   - renamedFrom: The name the attribute had in earlier versions of the model.
  public static func attribute<Value: ManagedValue>(
    _ name: String, _ swiftType: Value.Type, type: AttributeType? = nil, optional isOptional: Bool? = nil,
    default value: Value? = nil, transient isTransient: Bool = false, derived expression: String? = nil,
    minimum: Double? = nil, maximum: Double? = nil, pattern: String? = nil, external isExternal: Bool = false,
    renamedFrom: String? = nil
  ) -> PropertyDraft {
    var attribute = AttributeDescription(name: name, type: type ?? Value.attributeType)
    let isOptionalType = Value.self is any AnyOptional.Type
    attribute.isOptional = isOptional ?? (isOptionalType || expression != nil)
    attribute.isTransient = isTransient
    attribute.derivationExpression = expression
    attribute.allowsExternalBinaryDataStorage = isExternal
    attribute.renamingIdentifier = renamedFrom
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean:
      attribute.usesScalarValueType = attribute.isOptional || !isOptionalType
    case .date, .uuid: attribute.usesScalarValueType = false
    default: break
    }
    func text(_ bound: Double) -> String { Int64(exactly: bound).map { String($0) } ?? String(bound) }
    attribute.takeValues(
      default: value.flatMap { $0.attributeValue.modelText }, minimum: minimum.map(text), maximum: maximum.map(text),
      pattern: pattern)
    if attribute.defaultValue == nil, let value { attribute.defaultValue = value.attributeValue }
    return .attribute(attribute)
  }

  /// A transformable attribute; without a transformer's name it has the default one.
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
    deleteRule: DeleteRule = .nullify, renamedFrom: String? = nil
  ) -> PropertyDraft {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.inverseName = inverse
    relationship.inverseEntityName = inverse == nil ? nil : destination
    relationship.isOptional = isOptional
    relationship.deleteRule = deleteRule
    relationship.renamingIdentifier = renamedFrom
    return .relationship(relationship)
  }

  /// A to-many relationship; a maximum of 0 means none.
  public static func toMany(
    _ name: String, _ destination: String, inverse: String?, isOptional: Bool = true, isOrdered: Bool = false,
    minimum: Int = 0, maximum: Int = 0, deleteRule: DeleteRule = .nullify, renamedFrom: String? = nil
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
    relationship.renamingIdentifier = renamedFrom
    return .relationship(relationship)
  }

  /// A fetched property: the objects of an entity that a predicate finds.
  public static func fetched(_ name: String, _ entity: String, where predicate: String? = nil) -> PropertyDraft {
    var request = FetchRequestTemplate(name: "fetchedPropertyFetchRequest", entityName: entity)
    request.predicateText = predicate
    return .fetched(FetchedPropertyDescription(name: name, fetchRequest: request))
  }
}

/// Optional types, whatever they wrap.
private protocol AnyOptional {}
extension Optional: AnyOptional {}
