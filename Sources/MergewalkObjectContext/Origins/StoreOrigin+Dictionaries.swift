import MergewalkObjectModel

/// Dictionaries of entities that several stores have.
extension StoreOrigin {
  /// The dictionaries of a request in several stores, in its order, limit and offset applied to all together.
  ///
  /// - Throws: ``ObjectError`` with `invalidRequest` for groups, distinct results and expressions: an aggregate of each
  ///   store is none of all.
  /// - Complexity: One SELECT a store; with an order O(n log n) for all rows found.
  func dictionariesOfSeveral(_ request: FetchRequest) throws(ObjectError) -> FetchedDictionaries {
    let (asked, places, width) = try withSortKeys(request)
    var parts: [FetchedDictionaries.Content] = []
    var rows: [DictionaryRow] = []
    for request in self.parts(asked) ?? [] {
      let found = try dictionaries(request)
      let part = found.content.narrowed(to: width ?? found.content.columns.count)
      parts.append(part)
      rows.reserveCapacity(rows.count + found.count)
      for row in 0..<found.count {
        rows.append(
          DictionaryRow(
            row: FetchedDictionary(content: part, row: row),
            full: FetchedDictionary(content: found.content, row: row), places: places))
      }
    }
    if !request.sortDescriptors.isEmpty {
      let unsorted = rows
      rows = try predicateErrors { () throws(PredicateError) in
        var descriptors = request.sortDescriptors
        for index in descriptors.indices { descriptors[index].key = DictionaryRow.key(index) }
        return try SortOrder(descriptors).sorted(unsorted) { .object($0) }
      }
    }
    guard let first = parts.first else {
      throw ObjectError(.closed, "no open store has the entity \(request.entityName)")
    }
    return FetchedDictionaries(content: first, merged: request.window(rows).map(\.row))
  }

  /// The request with its sort keys among the values.
  ///
  /// - Returns: The request, where in its dictionaries each sort key is, and how many of its values were requested, `nil`
  ///   when these are all values that the entity has.
  private func withSortKeys(
    _ request: FetchRequest
  ) throws(ObjectError) -> (request: FetchRequest, keys: [String], width: Int?) {
    let isExpression = request.propertiesToFetch.contains { if case .expression = $0 { true } else { false } }
    guard request.propertiesToGroupBy.isEmpty, request.havingPredicate == nil, !request.returnsDistinctResults,
      !isExpression
    else {
      throw ObjectError(
        PredicateError(
          .invalidRequest,
          "groups, distinct dictionaries and expressions of \(request.entityName) cannot be fetched from several stores "
            + "at once",
          hint: "name one of them in affectedStores"))
    }
    let keys = request.sortDescriptors.map { PropertyPath($0.key)?.text ?? $0.key }
    guard !request.propertiesToFetch.isEmpty else {
      if let path = keys.first(where: { $0.contains(".") }) {
        throw ObjectError(
          PredicateError(
            .invalidRequest, "dictionaries from several stores cannot be sorted by \"\(path)\", which is not in them",
            hint: "name what you need in propertiesToFetch"))
      }
      return (request, keys, nil)
    }
    var asked = request
    var names = Set(request.propertiesToFetch.map(\.name))
    for key in keys where names.insert(key).inserted { asked.propertiesToFetch.append(.property(key)) }
    return (asked, keys, request.propertiesToFetch.count)
  }
}

/// A dictionary with the values that it is sorted by, which need not be in it.
private struct DictionaryRow: KeyedValues {
  let row: FetchedDictionary
  let full: FetchedDictionary
  /// The names of the sort keys among the full values.
  let places: [String]

  /// The name of a criterion's value: a name without dots.
  static func key(_ index: Int) -> String { "k\(index)" }

  func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    guard let index = Int(key.dropFirst()), places.indices.contains(index) else { return .null }
    return try full.evaluatedValue(forKey: places[index])
  }

  var evaluatedObjectID: ManagedObjectID? { nil }
}

extension FetchedDictionaries.Content {
  /// The same rows with the first values only.
  fileprivate func narrowed(to width: Int) -> FetchedDictionaries.Content {
    guard width < columns.count else { return self }
    return FetchedDictionaries.Content(
      table: table, columns: Array(columns.prefix(width)), external: external.filter { $0 < width },
      storePath: storePath)
  }
}
