import Diagnostics
import ObjectModel

/// What an expression is before it is put into a place: one value, a row, or many.
enum QueryOperand {
  /// One value.
  case value(SQLValue)
  /// An object.
  case row(QueryRow)
  /// The elements of a to-many path or a SUBQUERY.
  case collection(QueryCollection)
  /// A constant list.
  case constants([ConstantValue])
  /// A constant dictionary.
  case dictionary([String: ConstantValue])
  /// A list of expressions.
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
  var namedExpressions: [String: Expression] = [:]
  /// What the values are grouped by, when only that and aggregates may be used.
  var grouped: Set<Expression>?
  /// Whether an argument of an aggregate is being made.
  var isInAggregate = false
  /// Whether an aggregate of SQL was made.
  var usesAggregate = false
  var variables: [String: QueryOperand] = [:]
  private var depth = 0
  private var expandedNames = Set<String>()

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

  /// A predicate as a condition.
  func condition(_ predicate: Predicate) throws(PredicateError) -> SQLCondition {
    try nested { () throws(PredicateError) in
      switch predicate {
      case .value(let value): return .known(value)
      case .and(let parts): return .all(try conditions(parts))
      case .or(let parts): return .any(try conditions(parts))
      case .not(let part): return try negation(part)
      case .comparison(let comparison): return try compare(comparison)
      case .closure:
        throw PredicateError(
          .notInSQL, "a closure cannot run inside a SQLite store",
          hint: "fetch the objects first and filter them with the closure in memory")
      }
    }
  }

  private func conditions(_ parts: [Predicate]) throws(PredicateError) -> [SQLCondition] {
    var result: [SQLCondition] = []
    result.reserveCapacity(parts.count)
    for part in parts { result.append(try condition(part)) }
    return result
  }

  /// The opposite of a predicate; equality turns into inequality, which needs no NOT.
  private func negation(_ predicate: Predicate) throws(PredicateError) -> SQLCondition {
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
  func value(_ expression: Expression) throws(PredicateError) -> SQLValue { try single(operand(expression)) }

  /// An operand as one value.
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
        .toManyKey, "a list stands where one value is needed", hint: "put ANY or ALL before the comparison, or use IN")
    case .dictionary:
      throw PredicateError(.typeMismatch, "a dictionary stands where a value is needed", hint: "take one of its values")
    }
  }

  /// What an expression is.
  func operand(_ expression: Expression) throws(PredicateError) -> QueryOperand {
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

  private func plainOperand(_ expression: Expression) throws(PredicateError) -> QueryOperand {
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

  // MARK: Paths

  private func pathOperand(_ base: Expression, _ path: PropertyPath) throws(PredicateError) -> QueryOperand {
    if base == .evaluatedObject {
      if case .property(let name)? = path.components.first, path.components.count == 1,
        let named = namedExpressions[name]
      {
        // A fetched expression may not be made of itself.
        guard expandedNames.insert(name).inserted else {
          throw PredicateError(.invalidRequest, "the fetched expression \(name) refers to itself")
        }
        defer { expandedNames.remove(name) }
        let outerNames = namedExpressions
        namedExpressions[name] = nil
        defer { namedExpressions = outerNames }
        return try operand(named)
      }
      try checkGrouped(path.components.map(\.text).joined(separator: "."))
      return try follow(.row(root), path.components[...])
    }
    return try follow(operand(base), path.components[...])
  }

  /// Refuses what is neither grouped nor inside an aggregate.
  private func checkGrouped(_ path: String) throws(PredicateError) {
    guard grouped != nil, !isInAggregate else { return }
    throw PredicateError(
      .invalidRequest, "\(path) is neither grouped nor inside an aggregate",
      hint: "add it to the properties to group by, or use an aggregate such as max:(\(path))")
  }

  /// Goes along a path.
  func follow(
    _ operand: QueryOperand, _ path: ArraySlice<PropertyPath.Component>
  ) throws(PredicateError) -> QueryOperand {
    var operand = operand
    var rest = path
    while let component = rest.popFirst() {
      switch component {
      case .property(let name): operand = try step(operand, name)
      case .collectionOperator(let operation): return .value(try apply(operation, to: operand, rest))
      }
    }
    return operand
  }

  private func step(_ operand: QueryOperand, _ name: String) throws(PredicateError) -> QueryOperand {
    switch operand {
    case .row(let row): return try step(row, name, in: nil)
    case .collection(let collection):
      guard case .row(let row) = collection.element else { throw noProperties(collection.name, name) }
      return try step(row, name, in: collection)
    case .dictionary(let values): return self.operand(values[name] ?? .null)
    case .value(let value):
      if value.isNull { return operand }
      if let row = value.row { return try step(row, name, in: nil) }
      throw noProperties(value.name, name)
    case .constants, .list:
      throw PredicateError(
        .notInSQL, "the elements of a list have no properties in SQL", hint: "compute the values before the fetch")
    }
  }

  private func noProperties(_ what: String, _ name: String) -> PredicateError {
    PredicateError(.unknownKey, "\(what) has no property \(name): it is not an object")
  }

  /// One property of a row, or of the rows of a collection.
  private func step(
    _ row: QueryRow, _ name: String, in collection: QueryCollection?
  ) throws(PredicateError) -> QueryOperand {
    if let attribute = row.entity.attribute(named: name) {
      let value = try self.value(of: attribute, row)
      guard var collection else { return .value(value) }
      collection.element = .value(value)
      collection.name += ".\(name)"
      return .collection(collection)
    }
    if let relationship = row.entity.relationship(named: name) {
      if relationship.isToMany {
        guard let collection else { return .collection(try .elements(relationship, of: row, names)) }
        return .collection(try collection.following(relationship, of: row, names))
      }
      guard !relationship.isTransient, let destination = row.destination(relationship) else {
        throw PredicateError(
          .notInSQL, "\(row.entity.name).\(name) is transient: the store does not have it",
          hint: "fetch without it and filter the objects in memory")
      }
      guard var collection else { return .row(destination) }
      collection.element = .row(destination)
      collection.name += ".\(name)"
      return .collection(collection)
    }
    if row.entity.fetchedProperties.contains(where: { $0.name == name }) {
      throw PredicateError(
        .notInSQL, "\(row.entity.name).\(name) is a fetched property: the store does not have it",
        hint: "use the predicate of its request, or filter the objects in memory")
    }
    throw unknown(name, row.entity)
  }

  private func unknown(_ name: String, _ entity: EntityDescription) -> PredicateError {
    let below = schema.model.entities[entity.index...entity.lastDescendantIndex]
    let owner = below.first { $0.attribute(named: name) != nil || $0.relationship(named: name) != nil }
    let known = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    let hint =
      owner.map { "\($0.name), which inherits from it, has one: fetch \($0.name)" }
      ?? NearestName.find(name, in: known).map { "did you mean \($0)?" }
    return PredicateError(.unknownKey, "\(entity.name) has no property \(name)", hint: hint)
  }

  /// The column of an attribute.
  func value(of attribute: AttributeDescription, _ row: QueryRow) throws(PredicateError) -> SQLValue {
    let name = "\(row.entity.name).\(attribute.name)"
    if attribute.isTransient {
      throw PredicateError(
        .notInSQL, "\(name) is transient: the store does not have it",
        hint: "fetch without it and filter the objects in memory")
    }
    guard let column = row.table.columnName(slot: attribute.slot) else {
      throw PredicateError(
        .notInSQL, "\(name) is of type \(attribute.type.xmlName), which has no column",
        hint: "fetch without it and filter the objects in memory")
    }
    // Bytes that may live in a file beside the store cannot be looked into, only asked for.
    let family = attribute.allowsExternalBinaryDataStorage ? .opaque : SQLFamily(attribute.type)
    return SQLValue(
      text: row.column(column), family: family, type: attribute.type, kind: NumberKind(attribute.type), isColumn: true,
      name: name)
  }
}

extension PropertyPath.Component {
  /// The component as the predicate language writes it.
  var text: String {
    switch self {
    case .property(let name): name
    case .collectionOperator(let operation): operation.rawValue
    }
  }
}
