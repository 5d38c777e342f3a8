import MergewalkSQLite
import MergewalkStorePages
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
    let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    let pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
    let roots = try connection.rootPages()
    let scan = TableScan(pageSize: pageSize, pageCount: pageCount, columns: []) { first, buffer in
      connection.read(at: (Int(first) - 1) * pageSize, into: buffer)
    }
    // SQLite would step through each entry: its `count(*)` counts by pages, but in whatever b-tree is smallest.
    func count(_ name: String) throws(StoreError) -> Int {
      guard let root = roots[name], let count = scan?.count(root: root) else {
        throw StoreError(.damagedFile, path: path, message: "the pages of \(name) cannot be read")
      }
      return count
    }
    for (table, indexes) in Dictionary(grouping: indexes, by: \.table).sorted(by: { $0.key < $1.key }) {
      let rows = try count(table)
      for index in indexes {
        let entries = try count(index.name)
        if rows != entries { return "\(index.name) has \(entries) entries for \(rows) rows" }
      }
    }
    if let descriptor, fsync(descriptor) != 0 { throw FileSystem.failure(path, "cannot sync") }
    return nil
  }
}
