import MergewalkPropertyLists

/// Predicates and expressions as archives hold them, of partial indexes, fetch requests and validation.
///
/// The classes and keys of comparisons for equality, of paths, constants, variables and compounds are those of compiled models
/// and stores at hand; those of the other operators, of lists, functions, sets, subqueries and conditions those that others
/// have published. Not known: comparisons of uniform types, closures, assignments, `[FIRST]`, `[LAST]` and `[SIZE]`.
/// Source: Cappuccino, [NSExpression.j](https://github.com/cappuccino/cappuccino/blob/main/Tools/nib2cib/NSExpression.j),
/// and Apple's numbers of [operators](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/operator)
/// and [expressions](https://developer.apple.com/documentation/foundation/nsexpression/expressiontype-swift.enum).
extension ComparisonPredicate.Operator {
  /// The number in archives; `nil` for those that archives are not known to have.
  fileprivate var archived: Int64? {
    switch self {
    case .lessThan: 0
    case .lessThanOrEqualTo: 1
    case .greaterThan: 2
    case .greaterThanOrEqualTo: 3
    case .equalTo: 4
    case .notEqualTo: 5
    case .matches: 6
    case .like: 7
    case .beginsWith: 8
    case .endsWith: 9
    case .isIn: 10
    case .contains: 99
    case .between: 100
    case .conformsTo, .equalsType: nil
    }
  }
}

extension ComparisonPredicate.Modifier {
  /// The number in archives.
  fileprivate var archived: Int64 {
    switch self {
    case .direct: 0
    case .all: 1
    case .any: 2
    }
  }

  fileprivate init?(archived: Int64) {
    switch archived {
    case 0: self = .direct
    case 1: self = .all
    case 2: self = .any
    default: return nil
    }
  }
}

extension SetOperation {
  /// The type of the expression in archives.
  fileprivate var archived: Int64 {
    switch self {
    case .union: 5
    case .intersect: 6
    case .minus: 7
    }
  }
}

// MARK: - Reading

extension KeyedArchive {
  /// The predicate that an object stands for; `nil` when a part of it is not understood.
  func predicate(_ object: Object) -> ObjectPredicate? {
    var reader = PredicateReader(archive: self)
    return reader.predicate(object, 0)
  }

  /// The expression that an object stands for; `nil` when a part of it is not understood.
  func expression(_ object: Object) -> ObjectExpression? {
    var reader = PredicateReader(archive: self)
    return reader.expression(object, 0)
  }
}

/// Reads one predicate or expression.
///
/// Objects may refer to what holds them, and to one object many times, so depth and number of the parts are limited as they
/// are in formats.
private struct PredicateReader {
  /// How many parts may still be read.
  private var rest = FormatParser.maximumNodes
  private let archive: KeyedArchive

  init(archive: KeyedArchive) { self.archive = archive }

  private mutating func enter(_ depth: Int) -> Bool {
    rest -= 1
    return rest >= 0 && depth < FormatParser.maximumDepth
  }

  // MARK: Predicates

  mutating func predicate(_ object: KeyedArchive.Object?, _ depth: Int) -> ObjectPredicate? {
    guard let object, enter(depth) else { return nil }
    switch archive.className(object) {
    case "NSTruePredicate"?: return .value(true)
    case "NSFalsePredicate"?: return .value(false)
    case "NSComparisonPredicate"?: return comparison(object, depth).map { .comparison($0) }
    case "NSCompoundPredicate"?:
      guard let objects = archive.list(object, "NSSubpredicates") else { return nil }
      var parts: [ObjectPredicate] = []
      for part in objects {
        guard let part = predicate(part, depth + 1) else { return nil }
        parts.append(part)
      }
      switch archive.integer(object, "NSCompoundPredicateType") {
      case 0? where parts.count == 1: return .not(parts[0])
      case 1? where !parts.isEmpty: return .and(parts)
      case 2? where !parts.isEmpty: return .or(parts)
      default: return nil
      }
    default: return nil
    }
  }

  private mutating func comparison(_ object: KeyedArchive.Object, _ depth: Int) -> ComparisonPredicate? {
    guard let kind = archive.object(object, "NSPredicateOperator"),
      let number = archive.integer(kind, "NSOperatorType"),
      let comparison = ComparisonPredicate.Operator.allCases.first(where: { $0.archived == number }),
      let modifier = ComparisonPredicate.Modifier(archived: archive.integer(kind, "NSModifier") ?? 0),
      let bits = UInt8(exactly: archive.integer(kind, "NSOptions") ?? archive.integer(kind, "NSFlags") ?? 0), bits < 16,
      // What is negated is another operator.
      archive.integer(kind, "NSNegate").map({ ($0 != 0) == (comparison == .notEqualTo) }) ?? true,
      let left = expression(archive.object(object, "NSLeftExpression"), depth + 1),
      let right = expression(archive.object(object, "NSRightExpression"), depth + 1)
    else { return nil }
    return ComparisonPredicate(
      left, comparison, right, modifier: modifier, options: ComparisonPredicate.Options(rawValue: bits))
  }

  // MARK: Expressions

  mutating func expression(_ object: KeyedArchive.Object?, _ depth: Int) -> ObjectExpression? {
    guard let object, enter(depth) else { return nil }
    switch archive.className(object) {
    case "NSSelfExpression"?: return .evaluatedObject
    case "NSVariableExpression"?: return archive.string(object, "NSVariable").map { .variable($0) }
    case "NSConstantValueExpression"?:
      // A class is no value.
      guard archive.value(object, "NSConstantValueClassName") == nil else { return nil }
      return archive.constant(object, "NSConstantValue").map { .constant($0) }
    case "NSKeyPathExpression"?: return path(object, depth)
    case "NSFunctionExpression"?: return function(object, depth)
    case "NSAggregateExpression"?: return expressions(object, "NSCollection", depth).map { .aggregate($0) }
    case "NSSetExpression"?:
      guard
        let operation = SetOperation.allCases.first(where: {
          $0.archived == archive.integer(object, "NSExpressionType")
        }),
        let left = expression(archive.object(object, "NSLeftExpression"), depth + 1),
        let right = expression(archive.object(object, "NSRightExpression"), depth + 1)
      else { return nil }
      return .set(operation, left, right)
    case "NSSubqueryExpression"?:
      guard let collection = expression(archive.object(object, "NSExpression"), depth + 1),
        let variable = archive.string(object, "NSVariable"),
        let condition = predicate(archive.object(object, "NSSubpredicate"), depth + 1)
      else { return nil }
      return .subquery(collection, variable: variable, condition)
    case "NSTernaryExpression"?:
      guard let condition = predicate(archive.object(object, "NSPredicate"), depth + 1),
        let first = expression(archive.object(object, "NSTrueExpression"), depth + 1),
        let second = expression(archive.object(object, "NSFalseExpression"), depth + 1)
      else { return nil }
      return .conditional(condition, first, second)
    default: return nil
    }
  }

  private mutating func expressions(_ object: KeyedArchive.Object, _ key: String, _ depth: Int) -> [ObjectExpression]? {
    guard let objects = archive.list(object, key) else { return nil }
    var expressions: [ObjectExpression] = []
    for object in objects {
      guard let expression = expression(object, depth + 1) else { return nil }
      expressions.append(expression)
    }
    return expressions
  }

  private mutating func path(_ object: KeyedArchive.Object, _ depth: Int) -> ObjectExpression? {
    guard let specifier = archive.list(object, "NSArguments")?.first,
      let path = archive.string(specifier, "NSKeyPath").flatMap({ PropertyPath($0) })
    else { return nil }
    guard let operand = archive.object(object, "NSOperand") else { return .keyPath(path) }
    guard let base = expression(operand, depth + 1) else { return nil }
    if case .path(let origin, let start) = base {
      return .path(origin, PropertyPath(start.components + path.components))
    }
    return .path(base, path)
  }

  private mutating func function(_ object: KeyedArchive.Object, _ depth: Int) -> ObjectExpression? {
    guard let name = archive.string(object, "NSSelectorName") else { return nil }
    if name == "valueForKey:" || name == "valueForKeyPath:" { return path(object, depth) }
    // Functions are methods of one class; those of other values are not known.
    guard
      archive.object(object, "NSOperand").flatMap({ archive.string($0, "NSConstantValueClassName") })
        == ModelArchiver.functionClass,
      let function = ExpressionFunction(rawValue: name), let arguments = expressions(object, "NSArguments", depth),
      function.accepts(arguments.count)
    else { return nil }
    return function == .objectWithIndex ? .element(arguments[0], .at(arguments[1])) : .function(function, arguments)
  }
}

// MARK: - Writing

extension ModelArchiver {
  /// The class whose methods are the functions of expressions.
  fileprivate static let functionClass = "_NSPredicateUtilities"

  /// Writes a predicate of the kind that ``KeyedArchive/predicate(_:)`` reads; `nil` for others.
  mutating func predicate(_ predicate: ObjectPredicate) -> PropertyList? {
    let (kind, parts): (Int64, [ObjectPredicate])
    switch predicate {
    case .comparison(let comparison): return self.comparison(comparison)
    case .not(let inner): (kind, parts) = (0, [inner])
    case .and(let inner): (kind, parts) = (1, inner)
    case .or(let inner): (kind, parts) = (2, inner)
    case .value(let flag): return writer.object(flag ? "NSTruePredicate" : "NSFalsePredicate", [])
    case .closure: return nil
    }
    var written: [PropertyList] = []
    for part in parts {
      guard let part = self.predicate(part) else { return nil }
      written.append(part)
    }
    return writer.object(
      "NSCompoundPredicate",
      [("NSCompoundPredicateType", .integer(kind)), ("NSSubpredicates", writer.list(written, "NSArray"))])
  }

  private mutating func comparison(_ comparison: ComparisonPredicate) -> PropertyList? {
    guard let left = expression(comparison.left), let right = expression(comparison.right),
      let kind = kind(of: comparison)
    else { return nil }
    return writer.object(
      "NSComparisonPredicate",
      [("NSLeftExpression", left), ("NSRightExpression", right), ("NSPredicateOperator", kind)])
  }

  /// The object that says how the sides of a comparison are compared.
  private mutating func kind(of comparison: ComparisonPredicate) -> PropertyList? {
    guard let number = comparison.comparison.archived else { return nil }
    var entries: [(String, PropertyList)] = [
      ("NSOperatorType", .integer(number)), ("NSModifier", .integer(comparison.modifier.archived)),
    ]
    let options = PropertyList.integer(Int64(comparison.options.rawValue))
    let name: String
    switch comparison.comparison {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      name = "NSComparisonPredicateOperator"
      entries += [("NSOptions", options), ("NSVariant", .integer(number))]
    case .equalTo, .notEqualTo:
      name = "NSEqualityPredicateOperator"
      entries += [("NSOptions", options), ("NSNegate", .boolean(comparison.comparison == .notEqualTo))]
    case .matches, .like:
      name = comparison.comparison == .like ? "NSLikePredicateOperator" : "NSMatchingPredicateOperator"
      entries.append(("NSFlags", options))
    case .beginsWith, .endsWith:
      name = "NSSubstringPredicateOperator"
      entries += [("NSFlags", options), ("NSPosition", .integer(comparison.comparison == .beginsWith ? 0 : 1))]
    case .isIn, .contains:
      name = "NSInPredicateOperator"
      entries.append(("NSFlags", options))
    case .between:
      guard comparison.options.isEmpty else { return nil }
      name = "NSBetweenPredicateOperator"
    case .conformsTo, .equalsType: return nil
    }
    return writer.object(name, entries)
  }

  /// Writes an expression of the kind that ``KeyedArchive/expression(_:)`` reads; `nil` for others.
  mutating func expression(_ expression: ObjectExpression) -> PropertyList? {
    switch expression {
    case .constant(let value): return constant(value)
    case .evaluatedObject: return evaluated()
    case .variable(let name):
      return writer.object(
        "NSVariableExpression", [("NSExpressionType", .integer(2)), ("NSVariable", writer.text(name))])
    case .path(let base, let path):
      guard let operand = self.expression(base) else { return nil }
      // A name is as it is, whatever word it is.
      return keyPath(path.text, of: operand)
    case .function(let function, let arguments): return self.function(function, arguments)
    case .element(let collection, .at(let index)): return self.function(.objectWithIndex, [collection, index])
    case .aggregate(let elements): return expressions(elements).map { aggregate($0) }
    case .set(let operation, let left, let right):
      guard let left = self.expression(left), let right = self.expression(right) else { return nil }
      return writer.object(
        "NSSetExpression",
        [
          ("NSExpressionType", .integer(operation.archived)), ("NSLeftExpression", left), ("NSRightExpression", right),
        ])
    case .subquery(let collection, let variable, let condition):
      guard let collection = self.expression(collection), let condition = predicate(condition) else { return nil }
      return writer.object(
        "NSSubqueryExpression",
        [
          ("NSExpressionType", .integer(13)), ("NSExpression", collection), ("NSVariable", writer.text(variable)),
          ("NSSubpredicate", condition),
        ])
    case .conditional(let condition, let first, let second):
      guard let condition = predicate(condition), let first = self.expression(first),
        let second = self.expression(second)
      else { return nil }
      return writer.object(
        "NSTernaryExpression",
        [
          ("NSExpressionType", .integer(20)), ("NSPredicate", condition), ("NSTrueExpression", first),
          ("NSFalseExpression", second),
        ])
    case .element, .assignment: return nil
    }
  }

  private mutating func expressions(_ expressions: [ObjectExpression]) -> [PropertyList]? {
    var written: [PropertyList] = []
    for expression in expressions {
      guard let expression = self.expression(expression) else { return nil }
      written.append(expression)
    }
    return written
  }

  private mutating func aggregate(_ elements: [PropertyList]) -> PropertyList {
    writer.object(
      "NSAggregateExpression",
      [("NSExpressionType", .integer(14)), ("NSCollection", writer.list(elements, "NSArray"))])
  }

  private mutating func function(_ function: ExpressionFunction, _ arguments: [ObjectExpression]) -> PropertyList? {
    expressions(arguments).map { self.function(function.rawValue, $0) }
  }

  /// A function of expressions that are written already.
  mutating func function(_ name: String, _ arguments: [PropertyList]) -> PropertyList {
    let operand = writer.object(
      "NSConstantValueExpression",
      [("NSExpressionType", .integer(0)), ("NSConstantValueClassName", writer.text(Self.functionClass))])
    return writer.object(
      "NSFunctionExpression",
      [
        ("NSOperand", operand), ("NSSelectorName", writer.text(name)), ("NSExpressionType", .integer(4)),
        ("NSArguments", writer.list(arguments)),
      ])
  }

  private mutating func constant(_ value: ConstantValue) -> PropertyList? {
    switch value {
    case .attribute(.null):
      return writer.object(
        "NSConstantValueExpression",
        [("NSExpressionType", .integer(0)), ("NSConstantValueClassName", ArchiveWriter.null)])
    case .attribute(let value):
      return writer.object(
        "NSConstantValueExpression", [("NSExpressionType", .integer(0)), ("NSConstantValue", plain(value))])
    case .collection(let elements): return expressions(elements.map { .constant($0) }).map { aggregate($0) }
    case .objectID, .dictionary: return nil
    }
  }
}
