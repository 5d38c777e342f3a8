import MergewalkObjectModel
import MergewalkSQLite

/// Prepared statements by their text, at most ``limit`` of them at rest; the one that was used longest ago goes first.
///
/// A statement that a cursor uses is not in the cache, so two cursors over equal fetches never share one.
final class StatementCache {
  /// How many statements are kept.
  static let limit = 64

  private let connection: Connection
  private var resting: [String: (statement: Statement, lastUse: Int)] = [:]
  private var uses = 0
  private var functions: QueryFunctionContext?

  init(connection: Connection) { self.connection = connection }

  func take(_ sql: String) throws(FetchError) -> Statement {
    if let known = resting.removeValue(forKey: sql) { return known.statement }
    do {
      // The functions are registered when the first statement may need them.
      if functions == nil { functions = try QueryFunctions.register(connection) }
      return try connection.prepare(sql)
    } catch {
      throw failure(error)
    }
  }

  /// Takes a statement back.
  func give(_ statement: Statement) {
    if connection.isClosed { return }
    statement.reset()
    statement.clearBindings()
    uses += 1
    resting[statement.sql] = (statement, uses)
    guard resting.count > StatementCache.limit else { return }
    if let oldest = resting.min(by: { $0.value.lastUse < $1.value.lastUse }) { resting[oldest.key] = nil }
  }

  /// A store's error as what it means for the request.
  func failure(_ error: StoreError) -> FetchError {
    if let cause = functions?.takeError() { return .predicate(cause) }
    switch error.cause?.kind {
    case .tooLarge:
      return .predicate(
        PredicateError(
          .tooLarge, "the statement is too large for SQLite: \(error.cause?.message ?? "")",
          hint: "nest the predicate less deeply or split the request"))
    case .overflow: return .predicate(PredicateError(.overflow, "a sum of whole numbers is beyond 64 bits"))
    default: return .store(error)
    }
  }
}
