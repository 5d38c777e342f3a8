import MergewalkObjectModel

/// An expression before it is put into a place: one value, a row, or many.
enum QueryOperand {
  case value(SQLValue)
  case row(QueryRow)
  /// The elements of a to-many path or a SUBQUERY.
  case collection(QueryCollection)
  case constants([ConstantValue])
  case dictionary([String: ConstantValue])
  case list([QueryOperand])
}

/// Makes the SQL of the predicates and expressions of one statement.
final class QueryBuilder {
  /// The part of the statement that is being made; it decides what aggregate functions mean.
  enum Clause {
    /// A WHERE: every expression belongs to one object.
    case filter
    /// Fetched values, HAVING and the order of dictionaries: `max:(salary)` is SQL's aggregate.
    case values
  }

  /// The deepest nesting of predicates and expressions: far beyond what people write, far from the end of the stack.
  static let depthLimit = 200
  /// How many constants of a list become parameters; longer lists are read as a table.
  static let inlineListLimit = 64

  let schema: StoreSchema
  let storeUUID: String
  let names: QueryNames
  /// The rows of the entity that is fetched.
  let level = QueryLevel()
  /// `SELF`.
  let root: QueryRow
  var clause = Clause.filter
  /// The fetched expressions by name, for HAVING and sort keys.
  var namedExpressions: [String: ObjectExpression] = [:]
  /// The expressions to group by, when only they and aggregates may be used.
  var grouped: Set<ObjectExpression>?
  /// Whether an argument of an aggregate is being made.
  var isInAggregate = false
  /// Whether an aggregate of SQL was made.
  var usesAggregate = false
  var variables: [String: QueryOperand] = [:]
  private var depth = 0
  var expandedNames = Set<String>()

  init(schema: StoreSchema, storeUUID: String, entity: EntityDescription) {
    self.schema = schema
    self.storeUUID = storeUUID
    names = QueryNames(schema)
    let alias = names.next()
    root = QueryRow(entity: entity, alias: alias, level: level, names: names)
    level.add("\(name: root.table.name) AS \(name: alias)")
  }

  /// Runs `body` one level deeper.
  func nested<Value>(_ body: () throws(PredicateError) -> Value) throws(PredicateError) -> Value {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryBuilder.depthLimit else {
      throw PredicateError(
        .tooLarge, "the predicate nests more than \(QueryBuilder.depthLimit) levels deep",
        hint: "use IN or a list of conditions instead of nesting")
    }
    return try body()
  }

  // MARK: Predicates

  func condition(_ predicate: ObjectPredicate) throws(PredicateError) -> SQLCondition {
    try nested { () throws(PredicateError) in
      switch predicate {
      case .value(let value): return .known(value)
      case .and(let parts): return .all(try conditions(ObjectPredicate.gathered(parts, ofOr: false)))
      case .or(let parts): return .any(try conditions(ObjectPredicate.gathered(parts, ofOr: true)))
      case .not(let part): return try negation(part)
      case .comparison(let comparison): return try compare(comparison)
      case .closure:
        throw PredicateError(
          .notInSQL, "a closure cannot run inside a SQLite store",
          hint: "fetch the objects first and filter them with the closure in memory")
      }
    }
  }

  private func conditions(_ parts: [ObjectPredicate]) throws(PredicateError) -> [SQLCondition] {
    var result: [SQLCondition] = []
    result.reserveCapacity(parts.count)
    for part in parts { result.append(try condition(part)) }
    return result
  }

  /// The opposite of a predicate; equality turns into inequality, which needs no NOT.
  private func negation(_ predicate: ObjectPredicate) throws(PredicateError) -> SQLCondition {
    if case .comparison(var comparison) = predicate, comparison.modifier == .direct {
      switch comparison.comparison {
      case .equalTo: comparison.comparison = .notEqualTo
      case .notEqualTo: comparison.comparison = .equalTo
      default: return try condition(predicate).negated
      }
      return try condition(.comparison(comparison))
    }
    return try condition(predicate).negated
  }

  // MARK: Expressions

  /// An expression as one value; a collection is the error `toManyKey`.
  func value(_ expression: ObjectExpression) throws(PredicateError) -> SQLValue { try single(operand(expression)) }

  func single(_ operand: QueryOperand) throws(PredicateError) -> SQLValue {
    switch operand {
    case .value(let value): return value
    case .row(let row): return row.value
    case .collection(let collection):
      throw PredicateError(
        .toManyKey, "\(collection.name) leads to many values where one is needed",
        hint: "put ANY or ALL before the comparison, or use an aggregate such as @count")
    case .constants, .list:
      throw PredicateError(
        .toManyKey, "there is a list where a single value is needed",
        hint: "put ANY or ALL before the comparison, or use IN")
    case .dictionary:
      throw PredicateError(
        .typeMismatch, "there is a dictionary where a value is needed", hint: "take one of its values")
    }
  }

  func operand(_ expression: ObjectExpression) throws(PredicateError) -> QueryOperand {
    try nested { () throws(PredicateError) in
      if let grouped, !isInAggregate, grouped.contains(expression) {
        // The whole expression is a group's value, so its parts need not be.
        self.grouped = nil
        defer { self.grouped = grouped }
        return try plainOperand(expression)
      }
      return try plainOperand(expression)
    }
  }

  private func plainOperand(_ expression: ObjectExpression) throws(PredicateError) -> QueryOperand {
    switch expression {
    case .constant(let constant): return operand(constant)
    case .evaluatedObject:
      try checkGrouped("SELF")
      return .row(root)
    case .variable(let name):
      guard let value = variables[name] else {
        throw PredicateError(
          .missingVariable, "$\(name) has no value", hint: "substitute the variable before the fetch")
      }
      return value
    case .path(let base, let path): return try pathOperand(base, path)
    case .function(let function, let arguments): return try call(function, arguments)
    case .aggregate(let elements):
      var operands: [QueryOperand] = []
      for element in elements { operands.append(try operand(element)) }
      return QueryBuilder.list(operands)
    case .subquery(let collection, let variable, let predicate):
      return .collection(try subquery(collection, variable, predicate))
    case .set(let operation, _, _):
      throw PredicateError(
        .notInSQL, "\(operation.rawValue) works on collections in memory only",
        hint: "use AND, OR or NOT of IN, or fetch first and filter in memory")
    case .conditional(let predicate, let first, let second): return .value(try conditional(predicate, first, second))
    case .element(let collection, let element): return try self.element(element, of: collection)
    case .assignment(let variable, _):
      throw PredicateError(
        .notInSQL, "$\(variable) := … works in memory only", hint: "use the expression itself in place of the variable")
    }
  }

  /// A list whose elements may all be constants.
  static func list(_ operands: [QueryOperand]) -> QueryOperand {
    var constants: [ConstantValue] = []
    for operand in operands {
      switch operand {
      case .value(let value):
        guard let constant = value.constant else { return .list(operands) }
        constants.append(constant)
      case .constants(let values): constants.append(.collection(values))
      case .dictionary(let values): constants.append(.dictionary(values))
      default: return .list(operands)
      }
    }
    return .constants(constants)
  }
}
