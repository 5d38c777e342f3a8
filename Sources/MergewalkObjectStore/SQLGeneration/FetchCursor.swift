package import MergewalkObjectModel
import MergewalkSQLite

/// The rows of a compiled fetch, one at a time.
///
/// A cursor has its statement to itself until it is let go; then the statement goes back to the store's cache. Columns
/// are counted as SQL counts them (``FetchedColumn/position``) unless a method says otherwise.
package final class FetchCursor {
  package let fetch: CompiledFetch
  let statement: Statement
  private let store: PersistentStore
  private let cache: StatementCache

  init(fetch: CompiledFetch, statement: Statement, store: PersistentStore, cache: StatementCache) {
    self.fetch = fetch
    self.statement = statement
    self.store = store
    self.cache = cache
  }

  deinit { cache.give(statement) }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  package func step() throws(FetchError) -> Bool {
    do {
      return try statement.step()
    } catch {
      throw cache.failure(error)
    }
  }

  /// Runs an UPDATE or DELETE to its end and returns how many rows it changed.
  package func run() throws(FetchError) -> Int {
    while try step() {}
    return changedRows
  }

  /// How many rows the last UPDATE or DELETE on the store's connection changed.
  package var changedRows: Int { store.connection.changes }

  // MARK: Columns without allocation

  /// The storage class of the cell; to be read before the cell is read as something else.
  package func storage(_ column: Int32) -> StorageClass { StorageClass(rawValue: statement.type(column)) ?? .null }
  /// The value as an integer; 0 for null.
  package func integer(_ column: Int32) -> Int64 { statement.integer(column) }
  /// The value as binary64; 0 for null.
  package func double(_ column: Int32) -> Double { statement.double(column) }
  /// The bytes of a text or blob, valid until the next step.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer { statement.bytes(column) }
  /// The index in the model of the entity whose number the column holds; `nil` for null and unknown numbers.
  package func entityIndex(_ column: Int32) -> Int? {
    if statement.isNull(column) { return nil }
    return store.schema.entityIndex(number: Int(statement.integer(column)))
  }

  // MARK: Values

  /// The value of a fetched column: an attribute's value or an object's ID.
  ///
  /// - Parameter index: The index in ``CompiledFetch/columns``.
  package func value(_ index: Int) -> ConstantValue {
    let column = fetch.columns[index]
    let position = column.position
    if statement.isNull(position) { return .null }
    switch column.kind {
    case .primaryKey, .entityNumber, .version: return .attribute(.integer(statement.integer(position)))
    case .cell: return .attribute(statement.attribute(position, .undefined))
    case .value(let type): return .attribute(statement.attribute(position, type))
    case .objectID(let entity, let hasEntityColumn):
      let own = hasEntityColumn ? entityIndex(position + 1) : nil
      return .objectID(
        ManagedObjectID(
          storeUUID: store.file.metadata.uuid, entity: store.model.entities[own ?? entity],
          primaryKey: statement.integer(position)))
    }
  }
}

@available(*, unavailable, message: "a cursor is confined to the task of its store")
extension FetchCursor: Sendable {}
