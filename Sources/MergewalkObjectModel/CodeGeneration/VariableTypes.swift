/// Finds out which values the variables of a predicate stand for: what they are compared with says it.
struct VariableTypes {
  /// The kind of value that a variable stands for.
  enum Kind: Hashable {
    case attribute(AttributeType, isOptional: Bool)
    /// Text to look for in a value.
    case text
    /// A number, such as the size of a collection.
    case count
    /// An object of the entity with this index, or none.
    case object(Int)
    /// Several values.
    indirect case list(Kind)
    /// Anything.
    case any
  }

  private let model: ManagedObjectModel
  private(set) var kinds: [String: Kind] = [:]

  /// Looks through the predicate of a request for objects of an entity.
  static func find(_ predicate: ObjectPredicate, of entity: EntityDescription, in model: ManagedObjectModel) -> [String:
    Kind]
  {
    var finder = VariableTypes(model: model)
    finder.visit(.predicate(predicate), entity)
    var kinds: [String: Kind] = [:]
    for name in predicate.variables { kinds[name] = finder.kinds[name] ?? .any }
    return kinds
  }

  private init(model: ManagedObjectModel) { self.model = model }

  // The parser bounds the depth of what it reads, so this recursion is bounded too.
  private mutating func visit(_ part: PredicatePart, _ entity: EntityDescription) {
    if case .expression(.subquery(let collection, let variable, let predicate)) = part {
      visit(.expression(collection), entity)
      subqueries.append((variable, destination(of: collection, entity)))
      visit(.predicate(predicate), entity)
      subqueries.removeLast()
      return
    }
    if case .predicate(.comparison(let comparison)) = part { visit(comparison, entity) }
    for inner in part.parts { visit(inner, entity) }
  }

  private mutating func visit(_ comparison: ComparisonPredicate, _ entity: EntityDescription) {
    if case .variable(let name) = comparison.right {
      note(name, kind(of: comparison.left, entity, comparison.comparison, isRight: true))
    }
    if case .variable(let name) = comparison.left {
      note(name, kind(of: comparison.right, entity, comparison.comparison, isRight: false))
    }
    // BETWEEN {$LEAST, $MOST}, IN {$FIRST, $SECOND}
    if case .aggregate(let elements) = comparison.right {
      for case .variable(let name) in elements { note(name, kind(of: comparison.left, entity)) }
    }
  }

  /// The variables of the subqueries around the current place, and the entities of their elements.
  private var subqueries: [(variable: String, entity: EntityDescription?)] = []

  private mutating func note(_ name: String, _ kind: Kind) {
    guard let known = kinds[name], known != kind else {
      kinds[name] = kind
      return
    }
    switch (known, kind) {
    case (.attribute(let first, let isOptional), .attribute(let second, let other)) where first == second:
      kinds[name] = .attribute(first, isOptional: isOptional && other)
    case (.text, .attribute(.string, _)), (.attribute(.string, _), .text): kinds[name] = .text
    default: kinds[name] = .any
    }
  }

  // MARK: What the other side is

  private func kind(
    of other: ObjectExpression, _ entity: EntityDescription, _ comparison: ComparisonPredicate.Operator, isRight: Bool
  ) -> Kind {
    switch comparison {
    case .like, .matches, .beginsWith, .endsWith, .conformsTo, .equalsType: return .text
    case .isIn where isRight, .between where isRight:
      let element = kind(of: other, entity)
      // A list of nothing in particular is for the caller to make.
      return element == .any ? .any : .list(element.required)
    case .contains where isRight:
      if case .attribute(.string, _) = kind(of: other, entity) { return .text }
      return kind(of: other, entity)
    case .equalTo, .notEqualTo, .contains, .isIn: return kind(of: other, entity)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between:
      // Nothing is less or greater than no value.
      return kind(of: other, entity).required
    }
  }

  private func kind(of expression: ObjectExpression, _ entity: EntityDescription) -> Kind {
    switch expression {
    case .evaluatedObject: return .object(entity.index)
    case .variable(let name):
      return subqueries.last { $0.variable == name }?.entity.map { .object($0.index) } ?? .any
    case .path(let base, let path):
      guard let start = self.start(base, entity) else {
        return path.components == [.collectionOperator(.count)] ? .count : .any
      }
      return kind(at: path.components, from: start)
    case .element(_, .size), .function(.count, _), .function(.length, _): return .count
    case .function(.uppercase, _), .function(.lowercase, _), .function(.canonical, _): return .text
    default: return .any
    }
  }

  /// The entity that a path begins at, when it begins at an object.
  private func start(_ base: ObjectExpression, _ entity: EntityDescription) -> EntityDescription? {
    switch base {
    case .evaluatedObject: entity
    case .variable(let name): subqueries.last { $0.variable == name }?.entity
    default: nil
    }
  }

  private func destination(of collection: ObjectExpression, _ entity: EntityDescription) -> EntityDescription? {
    guard case .object(let index) = kind(of: collection, entity) else { return nil }
    return model.entities[index]
  }

  private func kind(at steps: [PropertyPath.Component], from entity: EntityDescription) -> Kind {
    var entity = entity
    for (index, step) in steps.enumerated() {
      guard case .property(let name) = step else {
        return step == .collectionOperator(.count) ? .count : .any
      }
      if let relationship = entity.relationship(named: name) {
        entity = model.entities[relationship.destinationEntity]
      } else if let attribute = entity.attribute(named: name), index == steps.count - 1, attribute.elements.isEmpty {
        return .attribute(attribute.type, isOptional: attribute.isOptional)
      } else {
        return .any
      }
    }
    return .object(entity.index)
  }
}

extension VariableTypes.Kind {
  /// The same for a place where no value makes no sense.
  fileprivate var required: Self {
    if case .attribute(let type, _) = self { return .attribute(type, isOptional: false) }
    return self
  }
}
