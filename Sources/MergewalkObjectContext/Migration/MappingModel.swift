public import MergewalkObjectModel
import MergewalkObjectStore

/// The mapping from the objects of one model version to those of another, where it cannot be inferred.
///
/// ```swift
/// var model = try MappingModel.inferred(from: old, to: new)
/// model["PersonToPerson"]?.makePolicy = { PersonPolicy() }
/// ```
///
/// Source: Apple, Core Data Model Versioning and Data Migration, "Mapping Overview".
public struct MappingModel {
  /// The mappings, in the order in which they run.
  public var entityMappings: [EntityMapping]

  /// Creates a mapping model.
  public init(_ entityMappings: [EntityMapping]) { self.entityMappings = entityMappings }

  /// The mapping with a name; the first one if several have it.
  public subscript(name: String) -> EntityMapping? {
    get { entityMappings.first { $0.name == name } }
    set {
      let index = entityMappings.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): entityMappings[index] = value
      case (let index?, nil): entityMappings.remove(at: index)
      case (nil, let value?): entityMappings.append(value)
      case (nil, nil): break
      }
    }
  }

  /// The mappings that follow from two versions of a model, named `OldToNew`.
  ///
  /// Properties that cannot be inferred are left out, so that you can fill them in: use it as a starting point.
  ///
  /// - Complexity: As `InferredMapping`.
  public static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> MappingModel {
    let inferred = InferredMapping(from: source, to: destination)
    var mappings: [EntityMapping] = []
    for match in inferred.entities {
      let old = match.source.map { source.entities[$0] }
      let new = match.destination.map { destination.entities[$0] }
      var mapping = EntityMapping(
        name: [old?.name, new?.name].compactMap { $0 }.joined(separator: "To"), source: old?.name,
        destination: new?.name)
      switch match.change {
      case .add: mapping.type = .add
      case .remove: mapping.type = .remove
      case .copy: mapping.type = .copy
      case .transform: mapping.type = .transform
      }
      if old?.isAbstract ?? false || new?.isAbstract ?? false { continue }
      if let new, old != nil {
        for attribute in new.attributes where !attribute.isTransient && !attribute.isDerived {
          guard let was = inferred.sourceAttribute(of: attribute, in: new),
            was.type == attribute.type || attribute.type.isWider(than: was.type)
          else { continue }
          mapping.attributes[attribute.name] = .source(was.name)
        }
        for relationship in new.relationships where !relationship.isTransient {
          guard let was = inferred.sourceRelationship(of: relationship, in: new) else { continue }
          mapping.relationships[relationship.name] = .relationship(was.name)
        }
      }
      mappings.append(mapping)
    }
    return MappingModel(mappings)
  }

  /// Everything that does not fit the two versions.
  func problems(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> [String] {
    var problems: [String] = []
    var names = Set<String>()
    for mapping in entityMappings {
      if !names.insert(mapping.name).inserted { problems.append("two mappings have the name \(mapping.name)") }
      if let name = mapping.sourceEntity, source.entity(named: name) == nil {
        problems.append("\(mapping.name): the old version has no entity \(name)")
      }
      if mapping.sourceEntity == nil, mapping.type != .add, mapping.type != .custom {
        problems.append("\(mapping.name): a mapping of type \(mapping.type.rawValue) needs a source entity")
      }
      guard let name = mapping.destinationEntity else {
        if mapping.type != .remove, mapping.type != .custom {
          problems.append("\(mapping.name): a mapping of type \(mapping.type.rawValue) needs a destination entity")
        }
        continue
      }
      guard let entity = destination.entity(named: name) else {
        problems.append("\(mapping.name): the new version has no entity \(name)")
        continue
      }
      if entity.isAbstract { problems.append("\(mapping.name): \(name) is abstract") }
      for key in mapping.attributes.keys.sorted() where entity.attribute(named: key) == nil {
        problems.append("\(mapping.name): \(name) has no attribute \(key)")
      }
      for key in mapping.relationships.keys.sorted() where entity.relationship(named: key) == nil {
        problems.append("\(mapping.name): \(name) has no relationship \(key)")
      }
    }
    for mapping in entityMappings {
      for case .mapping(let name, _) in mapping.relationships.values where !names.contains(name) {
        problems.append("\(mapping.name): there is no mapping \(name)")
      }
    }
    return problems
  }
}

/// The mapping from the objects of one entity to those of another.
public struct EntityMapping {
  /// The effect of a mapping on its objects.
  public enum MappingType: String, Sendable, Hashable {
    /// A policy decides.
    case custom
    /// The entity is new: nothing happens.
    case add
    /// The entity was removed: its objects are not copied.
    case remove
    /// The objects are copied unchanged.
    case copy
    /// The objects are copied with other values.
    case transform
  }

  /// The mapping's name, by which other mappings refer to it.
  public var name: String
  /// The effect on the objects.
  public var type = MappingType.transform
  /// The entity whose objects are mapped, without subentities; `nil` for none.
  public var sourceEntity: String?
  /// The entity of the new objects; `nil` for none.
  public var destinationEntity: String?
  /// The condition on the objects to map; `nil` for all.
  public var sourcePredicate: ObjectPredicate?
  /// The values of attributes, by the attribute's name; others get their default.
  public var attributes: [String: AttributeMapping] = [:]
  /// The objects of relationships, by the relationship's name; others stay empty.
  public var relationships: [String: RelationshipMapping] = [:]
  /// Creates the policy that runs the mapping; `nil` for ``EntityMigrationPolicy`` itself.
  public var makePolicy: (() -> EntityMigrationPolicy)?
  /// Free values for policies.
  public var userInfo: [String: String] = [:]

  /// Creates a mapping without properties.
  public init(name: String, source: String?, destination: String?) {
    self.name = name
    sourceEntity = source
    destinationEntity = destination
  }
}

/// The source of an attribute's value.
public enum AttributeMapping {
  /// An attribute of the source object.
  case source(String)
  /// An expression over `$source`, the source object, `$destination`, the new object, and the values of
  /// `$manager.userInfo` by name.
  case expression(ObjectExpression)
  /// Code that computes it.
  case compute((_ source: ManagedObject, _ manager: MigrationManager) throws -> AttributeValue)

  /// The mapping of a format string, such as `$source.firstName`.
  ///
  /// - Throws: `PredicateError` when the text is not an expression.
  public static func format(_ text: String) throws(PredicateError) -> AttributeMapping {
    .expression(try ObjectExpression(format: text))
  }
}

/// The objects that a relationship leads to.
public enum RelationshipMapping {
  /// The new objects created for those at the other end of a relationship of the source object:
  /// `destinationInstancesForSourceRelationshipNamed:sourceInstances:`.
  case relationship(String)
  /// The new objects that a mapping created: `destinationInstancesForEntityMappingNamed:sourceInstances:`. The
  /// expression gives the source objects, by `$source`.
  case mapping(String, of: ObjectExpression)
  /// Code that finds them.
  case compute((_ source: ManagedObject, _ manager: MigrationManager) throws -> [ManagedObject])

  /// The mapping of a value expression as Xcode writes it.
  ///
  /// ```
  /// FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "PersonToAddress", $source)
  /// FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "owner", $source.owner)
  /// ```
  ///
  /// - Throws: `PredicateError` with `syntax` or `unknownFunction` when the text is neither.
  public static func format(_ text: String) throws(PredicateError) -> RelationshipMapping {
    try ManagerCall.mapping(text)
  }
}
