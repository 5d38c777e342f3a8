/// Which class stands for which entity, and what it inherits from.
struct ClassPlan {
  /// For each entity index: the name of its class, or `nil` for plain managed objects.
  let classNames: [String?]
  /// For each entity index: the class that its own class inherits from, or `nil` for `ManagedObject`.
  let superclasses: [String?]
  /// For each class, the entity that it is made of: the one of that name, or the first.
  let owners: [String: Int]

  init(_ model: ManagedObjectModel) {
    let names = model.entities.map { SwiftNames.className($0.declaration.className) }
    classNames = names
    superclasses = model.entities.map { entity in
      var ancestor = entity.superentityIndex
      while let current = ancestor {
        // An entity may have its parent's class.
        if let name = names[current], name != names[entity.index] { return name }
        ancestor = model.entities[current].superentityIndex
      }
      return nil
    }
    var owners: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      guard let name else { continue }
      if owners[name] == nil || model.entities[index].name == name { owners[name] = index }
    }
    self.owners = owners
  }
}
