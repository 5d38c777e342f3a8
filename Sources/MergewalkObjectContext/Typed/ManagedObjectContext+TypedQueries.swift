public import MergewalkObjectModel
import MergewalkObjectStore

/// Typed queries: what the compiler can check of a request, it checks.
extension ManagedObjectContext {
  /// The objects of a class that satisfy a condition.
  ///
  /// ```swift
  /// let open = try context.fetch(
  ///   Issue.self, where: \.state != .done && \.project.key == key, sort: [.descending(\.createdAt)], limit: 20)
  /// ```
  ///
  /// - Parameters:
  ///   - condition: The condition on them; `nil` for all.
  ///   - sort: Their order.
  ///   - limit: The maximum number; 0 for all.
  ///   - offset: The number of objects to skip at the beginning.
  /// - Throws: ``ObjectError`` as ``fetch(_:)-(FetchRequest)`` does, with `unknownEntity` when no entity, or more than
  ///   one, has the class.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where condition: TypedPredicate<Object>? = nil, sort: [TypedSort<Object>] = [],
    limit: Int = 0, offset: Int = 0
  ) throws(ObjectError) -> [Object] {
    try fetch(try request(type, where: condition, sort: sort, limit: limit, offset: offset))
  }

  /// The first object of a class that satisfies a condition, in an order.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:where:sort:limit:offset:)`` does.
  public func first<Object: ManagedObject>(
    _ type: Object.Type, where condition: TypedPredicate<Object>? = nil, sort: [TypedSort<Object>] = []
  ) throws(ObjectError) -> Object? {
    try fetch(type, where: condition, sort: sort, limit: 1).first
  }

  /// The number of objects of a class that satisfy a condition.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:where:sort:limit:offset:)`` does.
  public func count<Object: ManagedObject>(
    _ type: Object.Type, where condition: TypedPredicate<Object>? = nil
  ) throws(ObjectError) -> Int {
    try count(for: try request(type, where: condition))
  }

  /// Whether an object of a class satisfies a condition.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:where:sort:limit:offset:)`` does.
  public func exists<Object: ManagedObject>(
    _ type: Object.Type, where condition: TypedPredicate<Object>? = nil
  ) throws(ObjectError) -> Bool {
    try count(for: try request(type, where: condition, limit: 1)) > 0
  }

  /// The request for the objects of a class, whose untyped options can then be changed.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` when no entity, or more than one, has the class.
  public func request<Object: ManagedObject>(
    _ type: Object.Type, where condition: TypedPredicate<Object>? = nil, sort: [TypedSort<Object>] = [],
    limit: Int = 0, offset: Int = 0
  ) throws(ObjectError) -> TypedFetchRequest<Object> {
    var request = FetchRequest(
      try entity(of: type).name, where: condition?.predicate, sortedBy: sort.map(\.sortDescriptor))
    request.fetchLimit = limit
    request.fetchOffset = offset
    return TypedFetchRequest(request)
  }

  /// Values of the objects of a class as tuples; if one of them is an aggregate, the others are its groups: there is
  /// one tuple for each combination of them.
  ///
  /// ```swift
  /// for (title, project) in try context.select(\.title, \.project.name, from: Issue.self) { ... }
  /// for (state, count) in try context.select(\.state, \.objectCount, from: Issue.self) { ... }
  /// ```
  ///
  /// The values are those of the store, without unsaved changes. A missing value is the same as in typed access: `nil`,
  /// or the type's empty value.
  ///
  /// - Throws: ``ObjectError`` as ``fetch(_:where:sort:limit:offset:)`` does, or `unreadable` for a value that does not
  ///   fit the type.
  public func select<Object: ManagedObject, each Value: ManagedValue>(
    _ columns: repeat KeyPath<ObjectKeys<Object>, AttributeKey<each Value>>, from type: Object.Type,
    where condition: TypedPredicate<Object>? = nil, sort: [TypedSort<Object>] = [], limit: Int = 0, offset: Int = 0,
    distinct: Bool = false
  ) throws(ObjectError) -> [(repeat each Value)] {
    var request = try request(type, where: condition, sort: sort, limit: limit, offset: offset).request
    var isGrouped = false
    var groups: [FetchedValue] = []
    let keys = ObjectKeys<Object>()
    for path in repeat each columns {
      let column = keys[keyPath: path]
      let value = FetchedValue(column.expression, number: request.propertiesToFetch.count)
      request.propertiesToFetch.append(value)
      if column.isAggregate { isGrouped = true } else { groups.append(value) }
    }
    if isGrouped { request.propertiesToGroupBy = groups }
    request.returnsDistinctResults = distinct
    var rows: [(repeat each Value)] = []
    for row in try fetchDictionaries(request) {
      var index = -1
      func next<Column: ManagedValue>(_ type: Column.Type) throws(ObjectError) -> Column {
        index += 1
        return try row.value(at: index)
      }
      rows.append((repeat try next((each Value).self)))
    }
    return rows
  }

  func entity(of type: ManagedObject.Type) throws(ObjectError) -> EntityDescription {
    let entities = registry.link.classes.entities(of: type)
    guard let entity = entities.first, entities.count == 1 else {
      throw ObjectError(
        .unknownEntity,
        entities.isEmpty
          ? "no entity was given the class \(type)"
          : "the entities \(entities.map(\.name).joined(separator: ", ")) share the class \(type); name the entity")
    }
    return entity
  }
}

extension FetchedValue {
  /// A column: a property by its path, anything else as an expression with a name of its own.
  init(_ key: Key, number: Int) {
    if let path = key.expression.dottedPath, !path.contains("@") {
      self = .property(path)
    } else {
      self = .expression(ExpressionDescription(name: "value \(number)", expression: key.expression))
    }
  }
}

extension FetchedDictionary {
  /// The value at a position as a Swift type.
  ///
  /// - Throws: ``ObjectError`` with `unreadable` when it does not fit the type and the type declares no
  ///   `fallbackValue`.
  public func value<Value: ManagedValue>(
    at index: Int, as type: Value.Type = Value.self
  ) throws(ObjectError) -> Value {
    let found = self[index]
    guard case .attribute(let value) = found, value != .null else {
      if case .attribute = found { return Value.emptyValue }
      if case .null = found { return Value.emptyValue }
      throw unreadable(found, index, type)
    }
    if let typed = Value(attributeValue: value) ?? Value(number: value) ?? Value.fallbackValue { return typed }
    throw unreadable(found, index, type)
  }

  /// The value of a key as a Swift type.
  ///
  /// - Throws: ``ObjectError`` with `unknownKey`, or `unreadable` when the value does not fit the type and the type
  ///   declares no `fallbackValue`.
  public func value<Value: ManagedValue>(
    forKey key: String, as type: Value.Type = Value.self
  ) throws(ObjectError) -> Value {
    guard let index = content.positions[key] else {
      throw ObjectError(.unknownKey, "the fetch has no value \"\(key)\"")
    }
    return try value(at: index)
  }

  private func unreadable(_ value: ConstantValue, _ index: Int, _ type: Any.Type) -> ObjectError {
    ObjectError(.unreadable, "\(content.columns[index].name) is \(value), which is not of type \(type)")
  }
}

extension ManagedValue {
  /// Reads a number of another type, as SQL computes it: the mean of whole numbers, the sum of dates.
  fileprivate init?(number value: AttributeValue) {
    switch value {
    case .integer(let number):
      self.init(attributeValue: .double(Double(number)))
    case .double(let number):
      guard let whole = Int64(exactly: number) else { return nil }
      self.init(attributeValue: .integer(whole))
    case .decimal(let number):
      self.init(attributeValue: .double(number.number.asDouble))
    default: return nil
    }
  }
}
