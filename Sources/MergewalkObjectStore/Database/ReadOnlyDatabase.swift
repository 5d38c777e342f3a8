package import MergewalkDiagnostics
package import MergewalkObjectModel
import MergewalkSQLite

/// A database that is only read, at one moment, and left as it was found.
///
/// The whole reading is one transaction, so a writer's later commits are not seen. A database that is read by way of a
/// log gets a `-shm` and perhaps an empty `-wal` file beside it meanwhile, because that is where SQLite keeps its locks.
/// Those that were not there before, or that a process which was killed has left, are removed at the end, unless another
/// process uses the database by then.
package final class ReadOnlyDatabase {
  package let path: String
  let connection: Connection
  private let hadIndex: Bool
  private let hadLog: Bool
  private var removesLeftovers = false
  private var pages = 0

  /// Opens a file, which need not be a database yet: ``head(_:)`` shows that.
  package init(_ path: String) throws(StoreError) {
    let path = try StorePath.existing(path)
    self.path = path
    _ = HotJournal.playBack(path)
    hadIndex = FileSystem.exists(path + "-shm")
    hadLog = FileSystem.exists(path + "-wal")
    connection = try Connection.open(path, .readOnly)
  }

  deinit { close() }

  /// Takes the state of this moment.
  ///
  /// - Parameter header: What ``head(_:)`` gave.
  package func begin(_ header: DatabaseHeader) throws(StoreError) {
    // Beside a log with anything in it, what was there before is its writer's.
    removesLeftovers = hadIndex ? !LogFiles.hasLog(path) : LogFiles.areUsed(path, header)
    try connection.apply(.read(cacheKiB: 4096))
    // The transaction has its moment when it reads first.
    try connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Ends the transaction and removes the files that reading has made.
  package func close() {
    if connection.isClosed { return }
    pages = connection.pagesRead
    // What was read is read; there is nothing that could be lost.
    try? connection.close()
    if removesLeftovers { LogFiles.sweep(path, keepsLog: hadLog && !hadIndex) }
  }

  // MARK: The file

  /// The first bytes of the file, fewer when it is shorter; `nil` when it cannot be read.
  package func head(_ count: Int) -> [UInt8]? { connection.head(count: count) }
  package var fileSize: Int { connection.fileSize ?? 0 }
  /// How many pages were read so far.
  package var pagesRead: Int {
    if !connection.isClosed { pages = connection.pagesRead }
    return pages
  }

  // MARK: Reading

  /// Compiles a statement of this program.
  package func rows(_ sql: String) throws(StoreError) -> DatabaseRows { DatabaseRows(try connection.prepare(sql)) }

  /// Runs `body`, whose statements end with ``DatabaseFailure/Kind/interrupted`` soon after `shouldStop` says so.
  package func interruptible<Value>(_ shouldStop: () -> Bool, _ body: () -> Value) -> Value {
    connection.interruptible(shouldStop, body)
  }

  /// A statement of other code that only reads, with whether it is recursive, so that it need not end.
  ///
  /// As long as what is returned lives, statements can only read this database.
  package func query(_ sql: String) throws(QueryFailure) -> GuardedQuery {
    let queryGuard = QueryGuard(connection)
    do throws(QueryRefusal) {
      return GuardedQuery(rows: DatabaseRows(try queryGuard.prepare(sql)), queryGuard: queryGuard)
    } catch {
      switch error {
      case .refused(let reason): throw .refused(reason)
      case .sqlite(let error): throw .store(StoreError(error, path: path))
      }
    }
  }

  /// Finds the model of the store that the database is, as ``StoreModel/find(path:explicit:)``.
  package func storeModel(explicit: ManagedObjectModel?) throws(StoreError) -> StoreModel {
    try StoreModel.find(connection, explicit: explicit, path: path)
  }

  /// The same with the model that the caller names.
  package func storeModel(at modelPath: String, version: String?) throws(DiagnosticList) -> StoreModel {
    try StoreModel.find(connection, path: path, modelAt: modelPath, version: version)
  }

  /// The store that the database is; it must not outlive this.
  package func store(_ model: StoreModel) throws(StoreError) -> PersistentStore {
    try PersistentStore(reading: connection, path: path, model: model)
  }
}

/// A statement of other code, which only reads.
package struct GuardedQuery {
  package let rows: DatabaseRows
  private let queryGuard: QueryGuard

  fileprivate init(rows: DatabaseRows, queryGuard: QueryGuard) {
    self.rows = rows
    self.queryGuard = queryGuard
  }

  /// Whether the statement is recursive, so that it need not end.
  package var isRecursive: Bool { queryGuard.isRecursive }
}

/// Why a text is not taken as a query.
package enum QueryFailure: Error {
  /// It is no single statement that only reads; in words that follow "the query".
  case refused(String)
  /// SQLite cannot compile it.
  case store(StoreError)
}

@available(*, unavailable, message: "a database is confined to one task")
extension ReadOnlyDatabase: Sendable {}
