public import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization

/// Which class the objects of each entity have; shared by all contexts on the same stores.
final class ObjectClasses {
  private let model: ManagedObjectModel
  /// By entity: the class that was given to it, or `nil`.
  private(set) var given: [ManagedObject.Type?]
  /// By entity: the class of its objects.
  @exclusivity(unchecked) private(set) var types: [ManagedObject.Type]
  /// By entity: which methods its class overrides, as the flags that its objects begin with.
  @exclusivity(unchecked) private(set) var flags: [ObjectFlags]
  /// By entity: whether its class overrides methods that saves call.
  private(set) var hasHooks: [Bool]
  /// By entity: whether an entity below it has another class, so that the class of an object is not known before its row.
  private(set) var variesBelow: [Bool]
  /// The entities that a class was given to.
  private var entitiesByClass: [ObjectIdentifier: [EntityDescription]] = [:]
  /// Is called after classes were given.
  var didChange: (() -> Void)?
  /// Whether some entity has a class that overrides methods that saves call.
  private(set) var isInUse = false

  init(model: ManagedObjectModel) {
    self.model = model
    given = Array(repeating: nil, count: model.entities.count)
    types = Array(repeating: ManagedObject.self, count: model.entities.count)
    flags = Array(repeating: [], count: model.entities.count)
    hasHooks = Array(repeating: false, count: model.entities.count)
    variesBelow = Array(repeating: false, count: model.entities.count)
  }

  /// The classes of a coordinator's stores, or of a bare store.
  static func shared(_ stores: StoreList, model: ManagedObjectModel) -> ObjectClasses {
    let key = ObjectIdentifier(ObjectClasses.self)
    if let known = stores.companions[key] as? ObjectClasses { return known }
    let classes = ObjectClasses(model: model)
    // They were held against the model when they were registered with it.
    if let registered = model.registeredClasses { try? classes.set(registered) }
    stores.companions[key] = classes
    return classes
  }

  /// Gives classes to entities, all or none.
  func set(_ classes: [(name: String, type: ManagedObject.Type)]) throws(ObjectError) {
    var new = given
    for (name, type) in classes {
      guard let entity = model.entity(named: name) else {
        throw ObjectError(.unknownEntity, "the model has no entity \"\(name)\" for the class \(type)")
      }
      new[entity.index] = type
    }
    try set(new)
  }

  /// Gives each entity the class at its index.
  func set(_ new: [ManagedObject.Type?]) throws(ObjectError) {
    var resolved = types
    for entity in model.entities {
      // Entities come after those they inherit from.
      let inherited = entity.superentityIndex.map { resolved[$0] } ?? ManagedObject.self
      let own = new[entity.index] ?? inherited
      guard Self.isClass(own, orBelow: inherited) else {
        let parent = entity.superentityIndex.map { model.entities[$0].name } ?? ""
        throw ObjectError(
          .wrongClass,
          "\(own), the class of \(entity.name), does not descend from \(inherited), the class of \(parent)")
      }
      resolved[entity.index] = own
    }
    given = new
    types = resolved
    for entity in model.entities {
      let hooks = ClassHooks(of: resolved[entity.index])
      flags[entity.index] = ObjectFlags(hooks)
      hasHooks[entity.index] = hooks.contains(.lifeCycle)
      variesBelow[entity.index] =
        resolved[entity.index...entity.lastDescendantIndex].contains { $0 != resolved[entity.index] }
    }
    isInUse = hasHooks.contains(true)
    entitiesByClass = Dictionary(
      grouping: model.entities.filter { given[$0.index] != nil },
      by: { entity in ObjectIdentifier(resolved[entity.index]) })
    didChange?()
  }

  /// Gives classes to the entities that the model names them for.
  func set(_ classes: [ManagedObject.Type]) throws(ObjectError) {
    var named: [(name: String, type: ManagedObject.Type)] = []
    for type in classes {
      let name = String(describing: type)
      let entities = model.entities.filter { Self.className($0.declaration.className ?? $0.name) == name }
      guard !entities.isEmpty else {
        throw ObjectError(.unknownEntity, "no entity of the model has the class \(name); name its entity")
      }
      named += entities.map { ($0.name, type) }
    }
    try set(named)
  }

  /// The entities whose objects have exactly this class and do not merely inherit it.
  func entities(of type: ManagedObject.Type) -> [EntityDescription] {
    entitiesByClass[ObjectIdentifier(type)] ?? []
  }

  /// The name of a class without its module.
  private static func className(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }

  private static func isClass(_ type: ManagedObject.Type, orBelow ancestor: ManagedObject.Type) -> Bool {
    var next: AnyClass? = type
    while let current = next {
      if current == ancestor { return true }
      next = _getSuperclass(current)
    }
    return false
  }
}

extension ObjectFlags {
  /// The flags of objects whose class overrides these methods.
  fileprivate init(_ hooks: ClassHooks) {
    self = []
    if hooks.contains(.lifeCycle) { insert(.hasHooks) }
    if hooks.contains(.access) { insert(.hasAccessHooks) }
    if hooks.contains(.change) { insert(.hasChangeHooks) }
  }
}

extension ManagedObjectModel {
  /// Registers the classes of the model's objects: each for the entities that name it in the model, or that have its
  /// name; all or none.
  ///
  /// Coordinators and containers created for the model after that have them.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` for a class that no entity has, or `wrongClass` for one that does
  ///   not descend from that of the entity's parent.
  public func register(_ classes: [ManagedObject.Type]) throws(ObjectError) {
    let found = ObjectClasses(model: self)
    if let registered = registeredClasses { try found.set(registered) }
    try found.set(classes)
    let given = found.given
    companions.withLock { $0[ObjectIdentifier(ObjectClasses.self)] = given }
  }

  /// By entity: the class that was registered for it.
  fileprivate var registeredClasses: [ManagedObject.Type?]? {
    companions.withLock { $0[ObjectIdentifier(ObjectClasses.self)] as? [ManagedObject.Type?] }
  }
}
