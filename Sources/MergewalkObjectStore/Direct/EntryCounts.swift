import MergewalkSQLite
import MergewalkSystem
import MergewalkThreads
import Synchronization

/// Counts the entries of indexes against the rows of their tables and brings the file to the disk, beside another check.
///
/// It has a thread and a connection of its own, which sees what is committed: nothing may write to the file until
/// ``wait()`` has returned. Without a thread the work is done at once.
struct EntryCounts: Sendable {
  /// The name of an index of all rows of a table, and its table.
  typealias Index = (table: String, name: String)

  private final class Outcome: Sendable { let found = Mutex(Result<String?, StoreError>.success(nil)) }

  private let outcome: Outcome
  private let worker: Worker?

  /// Begins.
  ///
  /// - Parameters:
  ///   - path: the database, which has no log.
  ///   - descriptor: the file that is synced, through a descriptor that is open: closing another one would take away the
  ///     locks of the process (fcntl(2)). Nil when others see to that.
  /// - Complexity: a pass over the pages of the tables and of the indexes.
  init(path: String, indexes: [Index], descriptor: Int32?) {
    let outcome = Outcome()
    let work: @Sendable () -> Void = {
      let result = Result { () throws(StoreError) in try Self.find(path, indexes, descriptor) }
      outcome.found.withLock { $0 = result }
    }
    self.outcome = outcome
    worker = Worker(work)
    if worker == nil { work() }
  }

  /// The first error; nil when each index has an entry for each row.
  func wait() throws(StoreError) -> String? {
    worker?.join()
    return try outcome.found.withLock { $0 }.get()
  }

  private static func find(_ path: String, _ indexes: [Index], _ descriptor: Int32?) throws(StoreError) -> String? {
    let connection = try Connection.open(path, .immutable)
    defer { try? connection.close() }
    for (table, indexes) in Dictionary(grouping: indexes, by: \.table).sorted(by: { $0.key < $1.key }) {
      let rows = try connection.integer("SELECT count(*) FROM \(table) NOT INDEXED") ?? -1
      for index in indexes {
        // For `count(*)` SQLite takes whatever b-tree is smallest, whichever index is named; with an argument it walks
        // the one that is asked for.
        let entries = try connection.integer("SELECT count(1) FROM \(table) INDEXED BY \(index.name)") ?? -1
        if rows != entries { return "\(index.name) has \(entries) entries for \(rows) rows" }
      }
    }
    if let descriptor, fsync(descriptor) != 0 { throw FileSystem.failure(path, "cannot sync") }
    return nil
  }
}
