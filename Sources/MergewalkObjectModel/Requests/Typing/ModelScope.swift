import MergewalkDiagnostics

/// The meaning of names in the options of a fetch: properties of an entity, columns with a name, variables of
/// subqueries.
package struct ModelScope {
  package let model: ManagedObjectModel
  package let entity: EntityDescription
  /// The types of columns that have a name of their own; `nil` where the type is not known.
  package var columns: [String: AttributeType?] = [:]
  /// The entities of the variables of subqueries; `nil` where the entity is not known.
  var variables: [String: EntityDescription?] = [:]

  /// The text that is read, for the places of errors.
  private(set) var source = ""

  package init(_ model: ManagedObjectModel, _ entity: EntityDescription) {
    self.model = model
    self.entity = entity
  }

  /// The same scope for another text.
  package func reading(_ text: String) -> ModelScope {
    var scope = self
    scope.source = text
    return scope
  }

  package enum Target {
    case attribute(AttributeDescription)
    case objects(EntityDescription)
    case type(AttributeType?)
  }

  /// Follows a path.
  ///
  /// - Parameter start: the entity it begins at; `nil` when that is not known, and then nothing is known of the path.
  /// - Throws: `unknownKey` when an entity has no property of a name, with the nearest name as the hint.
  package func target(
    _ components: [PropertyPath.Component], from start: EntityDescription?
  ) throws(PredicateError) -> Target {
    guard var entity = start else { return .type(nil) }
    var target = Target.objects(entity)
    var aggregate: CollectionOperator?
    var rest = components[...]
    var isFirst = true
    while let component = rest.popFirst() {
      switch component {
      case .collectionOperator(let known):
        if known == .count { return .type(.integer64) }
        aggregate = known
      case .property(var name):
        switch target {
        case .objects:
          // The element of a composite attribute is one property with a longer name.
          while hasComposite(name, entity), case .property(let next)? = rest.first {
            name += "." + next
            rest.removeFirst()
          }
          target = try property(name, of: entity, isFirst: isFirst)
        // Parts of composite attributes, and what hangs on values of which nothing is known.
        case .attribute(let attribute):
          target = attribute.elements.first { $0.name == name }.map { .attribute($0) } ?? .type(nil)
        case .type: return .type(nil)
        }
        if case .objects(let next) = target { entity = next }
      }
      isFirst = false
    }
    if aggregate == .sum || aggregate == .average, case .attribute = target { return .type(.double) }
    return target
  }

  /// Whether this is a composite attribute of the entity or of one that inherits from it, or a composite inside one.
  private func hasComposite(_ name: String, _ entity: EntityDescription) -> Bool {
    model.family(of: entity.index).contains { !$0.elements(ofComposite: name).isEmpty }
  }

  private func property(
    _ name: String, of entity: EntityDescription, isFirst: Bool
  ) throws(PredicateError) -> Target {
    if isFirst, let column = columns[name] { return .type(column) }
    let family = model.family(of: entity.index)
    for entity in family {
      if let attribute = entity.attribute(named: name) { return .attribute(attribute) }
      if let relationship = entity.relationship(named: name) {
        return .objects(model.entities[relationship.destinationEntity])
      }
      if entity.fetchedProperties.contains(where: { $0.name == name }) { return .type(nil) }
    }
    if name == "objectID" { return .objects(entity) }
    if name == "entity" { return .type(.string) }
    for entity in family {
      if let error = entity.compositeError(name) { throw error.located(name: name, in: source) }
    }
    var names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    if isFirst { names += columns.keys.sorted() }
    let hint = NearestName.find(name, in: names).map { "did you mean \($0)?" }
    let error = PredicateError(
      .unknownKey, "expected a property of \(entity.name), found “\(name)”",
      hint: hint ?? "it has \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? ", …" : "")")
    throw error.located(name: name, in: source)
  }

  /// The scope inside a subquery: the variable stands for the elements of a collection.
  func inside(_ variable: String, of entity: EntityDescription?) -> ModelScope {
    var scope = self
    scope.variables[variable] = .some(entity)
    return scope
  }
}

extension EntityDescription {
  /// The error of a path that ends at a composite attribute, or at one inside it; `nil` when there is none of this name.
  package func compositeError(_ name: String) -> PredicateError? {
    let elements = elements(ofComposite: name).map { "\(name).\($0.name)" }
    if elements.isEmpty { return nil }
    return PredicateError(
      .notInSQL, "\(self.name).\(name) is a composite attribute, of which the store has the elements only",
      hint: "name an element: \(elements.joined(separator: ", "))")
  }
}
