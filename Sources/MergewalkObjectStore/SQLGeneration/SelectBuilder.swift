import MergewalkObjectModel

/// Puts the SELECT of a request together.
struct SelectBuilder {
  let builder: QueryBuilder
  let request: FetchRequest
  let selection: FetchSelection
  /// Whether values without another order come by primary key.
  var isOrderedByKey = false

  /// One fetched value.
  struct Output {
    var name: String
    var expression: ObjectExpression
    var value: SQLValue
    var columns: [SQLText]
    var kind: FetchedColumn.Kind
    /// The position of its first column among all, from 1.
    var position: Int
  }

  init(builder: QueryBuilder, request: FetchRequest, selection: FetchSelection) throws(PredicateError) {
    self.builder = builder
    self.request = request
    self.selection = selection
    guard request.fetchLimit >= 0, request.fetchOffset >= 0 else {
      throw PredicateError(.invalidRequest, "limit and offset must not be negative", hint: "use 0 for no limit")
    }
  }

  func build() throws(PredicateError) -> CompiledFetch {
    switch selection {
    case .primaryKeys(let withSortKeys): return try rows(slots: nil, withSortKeys)
    case .rows(let slots, let withSortKeys): return try rows(slots: slots, withSortKeys)
    case .values: return try values(isCounted: false)
    case .count: return try count()
    }
  }

  // MARK: Objects

  private func rows(slots: [Int]?, _ withSortKeys: Bool) throws(PredicateError) -> CompiledFetch {
    try refuseGroups()
    let filter = try builder.filter(request.predicate, includesSubentities: request.includesSubentities)
    let root = builder.root
    var columns: [FetchedColumn] = []
    var list: [SQLText] = []
    func add(_ name: String, _ kind: FetchedColumn.Kind) {
      columns.append(FetchedColumn(name: name, kind: kind, position: Int32(list.count)))
      list.append(root.column(name))
    }
    add("Z_PK", .primaryKey)
    add("Z_ENT", .entityNumber)
    if let slots {
      add("Z_OPT", .version)
      for slot in slots {
        guard let column = root.table.columnName(slot: slot) else { continue }
        add(column, .cell)
        if let column = root.table.destinationEntityColumn(slot: slot) { add(column, .cell) }
        if let column = root.table.orderKeyColumn(slot: slot) { add(column, .cell) }
      }
    }
    let firstSortKey = columns.count
    var order: [SQLText] = []
    for descriptor in request.sortDescriptors {
      let value = try sortValue(.keyPath(try path(descriptor.key)), descriptor)
      if withSortKeys {
        columns.append(
          FetchedColumn(name: descriptor.key, kind: .value(value.type), position: Int32(list.count)))
        list.append(value.text)
      }
      order.append(try term(value.text, descriptor, value))
    }
    if !order.isEmpty { order.append(root.key) }
    var text = statement(list, filter)
    if !order.isEmpty { text.append(" ORDER BY \(SQLText.joined(order, ", "))") }
    return try fetch(limited(text), columns, firstSortKey)
  }

  private func refuseGroups() throws(PredicateError) {
    guard !request.propertiesToGroupBy.isEmpty || request.havingPredicate != nil else { return }
    throw PredicateError(
      .invalidRequest, "only dictionaries can be grouped", hint: "set resultType to dictionaries")
  }

  /// `SELECT … FROM … WHERE …`.
  private func statement(_ columns: [SQLText], _ filter: SQLText?, isDistinct: Bool = false) -> SQLText {
    var text: SQLText = isDistinct ? "SELECT DISTINCT " : "SELECT "
    text.append("\(SQLText.joined(columns, ", ")) FROM \(builder.level.sources)")
    if let filter { text.append(" WHERE \(filter)") }
    return text
  }

  private func limited(_ text: SQLText) -> SQLText {
    guard request.fetchLimit > 0 || request.fetchOffset > 0 else { return text }
    let limit = request.fetchLimit > 0 ? Int64(request.fetchLimit) : -1
    var result = text
    result.append(" LIMIT \(SQLText(.integer(limit)))")
    if request.fetchOffset > 0 { result.append(" OFFSET \(SQLText(.integer(Int64(request.fetchOffset))))") }
    return result
  }

  private func fetch(
    _ text: SQLText, _ columns: [FetchedColumn], _ firstSortKey: Int
  ) throws(PredicateError) -> CompiledFetch {
    try text.checkSize()
    return CompiledFetch(
      sql: text.sql, bindings: text.bindings, columns: columns, firstSortKey: firstSortKey,
      entity: builder.root.entity.index)
  }

  // MARK: Order

  private func path(_ key: String) throws(PredicateError) -> PropertyPath {
    guard let path = PropertyPath(key) else {
      throw PredicateError(
        .invalidRequest, "\"\(key)\" is not a key path", hint: "write property names with points between them")
    }
    return path
  }

  /// The value by which a sort descriptor orders.
  private func sortValue(_ expression: ObjectExpression, _ descriptor: ObjectSortDescriptor) throws(PredicateError)
    -> SQLValue
  {
    if case .custom = descriptor.comparison {
      throw PredicateError(
        .notInSQL, "the order of \(descriptor.key) is code, which cannot run inside a SQLite store",
        hint: "sort the fetched objects in memory, or use one of the store's comparisons")
    }
    let value: SQLValue
    do throws(PredicateError) {
      value = try builder.value(expression)
    } catch {
      guard error.code == .toManyKey else { throw error }
      throw PredicateError(error.code, error.message, hint: "sort by an aggregate of it, such as @count")
    }
    switch value.family {
    case .object:
      throw PredicateError(
        .typeMismatch, "\(descriptor.key) is an object, and objects have no order",
        hint: "sort by one of its attributes"
          + (value.row?.entity.attributes.first.map { ": \(expression).\($0.name)" } ?? ""))
    case .opaque: try builder.refuseOpaque(value)
    default: break
    }
    return value
  }

  /// A term of ORDER BY: null first ascending, last descending, as SQLite does of itself.
  private func term(
    _ text: SQLText, _ descriptor: ObjectSortDescriptor, _ value: SQLValue
  ) throws(PredicateError) -> SQLText {
    var term = text
    if value.family == .text, let collation = QueryFunctions.collation(descriptor.comparison) {
      term = "\(text.enclosed(atLeast: .unary)) COLLATE \(name: collation)"
    }
    if !descriptor.ascending { term.append(" DESC") }
    return term
  }

  // MARK: Dictionaries

  private func expression(_ value: FetchedValue) throws(PredicateError) -> ObjectExpression {
    switch value {
    case .property(let name): .keyPath(try path(name))
    case .expression(let description): description.expression
    }
  }

  /// The request's properties, or all attributes and to-one relationships that are stored.
  private func properties() -> [FetchedValue] {
    if !request.propertiesToFetch.isEmpty { return request.propertiesToFetch }
    if !request.propertiesToGroupBy.isEmpty { return request.propertiesToGroupBy }
    let root = builder.root
    let names =
      root.entity.attributes.filter { root.table.columnName(slot: $0.slot) != nil }.map(\.name)
      + root.entity.relationships.filter { root.table.columnName(slot: $0.slot) != nil }.map(\.name)
    return names.sorted().map { .property($0) }
  }

  private func values(isCounted: Bool) throws(PredicateError) -> CompiledFetch {
    let filter = try builder.filter(request.predicate, includesSubentities: request.includesSubentities)
    builder.clause = .values
    let properties = properties()
    var named: [String: ObjectExpression] = [:]
    for property in properties {
      if case .expression(let description) = property { named[description.name] = description.expression }
    }
    var groups: [(expression: ObjectExpression, value: FetchedValue)] = []
    for property in request.propertiesToGroupBy { groups.append((try expression(property), property)) }
    // Whether there are aggregates is known only when all values are made, so a request without groups is made again.
    if !groups.isEmpty || request.havingPredicate != nil { builder.grouped = Set(groups.map(\.expression)) }
    var (outputs, list) = try outputs(properties)
    if builder.grouped == nil, builder.usesAggregate {
      builder.grouped = []
      (outputs, list) = try self.outputs(properties)
    }
    let isGrouped = builder.grouped != nil
    var grouping: [SQLText] = []
    builder.grouped = nil
    for group in groups {
      builder.usesAggregate = false
      grouping += columns(of: try operand(group.value, group.expression)).columns
      guard !builder.usesAggregate else {
        throw PredicateError(
          .invalidRequest, "\(group.value.name) is an aggregate: it has a value for each group, and makes none",
          hint: "group by what single objects have, and leave \(group.value.name) to what is fetched")
      }
    }
    if isGrouped { builder.grouped = Set(groups.map(\.expression)) }
    builder.namedExpressions = named
    var having: SQLText?
    if let predicate = request.havingPredicate {
      switch try builder.condition(predicate) {
      case .known(true): break
      case .known(false): having = "0"
      case .text(let text, _): having = text
      }
    }
    let order = try isCounted ? [] : order(outputs, isGrouped)
    var text = statement(list, filter, isDistinct: request.returnsDistinctResults)
    if !grouping.isEmpty { text.append(" GROUP BY \(SQLText.joined(grouping, ", "))") }
    if let having { text.append(" HAVING \(having)") }
    if !order.isEmpty { text.append(" ORDER BY \(SQLText.joined(order, ", "))") }
    let columns = outputs.map {
      FetchedColumn(
        name: $0.name, kind: $0.kind, position: Int32($0.position - 1),
        isExternal: $0.value.family == .opaque && $0.value.type == .binary)
    }
    return try fetch(limited(text), columns, columns.count)
  }

  private func outputs(_ properties: [FetchedValue]) throws(PredicateError) -> ([Output], [SQLText]) {
    var seen = Set<String>()
    var outputs: [Output] = []
    var list: [SQLText] = []
    for property in properties {
      guard seen.insert(property.name).inserted else {
        throw PredicateError(
          .invalidRequest, "two fetched values are called \(property.name)", hint: "give each expression its own name")
      }
      let expression = try expression(property)
      let value = try operand(property, expression)
      var (columns, kind) = columns(of: value)
      kind = resultKind(kind, property)
      if case .value(.decimal) = kind, let exact = value.exactText { columns = [exact] }
      outputs.append(
        Output(
          name: property.name, expression: expression, value: value, columns: columns, kind: kind,
          position: list.count + 1))
      list += columns
    }
    return (outputs, list)
  }

  private func resultKind(_ kind: FetchedColumn.Kind, _ property: FetchedValue) -> FetchedColumn.Kind {
    guard case .expression(let description) = property, description.resultType != .undefined, case .value = kind,
      description.resultType != .objectID
    else { return kind }
    return .value(description.resultType)
  }

  /// A fetched value; a to-many relationship is none.
  private func operand(_ property: FetchedValue, _ expression: ObjectExpression) throws(PredicateError) -> SQLValue {
    do throws(PredicateError) {
      switch try builder.operand(expression) {
      case .collection(let collection):
        throw PredicateError(
          .invalidRequest, "\(collection.name) leads to many values, and \(property.name) needs one",
          hint: "use an aggregate such as \(expression).@count")
      case let single: return try builder.single(single)
      }
    } catch {
      guard error.code == .toManyKey else { throw error }
      throw PredicateError(error.code, error.message, hint: "use an aggregate of it, such as @count or max:")
    }
  }

  /// The SQL columns of a value: an object has a second one when only that tells its entity.
  private func columns(of value: SQLValue) -> (columns: [SQLText], kind: FetchedColumn.Kind) {
    guard case .object = value.family else { return ([value.text], .value(value.type)) }
    guard let row = value.row else { return ([value.text], .value(.integer64)) }
    if let number = row.entityNumber() {
      return ([value.text, number], .objectID(entity: row.entity.index, hasEntityColumn: true))
    }
    return ([value.text], .objectID(entity: row.entity.index, hasEntityColumn: false))
  }

  private func order(_ outputs: [Output], _ isGrouped: Bool) throws(PredicateError) -> [SQLText] {
    var order: [SQLText] = []
    for descriptor in request.sortDescriptors {
      let key = PropertyPath(descriptor.key)?.text
      if let output = outputs.first(where: { $0.name == descriptor.key || $0.name == key }) {
        if case .object = output.value.family { _ = try sortValue(output.expression, descriptor) }
        if case .custom = descriptor.comparison { _ = try sortValue(output.expression, descriptor) }
        try builder.refuseOpaque(output.value)
        // The number of the column: what is selected once is computed once. Texts have another order than numbers.
        let text = output.value.exactText == nil ? SQLText(name: String(output.position)) : output.value.text
        order.append(try term(text, descriptor, output.value))
      } else {
        let value = try sortValue(.keyPath(try path(descriptor.key)), descriptor)
        guard !request.returnsDistinctResults else {
          throw PredicateError(
            .invalidRequest, "distinct results cannot be sorted by \(descriptor.key), which is not fetched",
            hint: "fetch it, too")
        }
        order.append(try term(value.text, descriptor, value))
      }
    }
    if isOrderedByKey || !order.isEmpty, !isGrouped, !request.returnsDistinctResults { order.append(builder.root.key) }
    return order
  }

  // MARK: Counting

  private func count() throws(PredicateError) -> CompiledFetch {
    let columns = [FetchedColumn(name: "count", kind: .value(.integer64), position: 0)]
    if request.resultType == .dictionaries {
      let inner = try values(isCounted: true)
      return try fetch(
        "SELECT count(*) FROM (\(SQLText(sql: inner.sql, bindings: inner.bindings)))", columns, 1)
    }
    try refuseGroups()
    let filter = try builder.filter(request.predicate, includesSubentities: request.includesSubentities)
    guard request.fetchLimit > 0 || request.fetchOffset > 0 else {
      return try fetch(statement(["count(*)"], filter), columns, 1)
    }
    return try fetch("SELECT count(*) FROM (\(limited(statement(["1"], filter))))", columns, 1)
  }
}
