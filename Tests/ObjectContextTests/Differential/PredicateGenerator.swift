import MergewalkObjectModel
import MergewalkTestSupport

/// Generates predicates, expressions and orders over ``GeneratedWorld``: of the right kinds nearly always, so that both
/// engines have something to compute.
struct PredicateGenerator {
  enum Kind: CaseIterable { case number, text, date, uuid, binary }

  /// What may be named: an object by its expression and entity.
  struct Scope {
    var base: ObjectExpression
    var entity: EntityDescription
  }

  var random: SeededGenerator
  let model: ManagedObjectModel
  private var scopes: [Scope]
  private var variableCount = 0

  init(random: SeededGenerator, entity: EntityDescription, model: ManagedObjectModel) {
    self.random = random
    self.model = model
    scopes = [Scope(base: .evaluatedObject, entity: entity)]
  }

  private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

  // MARK: Predicates

  mutating func predicate(_ depth: Int) -> ObjectPredicate {
    if depth <= 0 || chance(3) { return comparison(depth) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .and((0..<Int.random(in: 0..<4, using: &random)).map { _ in predicate(depth - 1) })
    case 1: return .or((0..<Int.random(in: 0..<4, using: &random)).map { _ in predicate(depth - 1) })
    case 2, 3: return .not(predicate(depth - 1))
    case 4: return .value(Bool.random(using: &random))
    default: return comparison(depth)
    }
  }

  private mutating func options() -> ComparisonPredicate.Options {
    if chance(2) { return [] }
    return pick([
      .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .localeSensitive,
      [.localeSensitive, .caseInsensitive], [.localeSensitive, .caseInsensitive, .diacriticInsensitive], .normalized,
      [.localeSensitive, .diacriticInsensitive],
    ])
  }

  private mutating func comparison(_ depth: Int) -> ObjectPredicate {
    let kind = pick(Kind.allCases + [.number, .number, .text, .text])
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return object(depth)
    case 1, 2:
      let (collection, elementKind) = collection(depth)
      let modifier: ComparisonPredicate.Modifier = chance(2) ? .any : .all
      return simple(collection, elementKind, modifier, depth)
    case 3:
      let (collection, elementKind) = collection(depth)
      let value = value(elementKind, depth - 1)
      return .comparison(
        chance(2)
          ? ComparisonPredicate(value, .isIn, collection, options: options())
          : ComparisonPredicate(collection, .contains, value, options: options()))
    case 4:
      // Kinds that do not fit: unequal.
      return .comparison(
        ComparisonPredicate(value(kind, 0), chance(2) ? .equalTo : .notEqualTo, value(pick(Kind.allCases), 0)))
    default: return simple(value(kind, depth), kind, .direct, depth)
    }
  }

  private mutating func simple(
    _ left: ObjectExpression, _ kind: Kind, _ modifier: ComparisonPredicate.Modifier, _ depth: Int
  ) -> ObjectPredicate {
    let options = options()
    func made(_ comparison: ComparisonPredicate.Operator, _ right: ObjectExpression) -> ObjectPredicate {
      .comparison(ComparisonPredicate(left, comparison, right, modifier: modifier, options: options))
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let count = Int.random(in: 0..<4, using: &random)
      return made(
        .isIn, .constant(.collection((0..<count).map { _ in constant(chance(6) ? pick(Kind.allCases) : kind) })))
    case 1: return made(.isIn, .aggregate([value(kind, depth - 1), value(kind, 0)]))
    case 2: return made(.between, .aggregate([value(kind, 0), value(kind, 0)]))
    case 3: return made(chance(2) ? .equalTo : .notEqualTo, .constant(.null))
    case 4 where kind == .text, 5 where kind == .text, 6 where kind == .text:
      let operation = pick([ComparisonPredicate.Operator.beginsWith, .endsWith, .contains, .like, .matches, .isIn])
      switch operation {
      case .like:
        let pattern = pick(["*", "a*", "*b", "?", "a?c", "ab\\*", "*b*", "a*c", "", "\\\\", "á*", "??"])
        return made(.like, .constant(.attribute(.string(pattern))))
      case .matches:
        let pattern = pick(["a.*", "[a-z]+", ".", "", "á", "(a|b)+c?", "\\d+", "(?i)abc", "^a$", "\\p{L}+"])
        return made(.matches, .constant(.attribute(.string(pattern))))
      default: return made(operation, value(.text, depth - 1))
      }
    default:
      let operation = pick([
        ComparisonPredicate.Operator.equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan,
        .greaterThanOrEqualTo,
      ])
      return made(operation, value(kind, depth - 1))
    }
  }

  /// Comparisons of objects.
  private mutating func object(_ depth: Int) -> ObjectPredicate {
    let scope = pick(scopes)
    let party = scope.entity.rootIndex == model.entity(named: "Party")?.index
    let toOne = scope.entity.relationships.filter { !$0.isToMany }.map(\.name)
    var left = scope.base
    if !toOne.isEmpty, chance(2) { left = path(scope.base, [pick(toOne)]) }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .comparison(ComparisonPredicate(left, chance(2) ? .equalTo : .notEqualTo, .constant(.null)))
    case 1 where party:
      return .comparison(ComparisonPredicate(left, .isIn, path(scope.base, [pick(["staff", "friends"])])))
    default:
      let other = pick(scopes)
      return .comparison(ComparisonPredicate(left, chance(2) ? .equalTo : .notEqualTo, other.base))
    }
  }

  // MARK: Values

  mutating func value(_ kind: Kind, _ depth: Int) -> ObjectExpression {
    if chance(4) { return .constant(constant(kind)) }
    if depth <= 0 || chance(3) { return property(kind) }
    switch kind {
    case .number: return number(depth - 1)
    case .text: return text(depth - 1)
    case .date: return date(depth - 1)
    default: return property(kind)
    }
  }

  mutating func constant(_ kind: Kind) -> ConstantValue {
    let types: [AttributeType] =
      switch kind {
      case .number: [.integer16, .integer64, .double, .decimal, .boolean, .float]
      case .text: [.string, .string, .uri]
      case .date: [.date]
      case .uuid: [.uuid]
      case .binary: [.binary]
      }
    let type = pick(types)
    return .attribute(GeneratedWorld.value(type, &random))
  }

  private func kind(_ type: AttributeType) -> Kind {
    switch type {
    case .string, .uri: .text
    case .date: .date
    case .uuid: .uuid
    case .binary: .binary
    default: .number
    }
  }

  private mutating func property(_ kind: Kind) -> ObjectExpression {
    for _ in 0..<8 {
      let scope = pick(scopes)
      var entity = scope.entity
      var names: [String] = []
      while names.count < 3, chance(3), let step = entity.relationships.filter({ !$0.isToMany }).first {
        names.append(step.name)
        entity = model.entities[step.destinationEntity]
      }
      let fitting = entity.attributes.filter { self.kind($0.type) == kind }
      if fitting.isEmpty { continue }
      names.append(pick(fitting).name)
      return path(scope.base, names)
    }
    return .constant(constant(kind))
  }

  private func path(_ base: ObjectExpression, _ names: [String]) -> ObjectExpression {
    .path(base, PropertyPath(names.map { .property($0) }))
  }

  /// A path over a to-many relationship to values of a kind.
  private mutating func collection(_ depth: Int, _ wanted: Kind? = nil) -> (ObjectExpression, Kind) {
    while true {
      let scope = pick(scopes)
      var entity = scope.entity
      var base = scope.base
      var names: [String] = []
      while chance(3), let step = entity.relationships.first(where: { !$0.isToMany }) {
        names.append(step.name)
        entity = model.entities[step.destinationEntity]
      }
      var steps = 0
      while steps == 0 || (steps < 3 && chance(4)) {
        let many = entity.relationships.filter(\.isToMany)
        if many.isEmpty { break }
        let step = pick(many)
        names.append(step.name)
        entity = model.entities[step.destinationEntity]
        steps += 1
      }
      if steps == 0 {
        if scopes.allSatisfy({ $0.entity.name == "Mark" }) { return (.aggregate([value(.number, 0)]), .number) }
        continue
      }
      if depth > 0, chance(4) {
        base = subquery(path(base, names), entity, depth)
        names = []
      }
      if chance(4), let step = entity.relationships.first(where: { !$0.isToMany }) {
        names.append(step.name)
        entity = model.entities[step.destinationEntity]
      }
      let attributes = entity.attributes.filter { wanted == nil || kind($0.type) == wanted }
      if attributes.isEmpty { continue }
      let attribute = pick(attributes)
      return (path(base, names + [attribute.name]), kind(attribute.type))
    }
  }

  private mutating func subquery(_ collection: ObjectExpression, _ entity: EntityDescription, _ depth: Int)
    -> ObjectExpression
  {
    variableCount += 1
    let variable = "v\(variableCount)"
    scopes.append(Scope(base: .variable(variable), entity: entity))
    defer { scopes.removeLast() }
    return .subquery(collection, variable: variable, predicate(depth - 1))
  }

  private mutating func number(_ depth: Int) -> ObjectExpression {
    func call(_ function: ExpressionFunction, _ arguments: ObjectExpression...) -> ObjectExpression {
      .function(function, arguments)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1, 2:
      let function = pick([ExpressionFunction.add, .subtract, .multiply, .divide, .modulus])
      return call(function, value(.number, depth), value(.number, depth))
    case 3:
      let function = pick([
        ExpressionFunction.squareRoot, .logarithm, .naturalLogarithm, .exponential, .ceiling, .floor, .truncate,
        .absolute, .noIndex,
      ])
      return call(function, value(.number, depth))
    case 4: return call(.raise, value(.number, depth), value(.number, 0))
    case 5:
      let function = pick([ExpressionFunction.bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift])
      return call(function, value(.number, depth), value(.number, 0))
    case 6: return chance(2) ? call(.onesComplement, value(.number, depth)) : call(.length, value(.text, depth))
    case 7: return call(.subtract, value(.date, depth), value(.date, depth))
    case 8, 9:
      let function = pick([ExpressionFunction.count, .sum, .average, .min, .max, .median, .mode, .standardDeviation])
      if function == .count, chance(2) {
        let scope = pick(scopes)
        guard let step = scope.entity.relationships.first(where: \.isToMany) else { return property(.number) }
        let collection = path(scope.base, [step.name])
        return chance(2)
          ? call(.count, collection) : .path(collection, PropertyPath([.collectionOperator(.count)]))
      }
      if chance(4) { return .function(function, [value(.number, 0), value(.number, 0), value(.number, 0)]) }
      let (collection, _) = collection(depth, .number)
      return chance(4) && function != .sum ? call(function, call(.distinct, collection)) : call(function, collection)
    case 10: return .conditional(predicate(depth), value(.number, depth), value(.number, depth))
    default:
      return call(
        .cast, value(pick([.number, .text, .date]), depth),
        .constant(.attribute(.string(pick(["NSNumber", "integer", "double", "NSDecimalNumber"])))))
    }
  }

  private mutating func text(_ depth: Int) -> ObjectExpression {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .function(.uppercase, [value(.text, depth)])
    case 1: return .function(.lowercase, [value(.text, depth)])
    case 2: return .function(.canonical, [value(.text, depth)])
    case 3: return .conditional(predicate(depth), value(.text, depth), value(.text, depth))
    case 4:
      let (collection, _) = collection(depth, .text)
      return .function(pick([.min, .max, .mode]), [collection])
    default:
      return .function(.cast, [value(pick([.number, .text, .uuid]), depth), .constant("NSString")])
    }
  }

  private mutating func date(_ depth: Int) -> ObjectExpression {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .function(.add, [value(.date, depth), value(.number, 0)])
    case 1: return .function(.subtract, [value(.date, depth), value(.number, 0)])
    case 2:
      let (collection, _) = collection(depth, .date)
      return .function(chance(2) ? .min : .max, [collection])
    default: return .function(.cast, [value(pick([.number, .text, .date]), depth), .constant("NSDate")])
    }
  }

  // MARK: Orders

  mutating func order() -> [ObjectSortDescriptor] {
    (0..<Int.random(in: 0..<3, using: &random)).map { _ in
      let entity = scopes[0].entity
      var names: [String] = []
      var owner = entity
      if chance(3), let step = entity.relationships.first(where: { !$0.isToMany }) {
        names.append(step.name)
        owner = model.entities[step.destinationEntity]
      }
      names.append(pick(owner.attributes).name)
      let comparison: ObjectSortDescriptor.Comparison = pick([
        .standard, .standard, .folded(.caseInsensitive), .folded([.caseInsensitive, .diacriticInsensitive]), .localized,
        .localizedCaseInsensitive, .localizedStandard,
      ])
      return ObjectSortDescriptor(
        names.joined(separator: "."), ascending: Bool.random(using: &random), comparison: comparison)
    }
  }
}
