import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Readable names of objects: the values of the attributes by which an import finds them.
extension ChangeSample {
  /// An object among the rows of all tables.
  private struct Row: Hashable {
    var root: RootIndex
    var primaryKey: Int64
  }

  /// Gives the changed objects, and those that they refer to, the values of their keys, as they are at the end of the run.
  ///
  /// What the sample does not know itself is looked up in the store, within the run's transaction.
  ///
  /// - Parameter canRead: Whether the store's tables can be read now; rows that go past SQLite cannot.
  /// - Complexity: one fetch a table, of as many rows as the sample has objects and references.
  func nameObjects(
    of definition: ImportDefinition, _ context: ManagedObjectContext, _ store: PersistentStore, canRead: Bool
  ) throws(ImportError) {
    guard !changes.isEmpty else { return }
    let keys = Dictionary(
      uniqueKeysWithValues: model.entities.map { ($0.index, definition.keyAttributes(of: $0, in: model)) })
    var names: [Row: String] = [:]
    var wanted: [RootIndex: Set<Int64>] = [:]
    for change in changes {
      guard let entity = model.entity(named: change.entity) else { continue }
      let row = Row(root: entity.root, primaryKey: change.primaryKey)
      if change.kind == .updated {
        wanted[row.root, default: []].insert(row.primaryKey)
      } else {
        let values = (keys[entity.index] ?? []).map { attribute in
          change.properties.first { $0.name == attribute.name }.flatMap { $0.before ?? $0.after }
        }
        names[row] = Self.name(values)
      }
      for value in change.properties.flatMap({ [$0.before, $0.after] }) {
        guard let target = value?.target, let entity = model.entity(named: target.entity) else { continue }
        wanted[entity.root, default: []].insert(target.primaryKey)
      }
    }
    if canRead {
      for (root, objects) in wanted.sorted(by: { $0.key < $1.key }) {
        try look(up: objects.sorted(), root, keys, context, store) { names[Row(root: root, primaryKey: $0)] = $1 }
      }
    }
    func name(_ entity: String, _ primaryKey: Int64) -> String? {
      model.entity(named: entity).flatMap { names[Row(root: $0.root, primaryKey: primaryKey)] }
    }
    update { change in
      change.key = name(change.entity, change.primaryKey)
      for index in change.properties.indices {
        for end in [\ObjectChange.Property.before, \.after] {
          guard let target = change.properties[index][keyPath: end]?.target else { continue }
          change.properties[index][keyPath: end]?.target?.key = name(target.entity, target.primaryKey)
        }
      }
    }
  }

  /// Reads the keys of rows; those that are gone are left out.
  private func look(
    up objects: [Int64], _ root: RootIndex, _ keys: [Int: [AttributeDescription]], _ context: ManagedObjectContext,
    _ store: PersistentStore, _ body: (Int64, String) -> Void
  ) throws(ImportError) {
    let slots = Set(model.entities.filter { $0.root == root }.flatMap { (keys[$0.index] ?? []).map(\.slot) })
    guard !slots.isEmpty else { return }
    let buffer = context.buffer(root: root)
    try storeErrors { () throws(StoreError) in
      try store.fetch(objects, of: root, slots: slots.sorted(), into: buffer)
    }
    for row in 0..<buffer.count {
      let attributes = keys[Int(buffer.entities[row])] ?? []
      if let name = Self.name(attributes.map { value(of: $0, row: row, buffer) }) {
        body(buffer.primaryKeys[row], name)
      }
    }
    context.reset()
  }

  /// The values of a key, with commas; `nil` when one is missing.
  private static func name(_ values: [ObjectChange.Value?]) -> String? {
    let texts = values.compactMap { $0?.text }
    return texts.isEmpty || texts.count < values.count ? nil : texts.joined(separator: ", ")
  }
}

extension ImportDefinition {
  /// The attributes by which an entity's objects are distinguished: those by which an import finds them, else those of the
  /// model's first uniqueness constraint that has attributes alone; none when there is neither.
  func keyAttributes(of entity: EntityDescription, in model: ManagedObjectModel) -> [AttributeDescription] {
    var family: [String] = []
    var next: Int? = entity.index
    while let index = next {
      family.append(model.entities[index].name)
      next = model.entities[index].superentityIndex
    }
    let constraints = family.compactMap { model.entity(named: $0) }.flatMap(\.uniquenessConstraints)
    for names in parts.flatMap({ $0.root.keys(of: family) }) + constraints where !names.isEmpty {
      let attributes = names.compactMap { name in entity.attributes.first { $0.name == name } }
      if attributes.count == names.count { return attributes }
    }
    return []
  }
}

extension EntityImport {
  /// The keys by which objects of some entities are found, here or behind relationships.
  fileprivate func keys(of entities: [String]) -> [[String]] {
    (entities.contains(entityName) && !findBy.isEmpty ? [findBy.map(\.attributeName)] : [])
      + relationships.flatMap { $0.target.keys(of: entities) }
  }
}
