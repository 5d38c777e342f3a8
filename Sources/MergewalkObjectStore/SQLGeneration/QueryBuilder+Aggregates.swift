import MergewalkObjectModel

extension QueryBuilder {
  /// An aggregate function: of a to-many path or a list a subquery, of a plain attribute SQL's own aggregate.
  func aggregate(_ function: ExpressionFunction, _ arguments: [ObjectExpression]) throws(PredicateError) -> SQLValue {
    guard let first = arguments.first else {
      throw PredicateError(.unknownFunction, "\(function.rawValue) takes a collection or at least one value")
    }
    if arguments.count > 1 {
      var operands: [QueryOperand] = []
      for argument in arguments { operands.append(try operand(argument)) }
      return try aggregate(function, table(operands))
    }
    let outer = isInAggregate
    isInAggregate = true
    defer { isInAggregate = outer }
    var isDistinct = false
    var argument = first
    if case .function(.distinct, let inner) = first, inner.count == 1, clause == .values {
      isDistinct = true
      argument = inner[0]
    }
    switch try operand(argument) {
    case .collection(var collection):
      try checkCorrelation(argument, outer)
      collection.isDistinct = collection.isDistinct || isDistinct
      return try aggregate(function, collection)
    case .constants(let values):
      return try aggregate(function, distinct(table(values.map { operand($0) }), isDistinct))
    case .list(let operands):
      return try aggregate(function, distinct(table(operands), isDistinct))
    case .row(let row): return try plain(function, row.value, isDistinct, outer)
    case .value(let value):
      if value.constant != nil || value.isNull {
        return try aggregate(function, table([.value(value)]))
      }
      return try plain(function, value, isDistinct, outer)
    case .dictionary: throw PredicateError(.typeMismatch, "\(function.rawValue) cannot take a dictionary")
    }
  }

  private func distinct(_ collection: QueryCollection, _ isDistinct: Bool) -> QueryCollection {
    var result = collection
    result.isDistinct = isDistinct
    return result
  }

  /// A to-many path is not itself an aggregate of the statement: beside groups, its object must be grouped.
  private func checkCorrelation(_ argument: ObjectExpression, _ wasInAggregate: Bool) throws(PredicateError) {
    guard grouped != nil, !wasInAggregate, case .path(.evaluatedObject, let path) = argument else { return }
    throw PredicateError(
      .invalidRequest, "\(path.text) belongs to one object, not to a group",
      hint: "group by SELF, or use an aggregate of an aggregate such as sum:(\(argument))")
  }

  /// SQL's aggregate over the rows of the statement.
  private func plain(
    _ function: ExpressionFunction, _ value: SQLValue, _ isDistinct: Bool, _ wasInAggregate: Bool
  ) throws(PredicateError) -> SQLValue {
    guard clause == .values else {
      throw PredicateError(
        .typeMismatch,
        "\(function.rawValue) of \(value.name), which is one value of one object, makes no sense in a predicate",
        hint: "use it in what is fetched or in the condition on groups; here use a to-many path")
    }
    guard !wasInAggregate else {
      throw PredicateError(
        .invalidRequest, "\(function.rawValue) of \(value.name) is inside another aggregate",
        hint: "SQL has aggregates of values only")
    }
    usesAggregate = true
    return try result(function, of: value, isDistinct, countsRows: !value.isNullable && !isDistinct)
  }

  // MARK: Collections

  /// `path.@sum.rest`.
  func apply(
    _ operation: CollectionOperator, to operand: QueryOperand, _ rest: ArraySlice<PropertyPath.Component>
  ) throws(PredicateError) -> SQLValue {
    let function: ExpressionFunction
    switch operation {
    case .count: function = .count
    case .sum: function = .sum
    case .average: function = .average
    case .minimum: function = .min
    case .maximum: function = .max
    case .distinctUnionOfObjects, .unionOfObjects, .distinctUnionOfArrays, .unionOfArrays, .distinctUnionOfSets:
      throw PredicateError(
        .notInSQL, "\(operation.rawValue) works in memory only", hint: "in SQL use @count, @sum, @avg, @min or @max")
    }
    let collection: QueryCollection
    switch operand {
    case .collection(let stored): collection = stored
    case .constants(let values): collection = try table(values.map { self.operand($0) })
    case .list(let operands): collection = try table(operands)
    case .value, .row, .dictionary:
      throw PredicateError(
        .typeMismatch, "\(operation.rawValue) needs a to-many path or a list before it",
        hint: "put it after a to-many relationship")
    }
    guard !rest.isEmpty else { return try aggregate(function, collection) }
    guard case .collection(let values) = try follow(.collection(collection), rest) else {
      throw PredicateError(.typeMismatch, "\(operation.rawValue) must be the last operator of a path")
    }
    return try aggregate(function, values)
  }

  func aggregate(_ function: ExpressionFunction, _ collection: QueryCollection) throws(PredicateError) -> SQLValue {
    var countsRows = false
    if case .row(let row) = collection.element { countsRows = !row.isNullable && !collection.isDistinct }
    var result = try result(function, of: collection.value, collection.isDistinct, countsRows: countsRows)
    let exact = result.exactText.map { select($0, collection) }
    result.text = select(result.text, collection)
    result.exactText = exact
    return result
  }

  /// SQL's aggregate of a value.
  private func result(
    _ function: ExpressionFunction, of value: SQLValue, _ isDistinct: Bool, countsRows: Bool
  ) throws(PredicateError) -> SQLValue {
    let argument: SQLText = isDistinct ? "DISTINCT \(value.text)" : value.text
    if function == .count {
      return .number("count(\(countsRows ? "*" : argument))", .integer, isNullable: false)
    }
    try refuseOpaque(value)
    if let exact = value.exactText, let name = QueryFunctions.exactName(function) {
      // SQL's DISTINCT takes the same number as text and as a number for two.
      let result = SQLText.call(name, isDistinct ? [exact, "1"] : [exact])
      return .number(.call(QueryFunctions.storedName, [result]), exact: result, value.type)
    }
    switch function {
    case .min, .max, .mode:
      if case .object = value.family {
        throw PredicateError(
          .typeMismatch, "\(function.rawValue) cannot take objects: they have no order",
          hint: "put an attribute after \(value.name)")
      }
      var result = value
      result.text = .call(QueryFunctions.aggregateName(function, value), [argument])
      result.isColumn = false
      result.isNullable = true
      result.constant = nil
      result.name = "\(function.rawValue) of \(value.name)"
      return result
    default: break
    }
    try demand(.number, [value], function)
    if value.type == .decimal, let names = QueryFunctions.decimalNames(function) {
      return .number(.call(names.number, [argument]), exact: .call(names.exact, [argument]), .decimal)
    }
    let text = SQLText.call(QueryFunctions.aggregateName(function, value), [argument])
    switch function {
    case .sum:
      let isOwn = text.sql.hasPrefix("mergewalk")
      let isInteger = value.isNull || value.kind == .integer
      // The sum of infinities of both signs is no number.
      return .number(isOwn ? text : "ifnull(\(text), 0)", isInteger ? .integer : .mixed, isNullable: !isInteger)
    case .median: return .number(text, .mixed)
    default: return .number(text, .real)
    }
  }
}
