/// A name, and the renaming identifier by which other versions of a model know what has it.
package struct RenamedName: Sendable, Hashable {
  /// The name in this version.
  package var name: String
  /// The explicit renaming identifier; `nil` when the name is its own.
  package var identifier: String?

  /// Puts the parts together.
  package init(name: String, identifier: String?) {
    self.name = name
    self.identifier = identifier
  }
}

extension ManagedObjectModel {
  /// The names of the elements of an entity's composite attributes, from that of the composite attribute down to the
  /// element's own, by the dotted names that ``EntityDescription/attributes`` has.
  ///
  /// The dotted name alone does not say which of its parts have identifiers.
  package func elementPaths(of entity: EntityDescription) -> [String: [RenamedName]] {
    guard !entity.compositeAttributes.isEmpty else { return [:] }
    let composites = CompositeElements(draft)
    var result: [String: [RenamedName]] = [:]
    for attribute in entity.compositeAttributes {
      for path in composites.paths(of: attribute) {
        result[path.map(\.name).joined(separator: ".")] = path
      }
    }
    return result
  }
}
