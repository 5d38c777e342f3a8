public import MergewalkObjectModel

/// A class that defines its entity, so that models can be created from classes.
///
/// `@Managed` of the product MergewalkMacros generates the requirements:
///
/// ```swift
/// @Managed final class Issue: ManagedObject {
///   var title: String
///   var points: Int16 = 1
///   @Relationship(inverse: "issues") var project: Project?
/// }
/// let model = try ManagedObjectModel(name: "Tracker", classes: [Issue.self, Project.self])
/// ```
public protocol ManagedClass: ManagedObject {
  /// The name of the class's entity.
  static var managedEntityName: String { get }
  /// The class's entity, with its own properties.
  static var managedEntity: EntityDraft { get }
}

extension ModelDraft {
  /// Creates a draft of the entities of classes, which you may change before you create a model from it.
  ///
  /// - Throws: ``ObjectError`` with `wrongClass` for a class that inherits its entity from another one and has none.
  public init(name: String, classes: [any ManagedClass.Type]) throws(ObjectError) {
    self.init()
    self.name = name
    for type in classes {
      let entity = type.managedEntity
      guard entity.className == String(describing: type) else {
        throw ObjectError(
          .wrongClass,
          "the class \(type) inherits the entity \"\(entity.name)\" and has none of its own: write @Managed before it"
        )
      }
      entities.append(entity)
    }
  }
}

extension ManagedObjectModel {
  /// Creates the model of some classes and registers them with it.
  ///
  /// - Throws: ``ObjectError`` with `wrongClass` for a class without an entity of its own; the findings of the model's
  ///   check, such as a relationship to a class that is not among them or a missing inverse.
  public convenience init(name: String, classes: [any ManagedClass.Type]) throws {
    try self.init(ModelDraft(name: name, classes: classes))
    try register(classes.map { $0 as ManagedObject.Type })
  }
}
