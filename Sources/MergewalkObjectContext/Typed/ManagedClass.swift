public import MergewalkObjectModel

/// A class that says what its entity is, so that models can be made from classes.
///
/// `@Managed` of the product MergewalkMacros writes what it takes:
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
  /// Creates a draft of the entities of classes, which may be changed before a model is made of it.
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
  /// Makes the model of classes and registers them with it.
  ///
  /// - Throws: ``ObjectError`` with `wrongClass` for a class without an entity of its own; what the model's check finds, such
  ///   as a relationship to a class that is not among them or an inverse that is not there.
  public convenience init(name: String, classes: [any ManagedClass.Type]) throws {
    try self.init(ModelDraft(name: name, classes: classes))
    try register(classes.map { $0 as ManagedObject.Type })
  }
}
