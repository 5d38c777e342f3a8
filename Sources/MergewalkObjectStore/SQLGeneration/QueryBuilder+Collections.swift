import MergewalkDiagnostics
import MergewalkObjectModel

extension QueryBuilder {
  // MARK: IN and CONTAINS

  /// `left IN right`.
  func membership(
    of left: QueryOperand, in right: QueryOperand, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    switch right {
    case .constants(let values): return try isOne(of: values, single(left), options)
    case .dictionary(let values):
      return try isOne(of: values.keys.sorted().compactMap { values[$0] }, single(left), options)
    case .list(let operands):
      var conditions: [SQLCondition] = []
      for operand in operands {
        conditions.append(try equality(single(left), single(operand), options, isEqual: true))
      }
      return .any(conditions)
    case .collection(let collection):
      return exists(collection, try equality(collection.value, single(left), options, isEqual: true))
    case .value, .row: return try part(single(left), of: single(right), "IN", options)
    }
  }

  /// `left CONTAINS right`.
  func containment(
    of right: QueryOperand, in left: QueryOperand, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    switch left {
    case .value, .row: try part(single(right), of: single(left), "CONTAINS", options)
    default: try membership(of: right, in: left, options)
    }
  }

  private func isOne(
    of constants: [ConstantValue], _ value: SQLValue, _ options: ComparisonPredicate.Options
  ) throws(PredicateError) -> SQLCondition {
    var hasNull = false
    var bindings: [SQLBinding] = []
    var others: [SQLCondition] = []
    let compared = collated(value, options)
    for constant in constants {
      let element = self.value(constant)
      if element.isNull {
        if case .attribute = constant { hasNull = true }
        continue
      }
      try refuseOpaque(value)
      guard element.family == value.family, !element.isForeign, let binding = element.text.bindings.first else {
        continue
      }
      switch value.family {
      case .number:
        switch QueryBuilder.parameter(binding, besides: value) {
        case .parameter(let fitted): bindings.append(fitted)
        case .unequal: break
        case .withoutIndex: others.append(try equality(value, element, options, isEqual: true))
        }
      default: bindings.append(binding)
      }
    }
    var conditions: [SQLCondition] = []
    let left = compared.text.enclosed(atLeast: .comparison)
    if bindings.count == 1 {
      conditions.append(
        .text(SQLText("\(left) = \(SQLText(bindings[0]))", .equality), canBeNull: value.isNullable))
    } else if bindings.count > QueryBuilder.inlineListLimit {
      conditions.append(
        .text(
          SQLText("\(left) IN (SELECT value FROM \(name: ListSource.name)(\(SQLText(.list(bindings)))))", .equality),
          canBeNull: value.isNullable))
    } else if !bindings.isEmpty {
      conditions.append(
        .text(
          SQLText("\(left) IN (\(SQLText.joined(bindings.map { SQLText($0) }, ", ")))", .equality),
          canBeNull: value.isNullable))
    }
    conditions += others
    if hasNull { conditions.append(nullCheck(value, isNull: true)) }
    return .any(conditions)
  }

  // MARK: Subqueries

  /// Whether a collection has an element for which a condition holds.
  func exists(_ collection: QueryCollection, _ condition: SQLCondition) -> SQLCondition {
    if case .known(false) = condition { return .known(false) }
    return .text("EXISTS \(select("1", collection, condition))", canBeNull: false)
  }

  /// A SELECT over a collection, in parentheses.
  func select(
    _ columns: SQLText, _ collection: QueryCollection, _ condition: SQLCondition = .known(true), suffix: SQLText = ""
  ) -> SQLText {
    let level = collection.level
    var conditions = level.conditions.map { SQLCondition.text($0.with(.equality), canBeNull: true) }
    conditions.append(condition)
    var text: SQLText = "(SELECT \(columns) FROM \(level.sources)"
    if case .text(let filter, _) = SQLCondition.all(conditions) { text.append(" WHERE \(filter)") }
    text.append("\(suffix))")
    text.depth += 3
    return text
  }

  /// `SUBQUERY(collection, $variable, predicate)`.
  func subquery(
    _ expression: ObjectExpression, _ variable: String, _ predicate: ObjectPredicate
  ) throws(PredicateError) -> QueryCollection {
    let collection: QueryCollection
    switch try operand(expression) {
    case .collection(let stored): collection = stored
    case .constants(let values): collection = try table(values.map { operand($0) })
    case .list(let operands): collection = try table(operands)
    case .value(let value) where value.isNull: collection = try table([])
    case .value, .row, .dictionary:
      throw PredicateError(
        .typeMismatch, "SUBQUERY needs a to-many path or a list as its collection",
        hint: "for a to-one relationship write the condition on its path")
    }
    let outer = variables[variable]
    variables[variable] = element(of: collection)
    defer { variables[variable] = outer }
    switch try condition(predicate) {
    case .known(true): break
    case .known(false): collection.level.conditions.append("0")
    case .text(let text, _): collection.level.conditions.append(text.enclosed(atLeast: .not))
    }
    return collection
  }

  /// The most expressions of a list: SQLite takes at most 500 parts in a compound SELECT.
  static let listLimit = 400

  /// A list of values as a table.
  func table(_ operands: [QueryOperand]) throws(PredicateError) -> QueryCollection {
    let level = QueryLevel()
    var values: [SQLValue] = []
    for operand in operands { values.append(try single(operand)) }
    let known = values.filter { !$0.isNull }
    guard let first = known.first else {
      let alias = names.next()
      let rows: SQLText = values.isEmpty ? "SELECT NULL AS value WHERE 0" : "SELECT NULL AS value"
      level.add("(\(rows)) AS \(name: alias)")
      return QueryCollection(level: level, element: .value(.null), name: "the list")
    }
    for value in known where value.family != first.family {
      throw PredicateError(
        .typeMismatch, "a list of \(first.family.words) and \(value.family.words) has no single type in SQL",
        hint: "use values of one kind")
    }
    let alias = names.next()
    let isExact = SQLValue.needExact(values)
    let texts = values.map { isExact ? $0.exact : $0.text }
    if values.allSatisfy({ $0.constant != nil }) {
      level.add(
        "\(name: ListSource.name)(\(SQLText(.list(texts.map { $0.bindings.first ?? .null })))) AS \(name: alias)")
    } else {
      guard values.count <= QueryBuilder.listLimit else {
        throw PredicateError(
          .tooLarge, "a list with \(values.count) expressions is too long for SQL",
          hint: "use at most \(QueryBuilder.listLimit)")
      }
      // SQLite refuses columns of the outer statement inside VALUES.
      // The sign keeps the first column's affinity from turning integers into binary64 numbers or the other way round.
      let isMixed = isExact || values.contains { !$0.isNull && $0.kind != first.kind }
      let rows = zip(values, texts).enumerated().map { i, row in
        let text = isMixed && row.0.isColumn ? SQLText("+\(row.1)", .unary) : row.1
        return i == 0 ? "SELECT \(text) AS value" as SQLText : "SELECT \(text)"
      }
      level.add("(\(SQLText.joined(rows, " UNION ALL "))) AS \(name: alias)")
    }
    let column = SQLText(name: "\(alias).value")
    var element = first
    element.text = isExact ? .call(QueryFunctions.storedName, [column]) : column
    if isExact { element.exactText = column }
    element.constant = nil
    element.isColumn = false
    element.isNullable = true
    element.name = "the list"
    element.kind = known.allSatisfy { $0.kind == first.kind } ? first.kind : .mixed
    element.type = known.allSatisfy { $0.type == first.type } ? first.type : .undefined
    if let row = first.row {
      let element = QueryRow(
        entity: row.entity, key: column, entityNumber: nil, isElement: false, level: level, names: names)
      return QueryCollection(level: level, element: .row(element), name: "the list")
    }
    return QueryCollection(level: level, element: .value(element), name: "the list")
  }

  // MARK: Elements

  /// `[n]`, `[FIRST]`, `[LAST]`, `[SIZE]`.
  func element(_ element: CollectionElement, of expression: ObjectExpression) throws(PredicateError) -> QueryOperand {
    switch try operand(expression) {
    case .constants(let values): return try pick(element, values.map { operand($0) })
    case .list(let operands): return try pick(element, operands)
    case .dictionary(let values):
      guard case .at(let key) = element, case .attribute(.string(let name))? = try value(key).constant else {
        throw PredicateError(.typeMismatch, "a dictionary is indexed by a text", hint: "write the key in quotes")
      }
      return operand(values[name] ?? .null)
    case .collection(let collection):
      if element == .size {
        let argument: SQLText = collection.isDistinct ? "DISTINCT \(collection.value.text)" : "*"
        return .value(.number(select("count(\(argument))", collection), .integer, isNullable: false))
      }
      return try pick(element, collection)
    case .value(let value) where value.isNull:
      // Null is a collection of nothing.
      return element == .size ? operand(.attribute(.integer(0))) : .value(value)
    case .value(let value):
      throw PredicateError(.typeMismatch, "\(value.name) is not a collection, so it has no elements")
    case .row(let row):
      throw PredicateError(.typeMismatch, "\(row.entity.name) is one object, so it has no elements")
    }
  }

  private func pick(_ element: CollectionElement, _ operands: [QueryOperand]) throws(PredicateError) -> QueryOperand {
    let index: Int
    if operands.isEmpty, element == .first || element == .last { return operand(.null) }
    switch element {
    case .size: return operand(.attribute(.integer(Int64(operands.count))))
    case .first: index = 0
    case .last: index = operands.count - 1
    case .at(let expression): index = try constantIndex(expression)
    }
    guard operands.indices.contains(index) else {
      throw PredicateError(
        .indexOutOfRange, "a list of \(PrintableText.count(operands.count, "element")) has none at the index \(index)",
        hint: "indexes count from 0")
    }
    return operands[index]
  }

  private func constantIndex(_ expression: ObjectExpression) throws(PredicateError) -> Int {
    guard case .attribute(.integer(let number))? = try value(expression).constant else {
      throw PredicateError(.notInSQL, "in SQL an index must be a whole number", hint: "write the number itself")
    }
    return Int(number)
  }

  private func pick(
    _ element: CollectionElement, _ collection: QueryCollection
  ) throws(PredicateError) -> QueryOperand {
    guard let order = collection.level.order else {
      throw PredicateError(
        .notInSQL, "\(collection.name) has no order, so it has no first element and none at an index",
        hint: "make the relationship ordered in the model, or use @min or @max")
    }
    var place: SQLText = order
    var offset = 0
    switch element {
    case .first, .size: break
    case .last: place.append(" DESC")
    case .at(let expression):
      offset = try constantIndex(expression)
      guard offset >= 0 else {
        throw PredicateError(.indexOutOfRange, "the index \(offset) is below 0", hint: "indexes count from 0")
      }
    }
    var suffix: SQLText = " ORDER BY \(place) LIMIT 1"
    if offset > 0 { suffix.append(" OFFSET \(SQLText(.integer(Int64(offset))))") }
    let text = select(collection.value.text, collection, suffix: suffix)
    switch collection.element {
    case .value(var value):
      value.text = text
      value.isColumn = false
      value.isNullable = true
      return .value(value)
    case .row(let row):
      return .row(
        QueryRow(entity: row.entity, key: text, entityNumber: nil, isElement: false, level: level, names: names))
    }
  }
}
