import MergewalkObjectModel
import MergewalkSQLite

extension PersistentStore {
  /// Starts a compiled statement: its first row comes with the first ``FetchCursor/step()``.
  ///
  /// - Throws: ``FetchError`` when SQLite refuses the statement. Nothing has run then.
  package func cursor(_ fetch: CompiledFetch) throws(FetchError) -> FetchCursor {
    let cache = queryStatements
    if let incremental {
      do { try incremental.willRun(fetch.sql) } catch { throw .store(error) }
    }
    let statement = try cache.take(fetch.sql)
    bind(fetch.bindings, to: statement)
    return FetchCursor(fetch: fetch, statement: statement, store: self, cache: cache)
  }

  /// The number that a ``FetchSelection/count`` fetch selects.
  package func count(_ fetch: CompiledFetch) throws(FetchError) -> Int {
    let cursor = try cursor(fetch)
    return try cursor.step() ? Int(cursor.integer(0)) : 0
  }

  /// SQLite's plan: one line a step, indented by two spaces below the step that it belongs to.
  ///
  /// Source: [EXPLAIN QUERY PLAN](https://sqlite.org/eqp.html).
  package func explain(_ fetch: CompiledFetch) throws(FetchError) -> [String] {
    let plan = try queryStatements.take("EXPLAIN QUERY PLAN " + fetch.sql)
    defer { queryStatements.give(plan) }
    bind(fetch.bindings, to: plan)
    var depths: [Int64: Int] = [:]
    var lines: [String] = []
    do {
      while try plan.step() {
        let depth = depths[plan.integer(1)].map { $0 + 1 } ?? 0
        depths[plan.integer(0)] = depth
        lines.append(String(repeating: "  ", count: depth) + plan.text(3))
      }
    } catch {
      throw queryStatements.failure(error)
    }
    return lines
  }

  private func bind(_ bindings: [SQLBinding], to statement: Statement) {
    var now: Double?
    for (i, binding) in bindings.enumerated() {
      let index = Int32(i + 1)
      guard case .now = binding else {
        binding.bind(to: statement, index)
        continue
      }
      let value = now ?? ExpressionFunction.currentTime()
      now = value
      statement.bind(index, value)
    }
  }
}

extension SQLBinding {
  /// Gives a parameter of a statement this value.
  func bind(to statement: Statement, _ index: Int32) {
    switch self {
    case .null: statement.bindNull(index)
    case .integer(let value): statement.bind(index, value)
    case .real(let value): statement.bind(index, value)
    case .text(let value): statement.bind(index, text: value)
    case .blob(let value): statement.bind(index, copying: value)
    case .now: statement.bind(index, ExpressionFunction.currentTime())
    case .list(let values): ListSource.bind(values, to: statement, index)
    }
  }
}

extension StoreSchema {
  /// The index in the model of the entity with a number (`Z_ENT`) of this store; `nil` when there is none.
  package func entityIndex(number: Int) -> Int? {
    // Nearly always the model's own numbering.
    if number > 0, number <= entityNumbers.count, entityNumbers[number - 1] == number { return number - 1 }
    return entityNumbers.firstIndex(of: number)
  }
}
